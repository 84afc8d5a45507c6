"""Sessions as they stand, each checked against the event that vouches for it; how a row is written.

In      a SqlStore; PutSession
Out     SqlSessions, which is a `protocols.Sessions`; RowWrite
Effects on the connection given
Spec    003 "State merge"; interfaces.md, "Sessions"

A row is written only on top of the version that was read, and read only while it is what its
event says.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Connection,
    Select,
    and_,
    bindparam,
    exists,
    func,
    select,
    text,
    tuple_,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from assay.adapters.stores.events import read
from assay.adapters.stores.rows import SESSION_FIELDS, Handler, RowWrite, row_document
from assay.adapters.stores.schema.record import (
    events,
    log,
    log_state,
    payloads,
    pending,
    runs,
    sessions,
)
from assay.adapters.stores.sql import SqlStore
from assay.core.json.canonical import digest, digest_json
from assay.errors import ConflictError, InputError, IntegrityError, NotFoundError
from assay.protocols import PutSession, SessionRow, StoredSession

PAYLOAD = "session"
_COLUMNS = [sessions.c[name] for name in SESSION_FIELDS]
_WRITTEN = (*SESSION_FIELDS, "vouched_by")


class SqlSessions:
    """The sessions of a store."""

    def __init__(self, store: SqlStore) -> None:
        """Read through *store*."""
        self._store = store

    async def session(self, session_id: str) -> StoredSession | None:
        """None when there is no such session.

        Raises:
            IntegrityError: its row, its event or its content was edited; names the session.
            NotFoundError: its content was erased.
        """
        found = await self._store.read(
            lambda connection: _row(connection, session_id), snapshot=True
        )
        if found is None:
            return None
        row, seq = found
        try:
            content = await self._store.payload(seq, PAYLOAD)
        except (IntegrityError, NotFoundError) as error:
            raise _edited_session(session_id) from error
        if content is None:
            raise NotFoundError(
                f"session {session_id} was erased", hint="start another: leave --session out"
            )
        if digest(content) != row.state_digest:
            raise _edited_session(session_id)
        return StoredSession(row=row, content=content)

    async def sessions(
        self, limit: int = 100, *, before: str | None = None
    ) -> Sequence[SessionRow]:
        """The latest first; *before*, an id: those that stand behind it in that order."""
        order = (sessions.c.updated_at, sessions.c.position)
        statement = select(*_COLUMNS).order_by(*(each.desc() for each in order)).limit(limit)
        if before is not None:
            stands = select(*order).where(sessions.c.id == before).subquery()
            statement = statement.join(stands, tuple_(*order) < tuple_(*stands.c))
        return await self._store.read(
            lambda connection: [
                _session_fields(found._mapping) for found in connection.execute(statement)
            ]
        )


def _row(connection: Connection, session_id: str) -> tuple[SessionRow, int] | None:
    """The row and the event that vouches for it, as they stand at one moment.

    A row that was put back, or taken away, is found out by the session's newest event; where
    newer events were taken away with it, by what still counts them.
    """
    newest = connection.scalar(_newest(session_id))
    statement = select(*_COLUMNS, sessions.c.vouched_by).where(sessions.c.id == session_id)
    found = connection.execute(statement).one_or_none()
    if found is None and newest is None:
        return None
    if found is None:
        raise _edited_session(session_id)
    values = dict(found._mapping)
    try:
        seq = int(values.pop("vouched_by"))
        if int(newest or 0) != seq or _events_are_missing(connection, seq):
            raise _edited_session(session_id)
        row = _session_fields(values)
        vouched = json.loads(read.event_at(connection, seq).body).get("rows", {})
        written = digest_json(row_document(row, SESSION_FIELDS))
    except (IntegrityError, NotFoundError, InputError, ValueError, TypeError) as error:
        raise _edited_session(session_id) from error
    if vouched.get(f"sessions/{session_id}") != written:
        raise _edited_session(session_id)
    return row, seq


def _events_are_missing(connection: Connection, seq: int) -> bool:
    """Whether the record counts events after event *seq*, or in its run, that are not there.

    The run counts its events and names the last one; the sequencer's notes and the log name what
    they hold; SQLite counts the numbers that it gave. All that is read stands after *seq*.
    """
    run = connection.execute(select(events.c.run).where(events.c.seq == seq)).scalar_one()
    last = connection.execute(
        select(events.c.n, events.c.digest)
        .where(events.c.run == run)
        .order_by(events.c.n.desc())
        .limit(1)
    ).one()
    head = select(runs.c.events, runs.c.head).where(runs.c.run == run)
    counted = connection.execute(head).one_or_none()
    noted = select(exists().where(pending.c.run == run, pending.c.stop > last.n + 1))
    if counted is None or tuple(counted) != (last.n + 1, last.digest):
        return True
    if connection.execute(noted).scalar():
        return True
    top = select(func.coalesce(func.max(log.c.idx) + 1, 0)).scalar_subquery()
    whole = connection.execute(select(log_state.c.size == top)).scalar()
    if not whole:
        return True
    gone = (
        select(log.c.seq)
        .join(events, events.c.seq == log.c.seq, isouter=True)
        .where(log.c.seq > seq, events.c.seq.is_(None))
        .limit(1)
    )
    if connection.execute(gone).first() is not None:
        return True
    if connection.dialect.name != "sqlite":  # elsewhere numbers are lost with what is rolled back
        return False
    count = select(func.count()).select_from(events).where(events.c.seq > seq).scalar_subquery()
    given = text("SELECT seq FROM sqlite_sequence WHERE name = 'events'")
    return bool(connection.execute(given).scalar_one() - seq != connection.scalar(select(count)))


def _newest(session_id: str) -> Select[Any]:
    """The last event that says where the session stands."""
    return (
        select(events.c.seq)
        .join(payloads, and_(payloads.c.seq == events.c.seq, payloads.c.name == PAYLOAD))
        .where(events.c.subject == session_id)
        .order_by(events.c.seq.desc())
        .limit(1)
    )


def _edited_session(session_id: str) -> IntegrityError:
    return IntegrityError(
        f"the state of session {session_id} is not what was recorded: it was edited",
        hint="run `assay audit verify`; start another session to go on",
    )


def _session_fields(values: Any) -> SessionRow:
    moments = {name: datetime.fromisoformat(values[name]) for name in ("created_at", "updated_at")}
    return SessionRow(**{**values, **moments})


def put_session(write: PutSession) -> RowWrite:
    """Insert the session when its version is 1, else move it on from the version before.

    Applying raises ConflictError when somebody else was faster.
    """
    values = row_document(write.row, SESSION_FIELDS)

    def apply(connection: Connection, vouched_by: int) -> None:
        row = values | {"vouched_by": vouched_by}
        if write.row.version == 1:
            statement = _INSERT[connection.dialect.name]
        else:
            statement, row = _MOVE, row | {"of": write.row.id, "before": write.row.version - 1}
        if connection.execute(statement, row).first() is None:
            raise ConflictError(
                f"session {write.row.id} was moved on by another turn",
                hint="send the message again once that turn has ended",
            )

    return RowWrite(rows={f"sessions/{write.row.id}": digest_json(values)}, apply=apply)


_INSERT = {
    dialect.__name__.rpartition(".")[2]: dialect.insert(sessions)
    .values({name: bindparam(name) for name in _WRITTEN})
    .on_conflict_do_nothing(index_elements=[sessions.c.id])
    .returning(sessions.c.id)
    for dialect in (sqlite, postgresql)
}
_MOVE = (
    update(sessions)
    .where(sessions.c.id == bindparam("of"), sessions.c.version == bindparam("before"))
    .values({name: bindparam(name) for name in _WRITTEN if name != "id"})
    .returning(sessions.c.id)
)

SESSION_HANDLERS: Mapping[type, Handler] = {PutSession: put_session}
"""What a store does for a session's row."""
