"""The record: events appended, verified and proved in a second; SQLite and PostgreSQL.

    python tools/bench_store.py [--events N] [--large N] [--url postgresql://…] [--json]

Appending is measured with one writer and with eight, as tasks of one process and as processes
of their own; with one commit an event and with fifty events a commit; every commit is on disk
before it counts. The peers stand beside it in the same run: durable appends of pymerkle's tree
in SQLite (where it is installed), what a bare commit of the same SQLite costs with nothing of
ours, and bare SHA-256 over the bytes that a verification hashes.

The log then grows to 10^3, 10^5 and 10^6 events, by commits of 5,000 small events through the
same door as all others, so that a million takes about a minute. At each size: the time of an
inclusion proof, and a verification in a process of its own, with the memory it took at its peak
beyond what the process held before. PostgreSQL is measured when a server is given or installed.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import multiprocessing
import os
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
GROW_BY = 5_000
SIZES = (1_000, 100_000, 1_000_000)
PROOFS = 40


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


async def grow(url: str, wanted: int) -> float:
    """Bring the log to *wanted* events; how many a second that were."""
    async with await open_store(url, clock=WallClock(), wait_s=120) as store:
        size = have = (await store.head())["size"]
        start = time.perf_counter()
        run = await store.start_run("bench", {})
        size += 1
        while size < wanted:
            count = min(GROW_BY, wanted - size)
            small = tuple(
                EventDraft(kind="note", facts={"i": number}) for number in range(size, size + count)
            )
            await store.commit(Changes(run=run, events=small))
            size += count
        await store.head()
        return float((size - have) / (time.perf_counter() - start))


async def prove(url: str, size: int) -> float:
    """Milliseconds for the inclusion proof of one event, all over the log."""
    async with await open_store(url, clock=WallClock()) as store:
        await store.prove(1)
        start = time.perf_counter()
        for i in range(PROOFS):
            await store.prove(1 + (i * 7919 * 7907) % size)
        return (time.perf_counter() - start) / PROOFS * 1000


def _peak_mb() -> float:
    # Linux hands `ru_maxrss` on to new processes; what this one alone had at its peak stands here.
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _verifying(url: str, done: Any) -> None:
    async def check() -> None:
        async with await open_store(url, clock=WallClock()) as store:
            before = _peak_mb()
            start = time.perf_counter()
            report = await store.verify()
            seconds = time.perf_counter() - start
            if report.status != "unanchored":
                raise SystemExit(f"the record does not hold: {report}")
            done.put((report.events / seconds, _peak_mb() - before))

    asyncio.run(check())


def verify_alone(url: str) -> tuple[float, float]:
    """Events a second of a verification in a new process, and the MB it took for that."""
    spawn = multiprocessing.get_context("spawn")
    done = spawn.Queue()
    process = spawn.Process(target=_verifying, args=(url, done))
    process.start()
    found: tuple[float, float] = done.get()
    process.join()
    return found


def grown(url: str, sizes: list[int]) -> dict[str, dict[str, float]]:
    """What proofs and verification cost as the log grows."""
    figures = {}
    for size in sizes:
        rate = asyncio.run(grow(url, size))
        proof = asyncio.run(prove(url, size))
        verified, memory = verify_alone(url)
        figures[f"a log of {size:,} events"] = {
            "built_per_s": rate,
            "proof_ms": proof,
            "verified_per_s": verified,
            "verify_peak_mb": memory,
        }
    return figures


def pymerkle(folder: Path, count: int = 1_000) -> float | None:
    """Durable appends a second of 500 bytes to pymerkle's tree in SQLite, where installed."""
    if importlib.util.find_spec("pymerkle") is None:
        return None
    from pymerkle import SqliteTree

    with SqliteTree(str(folder / "peer.db"), algorithm="sha256") as tree:
        start = time.perf_counter()
        for number in range(count):
            tree.append_entry(b"%8d" % number + b"x" * 492)
        return count / (time.perf_counter() - start)


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


def measure(place: Any, events: int, large: int, peer: float | None) -> dict[str, Any]:
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
            if peer is not None:
                figures[name]["times_pymerkle"] = figures[name]["per_s"] / peer
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
        asyncio.run(append(url, 8, 16 * BATCH, BATCH, os.urandom(200_000)))
        figures["verify, payloads of 200 KB"] = asyncio.run(verify(url))
    with place() as url:
        figures |= grown(url, [size for size in SIZES if size <= large])
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
    parser.add_argument("--events", type=int, default=40_000, help="events of the long series")
    parser.add_argument("--large", type=int, default=SIZES[-1], help="size of the largest log")
    parser.add_argument("--url", default=os.environ.get("ASSAY_TEST_POSTGRES"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    everything: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        everything["peers"] = {"SQLite commits, bare": {"per_s": bare_commits(Path(folder))}}
        peer = pymerkle(Path(folder))
        if peer is None:
            print("pymerkle is not installed: no peer for appends", file=sys.stderr)
        else:
            everything["peers"]["pymerkle, durable appends"] = {"per_s": peer}
    with stores(options.url) as places:
        for kind, place in places.items():
            everything[kind] = measure(place, options.events, options.large, peer)
    if options.json:
        print(json.dumps(everything))
        return
    for kind, figures in everything.items():
        print(kind)
        show(figures)


if __name__ == "__main__":
    main()
