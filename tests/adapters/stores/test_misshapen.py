"""A store whose tables were taken apart is a damaged record, not one that is out of reach."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from assay.adapters.stores import open_store
from assay.adapters.stores.schema.record import METADATA
from assay.errors import AssayError, IntegrityError
from assay.protocols import CallFilter, Changes, PutCall
from assay.record.event import EventDraft
from assay.testing import FrozenClock
from assay.testing.stores.samples import a_call
from tests.command import assay

NOTE = EventDraft(kind="note", facts={"x": 1}, payloads={"p": b"content"})

SPOILT = {
    "dropped": "DROP TABLE alembic_version",
    "emptied": "DELETE FROM alembic_version",
    "no version": "UPDATE alembic_version SET version_num = 'x'",
    "an older one": "UPDATE alembic_version SET version_num = '0001'",
    "one before the first": "UPDATE alembic_version SET version_num = '0000'",
    "two": "INSERT INTO alembic_version VALUES ('0001')",
    "another column": "ALTER TABLE alembic_version RENAME COLUMN version_num TO other",
}


def _fill(place: Any) -> None:
    async def fill() -> None:
        async with await place.open(clock=FrozenClock()) as store:
            run = await store.start_run("pack", {})
            await store.commit(Changes(run=run, events=(NOTE,)))

    asyncio.run(fill())


def _change(place: Any, *statements: str) -> None:
    url = place.url.replace("postgresql:", "postgresql+psycopg:", 1)
    engine = create_engine(url)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


@pytest.mark.parametrize("how", sorted(SPOILT))
def test_a_spoilt_version_is_damage(place: Any, how: str) -> None:
    """Whatever was done to it, the record is not to be trusted, and is left as it is."""
    _fill(place)
    _change(place, SPOILT[how])

    with pytest.raises(IntegrityError) as caught:
        asyncio.run(place.open(clock=FrozenClock()))

    assert (50, True) == (caught.value.exit_code, bool(caught.value.hint))


@pytest.mark.parametrize("table", sorted(METADATA.tables))
def test_each_missing_table_breaks_the_record(place: Any, table: str) -> None:
    """The verdict names it."""
    _fill(place)
    cascade = " CASCADE" if place.kind == "postgres" else ""
    _change(place, f"DROP TABLE {table}{cascade}")

    async def look() -> Any:
        async with await place.open(clock=FrozenClock()) as store:
            return await store.verify()

    report = asyncio.run(look())

    assert ("broken", f"the table {table} is missing") == (report.status, report.first_bad_why)


def test_a_missing_column_breaks_the_record(place: Any) -> None:
    """The same of a column."""
    _fill(place)
    _change(place, "ALTER TABLE calls RENAME COLUMN outcome TO other")

    async def look() -> Any:
        async with await place.open(clock=FrozenClock()) as store:
            return await store.verify()

    report = asyncio.run(look())

    assert ("broken", "the table calls has no column outcome") == (
        report.status,
        report.first_bad_why,
    )


def test_reading_and_writing_without_a_table_is_damage(place: Any) -> None:
    """It is told as what it is, and not as a database that cannot be reached."""
    _fill(place)
    cascade = " CASCADE" if place.kind == "postgres" else ""
    _change(place, f"DROP TABLE calls{cascade}", f"DROP TABLE payloads{cascade}")

    async def work(what: str) -> None:
        async with await place.open(clock=FrozenClock()) as store:
            if what == "read":
                await store.calls(CallFilter())
            else:
                await store.commit(Changes(run=1, events=(NOTE,)))

    for what in ("read", "write"):
        with pytest.raises(AssayError) as caught:
            asyncio.run(work(what))
        assert (50, "integrity") == (caught.value.exit_code, caught.value.code)


@pytest.mark.parametrize(
    "statement",
    ["DROP TABLE events", "DROP TABLE checkpoints", *SPOILT.values()],
)
def test_the_command_says_broken(tmp_path: Path, statement: str) -> None:
    """`assay audit verify` leaves with 50 and its verdict."""
    url = f"sqlite:///{tmp_path}/x.db"

    async def fill() -> None:
        async with await open_store(url, clock=FrozenClock()) as store:
            await store.start_run("pack", {})

    asyncio.run(fill())
    connection = sqlite3.connect(tmp_path / "x.db")
    connection.execute(statement)
    connection.commit()
    connection.close()

    done = assay(tmp_path, "audit", "verify", "--store", url)
    assert 50 == done.code
    assert "broken" in done.out


def test_reading_a_value_of_another_type_is_damage(sqlite_place: Any) -> None:
    """SQLite keeps any type in any column: whoever reads such a row is told, and never a crash."""

    async def fill() -> int:
        async with await sqlite_place.open(clock=FrozenClock()) as store:
            run = await store.start_run("pack", {})
            row = a_call("c-1", run)
            event = EventDraft(kind="call.opened", call="c-1")
            await store.commit(Changes(run=run, events=(event,), writes=(PutCall(row=row),)))
            return int((await store.head())["size"])

    async def use(work: Callable[[Any], Any]) -> None:
        async with await sqlite_place.open(clock=FrozenClock()) as store:
            with pytest.raises(IntegrityError):
                await work(store)
            assert "broken" == (await store.verify()).status

    asyncio.run(fill())
    for table, column, wrong, work in (
        ("calls", "created_at", "'words'", lambda store: store.call("c-1")),
        ("calls", "contract", "x'fffe'", lambda store: store.calls(CallFilter())),
        ("log", "leaf", "'words'", lambda store: store.prove(1)),
        ("log", "leaf", "-1", lambda store: store.prove(1)),
        ("log_state", "size", "1.5", lambda store: store.head()),
        ("log_state", "size", "'[]'", lambda store: store.head()),
        ("log_state", "frontier", "1000000000000000000", lambda store: store.head()),
    ):
        _change(sqlite_place, f"CREATE TABLE kept AS SELECT * FROM {table}")
        _change(sqlite_place, f"UPDATE {table} SET {column} = {wrong}")
        asyncio.run(use(work))
        _change(sqlite_place, f"DELETE FROM {table}")
        _change(sqlite_place, f"INSERT INTO {table} SELECT * FROM kept", "DROP TABLE kept")
