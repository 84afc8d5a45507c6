"""Counts by hour become counts by period; what is counted by name is put in order.

In      counts
Out     numbers for each period of an axis, names in order, quantiles
Pure    yes
Spec    007-F2
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.figures.record_figures import Latency
from assay.runtime.figures.periods import Periods
from assay.runtime.templates.stats import quantile


def spread_counts(counts: Mapping[str, int], axis: Periods) -> tuple[int, ...]:
    """One number for each period."""
    numbers = [0] * len(axis.starts)
    for hour, count in counts.items():
        numbers[axis.place(hour)] += count
    return tuple(numbers)


def order_by_frequency(counts: Mapping[Any, int]) -> dict[Any, int]:
    """The most frequent first, equals by name."""
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def summarise_latency(took: Iterable[int]) -> Latency:
    """Nearest-rank quantiles of times in milliseconds."""
    ordered = sorted(took)
    if not ordered:
        return Latency()
    return Latency(
        exchanges=len(ordered),
        p50=quantile(ordered, 0.5),
        p90=quantile(ordered, 0.9),
        max=ordered[-1],
    )
