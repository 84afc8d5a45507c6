"""The rows that one transaction writes beside its events: calls and reviews.

In      PutCall, PutReview
Out     RowWrite: the row's name, its digest for the event that vouches for it, its SQL
Effects on the connection given
Spec    issue on the kernel, "Record", "Review queue"

What a row says is repeated, as a digest, in the body of the event of the same transaction, so
that an edit of the index is found like an edit of an event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Table, bindparam
from sqlalchemy.dialects import postgresql, sqlite

from assay.adapters.stores import schema
from assay.core.canonical import digest_json
from assay.errors import ConflictError, InputError
from assay.protocols import CallRow, PutCall, PutReview, ReviewRow

CALL_FIELDS = tuple(field.name for field in fields(CallRow))
REVIEW_FIELDS = tuple(field.name for field in fields(ReviewRow))


@dataclass(frozen=True, slots=True, kw_only=True)
class RowWrite:
    """One row on its way into the database."""

    name: str
    """`TABLE/ID`, as the vouching event names it."""

    digest: str | None
    """Over the row's fields; None for rows whose own digest stands elsewhere."""

    apply: Callable[[Connection, int], None]
    """Writes the row; the number is the seq of the vouching event."""


Handler = Callable[[Any], RowWrite]


class Upsert:
    """Inserts a row by its `id`, or replaces the one that stands.

    The statement is made once: making it costs more than running it.
    """

    def __init__(self, table: Table, names: Iterable[str], *, where: Any = None) -> None:
        """Prepare for rows with the columns *names*; replace only where *where* holds."""
        self._statements = {}
        for dialect in (sqlite, postgresql):
            insert = dialect.insert(table).values({name: bindparam(name) for name in names})
            changed = {name: insert.excluded[name] for name in names if name != "id"}
            self._statements[dialect.__name__.rpartition(".")[2]] = insert.on_conflict_do_update(
                index_elements=[table.c.id], set_=changed, where=where
            ).returning(table.c.id)

    def __call__(self, connection: Connection, values: Mapping[str, Any]) -> bool:
        """Write the row; False when a row stands that may not be replaced."""
        statement = self._statements[connection.dialect.name]
        return connection.execute(statement, values).first() is not None


def put_call(write: PutCall) -> RowWrite:
    """Insert the call, or replace it by id."""
    values = plain(write.row, CALL_FIELDS)

    def apply(connection: Connection, vouched_by: int) -> None:
        _UPSERT_CALL(connection, values | {"vouched_by": vouched_by})

    return RowWrite(name=f"calls/{write.row.id}", digest=digest_json(values), apply=apply)


def put_review(write: PutReview) -> RowWrite:
    """Insert the review, or replace it while it is open.

    Applying raises ConflictError when the review is decided already.
    """
    values = plain(write.row, REVIEW_FIELDS)

    def apply(connection: Connection, vouched_by: int) -> None:
        if not _UPSERT_REVIEW(connection, values | {"vouched_by": vouched_by}):
            raise ConflictError(
                f"review {write.row.id} is already decided", hint="read it again: assay review show"
            )

    return RowWrite(name=f"reviews/{write.row.id}", digest=digest_json(values), apply=apply)


_UPSERT_CALL = Upsert(schema.calls, (*CALL_FIELDS, "vouched_by"))
_UPSERT_REVIEW = Upsert(
    schema.reviews, (*REVIEW_FIELDS, "vouched_by"), where=schema.reviews.c.status == "open"
)

HANDLERS: Mapping[type, Handler] = {PutCall: put_call, PutReview: put_review}
"""What a store does for each kind of write."""


def plain(row: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """The fields of *row* as JSON values; times as text."""
    values = {}
    for name in names:
        value = getattr(row, name)
        if isinstance(value, datetime):
            value = stamp(value)
        elif isinstance(value, str):
            refuse_unstorable(name, value)
        values[name] = value
    return values


def stamp(moment: datetime) -> str:
    """*moment* as RFC 3339 text in UTC with microseconds.

    Raises:
        InputError: it carries no time zone.
    """
    if moment.tzinfo is None:
        raise InputError("a time without a time zone cannot be recorded", hint="use UTC")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")[:-6] + "Z"


def refuse_unstorable(name: str, value: str) -> None:
    """Raise InputError when *value* is text that one of the databases cannot hold."""
    lone = not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value)
    if lone or "\0" in value:
        raise InputError(
            f"{name} holds a NUL or a lone surrogate", hint="such bytes belong into a payload"
        )
