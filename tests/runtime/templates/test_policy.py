"""Who gets the canary: as many of a hundred places as its percentage says, always the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.runtime.templates.policy import canary_place, choose
from assay.templates.version import Registered
from tests.templates.test_signing import registered


def two(percent: int) -> tuple[Registered, Registered]:
    """An active version, and a canary for *percent* of a hundred places."""
    found = registered()
    active = replace(found, release=replace(found.release, state="active"))
    canary = replace(found, release=replace(found.release, state="canary", percent=percent))
    return active, canary


_ROW = registered().row
SESSIONS = [f"session {number}" for number in range(2000)]
PLACES = {session: canary_place(_ROW.role, _ROW.name, session) for session in SESSIONS}


def test_there_are_a_hundred_places():
    """Every place from 0 to 99 is drawn by some session, and no other."""
    assert set(range(100)) == set(PLACES.values())


@pytest.mark.parametrize("percent", [1, 2, 37, 50, 99, 100])
def test_a_canary_has_exactly_the_places_of_its_percentage(percent):
    """At N per cent the places 0 to N - 1 get it: one more or less would be another share."""
    active, canary = two(percent)
    got = {PLACES[each] for each in SESSIONS if choose([active, canary], each) is canary}

    assert set(range(percent)) == got


def test_a_canary_of_nothing_is_given_to_nobody():
    """Zero per cent is no share, also for who drew the first place."""
    active, canary = two(0)

    assert {True} == {choose([active, canary], session) is active for session in SESSIONS}


@given(st.text(max_size=20), st.integers(0, 99))
def test_who_has_the_canary_keeps_it_as_its_share_grows(session, percent):
    """A larger percentage takes nobody's canary away."""
    before, after = (choose(two(share), session) for share in (percent, percent + 1))
    was, now = (found is not None and found.release.state == "canary" for found in (before, after))

    assert now or not was


def test_places_are_spread_evenly():
    """Of 2,000 sessions no place gets more than three times its share."""
    counted = Counter(PLACES.values())

    assert max(counted.values()) < 60
