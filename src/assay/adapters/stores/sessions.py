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

from sqlalchemy import Connection, Select, and_, bindparam, select, update
from sqlalchemy.dialects import postgresql, sqlite

from assay.adapters.stores.events import read
from assay.adapters.stores.rows import SESSION_FIELDS, Handler, RowWrite, row_document
from assay.adapters.stores.schema.record import events, payloads, sessions
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
        found = await self._store.read(lambda connection: _row(connection, session_id))
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

    async def sessions(self, limit: int = 100) -> Sequence[SessionRow]:
        """The latest first."""
        statement = (
            select(*_COLUMNS)
            .order_by(sessions.c.updated_at.desc(), sessions.c.position.desc())
            .limit(limit)
        )
        return await self._store.read(
            lambda connection: [
                _session_fields(found._mapping) for found in connection.execute(statement)
            ]
        )


def _row(connection: Connection, session_id: str) -> tuple[SessionRow, int] | None:
    """The row and the event that vouches for it.

    A row that was put back, or taken away, is found out by the session's newest event. Row and
    event are looked at in one statement: a turn may be stored between two.
    """
    newest = _newest(session_id)
    statement = select(*_COLUMNS, sessions.c.vouched_by, newest.scalar_subquery().label("newest"))
    statement = statement.where(sessions.c.id == session_id)
    found = connection.execute(statement).one_or_none()
    if found is None:
        if connection.execute(newest).one_or_none() is None:
            return None
        found = connection.execute(statement).one_or_none()  # begun this moment, or taken away
        if found is None:
            raise _edited_session(session_id)
    values = dict(found._mapping)
    try:
        seq = int(values.pop("vouched_by"))
        if values.pop("newest") != seq:
            raise _edited_session(session_id)
        row = _session_fields(values)
        vouched = json.loads(read.event_at(connection, seq).body).get("rows", {})
        written = digest_json(row_document(row, SESSION_FIELDS))
    except (IntegrityError, NotFoundError, InputError, ValueError, TypeError) as error:
        raise _edited_session(session_id) from error
    if vouched.get(f"sessions/{session_id}") != written:
        raise _edited_session(session_id)
    return row, seq


def _newest(session_id: str) -> Select[tuple[int]]:
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
