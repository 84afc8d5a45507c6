"""Read the record back: events, payloads, calls, reviews.

In      a connection, what to look for
Out     the dataclasses of `protocols/` and `record/event.py`
Effects reads only
Spec    docs/decisions/0006: a list says what the record says

An event is taken from its hashed body, never from the columns beside it, and its digest is
checked on the way: what was edited is not handed out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    ScalarSelect,
    Select,
    Table,
    and_,
    bindparam,
    func,
    select,
    tuple_,
)

from assay.adapters.stores.events.sealing import SALT_BYTES, Keys, unseal
from assay.adapters.stores.rows import CALL_FIELDS, REVIEW_FIELDS, blob, stamp
from assay.adapters.stores.schema import record
from assay.adapters.stores.statements import Statement
from assay.contract.kept import CallKind
from assay.errors import IntegrityError, NotFoundError
from assay.protocols import CallFilter, CallRow, Erased, Opening, ReviewFilter, ReviewRow
from assay.record.chain import read_body
from assay.record.event import StoredEvent, commitment

_CALL_COLUMNS = [record.calls.c[name] for name in CALL_FIELDS]
_REVIEW_COLUMNS = [record.reviews.c[name] for name in REVIEW_FIELDS]
_EVENT_COLUMNS = [record.events.c.seq, record.events.c.digest, record.events.c.body]
_PAYLOAD_COLUMNS = [
    record.payloads.c[name] for name in ("seq", "sealed_by", "content", "erased_by")
]
_NEWEST_CALL = Statement(
    select(*_CALL_COLUMNS)
    .where(record.calls.c.key == bindparam("of"))
    .order_by(record.calls.c.position.desc())
    .limit(1)
)
_TIMES = frozenset({"created_at", "settled_at", "opened_at", "decided_at"})


def call(connection: Connection, call_id: str) -> CallRow:
    """Raises NotFoundError."""
    row = connection.execute(
        select(*_CALL_COLUMNS).where(record.calls.c.id == call_id)
    ).one_or_none()
    if row is None:
        raise NotFoundError(f"there is no call {call_id!r}", hint="assay calls list")
    return _call_row(row._mapping)


def calls(connection: Connection, which: CallFilter, limit: int) -> Sequence[CallRow]:
    """In the order that *which* names; by time the newest first."""
    table = record.calls
    statement = select(*_CALL_COLUMNS)
    for name in ("contract", "outcome", "status", "run", "model", "input"):
        value = getattr(which, name)
        if value is not None:
            statement = statement.where(table.c[name] == value)
    if which.since is not None:
        statement = statement.where(table.c.created_at >= stamp(which.since))
    if which.until is not None:
        statement = statement.where(table.c.created_at < stamp(which.until))
    named = () if which.order is None else (table.c[which.order],)
    order = (*named, table.c.created_at, table.c.position)
    if which.before is not None:
        before = table.alias()
        stands = (
            select(before.c[each.name]).where(before.c.id == which.before).scalar_subquery()
            for each in order
        )
        here, there = tuple_(*order), tuple_(*stands)
        statement = statement.where(here > there if which.ascending else here < there)
    turned = order if which.ascending else tuple(each.desc() for each in order)
    statement = statement.order_by(*turned).limit(limit)
    return [_call_row(row._mapping) for row in connection.execute(statement)]


def count_calls_by_minute(connection: Connection, since: datetime) -> dict[str, int]:
    """How many calls were opened in each minute with any, from *since* on."""
    table = record.calls
    minute = func.substr(table.c.created_at, 1, len("2026-01-17T08:00"))
    statement = (
        select(minute, func.count()).where(table.c.created_at >= stamp(since)).group_by(minute)
    )
    return {str(at): int(count) for at, count in connection.execute(statement)}


def find_call(connection: Connection, key: str) -> CallRow | None:
    """The newest call under *key*."""
    row = _NEWEST_CALL.first(connection, {"of": key})
    return None if row is None else _call_row(dict(zip(CALL_FIELDS, row, strict=True)))


def _call_row(mapping: Mapping[Any, Any]) -> CallRow:
    """The row; one of the first release, which says no kind, is told by its fields."""
    fields = _event_fields(mapping)
    if fields["kind"] is None:
        fields["kind"] = _kind_of_first_release(fields)
    return CallRow(**fields)


def _kind_of_first_release(fields: Mapping[str, Any]) -> CallKind:
    """Answers had one contract then, and a stage's input was a place in its session."""
    if fields["contract"] == "grounded/answer":
        return "answer"
    return "stage" if fields["input"].startswith(f"{fields['subject']}/") else "contract"


def review(connection: Connection, review_id: str) -> ReviewRow:
    """Raises NotFoundError."""
    row = connection.execute(
        select(*_REVIEW_COLUMNS).where(record.reviews.c.id == review_id)
    ).one_or_none()
    if row is None:
        raise NotFoundError(f"there is no review {review_id!r}", hint="assay review list")
    return ReviewRow(**_event_fields(row._mapping))


def reviews(connection: Connection, which: ReviewFilter, limit: int) -> Sequence[ReviewRow]:
    """Oldest first: the queue."""
    statement = _where_reviews(select(*_REVIEW_COLUMNS), which)
    statement = statement.order_by(record.reviews.c.position).limit(limit)
    return [ReviewRow(**_event_fields(row._mapping)) for row in connection.execute(statement)]


def count_reviews(connection: Connection, which: ReviewFilter) -> int:
    """How many there are."""
    statement = _where_reviews(select(func.count()).select_from(record.reviews), which)
    return int(connection.execute(statement).scalar_one())


def _where_reviews(statement: Select[Any], which: ReviewFilter) -> Select[Any]:
    table = record.reviews
    for name in ("status", "reason", "input"):
        value = getattr(which, name)
        if value is not None:
            statement = statement.where(table.c[name] == value)
    if which.opened_before is not None:
        statement = statement.where(table.c.opened_at < stamp(which.opened_before))
    if which.after is not None:
        statement = statement.where(table.c.position > _position_of(table, which.after))
    if which.pack is not None:
        calls_of_pack = and_(
            record.calls.c.id == table.c.call, _begins_with(record.calls.c.contract, which.pack)
        )
        statement = statement.join(record.calls, calls_of_pack)
    return statement


def _position_of(table: Table, row_id: str) -> ScalarSelect[Any]:
    """Where a row stands in its list; nothing follows a row that does not exist."""
    return select(table.c.position).where(table.c.id == row_id).scalar_subquery()


def _begins_with(contract: Column[str], pack: str) -> ColumnElement[bool]:
    """Whether a contract's reference, `PACK/NAME`, is of *pack*."""
    return func.substr(contract, 1, len(pack) + 1) == f"{pack}/"


def events_page(
    connection: Connection,
    *,
    after: StoredEvent | None,
    limit: int,
    run: int | None = None,
    call: str | None = None,
    kind: str | None = None,
) -> list[StoredEvent]:
    """Up to *limit* events that follow *after*, in order; None starts with the first."""
    table = record.events
    statement: Select[Any] = select(*_EVENT_COLUMNS)
    if call is not None:
        statement = statement.where(table.c.call == call)
    if kind is not None:
        # A call has few events and a kind has many: the index of kinds is not to be taken.
        column = table.c.kind if call is None else table.c.kind.concat("")
        statement = statement.where(column == kind)
    if run is not None:
        statement = statement.where(table.c.run == run)
    if run is not None and call is None:  # the order within a run has an index of its own
        key, start = table.c.n, None if after is None else after.n
    else:
        key, start = table.c.seq, None if after is None else after.seq
    if start is not None:
        statement = statement.where(key > start)
    rows = connection.execute(statement.order_by(key).limit(limit))
    return [stored_event(*row) for row in rows]


def placed_events(connection: Connection, first: int, limit: int) -> list[StoredEvent]:
    """Up to *limit* events of all runs by their places in the log, from *first* on."""
    place = record.log.c.idx
    statement = (
        select(*_EVENT_COLUMNS)
        .join(record.log, record.log.c.seq == record.events.c.seq)
        .where(place >= first)
        .order_by(place)
        .limit(limit)
    )
    return [stored_event(*row) for row in connection.execute(statement)]


def event_at(connection: Connection, seq: int) -> StoredEvent:
    """Raises NotFoundError, or IntegrityError when the event was edited."""
    row = connection.execute(
        select(*_EVENT_COLUMNS).where(record.events.c.seq == seq)
    ).one_or_none()
    if row is None:
        raise NotFoundError(f"there is no event {seq}", hint="assay audit log")
    return stored_event(*row)


def stored_event(seq: int, recorded_digest: str, body: bytes) -> StoredEvent:
    """The event that *body* says.

    Raises:
        IntegrityError: the digest beside it is not that of the body.
    """
    body = blob(body)
    said = read_body(body, recorded_digest)
    if said is None:
        raise IntegrityError(f"event {seq} was edited", hint="run `assay audit verify`")
    try:
        return StoredEvent(
            seq=seq,
            run=said["run"],
            n=said["n"],
            kind=said["kind"],
            at=said["at"],
            prev=said["prev"],
            digest=recorded_digest,
            body=body,
            call=said["call"],
            subject=said["subject"],
            facts=said["facts"],
            commitments=said["payloads"],
        )
    except KeyError as error:
        raise IntegrityError(f"event {seq} is no event", hint="run `assay audit verify`") from error


def payload(connection: Connection, keys: Keys, seq: int, name: str) -> bytes | None:
    """The content beside event *seq*; None when an erasure vouches for its absence.

    Raises:
        NotFoundError: no such event, or it has no payload of that name.
        IntegrityError: the content is gone without an erasure, or is not what was committed to.
    """
    found = read_payload(connection, keys, seq, name)
    return found.content if isinstance(found, Opening) else None


def read_payload(connection: Connection, keys: Keys, seq: int, name: str) -> Opening | Erased:
    """Content and salt beside event *seq*, or which event vouches for their absence.

    Raises:
        NotFoundError: no such event, or it has no payload of that name.
        IntegrityError: the content is gone without an erasure, or is not what was committed to.
    """
    event = event_at(connection, seq)
    if name not in event.commitments:
        raise NotFoundError(f"event {seq} has no payload {name!r}")
    row = connection.execute(
        select(*_PAYLOAD_COLUMNS).where(
            record.payloads.c.seq == seq, record.payloads.c.name == name
        )
    ).one_or_none()
    return _open_payload(connection, keys, event, name, row)


def read_payloads(
    connection: Connection, keys: Keys, name: str, seqs: Collection[int]
) -> dict[int, bytes | None]:
    """As `payload`, of many events at once. Those that have none of that name are left out."""
    listed = list(seqs)
    found = connection.execute(select(*_EVENT_COLUMNS).where(record.events.c.seq.in_(listed)))
    events = [stored_event(*row) for row in found]
    rows = {
        row.seq: row
        for row in connection.execute(
            select(*_PAYLOAD_COLUMNS).where(
                record.payloads.c.seq.in_(listed), record.payloads.c.name == name
            )
        )
    }
    contents: dict[int, bytes | None] = {}
    for event in events:
        if name in event.commitments:
            opened = _open_payload(connection, keys, event, name, rows.get(event.seq))
            contents[event.seq] = opened.content if isinstance(opened, Opening) else None
    return contents


def _open_payload(
    connection: Connection, keys: Keys, event: StoredEvent, name: str, row: Any
) -> Opening | Erased:
    if row is None or row.content is None:
        if row is not None and row.erased_by is not None:
            return Erased(by=row.erased_by)
        raise IntegrityError(
            f"payload {name!r} of event {event.seq} is gone, and no erasure says why"
        )
    cipher = None if row.sealed_by is None else keys.cipher(connection, row.sealed_by)
    whole = unseal(cipher, blob(row.content), digest=event.digest, name=name)
    salt, content = whole[:SALT_BYTES], whole[SALT_BYTES:]
    if commitment(salt, content) != event.commitments[name]:
        raise IntegrityError(f"payload {name!r} of event {event.seq} was edited")
    return Opening(salt=salt, content=content)


def _event_fields(values: Any) -> dict[str, Any]:
    """A row's fields. Raises TypeError, ValueError: SQLite keeps any type in any column."""
    if not all(value is None or isinstance(value, str | int) for value in values.values()):
        raise TypeError("neither text nor a number")
    return {
        name: datetime.fromisoformat(value) if name in _TIMES and value is not None else value
        for name, value in values.items()
    }
