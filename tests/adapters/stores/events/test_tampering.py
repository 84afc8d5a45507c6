"""What somebody with the database in his hands can do to a record, and how it is found."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import pytest
from sqlalchemy import Connection, create_engine, text

from assay.core.json.canonical import canonical, digest
from assay.protocols import Changes, PutCall, PutReview, VerifyReport
from assay.record.event import GENESIS, EventDraft
from assay.record.tree import Frontier, leaf_hash
from assay.testing import FrozenClock, StorePlace
from assay.testing.stores import a_call, a_review

Head = Mapping[str, Any]
# seq: 1 run 1 started · 2, 3 run 1 · 4 run 2 started · 5 run 2 · 6 run 1 · 7, 8 run 2
# 9 run 3 started (erasure) · 10 subject.erased · 11 run 4 started · 12 run 1 · 13 run 1


async def _record(place: StorePlace) -> Head:
    """Thirteen events in four runs, with payloads, an erasure, calls and a review."""
    clock = FrozenClock()
    async with await place.open(clock=clock) as store:

        async def add(run: int, kind: str, *writes: Any, about: str | None = None) -> None:
            clock.advance(1)
            payloads = {"a": b"alpha " + kind.encode(), "b": b""} if about else {}
            draft = EventDraft(kind=kind, facts={"x": 1}, payloads=payloads, subject=about)
            await store.commit(Changes(run=run, events=(draft,), writes=writes))

        one = await store.start_run("pack", {"pack": "intake"})
        await add(one, "call.opened", PutCall(row=a_call("c-1", one)), about="s-1")
        await add(one, "attempt.judged", about="s-2")
        two = await store.start_run("pack", {"pack": "intake"})
        await add(two, "call.opened", PutCall(row=a_call("c-2", two)), about="s-1")
        settled = a_call("c-1", one, status="settled", outcome="accepted", attempts=1)
        await add(one, "call.settled", PutCall(row=settled), about="s-2")
        waiting = a_call("c-2", two, status="settled", outcome="needs_review", attempts=2)
        review = a_review("r-1", two, call="c-2")
        await add(two, "call.settled", PutCall(row=waiting), PutReview(row=review), about="s-2")
        await add(two, "run.ended")
        await store.erase("s-1", reason="asked to", actor="ann")
        await store.start_run("pack", {"pack": "grants"})
        await add(one, "note", about="s-2")
        await add(one, "run.ended")
        head = await store.head()
        assert (await store.verify(head)).status == "ok"
        return head


@dataclass
class Victim:
    """A record, its head, and a way to its tables."""

    place: Any
    head: Head

    @contextmanager
    def tables(self) -> Iterator[Connection]:
        url = self.place.url.replace("postgresql://", "postgresql+psycopg://")
        engine = create_engine(url)
        try:
            with engine.begin() as connection:
                yield connection
        finally:
            engine.dispose()

    def change(self, *statements: str, **values: Any) -> None:
        with self.tables() as connection:
            for statement in statements:
                assert connection.execute(text(statement), values).rowcount > 0, statement

    def verify(self, anchored: bool = True) -> VerifyReport:
        async def check() -> VerifyReport:
            async with await self.place.open(clock=FrozenClock()) as store:
                report: VerifyReport = await store.verify(self.head if anchored else None)
                return report

        return asyncio.run(check())


@pytest.fixture
def victim(place: StorePlace) -> Victim:
    return Victim(place, asyncio.run(_record(place)))


def _bad(report: VerifyReport) -> tuple[str, int | None]:
    return report.status, report.first_bad_seq


def test_an_edited_body_is_found(victim: Victim) -> None:
    """Content edited: the event itself is named, with or without an anchor."""
    with victim.tables() as connection:
        row = connection.execute(text("SELECT body FROM events WHERE seq = 6")).one()
        body = bytes(row.body).replace(b'"x":1', b'"x":2')
        connection.execute(text("UPDATE events SET body = :body WHERE seq = 6"), {"body": body})

    assert ("broken", 6) == _bad(victim.verify())
    assert ("broken", 6) == _bad(victim.verify(anchored=False))


@pytest.mark.clause("005-R20")
def test_an_edit_with_a_new_digest_is_found(victim: Victim) -> None:
    """Whoever also writes the digest anew has the log against him; whoever also edits the log,
    the event that follows. Named is the one that was changed."""
    with victim.tables() as connection:
        row = connection.execute(text("SELECT body FROM events WHERE seq = 6")).one()
        body = bytes(row.body).replace(b'"x":1', b'"x":2')
        connection.execute(
            text("UPDATE events SET body = :body, digest = :digest WHERE seq = 6"),
            {"body": body, "digest": digest(body)},
        )
    assert ("broken", 6) == _bad(victim.verify(anchored=False))
    victim.change("UPDATE log SET leaf = :leaf WHERE seq = 6", leaf=leaf_hash(body))

    report = victim.verify(anchored=False)
    assert ("broken", 6, 5) == (*_bad(report), report.events)
    assert "event 12 follows another one" in str(report.first_bad_why)


@pytest.mark.clause("005-R20")
@pytest.mark.parametrize("seq", [1, 2, 6, 12, 13])
@pytest.mark.parametrize("field", ["facts", "prev"])
def test_the_event_that_was_changed_is_named(victim: Victim, seq: int, field: str) -> None:
    """The first, the second, the last of its run; in what it says, or in what it follows."""
    with victim.tables() as connection:
        body = connection.execute(text(f"SELECT body FROM events WHERE seq = {seq}")).scalar_one()
        said = json.loads(bytes(body))
        said |= {"facts": said["facts"] | {"x": 9}} if field == "facts" else {}
        said |= {"prev": digest(b"another")} if field == "prev" else {}
        body = canonical(said)
        connection.execute(
            text("UPDATE events SET body = :b, digest = :d, prev = :p WHERE seq = :seq"),
            {"b": body, "d": digest(body), "p": said["prev"], "seq": seq},
        )
        connection.execute(
            text("UPDATE log SET leaf = :leaf WHERE seq = :seq"),
            {"leaf": leaf_hash(body), "seq": seq},
        )

    assert ("broken", seq) == _bad(victim.verify(anchored=False))


def test_an_edited_payload_is_found(victim: Victim) -> None:
    """The event that committed to the content is named."""
    with victim.tables() as connection:
        row = connection.execute(
            text("SELECT content FROM payloads WHERE seq = 3 AND name = 'a'")
        ).one()
        edited = bytes(row.content)[:-1] + b"!"
        connection.execute(
            text("UPDATE payloads SET content = :c WHERE seq = 3 AND name = 'a'"), {"c": edited}
        )

    report = victim.verify()

    assert ("broken", 3) == _bad(report)
    assert "payload 'a' was edited" in str(report.first_bad_why)


@pytest.mark.parametrize("seq", [1, 3, 6, 9, 11, 13])
def test_a_deleted_event_is_found(victim: Victim, seq: int) -> None:
    """First, middle, last, the only one of its run: the missing one is named."""
    victim.change(f"DELETE FROM events WHERE seq = {seq}")
    if seq in {3}:
        victim.change(f"DELETE FROM payloads WHERE seq = {seq}")

    assert ("broken", seq) == _bad(victim.verify(anchored=False))


def test_a_deleted_event_is_found_without_its_place_in_the_log(victim: Victim) -> None:
    """The event after the gap is named; or the one itself, if a row still points to it."""
    victim.change(
        "DELETE FROM events WHERE seq = 12",
        "DELETE FROM payloads WHERE seq = 12",
        "DELETE FROM log WHERE seq = 12",
    )
    assert ("broken", 13) == _bad(victim.verify(anchored=False))
    victim.change(
        "DELETE FROM events WHERE seq = 6",
        "DELETE FROM payloads WHERE seq = 6",
        "DELETE FROM log WHERE seq = 6",
    )

    assert ("broken", 6) == _bad(victim.verify(anchored=False))


@pytest.mark.parametrize(("one", "other"), [(2, 3), (3, 5), (12, 13), (6, 7)])
def test_two_swapped_events_are_found(victim: Victim, one: int, other: int) -> None:
    """In one run or across runs, neighbours or not: the earlier of the two is named."""
    victim.change(
        f"UPDATE events SET seq = -1 WHERE seq = {one}",
        f"UPDATE events SET seq = {one} WHERE seq = {other}",
        f"UPDATE events SET seq = {other} WHERE seq = -1",
    )

    assert ("broken", one) == _bad(victim.verify(anchored=False))


def test_two_swapped_bodies_are_found(victim: Victim) -> None:
    """Bodies and digests exchanged under columns that stay."""
    with victim.tables() as connection:
        rows = connection.execute(
            text("SELECT seq, body, digest FROM events WHERE seq IN (12, 13) ORDER BY seq")
        ).all()
        for row, seq in zip(rows, (13, 12), strict=True):
            connection.execute(
                text("UPDATE events SET body = :body, digest = :digest WHERE seq = :seq"),
                {"body": row.body, "digest": row.digest, "seq": seq},
            )

    assert ("broken", 12) == _bad(victim.verify(anchored=False))


def test_an_inserted_event_is_found(victim: Victim) -> None:
    """Even one that continues its run well has no place in the log."""
    with victim.tables() as connection:
        head = connection.execute(text("SELECT events, head FROM runs WHERE run = 4")).one()
        said = {
            **{"at": "2026-01-17T08:00:59.000000Z", "call": None, "facts": {}, "kind": "made.up"},
            **{"n": head.events, "payloads": {}, "prev": head.head, "run": 4},
            **{"subject": None, "v": 1},
        }
        body = canonical(said)
        connection.execute(
            text(
                "INSERT INTO events (seq, run, n, kind, at, prev, digest, body)"
                " VALUES (14, 4, :n, 'made.up', :at, :prev, :digest, :body)"
            ),
            {"n": said["n"], "at": said["at"], "prev": said["prev"]}
            | {"digest": digest(body), "body": body},
        )
    assert ("broken", 14) == _bad(victim.verify(anchored=False))
    victim.change("UPDATE runs SET events = events + 1, head = :h WHERE run = 4", h=digest(body))

    assert ("broken", 14) == _bad(victim.verify(anchored=False))


@pytest.mark.parametrize("run", [2, 4])
def test_a_missing_run_is_found(victim: Victim, run: int) -> None:
    """A run taken out with all that belongs to it; the last one, only its head tells."""
    with victim.tables() as connection:
        seqs = f"(SELECT seq FROM events WHERE run = {run})"
        for statement in (
            f"DELETE FROM payloads WHERE seq IN {seqs}",
            f"DELETE FROM log WHERE seq IN {seqs}",
            f"DELETE FROM calls WHERE run = {run}",
            f"DELETE FROM reviews WHERE run = {run}",
            f"DELETE FROM events WHERE run = {run}",
            f"DELETE FROM runs WHERE run = {run}",
        ):
            connection.execute(text(statement))

    assert ("broken", {2: 6, 4: 12}[run]) == _bad(victim.verify(anchored=False))


def _forge(victim: Victim, edit: Callable[[int, dict[str, Any]], bool]) -> None:
    """Rebuild the whole record as its owner could: chain, runs, log, nodes, state.

    *edit* may change what an event says, by its seq; those for which it gives False are dropped.
    """
    with victim.tables() as connection:
        rows = connection.execute(text("SELECT seq, body FROM events ORDER BY seq")).all()
        heads: dict[int, tuple[int, str]] = {}
        edge = Frontier()
        for table in ("log", "log_nodes"):
            connection.execute(text(f"DELETE FROM {table}"))
        for row in rows:
            said = json.loads(bytes(row.body))
            if not edit(row.seq, said):
                connection.execute(text(f"DELETE FROM events WHERE seq = {row.seq}"))
                continue
            n, prev = heads.get(said["run"], (0, GENESIS))
            said |= {"n": n, "prev": prev}
            body = canonical(said)
            heads[said["run"]] = n + 1, digest(body)
            connection.execute(
                text(
                    "UPDATE events SET body = :body, digest = :digest, n = :n, prev = :prev"
                    " WHERE seq = :seq"
                ),
                {"body": body, "digest": digest(body), "n": n, "prev": prev, "seq": row.seq},
            )
            leaf = leaf_hash(body)
            connection.execute(
                text("INSERT INTO log (idx, seq, leaf) VALUES (:idx, :seq, :leaf)"),
                {"idx": edge.size, "seq": row.seq, "leaf": leaf},
            )
            edge.append(leaf)
        for run, (events, head) in heads.items():
            connection.execute(
                text("UPDATE runs SET events = :events, head = :head WHERE run = :run"),
                {"events": events, "head": head, "run": run},
            )
        connection.execute(
            text("UPDATE log_state SET size = :size, frontier = :edge"),
            {"size": edge.size, "edge": edge.to_bytes()},
        )


def test_a_rebuilt_record_is_found_by_its_anchor(victim: Victim) -> None:
    """The owner rewrites everything: sound in itself, but not what the anchor remembers."""

    def edit(seq: int, said: dict[str, Any]) -> bool:
        said["facts"]["x"] = 2
        return True

    _forge(victim, edit)
    assert "unanchored" == victim.verify(anchored=False).status

    report = victim.verify()

    assert ("broken", 13) == _bad(report)
    assert "anchor" in str(report.first_bad_why)


def test_a_cut_tail_is_found_by_its_anchor(victim: Victim) -> None:
    """The newest events taken away tidily: only a remembered head misses them."""
    _forge(victim, lambda seq, said: seq < 13)
    assert "unanchored" == victim.verify(anchored=False).status

    report = victim.verify()

    assert ("broken", 13) == _bad(report)
    assert "the tail is cut" in str(report.first_bad_why)


def test_a_cut_tail_is_found_without_anchor_when_the_run_remembers(victim: Victim) -> None:
    """Log and events cut, the run's own count left."""
    victim.change(
        "DELETE FROM events WHERE seq = 13",
        "DELETE FROM log WHERE seq = 13",
    )
    with victim.tables() as connection:
        leaves = connection.execute(text("SELECT leaf FROM log ORDER BY idx")).scalars()
        edge = Frontier()
        for leaf in leaves:
            edge.append(bytes(leaf))
        connection.execute(
            text("UPDATE log_state SET size = 12, frontier = :edge"), {"edge": edge.to_bytes()}
        )

    report = victim.verify(anchored=False)

    assert ("broken", 13) == _bad(report)
    assert "the tail of run 1 is cut" in str(report.first_bad_why)


def test_a_payload_gone_without_erasure_is_found(victim: Victim) -> None:
    """Taken away, emptied, or blamed on the erasure of somebody else."""
    gone = "UPDATE payloads SET content = NULL, erased_by = {} WHERE seq = 3 AND name = 'a'"
    for erased_by in ("NULL", "0", "2", "10", "13", "99"):
        victim.change(gone.format(erased_by))
        assert ("broken", 3) == _bad(victim.verify())
    victim.change("DELETE FROM payloads WHERE seq = 3 AND name = 'a'")

    assert ("broken", 3) == _bad(victim.verify())


def test_an_erasure_vouches_for_nothing_later(victim: Victim) -> None:
    """An event of the same subject, written after the erasure, keeps its payloads."""

    async def more() -> int:
        async with await victim.place.open(clock=FrozenClock()) as store:
            draft = EventDraft(kind="late", payloads={"p": b"x"}, subject="s-1")
            (event,) = await store.commit(Changes(run=4, events=(draft,)))
            return int(event.seq)

    seq = asyncio.run(more())
    victim.change(f"UPDATE payloads SET content = NULL, erased_by = 10 WHERE seq = {seq}")

    assert ("broken", seq) == _bad(victim.verify())


@pytest.mark.parametrize(
    ("statement", "seq"),
    [
        ("UPDATE calls SET outcome = 'accepted', reason = NULL WHERE id = 'c-2'", 7),
        ("DELETE FROM calls WHERE id = 'c-1'", 6),
        ("DELETE FROM reviews WHERE id = 'r-1'", 7),
        ("UPDATE reviews SET status = 'accepted', reviewer = 'eve' WHERE id = 'r-1'", 7),
        ("UPDATE reviews SET status = 'withdrawn' WHERE id = 'r-1'", 7),
        ("UPDATE calls SET vouched_by = 2, status = 'open', outcome = NULL, attempts = 0"
         " WHERE id = 'c-1'", 6),
        ("UPDATE calls SET id = 'c-9' WHERE id = 'c-2'", 5),
        ("INSERT INTO reviews (id, run, input, reason, status, opened_at, vouched_by)"
         " SELECT 'r-9', run, input, reason, status, opened_at, 8 FROM reviews", 8),
    ],
)  # fmt: skip
def test_an_index_row_says_what_its_event_vouched_for(
    victim: Victim, statement: str, seq: int
) -> None:
    """Edited, deleted, set back, renamed or made up: the event that tells better is named."""
    victim.change(statement)

    assert ("broken", seq) == _bad(victim.verify(anchored=False))


# Columns that nothing rests on: they only order lists.
_FREE = {("calls", "position"), ("reviews", "position")}


def test_every_cell_counts(victim: Victim) -> None:
    """No cell of any table of the record can be changed without being found."""
    unseen = []
    rows = (
        ("runs", "run = 2"),
        ("events", "seq = 7"),
        ("payloads", "seq = 7 AND name = 'b'"),
        ("payloads", "seq = 2 AND name = 'a'"),  # erased
        ("calls", "id = 'c-2'"),
        ("reviews", "id = 'r-1'"),
        ("log", "seq = 7"),
        ("log_state", "id = 1"),
    )
    for table, where in rows:
        with victim.tables() as connection:
            row = connection.execute(text(f"SELECT * FROM {table} WHERE {where}")).one()._mapping
        for name, value in row.items():
            if (table, name) in _FREE:
                continue
            with victim.tables() as connection:
                connection.execute(
                    text(f"UPDATE {table} SET {name} = :new WHERE {where}"),
                    {"new": _other(name, value)},
                )
            if victim.verify().status != "broken":
                unseen.append((table, name))
            with victim.tables() as connection:
                names = ", ".join(row)
                places = ", ".join(f":{column}" for column in row)
                connection.execute(
                    text(f"DELETE FROM {table} WHERE {_changed(where, name)}"),
                    {"new": _other(name, value)},
                )
                connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({places})"), row)
    assert [] == unseen
    assert "ok" == victim.verify().status


def _other(name: str, value: Any) -> Any:
    """Some other value of the same type."""
    if isinstance(value, int):
        return value + 100
    if isinstance(value, bytes):
        return bytes([value[0] ^ 1]) + value[1:] if value else b"x"
    if value is None:
        return {"sealed_by": 1, "erased_by": 10, "content": b"x"}.get(name, "x")
    return value + "x"


def _changed(where: str, name: str) -> str:
    """The condition that finds the row again after column *name* was changed."""
    parts = [part for part in where.split(" AND ") if not part.startswith(f"{name} = ")]
    return " AND ".join([*parts, f"{name} = :new"])


def test_kept_nodes_count_too(place: StorePlace) -> None:
    """A cached node of the tree that was edited, deleted or made up is found."""

    async def long_record() -> Head:
        async with await place.open(clock=FrozenClock()) as store:
            run = await store.start_run("pack", {})
            drafts = tuple(EventDraft(kind="k", facts={"i": i}) for i in range(600))
            await store.commit(Changes(run=run, events=drafts))
            return await store.head()

    victim = Victim(place, asyncio.run(long_record()))
    assert "ok" == victim.verify().status
    with victim.tables() as connection:
        kept = connection.execute(text("SELECT hash FROM log_nodes WHERE idx = 1")).scalar_one()
    for statement, seq in (
        ("UPDATE log_nodes SET hash = :h WHERE idx = 1", 512),
        ("DELETE FROM log_nodes WHERE idx = 1", 512),
        ("INSERT INTO log_nodes (level, idx, hash) VALUES (8, 2, :h), (8, 1, :k)", 601),
    ):
        victim.change(statement, h=sha256(b"").digest(), k=bytes(kept))
        assert ("broken", seq) == _bad(victim.verify())


def test_an_earlier_erasure_is_no_excuse(victim: Victim) -> None:
    """Numbers may be changed, places in the log not: what came after an erasure stays after it.

    The forger empties a payload of an erased subject that was written later, and renumbers both
    events so that the erasure seems to be the later one.
    """

    async def more() -> None:
        async with await victim.place.open(clock=FrozenClock()) as store:
            draft = EventDraft(kind="late", payloads={"p": b"x"}, subject="s-1")
            await store.commit(Changes(run=1, events=(draft,)))  # seq 14
            victim.head = await store.head()

    asyncio.run(more())
    victim.change(
        *(
            statement
            for table in ("events", "log")
            for statement in (
                f"UPDATE {table} SET seq = 20 WHERE seq = 10",
                f"UPDATE {table} SET seq = 21 WHERE seq = 11",
            )
        ),
        "UPDATE payloads SET erased_by = 20 WHERE erased_by = 10",
        "UPDATE payloads SET content = NULL, erased_by = 20 WHERE seq = 14",
    )

    report = victim.verify()

    assert ("broken", 14) == _bad(report)
    assert "no erasure says why" in str(report.first_bad_why)


def test_notes_of_the_sequencer_are_checked(victim: Victim) -> None:
    """An event robbed of its note never gets a place; a note too many is told as well."""

    async def add() -> None:
        async with await victim.place.open(clock=FrozenClock()) as store:
            await store.commit(Changes(run=4, events=(EventDraft(kind="late"),)))  # seq 14

    asyncio.run(add())
    victim.change("DELETE FROM log_pending")
    assert ("broken", 14) == _bad(victim.verify())
    victim.change("INSERT INTO log_pending (run, first, stop) VALUES (4, 1, 2)")
    assert "ok" == victim.verify().status
    victim.change("INSERT INTO log_pending (run, first, stop) VALUES (4, 1, 2)")

    assert ("broken", 14) == _bad(victim.verify())


def test_values_of_another_type_are_found(sqlite_place: StorePlace) -> None:
    """SQLite stores anything anywhere: text as body, words as numbers, numbers as digests."""
    victim = Victim(sqlite_place, asyncio.run(_record(sqlite_place)))
    for table, where, columns in (
        ("events", "seq = 7", ("run", "n", "at", "digest", "body", "prev", "kind")),
        ("payloads", "seq = 7 AND name = 'a'", ("content", "sealed_by", "erased_by")),
        ("runs", "run = 2", ("events", "head", "kind", "started_at")),
        ("runs", "run = 4", ("events",)),  # its one event
        ("log", "idx = 6", ("leaf", "seq")),
        ("log_state", "id = 1", ("size", "frontier")),
        ("calls", "id = 'c-2'", ("attempts", "vouched_by", "created_at", "run")),
    ):
        for column in columns:
            with victim.tables() as connection:
                kept = connection.execute(text(f"SELECT * FROM {table} WHERE {where}")).one()
            for wrong in ("words", 1.5, b"\xff\xfe", "\ud7ff", -(2**62)):
                with victim.tables() as connection:
                    connection.execute(
                        text(f"UPDATE {table} SET {column} = :wrong WHERE {where}"),
                        {"wrong": wrong},
                    )
                assert "broken" == victim.verify().status, (table, column, wrong)
                with victim.tables() as connection:
                    connection.execute(
                        text(
                            f"UPDATE {table} SET {column} = :kept WHERE {where}"
                            if column not in where
                            else f"UPDATE {table} SET {column} = :kept WHERE {column} = :wrong"
                        ),
                        {"kept": kept._mapping[column], "wrong": wrong},
                    )
    assert "ok" == victim.verify().status
