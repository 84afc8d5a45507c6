"""Promises about runs, events and transactions; about opening, closing and giving up.

In      StorePlace: one database, empty at first
Out     checks that raise AssertionError
Effects those of the store
Spec    docs/decisions/0005, docs/decisions/0006
"""

from __future__ import annotations

import asyncio
import threading
from datetime import datetime

from assay.errors import ConflictError, InputError, NotFoundError, StoreUnavailableError
from assay.protocols import CallFilter, Changes, PutCall, PutReview, Store
from assay.record.event import GENESIS, seal
from assay.testing.clock import START, FrozenClock
from assay.testing.stores.samples import StorePlace, a_call, a_review, an_event, expect_error


async def runs_are_numbered_from_one(place: StorePlace) -> None:
    """Each run gets the next number and tells of itself in its first event."""
    async with await place.open(clock=FrozenClock()) as store:
        numbers = [await store.start_run("pack", {"pack": name}) for name in ("a", "b", "c")]
        assert numbers == [1, 2, 3]
        first = [event async for event in store.events(run=2)]
        assert [(event.kind, event.n, event.prev) for event in first] == [
            ("run.started", 0, GENESIS)
        ]
        assert dict(first[0].facts) == {"kind": "pack", "pack": "b"}


async def events_are_chained_in_canonical_bytes(place: StorePlace) -> None:
    """What is hashed is the RFC 8785 form of the whole event, the digest before it included."""
    clock = FrozenClock()
    async with await place.open(clock=clock) as store:
        run = await store.start_run("pack", {})
        clock.advance(11.000001)
        draft = an_event(facts={"b": [1, 0.5], "a": "ü"}, call="c-1", subject="s-1")
        (given,) = await store.commit(Changes(run=run, events=(draft,)))
        first, found = [event async for event in store.events(run=run)]
        assert found == given
        assert found.prev == first.digest
        assert found.at == "2026-01-17T08:00:11.000001Z"
        expected = seal(draft, run=run, n=1, at=found.at, prev=first.digest, commitments={})
        assert (found.body, found.digest) == expected


async def events_are_found_by_run_call_and_kind(place: StorePlace) -> None:
    """Filters combine; the order is that of appending; long streams are whole."""
    async with await place.open(clock=FrozenClock()) as store:
        one, two = await store.start_run("pack", {}), await store.start_run("pack", {})
        for run in (one, two):
            drafts = tuple(an_event(f"kind.{n % 2}", call=f"c-{n % 3}") for n in range(450))
            await store.commit(Changes(run=run, events=drafts))
        everything = [event async for event in store.events()]
        assert len(everything) == 902
        assert [event.seq for event in everything] == sorted({event.seq for event in everything})
        some = [event async for event in store.events(run=two, call="c-1", kind="kind.0")]
        assert [event.n for event in some] == [n + 1 for n in range(450) if n % 6 == 4]


async def a_run_must_be_started(place: StorePlace) -> None:
    """Events of a run that nobody started are refused."""
    async with await place.open(clock=FrozenClock()) as store:
        await expect_error(store.commit(Changes(run=7, events=(an_event(),))), NotFoundError)
        assert [event async for event in store.events()] == []


async def a_transaction_is_all_or_nothing(place: StorePlace) -> None:
    """When one write of a transaction conflicts, none of its events and rows is kept."""
    async with await place.open(clock=FrozenClock()) as store:
        run = await store.start_run("pack", {})
        decided = a_review("r-1", run, status="accepted", decided_at=START, reviewer="ann")
        await store.commit(Changes(run=run, events=(an_event(),), writes=(PutReview(row=decided),)))
        failing = Changes(
            run=run,
            events=(an_event("lost", payloads={"p": b"x"}),),
            writes=(PutCall(row=a_call("c-1", run)), PutReview(row=a_review("r-1", run))),
        )
        passing = Changes(run=run, events=(an_event("kept"),))
        results = await asyncio.gather(
            store.commit(passing),
            store.commit(failing),
            store.commit(passing),
            return_exceptions=True,
        )
        assert [type(result) for result in results] == [tuple, ConflictError, tuple]
        kinds = [event.kind async for event in store.events(run=run)]
        assert kinds == ["run.started", "thing.happened", "kept", "kept"]
        await expect_error(store.call("c-1"), NotFoundError)
        assert (await store.verify()).status == "unanchored"


async def a_change_needs_an_event(place: StorePlace) -> None:
    """No row changes without an event that tells of it."""
    async with await place.open(clock=FrozenClock()) as store:
        run = await store.start_run("pack", {})
        silent = Changes(run=run, writes=(PutCall(row=a_call("c-1", run)),))
        await expect_error(store.commit(silent), InputError)


async def what_cannot_be_stored_is_refused(place: StorePlace) -> None:
    """NUL and lone surrogates in text, facts that are no JSON, times without a zone."""
    async with await place.open(clock=FrozenClock()) as store:
        run = await store.start_run("pack", {})
        zoneless = datetime(2026, 1, 1)  # noqa: DTZ001 - the fault that is refused
        for changes in (
            Changes(run=run, events=(an_event("a\0b"),)),
            Changes(run=run, events=(an_event(call="\ud800"),)),
            Changes(run=run, events=(an_event(facts={"x": float("nan")}),)),
            Changes(run=run, events=(an_event(facts={"x": b"bytes"}),)),
            Changes(
                run=run,
                events=(an_event(),),
                writes=(PutCall(row=a_call("c-1", run, input="\udcff.eml")),),
            ),
            Changes(
                run=run,
                events=(an_event(),),
                writes=(PutCall(row=a_call("c-1", run, created_at=zoneless)),),
            ),
        ):
            await expect_error(store.commit(changes), InputError)
        assert [event.n async for event in store.events()] == [0]


async def many_writers_chain_rightly(place: StorePlace) -> None:
    """Tasks, threads and a second store, all on the same runs: no gap, no fork, none lost."""
    clock = FrozenClock()
    async with await place.open(clock=clock) as store, await place.open(clock=clock) as other:
        runs = [await store.start_run("pack", {}) for _ in range(3)]
        acknowledged: list[tuple[int, int]] = []

        async def write(through: Store, who: str, count: int) -> None:
            for i in range(count):
                events = (an_event(facts={"who": who, "i": i}),) * 2
                changes = Changes(run=runs[i % 3], events=events, durable=i % 2 == 0)
                for event in await through.commit(changes):
                    acknowledged.append((event.run, event.n))

        def in_a_thread(name: str) -> None:
            asyncio.run(write(store, name, 12))

        threads = [threading.Thread(target=in_a_thread, args=(f"t{i}",)) for i in range(2)]
        for thread in threads:
            thread.start()
        tasks = [write(store, f"a{i}", 12) for i in range(8)]
        await asyncio.gather(*tasks, *(write(other, f"b{i}", 12) for i in range(8)))
        await asyncio.gather(*(asyncio.to_thread(thread.join) for thread in threads))
        assert sorted(acknowledged) == [(run, n) for run in runs for n in range(1, 145)]
        report = await other.verify(await store.head())
        assert (report.status, report.events) == ("ok", 3 * 145)


async def a_store_opens_again(place: StorePlace) -> None:
    """What was acknowledged is there for the next one who opens it."""
    clock = FrozenClock()
    async with await place.open(clock=clock) as store:
        run = await store.start_run("pack", {})
        head = await store.head()
    async with await place.open(clock=clock) as store:
        assert await store.start_run("pack", {}) == run + 1
        assert (await store.verify(head)).status == "ok"


async def a_closed_store_says_so(place: StorePlace) -> None:
    """Closing finishes what was begun; afterwards nothing is taken on."""
    store = await place.open(clock=FrozenClock())
    run = await store.start_run("pack", {})
    begun = [
        asyncio.ensure_future(store.commit(Changes(run=run, events=(an_event(),))))
        for _ in range(20)
    ]
    await asyncio.sleep(0)
    await store.aclose()
    assert sorted([event.n for task in begun for event in await task]) == list(range(1, 21))
    await store.aclose()
    await expect_error(store.commit(Changes(run=run, events=(an_event(),))), StoreUnavailableError)
    await expect_error(store.call("c-1"), StoreUnavailableError)


async def a_cancelled_commit_is_whole_or_absent(place: StorePlace) -> None:
    """Whoever stops waiting may find it done or not, but never half done."""
    async with await place.open(clock=FrozenClock()) as store:
        run = await store.start_run("pack", {})
        tasks = []
        for i in range(30):
            row = a_call(f"c-{i}", run)
            changes = Changes(
                run=run,
                events=(an_event(call=row.id), an_event(call=row.id)),
                writes=(PutCall(row=row),),
            )
            tasks.append(asyncio.ensure_future(store.commit(changes)))
        await tasks[0]  # others are under way now
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    async with await place.open(clock=FrozenClock()) as store:  # closing ended what was begun
        await store.commit(Changes(run=run, events=(an_event("last"),)))
        events = [event async for event in store.events(run=run)]
        assert [event.n for event in events] == list(range(len(events)))
        for i in range(30):
            parts = sum(event.call == f"c-{i}" for event in events)
            rows = sum(row.id == f"c-{i}" for row in await store.calls(CallFilter()))
            assert (parts, rows) in {(0, 0), (2, 1)}
        assert (await store.verify()).status == "unanchored"
