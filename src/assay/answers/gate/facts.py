"""The numbers and dates of one chunk, to look those of an answer up in.

In      the text of a chunk; quantities and dates of an answer
Out     whether the chunk holds them, and else what is missing: the number or what belongs to it
Pure    yes; linear in the chunk, a look-up for each number
Spec    004 P2.2; 005-A3; interfaces.md, "Answers"

A number with a unit needs its value in that unit, or in one that converts to it exactly. Where
the chunk gives the bare number, the unit must be named somewhere in the chunk. A number without
a unit needs its value, in whatever unit the chunk gives it but a percentage.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, NamedTuple

from assay.answers.gate.addresses import Address, addresses, is_known
from assay.answers.gate.amounts import Reading as Amount
from assay.answers.gate.comparators import EQUAL, bounds_of, is_implied
from assay.answers.gate.currencies import CODES, NAMES, SIGNS
from assay.answers.gate.dates import Dated, Reading, dates, months_named, weekday_of
from assay.answers.gate.digits import Value, fold_digits
from assay.answers.gate.numbers import quantities
from assay.answers.gate.quantity import TIMES, Quantity
from assay.answers.gate.units import AGE_WORDS, SYMBOLS, WORDS, Unit

_ANY_NOUN: Final = ""
_DAY: Final = Unit("day of a date")
_YEARS: Final = Unit("months", Fraction(12))
_PARTED_NAME = re.compile(r"(?<![\w-])([^\W\d_]{2,40}) (\d{1,9})(?![\w.,-])")
_LETTER_WORD = re.compile(r"[^\W\d_]+")
_SIGN: Final = re.compile(rf"[{SIGNS}%‰°]")
_LIMITED_ONE = re.compile(
    r"(?<!\w)(?:(?:within|after|by|for|innerhalb|binnen|um|nach|seit|dans|en|sous|pour|entro|dopo"
    r"|binnen|na|em|dentro de) (?:an?|eine[mnrs]?|ein|une?|una?|uno|uma?|een|one)"
    r"|один|одного|одну|одной) ([^\W\d_]{2,20})(?!\w)",
    re.IGNORECASE,
)
"""A span of one unit that something takes: `within a week`."""

_ONE_UNIT = re.compile(
    r"(?<!\w)(?:один|одного|одну|одной|one|an?|eine[mnrs]?|ein|une?|una|uno|uma?|een|each|every"
    r"|per)(?= ([^\W\d_]{2,20})(?!\w))",
    re.IGNORECASE,
)
Fault = Literal["number", "unit"]


class Fact(NamedTuple):
    """One occurrence of a value in a chunk."""

    unit: Unit | None
    bounds: frozenset[str]
    per: Unit | None
    noun: str | None = None


@dataclass(frozen=True, slots=True)
class FactIndex:
    """The numbers, dates and addresses of one chunk."""

    values: dict[Value, set[Fact]]
    """By value as it is written, scale included."""

    measures: dict[tuple[str, Fraction], set[Fact]]
    """By dimension and value in its base unit."""

    units: frozenset[Unit]
    """Units that the chunk names anywhere."""

    counts: dict[tuple[str, bool], set[Value]]
    """By noun (and whether in order, as in `third attempt`), what the chunk counts it as."""

    dates: tuple[Reading, ...]
    weekdays: frozenset[int]
    words: frozenset[str]
    """Its words with letters in them, case folded."""

    addresses: frozenset[str]

    def fault_of(self, quantity: Quantity) -> Fault | None:
        """What the chunk lacks of *quantity*; None when it holds all of it."""
        if quantity.weight == "loose":
            return None
        if quantity.weight == "hint":
            return self._contradicts(quantity)
        candidates = [fact for reading in quantity.readings for fact in self._facts(reading)]
        agreeing = [fact for fact in candidates if _agrees(quantity, fact)]
        if agreeing:
            return self._contradicts(quantity) if _count_others(agreeing, quantity) else None
        return "unit" if candidates or self._measures_otherwise(quantity) else "number"

    def _facts(self, reading: Amount) -> Iterator[Fact]:
        """The occurrences in the chunk that *reading* may be."""
        value, unit = reading
        bare = self.values.get(value, ())
        if unit is None:
            yield from (fact for fact in bare if fact.unit is None or not _is_share(fact.unit))
            if isinstance(value, Fraction) and 0 < value < 1:
                yield from self.measures.get(("%", value), ())
        elif isinstance(value, Fraction):
            yield from self.measures.get((unit.dimension, unit.base(value)), ())
            if self._names(unit):
                yield from (fact for fact in bare if fact.unit is None)
        else:
            yield from (fact for fact in bare if fact.unit == unit)
            if self._names(unit):
                yield from (fact for fact in bare if fact.unit is None)

    def _names(self, unit: Unit) -> bool:
        return unit in self.units or (unit == _YEARS and not AGE_WORDS.isdisjoint(self.words))

    def _contradicts(self, quantity: Quantity) -> Fault | None:
        """Whether the chunk counts the same noun, and never as *quantity* does."""
        if quantity.noun is None:
            return None
        counted = self.counts.get((quantity.noun, quantity.ordinal))
        elsewhere = self.counts.get((_ANY_NOUN, quantity.ordinal), set())
        if counted is None or any(r.value in counted | elsewhere for r in quantity.readings):
            return None
        return "number"

    def _measures_otherwise(self, quantity: Quantity) -> bool:
        """Whether the chunk has the value, in another unit of measure."""
        return any(
            reading.unit is not None
            and not reading.unit.is_money
            and not _is_share(reading.unit)
            and any(
                fact.unit is None or not (fact.unit.is_money or _is_share(fact.unit))
                for fact in self.values.get(reading.value, ())
                if fact.unit != _DAY
            )
            for reading in quantity.readings
        )

    def has_span(self, unit: Unit) -> bool:
        """Whether the chunk has a span of one *unit*, in whatever unit."""
        return (unit.dimension, unit.base(Fraction(1))) in self.measures

    def has_date(self, date: Dated) -> bool:
        """Whether the chunk says all that *date* says."""
        return any(
            self._has_weekday(mine)
            if mine.month is None and mine.year is None
            else any(mine.is_implied_by(theirs) for theirs in self.dates)
            for mine in date.readings
        )

    def _has_weekday(self, reading: Reading) -> bool:
        return reading.weekday in self.weekdays

    def has_address(self, address: Address) -> bool:
        """Whether the chunk has this address of mail or web."""
        return is_known(address, self.addresses)


def _is_share(unit: Unit) -> bool:
    return unit.dimension in {"%", "percentage points", "basis points"}


def _agrees(quantity: Quantity, fact: Fact) -> bool:
    if fact.unit == _DAY and not quantity.ordinal:
        return False
    same_rate = quantity.per is None or fact.per is None or quantity.per == fact.per
    return same_rate and is_implied(quantity.bounds, fact.bounds)


def _count_others(facts: Iterable[Fact], quantity: Quantity) -> bool:
    """Whether the chunk has a bare number only with units and other nouns: `30 days`."""
    return quantity.is_bare and all(
        fact.unit is not None or (fact.noun is not None and fact.noun != quantity.noun)
        for fact in facts
    )


def limited_spans(text: str) -> Iterator[tuple[int, int, Unit]]:
    """Spans of time of one unit that *text* limits something by: place and unit.

    Example:
        >>> [unit.dimension for _, _, unit in limited_spans("Reply within a week.")]
        ['days']
    """
    folded = fold_digits(text)
    for match in _LIMITED_ONE.finditer(folded):
        units = WORDS.get(match[1].casefold(), ())
        if len(units) == 1 and units[0].dimension in {"days", "months"}:
            yield match.start(1), match.end(1), units[0]


def index_facts(text: str, language: str | None = None) -> FactIndex:
    """Read one chunk.

    Args:
        text: Its text.
        language: By whose habits its numbers are read; guessed when absent.
    """
    found = tuple(dates(text))
    values: dict[Value, set[Fact]] = {}
    measures: dict[tuple[str, Fraction], set[Fact]] = {}
    counts: dict[tuple[str, bool], set[Value]] = {}
    weekdays = set()
    for reading in (reading for date in found for reading in date.readings):
        if reading.year is not None:
            values.setdefault(Fraction(reading.year), set()).add(Fact(None, EQUAL, None))
        if reading.day is not None:
            values.setdefault(Fraction(reading.day), set()).add(Fact(_DAY, EQUAL, None))
        weekdays |= {reading.weekday, weekday_of(reading)} - {None}
    for quantity in quantities(text, found, language):
        _add_facts(quantity, values, measures, counts)
    folded = fold_digits(text)
    for match in _PARTED_NAME.finditer(folded):  # `covid 19` is `COVID-19`, written apart
        name = f"{match[1].casefold()}{match[2]}"
        values.setdefault(name, set()).add(Fact(None, EQUAL, None))
    for unit, bounds in _single_units(folded):
        measures.setdefault((unit.dimension, unit.base(Fraction(1))), set()).add(
            Fact(unit, bounds, None)
        )
    return FactIndex(
        values=values,
        measures=measures,
        units=frozenset(_units_named(folded)),
        counts=counts,
        dates=(*(reading for date in found for reading in date.readings), *months_named(folded)),
        weekdays=frozenset(day for day in weekdays if day is not None),
        words=frozenset(_LETTER_WORD.findall(folded.casefold())),
        addresses=frozenset(form for each in addresses(text) for form in each.forms),
    )


def _add_facts(
    quantity: Quantity,
    values: dict[Value, set[Fact]],
    measures: dict[tuple[str, Fraction], set[Fact]],
    counts: dict[tuple[str, bool], set[Value]],
) -> None:
    for value, unit in quantity.readings:
        fact = Fact(unit, quantity.bounds, quantity.per, quantity.noun)
        values.setdefault(value, set()).add(fact)
        for whole in _wholes_of(value) if isinstance(value, str) else ():
            values.setdefault(whole, set()).add(fact)
        if unit is not None and isinstance(value, Fraction):
            measures.setdefault((unit.dimension, unit.base(value)), set()).add(fact)
        elif unit is None and isinstance(value, Fraction) and 0 < value < 1:
            measures.setdefault(("%", value), set()).add(fact)
        if unit is not None and unit.dimension == TIMES:
            counts.setdefault((TIMES, False), set()).add(value)
        if quantity.ordinal:
            counts.setdefault((_ANY_NOUN, True), set()).add(value)
        if quantity.noun is not None:
            counts.setdefault((quantity.noun, quantity.ordinal), set()).add(value)


def _wholes_of(name: str) -> Iterator[Value]:
    """What a time or a clause lies in: 14:25:08 in 14:25, 6(1)(a) in 6(1) and 6."""
    if name.count(":") == 2:
        yield name.rpartition(":")[0]
    while name.endswith(")") and "(" in name:
        name = name.rpartition("(")[0]
        yield Fraction(name) if name.isdecimal() and len(name) < 10 else name


def _single_units(folded: str) -> Iterator[tuple[Unit, frozenset[str]]]:
    """`within a year` is within one year."""
    for match in _ONE_UNIT.finditer(folded):
        for unit in WORDS.get(match[1].casefold(), ()):
            yield unit, bounds_of(folded, match.start(), match.end(1))


def _units_named(folded: str) -> Iterator[Unit]:
    for word in set(_LETTER_WORD.findall(folded)) | set(_SIGN.findall(folded)):
        key = word.casefold()
        for table, name in ((SYMBOLS, word), (WORDS, key), (CODES, word), (NAMES, key)):
            yield from table.get(name, ())
