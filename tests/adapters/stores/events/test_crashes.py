"""Writers killed and servers stopped in the middle: nothing acknowledged is lost or doubled."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assay.adapters.stores import open_store
from assay.testing import FrozenClock
from tests import postgres
from tests.adapters.stores.events.crashing_writer import KEYS
from tests.processes import read_line, start_python

ROUNDS = 50 if os.environ.get("ASSAY_CHAOS") else 3
SCRIPT = str(Path(__file__).with_name("crashing_writer.py"))


class Writer:
    """One writing process and what it was told is durable."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.acknowledged: list[tuple[int, int, str]] = []

    def wait_for(self, count: int) -> None:
        """Until *count* more events were acknowledged."""
        until = len(self.acknowledged) + count
        while len(self.acknowledged) < until:
            self._take(read_line(self._process))

    def wait_for_trouble(self) -> None:
        """Until it is told that the database is out of reach."""
        while not self._take(read_line(self._process)):
            pass

    def kill(self) -> None:
        """End it in the middle, and take what it had said by then."""
        self._process.kill()
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.endswith("\n"):
                self._take(line)

    def _take(self, line: str) -> bool:
        """Whether *line* tells of trouble."""
        if line == "unavailable\n":
            return True
        run, n, digest = line.split()
        self.acknowledged.append((int(run), int(n), digest))
        return False


@contextmanager
def writing(url: str, name: str) -> Iterator[Writer]:
    """A process that writes until it is killed."""
    with start_python(SCRIPT, url, name) as process:
        yield Writer(process)


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
    """kill -9 of two writers at random events, over and over, on one and the same record."""
    chance = random.Random(20260117)
    head: dict[str, object] = {"size": 0}
    acknowledged: list[tuple[int, int, str]] = []
    for round_number in range(ROUNDS):
        with (
            writing(place.url, f"w{round_number}-0") as one,
            writing(place.url, f"w{round_number}-1") as other,
        ):
            for writer in (one, other):
                writer.wait_for(chance.randint(1, 200))
            for writer in (one, other):
                writer.kill()
                acknowledged += writer.acknowledged
        head = _check(place.url, acknowledged, head)


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
        with writing(url, "w") as writer:
            writer.wait_for(3)
            for _ in range(ROUNDS):
                own_postgres.stop()
                writer.wait_for_trouble()
                own_postgres.start()
                writer.wait_for(40)
            writer.kill()
        _check(url, writer.acknowledged, {"size": 0})
