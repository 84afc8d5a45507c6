"""What every kind of row write is made of.

In      a row, a table
Out     RowWrite: digests for the event that vouches for the rows, by their names; the SQL
Effects none before `apply`
Spec    docs/decisions/0006
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Connection, Table, bindparam
from sqlalchemy.dialects import postgresql, sqlite

from assay.adapters.stores.statements import Statement
from assay.core.json.canonical import digest_json
from assay.errors import InputError
from assay.protocols import CallRow, ReviewRow, SessionRow
from assay.templates.version import LabelRow, ReleaseRow, TemplateRow

# What an event vouches for: the digest of a row covers these, in the order of the dataclass.
CALL_FIELDS = tuple(field.name for field in fields(CallRow))
REVIEW_FIELDS = tuple(field.name for field in fields(ReviewRow))
SESSION_FIELDS = tuple(field.name for field in fields(SessionRow))
TEMPLATE_FIELDS = tuple(field.name for field in fields(TemplateRow))
RELEASE_FIELDS = tuple(field.name for field in fields(ReleaseRow))
LABEL_FIELDS = tuple(field.name for field in fields(LabelRow))


@dataclass(frozen=True, slots=True, kw_only=True)
class RowWrite:
    """What one write puts into the database."""

    rows: Mapping[str, str]
    """Digest over the fields of each row that is written, by `TABLE/ID`: what the event vouches
    for. Rows that belong together are one write."""

    apply: Callable[[Connection, int], None]
    """Writes the rows; the number is the seq of the vouching event."""


Handler = Callable[[Any], RowWrite]

LATER_FIELDS: Final = frozenset({"kind"})
"""Of rows, since the first release."""


class Upsert:
    """Inserts a row by its `id`, or replaces the one that stands.

    The statement is made once: making it costs more than running it.
    """

    def __init__(self, table: Table, names: Iterable[str], *, where: Any = None) -> None:
        """Prepare for rows with the columns *names*; replace only where *where* holds."""
        statements = {}
        for dialect in (sqlite, postgresql):
            insert = dialect.insert(table).values({name: bindparam(name) for name in names})
            changed = {name: insert.excluded[name] for name in names if name != "id"}
            statements[dialect.__name__.rpartition(".")[2]] = insert.on_conflict_do_update(
                index_elements=[table.c.id], set_=changed, where=where
            ).returning(table.c.id)
        self._statement = Statement(statements)

    def __call__(self, connection: Connection, values: Mapping[str, Any]) -> bool:
        """Write the row; False when a row stands that may not be replaced."""
        return self._statement.first(connection, values) is not None


def row_document(row: Any, names: tuple[str, ...]) -> dict[str, Any]:
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


def digest_row(values: Mapping[str, Any]) -> str:
    """Digest of a row's fields, as the event that vouches for it names it.

    A field that the first release did not have is left out while it is NULL: rows that were
    written then have the digest of then, and one that is put in or taken away is found.
    """
    return digest_json(
        {
            name: value
            for name, value in values.items()
            if value is not None or name not in LATER_FIELDS
        }
    )


def stamp(moment: datetime) -> str:
    """*moment* as RFC 3339 text in UTC with microseconds.

    Raises:
        InputError: it carries no time zone.
    """
    if moment.tzinfo is None:
        raise InputError("a time without a time zone cannot be recorded", hint="use UTC")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")[:-6] + "Z"


def blob(value: Any) -> bytes:
    """What a driver gave for a column of bytes. Raises TypeError for anything else.

    SQLite keeps any type in any column, and `bytes` of a number would be that many zeros.
    """
    return bytes(memoryview(value))


def refuse_unstorable(name: str, value: str) -> None:
    """Raise InputError when *value* is text that one of the databases cannot hold."""
    lone = not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value)
    if lone or "\0" in value:
        raise InputError(
            f"{name} holds a NUL or a lone surrogate", hint="such bytes belong into a payload"
        )
