"""The record: events appended, verified and proved in a second; SQLite and PostgreSQL.

    python tools/bench_store.py [--events N] [--large N] [--url postgresql://…] [--json]

Appending is measured with one writer and with eight, as tasks of one process and as processes
of their own; with one commit an event and with fifty events a commit; every commit is on disk
before it counts. The peers stand beside it in the same run: what a bare commit of the same
SQLite costs with nothing of ours, and bare SHA-256 over the bytes that a verification hashes.
PostgreSQL is measured when a server is given or installed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from assay.adapters.stores import open_store
from assay.protocols import Changes
from assay.record.event import EventDraft
from tests import postgres

FACTS = {
    "prompt_sha256": "sha256:" + "a" * 64,
    "contract": "intake/classify@1",
    "model": "scripted:replies.jsonl",
    "attempt": 1,
    "tokens": {"input": 812, "output": 240},
    "note": "x" * 40,
}
BATCH = 50


class WallClock:
    """The time of day."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def drafts(count: int, payload: bytes = b"") -> tuple[EventDraft, ...]:
    payloads = {"p": payload} if payload else {}
    return tuple(
        EventDraft(kind="attempt.judged", facts=FACTS, payloads=payloads, subject="s-1")
        for _ in range(count)
    )


async def append(url: str, writers: int, events: int, batch: int, payload: bytes = b"") -> float:
    """Seconds that *writers* tasks take for *events* events in commits of *batch*."""
    async with await open_store(url, clock=WallClock(), wait_s=120) as store:
        runs = [await store.start_run("bench", {}) for _ in range(writers)]

        async def write(run: int) -> None:
            for _ in range(events // writers // batch):
                await store.commit(Changes(run=run, events=drafts(batch, payload)))

        start = time.perf_counter()
        await asyncio.gather(*map(write, runs))
        return time.perf_counter() - start


def _process(url: str, events: int, batch: int, begin: Any, done: Any) -> None:
    async def run() -> None:
        async with await open_store(url, clock=WallClock(), wait_s=120) as store:
            one = await store.start_run("bench", {})
            changes = Changes(run=one, events=drafts(batch))
            await asyncio.to_thread(begin.wait)
            longest = 0.0
            for _ in range(events // batch):
                start = time.perf_counter()
                await store.commit(changes)
                longest = max(longest, time.perf_counter() - start)
            done.put(longest)

    asyncio.run(run())


def append_in_processes(url: str, writers: int, events: int, batch: int) -> tuple[float, float]:
    """Seconds that *writers* processes take together; the longest wait for one commit."""
    spawn = multiprocessing.get_context("spawn")
    begin, done = spawn.Barrier(writers + 1), spawn.Queue()
    processes = [
        spawn.Process(target=_process, args=(url, events // writers, batch, begin, done))
        for _ in range(writers)
    ]
    for process in processes:
        process.start()
    begin.wait()
    start = time.perf_counter()
    waits = [done.get() for _ in processes]
    seconds = time.perf_counter() - start
    for process in processes:
        process.join()
    return seconds, max(waits)


def bare_commits(folder: Path, count: int = 300) -> float:
    """Durable commits a second of one row of 500 bytes, with the driver alone."""
    connection = sqlite3.connect(folder / "bare.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB)")
    start = time.perf_counter()
    for _ in range(count):
        connection.execute("INSERT INTO t (b) VALUES (?)", (b"x" * 500,))
    seconds = time.perf_counter() - start
    connection.close()
    return count / seconds


async def verify(url: str) -> dict[str, Any]:
    """Events a second of a whole verification, and of bare SHA-256 over the same bytes."""
    async with await open_store(url, clock=WallClock()) as store:
        head = await store.head()
        start = time.perf_counter()
        report = await store.verify(head)
        seconds = time.perf_counter() - start
        if report.status != "ok":
            raise SystemExit(f"the record does not hold: {report}")
        contents = []
        size = 0
        async for event in store.events():
            contents.append(event.body)
            for name in event.commitments:
                content = await store.payload(event.seq, name)
                contents.append(content or b"")
        size = sum(map(len, contents))
        start = time.perf_counter()
        for content in contents:
            sha256(content).digest()
        bare = time.perf_counter() - start
    return {
        "events": report.events,
        "verified_per_s": report.events / seconds,
        "verified_mb_per_s": size / seconds / 1e6,
        "bare_sha256_per_s": report.events / bare,
        "times_bare": seconds / bare,
    }


async def prove(url: str, sizes: list[int]) -> dict[str, float]:
    """Milliseconds for the inclusion proof of an event in the middle, by size of the log."""
    times = {}
    async with await open_store(url, clock=WallClock()) as store:
        run = await store.start_run("bench", {})
        size = (await store.head())["size"]
        for wanted in sizes:
            while size < wanted:
                count = min(5_000, wanted - size)
                await store.commit(Changes(run=run, events=drafts(count)))
                size += count
            await store.head()
            await store.prove(wanted // 2)
            start = time.perf_counter()
            for i in range(20):
                await store.prove(1 + (i * 7919) % wanted)
            times[str(wanted)] = (time.perf_counter() - start) / 20 * 1000
    return times


@contextmanager
def stores(url: str | None) -> Iterator[dict[str, Any]]:
    """For each kind of database a way to a new, empty one."""
    with tempfile.TemporaryDirectory() as folder:

        @contextmanager
        def sqlite() -> Iterator[str]:
            yield f"sqlite:///{tempfile.mkdtemp(dir=folder)}/bench.db"

        found: dict[str, Any] = {"sqlite": sqlite}
        try:
            with postgres.running(durable=True) if url is None else _given(url) as server:
                yield found | {"postgresql": server.database}
        except postgres.NoServer as reason:
            print(reason, file=sys.stderr)
            yield found


@contextmanager
def _given(url: str) -> Iterator[postgres.Server]:
    yield postgres.Server(url)


def measure(place: Any, events: int, large: int) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    few = max(8, events // 10 // 8 * 8)
    many = max(8 * BATCH, events // (8 * BATCH) * 8 * BATCH)
    for name, writers, count, batch in (
        ("1 writer, 1 event a commit", 1, few // 4, 1),
        ("8 tasks, 1 event a commit", 8, few, 1),
        (f"1 writer, {BATCH} events a commit", 1, many, BATCH),
        (f"8 tasks, {BATCH} events a commit", 8, many, BATCH),
    ):
        with place() as url:
            figures[name] = {"per_s": count / asyncio.run(append(url, writers, count, batch))}
    for name, count, batch in (
        ("8 processes, 1 event a commit", few, 1),
        (f"8 processes, {BATCH} events a commit", many, BATCH),
    ):
        with place() as url:
            seconds, longest = append_in_processes(url, 8, count, batch)
            figures[name] = {"per_s": count / seconds, "longest_wait_ms": longest * 1000}
    with place() as url:
        asyncio.run(append(url, 8, many, BATCH))
        figures["verify, small events"] = asyncio.run(verify(url))
    with place() as url:
        asyncio.run(append(url, 8, 8 * BATCH, BATCH, os.urandom(200_000)))
        figures["verify, payloads of 200 KB"] = asyncio.run(verify(url))
    with place() as url:
        sizes = [size for size in (1_000, 100_000, 1_000_000) if size <= large]
        figures["proof, ms by size of the log"] = asyncio.run(prove(url, sizes))
    return figures


def show(figures: dict[str, Any]) -> None:
    for name, value in figures.items():
        numbers = ", ".join(
            f"{key} {number:,.2f}" if number < 100 else f"{key} {number:,.0f}"
            for key, number in value.items()
        )
        print(f"  {name:40} {numbers}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--events", type=int, default=20_000, help="events of the long series")
    parser.add_argument("--large", type=int, default=100_000, help="size of the largest log")
    parser.add_argument("--url", default=os.environ.get("ASSAY_TEST_POSTGRES"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    everything: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        everything["bare"] = {"SQLite commits": {"per_s": bare_commits(Path(folder))}}
    with stores(options.url) as places:
        for kind, place in places.items():
            everything[kind] = measure(place, options.events, options.large)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    everything["memory"] = {"peak of this process": {"mb": peak}}
    if options.json:
        print(json.dumps(everything))
        return
    for kind, figures in everything.items():
        print(kind)
        show(figures)


if __name__ == "__main__":
    main()
