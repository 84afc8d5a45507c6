"""Postal addresses in one line: a street with its number, and what follows up to the place.

In      a view
Out     ranges of class ADDRESS_LINE
Pure    yes, linear: a word that names a street is looked at within a fixed distance
Spec    interfaces.md, "Redaction"

Streets are told by the words for them. Where the number stands first (English, French) the
line is read backwards from such a word, where it stands last (German, Dutch, Nordic, Romance
languages) forwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from assay.prompt.recognisers import Range, View, compiled

_HOUSE: Final = r"[0-9]{1,5}(?:[ ]?[-/][ ]?[0-9]{1,5})?(?:[ ]?[a-zA-Z](?![\w]))?"

_SUFFIX = (
    r"\b(?:Street|St|Avenue|Ave|Av|Road|Rd|Lane|Ln|Drive|Dr|Way|Boulevard|Blvd|Court|Ct|Place|Pl|"
    r"Square|Sq|Terrace|Ter|Hill|Walk|Drove|Gate|Close|Crescent|Cres|Parkway|Pkwy|Highway|Hwy|Row|"
    r"Mews|Grove|Gardens|Gdns|Circle|Cir|Trail|Trl|Alley|Quay|Wharf|Turnpike|Loop|Plaza|Parade|"
    r"Esplanade|Broadway|Rise|Vale|Mount|Fields|Crossing|Heights|Ridge|Run|Pass|Path)\b"
)
_BEFORE = re.compile(
    r"(?<![\w.,/#-])-?[0-9]{1,5}(?:1⁄2|[ ]?[-/][ ]?[0-9]{1,5})?[a-zA-Z]?,?[ ]"
    r"(?:(?:[NSEW]|NE|NW|SE|SW|North|South|East|West)\.?[ ])?"
    r"(?:(?:[A-ZÀ-Þ][\w'.-]*|[0-9]{1,3}(?:st|nd|rd|th)|the|of|de|la)[ ]){0,5}$"
)
_DIGIT = re.compile("[0-9]")
_CAPITALS = re.compile("[A-ZÀ-Þ]")
_NUMBERLESS = re.compile(r"(?:[A-ZÀ-Þ][\w'-]*[ ]){1,3}$")
_COMPASS = re.compile(r"\.?(?:[ ](?:NE|NW|SE|SW|[NSEW]|North|South|East|West)(?!\w))?")

_LAST = (
    r"(?:(?i:straße|strasse|gasse|allee|chaussee|promenade|gürtel|straat|gracht|kade|singel|gatan|"
    r"vägen|gaten|veien|katu|tänav|utca|körút)|[Ss]tr\.|(?:[Ww]eg|[Pp]latz|[Rr]ing|[Dd]amm|[Uu]fer|"
    r"[Ss]teig|[Ww]all|[Ll]aan|[Pp]lein|[Dd]ijk|gata|gate|vej|gade|tie|kuja|polku|tee|vei|út|tér))"
    r"[ ]{1,2}[0-9]"
)
_CAPITAL = "A-ZÀ-ÞŠŽŁŚÓČŐŰ"
_COMPOUND = re.compile(
    rf"(?:(?:Alte|Neue|Große|Kleine|Obere|Untere|Lange|Hohe|Sankt|St\.|Oude|Nieuwe|Am|Im)[ ])?"
    rf"[{_CAPITAL}][\w'-]*$"
)
_SEPARATE = re.compile(rf"(?:[{_CAPITAL}][\w'.-]*[ -]){{1,2}}$")
"""What belongs to `…straße`, and to a `Straße` that stands by itself."""

_FIRST = (
    r"\b(?:Calle|C/|C\.|Cl\.|Avda\.?|Avenida|Av\.|Plaza|Pza\.?|Paseo|Ronda|Camino|Carretera|"
    r"Ctra\.?|"
    r"Carrera|Cra|Travesía|Glorieta|Via|Viale|Piazza|Piazzale|Corso|Vicolo|Largo|Contrada|Rua|"
    r"Travessa|Praça|Estrada|ul\.|al\.|os\.|Rue|Straße[ ]des|Am|An[ ]der|Im|In[ ]der|Auf[ ]de[mr]|"
    r"Unter[ ]den|Hinter[ ]der|Zu[mr])[ ]?"
)
_THEN_NUMBER = re.compile(
    rf"(?:(?:de|del|della|delle|dei|di|da|do|dos|das|la|las|los|el|y|e|des|du|den|der|"
    rf"[0-9]{{1,2}}\.)[ ]"
    rf"|[{_CAPITAL}][\w'.-]*[ ,]{{1,2}}){{1,6}}(?:(?:n[º°o.]{{1,2}}|núm\.?|nr\.?)[ ]?)?{_HOUSE}"
    rf"|(?P<cross>[0-9]{{1,3}}[A-Z]?[ ]?\#[ ]?[0-9]{{1,3}}[A-Z]?[ ]?-[ ]?[0-9]{{1,3}})"
)
_HOUSE_NUMBER = re.compile(_HOUSE)
_LOOSE = ("Am", "An", "Im", "In", "Auf", "Unter", "Hinter", "Zum", "Zur")
"""These begin streets, and much else: a postal code must follow."""

_FRENCH = (
    r"\b[0-9]{1,4}(?:[ ]?(?:bis|ter|quater))?,?[ ](?i:rue|avenue|av\.|boulevard|bd\.?|place|chemin|"
    r"allée|impasse|quai|route|cours|passage|sentier|faubourg)[ ]"
)
_FRENCH_NAME = re.compile(
    r"(?:(?:de|du|des|la|le|les|et|à|aux|sur|sous)[ ]|(?:[dl]')?[A-ZÀ-Þ0-9][\w'.-]*[ ]?){1,7}"
)

_BOX = (
    r"\b(?:P\.?[ ]?O\.?[ ]?Box|Post[ ]Office[ ]Box|Postfach|Postbus|"
    r"Apartado(?:[ ]de[ ][Cc]orreos)?|"
    r"[Bb]oîte[ ]postale|BP|[Cc]ase[ ]postale|Casella[ ]postale|(?:PSC|Unit|"
    r"CMR)[ ][0-9]{1,5},?[ ]Box)"
    r"[ ]?[0-9][0-9 ]{0,8}"
)

_POSTAL = (
    r"(?:[A-Z]{1,2}-)?[0-9]{3}[ ][0-9]{2}(?![0-9])|"
    r"(?:[A-Z]{1,2}-)?[0-9]{4,5}(?:-[0-9]{3,4})?(?![0-9])|"
    r"[A-Z]{1,2}[0-9][0-9A-Z]?[ ][0-9][A-Z]{2}(?!\w)|[A-Z][0-9][A-Z][ ]?[0-9][A-Z][0-9](?!\w)"
)
_PLACE = (
    rf"[{_CAPITAL}][\w'.-]*(?:[ ](?:(?:am|an|der|de|del|la|le|les|sur|im|in|ob|upon|on|bei|di|da|"
    rf"do)[ ])?[{_CAPITAL}][\w'.-]*){{0,3}}"
)
_POSTAL_NEXT = re.compile(rf"[ ]?,[ ]?(?:{_POSTAL})")
_TAIL = re.compile(
    r"[ ]{0,2},?[ ]{0,2}(?:"
    r"(?P<unit>(?:(?:Apt|Apartment|Suite|Ste|Unit|Flat|Room|Rm|Bldg|Building|Whg|Wohnung|"
    r"Stiege|Top|"
    r"Tür|Piso|Puerta|Box)\.?[ ]?(?:No\.?[ ]?)?\#?[ ]?|\#)[0-9A-Z][\w-]*|[0-9]{1,2}(?:st|nd|"
    r"rd|th)?[ .]{1,2}"
    r"(?:Fl(?:oor)?|OG|EG|Stock|Etage|étage|piso|planta)(?!\w)\.?)"
    rf"|(?P<postal>(?:{_POSTAL}))"
    r"|(?P<state>[A-Z]{2}(?!\w)|(?:[A-Z]\.){2,3})"
    rf"|(?P<place>{_PLACE}))"
)
_TO_POSTAL = re.compile(
    rf"(?:,?[ ]{{1,2}}(?:[{_CAPITAL}][\w'.-]*|am|an|der|de|del|la|le|les|sur|"
    r"in|ob|upon|on|di)){1,12}"
    rf",?[ ]{{1,2}}(?:{_POSTAL})"
)
_PLACE_ENDS = re.compile(
    rf"\.?(?:$|\n|[ ]?[,;)(]|[ ]{{0,2}}(?:{_POSTAL})|[ ][A-Z]{{2}}(?!\w)|"
    r"[ ](?:and|or|but|in|on|at|since|for|to|und|oder|seit|y|et|with|because|where|which|is|"
    r"last)(?!\w))"
)
_LABEL = (
    r"\b(?i:address|anschrift|adresse|wohnhaft|dirección|domicilio|indirizzo|lives[ ](?:at|in|on))"
    r"(?:[ ]?:|[ ](?:is|in|at|ist|lautet|es|est)[ :])?\s{1,4}"
)
_LABELLED = re.compile(
    rf"(?:(?:[0-9]{{1,6}}[A-Za-z]?(?![\w.:/])|[{_CAPITAL}][\w'-]*\.?|de|del|la|di|da|do|der|den|"
    r"van|am)(?:,?[ ]{1,2}|,?$)){2,16}"
)
_WORDS = compiled("|".join(f"({kind})" for kind in (_LABEL, _BOX, _FRENCH, _LAST, _FIRST, _SUFFIX)))
"""Every word that tells a street, in one pass; which kind it is, is told by the group."""

_REACH = 90
_SEGMENTS = 8


def find_addresses(view: View) -> Iterator[Range]:
    """Address lines in order."""
    text = view.text
    readers = (_labelled, _box, _french, _number_last, _prefixed, _number_first)
    reached = 0
    for match in view.find(_WORDS):
        reader = next(read for group, read in enumerate(readers, 1) if match.start(group) >= 0)
        street = reader(text, *match.span())
        if street is None or street[0] < reached:
            continue
        stop = _with_tail(text, street[1])
        stop -= len(text[street[0] : stop]) - len(text[street[0] : stop].rstrip(" ,"))
        yield street[0], stop
        reached = stop


def _labelled(text: str, _: int, stop: int) -> Range | None:
    """What a label announces: capitalised words and numbers, some of each."""
    line = _LABELLED.match(text, stop, _line_end(text, stop))
    if line is None or not (_DIGIT.search(line[0]) and _CAPITALS.search(line[0])):
        return None
    return stop, stop + len(line[0].rstrip(" ,"))


def _box(_: str, start: int, stop: int) -> Range | None:
    return start, stop


def _line_before(text: str, at: int) -> tuple[str, int]:
    begin = max(text.rfind("\n", max(0, at - _REACH), at) + 1, at - _REACH, 0)
    return text[begin:at], begin


def _number_first(text: str, start: int, stop: int) -> Range | None:
    before, begin = _line_before(text, start)
    compass = _COMPASS.match(text, stop)
    end = compass.end() if compass else stop
    street = _BEFORE.search(before) if _DIGIT.search(before) else None
    if street:
        return begin + street.start(), end
    if _DIGIT.search(text, end, _line_end(text, end)) is None:
        return None
    street = _NUMBERLESS.search(before)
    if street and _TO_POSTAL.match(text, end, _line_end(text, end)):
        return begin + street.start(), end
    return None


def _number_last(text: str, start: int, stop: int) -> Range | None:
    before, begin = _line_before(text, start)
    words = (_SEPARATE if text[start].isupper() else _COMPOUND).search(before)
    house = _HOUSE_NUMBER.match(text, stop - 1)
    if words and house:
        return begin + words.start(), house.end()
    return None


def _prefixed(text: str, start: int, stop: int) -> Range | None:
    end = min(stop + _REACH, _line_end(text, stop))
    street = _THEN_NUMBER.match(text, stop, end)
    if street is None:
        return None
    loose = text[start:stop].split(" ", 1)[0] in _LOOSE
    if loose and not _POSTAL_NEXT.match(text, street.end(), end):
        return None
    return start, street.end()


def _french(text: str, start: int, stop: int) -> Range | None:
    name = _FRENCH_NAME.match(text, stop, stop + _REACH)
    return (start, stop + len(name[0].rstrip())) if name else None


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at, at + 2 * _REACH)
    return end if end >= 0 else min(len(text), at + 2 * _REACH)


def _with_tail(text: str, stop: int) -> int:
    """Where the address ends: units, postal codes and places that follow on its line."""
    end = _line_end(text, stop)
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
        if kind == "place" and last != "postal":
            comma = "," in text[stop : part.start("place")]
            if not (comma or last == "unit") or not _PLACE_ENDS.match(text, part.end()):
                break
        stop, last = part.end(), kind
    return stop
