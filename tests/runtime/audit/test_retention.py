"""Retention: payloads go by kind of event and age, by an event that says so; proofs stay."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from assay.adapters.stores import open_store
from assay.errors import InputError
from assay.protocols import Changes
from assay.record.event import EventDraft
from assay.runtime.audit.retention import Applied, Rule, read_rules, retain
from assay.testing import FrozenClock
from assay.testing.clock import START

RULES = b"rules:\n  - {kinds: [old], keep_days: 10, reason: policy}\n"


def test_rules_let_old_payloads_go_and_a_dry_run_does_not(tmp_path: Path) -> None:
    """Counted first, gone then; the record holds, and the event tells kinds, time and reason."""

    async def run() -> None:
        clock = FrozenClock()
        url = f"sqlite:///{tmp_path}/x.db"
        async with await open_store(url, clock=clock) as store:
            one = await store.start_run("test", {})
            for kind in ("old", "kept"):
                draft = EventDraft(kind=kind, payloads={"p": b"x"}, subject="s-1")
                await store.commit(Changes(run=one, events=(draft,)))
            rules = read_rules(RULES)
            clock.advance(timedelta(days=9).total_seconds())
            (young,) = await retain(store, rules, clock=clock, actor="a", dry_run=False)
            assert 0 == young.payloads
            clock.advance(timedelta(days=2).total_seconds())
            (dry,) = await retain(store, rules, clock=clock, actor="a", dry_run=True)
            assert (1, True) == (dry.payloads, dry.to_dict()["under_six_months"])
            assert b"x" == await store.payload(2, "p")
            (done,) = await retain(store, rules, clock=clock, actor="a", dry_run=False)
            assert 1 == done.payloads
            assert None is await store.payload(2, "p")
            assert b"x" == await store.payload(3, "p")
            report = await store.verify(await store.head())
            assert ("ok", 1, 1) == (report.status, report.payloads, report.erased)
            (told,) = [event async for event in store.events(kind="payloads.expired")]
            assert (["old"], "policy", "a") == (
                told.facts["kinds"],
                told.facts["reason"],
                told.facts["actor"],
            )

    asyncio.run(run())


def test_rules_are_read() -> None:
    """Kinds, days and a reason; nothing else."""
    assert (Rule(kinds=("old",), keep_days=10, reason="policy"),) == read_rules(RULES)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"rules: []",
        b"rules: [1]",
        b"{",
        b"rules: [{kinds: [], keep_days: 1, reason: r}]",
        b"rules: [{kinds: [a], keep_days: -1, reason: r}]",
        b"rules: [{kinds: [a], keep_days: 1}]",
        b"rules: [{kinds: [a], keep_days: 1, reason: ''}]",
        b"rules: [{kinds: [a], keep_days: 1, reason: r, more: 1}]",
        b"rules: [{kinds: [a, a], keep_days: 1, reason: r}]",
        b"rules: [{kinds: [a], keep_days: 1, reason: r}, {kinds: [a], keep_days: 2, reason: r}]",
    ],
)
def test_what_is_no_rule_is_refused(data: bytes) -> None:
    """Nothing is let go by a rule that was not understood."""
    with pytest.raises(InputError, match="retention"):
        read_rules(data)


@pytest.mark.parametrize(("seconds", "gone"), [(0, 0), (0.000001, 1), (-0.000001, 0)])
def test_what_is_exactly_as_old_as_the_rule_says_is_kept(
    tmp_path: Path, seconds: float, gone: int
) -> None:
    """Ten days are kept to the last instant; one microsecond more, and the payload goes."""

    async def run() -> None:
        clock = FrozenClock()
        async with await open_store(f"sqlite:///{tmp_path}/x.db", clock=clock) as store:
            one = await store.start_run("test", {})
            await store.commit(
                Changes(run=one, events=(EventDraft(kind="old", payloads={"p": b"x"}),))
            )
            clock.advance(timedelta(days=10).total_seconds() + seconds)
            (done,) = await retain(store, read_rules(RULES), clock=clock, actor="a", dry_run=False)
            assert gone == done.payloads
            assert (None if gone else b"x") == await store.payload(2, "p")

    asyncio.run(run())


def test_the_six_months_of_the_law_are_184_days() -> None:
    """A rule of 183 days is marked as under six months, one of 184 is not."""
    short, long = (
        Applied(
            rule=Rule(kinds=("old",), keep_days=days, reason="r"), before=START, payloads=0
        ).to_dict()
        for days in (183, 184)
    )

    assert (True, False) == (short["under_six_months"], long["under_six_months"])
