"""Dates, written and numeric, in the languages of the Union and some more.

In      a text
Out     places and readings of its dates
Pure    yes; no calendar but the days of the week
Spec    004 P2.2; 005-A3; interfaces.md, "Answers" (written months)

A date is what it says: a month with a day, a year or both, a quarter with its year, a day of the
week. `03/04/2024` is read both ways round; with dots the day stands first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from assay.answers.gate.day_words import day_beside
from assay.answers.gate.digits import fold_digits
from assay.answers.gate.months import (
    MONTH_PATTERN,
    MONTHS,
    QUARTER_PATTERN,
    QUARTERS,
    WEEKDAY_PATTERN,
    WEEKDAYS,
)
from assay.answers.gate.units import SYMBOLS, WORDS

_DAY = r"\d{1,2}(?:st|nd|rd|th|º|ª|\.º|er|re|:e)?"
_TO = r"\s?(?:-|–|—|/|to|and|bis|und|al|a|y|au|et|e|do|tot|en|,)\s?"
_OF = r"(?:\s{0,3}(?:of|de|del|di)\s{1,3}(?:the\s+)?)?"
_YEAR = (
    r"(?:(?:,?\s{{1,3}}(?:(?:of|de|del|di)\s{{1,3}})?|[-./]|\s?(?=')|(?<=[^\W\d_]))"
    r"(?P<{name}>[12]\d{{3}}|'\d\d)(?!\d|[-/.]\d))"
)
_QUARTER_NOUN = "quarter|quartals?|trimestre|kwartał|kwartaal"
_Q = (
    r"\bQ\s?[1-4]|\b[1-4]Q|\bT[1-4](?=,?\s[12]\d{3})"
    rf"|(?:[1-4](?:\.|e|er|º|st|nd|rd|th)?|{QUARTER_PATTERN})\s(?:{_QUARTER_NOUN})"
)
_QUARTER = re.compile(
    rf"(?<!\w)(?:(?:{_Q})(?![^\W\d])"
    rf"(?:,?\s{{1,3}}(?:(?:of|de|del|di|von)\s)?(?P<year>[12]\d{{3}})|[/ ]?'?(?P<two>\d\d))?(?!\d)"
    rf"|(?P<first>[12]\d{{3}})[ -]?Q(?P<q>[1-4])(?!\w))",
    re.IGNORECASE,
)
_BEHIND = re.compile(r"[ \u00a0\u202f]?([^\W\d_]{1,20}|[%°])")
"""What stands behind digits: a unit makes them an amount."""

_DATE = re.compile(
    rf"(?P<iso>(?<![\d/.-])[12]\d{{3}}(?P<sep>[-/.])\d{{1,2}}(?P=sep)\d{{1,2}}(?!\d|[./]\d))"
    rf"|(?P<compact>(?<![\d/.,+-])(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?![\d-]|[.,]\d))"
    rf"|(?P<cjk>(?:(?<!\d)[12]\d{{3}}[年년]\s?)?(?<!\d)\d{{1,2}}[月월](?:\s?\d{{1,2}}[日일号])?)"
    rf"|(?P<cjk2>(?<!\d)[12]\d{{3}}[年년]\s?\d{{1,2}}[月월](?:\s?\d{{1,2}}[日일号])?)"
    rf"|(?P<numeric>(?<![\d.,/])\d{{1,2}}(?P<sep2>[./-])\s?\d{{1,2}}(?P=sep2)\s?"
    rf"(?:[12]\d{{3}}|\d{{2}})(?!\d|[./]\d))"
    rf"|(?P<short>(?<![\d.,/-])(?:0?[1-9]|1[0-2])/[12]\d{{3}}(?![\d/-]))"
    rf"|(?<!\w)(?P<year4>[12]\d{{3}})(?:\.|,|\sm\.)?[\s-](?P<month4>{MONTH_PATTERN})\.?[\s-]"
    rf"(?P<day4>\d{{1,2}})(?![\d:])"
    rf"|(?<![\d.,])(?:(?P<from>{_DAY}\.?){_TO})?(?P<day>{_DAY})\.?(?:{_OF}\s{{0,3}}|-)"
    rf"(?P<month>{MONTH_PATTERN})(?!['’]?[^\W\d_])\.?{_YEAR.format(name='year')}?"
    rf"|(?<!\w)(?P<month2>{MONTH_PATTERN})\.?\s{{1,3}}(?:the\s)?(?P<day2>{_DAY})(?![.,]?\d|:\d)"
    rf"(?:{_TO}(?P<to>{_DAY})(?!\d|:\d))?{_YEAR.format(name='year2')}?"
    rf"|(?<!\w)(?P<month3>{MONTH_PATTERN})\.?{_YEAR.format(name='year3')}"
)
_MONTH_NAME = re.compile(rf"(?<!\w)({MONTH_PATTERN})(?![\w-])")
_MONTH_ALONE = re.compile(
    r"(?<!\w)(?:in|by|until|till|since|from|during|before|after|im|bis|ab|seit|vor|nach|en|depuis|dès|"
    r"avant|après|fin|début|entro|a|da|in|em|até|desde|hasta|para|w|do|od|po|przed|tot|vanaf|sinds|в|до|с)"
    r"\s{1,3}(?:(?:early|late|mid|the month of|anfang|mitte|ende|mes de|mese di|mês de|mois de)\s)?"
    rf"({MONTH_PATTERN})(?!\.?[\s,-]{{0,3}}\d|[\w'’-])"
)
"""A month that is said of a time, without a day or a year."""

_YEAR_BEHIND = re.compile(_YEAR.format(name="year"))
_WEEKDAY = re.compile(rf"(?<![\w-])({WEEKDAY_PATTERN})(?!\w)", re.IGNORECASE)
_WEEKDAY_GAP = re.compile(
    r"[\s,.(]{0,3}(?:(?:the|den|dem|le|el|il|o|am|on|de)\s)?\Z", re.IGNORECASE
)
_NUMBER = re.compile(r"\d+")
_BEFORE: Final = 24
_AFTER: Final = 40
_FIRST_QUARTER: Final = 33
"""Quarters are months 33 to 36, as in ISO 8601-2."""

_TO_DATE = re.compile(
    r"\s?(?:-|–|—|to|until|through|and|bis|al|a|au|hasta|até|do)(?:\s(?:zum|el))?\s?"
)


class Reading(NamedTuple):
    """One way to read a date; None where it says nothing."""

    year: int | None
    month: int | None
    day: int | None
    weekday: int | None = None
    """0 is Monday."""

    def is_implied_by(self, other: Reading) -> bool:
        """Whether *other* says all that this one says, or the calendar does."""
        same = (
            (self.month is None or self.month == other.month)
            and (self.day is None or self.day == other.day)
            and (self.year is None or self.year == other.year)
        )
        if not same or self.weekday is None:
            return same
        if other.weekday is not None:
            return other.weekday == self.weekday
        return weekday_of(other) == self.weekday


def weekday_of(date: Reading) -> int | None:
    """The day of the week that *date* is, by the calendar; None for less than a whole date.

    Example:
        >>> weekday_of(Reading(2024, 5, 3))
        4
    """
    if date.year is None or date.month is None or date.day is None or date.month > 12:
        return None
    month = (date.month - 3) % 12
    year = date.year - (date.month < 3)
    return (date.day + (13 * month + 2) // 5 + year + year // 4 - year // 100 + year // 400 + 1) % 7


class Dated(NamedTuple):
    """One date in a text."""

    start: int
    stop: int
    readings: tuple[Reading, ...]
    """`03/04/2024` has two; one is enough."""


def dates(text: str) -> Iterator[Dated]:
    """The dates of *text*: day and month, month and year, or all three.

    Example:
        >>> [date.readings for date in dates("am 5. März 2024, on June 1st, 2024-07-09")]
        [(Reading(year=2024, month=3, day=5, weekday=None),), \
(Reading(year=None, month=6, day=1, weekday=None),), \
(Reading(year=2024, month=7, day=9, weekday=None),)]
    """
    text = fold_digits(text)
    found = sorted(_with_years(text, sorted(_all_dates(text), key=_place)), key=_place)
    days = [(match.start(), match.end(), match[1]) for match in _WEEKDAY.finditer(text)]
    place = 0
    for start, stop, name in days:
        weekday = WEEKDAYS[name.casefold()]
        while place < len(found) and found[place].start < stop:
            place += 1
        following = [date for date in found[place : place + 2] if date.start - stop <= 8]
        beside = [
            date for date in following if _WEEKDAY_GAP.fullmatch(text, stop, date.start) is not None
        ]
        if beside:
            for date in beside:
                index = found.index(date, place)
                found[index] = date._replace(readings=_set_weekday(date.readings, weekday))
        else:
            yield Dated(start, stop, (Reading(None, None, None, weekday),))
    yield from found
    taken = {at for date in found for at in range(date.start, date.stop)}
    for match in _MONTH_ALONE.finditer(text):
        if match.start(1) not in taken:
            yield Dated(*match.span(1), months_named(match[1]))


def months_named(text: str) -> tuple[Reading, ...]:
    """The months whose names stand in *text*, whatever stands beside them."""
    months = (MONTHS[match[1].casefold()] for match in _MONTH_NAME.finditer(text))
    return tuple(Reading(None, month, None) for found in months for month in found)


def _place(date: Dated) -> tuple[int, int]:
    return date.start, date.stop


def _set_weekday(readings: tuple[Reading, ...], weekday: int) -> tuple[Reading, ...]:
    return tuple(reading._replace(weekday=weekday) for reading in readings)


def _with_years(text: str, found: list[Dated]) -> Iterator[Dated]:
    """`from 3 May to 5 June 2024`: the year belongs to both."""
    for place, date in enumerate(found, start=1):
        following = found[place] if place < len(found) else None
        if (
            following is not None
            and following.start >= date.stop
            and _TO_DATE.fullmatch(text, date.stop, following.start)
        ):
            years = {reading.year for reading in following.readings if reading.year is not None}
            more = tuple(
                reading._replace(year=year)
                for year in sorted(years)
                for reading in date.readings
                if reading.year is None
            )
            yield date._replace(readings=(*date.readings, *more))
        else:
            yield date


def _all_dates(text: str) -> Iterator[Dated]:
    worded = tuple(_worded_dates(text))
    yield from worded
    quarters = tuple(_quarters(text))
    yield from quarters
    taken = sorted((date.start, date.stop) for date in (*worded, *quarters))
    place = 0
    for first, last in _near_digits(text):
        for match in _DATE.finditer(text, first, last):
            while place < len(taken) and taken[place][1] <= match.start():
                place += 1
            if place < len(taken) and taken[place][0] < match.end():
                continue
            for readings in _readings(match):
                valid = tuple(reading for reading in readings if _valid(reading))
                if valid:
                    yield Dated(match.start(), match.end(), valid)


def _worded_dates(text: str) -> Iterator[Dated]:
    """Dates whose day is a word: `the third of March`, `am dritten März`, `tres de marzo`."""
    for month in _MONTH_NAME.finditer(text):
        year = _YEAR_BEHIND.match(text, month.end())
        found = day_beside(text, month.start(), month.end(), year=year is not None)
        if found is None:
            continue
        year = _YEAR_BEHIND.match(text, found.stop)
        readings = tuple(
            Reading(_year(year["year"]) if year else None, number, found.day)
            for number in MONTHS[month[1].casefold()]
        )
        yield Dated(found.start, year.end() if year else found.stop, readings)


def _quarters(text: str) -> Iterator[Dated]:
    for match in _QUARTER.finditer(text):
        year = match["year"] or match["first"] or (f"20{match['two']}" if match["two"] else None)
        if match["q"]:
            number = int(match["q"])
        else:
            head = match[0].casefold()
            digit = re.search("[1-4]", head[:3])
            number = int(digit[0]) if digit else QUARTERS[head.split()[0]]
        month = _FIRST_QUARTER + number - 1
        yield Dated(
            match.start(), match.end(), (Reading(int(year) if year else None, month, None),)
        )


def _near_digits(text: str) -> Iterator[tuple[int, int]]:
    """The stretches of *text* in which a date can stand: there are few."""
    first = last = -1
    for match in _NUMBER.finditer(text):
        start, stop = max(0, match.start() - _BEFORE), min(len(text), match.end() + _AFTER)
        if start > last:
            if last > 0:
                yield first, last
            first = start
        last = stop
    if last > 0:
        yield first, last


def _readings(match: re.Match[str]) -> Iterator[list[Reading]]:
    if found := match["iso"]:
        year, month, day = map(int, _NUMBER.findall(found))
        yield [Reading(year, month, day)]
    elif found := match["compact"]:
        behind = _BEHIND.match(match.string, match.end())
        if behind and (behind[1] in SYMBOLS or behind[1].casefold() in WORDS):
            return  # eight digits of a measure
        yield [Reading(int(found[:4]), int(found[4:6]), int(found[6:]))]
    elif found := match["cjk"] or match["cjk2"]:
        numbers = [int(number) for number in _NUMBER.findall(found)]
        has_year = "年" in found or "년" in found
        year_of = numbers.pop(0) if has_year else None
        yield [Reading(year_of, numbers[0], numbers[1] if len(numbers) > 1 else None)]
    elif found := match["numeric"]:
        one, two, year = map(int, _NUMBER.findall(found))
        years = [year] if year > 99 else [2000 + year, 1900 + year]
        pairs = dict.fromkeys([(two, one)] if match["sep2"] == "." else [(two, one), (one, two)])
        yield [Reading(full, month, day) for full in years for month, day in pairs]
    elif found := match["short"]:
        month, year = map(int, found.split("/"))
        yield [Reading(year, month, None)]
    elif month_name := match["month"]:
        yield from _days(match, month_name, "from", "day", "year")
    elif month_name := match["month2"]:
        yield from _days(match, month_name, "day2", "to", "year2")
    elif month_name := match["month4"]:
        yield from _days(match, month_name, "day4", "year4")
    else:
        yield [Reading(_year(match["year3"]), each, None) for each in _month(match["month3"])]


def _days(match: re.Match[str], name: str, *groups: str) -> Iterator[list[Reading]]:
    year = _year(match[groups[-1]]) if match[groups[-1]] else None
    for group in groups[:-1]:
        number = _NUMBER.match(match[group] or "")
        if number:
            yield [Reading(year, month, int(number[0])) for month in _month(name)]


def _year(written: str) -> int:
    """`'24` is 2024, `'98` is 1998."""
    if written[0] != "'":
        return int(written)
    return int(written[1:]) + (2000 if int(written[1:]) < 70 else 1900)


def _month(name: str) -> tuple[int, ...]:
    return MONTHS[name.casefold()]


def _valid(reading: Reading) -> bool:
    month = reading.month or 0
    known = 1 <= month <= 12 or month >= _FIRST_QUARTER
    return known and (reading.day is None or 1 <= reading.day <= 31)
