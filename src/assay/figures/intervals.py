"""A share of few things, with how sure it is: the interval that Wilson gave for it.

In      how many of how many
Out     Share: the share and its interval; where a line of it is drawn
Pure    yes
Spec    E. B. Wilson, 1927, "Probable inference, the law of succession, and statistical inference"
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

_Z: Final = 1.959963984540054
"""The 0.975 quantile of the normal distribution: 95 in 100."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """So many of so many."""

    hits: int
    total: int
    low: float
    high: float

    @property
    def value(self) -> float | None:
        """None of nothing."""
        return None if self.total == 0 else self.hits / self.total

    @property
    def known(self) -> bool:
        return self.total > 0


def make_share(hits: int, total: int) -> Share:
    """The share of *hits* in *total* with its Wilson interval of 95 per cent.

    Example:
        >>> found = make_share(9, 10)
        >>> round(found.low, 4), round(found.high, 4)
        (0.5958, 0.9821)
    """
    low, high = find_interval(hits, total)
    return Share(hits=hits, total=total, low=low, high=high)


def find_interval(hits: int, total: int) -> tuple[float, float]:
    """From where to where the true share lies, in 95 of 100 such samples; of nothing, anywhere.

    Raises:
        ValueError: more hits than things, or less than none.

    Example:
        >>> find_interval(0, 0)
        (0.0, 1.0)
    """
    if not 0 <= hits <= total:
        raise ValueError("hits lie between none and all")
    if total == 0:
        return 0.0, 1.0
    square = _Z * _Z
    share = hits / total
    middle = share + square / (2 * total)
    reach = _Z * math.sqrt(share * (1 - share) / total + square / (4 * total * total))
    scale = 1 + square / total
    low = 0.0 if hits == 0 else max(0.0, (middle - reach) / scale)
    high = 1.0 if hits == total else min(1.0, (middle + reach) / scale)
    return low, high


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalLine:
    """Where a share is drawn between *left* and *right* of a picture."""

    start: float
    point: float
    stop: float


def place_interval(share: Share, *, left: float, right: float) -> IntervalLine | None:
    """The line of a share; None where nothing is known.

    Example:
        >>> place_interval(make_share(1, 1), left=0, right=100)
        IntervalLine(start=20.65, point=100.0, stop=100.0)
    """
    if share.value is None:
        return None

    def place(value: float) -> float:
        return round(left + (right - left) * value, 2)

    return IntervalLine(start=place(share.low), point=place(share.value), stop=place(share.high))
