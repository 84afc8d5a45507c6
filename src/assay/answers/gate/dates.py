"""Dates, written and numeric: English, German, Spanish.

In      a text
Out     places and readings of its dates
Pure    yes; no calendar but the number of months and days
Spec    004 P2.2; interfaces.md, "Answers" (written months)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

_MONTHS: Final = {
    name.casefold(): number
    for number, names in enumerate(
        (
            "January Jan Januar Jänner Jän enero Enero ene Ene",
            "February Feb Februar Feber febrero Febrero",
            "March Mar März Mär Mrz marzo Marzo",
            "April Apr abril Abril abr Abr",
            "May Mai mayo Mayo",
            "June Jun Juni junio Junio",
            "July Jul Juli julio Julio",
            "August Aug agosto Agosto ago Ago",
            "September Sep Sept septiembre Septiembre setiembre Setiembre",
            "October Oct Oktober Okt octubre Octubre",
            "November Nov noviembre Noviembre",
            "December Dec Dezember Dez diciembre Diciembre dic Dic",
        ),
        start=1,
    )
    for name in names.split()
}
# English and German months count only with a capital: `section 5 may apply` is no date.
_SPANISH = (
    "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|"
    "diciembre"
)
_CAPITAL = "|".join(
    sorted({name.capitalize() for name in _MONTHS} | {name.upper() for name in _MONTHS}, key=len)[
        ::-1
    ]
)
_MONTH = rf"(?:{_CAPITAL}|{_SPANISH})"
_DAY = r"\d{1,2}(?:st|nd|rd|th|º|\.º|er)?"
_TO = r"\s?(?:-|–|—|/|to|and|bis|und|al|a|y)\s?"
_OF = r"(?:\s*(?:of|de|del)\s+(?:the\s+)?)?"
_YEAR = r"(?:,?\s+(?:(?:of|de|del)\s+)?(?P<{name}>[12]\d{{3}})(?!\d|[-/.]\d))"

_DATE = re.compile(
    rf"(?P<iso>(?<![\d/.-])[12]\d{{3}}(?P<sep>[-/.])\d{{1,2}}(?P=sep)\d{{1,2}}(?!\d|[./]\d))"
    rf"|(?P<numeric>(?<![\d.,/])\d{{1,2}}(?P<sep2>[./-])\s?\d{{1,2}}(?P=sep2)\s?"
    rf"(?:[12]\d{{3}}|\d{{2}})(?!\d|[./]\d))"
    rf"|(?P<short>(?<![\d.,/-])(?:0?[1-9]|1[0-2])/[12]\d{{3}}(?![\d/-]))"
    rf"|(?<![\d.,])(?:(?P<from>{_DAY}\.?){_TO})?(?P<day>{_DAY})\.?{_OF}\s*(?P<month>{_MONTH})"
    rf"(?!\w)\.?{_YEAR.format(name='year')}?"
    rf"|(?<!\w)(?P<month2>{_MONTH})\.?\s+(?P<day2>{_DAY})(?![\d.,]*\d)"
    rf"(?:{_TO}(?P<to>{_DAY})(?!\d))?{_YEAR.format(name='year2')}?"
    rf"|(?<!\w)(?P<month3>{_MONTH})\.?{_YEAR.format(name='year3')}"
)
_MONTH_NAME = re.compile(rf"(?<!\w)({_MONTH})(?![\w-])")
_YEAR_BEHIND = re.compile(_YEAR.format(name="year"))
_NUMBER = re.compile(r"\d+")
_DIGITS = re.compile(r"\d+")
_BEFORE: Final = 18
_AFTER: Final = 40


def _list(text: str) -> list[str]:
    return text.split()


def _list_english_days() -> dict[str, int]:
    low = _list(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
        "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
    )
    table = {word: day for day, word in enumerate(low, start=1)} | {"thirtieth": 30}
    for tens, value, most in (("twenty", 20, 9), ("thirty", 30, 1)):
        for one in range(1, most + 1):
            table |= {f"{tens}{joint}{low[one - 1]}": value + one for joint in "- "}
    return table


def _list_german_days() -> dict[str, int]:
    low = _list(
        "erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft dreizehnt "
        "vierzehnt fünfzehnt sechzehnt siebzehnt achtzehnt neunzehnt zwanzigst"
    )
    ones = _list("ein zwei drei vier fünf sechs sieben acht neun")
    stems = {stem: day for day, stem in enumerate(low, start=1)}
    stems |= {f"{one}undzwanzigst": 20 + day for day, one in enumerate(ones, start=1)}
    stems |= {"dreissigst": 30, "einunddreissigst": 31, "siebent": 7}
    return {f"{stem}{end}": day for stem, day in stems.items() for end in ("e", "en", "er")}


def _list_spanish_days() -> dict[str, int]:
    low = _list(
        "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
        "dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés "
        "veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve treinta"
    )
    table = {word: day for day, word in enumerate(low, start=1)}
    return table | {"primero": 1, "treinta y uno": 31}


# Case folded, so `ß` is `ss`.
_ENGLISH_DAYS: Final[Mapping[str, int]] = _list_english_days()
_GERMAN_DAYS: Final[Mapping[str, int]] = _list_german_days()
_SPANISH_DAYS: Final[Mapping[str, int]] = _list_spanish_days()

_WORD_WINDOW: Final = 36
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")
_JOINT = re.compile(r"\s+(?:(of|de|del)\s+(?:the\s+)?)?\Z", re.IGNORECASE)
_BEHIND = re.compile(r"\s+(?:the\s+)?([^\W\d_]+(?:-[^\W\d_]+)?)(\s[^\W\d_]+)?(?!\w)")


class Reading(NamedTuple):
    """One way to read a date; None where it says nothing."""

    year: int | None
    month: int
    day: int | None

    def is_implied_by(self, other: Reading) -> bool:
        """Whether *other* says all that this one says."""
        return (
            self.month == other.month
            and (self.day is None or self.day == other.day)
            and (self.year is None or self.year == other.year)
        )


class Dated(NamedTuple):
    """One date in a text."""

    start: int
    stop: int
    readings: tuple[Reading, ...]
    """`03/04/2024` has two; one is enough."""


class _DayWord(NamedTuple):
    """A day and its month's name, together."""

    start: int
    stop: int
    day: int


def dates(text: str) -> Iterator[Dated]:
    """The dates of *text*: day and month, month and year, or all three.

    Example:
        >>> [date.readings for date in dates("am 5. März 2024, on June 1st, 2024-07-09")]
        [(Reading(year=2024, month=3, day=5),), (Reading(year=None, month=6, day=1),), \
(Reading(year=2024, month=7, day=9),)]
    """
    worded = tuple(_worded_dates(text))
    yield from worded
    for first, last in _near_digits(text):
        for match in _DATE.finditer(text, first, last):
            for readings in _readings(match):
                valid = tuple(reading for reading in readings if _valid(reading))
                if valid and not any(
                    match.start() < other.stop and other.start < match.end() for other in worded
                ):
                    yield Dated(match.start(), match.end(), valid)


def _worded_dates(text: str) -> Iterator[Dated]:
    """Dates whose day is a word: `the third of March`, `am dritten März`, `tres de marzo`."""
    for month in _MONTH_NAME.finditer(text):
        year = _YEAR_BEHIND.match(text, month.end())
        found = _day_beside(text, month.start(), month.end(), year=year is not None)
        if found is None:
            continue
        year = _YEAR_BEHIND.match(text, found.stop)
        reading = Reading(int(year["year"]) if year else None, _month(month[1]), found.day)
        yield Dated(found.start, year.end() if year else found.stop, (reading,))


def _day_beside(text: str, start: int, stop: int, *, year: bool) -> _DayWord | None:
    """The day in words before or behind the month's name at `text[start:stop]`.

    Args:
        year: Whether a year follows the name. Without one, `the third March` may be a march.
    """
    return _words_before(text, start, stop, year=year) or _words_behind(text, start, stop)


def _words_before(text: str, start: int, stop: int, *, year: bool) -> _DayWord | None:
    low = max(0, start - _WORD_WINDOW)
    joint = _JOINT.search(text, low, start)
    if joint is None:
        return None
    head = text[low : joint.start()]
    of = (joint[1] or "").lower()
    words = list(_WORD.finditer(head))
    for word in words[-3:]:
        written = " ".join(head[word.start() :].casefold().split())
        day = (
            (_ENGLISH_DAYS.get(written, 0) if of == "of" or (not of and year) else 0)
            or (_GERMAN_DAYS.get(written, 0) if not of else 0)
            or (_SPANISH_DAYS.get(written, 0) if of in {"de", "del"} else 0)
        )
        if day:
            return _DayWord(low + word.start(), stop, day)
    return None


def _words_behind(text: str, start: int, stop: int) -> _DayWord | None:
    match = _BEHIND.match(text, stop, stop + _WORD_WINDOW)
    if match is None:
        return None
    for end in (match.end(2), match.end(1)):
        written = " ".join(text[match.start(1) : max(end, 0)].casefold().split())
        if written in _ENGLISH_DAYS:
            return _DayWord(start, end, _ENGLISH_DAYS[written])
    return None


def _near_digits(text: str) -> Iterator[tuple[int, int]]:
    """The stretches of *text* in which a date can stand: there are few."""
    first = last = -1
    for match in _DIGITS.finditer(text):
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
    elif found := match["numeric"]:
        one, two, year = map(int, _NUMBER.findall(found))
        years = [year] if year > 99 else [2000 + year, 1900 + year]
        pairs = dict.fromkeys([(two, one), (one, two)])
        yield [Reading(full, month, day) for full in years for month, day in pairs]
    elif found := match["short"]:
        month, year = map(int, found.split("/"))
        yield [Reading(year, month, None)]
    elif month_name := match["month"]:
        yield from _days(match, month_name, "from", "day", "year")
    elif month_name := match["month2"]:
        yield from _days(match, month_name, "day2", "to", "year2")
    else:
        yield [Reading(int(match["year3"]), _month(match["month3"]), None)]


def _days(match: re.Match[str], name: str, *groups: str) -> Iterator[list[Reading]]:
    year = int(match[groups[-1]]) if match[groups[-1]] else None
    for group in groups[:-1]:
        number = _NUMBER.match(match[group] or "")
        if number:
            yield [Reading(year, _month(name), int(number[0]))]


def _month(name: str) -> int:
    return _MONTHS[name.casefold()]


def _valid(reading: Reading) -> bool:
    return 1 <= reading.month <= 12 and (reading.day is None or 1 <= reading.day <= 31)
