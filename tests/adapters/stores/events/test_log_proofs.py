"""The log of a real store: every event has one place, and every proof of it holds."""

from __future__ import annotations

import asyncio
import tracemalloc
from typing import Any

import pytest
from sqlalchemy import create_engine, event, text

from assay.adapters.stores import SqlStore
from assay.errors import InputError, NotFoundError
from assay.protocols import Changes
from assay.record.event import EventDraft
from assay.record.tree import leaf_hash, verify_consistency, verify_inclusion
from assay.testing import FrozenClock


async def _write(store: SqlStore, run: int, count: int) -> None:
    drafts = tuple(EventDraft(kind="k", facts={"i": i}) for i in range(count))
    await store.commit(Changes(run=run, events=drafts))


def test_events_and_growth_are_proved(place: Any) -> None:
    """Across kept nodes and the ragged edge; roots are those of the heads of that time."""

    async def run() -> None:
        async with await place.open(clock=FrozenClock()) as store:
            one = await store.start_run("pack", {})
            heads = {1: await store.head()}
            for count in (1, 254, 1, 1, 300, 500, 30):
                await _write(store, one, count)
                head = await store.head()
                heads[head["size"]] = head
            last = max(heads)
            assert [1, 2, 256, 257, 258, 558, 1058, 1088] == sorted(heads)
            bodies = {event.seq: event.body async for event in store.events()}
            for seq in (1, 2, 255, 256, 257, 258, 512, 700, 1024, 1057, 1088):
                for size in (None, 1088, 1058):
                    if size is not None and seq > size:
                        continue
                    proof = await store.prove(seq, size)
                    assert heads[size or last]["root"] == "sha256:" + proof["root"].hex()
                    assert leaf_hash(bodies[seq]) == proof["leaf"]
                    assert verify_inclusion(
                        proof["index"], proof["size"], proof["leaf"], proof["proof"], proof["root"]
                    )
            for first in heads:
                for second in (size for size in heads if size >= first):
                    growth = await store.prove_growth(first, second)
                    assert heads[first]["root"] == "sha256:" + growth["first_root"].hex()
                    assert verify_consistency(
                        first, second, growth["first_root"], growth["second_root"], growth["proof"]
                    )

    asyncio.run(run())


def test_what_cannot_be_proved_is_told(place: Any) -> None:
    """No such event; a log that never had that size; an event that came later."""

    async def run() -> None:
        async with await place.open(clock=FrozenClock()) as store:
            one = await store.start_run("pack", {})
            await _write(store, one, 4)
            with pytest.raises(NotFoundError):
                await store.prove(99)
            for seq, size in ((5, 4), (1, 6), (1, 0), (1, -1)):
                with pytest.raises(InputError):
                    await store.prove(seq, size)
            for first, second in ((0, 3), (4, 3), (1, 9)):
                with pytest.raises(InputError):
                    await store.prove_growth(first, second)

    asyncio.run(run())


def test_a_proof_needs_no_full_scan(sqlite_place: Any) -> None:
    """Rows read for a proof: a few hundred at most, however long the log is."""

    async def run() -> list[int]:
        counts = []
        async with await sqlite_place.open(clock=FrozenClock()) as store:
            one = await store.start_run("pack", {})
            for count in (1_999, 18_000):
                await _write(store, one, count)
                await store.head()
                rows = 0

                def fetched(connection: Any, *_: Any) -> None:
                    connection.row_factory = tally

                def tally(_cursor: Any, row: tuple[Any, ...]) -> tuple[Any, ...]:
                    nonlocal rows
                    rows += 1
                    return row

                event.listen(store._database._engine, "checkout", fetched)
                await store.prove(1_000)
                await store.prove_growth(777)
                counts.append(rows)
        return counts

    assert all(0 < rows < 2_500 for rows in asyncio.run(run()))


def test_the_log_keeps_up_in_the_background(place: Any) -> None:
    """Nobody asks for a head, and still few events wait for their place."""

    async def run() -> None:
        async with await place.open(clock=FrozenClock()) as store:
            one = await store.start_run("pack", {})
            for _ in range(30):
                await _write(store, one, 100)

    asyncio.run(run())
    engine = create_engine(place.url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.connect() as connection:
        placed = connection.execute(text("SELECT count(*) FROM log")).scalar_one()
    engine.dispose()

    assert placed > 2_000


def test_verification_needs_the_same_memory_for_more(sqlite_place: Any) -> None:
    """Eight times the events, about the same peak."""

    async def peak(more: int) -> int:
        async with await sqlite_place.open(clock=FrozenClock()) as store:
            for _ in range(10):
                await _write(store, await store.start_run("pack", {}), more // 10)
            await store.head()
            tracemalloc.start()
            report = await store.verify()
            _, highest = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert report.first_bad_why is None
            return highest

    small = asyncio.run(peak(3_000))
    large = asyncio.run(peak(21_000))

    assert large < 1.5 * small
