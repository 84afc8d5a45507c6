"""A store that cannot be written: read, verified and proved all the same."""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from assay.adapters.stores import open_store
from assay.core.json.canonical import canonical
from assay.errors import StoreReadOnlyError
from assay.protocols import Changes
from assay.record.event import EventDraft
from assay.testing import FrozenClock
from tests.command import assay
from tests.processes import surroundings
from tests.runtime.tiny import GOOD, script, write_pack

FIRST_RELEASE = Path(__file__).resolve().parents[2] / "fixtures" / "first_release"
_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE = 24, 1


def _bound_by_permissions() -> None:
    """In a child: a superuser is bound by the permissions of its own files, like anybody."""
    if os.geteuid() == 0:
        ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE, 0, 0, 0)


def read_only(place: Path, *words: str, **environ: str) -> tuple[int, Any]:
    """Exit code and last document of a command on the store in `place/media`."""
    done = subprocess.run(
        [sys.executable, "-m", "assay.cli.main", *words, "--json"],
        cwd=place,
        env=surroundings({"ASSAY_STORE": "sqlite:///media/assay.db", **environ}),
        preexec_fn=_bound_by_permissions,  # one system call
        capture_output=True,
        check=False,
    )
    lines = done.stdout.decode().splitlines()
    assert lines, done.stderr.decode()
    return done.returncode, json.loads(lines[-1])


def lock(media: Path) -> None:
    for file in media.iterdir():
        file.chmod(0o444)
    media.chmod(0o555)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder with a settled call in `media`, still to be locked, and a key."""
    write_pack(tmp_path / "pack")
    (tmp_path / "in.txt").write_text("There is water in the cellar.")
    script(tmp_path, GOOD, name="s.jsonl")
    store = {"ASSAY_STORE": "sqlite:///media/assay.db"}
    words = ("run", "pack", "in.txt", "--model", "scripted:s.jsonl", "--json")
    done = assay(tmp_path, *words, **store)
    (tmp_path / "call").write_text(done.document["calls"][0])
    assay(tmp_path, "audit", "keygen", "k")
    yield tmp_path
    (tmp_path / "media").chmod(0o755)


def everything_is_read(place: Path) -> None:
    before = {file.name: file.read_bytes() for file in (place / "media").iterdir()}
    call, key = (place / "call").read_text(), {"ASSAY_SIGNING_KEY": "k"}
    code, verified = read_only(place, "audit", "verify")
    assert (0, "unanchored") == (code, verified["status"])
    assert (0, None) == (verified["unsequenced"], verified["first_bad"])
    assert verified["head"].startswith("sha256:")
    assert 0 == read_only(place, "audit", "log")[0]
    assert call == read_only(place, "calls", "show", call)[1]["call"]["id"]
    code, receipt = read_only(place, "audit", "receipt", call, **key)
    assert (0, "assay-receipt/1") == (code, receipt["format"])
    assert 0 == read_only(place, "audit", "export", "--output", "exported")[0]
    code, made = read_only(place, "audit", "checkpoint", "--output", "cp", **key)
    assert (0, True, False) == (code, made["signed"], made["kept"])
    code, anchored = read_only(place, "audit", "verify", "--anchor", "cp", **key)
    assert (0, "ok") == (code, anchored["status"])
    code, refused = read_only(place, "audit", "erase", "nobody", "--reason", "r", "--actor", "a")
    assert (40, "store.unavailable") == (code, refused["error"]["code"])
    assert before == {file.name: file.read_bytes() for file in (place / "media").iterdir()}


@pytest.mark.clause("005-R20")
def test_a_store_on_read_only_media_is_read_verified_and_proved(place: Path) -> None:
    """Verify, log, calls, receipt, export, checkpoint; what writes is refused with 40."""
    lock(place / "media")
    everything_is_read(place)


@pytest.mark.clause("005-R20")
@pytest.mark.parametrize("index", [True, False], ids=["with its index", "alone"])
def test_a_log_that_was_never_folded_in_is_read_too(place: Path, index: bool) -> None:
    """A copy taken while the store was in use: nothing of its write-ahead log is passed over."""
    database = sqlite3.connect(place / "media" / "assay.db", isolation_level=None)
    database.execute("PRAGMA wal_autocheckpoint=0")
    database.execute("UPDATE checkpoints SET size = size")
    database.execute("CREATE TABLE of_others (x)")
    copy = place / "copy"
    shutil.copytree(place / "media", copy)
    database.close()
    if not index:
        (copy / "assay.db-shm").unlink()
    assert (copy / "assay.db-wal").stat().st_size
    shutil.rmtree(place / "media")
    copy.rename(place / "media")
    lock(place / "media")
    everything_is_read(place)


@pytest.mark.clause("005-R20")
def test_a_record_of_the_first_release_is_read_where_it_cannot_be_brought_up_to_date(
    place: Path,
) -> None:
    """Its tables have no column for the kind of a call; what is missing is seen as empty."""
    (place / "media" / "assay.db").unlink()
    shutil.copy(FIRST_RELEASE / "record.sqlite", place / "media" / "assay.db")
    lock(place / "media")

    code, verified = read_only(place, "audit", "verify")

    assert (0, "unanchored") == (code, verified["status"]), verified
    listed = read_only(place, "calls", "list")[1]["calls"]
    assert {"contract", "stage", "answer"} == {call["kind"] for call in listed}


@pytest.mark.clause("005-R20")
def test_verification_that_cannot_give_places_says_so(place: Path) -> None:
    """No head over nothing: the events without a place are counted, and a receipt is refused."""

    async def fill() -> None:
        url = f"sqlite:///{place}/media/assay.db"
        async with await open_store(url, clock=FrozenClock()) as store:
            await store.start_run("pack", {})

    with sqlite3.connect(place / "media" / "assay.db") as database:
        (size,) = database.execute("SELECT size FROM log_state").fetchone()
    database.close()
    asyncio.run(fill())
    lock(place / "media")

    code, verified = read_only(place, "audit", "verify")

    assert (0, "unanchored", None, 1) == (
        code,
        verified["status"],
        verified["head"],
        verified["unsequenced"],
    )
    assert size + 1 == verified["events"]
    code, refused = read_only(place, "audit", "receipt", (place / "call").read_text())
    assert (40, "store.unavailable") == (code, refused["error"]["code"])


@pytest.mark.clause("005-R20")
def test_an_edit_is_found_on_read_only_media(place: Path) -> None:
    """What cannot be written is held to the same rules."""
    with sqlite3.connect(place / "media" / "assay.db") as database:
        database.execute("UPDATE events SET body = ? WHERE seq = 3", (canonical({}),))
    database.close()
    lock(place / "media")

    code, verified = read_only(place, "audit", "verify")

    assert (50, "broken", 3) == (code, verified["status"], verified["first_bad"]["seq"])


@pytest.mark.clause("005-R20")
@pytest.mark.parametrize("placed", [True, False])
def test_a_postgresql_that_only_reads_is_verified(postgres_place: Any, placed: bool) -> None:
    """A replica, or a user who may not write: `head` needs all places, verification does not."""

    async def fill() -> None:
        async with await postgres_place.open(clock=FrozenClock()) as store:
            run = await store.start_run("pack", {})
            await store.commit(Changes(run=run, events=(EventDraft(kind="k"),)))
            if placed:
                await store.head()

    async def look() -> None:
        async with await postgres_place.open(clock=FrozenClock()) as store:
            report = await store.verify()
            assert (None, "unanchored", 2) == (
                report.first_bad_why,
                report.status,
                report.events,
            )
            assert (report.head is None, report.unsequenced) == (
                (False, 0) if placed else (True, 2)
            )
            if placed:
                assert report.head == (await store.head())["root"]
            else:
                with pytest.raises(StoreReadOnlyError):
                    await store.head()
            with pytest.raises(StoreReadOnlyError):
                await store.start_run("pack", {})

    asyncio.run(fill())
    name = postgres_place.url.rpartition("/")[2]
    with psycopg.connect(postgres_place.url, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    asyncio.run(look())
