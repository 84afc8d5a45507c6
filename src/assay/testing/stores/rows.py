"""Promises about calls and reviews.

In      StorePlace: one database, empty at first
Out     checks that raise AssertionError
Effects those of the store
Spec    docs/decisions/0006; 000-H4
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from assay.errors import CallTakenError, ConflictError, InputError, NotFoundError
from assay.protocols import (
    CallFilter,
    CallRow,
    Changes,
    PutCall,
    PutReview,
    ReviewFilter,
    ReviewRow,
)
from assay.testing.clock import START, FrozenClock
from assay.testing.stores.samples import StorePlace, a_call, a_review, an_event, expect_error


async def calls_are_put_and_found(place: StorePlace) -> None:
    """Inserted, replaced by id, found by key (the newest) and by filters, newest first."""
    text = "ẞ ß ss é é 😀 \u202e' \" \\ %s ?  trailing  \n\t"
    async with await place.open(clock=FrozenClock()) as store:
        run = await store.start_run("pack", {})

        async def commit_row(row: CallRow) -> None:
            await store.commit(Changes(run=run, events=(an_event(),), writes=(PutCall(row=row),)))

        rows = [
            a_call(f"c-{n}", run, key=f"k-{n % 3}", created_at=START + timedelta(hours=n))
            for n in range(5)
        ]
        rows[3:] = [replace(rows[4], id="c-3", created_at=START + timedelta(hours=3))]
        for row in rows[:3]:
            await commit_row(row)
        settled = replace(
            rows[1],
            status="settled",
            attempts=2,
            settled_at=START,
            outcome="needs_review",
            reason="gate.rejected",
            decision_digest="sha256:" + "d" * 64,
            input=text,
        )
        await commit_row(settled)
        await commit_row(rows[3])
        assert await store.call("c-1") == settled
        assert await store.find_call("k-1") == rows[3]
        assert await store.find_call("K-1") is None
        await expect_error(store.call("c-9"), NotFoundError)

        async def ids(limit: int = 100, **which: Any) -> list[str]:
            return [row.id for row in await store.calls(CallFilter(**which), limit)]

        assert await ids() == ["c-3", "c-2", "c-1", "c-0"]
        assert await ids(limit=1) == ["c-3"]
        assert await ids(status="open") == ["c-3", "c-2", "c-0"]
        assert await ids(outcome="needs_review", run=run, contract="intake/classify") == ["c-1"]
        assert await ids(model="other") == []
        since, until = START + timedelta(hours=1), START + timedelta(hours=3)
        assert await ids(since=since, until=until) == ["c-2", "c-1"]


async def a_call_is_made_once(place: StorePlace) -> None:
    """One open call under a key; what is settled is not settled again; a person may amend it."""
    async with await place.open(clock=FrozenClock()) as store:
        run = await store.start_run("pack", {})

        async def commit_row(write: PutCall) -> None:
            await store.commit(Changes(run=run, events=(an_event(),), writes=(write,)))

        first, second = a_call("c-1", run, key="k"), a_call("c-2", run, key="k")
        await commit_row(PutCall(row=first))
        await expect_error(commit_row(PutCall(row=second)), CallTakenError)
        settled = replace(
            first,
            status="settled",
            outcome="needs_review",
            reason="gate.rejected",
            settled_at=START,
        )
        await commit_row(PutCall(row=settled))
        await expect_error(
            commit_row(PutCall(row=replace(settled, reason="gave_up"))), CallTakenError
        )
        await expect_error(commit_row(PutCall(row=first)), CallTakenError)
        assert await store.call("c-1") == settled
        amended = replace(settled, outcome="accepted", reason=None)
        await commit_row(PutCall(row=amended, over="settled"))
        assert await store.call("c-1") == amended
        await commit_row(PutCall(row=second))
        assert await store.find_call("k") == second


async def a_call_is_gone_on_with_by_one(place: StorePlace) -> None:
    """Who has not seen the newest event of a call does not take it over."""
    async with await place.open(clock=FrozenClock()) as store:
        run = await store.start_run("pack", {})
        row = a_call("c-1", run)

        async def commit_row(seen: int | None) -> int:
            event = an_event(call="c-1")
            changes = Changes(run=run, events=(event,), writes=(PutCall(row=row, seen=seen),))
            return (await store.commit(changes))[-1].seq

        opened = await commit_row(None)
        resumed = await commit_row(opened)
        await expect_error(commit_row(opened), CallTakenError)
        assert resumed < await commit_row(resumed)


async def what_cannot_be_stored_is_not_there(place: StorePlace) -> None:
    """A text with NUL is looked for in vain, or is no text; the store is not out of reach."""
    async with await place.open(clock=FrozenClock()) as store:
        asked: list[Awaitable[Any]] = [
            store.find_call("a\0"),
            store.calls(CallFilter(contract="a\0")),
            store.calls(CallFilter(input="\0", before="\0")),
            store.reviews(ReviewFilter(reason="\0")),
            store.call("\0"),
            store.review("a\0"),
            store.ids_beginning("call", "\0", 5),
        ]
        for each in asked:
            try:
                assert not await each
            except (InputError, NotFoundError):
                continue


async def times_come_back_in_utc(place: StorePlace) -> None:
    """Whatever zone a time was given in, to the microsecond."""
    local = datetime(2026, 7, 1, 1, 30, 0, 123456, timezone(timedelta(hours=5, minutes=30)))
    async with await place.open(clock=FrozenClock(local)) as store:
        run = await store.start_run("pack", {})
        row = a_call("c-1", run, created_at=local)
        (event,) = await store.commit(
            Changes(run=run, events=(an_event(),), writes=(PutCall(row=row),))
        )
        assert event.at == "2026-06-30T20:00:00.123456Z"
        found = (await store.call("c-1")).created_at
        assert (found, found.tzinfo) == (local, UTC)


async def a_review_is_decided_once(place: StorePlace) -> None:
    """Two deciders at once: one wins, the other is told; the queue shows what is open."""
    clock = FrozenClock()
    async with await place.open(clock=clock) as store, await place.open(clock=clock) as other:
        run = await store.start_run("pack", {})
        waiting = a_review("r-1", run, call="c-1")
        for row in (waiting, a_review("r-2", run)):
            await store.commit(Changes(run=run, events=(an_event(),), writes=(PutReview(row=row),)))
        assert [row.id for row in await store.reviews(ReviewFilter())] == ["r-1", "r-2"]

        def decide(status: Any, reviewer: str) -> Changes:
            row = replace(waiting, status=status, reviewer=reviewer, decided_at=START)
            return Changes(run=run, events=(an_event(reviewer),), writes=(PutReview(row=row),))

        results = await asyncio.gather(
            store.commit(decide("accepted", "ann")),
            other.commit(decide("rejected", "bob")),
            return_exceptions=True,
        )
        assert sorted(type(result).__name__ for result in results) == ["ConflictError", "tuple"]
        winner = "ann" if isinstance(results[0], tuple) else "bob"
        assert (await store.review("r-1")).reviewer == winner
        assert [row.id for row in await store.reviews(ReviewFilter())] == ["r-2"]
        assert [row.id for row in await store.reviews(ReviewFilter(status=None))] == ["r-1", "r-2"]
        assert [row.id for row in await store.reviews(ReviewFilter(), 0)] == []
        await expect_error(store.review("r-9"), NotFoundError)
        assert (await store.verify()).status == "unanchored"


async def a_withdrawn_review_is_not_decided(place: StorePlace) -> None:
    """Whoever comes first, a decider or the call that was asked again: the other is told."""
    clock = FrozenClock()
    async with await place.open(clock=clock) as store, await place.open(clock=clock) as other:
        runs = [await store.start_run("pack", {}) for _ in range(2)]
        waiting = [a_review(f"r-{n}", runs[0], call="c-1") for n in range(2)]
        opened = tuple(PutReview(row=row) for row in waiting)
        await store.commit(Changes(run=runs[0], events=(an_event(),), writes=opened))

        def withdraw(row: ReviewRow) -> Changes:
            """In the run of the new call, together with its row."""
            new = PutCall(row=a_call(f"instead of {row.id}", runs[1]))
            gone = PutReview(row=replace(row, status="withdrawn"))
            return Changes(run=runs[1], events=(an_event(call="c-1"),), writes=(new, gone))

        def decide(row: ReviewRow) -> Changes:
            done = replace(row, status="rejected", reviewer="ann", decided_at=START)
            return Changes(run=runs[0], events=(an_event(),), writes=(PutReview(row=done),))

        await store.commit(withdraw(waiting[0]))
        await expect_error(other.commit(decide(waiting[0])), ConflictError)
        await other.commit(decide(waiting[1]))
        await expect_error(store.commit(withdraw(waiting[1])), ConflictError)
        await expect_error(store.call("instead of r-1"), NotFoundError)
        assert [row.id for row in await store.reviews(ReviewFilter(status="withdrawn"))] == ["r-0"]
        assert [row.id for row in await store.reviews(ReviewFilter(status="rejected"))] == ["r-1"]
        assert list(await store.reviews(ReviewFilter())) == []
        assert await store.review("r-0") == replace(waiting[0], status="withdrawn")
        assert (await store.verify()).status == "unanchored"
