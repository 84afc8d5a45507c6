"""Numbers, amounts and percentages, equal however they are written.

In      a text
Out     its quantities: readings, unit, place; an index to look them up in
Pure    yes; looks a bounded way around each digit
Spec    004 P2.2; interfaces.md, "Answers" (separators, currency signs, percent)

`1.234` may be a thousand or a decimal: it has two readings, and one in common is enough. A
unit (a currency or percent) must be the chunk's: there beside the number, or, where the chunk
gives the bare number, somewhere in the chunk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple
from unicodedata import numeric

from assay.answers.gate.dates import Dated, Reading, dates
from assay.answers.gate.number_words import number_words

_CURRENCIES: Final = {
    "EUR": "€ eur euro euros",
    "USD": "$ us$ usd dollar dollars us-dollar dólar dólares dollarn",
    "GBP": "£ gbp pound pounds pfund libra libras sterling",
    "CHF": "chf sfr franken franc francs franco francos",
    "JPY": "¥ jpy yen yenes",
    "INR": "₹ inr rupee rupees rupien rupias",
    "MXN": "mxn",
    "PESO": "peso pesos",
    "CAD": "cad",
    "AUD": "aud",
    "CNY": "cny rmb yuan",
    "SEK": "sek",
    "NOK": "nok",
    "DKK": "dkk",
    "PLN": "pln zł złoty zloty",
    "CZK": "czk",
    "HUF": "huf",
    "CENT": "cent cents cent. céntimo céntimos centavo centavos",
}
_PERCENT: Final = ("%", "percent", "per cent", "prozent", "por ciento", "v.h.", "v. h.", "pct")
_UNITS: Final = {
    **dict.fromkeys(_PERCENT, "%"),
    **{word: code for code, words in _CURRENCIES.items() for word in words.split()},
}
_SCALES: Final = {
    "thousand": (10**3,),
    "tausend": (10**3,),
    "tsd": (10**3,),
    "mil": (10**3,),
    "mil millones": (10**9,),
    "k": (10**3,),
    "million": (10**6,),
    "millions": (10**6,),
    "millionen": (10**6,),
    "mio": (10**6,),
    "mn": (10**6,),
    "millón": (10**6,),
    "millones": (10**6,),
    "billion": (10**9, 10**12),
    "billions": (10**9,),
    "bn": (10**9,),
    "milliarde": (10**9,),
    "milliarden": (10**9,),
    "mrd": (10**9,),
    "billionen": (10**12,),
    "trillion": (10**12,),
}
_SPACE = "[ \u00a0\u202f\u2009]"


def _alternatives(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_CORE = re.compile(
    rf"\d{{1,3}}(?:{_SPACE}\d{{3}})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,'’]\d+)*[¼½¾⅓⅔]?|[¼½¾⅓⅔⅛⅜⅝⅞]"
)
_GROUPED = re.compile(_SPACE)
_BEFORE = re.compile(
    rf"(?:(?<!\w)({_alternatives(word for word in _UNITS if len(word) < 5)}){_SPACE}?)?([-−–]?)\Z",
    re.I,
)
_HEAD = re.compile(r"(?<![\w-])[^\W_]*[^\W\d_][^\W_]*[-–]?\Z")
_TAIL = re.compile(r"[^\W_]*(?:-[^\W_]+)*")
_AFTER = re.compile(
    rf"(?:{_SPACE}?-?({_alternatives(_SCALES)})\.?(?![^\W\d_]))?"
    rf"(?:{_SPACE}?(?:de{_SPACE})?-?({_alternatives(_UNITS)})(?![^\W\d_]))?",
    re.I,
)
_NAMED = re.compile(rf"(?<![\w-])([^\W\d_]*[A-Z][^\W\d_]*){_SPACE}\Z")
"""A name before a number: `COVID 19` is `COVID-19`, written apart."""
_ORDINAL = re.compile(r"(?:st|nd|rd|th|º|ª|\.º)(?!\w)|\.(?=\s+[a-zäöü])")
_TIME = re.compile(
    r"([01]?\d|2[0-4])"
    r"(?:(?:[:.]([0-5]\d))?[ \u00a0]?(a\.?m\b\.?|p\.?m\b\.?|uhr\b|o['’]clock\b|h\b)"
    r"|:([0-5]\d)(?!\d))",
    re.I,
)
_WINDOW: Final = 28
_COUNTED: Final = re.compile(
    r"[ \u00a0-](?:[^\W\d_]+[ \u00a0])?"
    r"(?:days?|weeks?|months?|years?|hours?|minutes?|seconds?|times|people|persons|members|"
    r"tag(?:e|en|es)?|wochen?|monat(?:e|en|s)?|jahr(?:e|en|es)?|stunden?|minuten?|sekunden?|mal|"
    r"personen|mitglieder[n]?|"
    r"días?|semanas?|mes(?:es)?|años?|horas?|minutos?|segundos?|veces|personas|miembros|"
    r"(?:kilo|centi|zenti|milli)?met(?:er|ern|ers|re|res)|meilen?|miles?|(?:kiló|centí|milí)?metros?|"
    r"degrees?|grad|grados)(?![^\W\d_])",
    re.I,
)
"""What makes a small number word a quantity: `two weeks`, but not `two of them`."""

_SMALL: Final = 12


class Quantity(NamedTuple):
    """One number in a text."""

    start: int
    stop: int
    readings: frozenset[Decimal | str]
    """Values it may stand for; text for an identifier (`covid19`), a time or a version."""

    unit: str | None
    """A currency's code, `%`, or None."""

    ordinal: bool = False
    loose: bool = False
    """A small number word: counted as a fact only where a unit follows."""


def is_unit(word: str) -> bool:
    """Whether *word* is a currency or percent: no name, however it is written."""
    return word.casefold() in _UNITS


def quantities(text: str, dated: Iterable[Dated] = ()) -> Iterator[Quantity]:
    """The quantities of *text*, outside the places of *dated*.

    Example:
        >>> [(sorted(map(str, q.readings)), q.unit) for q in quantities("€5,300.25, 12 % of B52")]
        [(['5300.25'], 'EUR'), (['12'], '%'), (['b52'], None)]
    """
    spans = sorted({(date.start, date.stop) for date in dated})
    taken: list[tuple[int, int]] = []
    place = done = 0
    for match in _CORE.finditer(text):
        start, stop = match.span()
        while place < len(spans) and spans[place][1] <= start:
            place += 1
        if start < done or (place < len(spans) and spans[place][0] < stop):
            continue
        found = _identifier(text, start, stop) or _time(text, start) or _amount(text, match)
        done = max(stop, found.stop)
        taken.append((found.start, found.stop))
        yield found
    yield from _words(text, sorted([*spans, *taken]))


def _identifier(text: str, start: int, stop: int) -> Quantity | None:
    """`COVID-19`, `I-130`, `B52`: letters first; currencies and words (`under-18`) are none."""
    if start == 0 or not (text[start - 1].isalpha() or text[start - 1] in "-–"):
        return None
    head = _HEAD.search(text, max(0, start - _WINDOW), start)
    if head is None:
        return None
    letters = head[0].rstrip("-–0123456789")
    if letters.lower() in _UNITS or (head[0][-1] in "-–" and letters.islower()):
        return None
    tail = _TAIL.match(text, stop)
    end = tail.end() if tail else stop
    word = text[head.start() : end].replace("-", "").replace("–", "").casefold()
    return Quantity(head.start(), end, frozenset({word}), None)


def _time(text: str, start: int) -> Quantity | None:
    match = _TIME.match(text, start)
    if match is None or (start and text[start - 1] in ":.,"):
        return None
    hour, minute = int(match[1]), int(match[2] or match[4] or 0)
    half = (match[3] or "").lower()[:1]
    if half == "p":
        hours = [hour % 12 + 12]
    elif half == "a":
        hours = [hour % 12]
    elif half in {"u", "h"} or hour > 12:
        hours = [hour]
    else:
        hours = [hour % 12, hour % 12 + 12]
    readings = frozenset(f"{number % 24}:{minute:02d}" for number in hours)
    return Quantity(start, match.end(), readings, None)


def _amount(text: str, match: re.Match[str]) -> Quantity:
    start, stop = match.span()
    before = _BEFORE.search(text[max(0, start - _WINDOW) : start])
    after = _AFTER.match(text, stop, stop + _WINDOW)
    unit = sign = None
    if before is not None:
        unit, sign = before[1], before[2]
        if sign and unit is None:
            signed = start - len(sign)
            free = signed == 0 or text[signed - 1] in " \u00a0\n([$€£"
            sign = sign if free else None
    scales = _SCALES[after[1].lower()] if after and after[1] else (1,)
    unit = (after[2] if after and after[2] else None) or unit
    end = after.end() if after else stop
    ordinal = _ORDINAL.match(text, stop) is not None
    values = frozenset(
        (-value if sign else value) * scale if isinstance(value, Decimal) else value
        for value in _readings(match[0])
        for scale in scales
    )
    named = _NAMED.search(text, max(0, start - _WINDOW), start) if match[0].isdecimal() else None
    if named is not None:
        values |= {f"{named[1].casefold()}{match[0]}"}
    return Quantity(start, end, values, _UNITS[unit.lower()] if unit else None, ordinal)


def _readings(core: str) -> set[Decimal | str]:
    """What a number may stand for, by its separators."""
    if core[-1] in "¼½¾⅓⅔⅛⅜⅝⅞":
        part = Decimal(str(round(numeric(core[-1]), 6)))
        return {(Decimal(core[:-1]) if core[:-1].isdecimal() else Decimal(0)) + part}
    plain = _GROUPED.sub("", core).replace("'", "").replace("’", "")
    signs = [sign for sign in plain if sign in ".,"]
    if not signs:
        return {Decimal(plain)}
    parts = re.split("[.,]", plain)
    if len(set(signs)) == 1 and len(signs) > 1:
        grouped = all(len(part) == 3 for part in parts[1:]) and len(parts[0]) <= 3
        return {Decimal("".join(parts))} if grouped else {plain}
    if len(signs) == 1:
        decimal = Decimal(f"{parts[0]}.{parts[1]}")
        groups = len(parts[1]) == 3 and len(parts[0]) <= 3 and parts[0].lstrip("0") != ""
        return {decimal, Decimal("".join(parts))} if groups and plain == core else {decimal}
    if signs[-1] in signs[:-1]:
        return {plain}
    return {Decimal("".join(parts[:-1]) + "." + parts[-1])}


def _words(text: str, taken: list[tuple[int, int]]) -> Iterator[Quantity]:
    place = 0
    for word in number_words(text):
        while place < len(taken) and taken[place][1] <= word.start:
            place += 1
        if place < len(taken) and taken[place][0] < word.stop:
            continue
        after = _AFTER.match(text, word.stop, word.stop + _WINDOW)
        unit = _UNITS[after[2].lower()] if after and after[2] else None
        scales = _SCALES[after[1].lower()] if after and after[1] else (1,)
        counted = unit is not None or _COUNTED.match(text, word.stop, word.stop + 2 * _WINDOW)
        yield Quantity(
            word.start,
            word.stop,
            frozenset(Decimal(word.value * scale) for scale in scales),
            unit,
            word.ordinal,
            loose=scales == (1,)
            and (word.value <= 1 or word.ordinal or (word.value <= _SMALL and not counted)),
        )


@dataclass(frozen=True, slots=True)
class FactIndex:
    """The numbers and dates of one chunk, to look those of an answer up in."""

    values: dict[Decimal | str, set[str | None]]
    """Value -> units it stands with; `day` for the day of a date."""

    units: frozenset[str]
    """Units that the chunk names anywhere."""

    dates: tuple[Reading, ...]
    words: frozenset[str]
    """Its words with letters in them, case folded: for identifiers written apart."""

    def has(self, quantity: Quantity) -> bool:
        """Whether the chunk holds *quantity*."""
        return any(self._has(value, quantity) for value in quantity.readings)

    def _has(self, value: Decimal | str, quantity: Quantity) -> bool:
        units = self.values.get(value)
        if units is None:
            return isinstance(value, str) and self._has_parted(value)
        if quantity.unit is None:
            return units != {_DAY} or quantity.ordinal or quantity.loose
        return quantity.unit in units or (None in units and quantity.unit in self.units)

    def _has_parted(self, identifier: str) -> bool:
        """`covid19` where the chunk writes `COVID 19`."""
        letters = identifier.rstrip("0123456789")
        number = identifier[len(letters) :]
        return bool(number) and letters in self.words and Decimal(number) in self.values

    def has_date(self, date: Dated) -> bool:
        """Whether the chunk says all that *date* says."""
        return any(mine.is_implied_by(theirs) for mine in date.readings for theirs in self.dates)


_DAY: Final = "day"
_LETTER_WORD = re.compile(r"[^\W\d_]+")
_SIGNS: Final = frozenset("€$£¥₹%")


def index_facts(text: str) -> FactIndex:
    """Read one chunk."""
    found = tuple(dates(text))
    values: dict[Decimal | str, set[str | None]] = {}
    for date in found:
        for reading in date.readings:
            if reading.year is not None:
                values.setdefault(Decimal(reading.year), set()).add(None)
            if reading.day is not None:
                values.setdefault(Decimal(reading.day), set()).add(_DAY)
    for quantity in quantities(text, found):
        for value in quantity.readings:
            values.setdefault(value, set()).add(quantity.unit)
        written = text[quantity.start : quantity.stop]
        for part in _GROUPED.split(written) if _GROUPED.search(written) else ():
            if part.isdecimal():
                values.setdefault(Decimal(part), set()).add(None)
    words = frozenset(_LETTER_WORD.findall(text.casefold()))
    signs = {sign for sign in _SIGNS if sign in text}
    return FactIndex(
        values=values,
        units=frozenset(_UNITS[word] for word in (words & _UNITS.keys()) | signs),
        dates=tuple(reading for date in found for reading in date.readings),
        words=words,
    )
