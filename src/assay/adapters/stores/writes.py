"""The rows that one transaction writes beside its events: calls and reviews.

In      PutCall, PutReview
Out     RowWrite: the row's name, its digest for the event that vouches for it, its SQL
Effects on the connection given
Spec    docs/decisions/0006; 000-H4 (reviews)

What a row says is repeated, as a digest, in the body of the event of the same transaction, so
that an edit of the index is found like an edit of an event.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, or_, select
from sqlalchemy.exc import IntegrityError as UniqueViolation

from assay.adapters.stores.rows import (
    CALL_FIELDS,
    REVIEW_FIELDS,
    Handler,
    RowWrite,
    Upsert,
    digest_row,
    row_document,
)
from assay.adapters.stores.schema import record
from assay.adapters.stores.sessions import SESSION_HANDLERS
from assay.adapters.stores.templates.write import REGISTRY_HANDLERS
from assay.errors import CallTakenError, ConflictError
from assay.protocols import PutCall, PutReview


def put_call(write: PutCall) -> RowWrite:
    """Insert the call, or replace it by id while it has the status that the writer saw.

    Applying raises CallTakenError when it has not, or when another call is open under the key.
    """
    values = row_document(write.row, CALL_FIELDS)
    upsert = _UPSERT_CALL[write.over]

    def apply(connection: Connection, vouched_by: int) -> None:
        try:
            written = upsert(connection, values | {"vouched_by": vouched_by})
        except UniqueViolation as error:
            raise CallTakenError("this call is being made already", hint=_WAIT) from error
        if not written:
            raise CallTakenError(f"call {write.row.id} was settled already", hint=_WAIT)
        if write.seen is not None and _has_later(connection, write.row.id, write.seen, vouched_by):
            raise CallTakenError("somebody else has gone on with this call", hint=_WAIT)

    return RowWrite(rows={f"calls/{write.row.id}": digest_row(values)}, apply=apply)


def _has_later(connection: Connection, call: str, seen: int, own: int) -> bool:
    """Whether *call* has an event between the one *seen* and the *own* one."""
    of = record.events.c
    found = select(of.seq).where(of.call == call, of.seq > seen, of.seq < own).limit(1)
    return connection.execute(found).first() is not None


def put_review(write: PutReview) -> RowWrite:
    """Insert the review, or replace it while it is what the writer saw.

    Applying raises ConflictError when somebody decided, withdrew or reopened it in between.
    """
    values = row_document(write.row, REVIEW_FIELDS)
    upsert = _UPSERT_REVIEW[write.over]

    def apply(connection: Connection, vouched_by: int) -> None:
        if not upsert(connection, values | {"vouched_by": vouched_by}):
            raise ConflictError(
                f"review {write.row.id} is not {write.over} any more",
                hint="read it again: assay review show",
            )

    return RowWrite(rows={f"reviews/{write.row.id}": digest_row(values)}, apply=apply)


_WAIT = "its outcome is on record, or will be: assay calls list"
_UPSERT_CALL = {
    status: Upsert(
        record.calls, (*CALL_FIELDS, "vouched_by"), where=record.calls.c.status == status
    )
    for status in ("open", "settled")
}
_UPSERT_REVIEW = {
    over: Upsert(
        record.reviews,
        (*REVIEW_FIELDS, "vouched_by"),
        where=or_(*(record.reviews.c.status == status for status in statuses)),
    )
    for over, statuses in (("open", ["open"]), ("decided", ["accepted", "rejected"]))
}

HANDLERS: Mapping[type, Handler] = {
    PutCall: put_call,
    PutReview: put_review,
    **REGISTRY_HANDLERS,
    **SESSION_HANDLERS,
}
"""What a store does for each kind of write."""
