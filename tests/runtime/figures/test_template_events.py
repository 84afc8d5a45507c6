"""Edited templates and prompts without one, as figures."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.adapters.stores.open import open_store
from assay.figures.panels import panels_of
from assay.protocols import Changes
from assay.record.event import EventDraft
from assay.runtime.figures.count import count_figures
from assay.runtime.figures.filter import FiguresFilter
from assay.runtime.templates.releases import Move, Releases
from assay.templates.version import Reference
from assay.testing import FrozenClock
from tests.runtime.tiny import GOOD, TEXT, opened, tiny_pack

pytestmark = pytest.mark.clause("007-F8")
START = datetime(2026, 1, 17, 8, tzinfo=UTC)
KINDS = {"template.drift": "drift", "template.fallback": "fallbacks"}


async def counted(place, happened, which=None):
    """The figures of a record of (kind, hour, facts, pack), and its events."""
    clock = FrozenClock()
    async with await open_store(f"sqlite:///{place}/a.db", clock=clock) as store:
        for kind, hour, facts, pack in happened:
            clock.advance((START + timedelta(hours=hour) - clock.now()).total_seconds())
            run = await store.start_run(
                "pack" if pack else "registry", {"pack": pack} if pack else {}
            )
            event = EventDraft(kind=kind, facts=facts)
            await store.commit(Changes(run=run, events=(event,)))
        return await count_figures(store, which), [event async for event in store.events()]


happenings = st.lists(
    st.one_of(
        st.tuples(
            st.just("template.drift"),
            st.integers(-400, 4000),
            st.sampled_from([{"id": "t/a@1"}, {"id": "t/b@2"}, {"id": None}, {}]),
            st.sampled_from(["", "tiny"]),
        ),
        st.tuples(
            st.just("template.fallback"),
            st.integers(-400, 4000),
            st.sampled_from([
                {"role": "t", "name": "a"},
                {"role": "t", "name": "b", "contract": "tiny/x"},
            ]),
            st.sampled_from(["", "tiny"]),
        ),
    ),
    max_size=8,
)  # fmt: skip


@settings(max_examples=30)
@given(happened=happenings)
def test_hits_and_uses_are_what_the_events_say(happened):
    """By name and by period, whatever of the rest of the record there is."""
    with TemporaryDirectory() as place:
        figures, events = asyncio.run(counted(place, happened))

    for kind, name in KINDS.items():
        found = [event for event in events if event.kind == kind]
        told = getattr(figures, name)
        assert Counter(_name(event) for event in found) == {k: sum(v) for k, v in told.items()}
        for at, period in enumerate(figures.periods):
            following = (*figures.periods, "~")[at + 1]
            inside = [e for e in found if period <= e.at.replace("T", " ") < following]
            assert len(inside) == sum(counts[at] for counts in told.values())


def _name(event):
    if event.kind == "template.drift":
        return event.facts.get("id") or ""
    return f"{event.facts['role']}/{event.facts['name']}"


def test_filters_choose_them_by_contract_else_by_the_pack_of_their_run(tmp_path):
    """What names no contract is left out where one is asked for."""
    happened = [
        ("template.drift", 0, {"id": "t/a@1"}, "tiny"),
        ("template.drift", 0, {"id": "t/a@1"}, ""),
        ("template.fallback", 1, {"role": "t", "name": "a", "contract": "tiny/x"}, ""),
    ]

    def sums(which):
        (tmp_path / str(len(list(tmp_path.iterdir())))).mkdir()
        place = max(tmp_path.iterdir(), key=lambda each: int(each.name))
        figures, _ = asyncio.run(counted(place, happened, which))
        return tuple(sum(map(sum, getattr(figures, name).values())) for name in KINDS.values())

    assert (2, 1) == sums(None)
    assert (1, 1) == sums(FiguresFilter(pack="tiny"))
    assert (0, 1) == sums(FiguresFilter(contract="tiny/x"))
    assert (0, 0) == sums(FiguresFilter(since=START + timedelta(hours=2)))


def test_a_record_with_nothing_but_drift_is_drawn(tmp_path):
    """It is no empty one."""
    figures, _ = asyncio.run(counted(tmp_path, [("template.drift", 0, {"id": None}, "")]))
    panels = {panel.name: panel for panel in panels_of(figures)}

    assert figures.drawable
    assert "not named" in panels["drift"].table.columns


def test_a_real_run_without_an_active_version_uses_the_fallback(tmp_path):
    """The registry knows the template and has retired all of its versions."""

    async def work():
        async with opened(tmp_path, GOOD, GOOD) as runtime:
            assert [each async for each in runtime.run(tiny_pack(), [TEXT])]
            before = await runtime.figures()
            retired = Reference.parse("triage/triage@1")
            await Releases(registry=runtime.registry).retire(retired, Move(by="ann", reason="old"))
            assert [each async for each in runtime.run(tiny_pack(), [TEXT + b" More."])]
            return before, await runtime.figures()

    before, after = asyncio.run(work())

    assert {} == before.fallbacks
    assert {"triage/triage": 1} == {name: sum(each) for name, each in after.fallbacks.items()}
