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

REACH: Final = 90
CAPITAL: Final = "A-ZÀ-ÞŠŽŁŚÓČŐŰ"

HOUSE: Final = (
    r"[0-9]{1,5}(?:(?:[-/][0-9]{1,5}|[ ]?[-/][ ]?[0-9]{1,3})(?![0-9/]))?(?:[ ]?[a-zA-Z](?![\w/]))?"
)
"""A house number: `5`, `12a`, `5-7`."""

HOUSE_MORE: Final = (
    r"(?:[/-](?:[0-9]{1,4}[A-Za-z]?|[A-Za-z]{1,2}|[IVX]{1,4})(?![\w/])"
    r"|[/-][0-9]{1,4}(?=/[0-9])|[ ](?:bis|ter|quater|quinquies|hs|huis|hoog|rood|zwart)(?!\w)){0,3}"
)
"""What belongs to it: `/A`, `/3/14`, `-II`, ` bis`."""

POSTAL: Final = (
    r"(?:[A-Z]{1,2}-)?[0-9]{3}[ ][0-9]{2}(?![0-9])|"
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
    r"(?i:izq[ao]?|izqd[ao]?|izd[ao]?|izquierd[ao]|dcha?|dcho|derech[ao]|esq(?:uerd[ao])?|dto|dt[ao]|dir(?:eito)?|"
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
    r"(?:(?i:piso|puerta|pta|escalera|esc|portal|bloque|blq|planta|pis|interno|int|scala|sc(?=\.)|piano|"
    r"palazzina|lotto|edificio|edif|bât(?:iment)?|appt|appartement|apto?|escalier|étage|boîte|bte|"
    r"bus|porte|lote|andar|fração|bloco|bl|toren|stiege|top|tür|whg|wohnung|stock|kamer|c/o)"
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
    r"(?:(?P<dash>[ ]{1,2}-[ ]{1,2})|[ ]{0,2},?[ ]{0,2})(?:"
    rf"(?P<unit>{_UNIT})"
    rf"|(?P<postal>(?:{POSTAL}))"
    r"|(?P<state>[A-Z]{2}(?!\w)|(?:[A-Z]\.){2,3})"
    rf"|(?P<place>{_PLACE})"
    rf"|(?P<province>\((?:[A-Z]{{2}}|{NAME}(?:[ ]{NAME}){{0,2}})\)))"
)
_TO_POSTAL = re.compile(
    rf"(?:,?[ ]{{1,2}}(?:[{CAPITAL}][\w'.-]*|am|an|der|de|del|la|le|les|sur|"
    r"in|ob|upon|on|di)){1,12}"
    rf",?[ ]{{1,2}}(?:{POSTAL})"
)
_PLACE_ENDS = re.compile(
    rf"\.?(?:$|\n|[ ]?[,;)(]|[ ]{{0,2}}(?:{POSTAL})|[ ][A-Z]{{2}}(?!\w)|"
    r"[ ](?:and|or|but|in|on|at|since|for|to|und|oder|seit|y|et|with|because|where|which|is|"
    r"desde|depuis|dal|entro|sinds|en|e|last)(?!\w))|\.[ ]"
)
_SEGMENTS = 10


def find_line_end(text: str, at: int) -> int:
    """Where the line ends, or what is looked at of it."""
    end = text.find("\n", at, at + 2 * REACH)
    return end if end >= 0 else min(len(text), at + 2 * REACH)


def leads_to_postal(text: str, at: int) -> bool:
    """Whether capitalised words and then a postal code follow on the line."""
    return _TO_POSTAL.match(text, at, find_line_end(text, at)) is not None


def find_tail_end(text: str, stop: int) -> int:
    """Where the address ends: units, postal codes and places that follow on its line."""
    end = find_line_end(text, stop)
    last = ""
    for _ in range(_SEGMENTS):
        whole = _TO_POSTAL.match(text, stop, end)
        if whole:
            stop, last = whole.end(), "postal"
            continue
        part = _TAIL.match(text, stop, end)
        if part is None or part.end() == stop:
            break
        kind = part.lastgroup or ""
        if kind == "province" and last not in ("place", "postal"):
            break
        if kind == "state" and part["dash"]:
            break
        if kind == "place" and last != "postal":
            comma = "," in text[stop : part.start("place")]
            if not (comma or last == "unit") or not _PLACE_ENDS.match(text, part.end()):
                break
        stop, last = part.end(), kind
    return stop
