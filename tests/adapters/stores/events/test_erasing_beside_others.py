"""Erasures while others write and read: counted as done, and what remains is said."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import create_engine, text

from assay.adapters.stores import open_store
from assay.protocols import Changes
from assay.record.chain import ERASED, EXPIRED
from assay.record.event import EventDraft
from assay.testing import FrozenClock
from assay.wiring.opening import SystemClock
from tests.processes import read_line, start_python

SECRET = b"the patient said that her left knee hurts"
READER = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("BEGIN")
database.execute("SELECT count(*) FROM payloads").fetchone()
print("reading", flush=True)
sys.stdin.readline()
"""


def _draft(subject: str | None, kind: str = "k") -> EventDraft:
    return EventDraft(kind=kind, payloads={"p": SECRET, "q": SECRET * 100}, subject=subject)


def _on_disk(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file())


def _destroyed(place: Any) -> Counter[int]:
    """How many payloads each erasure emptied, by the seq of its event."""
    engine = create_engine(place.url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.connect() as connection:
        found = connection.execute(text("SELECT erased_by FROM payloads WHERE content IS NULL"))
        counts = Counter(found.scalars().all())
    engine.dispose()
    return counts


@pytest.mark.clause("005-R20")
def test_an_erasure_counts_what_it_destroyed_while_writers_commit(place: Any) -> None:
    """What it returns, what its event says and what is gone are one number, each time."""

    async def work() -> None:
        clock = SystemClock()
        async with await place.open(clock=clock) as store, await place.open(clock=clock) as other:
            runs = [await store.start_run("pack", {}) for _ in range(4)]
            returned: list[int] = []

            async def write(run: int) -> None:
                for number in range(20):
                    drafts = (_draft(f"s-{number % 2}"), _draft(None, "old"))
                    await other.commit(Changes(run=run, events=drafts))

            async def destroy() -> None:
                for number in range(8):
                    await asyncio.sleep(0.01)
                    subject = f"s-{number % 2}"
                    returned.append(await store.erase(subject, reason="r", actor="a"))
                    returned.append(await store.expire(["old"], clock.now(), reason="r", actor="a"))

            await other.commit(Changes(run=runs[0], events=(_draft("s-0"), _draft("s-1"))))
            await asyncio.gather(*map(write, runs), destroy())
            told = {}
            for kind in (ERASED, EXPIRED):
                async for event in store.events(kind=kind):
                    told[event.seq] = event.facts["payloads"]
            report = await store.verify()
        assert sorted(filter(None, told.values())) == sorted(filter(None, returned))
        assert {seq: count for seq, count in told.items() if count} == dict(_destroyed(place))
        assert (None, sum(told.values())) == (report.first_bad_why, report.erased)

    asyncio.run(work())


@pytest.mark.clause("005-P16")
def test_an_erasure_beside_an_open_reader_says_that_pieces_remain(tmp_path: Path) -> None:
    """A second process reads: pieces stay until it ends and the erasure is asked for again."""
    folder = tmp_path / "store"
    url = f"sqlite:///{folder}/assay.db"

    async def erase() -> tuple[int, tuple[str, ...]]:
        async with await open_store(url, clock=FrozenClock(), wait_s=0.5) as store:
            count = await store.erase("s-1", reason="asked", actor="ann")
            return count, tuple(await store.pieces_left())

    async def fill() -> None:
        async with await open_store(url, clock=FrozenClock()) as store:
            run = await store.start_run("pack", {})
            await store.commit(Changes(run=run, events=(_draft("s-1"),)))

    asyncio.run(fill())
    with start_python("-c", READER, str(folder / "assay.db")) as reader:
        assert "reading\n" == read_line(reader)
        count, (piece,) = asyncio.run(erase())
        assert 2 == count
        assert "run the same command again" in piece
        assert SECRET in _on_disk(folder)
        reader.communicate("go\n")

    assert (0, ()) == asyncio.run(erase())
    assert SECRET not in _on_disk(folder)


@pytest.mark.clause("005-P16")
def test_an_erasure_on_postgresql_says_that_pieces_remain_until_vacuum(postgres_place: Any) -> None:
    """Always, and how many transactions stand in the way."""

    async def work() -> tuple[str, ...]:
        async with await postgres_place.open(clock=FrozenClock()) as store:
            run = await store.start_run("pack", {})
            await store.commit(Changes(run=run, events=(_draft("s-1"),)))
            with psycopg.connect(postgres_place.url) as reader:
                reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                reader.execute("SELECT count(*) FROM payloads")
                await store.erase("s-1", reason="asked", actor="ann")
                return tuple(await store.pieces_left())

    (piece,) = asyncio.run(work())
    assert "VACUUM payloads, subjects" in piece
    assert "1 transactions" in piece


@pytest.mark.clause("005-P16")
def test_an_erasure_that_nobody_hinders_leaves_nothing(tmp_path: Path) -> None:
    """Nothing remains, and nothing is said to remain."""

    async def work() -> tuple[str, ...]:
        url = f"sqlite:///{tmp_path}/assay.db"
        async with await open_store(url, clock=FrozenClock()) as store:
            run = await store.start_run("pack", {})
            await store.commit(Changes(run=run, events=(_draft("s-1"),)))
            await store.erase("s-1", reason="asked", actor="ann")
            return tuple(await store.pieces_left())

    assert () == asyncio.run(work())
    assert SECRET not in _on_disk(tmp_path)
