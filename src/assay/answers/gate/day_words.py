"""Days written as words beside a month's name: English, German, Spanish.

In      a text and the place of a month's name
Out     the day, and the place of both together
Pure    yes; looks a bounded way to both sides
Spec    004 P2.2; interfaces.md, "Answers" (written months)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple


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


class DayWord(NamedTuple):
    """A day and its month's name, together."""

    start: int
    stop: int
    day: int


def day_beside(text: str, start: int, stop: int, *, year: bool) -> DayWord | None:
    """The day in words before or behind the month's name at `text[start:stop]`.

    Args:
        year: Whether a year follows the name. Without one, `the third March` may be a march.
    """
    return _words_before(text, start, stop, year=year) or _words_behind(text, start, stop)


def _words_before(text: str, start: int, stop: int, *, year: bool) -> DayWord | None:
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
            return DayWord(low + word.start(), stop, day)
    return None


def _words_behind(text: str, start: int, stop: int) -> DayWord | None:
    match = _BEHIND.match(text, stop, stop + _WORD_WINDOW)
    if match is None:
        return None
    for end in (match.end(2), match.end(1)):
        written = " ".join(text[match.start(1) : max(end, 0)].casefold().split())
        if written in _ENGLISH_DAYS:
            return DayWord(start, end, _ENGLISH_DAYS[written])
    return None
