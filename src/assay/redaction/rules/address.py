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

from assay.redaction.rules.address_tail import (
    CAPITAL,
    HOUSE,
    HOUSE_MORE,
    NAME,
    POSTAL,
    REACH,
    find_line_end,
    find_lines_below,
    find_tail_end,
    is_amount,
    is_postal_line,
    leads_to_postal,
)
from assay.redaction.rules.words import AMOUNT_AFTER
from assay.redaction.view import Range, View, compile_narrow

_SUFFIXES = (
    r"(?:Street|St|Avenue|Ave|Av|Road|Rd|Lane|Ln|Drive|Dr|Way|Boulevard|Blvd|Court|Ct|Place|Pl|"
    r"Square|Sq|Terrace|Ter|Hill|Walk|Drove|Gate|Close|Crescent|Cres|Parkway|Pkwy|Highway|Hwy|Row|"
    r"Mews|Grove|Gardens|Gdns|Circle|Cir|Trail|Trl|Alley|Quay|Wharf|Turnpike|Loop|Plaza|Parade|"
    r"Esplanade|Broadway|Rise|Vale|Mount|Fields|Crossing|Heights|Ridge|Run|Pass|Path)"
)
_SUFFIX = rf"\b(?:{_SUFFIXES}|{_SUFFIXES.upper()})\b"
_BY_ITSELF = frozenset(("broadway", "esplanade", "parade", "plaza", "mount", "quay", "square"))
"""A number may stand directly before these; the others need a name between."""

_BEFORE = re.compile(
    r"(?<![\w.,/#-])-?[0-9]{1,5}(?:1⁄2|[ ]?[-/][ ]?[0-9]{1,5})?[a-zA-Z]?,?[ ]"
    r"(?:(?:[NSEW]|NE|NW|SE|SW|North|South|East|West)\.?[ ])?"
    r"(?:(?:[A-ZÀ-Þ][\w'.-]*|[0-9]{1,3}(?:st|nd|rd|th)|the|of|de|la|THE|OF)[ ]){0,5}$"
)
_FLAT_BEFORE = re.compile(
    r"(?<!\w)(?:Flat|Apartment|Apt\.?|Unit|Suite)[ ]\#?"
    r"(?:[0-9]{1,4}[A-Za-z]?|[A-Z][0-9]{0,3}),?[ ]$"
)
_DIGIT = re.compile("[0-9]")
_CAPITALS = re.compile("[A-ZÀ-Þ]")
_NUMBERLESS = re.compile(r"(?:[A-ZÀ-Þ][\w'-]*[ ]){1,3}$")
_COMPASS = re.compile(r"\.?(?:[ ](?:NE|NW|SE|SW|[NSEW]|North|South|East|West)(?!\w))?")

_LAST = (
    r"(?:(?:(?i:straße|strasse|str\.)[ ]{0,2}|(?i:str)[ ]{1,2}|(?:(?i:gasse|allee|chaussee|"
    r"promenade|gürtel|straat|gracht|kade|singel|gatan|"
    r"vägen|gaten|veien|katu|tänav|utca|körút)|(?:WEG|PLATZ|RING|DAMM|UFER|LAAN|PLEIN)|(?:[Ww]eg|"
    r"[Pp]latz|[Rr]ing|[Dd]amm|[Uu]fer|"
    r"[Ss]teig|[Ww]all|[Ll]aan|[Pp]lein|[Dd]ijk|gata|gate|vej|gade|tie|kuja|polku|tee|vei|út|tér))"
    r"[ ]{1,2})[0-9])"
)
_COMPOUND = re.compile(
    rf"(?:(?:Alte|Neue|Große|Kleine|Obere|Untere|Lange|Hohe|Sankt|Sint|St\.|Oude|Nieuwe|Am|Im|"
    r"[Vv]an(?:[ ]de[rn]?)?|De|Den|Prins(?:es)?|Västra|Östra|Norra|Södra|Stora|Lilla|Gamla|Nya|"
    r"Koning(?:in)?|Eerste|Tweede|Derde|Graaf|"
    r"Burg(?:emeester|\.)(?:[ ]de)?|Dr\.|Ds\.|Mr\.|Jan|Ter|Ten)[ ]){0,2}"
    rf"[{CAPITAL}][\w'-]*$"
)
_SEPARATE = re.compile(
    rf"(?:(?!(?:Die|Der|Das|Diese|Eine|Unsere|Meine|Ihre|The|Een|Deze|Per|Zur|Auf|In|An)[ ])"
    rf"[{CAPITAL}][\w'.-]*[ -]){{1,2}}$"
)
_LOWER = re.compile(r"(?<!\w)[a-zäöüß-]{3,24}$")
_NO_STREET = re.compile(
    r"(?:haupt)?(?:land|einbahn|wasser|daten|ein|vor|see|schnell|bundes|auto|miet|privat)$"
)
"""What belongs to `…straße`, and to a `Straße` that stands by itself."""

_FIRST = (
    r"\b(?:(?:Calle|[Cc]/|C\.|Cl\.|Cr\.|Av(?:da|inguda|enida)?\.|[Aa]v(?:da|inguda|enida)|calle|"
    r"Plaza|plaza|Pl(?:aza)?\.|Plaça|Pza\.?|[Pp]aseo|Pº|Po\.|Passeig|Pg\.|Carrer|Rambla|Ronda|"
    r"Camino|Carretera|Ctra\.?|Carrera|Cra|Travesía|Glorieta|Urbanización|Urb\.|Polígono|"
    r"Costanilla|"
    r"[Vv]ia|V\.le|[Vv]iale|P\.(?:zza|za)|[Pp]iazza(?:le)?|[Cc]orso|C\.so|Vicolo|Largo|Contrada|"
    r"Strada|"
    r"Lungotevere|Lungarno|Galleria|Salita|Borgo|Località|Fraz(?:ione|\.)|"
    r"Rua|rua|Travessa|Travessera|Tv\.|Praça|Alameda|Estrada|Beco|Rotunda|Chaussée|Chemin|Quai|"
    r"Route|Allée|Impasse|"
    r"CALLE|AVENIDA|AVDA\.?|PLAZA|PASEO|VIALE|PIAZZA|CORSO|RUA|CAMINO|CARRETERA|LARGO|VIA|UL\.|"
    r"ul\.|al\.|os\.|pl\.|ulic[ay]|alej[ai]|osiedl[eu]|Rue|Straße[ ]de[rs]|Platz[ ]de[rs]|"
    r"Allee[ ]de[rs]|Weg[ ]de[rs]|Avenue|Boulevard|Place|Am|An[ ]der|Im|In[ ]der|Auf[ ]de[mr]|"
    r"Unter[ ]den|Hinter[ ]der|Zu[mr])[ ]{1,2})|"
    r"\b(?:[Cc]/|(?:Av(?:da)?|Pl|Urb|Ctra|Cl|C|ul|al|os)\.)"
)
_THEN_NUMBER = re.compile(
    rf"(?:(?:de|del|della|delle|degli|dei|dels|di|da|do|dos|das|la|las|los|el|els|y|i|e|des|du|"
    rf"den|der|[0-9]{{1,2}}\.|[0-9]{{1,2}}(?=[ ]d[ei][ ]))[ ]"
    rf"|(?:(?:[dl]|dell|sull|nell)')?[{CAPITAL}][\w'.-]*[ ,]{{1,2}}){{1,6}}"
    rf"(?:(?i:s/n|s\.n\.|snc)(?!\w)|(?i:km|p\.?k)\.?[ ]?[0-9]{{1,3}}(?:[.,][0-9]{{1,3}})?(?!\w)"
    rf"|(?:(?:nave|parcela|casa|[nN][o°.]{{1,2}}|núm(?:ero)?\.?|num\.?|nr\.?|civico)[ ]?)?"
    rf"{HOUSE}{HOUSE_MORE})"
    rf"|(?P<cross>[0-9]{{1,3}}[A-Z]?[ ]?\#[ ]?[0-9]{{1,3}}[A-Z]?[ ]?-[ ]?[0-9]{{1,3}})"
)
_THEN_STREET = re.compile(rf"[ ](?:[{CAPITAL}][\w'-]*[ ]){{1,4}}{_SUFFIXES}(?!\w)")
"""A number before this belongs to it: `Grand Plaza, 12 Main Street`."""

_MONTH = re.compile(
    r"[ ](?:d[ei][ ])?(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|"
    r"octubre|noviembre|diciembre|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|"
    r"novembre|dicembre|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|"
    r"dezembro)(?!\w)"
)
"""Behind a number, this makes it the day of a meeting at that place."""

_HOUSE_NUMBER = re.compile(HOUSE + HOUSE_MORE)
_LOOSE = frozenset(
    (
        "Am",
        "An",
        "Im",
        "In",
        "Auf",
        "Unter",
        "Hinter",
        "Zum",
        "Zur",
        "Avenue",
        "Boulevard",
        "Place",
        "Chemin",
        "Quai",
        "Route",
    )
)
"""These begin streets, and much else: a postal code must follow."""

_DUTCH = r"\b[1-9][0-9]{3}[ ][A-Z]{2}[ ]{1,2}[A-Z'\xc0-\xde]"
_DUTCH_STREET = re.compile(
    rf"(?:(?:[{CAPITAL}][\w'-]*\.?|de|den|der|van|'t)[ ]){{1,5}}(?:nr\.?[ ])?{HOUSE}{HOUSE_MORE}"
    r"(?:[ ][a-z]{1,8})?(?:,[ ]|[ ,]{0,2}\r?\n[ \t>]{0,6})$"
)
"""A postal code that nothing else has tells the street before it."""

_BLOCK = (
    r"\b(?:[A-Z]{1,2}-)?(?:[0-9]{5}|[0-9]{3}[ ][0-9]{2}|1[0-7][0-9]{2}|2[1-9][0-9]{2}|"
    r"[3-9][0-9]{3})[ ]{1,3}"  # no year
    r"[A-Z?\xc0-\xde]"
)
_BLOCK_STREET = re.compile(
    rf"(?:\A|\n)[ \t>|]{{0,6}}(?P<street>(?:(?:[{CAPITAL}][\w'.-]*|[a-zà-ÿ]{{1,4}})[ ]){{1,5}}"
    rf"{HOUSE}{HOUSE_MORE})[ ,]{{0,2}}\r?\n[ \t>|]{{0,6}}$"
)
"""A line of a name and a number, above one of a postal code and a place, is a street."""

_NO_STREET_LINE = re.compile(
    r"(?i)\b(?:seiten?|pages?|art(?:ikel|icle)?|abs(?:atz)?|kapitel|chapter|section|nr|no|num|"
    r"rechnung|invoice|order|bestellung|pos(?:ition)?|version|tel|fax|raum|room|zimmer|saldo|summe|"
    r"total|figure|table|tabelle|schritt|step|item|punkt|question|teil|part|vol|band|kunde|"
    r"vertrag|police|policy|schaden|claim|konto|account|top|los|lot|january|february|march|april|"
    r"may|june|july|august|september|october|november|december|januar|februar|märz|mai|juni|juli|"
    r"oktober|dezember|janvier|enero|gennaio)\b"
)

_FRENCH = (
    r"\b[0-9]{1,4}(?:[-/][0-9]{1,4})?(?:[ ]?(?:bis|ter|quater|[A-Za-z]))?,?[ ](?i:rue|avenue|av\.|"
    r"boulevard|bd\.?|bld\.?|place|pl\.|chemin|ch\.|allée|impasse|imp\.|quai|route|rte|cours|"
    r"passage|"
    r"sentier|faubourg|fbg\.?|ruelle|esplanade|montée|traverse|square|résidence|rond-point)[ ]"
)
_FRENCH_NAME = re.compile(
    rf"(?:(?:de|du|des|la|le|les|et|à|aux|sur|sous)[ ]|"
    rf"(?!(?:Apt|Suite|Unit|Box)\b)(?:[dl]')?(?:St\.|{NAME}|[0-9][\w'-]*)[ ]?){{1,7}}"
)

_BOX = (
    r"\b(?:(?:G\.?)?P\.?[ ]?O\.?[ ]?B(?:ox|OX|\.)|POB|POSTFACH|Post[ ]Office[ ]Box|Postfach|"
    r"Postbus|"
    r"Apartado(?:[ ]de[ ][Cc]orreos)?|"
    r"[Bb]oîte[ ]postale|BP|[Cc]ase[ ]postale|Casella[ ]postale|(?:PSC|Unit|"
    r"CMR)[ ][0-9]{1,5},?[ ]Box)"
    r"[ ]?[0-9][0-9 ]{0,8}"
)

_CODE = re.compile(POSTAL)
_POSTAL_NEXT = re.compile(
    rf"[ ]?(?:,[ ]?|,?[ ]?\r?\n[ \t>|]{{0,6}})(?:{POSTAL})[ ]{{1,2}}[{CAPITAL}]"
)
_LABEL = (
    r"\b(?i:address|anschrift|adresse|wohnhaft|dirección|domicilio|indirizzo|lives[ ](?:at|in|on))"
    r"(?:[ ]?:|[ ](?:is|in|at|ist|lautet|es|est)[ :])?\s{1,4}"
)
_LABELLED = re.compile(
    rf"(?:(?:[0-9]{{1,6}}[A-Za-z]?(?![\w.:/])|[{CAPITAL}][\w'-]*\.?|de|del|la|di|da|do|der|den|"
    r"van|am)(?:,?[ ]{1,2}|,?$)){2,16}"
)
_WORDS = compile_narrow(
    "|".join(
        f"({kind})" for kind in (_LABEL, _BOX, _FRENCH, _LAST, _FIRST, _SUFFIX, _DUTCH, _BLOCK)
    )
)
"""Every word that tells a street, in one pass; which kind it is, is told by the group."""


def find_addresses(view: View) -> Iterator[Range]:
    """Address lines in order."""
    text = view.text
    readers = (
        _labelled_range,
        _box,
        _french,
        _number_last,
        _prefixed_street,
        _number_first,
        _before_postal,
        _above_postal,
    )
    reached = 0
    for match in view.find(_WORDS):
        reader = next(read for group, read in enumerate(readers, 1) if match.start(group) >= 0)
        street = reader(text, *match.span())
        if street is None or street[0] < reached:
            continue
        stop = find_tail_end(text, street[1])
        below = text[stop : stop + 2].startswith((",", "\r", "\n", " ", "\t"))
        stop -= len(text[street[0] : stop]) - len(text[street[0] : stop].rstrip(" ,"))
        yield street[0], stop
        reached = stop
        for line in find_lines_below(text, _skip(text, stop)) if below else ():
            yield line
            reached = line[1]


def _skip(text: str, at: int) -> int:
    """Behind a comma that ends a line."""
    return at + 1 if text[at : at + 1] == "," else at


def _labelled_range(text: str, _: int, stop: int) -> Range | None:
    """What a label announces: capitalised words and numbers, some of each."""
    line = _LABELLED.match(text, stop, find_line_end(text, stop))
    if line is None or not (_DIGIT.search(line[0]) and _CAPITALS.search(line[0])):
        return None
    return stop, stop + len(line[0].rstrip(" ,"))


def _box(_: str, start: int, stop: int) -> Range | None:
    return start, stop


def _line_before(text: str, at: int) -> tuple[str, int]:
    begin = max(text.rfind("\n", max(0, at - REACH), at) + 1, at - REACH, 0)
    return text[begin:at], begin


def _number_first(text: str, start: int, stop: int) -> Range | None:
    if text[stop : stop + 1].isalnum() or text[max(0, start - 1) : start].isalnum():
        return None  # `St` of `Stück`: letters beyond ASCII end a word for the pattern
    before, begin = _line_before(text, start)
    compass = _COMPASS.match(text, stop)
    end = compass.end() if compass else stop
    street = _BEFORE.search(before) if _DIGIT.search(before) else None
    if street and not _has_name(street[0]) and text[start:stop].lower() not in _BY_ITSELF:
        return None
    if street:
        flat = _FLAT_BEFORE.search(before[: street.start()])
        return begin + (flat or street).start(), end
    if _DIGIT.search(text, end, find_line_end(text, end)) is None:
        return None
    street = _NUMBERLESS.search(before)
    if street and leads_to_postal(text, end):
        return begin + street.start(), end
    return None


def _has_name(street: str) -> bool:
    words = street.split()[1:]
    return any((word.isalpha() and len(word) > 1) or word[:1].isdigit() for word in words)


def _number_last(text: str, start: int, stop: int) -> Range | None:
    before, begin = _line_before(text, start)
    alone = text[start].isupper() and not before[-1:].isalpha()
    words = (_SEPARATE if alone else _COMPOUND).search(before)
    house = _HOUSE_NUMBER.match(text, stop - 1)
    if house is None or is_amount(text, stop - 1):
        return None
    if words is None and not alone and text.startswith("str", start):
        words = _LOWER.search(before)
        if words and (_NO_STREET.search(words[0]) or len(house[0]) > 3):
            return None
    return (begin + words.start(), house.end()) if words else None


def _prefixed_street(text: str, start: int, stop: int) -> Range | None:
    end = min(stop + REACH, find_line_end(text, stop))
    street = _THEN_NUMBER.match(text, stop, end)
    if street is None or _MONTH.match(text, street.end(), end):
        return None
    if AMOUNT_AFTER.match(text, street.end()) or _THEN_STREET.match(text, street.end(), end):
        return None
    loose = text[start:stop].split(" ", 1)[0] in _LOOSE
    if loose and not _POSTAL_NEXT.match(text, street.end(), street.end() + REACH):
        return None
    if text.startswith(("via ", "VIA "), start) and not text.endswith(
        ("in ", "In ", "IN "), 0, start
    ):
        after = find_tail_end(text, street.end())  # an English word, too: `via Paris 12 times`
        return (start, street.end()) if _CODE.search(text, street.end(), after) else None
    return start, street.end()


def _before_postal(text: str, start: int, _: int) -> Range | None:
    before, begin = _line_before(text, start)
    if not before.strip(" \t>"):  # the street may be the line above
        before, begin = text[max(0, start - REACH) : start], max(0, start - REACH)
    street = _DUTCH_STREET.search(before)
    return (begin + street.start(), start) if street else None


def _above_postal(text: str, start: int, _: int) -> Range | None:
    line, _begin = _line_before(text, start)
    if line.strip(" \t>|") or not is_postal_line(text, start):
        return None
    begin = max(0, start - REACH)
    street = _BLOCK_STREET.search(text[begin:start])
    if street is None or _NO_STREET_LINE.search(street["street"]):
        return None
    if begin and street.start("street") == 0:
        return None  # the middle of a longer line
    return begin + street.start("street"), start


def _french(text: str, start: int, stop: int) -> Range | None:
    name = _FRENCH_NAME.match(text, stop, stop + REACH)
    if name is None:
        return None
    street = name[0].rstrip()
    if AMOUNT_AFTER.match(text, stop + len(street)):
        street = street.rstrip("0123456789").rstrip()
    return (start, stop + len(street)) if street else None
