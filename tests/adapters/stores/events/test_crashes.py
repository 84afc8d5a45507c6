"""Writers killed and servers stopped in the middle: nothing acknowledged is lost or doubled."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from assay.adapters.stores import open_store
from assay.testing import FrozenClock
from tests import postgres
from tests.adapters.stores.events.crashing_writer import KEYS

ROUNDS = 50 if os.environ.get("ASSAY_CHAOS") else 3
SCRIPT = Path(__file__).with_name("crashing_writer.py")
ROOT = Path(__file__).resolve().parents[4]


class Writer:
    """One writing process and what it was told is durable."""

    def __init__(self, url: str, name: str) -> None:
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, str(SCRIPT), url, name],
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        self._reader = Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.endswith("\n"):
                self.lines.append(line.strip())

    def wait_for(self, count: int) -> None:
        """Until *count* lines came."""
        for _ in range(600):
            if len(self.lines) >= count:
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError(f"the writer gave {len(self.lines)} lines and no more")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self._reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def acknowledged(self) -> list[tuple[int, int, str]]:
        parts = [line.split() for line in self.lines if line != "unavailable"]
        return [(int(run), int(n), digest) for run, n, digest in parts]


def _check(url: str, acknowledged: list[tuple[int, int, str]], head: dict[str, object]) -> dict:
    """The record holds, nothing acknowledged is missing, nothing stands twice in the log."""

    async def look() -> dict:
        async with await open_store(url, clock=FrozenClock(), keyring=KEYS) as store:
            report = await store.verify(head if head["size"] else None)
            assert report.first_bad_why is None
            found = [(event.run, event.n, event.digest) async for event in store.events()]
            assert len(found) == len(set(found)) == report.events
            assert set(acknowledged) <= set(found)
            assert len(acknowledged) == len(set(acknowledged))
            now = dict(await store.head())
            assert now["size"] == report.events
            return now

    return asyncio.run(look())


@pytest.mark.chaos
def test_killed_writers_leave_a_sound_record(place) -> None:
    """kill -9 of two writers at random moments, over and over, on one and the same record."""
    chance = random.Random(20260117)
    head: dict[str, object] = {"size": 0}
    acknowledged: list[tuple[int, int, str]] = []
    for round_number in range(ROUNDS):
        writers = [Writer(place.url, f"w{round_number}-{i}") for i in range(2)]
        try:
            for writer in writers:
                writer.wait_for(3)
            time.sleep(chance.uniform(0.0, 0.6))
        finally:
            for writer in writers:
                writer.kill()
        acknowledged += [line for writer in writers for line in writer.acknowledged()]
        head = _check(place.url, acknowledged, head)
    assert len(acknowledged) > 0


@pytest.fixture
def own_postgres() -> Iterator[postgres.Server]:
    """A server that may be stopped."""
    try:
        with postgres.running(own=True) as server:
            yield server
    except postgres.NoServer as reason:
        reason.end_test()


@pytest.mark.chaos
def test_a_database_that_goes_away_loses_nothing(own_postgres: postgres.Server) -> None:
    """A crash of the server is told as unavailable; the writer goes on when it is back."""
    with own_postgres.database() as url:
        writer = Writer(url, "w")
        try:
            writer.wait_for(3)
            for _ in range(ROUNDS):
                own_postgres.stop()
                writer.wait_for(len(writer.lines) + 1)
                own_postgres.start()
                writer.wait_for(len(writer.lines) + 40)
        finally:
            writer.kill()
        assert "unavailable" in writer.lines
        _check(url, writer.acknowledged(), {"size": 0})
