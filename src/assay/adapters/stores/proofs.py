"""What a stranger needs beside the events: the log's name, signed heads, opened commitments.

In      a SqlStore
Out     SqlProofs, which is a `protocols.Proofs`
Effects reads; one insert for a checkpoint
Spec    RFC 9162; docs/explanation/record.md, "Receipts"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select

from assay.adapters.stores.events import read, sequence
from assay.adapters.stores.rows import blob, stamp
from assay.adapters.stores.schema import record
from assay.adapters.stores.schema.record import checkpoints
from assay.adapters.stores.sql import SqlStore
from assay.errors import IntegrityError
from assay.protocols import CheckpointRow, Erased, Opening
from assay.record.checkpoint import origin_of
from assay.record.event import StoredEvent
from assay.record.tree import root_at


class SqlProofs:
    """The proving side of a SQL store."""

    def __init__(self, store: SqlStore) -> None:
        self._store = store

    async def origin(self) -> str | None:
        def first(connection: Connection) -> str | None:
            statement = select(record.log.c.leaf).where(record.log.c.idx == 0)
            leaf = connection.execute(statement).scalar_one_or_none()
            return None if leaf is None else origin_of(blob(leaf))

        return await self._store.read(first)

    async def root(self, size: int) -> bytes | None:
        def look(connection: Connection) -> bytes | None:
            whole, _ = sequence.read_head(connection)
            if not 0 <= size <= whole:
                return None
            return root_at(size, sequence.node_reader(connection))

        return await self._store.read(look)

    async def prove(self, seq: int, size: int | None = None) -> Mapping[str, Any]:
        return await self._store.read(lambda connection: sequence.prove(connection, seq, size))

    async def put_checkpoint(self, row: CheckpointRow) -> None:
        values = {
            "size": row.size,
            "root": row.root,
            "note": row.note,
            "token": row.token,
            "created_at": stamp(row.created_at),
        }
        await self._store.write(lambda connection: connection.execute(insert(checkpoints), values))

    async def checkpoints(self) -> Sequence[CheckpointRow]:
        columns = [column for column in checkpoints.c if column.name != "position"]
        statement = select(*columns).order_by(checkpoints.c.position)

        def look(connection: Connection) -> list[CheckpointRow]:
            return [_row(found) for found in connection.execute(statement)]

        return await self._store.read(look)

    async def event(self, seq: int) -> StoredEvent:
        return await self._store.read(lambda connection: read.event_at(connection, seq))

    async def opening(self, seq: int, name: str) -> Opening | Erased:
        return await self._store.opening(seq, name)


def _row(found: Any) -> CheckpointRow:
    """Raises IntegrityError: SQLite keeps any type in any column, and somebody used that."""
    token = found.token
    texts = (found.root, found.note, found.created_at)
    try:
        if type(found.size) is not int or not all(isinstance(text, str) for text in texts):
            raise TypeError
        return CheckpointRow(
            size=found.size,
            root=found.root,
            note=found.note,
            token=None if token is None else blob(token),
            created_at=datetime.fromisoformat(found.created_at),
        )
    except (TypeError, ValueError) as error:
        raise IntegrityError(
            "a checkpoint in the store was edited into something else",
            hint="run `assay audit verify`",
        ) from error
