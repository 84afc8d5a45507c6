"""The rules of an unbroken record, without a database."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.record.chain import Chains, RunEntry, read_body, read_event, vouches
from assay.record.event import GENESIS, EventDraft, seal

AT = "2026-01-17T08:00:00.000000Z"


def _runs(lengths: list[int]) -> tuple[list[list[tuple[bytes, str]]], dict[int, RunEntry]]:
    """For each run its events, body and digest, and what is recorded of it."""
    runs, entries = [], {}
    for run, length in enumerate(lengths, start=1):
        events = []
        prev = GENESIS
        for n in range(length):
            facts = {"kind": "pack"} if n == 0 else {}
            draft = EventDraft(kind="k", facts=facts)
            body, prev = seal(draft, run=run, n=n, at=AT, prev=prev, commitments={})
            events.append((body, prev))
        runs.append(events)
        entries[run] = RunEntry(
            run=run, kind="pack", started_at=AT, events=length, head=events[-1][1]
        )
    return runs, entries


def _follow(order: list[tuple[bytes, str]], entries: dict[int, RunEntry]) -> list[str | None]:
    chains = Chains()
    flaws = []
    for body, digest in order:
        said = read_body(body, digest)
        assert said is not None
        flaws.append(chains.follow(said, digest, entries.get(said["run"])))
    return [*flaws, chains.unfinished_run()]


@given(st.lists(st.integers(1, 5), min_size=1, max_size=5), st.data())
def test_interleaved_runs_hold(lengths: list[int], data: st.DataObject) -> None:
    """Events of several runs in any order that keeps each run's own, runs begun in order."""
    runs, entries = _runs(lengths)
    order: list[tuple[bytes, str]] = []
    begun = 0
    places = [0] * len(runs)
    while any(place < len(run) for place, run in zip(places, runs, strict=True)):
        open_runs = [i for i in range(begun) if places[i] < len(runs[i])]
        choices = open_runs + ([begun] if begun < len(runs) else [])
        chosen = data.draw(st.sampled_from(choices))
        begun = max(begun, chosen + 1)
        order.append(runs[chosen][places[chosen]])
        places[chosen] += 1

    assert [None] * (len(order) + 1) == _follow(order, entries)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.data())
def test_a_missing_or_doubled_event_is_found(lengths: list[int], data: st.DataObject) -> None:
    """Whichever one is left out or comes twice."""
    runs, entries = _runs(lengths)
    order = [event for run in runs for event in run]
    at = data.draw(st.integers(0, len(order) - 1))

    without = _follow(order[:at] + order[at + 1 :], entries)
    doubled = _follow([*order[: at + 1], *order[at:]], entries)
    last_run_gone = at == len(order) - 1 and lengths[-1] == 1
    assert last_run_gone or any(without)  # that one, only the list of runs tells
    assert any(doubled)


def test_what_is_recorded_of_a_run_counts() -> None:
    """Its kind, its beginning, its length and its head."""
    runs, entries = _runs([3])
    for changes in (
        {"kind": "x"},
        {"started_at": "x"},
        {"events": 2},
        {"events": 4},
        {"head": "x"},
    ):
        changed = {1: replace(entries[1], **changes)}
        assert any(_follow(runs[0], changed)), changes
    assert any(_follow(runs[0], {}))


@pytest.mark.parametrize(
    ("lengths", "drop", "why"),
    [
        ([2, 2, 2], {2}, "run 2 is missing before it"),
        ([2, 2], {1}, "run 1 is missing before it"),
    ],
)
def test_a_missing_run_is_named(lengths: list[int], drop: set[int], why: str) -> None:
    """Runs are numbered without a gap."""
    runs, entries = _runs(lengths)
    order = [event for run, events in enumerate(runs, 1) if run not in drop for event in events]

    assert why == next(flaw for flaw in _follow(order, entries) if flaw)


@pytest.mark.parametrize("column", range(7))
def test_columns_repeat_the_body(column: int) -> None:
    """Each one is compared, and the wrong one named."""
    draft = EventDraft(kind="k", call="c", subject="s")
    body, digest = seal(draft, run=1, n=2, at=AT, prev="p", commitments={})
    columns: list[Any] = [1, 2, "k", AT, "c", "s", "p"]
    assert None is read_event(body, digest, tuple(columns))[1]
    columns[column] = "other"
    name = ("run", "n", "kind", "at", "call", "subject", "prev")[column]

    assert (
        f"its column {name!r} says other than its body"
        == read_event(body, digest, tuple(columns))[1]
    )


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"1", b"{}", b'{"run":1}', b"\xff"])
def test_what_is_no_event_is_a_flaw(body: bytes) -> None:
    """Never an exception."""
    from assay.core.json.canonical import digest

    assert "no event" in str(read_event(body, digest(body), (1,) * 7)[1])


@pytest.mark.parametrize(
    ("erasure", "expected"),
    [
        ({"kind": "subject.erased", "subject": "s"}, True),
        ({"kind": "subject.erased", "subject": "t"}, False),
        ({"kind": "subject.erased", "subject": None}, False),
        ({"kind": "note", "subject": "s"}, False),
        ({"kind": "payloads.expired", "facts": {"kinds": ["k"], "before": "2027"}}, True),
        ({"kind": "payloads.expired", "facts": {"kinds": ["j"], "before": "2027"}}, False),
        ({"kind": "payloads.expired", "facts": {"kinds": ["k"], "before": "2025"}}, False),
        ({"kind": "payloads.expired", "facts": {"kinds": ["k"], "before": AT}}, False),
        ({"kind": "payloads.expired", "facts": {"kinds": ["k"], "before": AT + "0"}}, True),
        ({"kind": "payloads.expired"}, False),
    ],
)
def test_an_erasure_vouches_for_its_own(erasure: dict[str, Any], expected: bool) -> None:
    """For its subject, or for the kinds and the time that it names; for nothing else."""
    erased = {"kind": "k", "subject": "s", "at": AT}

    assert expected is vouches(erasure, erased)
    assert False is vouches(erasure, erased | {"subject": None, "kind": "other"})


def test_a_run_begins_at_the_beginning() -> None:
    """The first event of a run follows none: one that names another before it is a flaw, even
    when what is recorded of the run agrees with it."""
    body, digest = seal(
        EventDraft(kind="k", facts={"kind": "pack"}), run=1, n=0, at=AT, prev="x", commitments={}
    )
    entry = RunEntry(run=1, kind="pack", started_at=AT, events=1, head=digest)

    assert ["it does not follow the event before it in run 1", None] == _follow(
        [(body, digest)], {1: entry}
    )


@pytest.mark.parametrize("length", [1, 2])
def test_the_last_event_of_a_run_is_its_recorded_head(length: int) -> None:
    """In a run of a single event as well as in a longer one."""
    runs, entries = _runs([length])
    changed = {1: replace(entries[1], head=GENESIS)}

    assert "it is not the head that is recorded for run 1" in _follow(runs[0], changed)
