"""Ranges and lists: what stands behind the last number belongs to each.

In      the quantities of a folded text, in order
Out     the same, with the units and bounds that a range gives its ends
Pure    yes; linear
Spec    005-A3 (a range belongs to its number)

The lower end of `10 to 20 EUR` is `at least 10 EUR`, the upper one `at most 20 EUR`: neither end
alone is the amount. Years, times and `from 10 to 20` (which may be a rise) are both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from assay.answers.gate.amounts import Reading
from assay.answers.gate.comparators import EQUAL, HIGH, LOW
from assay.answers.gate.quantity import Quantity, Weight

_RANGE = re.compile(
    r" ?(?:-|–|—|~) ?| (?:to|bis|à|a|al|hasta|até|do|до|tot|t/m|bis zu|up to) (?:the )?|から|至|到",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r" (?:and|und|y|e|et|ed|en|i|и) ", re.IGNORECASE)
_BETWEEN_BEFORE = re.compile(
    r"(?:between|zwischen|entre|tra|fra|tussen|między|между)(?: the)? \Z", re.IGNORECASE
)
_FROM_BEFORE = re.compile(r"(?:from|von|vom|de|da|desde|od|от|van)(?: the)? \Z", re.IGNORECASE)
_LIST = re.compile(
    r", ?(?:(?:and|or|und|oder|y|o|et|ou|e|en|of) )?| (?:and|or|und|oder|y|o|et|ou|e|en|of) | ?/ ?",
    re.IGNORECASE,
)
_TIME = re.compile(r"\d{1,2}:\d\d")
_LONGEST_GAP: Final = 12
_WINDOW: Final = 16


def join_ranges(text: str, found: list[Quantity]) -> Iterator[Quantity]:
    """*found* with the units of ranges and lists shared, and the bounds of ranges set."""
    out = list(found)
    for place in range(len(out) - 2, -1, -1):
        first, last = out[place], out[place + 1]
        if not 0 < last.start - first.stop <= _LONGEST_GAP:
            continue
        gap = text[first.stop : last.start]
        between = _BETWEEN.fullmatch(gap) is not None and _precedes(text, first, _BETWEEN_BEFORE)
        if between or _RANGE.fullmatch(gap):
            out[place], out[place + 1] = _range(text, first, last)
        elif _LIST.fullmatch(gap) and first.is_bare and not (last.is_bare and last.scale == 1):
            shared = _share(first, last)
            out[place] = first._replace(
                readings=first.readings | shared.readings, weight=_firmer(first, last)
            )
    yield from out


def _precedes(text: str, quantity: Quantity, pattern: re.Pattern[str]) -> bool:
    low = max(0, quantity.start - _WINDOW)
    return pattern.search(text[low : quantity.start]) is not None


def _share(first: Quantity, last: Quantity) -> Quantity:
    """*first* with the scale and unit of *last*."""
    units = {reading.unit for reading in last.readings}
    scale = last.scale if first.scale == 1 else Fraction(1)
    readings = {
        Reading(value * scale if isinstance(value, Fraction) else value, unit)
        for value, _ in first.readings
        for unit in units
    }
    return first._replace(readings=frozenset(readings), scale=last.scale, per=last.per)


def _firmer(first: Quantity, last: Quantity) -> Weight:
    return "fact" if last.weight == "fact" else first.weight


def _range(text: str, first: Quantity, last: Quantity) -> tuple[Quantity, Quantity]:
    whole = _share(first, last) if first.is_bare else first
    if first.ordinal != last.ordinal:
        return first, last
    if _TIME.fullmatch(next((str(r.value) for r in last.readings if r.unit is None), "")):
        return _as_time(first), last
    if last.is_bare and not first.is_bare:
        last = _share(last, first)._replace(scale=last.scale)
    low, high = _value(whole), _value(last)
    if low is None or high is None or low >= high:
        return first, last
    if last.is_bare and last.scale == 1 and low >= 1000 and high <= 2100:
        return first, last  # years
    plain = EQUAL if _precedes(text, first, _FROM_BEFORE) else frozenset()
    if last.is_bare and last.noun is None and last.scale == 1:
        plain = EQUAL
    weight = _firmer(first, last)
    low_end = whole._replace(bounds=LOW | plain, weight=weight, noun=last.noun)
    return low_end, last._replace(bounds=HIGH | plain)


def _as_time(first: Quantity) -> Quantity:
    """`9 bis 17 Uhr`: the nine is a time."""
    hours = [r.value for r in first.readings if r.unit is None and r.value in range(25)]
    times = {Reading(f"{int(hour) % 24 + late}:00") for hour in hours for late in (0, 12)}
    return first._replace(readings=first.readings | times) if times else first


def _value(quantity: Quantity) -> Fraction | None:
    values = [
        reading.unit.base(reading.value) if reading.unit else reading.value
        for reading in sorted(quantity.readings, key=str)
        if isinstance(reading.value, Fraction)
    ]
    return min(values) if values else None
