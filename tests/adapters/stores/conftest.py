"""Both databases for the tests of the store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.adapters.stores import SqlStore, open_store
from assay.protocols import Clock, KeyRing
from tests import postgres


@dataclass
class Place:
    """One database; a `testing.StorePlace`."""

    url: str
    kind: str

    async def open(self, *, clock: Clock, keyring: KeyRing | None = None) -> SqlStore:
        return await open_store(self.url, clock=clock, keyring=keyring)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Server]:
    """A PostgreSQL server for the session; skips loudly when there is none."""
    try:
        with postgres.running() as server:
            yield server
    except postgres.NoServer as reason:
        reason.end_test()


@pytest.fixture
def sqlite_place(tmp_path: Path) -> Place:
    return Place(f"sqlite:///{tmp_path}/store/assay.db", "sqlite")


@pytest.fixture
def postgres_place(postgres_server: postgres.Server) -> Iterator[Place]:
    with postgres_server.database() as url:
        yield Place(url, "postgres")


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest) -> Place:
    """The same test on each database."""
    found: Place = request.getfixturevalue(f"{request.param}_place")
    return found
