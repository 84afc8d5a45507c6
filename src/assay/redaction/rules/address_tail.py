"""What follows a street and its number on the line: units, postal codes, the place.

In      a line, where the house number ends
Out     where the address ends
Pure    yes, linear: a bounded number of parts, each of bounded length
Spec    interfaces.md, "Redaction": with what follows on the line up to the place

Floors, stairs and doors are told by the words of English, German, Spanish, Catalan, Italian,
French, Dutch and Portuguese addresses; ordinals as the folded view writes them (`2º` is `2o`).
"""

from __future__ import annotations

import re
from typing import Final

from assay.redaction.rules.words import AMOUNT_AFTER

REACH: Final = 90
CAPITAL: Final = "A-ZÀ-ÞŠŽŁŚČŐŰŻŹĆŃĘĄİŞĞŘĎŤŇĚĹĽŔĂȘȚĐĶĻŅĢĪŪĒĀΑ-ΩА-Я"

HOUSE: Final = (
    r"[0-9]{1,5}(?:(?:[-/][0-9]{1,5}|[ ]?[-/][ ]?[0-9]{1,3})(?![0-9/]))?"
    r"(?:[ ]?[a-zA-Z](?![\w/]|\.[ ]?[0-9]))?"
)
"""A house number: `5`, `12a`, `5-7`."""

HOUSE_MORE: Final = (
    r"(?:[/-](?:[0-9]{1,4}[A-Za-z]?|[A-Za-z]{1,2}|[IVX]{1,4})(?![\w/])"
    r"|[/-][0-9]{1,4}(?=/[0-9])|[ ](?:bis|ter|quater|quinquies|hs|huis|hoog|rood|zwart)(?!\w)){0,3}"
)
"""What belongs to it: `/A`, `/3/14`, `-II`, ` bis`."""

POSTAL: Final = (
    r"(?:[A-Z]{1,2}-)?[0-9]{3}[ ][0-9]{2}(?![0-9])|(?:PL-)?[0-9]{2}-[0-9]{3}(?![0-9])|"
    r"(?:NL-)?[1-9][0-9]{3}[ ]?[A-Z]{2}(?!\w)|"
    r"(?:[A-Z]{1,2}-)?[0-9]{4,5}(?:-[0-9]{3,4})?(?![0-9])|"
    r"[A-Z]{1,2}[0-9][0-9A-Z]?[ ][0-9][A-Z]{2}(?!\w)|[A-Z][0-9][A-Z][ ]?[0-9][A-Z][0-9](?!\w)"
)

NAME: Final = rf"(?:(?:S|St|Ste|Sta|Sto|Dr|Gral|Mt|Ft|{'[A-Z]'})\.[ ]?)?[{CAPITAL}][\w'-]*"
"""A capitalised word without a full stop at its end, which would be that of the sentence."""

_PLACE = (
    rf"(?:'s-)?{NAME}(?:[ ](?:(?:am|an|der|den|de|del|dels|della|la|las|le|les|los|sur|im|in|ob|"
    rf"upon|on|bei|di|da|do|dos|d'|l'|aan|op|en|nell'|dell')[ ]?){{0,2}}{NAME}){{0,3}}"
    r"(?:(?<=[Cc]edex)[ ][0-9]{1,2}(?!\w)|(?<=CEDEX)[ ][0-9]{1,2}(?!\w)|[ ]a\.[ ]?M\.)?"
)
_ORDINAL = r"(?:[0-9]{1,2}(?:\.?[oa]|er?|[èe]me|°|n[dt]?|r|t)(?!\w)\.?|[0-9]{1,2}[oa][A-Z](?!\w))"
_SIDE = (
    r"(?i:izq[ao]?|izqd[ao]?|izd[ao]?|izquierd[ao]|dcha?|dcho|derech[ao]|esq(?:uerd[ao])?|dto|"
    r"dt[ao]|dir(?:eito)?|"
    r"frente|fte|trás|links|rechts|mitte|gauche|droite|gche|dte|dx|sx|interior|exterior)"
    r"(?!\w)\.?"
)
_LETTER = r"[A-Za-z](?!\w)"
_FLOOR_NAME = (
    r"(?i:bajos?|bjs|ático|sobreático|entlo|entresuelo|principal|pral|sótano|s/n|snc|r/c|"
    r"rés-do-chão|cave|loja|piano[ ](?:terra|primo|secondo|terzo|rialzato)|rez-de-chaussée|rdc|"
    r"hinterhaus|vorderhaus|seitenflügel|parterre|huis|hs|boven|beneden|DG|EG|UG|HH|VH)(?!\w)\.?"
)
_NAMED = (
    r"(?:(?i:piso|puerta|pta|escalera|esc|portal|bloque|blq|planta|pis|interno|int|scala|sc(?=\.)|"
    r"piano|"
    r"palazzina|lotto|edificio|edif|bât(?:iment)?|appt|appartement|apto?|escalier|étage|boîte|bte|"
    r"m(?=\.)|lok|kl(?=\.)|bus|porte|lote|andar|fração|bloco|bl|toren|stiege|top|tür|whg|wohnung|"
    r"stock|kamer|c/o)"
    r"\.?[ ]?(?:n[or°]?\.?[ ]?)?(?:[0-9]{1,4}[A-Za-z]?|[A-Z][0-9]{0,3}|[IVX]{1,4}|[oa]?[0-9])"
    rf"(?!\w)|(?i:escalera|esc|puerta|pta|porte|planta|piso)\.?[ ]{_SIDE})"
)
_FLOOR = (
    rf"(?:{_ORDINAL}|[0-9]{{1,2}}(?:st|nd|rd|th)?)[ .]{{1,2}}(?:Fl(?:oor)?|OG|EG|Stock(?:werk)?|"
    r"(?i:etage|étage|piso|planta|andar|piano|verdieping|puerta|pta))(?!\w)\.?"
)
_ENGLISH = (
    r"(?:(?:Apt|Apartment|Suite|Ste|Unit|Flat|Room|Rm|Bldg|Building|Whg|Wohnung|Stiege|Top|"
    r"Tür|Piso|Puerta|Box)\.?[ ]?(?:No\.?[ ]?)?\#?[ ]?|\#)[0-9A-Z][\w-]*"
)
_UNIT = (
    rf"{_ENGLISH}|{_FLOOR}(?:[ ,]{{1,2}}{_SIDE})?|{_NAMED}(?:[ ,]{{1,2}}{_SIDE})?"
    rf"|{_ORDINAL}(?:[ -]{{1,2}}(?:{_SIDE}|{_ORDINAL}|{_LETTER})){{0,2}}"
    r"|[0-9]{1,2}-[0-9]{1,2}(?=,[ ][0-9]{4})"
    rf"|{_FLOOR_NAME}(?:[ ](?:{_SIDE}|{_LETTER}))?(?=[ ]{{0,2}}(?:$|[\n,;.)0-9{CAPITAL}-]))"
)
_TAIL = re.compile(
    r"(?:(?P<dash>[ ]{1,2}[-|·•][ ]{1,2})|[ ]{0,2},?[ ]{0,2})(?:"
    rf"(?P<unit>{_UNIT})"
    rf"|(?P<postal>(?:{POSTAL}))"
    r"|(?P<state>[A-Z]{2}(?!\w)|(?:[A-Z]\.){2,3})"
    rf"|(?P<place>{_PLACE})"
    rf"|(?P<province>\((?:[A-Z]{{2}}|{NAME}(?:[ ]{NAME}){{0,2}})\)))"
)
_TO_POSTAL = re.compile(
    rf"(?:,?[ ]{{1,2}}(?:[{CAPITAL}][\w'.-]*|am|an|der|de|del|la|le|les|sur|"
    r"in|ob|upon|on|di)){1,12}"
    rf",?[ ]{{1,2}}(?P<postal>{POSTAL})"
)
_PLACE_ENDS = re.compile(
    rf"\.?(?:$|\n|[ ]?[,;)(]|[ ]{{0,2}}(?:{POSTAL})|[ ][A-Z]{{2}}(?!\w)|"
    r"[ ](?:and|or|but|in|on|at|since|for|to|und|oder|seit|y|et|with|because|where|which|is|"
    r"desde|depuis|dal|entro|sinds|en|e|last)(?!\w))|\.[ ]"
)
_SEGMENTS = 10
_AMOUNT = re.compile(
    r"[0-9]{1,3}(?:[ .,'][0-9]{3})*(?:[.,][0-9]{1,2})?(?![0-9])|[0-9]+(?:[.,][0-9]{1,2})?"
)
_LINES = 3
"""So many lines below the street may name its place."""

_LINE = re.compile(r"[ \t]*(?:\r?\n)[ \t>|]{0,6}")
_POSTAL_LINE = re.compile(
    rf"(?:(?:{POSTAL})[ ]{{1,3}}(?P<first>{_PLACE})|(?P<last>{_PLACE})"
    rf",?[ ]{{1,2}}(?:[A-Z]{{2,3}}[ ]{{1,2}})?"
    rf"(?:{POSTAL})|[A-Z]{{1,2}}[0-9][0-9A-Z]?[ ]?[0-9][A-Z]{{2}}(?!\w))"
    r"(?:[ ]?,[ ]?[^\W\d_][\w .-]{1,30}|[ ](?:\([A-Z]{2}\)|[A-Z]{2}))?(?=[ \t]*[.,;]?[ \t]*(?:$|"
    r"[\r\n]))"
)
_PLACE_LINE = re.compile(rf"{_PLACE}(?=[ \t]*,?[ \t]*(?:$|[\r\n]))")
_UNIT_LINE = re.compile(rf"(?:{_UNIT})(?=[ \t]*,?[ \t]*(?:$|[\r\n]))")
_NO_PLACE = re.compile(
    r"(?i:eur|euro|euros|usd|chf|gbp|uhr|stück|januar|jänner|februar|märz|april|mai|juni|juli|"
    r"august|"
    r"september|oktober|november|dezember|january|february|march|may|june|july|october|december)"
)


def find_line_end(text: str, at: int) -> int:
    """Where the line ends, or what is looked at of it."""
    end = text.find("\n", at, at + 2 * REACH)
    return end if end >= 0 else min(len(text), at + 2 * REACH)


def leads_to_postal(text: str, at: int) -> bool:
    """Whether capitalised words and then a postal code follow on the line."""
    return _TO_POSTAL.match(text, at, find_line_end(text, at)) is not None


def is_amount(text: str, at: int) -> bool:
    """Whether the digits at *at* are an amount of something, as a currency or unit behind says."""
    found = _AMOUNT.match(text, at, at + 20)
    return found is not None and AMOUNT_AFTER.match(text, found.end()) is not None


def is_postal_line(text: str, at: int) -> bool:
    """Whether a postal code and its place stand at *at*, and nothing more on the line."""
    postal = _POSTAL_LINE.match(text, at, find_line_end(text, at))
    return postal is not None and _names_place(text, postal)


def _names_place(text: str, postal: re.Match[str]) -> bool:
    """Whether a line of the form of code and place is one: neither an amount nor a date."""
    place = postal["first"] or postal["last"] or ""
    return not is_amount(text, postal.start()) and not _NO_PLACE.fullmatch(place)


def find_lines_below(text: str, stop: int) -> list[tuple[int, int]]:
    """Lines below a street that name its place, the last of them with a postal code."""
    found: list[tuple[int, int]] = []
    for _ in range(_LINES):
        line = _LINE.match(text, stop)
        if line is None:
            return []
        end = find_line_end(text, line.end())
        postal = _POSTAL_LINE.match(text, line.end(), end)
        if postal:
            return [*found, postal.span()] if _names_place(text, postal) else []
        named = _PLACE_LINE.match(text, line.end(), end) or _UNIT_LINE.match(text, line.end(), end)
        if named is None:
            return []
        found.append(named.span())
        stop = named.end()
        while text[stop : stop + 1] in ("\x20", "\t", ","):
            stop += 1
    return []


def find_tail_end(text: str, stop: int) -> int:
    """Where the address ends: units, postal codes and places that follow on its line."""
    end = find_line_end(text, stop)
    last = ""
    for _ in range(_SEGMENTS):
        whole = _TO_POSTAL.match(text, stop, end)
        if whole and not is_amount(text, whole.start("postal")):
            stop, last = whole.end(), "postal"
            continue
        part = _TAIL.match(text, stop, end)
        if part is None or part.end() == stop:
            break
        kind = part.lastgroup or ""
        if kind == "postal" and is_amount(text, part.start(kind)):
            break
        if kind == "province" and last not in ("place", "postal"):
            break
        if kind == "state" and part["dash"]:
            break
        if kind == "place" and last != "postal":
            comma = "," in text[stop : part.start("place")]
            if not (comma or last == "unit") or not _PLACE_ENDS.match(text, part.end()):
                break
            if is_amount(text, part.end() + 1):
                break  # `Hauptstr. 5, Warmmiete 1150 €`
        stop, last = part.end(), kind
    return stop
