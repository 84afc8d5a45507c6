"""Checkpoints beside the log, on each database: kept, held against the log, never believed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from assay.adapters.stores import SqlStore
from assay.adapters.stores.proofs import SqlProofs
from assay.errors import InputError, IntegrityError
from assay.protocols import Changes, Erased, Opening
from assay.record.checkpoint import Checkpoint, Signer, origin_of, verify
from assay.record.event import EventDraft, commitment
from assay.record.keys import key_files
from assay.record.tree import EMPTY_ROOT, leaf_hash
from assay.runtime.audit.checkpoints import (
    AuditKeys,
    Made,
    Verified,
    make_checkpoint,
    read_anchor,
    verify_record,
)
from assay.testing import FrozenClock

OLD, OLD_PUBLIC = key_files(b"o" * 32)
NEW, NEW_PUBLIC = key_files(b"n" * 32)
KEYS = AuditKeys(signing=OLD)
CLOCK = FrozenClock()

Work = Callable[[SqlStore, SqlProofs], Awaitable[Any]]


def at(place: Any, work: Work) -> Any:
    async def run() -> Any:
        async with await place.open(clock=CLOCK) as store:
            return await work(store, SqlProofs(store))

    return asyncio.run(run())


async def add(store: SqlStore, count: int) -> None:
    run = await store.start_run("test", {})
    for number in range(count - 1):
        draft = EventDraft(kind="note", facts={"i": number}, payloads={"p": b"x"}, subject="s-1")
        await store.commit(Changes(run=run, events=(draft,)))


async def sign(store: SqlStore, proofs: SqlProofs, keys: AuditKeys = KEYS) -> Made:
    return await make_checkpoint(store, proofs, keys, clock=CLOCK)


async def held(
    store: SqlStore, proofs: SqlProofs, anchor: bytes | None, keys: AuditKeys = KEYS
) -> Verified:
    remembered = None if anchor is None else read_anchor(anchor, keys)
    return await verify_record(store, proofs, keys, anchor=remembered)


def change(place: Any, *statements: str) -> None:
    engine = create_engine(place.url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        for statement in statements:
            done = connection.execute(text(statement))
            assert done.rowcount > 0 or statement.startswith(("CREATE", "DROP")), statement
    engine.dispose()


def test_a_head_is_signed_and_kept(place: Any) -> None:
    """The note is of this log and this root; signing the same head twice keeps one."""

    async def work(store: SqlStore, proofs: SqlProofs) -> None:
        await add(store, 5)
        made = await sign(store, proofs)
        assert await sign(store, proofs) == made
        (kept,) = await proofs.checkpoints()
        (first,) = [event async for event in store.events()][:1]

        assert origin_of(leaf_hash(first.body)) == made.origin == await proofs.origin()
        assert (5, made.root, made.note) == (kept.size, kept.root, kept.note)
        checkpoint, _ = verify(str(made.note), made.keys, origin=made.origin)
        assert (5, await proofs.root(5)) == (checkpoint.size, checkpoint.root)
        assert None is await proofs.root(6)

    at(place, work)


def test_without_a_key_nothing_is_signed_and_it_says_so(place: Any) -> None:
    """An empty log has no name; a head without key no signature, and is not kept."""

    async def work(store: SqlStore, proofs: SqlProofs) -> None:
        empty = await sign(store, proofs)
        assert (0, None, None) == (empty.size, empty.origin, empty.note)
        await add(store, 2)
        made = await sign(store, proofs, AuditKeys())
        assert (False, None) == (made.to_dict()["signed"], made.note)
        assert [] == await proofs.checkpoints()
        assert "ok" == (await held(store, proofs, made.file(), AuditKeys())).report.status

    at(place, work)


def test_anchored_and_unanchored_ranges_are_told_apart(place: Any) -> None:
    """What came after the anchor is not vouched for; without anchor nothing is."""

    async def work(store: SqlStore, proofs: SqlProofs) -> None:
        await add(store, 4)
        made = await sign(store, proofs)
        await add(store, 3)
        found = (await held(store, proofs, made.file())).to_dict()
        assert ("ok", 4, 3) == (
            found["status"],
            found["anchored_events"],
            found["unanchored_events"],
        )
        assert {"start": 0, "stop": 4} == found["ranges"]["anchored"]
        assert {"start": 4, "stop": 7} == found["ranges"]["unanchored"]
        assert found["anchor"]["signed"]
        alone = (await held(store, proofs, None)).to_dict()
        assert ("unanchored", 0, 7) == (
            alone["status"],
            alone["anchored_events"],
            alone["unanchored_events"],
        )
        assert {"held": 1, "signed_by_known_keys": 1} == {
            name: alone["checkpoints"][name] for name in ("held", "signed_by_known_keys")
        }

    at(place, work)


def test_keys_are_rotated(place: Any) -> None:
    """Both sign for a while; whoever trusts either is served; then the old one is gone."""

    async def work(store: SqlStore, proofs: SqlProofs) -> None:
        await add(store, 2)
        first = await sign(store, proofs)
        await add(store, 2)
        both = await sign(store, proofs, AuditKeys(signing=OLD + NEW))
        await add(store, 2)
        last = await sign(store, proofs, AuditKeys(signing=NEW))
        for made, trusted, good in (
            (first, OLD_PUBLIC, True),
            (first, NEW_PUBLIC, False),
            (both, OLD_PUBLIC, True),
            (both, NEW_PUBLIC, True),
            (last, OLD_PUBLIC, False),
            (last, NEW_PUBLIC, True),
            (last, OLD_PUBLIC + NEW_PUBLIC, True),
        ):
            keys = AuditKeys(trusted=(trusted,))
            if good:
                assert "ok" == (await held(store, proofs, made.file(), keys)).report.status
            else:
                with pytest.raises(IntegrityError, match="no known key"):
                    await held(store, proofs, made.file(), keys)

    at(place, work)


def test_a_checkpoint_of_a_larger_log_is_found(place: Any) -> None:
    """The tail was cut, or the checkpoint is of elsewhere: broken, never ok."""

    async def work(store: SqlStore, proofs: SqlProofs) -> None:
        await add(store, 3)
        origin = await proofs.origin()
        larger = Checkpoint(origin=str(origin), size=9, root=b"r" * 32)
        note = larger.sign([Signer(name=str(origin), seed=b"o" * 32)]).encode()
        report = (await held(store, proofs, note)).report
        assert ("broken", 4) == (report.status, report.first_bad_seq)
        assert "the tail is cut" in str(report.first_bad_why)

    at(place, work)


def test_a_checkpoint_of_another_log_is_found(place: Any, tmp_path: Any) -> None:
    """The same key signs another log of the same size: broken against that anchor."""

    async def other(store: SqlStore, proofs: SqlProofs) -> Made:
        await store.start_run("other", {})
        await add(store, 2)
        return await sign(store, proofs)

    async def work(store: SqlStore, proofs: SqlProofs) -> None:
        await add(store, 3)
        report = (await held(store, proofs, foreign.file())).report
        assert "broken" == report.status

    elsewhere = type(place)(f"sqlite:///{tmp_path}/other.db", "sqlite")
    foreign = at(elsewhere, other)
    at(place, work)


@pytest.mark.parametrize(
    ("statements", "why"),
    [
        (("UPDATE checkpoints SET size = 2",), "other than its text"),
        (("UPDATE checkpoints SET root = 'sha256:00'",), "other than its text"),
        (("UPDATE checkpoints SET note = 'x'",), "no checkpoint"),
        (("UPDATE checkpoints SET note = note || 'x'",), "no checkpoint"),
    ],
)
def test_an_edited_checkpoint_in_the_store_is_found(
    place: Any, statements: tuple[str, ...], why: str
) -> None:
    """Nothing in the table is believed because it stands there."""

    async def work(store: SqlStore, proofs: SqlProofs) -> None:
        await add(store, 3)
        await sign(store, proofs)

    async def look(store: SqlStore, proofs: SqlProofs) -> Verified:
        return await held(store, proofs, None)

    at(place, work)
    change(place, *statements)
    report = at(place, look).report
    assert ("broken", None) == (report.status, report.first_bad_seq)
    assert why in str(report.first_bad_why)


def test_a_forged_checkpoint_in_the_store_is_found(place: Any) -> None:
    """A head that a stranger signed, over a larger log or another root; a broken signature."""

    async def work(store: SqlStore, proofs: SqlProofs) -> str:
        await add(store, 3)
        made = await sign(store, proofs)
        return f"{made.origin} {made.root} {made.note}"

    async def look(store: SqlStore, proofs: SqlProofs) -> Verified:
        return await held(store, proofs, None)

    origin, root, note = at(place, work).split(" ", 2)
    stranger = Signer(name="stranger", seed=b"x" * 32)
    raw = bytes.fromhex(root.removeprefix("sha256:"))
    for size, value, words in ((9, raw, "larger log"), (2, raw, "another one")):
        forged = Checkpoint(origin=origin, size=size, root=value).sign([stranger])
        change(place, f"UPDATE checkpoints SET size = {size}, root = '{root}', note = '{forged}'")
        assert words in str(at(place, look).report.first_bad_why)
    body, _, line = note.rpartition("\n\n")
    broken = f"{body}\n\n{line[:-8]}{'AAAA' if line[-8:-4] != 'AAAA' else 'BBBB'}{line[-4:]}"
    change(place, f"UPDATE checkpoints SET size = 3, root = '{root}', note = '{broken}'")
    assert "does not hold" in str(at(place, look).report.first_bad_why)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"nonsense",
        b"\xff",
        b"{",
        b"[]",
        b"{}",
        b'{"size": 3}',
        b'{"size": "3", "root": "sha256:00"}',
        b'{"size": true, "root": "sha256:' + b"0" * 64 + b'"}',
        b'{"size": -1, "root": "sha256:' + b"0" * 64 + b'"}',
        b'{"size": 3, "root": "sha256:' + b"G" * 64 + b'"}',
        b'{"checkpoint": "x"}',
        b'{"size": 1, "size": 3, "root": "sha256:' + b"0" * 64 + b'"}',
        b'{"size": 0, "root": "sha256:' + b"0" * 64 + b'"}',
        b'{"a":' * 50_000,
        b"o\n1\nAAAA\n\n",
    ],
)
def test_an_anchor_that_is_none_is_an_integrity_error(data: bytes) -> None:
    """A clear word, never `ok` and never a crash."""
    with pytest.raises(IntegrityError, match="anchor"):
        read_anchor(data, KEYS)


def test_an_anchor_of_another_log_is_said_to_be_one(place: Any) -> None:
    """By its name: of the same size and root, larger, or of an empty log; bare or signed."""

    async def work(store: SqlStore, proofs: SqlProofs) -> None:
        await add(store, 3)
        head = await store.head()
        root = bytes.fromhex(head["root"].partition(":")[2])
        stranger = Signer(name="assay/other", seed=b"x" * 32)
        keys = AuditKeys(signing=OLD, trusted=(str(stranger.verifier).encode(),))
        for size, value in ((3, root), (9, root), (0, EMPTY_ROOT)):
            other = Checkpoint(origin="assay/other", size=size, root=value)
            bare = {"origin": "assay/other", "size": size, "root": "sha256:" + value.hex()}
            for data in (other.sign([stranger]).encode(), json.dumps(bare).encode()):
                report = (await held(store, proofs, data, keys)).report
                assert ("broken", 1) == (report.status, report.first_bad_seq)
                assert "another log" in str(report.first_bad_why)
                assert (None, 0) == (report.anchored_to, report.anchored_events)
        assert "ok" == (await held(store, proofs, json.dumps(head).encode())).report.status

    at(place, work)


def test_a_kept_checkpoint_of_another_shape_is_a_verdict(sqlite_place: Any) -> None:
    """SQLite keeps any type in any column: broken, never a crash, and receipts refuse too."""

    async def work(store: SqlStore, proofs: SqlProofs) -> None:
        await add(store, 2)
        await sign(store, proofs)

    async def look(store: SqlStore, proofs: SqlProofs) -> Verified:
        return await held(store, proofs, None)

    async def again(store: SqlStore, proofs: SqlProofs) -> None:
        with pytest.raises(IntegrityError, match="edited into something else"):
            await sign(store, proofs)

    at(sqlite_place, work)
    for column, wrong in (
        ("created_at", "'words'"),
        ("created_at", "7"),
        ("note", "x'fffe'"),
        ("root", "x'fffe'"),
        ("size", "'words'"),
        ("token", "'words'"),
        ("token", "1000000000000000000"),
    ):
        change(sqlite_place, "CREATE TABLE kept AS SELECT * FROM checkpoints")
        change(sqlite_place, f"UPDATE checkpoints SET {column} = {wrong}")
        assert "broken" == at(sqlite_place, look).report.status, (column, wrong)
        at(sqlite_place, again)
        change(sqlite_place, "DELETE FROM checkpoints")
        change(sqlite_place, "INSERT INTO checkpoints SELECT * FROM kept")
        change(sqlite_place, "DROP TABLE kept")
    assert "unanchored" == at(sqlite_place, look).report.status


def test_a_time_stamp_over_something_else_is_found_without_certificates(place: Any) -> None:
    """A response that does not even hold the digest of the note vouches for nothing."""

    async def work(store: SqlStore, proofs: SqlProofs) -> tuple[str, ...]:
        await add(store, 2)
        note = str((await sign(store, proofs)).note)
        (row,) = await proofs.checkpoints()
        found = []
        for token in (b"anything", sha256(note.encode()).digest()):
            await proofs.put_checkpoint(replace(row, token=token))
            found.append((await held(store, proofs, None)).report.status)
            await store.write(
                lambda connection: connection.execute(
                    text("DELETE FROM checkpoints WHERE token IS NOT NULL")
                )
            )
        return tuple(found)

    assert ("broken", "unanchored") == at(place, work)


def test_an_anchor_needs_a_known_key(place: Any) -> None:
    """Without any key, and with another one."""

    async def work(store: SqlStore, proofs: SqlProofs) -> None:
        await add(store, 2)
        note = (await sign(store, proofs)).file()
        for keys in (AuditKeys(), AuditKeys(trusted=(NEW_PUBLIC,))):
            with pytest.raises(IntegrityError, match="key"):
                read_anchor(note, keys)
        with pytest.raises(InputError):
            read_anchor(note, AuditKeys(trusted=(b"no key",)))

    at(place, work)


def test_what_a_commitment_was_made_over(place: Any) -> None:
    """Content with salt; after an erasure the event that vouches."""

    async def work(store: SqlStore, proofs: SqlProofs) -> None:
        await add(store, 2)
        event = await proofs.event(2)
        opening = await proofs.opening(2, "p")
        assert isinstance(opening, Opening)
        assert event.commitments["p"] == commitment(opening.salt, opening.content)
        await store.erase("s-1", reason="asked", actor="a")
        gone = await proofs.opening(2, "p")
        assert isinstance(gone, Erased)
        assert "subject.erased" == (await proofs.event(gone.by)).kind

    at(place, work)
