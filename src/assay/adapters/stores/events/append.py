"""Append events to their runs: prepared outside of any lock, written in one transaction.

In      Changes of one or many callers
Out     StoredEvents, in their place and chained; rows, payloads, a note for the sequencer
Effects on the connection given; reads the clock
Spec    docs/decisions/0005, docs/decisions/0006; 002-J7

Everything dear (canonical JSON, salts, commitments) is done by `prepare`; `append` holds the
run's row, gives places, chains, encrypts and inserts, for all of a batch together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Table, bindparam, exists, func, insert, select, text, update

from assay.adapters.stores.events.sealing import Keys, fresh_salt, seal
from assay.adapters.stores.rows import Handler, RowWrite, refuse_unstorable, stamp
from assay.adapters.stores.schema import record
from assay.adapters.stores.statements import Statement
from assay.core.json.canonical import canonical
from assay.errors import InputError, NotFoundError
from assay.protocols import Changes
from assay.record.event import GENESIS, EventDraft, StoredEvent, commitment
from assay.record.event import seal as seal_event

_RUN_LOCK = 0x72756E73  # "runs": PostgreSQL's advisory lock under which runs are numbered


@dataclass(frozen=True, slots=True)
class PreparedEvent:
    """A draft with what can be computed before its place is known."""

    draft: EventDraft
    facts: bytes
    contents: tuple[tuple[str, bytes, bytes], ...]  # name, salt, content
    commitments: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Prepared:
    """Changes, ready to be written."""

    run: int
    events: tuple[PreparedEvent, ...]
    writes: tuple[RowWrite, ...]
    rows: Mapping[str, str]
    durable: bool = True


def prepare(changes: Changes, handlers: Mapping[type, Handler]) -> Prepared:
    """Check *changes* and do all that needs no database.

    Raises:
        InputError: facts are no JSON, a text cannot be stored, a row has no event to vouch for
            it, or nothing knows how to carry out a write.
    """
    writes = []
    for write in changes.writes:
        handler = handlers.get(type(write))
        if handler is None:
            raise InputError(f"this store cannot write {type(write).__name__}")
        writes.append(handler(write))
    rows = {name: digest for write in writes for name, digest in write.rows.items()}
    if writes and not changes.events:
        raise InputError("a change needs an event in the same transaction that tells of it")
    return Prepared(
        run=changes.run,
        events=tuple(prepare_event(draft) for draft in changes.events),
        writes=tuple(writes),
        rows=rows,
        durable=changes.durable,
    )


def prepare_event(draft: EventDraft) -> PreparedEvent:
    """Encode the facts of *draft*, draw salts, commit to its payloads."""
    for name, value in (("kind", draft.kind), ("call", draft.call), ("subject", draft.subject)):
        if value is not None:
            refuse_unstorable(name, value)
    contents = []
    commitments = {}
    for name, content in sorted(draft.payloads.items()):
        refuse_unstorable("a payload's name", name)
        salt = fresh_salt()
        contents.append((name, salt, content))
        commitments[name] = commitment(salt, content)
    return PreparedEvent(draft, canonical(dict(draft.facts)), tuple(contents), commitments)


def append(
    connection: Connection,
    batch: Sequence[Prepared],
    *,
    keys: Keys,
    now: Callable[[], datetime],
) -> list[tuple[StoredEvent, ...]]:
    """Write all of *batch* on one connection; the caller commits.

    The time is asked for once the runs are held, so that it never runs backwards in a run.

    Raises:
        NotFoundError: a run was never started.
        ConflictError: a write contradicts what stands; nothing of the batch may be kept.
    """
    heads = _lock_runs(connection, sorted({item.run for item in batch}))
    about = {event.draft.subject or "" for item in batch for event in item.events if event.contents}
    holders = keys.lock_subjects(connection, about)
    seq = _allocate(connection, sum(len(item.events) for item in batch))
    when = stamp(now())
    done: list[tuple[StoredEvent, ...]] = []
    event_rows: list[dict[str, Any]] = []
    payload_rows: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    for item in batch:
        n, prev = heads[item.run]
        first = n
        stored = []
        for position, prepared in enumerate(item.events, start=1):
            draft = prepared.draft
            body, digest = seal_event(
                draft,
                run=item.run,
                n=n,
                at=when,
                prev=prev,
                commitments=prepared.commitments,
                rows=item.rows if position == len(item.events) else None,
                facts=prepared.facts,
            )
            here = next(seq)
            stored.append(
                StoredEvent(
                    seq=here,
                    run=item.run,
                    n=n,
                    kind=draft.kind,
                    at=when,
                    prev=prev,
                    digest=digest,
                    body=body,
                    call=draft.call,
                    subject=draft.subject,
                    facts=draft.facts,
                    commitments=prepared.commitments,
                )
            )
            event_rows.append(
                {
                    "seq": here,
                    "run": item.run,
                    "n": n,
                    "kind": draft.kind,
                    "at": when,
                    "call": draft.call,
                    "subject": draft.subject,
                    "prev": prev,
                    "digest": digest,
                    "body": body,
                }
            )
            for name, salt, content in prepared.contents:
                holder = holders[draft.subject or ""]
                payload_rows.append(
                    {
                        "seq": here,
                        "name": name,
                        "sealed_by": holder.sealed_by,
                        "content": seal(holder, salt, content, digest=digest, name=name),
                    }
                )
            n, prev = n + 1, digest
        heads[item.run] = n, prev
        done.append(tuple(stored))
        if stored:
            notes.append({"run": item.run, "first": first, "stop": n})
    if event_rows:
        _INSERT_EVENT.run_many(connection, event_rows)
        moved = [{"of": run, "to": n, "digest": prev} for run, (n, prev) in sorted(heads.items())]
        _MOVE_HEAD.run_many(connection, moved)
        _INSERT_NOTE.run_many(connection, notes)
    _INSERT_PAYLOAD.run_many(connection, payload_rows)
    for item, events in zip(batch, done, strict=True):
        for write in item.writes:
            write.apply(connection, events[-1].seq)
    return done


def open_run(connection: Connection, kind: str, at: datetime) -> int:
    """Insert the next run, still without an event; holds the numbering until the commit."""
    refuse_unstorable("kind", kind)
    if connection.dialect.name != "sqlite":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _RUN_LOCK})
    run = int(connection.execute(_LAST_RUN).scalar_one()) + 1
    connection.execute(
        insert(record.runs),
        {"run": run, "kind": kind, "started_at": stamp(at), "events": 0, "head": GENESIS},
    )
    return run


def is_on_record(connection: Connection, event: StoredEvent) -> bool:
    """Whether *event* stands in the record; waits for whoever still writes to its run."""
    _lock_runs(connection, [event.run])
    columns = record.events.c
    where = (columns.seq == event.seq) & (columns.digest == event.digest)
    return bool(connection.execute(select(exists().where(where))).scalar())


def _lock_runs(connection: Connection, wanted: list[int]) -> dict[int, tuple[int, str]]:
    locks = connection.dialect.name != "sqlite"  # there the whole database is held already
    statement = _HEAD_LOCKED if locks else _HEAD
    heads = {}
    for run in wanted:
        row = statement.first(connection, {"of": run})
        if row is None:
            raise NotFoundError(f"there is no run {run}", hint="start a run first")
        heads[run] = (row[0], row[1])
    return heads


def _allocate(connection: Connection, count: int) -> Any:
    """Fresh values of `events.seq`, ascending."""
    if not count:
        return iter(())
    if connection.dialect.name == "sqlite":  # the write lock is held: nobody else counts
        last = (_LAST_SEQ.first(connection) or (0,))[0]
        return iter(range(last + 1, last + 1 + count))
    return iter([seq for (seq,) in _NEXT_SEQS.rows(connection, {"count": count})])


def _insert_rows(table: Table, *names: str) -> Statement:
    return Statement(insert(table).values({name: bindparam(name) for name in names}))


_SELECT_HEAD = select(record.runs.c.events, record.runs.c.head).where(
    record.runs.c.run == bindparam("of")
)
_HEAD = Statement(_SELECT_HEAD)
_HEAD_LOCKED = Statement(_SELECT_HEAD.with_for_update())
_INSERT_EVENT = _insert_rows(
    record.events,
    *("seq", "run", "n", "kind", "at", "call", "subject", "prev", "digest", "body"),
)
_INSERT_PAYLOAD = _insert_rows(record.payloads, "seq", "name", "sealed_by", "content")
_INSERT_NOTE = _insert_rows(record.pending, "run", "first", "stop")
_MOVE_HEAD = Statement(
    update(record.runs)
    .where(record.runs.c.run == bindparam("of"))
    .values(events=bindparam("to"), head=bindparam("digest"))
)
_LAST_RUN = select(func.coalesce(func.max(record.runs.c.run), 0))
_LAST_SEQ = Statement(text("SELECT seq FROM sqlite_sequence WHERE name = 'events'"))
_NEXT_SEQS = Statement(
    text("SELECT nextval(pg_get_serial_sequence('events', 'seq')) FROM generate_series(1, :count)")
)
