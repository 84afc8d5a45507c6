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

from assay.answers.gate.number_tables import CARDINALS_OF, ENGLISH_ORDINALS, GERMAN_ORDINALS


def _list_english_days() -> dict[str, int]:
    ones = {word: day for word, day in ENGLISH_ORDINALS.items() if day < 10}
    table = ENGLISH_ORDINALS | {"thirtieth": 30}
    for word, day in ones.items():
        table |= {f"twenty{joint}{word}": 20 + day for joint in "- "}
    return table | {f"thirty{joint}first": 31 for joint in "- "}


def _list_german_days() -> dict[str, int]:
    tens = CARDINALS_OF["de"].items()
    stems = GERMAN_ORDINALS | {f"{word}st": day for word, day in tens if 20 < day <= 31}
    stems |= {"siebent": 7}
    return {
        f"{stem}{end}".casefold(): day for stem, day in stems.items() for end in ("e", "en", "er")
    }


def _list_spanish_days() -> dict[str, int]:
    table = {word: day for word, day in CARDINALS_OF["es"].items() if 0 < day <= 30}
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
