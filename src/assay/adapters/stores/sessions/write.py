"""How a session's row is written: only on top of the version that was read.

In      PutSession
Out     RowWrite
Effects on the connection given
Spec    interfaces.md, "Sessions"; 003-O1
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from sqlalchemy import Connection, bindparam, update
from sqlalchemy.dialects import postgresql, sqlite

from assay.adapters.stores.rows import Handler, RowWrite, row_document
from assay.adapters.stores.schema.sessions import sessions
from assay.core.json.canonical import digest_json
from assay.errors import ConflictError
from assay.protocols import PutSession, SessionRow

SESSION_FIELDS = tuple(field.name for field in fields(SessionRow))
_WRITTEN = (*SESSION_FIELDS, "vouched_by")


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

    return RowWrite(name=f"sessions/{write.row.id}", digest=digest_json(values), apply=apply)


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
