"""Promises about opening, closing and giving up.

In      StorePlace: one database, empty at first
Out     checks that raise AssertionError
Effects those of the store
Spec    interfaces.md, "Command line" (exit code 40)
"""

from __future__ import annotations

import asyncio

from assay.errors import StoreUnavailableError
from assay.protocols import CallFilter, Changes, PutCall
from assay.testing.clock import FrozenClock
from assay.testing.stores.samples import StorePlace, a_call, an_event, refused_with


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
    await refused_with(store.commit(Changes(run=run, events=(an_event(),))), StoreUnavailableError)
    await refused_with(store.call("c-1"), StoreUnavailableError)


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
        await asyncio.sleep(0.002)
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
