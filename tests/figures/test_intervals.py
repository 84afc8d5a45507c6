"""A share with its interval, held against figures that others have published."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.figures.intervals import find_interval, make_share, place_interval


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I, method 3
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (29, 29, 0.8830, 1.0000),
    ],
)
def test_intervals_are_the_published_ones(hits, total, low, high):
    """To the four digits that the literature gives."""
    assert (low, high) == tuple(round(each, 4) for each in find_interval(hits, total))


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_share_lies_in_its_interval_and_the_interval_between_none_and_all(one, other):
    """And what is not hit has the interval turned round."""
    hits, total = min(one, other), max(one, other)
    low, high = find_interval(hits, total)
    other_low, other_high = find_interval(total - hits, total)

    assert 0.0 <= low <= high <= 1.0
    if total:
        assert low - 1e-12 <= hits / total <= high + 1e-12
    assert other_low == pytest.approx(1 - high, abs=1e-9)
    assert other_high == pytest.approx(1 - low, abs=1e-9)


def test_more_hits_than_things_are_refused():
    """A figure that cannot be is not drawn."""
    with pytest.raises(ValueError, match="between"):
        find_interval(2, 1)


def test_a_line_is_drawn_between_its_edges_and_none_of_nothing():
    """The point is the share, the ends are the interval."""
    assert place_interval(make_share(0, 0), left=10, right=110) is None
    line = place_interval(make_share(5, 10), left=10, right=110)
    assert line is not None
    assert (33.66, 60.0, 86.34) == (line.start, line.point, line.stop)
