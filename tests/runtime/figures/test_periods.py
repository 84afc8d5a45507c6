"""Axes of time: every hour lies in one period, and the periods follow each other."""

from __future__ import annotations

from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.runtime.figures.periods import periods_of

pytestmark = pytest.mark.clause("007-F2")

hours = st.datetimes(timezones=st.just(UTC)).map(lambda at: at.isoformat()[:13])


@given(first=hours, last=hours, between=hours)
def test_each_hour_lies_in_the_last_period_that_starts_before_it(first, last, between):
    """From the first year of the calendar to the last one."""
    first, between, last = sorted([first, between, last])
    axis = periods_of(first, last)

    assert list(axis.starts) == sorted(set(axis.starts))
    assert len(axis.starts) <= 120
    assert (0, len(axis.starts) - 1) == (axis.place(first), axis.place(last))
    place = axis.place(between)
    written = between.replace("T", " ") + ":00"
    assert axis.starts[place] <= written
    if place + 1 < len(axis.starts):
        assert written < axis.starts[place + 1]


def test_weeks_start_on_mondays():
    """As a calendar on the wall has them."""
    axis = periods_of("2026-01-17T08", "2026-06-17T08")

    assert ("week", "2026-01-12") == (axis.unit, axis.starts[0])
