"""Ids by their beginnings: which ones match, and how few characters tell one from all others.

In      a connection, a kind of id
Out     ids; the shortest beginnings that are unique
Effects reads only
Spec    interfaces.md, "Command line" (shortened ids); 007-T1

Looked up as a range in the order of bytes, which an index of either database has: nothing in what
is given stands for anything else, as `%` and `_` would in LIKE.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Column, ColumnElement, Connection, select

from assay.adapters.stores.schema import record
from assay.protocols import IdKind

_COLUMNS: dict[IdKind, Column[str]] = {
    "call": record.calls.c.id,
    "review": record.reviews.c.id,
    "session": record.sessions.c.id,
}
_LAST = "\U0010ffff"
"""Sorts behind every character of an id."""


def ids_beginning(connection: Connection, kind: IdKind, start: str, limit: int) -> Sequence[str]:
    """Up to *limit* ids that begin with *start*, in order."""
    column = _COLUMNS[kind]
    statement = (
        select(column)
        .where(_follows(connection, column, start, or_same=True))
        .where(_precedes(connection, column, start + _LAST))
        .order_by(_in_bytes(connection, column))
        .limit(limit)
    )
    return [str(found) for found in connection.scalars(statement)]


def shorten_ids(
    connection: Connection, kind: IdKind, ids: Iterable[str], least: int
) -> dict[str, str]:
    """The shortest beginning of each, of *least* characters or more, that no other id has."""
    column = _COLUMNS[kind]
    order = _in_bytes(connection, column)
    short = {}
    for each in ids:
        first = each[:least]
        before = (
            select(column)
            .where(_follows(connection, column, first, or_same=True))
            .where(_precedes(connection, column, each))
            .order_by(order.desc())
        )
        after = (
            select(column)
            .where(_follows(connection, column, each))
            .where(_precedes(connection, column, first + _LAST))
            .order_by(order)
        )
        near = [connection.scalar(statement.limit(1)) for statement in (before, after)]
        shared = max(_shared_chars(each, str(other or "")) for other in near)
        short[each] = each[: max(least, shared + 1)]
    return short


def _shared_chars(one: str, other: str) -> int:
    """How many characters both begin with."""
    for at, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return at
    return min(len(one), len(other))


def _in_bytes(connection: Connection, column: Column[str]) -> ColumnElement[str]:
    """*column* in the order of its bytes, which is SQLite's own."""
    return column if connection.dialect.name == "sqlite" else column.collate("C")


def _follows(
    connection: Connection, column: Column[str], start: str, *, or_same: bool = False
) -> ColumnElement[bool]:
    if connection.dialect.name == "sqlite":
        return column >= start if or_same else column > start
    return column.bool_op("~>=~" if or_same else "~>~")(start)


def _precedes(connection: Connection, column: Column[str], stop: str) -> ColumnElement[bool]:
    return column < stop if connection.dialect.name == "sqlite" else column.bool_op("~<~")(stop)
