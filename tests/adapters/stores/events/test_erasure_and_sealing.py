"""What stands on the disk: nothing readable with a key, nothing at all after an erasure."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from assay.adapters.keys import MasterKeys
from assay.adapters.stores import open_store
from assay.errors import IntegrityError
from assay.protocols import Changes, KeyRing
from assay.record.event import EventDraft
from assay.testing import FrozenClock

SECRET = b"the patient said that her left knee hurts"
RING = MasterKeys([b"k" * 32])


def _on_disk(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file())


def _draft(subject: str = "s-1") -> EventDraft:
    payloads = {"p": SECRET, "long": SECRET * 2000}
    return EventDraft(kind="k", payloads=payloads, subject=subject)


@pytest.mark.parametrize("keyring", [None, RING], ids=["clear", "sealed"])
def test_erased_content_leaves_the_disk(tmp_path: Path, keyring: KeyRing | None) -> None:
    """Neither the database file nor its log of changes holds it, though both stay open."""
    folder = tmp_path / "store"

    async def run() -> None:
        url = f"sqlite:///{folder}/assay.db"
        async with await open_store(url, clock=FrozenClock(), keyring=keyring) as store:
            one = await store.start_run("pack", {})
            for _ in range(5):
                await store.commit(Changes(run=one, events=(_draft(), _draft("s-2"))))
            assert (SECRET in _on_disk(folder)) is (keyring is None)
            await store.erase("s-1", reason="asked to", actor="ann")
            await store.erase("s-2", reason="asked to", actor="ann")
            assert SECRET not in _on_disk(folder)

    asyncio.run(run())


def test_a_subject_has_its_own_key_and_loses_it(place: Any) -> None:
    """The wrapped data keys differ; the erasure deletes one of them and no other."""

    def rows() -> dict[str, bytes]:
        engine = create_engine(place.url.replace("postgresql://", "postgresql+psycopg://"))
        try:
            with engine.connect() as connection:
                found = connection.execute(text("SELECT subject, key_id, wrapped FROM subjects"))
                return {row.subject: RING.unwrap(row.key_id, bytes(row.wrapped)) for row in found}
        finally:
            engine.dispose()

    async def run() -> None:
        async with await place.open(clock=FrozenClock(), keyring=RING) as store:
            one = await store.start_run("pack", {})
            drafts = tuple(_draft(subject) for subject in ("s-1", "s-2"))
            await store.commit(Changes(run=one, events=drafts))
            before = rows()
            assert ["s-1", "s-2"] == sorted(before)
            assert before["s-1"] != before["s-2"]
            await store.erase("s-1", reason="asked to", actor="ann")
            assert {"s-2": before["s-2"]} == rows()
            await store.commit(Changes(run=one, events=drafts))
            assert before["s-1"] != rows()["s-1"]
            assert "unanchored" == (await store.verify()).status

    asyncio.run(run())


def test_a_ciphertext_fits_one_place_only(place: Any) -> None:
    """Moved to another event or another name it does not open, whatever its key."""

    async def run() -> None:
        async with await place.open(clock=FrozenClock(), keyring=RING) as store:
            one = await store.start_run("pack", {})
            draft = EventDraft(kind="k", payloads={"p": b"a", "q": b"a"}, subject="s-1")
            first, second = await store.commit(Changes(run=one, events=(draft, draft)))
            engine = create_engine(place.url.replace("postgresql://", "postgresql+psycopg://"))
            source = "(SELECT content FROM payloads WHERE seq = :seq AND name = :name)"
            for seq, name in ((second.seq, "p"), (first.seq, "q")):
                with engine.begin() as connection:
                    connection.execute(
                        text(
                            f"UPDATE payloads SET content = {source}"
                            f" WHERE seq = {first.seq} AND name = 'p'"
                        ),
                        {"seq": seq, "name": name},
                    )
                with pytest.raises(IntegrityError):
                    await store.payload(first.seq, "p")
                report = await store.verify()
                assert ("broken", first.seq) == (report.status, report.first_bad_seq)
            engine.dispose()

    asyncio.run(run())


def test_an_erasure_and_writers_do_not_miss_each_other(place: Any) -> None:
    """Written while erasing: gone, or there under a new key; never unreadable, always sound."""

    async def run() -> None:
        clock = FrozenClock()
        async with (
            await place.open(clock=clock, keyring=RING) as store,
            await place.open(clock=clock, keyring=RING) as other,
        ):
            runs = [await store.start_run("pack", {}) for _ in range(4)]

            done: asyncio.Queue[int] = asyncio.Queue()

            async def write(run: int) -> list[int]:
                seqs = []
                for _ in range(15):
                    draft = EventDraft(kind="k", payloads={"p": SECRET}, subject="s-1")
                    (event,) = await other.commit(Changes(run=run, events=(draft,)))
                    seqs.append(event.seq)
                    done.put_nowait(event.seq)
                return seqs

            async def erase() -> int:
                erased = 0
                for _ in range(6):
                    for _ in range(10):
                        await done.get()
                    erased += await store.erase("s-1", reason="r", actor="a")
                return erased

            await write(runs[0])
            *written, erased = await asyncio.gather(*map(write, runs), erase())
            report = await store.verify()
            assert (report.first_bad_why, report.erased) == (None, erased)
            contents = [await other.payload(seq, "p") for part in written for seq in part]
            assert set(contents) <= {SECRET, None}
            assert erased == 15 + contents.count(None)

    asyncio.run(run())


def test_payloads_hang_on_the_key_of_their_own_subject(place: Any) -> None:
    """Two subjects who exchange their keys' names: an erasure would destroy the wrong one's."""

    async def fill() -> None:
        async with await place.open(clock=FrozenClock(), keyring=RING) as store:
            run = await store.start_run("pack", {})
            await store.commit(Changes(run=run, events=(_draft("s-1"), _draft("s-2"))))

    async def verified() -> tuple[str, int | None]:
        async with await place.open(clock=FrozenClock(), keyring=RING) as store:
            report = await store.verify()
            return report.status, report.first_bad_seq

    asyncio.run(fill())
    assert ("unanchored", None) == asyncio.run(verified())
    engine = create_engine(place.url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        for new, old in (("s-0", "s-1"), ("s-1", "s-2"), ("s-2", "s-0")):
            statement = text("UPDATE subjects SET subject = :new WHERE subject = :old")
            assert 1 == connection.execute(statement, {"new": new, "old": old}).rowcount
    engine.dispose()

    assert ("broken", 2) == asyncio.run(verified())


def test_a_second_erasure_leaves_the_first_ones_name(place: Any) -> None:
    """What one erasure destroyed stays hers, whoever asks for the same subject afterwards."""

    def vouchers() -> dict[int, int]:
        engine = create_engine(place.url.replace("postgresql://", "postgresql+psycopg://"))
        try:
            with engine.connect() as connection:
                found = connection.execute(text("SELECT seq, name, erased_by FROM payloads"))
                return {(row.seq, row.name): row.erased_by for row in found}
        finally:
            engine.dispose()

    async def run() -> None:
        async with await place.open(clock=FrozenClock()) as store:
            one = await store.start_run("pack", {})
            await store.commit(Changes(run=one, events=(_draft(),)))
            assert 2 == await store.erase("s-1", reason="asked to", actor="ann")
            first = vouchers()
            await store.commit(Changes(run=one, events=(_draft(),)))
            assert 2 == await store.erase("s-1", reason="asked again", actor="bob")
            second = vouchers()
            by = {}
            async for event in store.events(kind="subject.erased"):
                by[event.seq] = event.facts["actor"]
            assert first == {key: second[key] for key in first}
            assert ["ann", "ann", "bob", "bob"] == [by[seq] for _, seq in sorted(second.items())]
            assert "ok" == (await store.verify(await store.head())).status

    asyncio.run(run())
