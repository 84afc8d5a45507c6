"""Periods of equal length that hold a span of time, few enough to be drawn beside each other.

In      the first and the last hour with something in it
Out     Periods: a unit, the start of each period in UTC, which period an hour lies in
Pure    yes: calendar alone, no clock
Spec    007-F2
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from assay.figures.record_figures import Unit

_MOST: Final[tuple[tuple[Unit, int], ...]] = (
    ("hour", 48),
    ("day", 93),
    ("week", 106),
    ("month", 120),
    ("year", 120),
    ("decade", 120),
    ("century", 120),
)
"""How many of a unit stand on one axis at most; the last holds every year there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Periods:
    """An axis of time."""

    unit: Unit
    starts: tuple[str, ...]
    first: int
    """Number of the first period, counted from the beginning of the calendar."""

    def place(self, hour: str) -> int:
        """Index of the period that *hour* (`2026-01-17T08`) lies in."""
        return _number(self.unit, hour) - self.first


def periods_of(first: str, last: str) -> Periods:
    """The shortest unit of which few enough cover the hours from *first* to *last*.

    Example:
        >>> periods_of("2026-01-17T08", "2026-01-17T10").starts
        ('2026-01-17 08:00', '2026-01-17 09:00', '2026-01-17 10:00')
    """
    unit: Unit = "century"
    for unit, most in _MOST:
        if _number(unit, last) - _number(unit, first) < most:
            break
    low, high = _number(unit, first), _number(unit, last)
    starts = tuple(_start(unit, number) for number in range(low, high + 1))
    return Periods(unit=unit, starts=starts, first=low)


def _number(unit: Unit, hour: str) -> int:
    """Whole units from the beginning of the calendar to *hour*."""
    at = datetime.strptime(hour, "%Y-%m-%dT%H")  # noqa: DTZ007 (all of them are UTC)
    match unit:
        case "hour":
            return at.toordinal() * 24 + at.hour
        case "day":
            return at.toordinal()
        case "week":
            return (at.toordinal() - 1) // 7  # day 1 of the calendar is a Monday
        case "month":
            return at.year * 12 + at.month - 1
        case "year":
            return at.year
        case "decade":
            return at.year // 10
        case "century":
            return at.year // 100


def _start(unit: Unit, number: int) -> str:
    match unit:
        case "hour":
            return f"{date.fromordinal(number // 24).isoformat()} {number % 24:02}:00"
        case "day":
            return date.fromordinal(number).isoformat()
        case "week":
            return (date.fromordinal(1) + timedelta(weeks=number)).isoformat()
        case "month":
            return f"{number // 12:04}-{number % 12 + 1:02}"
        case "year":
            return f"{number:04}"
        case "decade":
            return f"{number * 10:04}"
        case "century":
            return f"{number * 100:04}"
