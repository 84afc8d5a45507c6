"""Stores that cannot be reached, opened, read or written: a clear word and nothing lost."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.event import listen
from sqlalchemy.exc import DBAPIError

from assay.adapters.stores import SqlStore, database, open_store
from assay.adapters.stores.database import Database
from assay.adapters.stores.faults import translate
from assay.errors import AssayError, InputError, StoreUnavailableError
from assay.protocols import Changes
from assay.record.event import EventDraft
from assay.testing import FrozenClock

NOTE = EventDraft(kind="note", facts={"x": 1}, payloads={"p": b"content"})


async def _open(url: str, **how: Any) -> SqlStore:
    return await open_store(url, clock=FrozenClock(), **how)


def _error(work: Callable[[], Awaitable[Any]], kind: type[AssayError]) -> AssayError:
    async def run() -> Any:
        return await work()

    with pytest.raises(kind) as caught:
        asyncio.run(run())
    assert caught.value.hint
    return caught.value


def _filled(path: Path, events: int = 1) -> str:
    """The URL of a store with one run."""
    url = f"sqlite:///{path}"

    async def fill() -> None:
        async with await _open(url) as store:
            run = await store.start_run("pack", {})
            await store.commit(Changes(run=run, events=(NOTE,) * events))

    asyncio.run(fill())
    return url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "store.db",
        "mysql://host/db",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///x.db?mode=ro",
        "sqlite://host/x.db",
        "postgresql://localhost",
    ],
)
def test_a_url_that_names_no_store_is_refused(url: str) -> None:
    """Wrong kinds and wrong forms are the caller's mistake."""
    _error(lambda: _open(url), InputError)


def test_a_new_store_makes_its_folder_and_is_private(tmp_path: Path) -> None:
    """`sqlite:///PATH` creates what is missing; only the owner may read the file."""
    path = tmp_path / "a" / "b" / "assay.db"
    _filled(path)

    assert "0o600" == oct(path.stat().st_mode & 0o777)


def test_the_url_is_shown_without_password() -> None:
    """Nothing secret is handed out with the store's address."""
    url = "postgresql://ann:secret@127.0.0.1:1/db"
    error = _error(lambda: _open(url, wait_s=1), StoreUnavailableError)

    assert "postgresql://ann@127.0.0.1:1/db" == Database(url).url
    assert "sqlite:///x/y.db" == Database("sqlite:///x/y.db").url
    assert "secret" not in str(error) + error.hint
    assert (40, "store.unavailable") == (error.exit_code, error.code)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """A file stands where the folder should be."""
    (tmp_path / "file").write_text("x")
    error = _error(lambda: _open(f"sqlite:///{tmp_path}/file/x.db"), StoreUnavailableError)

    assert "cannot be created" in str(error)


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    """The path of a folder."""
    error = _error(lambda: _open(f"sqlite:///{tmp_path}"), StoreUnavailableError)

    assert "cannot be opened" in str(error)


def test_another_file_is_no_database(tmp_path: Path) -> None:
    """A text file is left as it is."""
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary, " * 200)
    error = _error(lambda: _open(f"sqlite:///{path}"), StoreUnavailableError)

    assert "no SQLite database" in str(error)
    assert "Dear diary, " * 200 == path.read_text()


def test_a_store_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    """Its tables may mean something else."""
    url = _filled(tmp_path / "x.db")
    with sqlite3.connect(tmp_path / "x.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    error = _error(lambda: _open(url), StoreUnavailableError)

    assert "newer version" in str(error)


def test_a_lock_of_another_process_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    """Locked: the commit fails whole; once free, the next one continues the chain."""
    url = _filled(tmp_path / "x.db")
    other = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async def run() -> None:
        async with await _open(url, wait_s=0.2) as store:
            many = (store.commit(Changes(run=1, events=(NOTE,))) for _ in range(50))
            results = await asyncio.gather(*many, return_exceptions=True)
            assert {"the store is locked by another process"} == set(map(str, results))
            with pytest.raises(StoreUnavailableError, match="locked by another process"):
                await store.start_run("pack", {})
            other.execute("ROLLBACK")
            await store.commit(Changes(run=1, events=(NOTE,)))
            assert [0, 1, 2] == [event.n async for event in store.events()]
            assert "unanchored" == (await store.verify()).status

    asyncio.run(run())
    other.close()


def test_a_new_store_that_another_is_just_opening_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite refuses the switch to its write-ahead log at once; the store asks again."""
    path = tmp_path / "assay.db"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE opening (x)")
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailableError, match="locked by another process"):
        asyncio.run(_open(f"sqlite:///{path}", wait_s=0.1))
    waits = 0

    def sleep(seconds: float) -> None:
        nonlocal waits
        waits += 1
        if other.in_transaction:
            other.execute("ROLLBACK")
        time.sleep(seconds)

    monkeypatch.setattr(database, "sleep", sleep)

    async def opened() -> None:
        async with await _open(f"sqlite:///{path}", wait_s=60) as store:
            assert await store.start_run("test", {}) == 1

    asyncio.run(opened())
    other.close()
    assert waits > 0


def test_a_full_disk_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    """Full: the transaction leaves nothing; with room again the chain goes on."""
    url = _filled(tmp_path / "x.db")

    async def run() -> None:
        async with await _open(url) as store:
            await store.verify()
            room = [tmp_path.joinpath("x.db").stat().st_size // 4096 + 3]

            def limit(connection: Any, *_: Any) -> None:
                connection.execute(f"PRAGMA max_page_count={room[0]}")

            listen(store._database._engine, "checkout", limit)
            big = EventDraft(kind="big", payloads={"p": b"x" * 100_000})
            results = await asyncio.gather(
                *(store.commit(Changes(run=1, events=(big,))) for _ in range(3)),
                return_exceptions=True,
            )
            assert ["the disk is full"] * 3 == [str(result) for result in results]
            room[0] = 1 << 30
            await store.commit(Changes(run=1, events=(big,)))
            assert [0, 1, 2] == [event.n async for event in store.events()]
            assert "unanchored" == (await store.verify()).status

    asyncio.run(run())


_NOT_OK = {"broken", "store.unavailable", "integrity"}


def test_a_damaged_file_is_never_ok(tmp_path: Path) -> None:
    """Pages overwritten one at a time: broken or unavailable, never ok and never a crash."""
    path = tmp_path / "x.db"
    url = _filled(path, events=300)
    whole = path.read_bytes()
    size = int.from_bytes(whole[16:18], "big")
    pages = len(whole) // size
    assert pages > 20

    async def look() -> str:
        for name in ("x.db-wal", "x.db-shm"):
            (tmp_path / name).unlink(missing_ok=True)
        try:
            async with await _open(url) as store:
                return (await store.verify()).status
        except AssayError as error:
            return error.code

    results = {}
    for page in range(pages):
        start = page * size + (100 if page == 0 else 0)  # keeps the header of the file
        garbage = bytes((page * 7 + i * 13) % 256 for i in range((page + 1) * size - start))
        path.write_bytes(whole[:start] + garbage + whole[start + len(garbage) :])
        results[page] = asyncio.run(look())

    assert [] == [page for page, word in results.items() if word not in _NOT_OK]
    path.write_bytes(whole)
    assert "unanchored" == asyncio.run(look())


def test_a_cut_file_is_never_ok(tmp_path: Path) -> None:
    """Half of the database file."""
    path = tmp_path / "x.db"
    url = _filled(path, events=300)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])

    async def look() -> str:
        try:
            async with await _open(url) as store:
                return (await store.verify()).status
        except AssayError as error:
            return error.code

    assert asyncio.run(look()) in _NOT_OK


def test_a_read_only_file_is_told(tmp_path: Path) -> None:
    """What the driver says of a database that may not be written, in our words."""
    _filled(tmp_path / "x.db")
    engine = create_engine(
        "sqlite+pysqlite://",
        creator=lambda: sqlite3.connect(f"file:{tmp_path}/x.db?mode=ro", uri=True),
    )
    with engine.connect() as connection, pytest.raises(DBAPIError) as caught:
        connection.execute(text("DELETE FROM events"))
    engine.dispose()

    assert "the store is read-only" == str(translate(caught.value))


def test_no_error_quotes_a_value(tmp_path: Path) -> None:
    """Neither the message nor what it was raised from holds what was to be written."""
    url = _filled(tmp_path / "x.db")
    with sqlite3.connect(tmp_path / "x.db") as connection:
        connection.execute("UPDATE runs SET events = 0")
    connection.close()

    async def run() -> None:
        async with await _open(url) as store:
            draft = EventDraft(kind="note", facts={"x": "very private"}, call="very private")
            await store.commit(Changes(run=1, events=(draft,)))

    error = _error(run, AssayError)

    assert "contradicts itself" in str(error)
    assert "very private" not in str(error) + repr(error.__cause__)


def test_many_open_a_new_store_at_once(place: Any) -> None:
    """The tables are made once; the others wait for them."""

    async def run() -> list[int]:
        stores = await asyncio.gather(*(_open(place.url) for _ in range(6)))
        runs = await asyncio.gather(*(store.start_run("pack", {}) for store in stores))
        assert "unanchored" == (await stores[0].verify()).status
        for store in stores:
            await store.aclose()
        return sorted(runs)

    assert [1, 2, 3, 4, 5, 6] == asyncio.run(run())


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda url: url.replace("@127", "x@127"), "refused the user or the password"),
        (lambda url: url + "_missing", "does not exist"),
    ],
)
def test_a_postgres_that_refuses_is_told(
    postgres_place: Any, change: Callable[[str], str], word: str
) -> None:
    """Wrong password, missing database: what to do is said, the password is not."""
    error = _error(lambda: _open(change(postgres_place.url), wait_s=5), StoreUnavailableError)

    assert word in str(error)


def test_a_lock_inside_postgres_is_told(postgres_place: Any) -> None:
    """Somebody holds the run: the commit gives up in time; once free, the chain goes on."""

    async def run() -> None:
        async with await _open(postgres_place.url, wait_s=2) as store:
            one = await store.start_run("pack", {})
            engine = create_engine(postgres_place.url.replace(":", "+psycopg:", 1))
            with engine.begin() as other:
                other.execute(text("SELECT * FROM runs FOR UPDATE"))
                with pytest.raises(StoreUnavailableError, match="locked"):
                    await store.commit(Changes(run=one, events=(NOTE,)))
            engine.dispose()
            await store.commit(Changes(run=one, events=(NOTE,)))
            assert [0, 1] == [event.n async for event in store.events()]

    asyncio.run(run())


def test_another_encoding_is_refused(postgres_server: Any) -> None:
    """A database that does not keep Unicode is no store."""
    with postgres_server.database(encoding="LATIN1") as url:
        error = _error(lambda: _open(url), StoreUnavailableError)

    assert "UTF-8" in str(error)
