"""Destroy what is known of a subject, and say so in the record.

In      the subject's pseudonym, reason, actor
Out     how many payloads are gone
Effects on the connection given: contents, salts and data key are overwritten or deleted
Spec    002-N1; docs/decisions/0006; docs/explanation/record.md, "Erasure and retention"

The subject's row is taken first: writers that hold it finish before, later ones find no key and
make a new one. So every payload that the erasure sees stands before the event that vouches.

SQLite overwrites what it deletes, and the store empties its write-ahead log afterwards. What a
file system, PostgreSQL (until VACUUM) or a backup still holds is only as unreadable as its
encryption: with a key ring the data key is gone from the database, and no copy of the database
older than the erasure should outlive it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    bindparam,
    delete,
    exists,
    func,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from assay.adapters.stores.events.append import Prepared, append, open_run, prepare_event
from assay.adapters.stores.events.sealing import Keys
from assay.adapters.stores.rows import stamp
from assay.adapters.stores.schema import record
from assay.errors import InputError, NotFoundError
from assay.record.chain import ERASED, EXPIRED
from assay.record.event import EventDraft

RUN_KIND = "erasure"
"""Kind of the run that an erasure opens for itself."""

_BEING_ERASED = -1
_STANDING = record.payloads.c.content.is_not(None)


def erase(
    connection: Connection, subject: str, *, reason: str, actor: str, keys: Keys, at: datetime
) -> int:
    """Erase within one transaction; the caller commits.

    Raises:
        NotFoundError: the record does not know the subject.
    """
    events, subjects = record.events, record.subjects
    known = select(exists().where(events.c.subject == subject))
    if not connection.execute(known).scalar():
        raise NotFoundError("the record does not know this subject", hint="assay calls show ID")
    # One that has no row may be getting one this moment: making it waits for that writer.
    connection.execute(_INSERT_BARE[connection.dialect.name], {"subject": subject})
    connection.execute(delete(subjects).where(subjects.c.subject == subject))
    which = _payloads_beside(events.c.subject == subject)
    count = _empty(connection, which)
    facts = {"payloads": count, "reason": reason, "actor": actor}
    _tell(connection, which, EventDraft(kind=ERASED, facts=facts, subject=subject), keys, at)
    keys.forget()
    return count


def expire(
    connection: Connection,
    kinds: Iterable[str],
    before: datetime,
    *,
    reason: str,
    actor: str,
    keys: Keys,
    at: datetime,
    dry_run: bool = False,
) -> int:
    """Erase what old events of certain kinds hold; the caller commits.

    Args:
        connection: Inside a writing transaction.
        kinds: The kinds of event whose payloads are no longer kept.
        before: Payloads of events before this moment go; not in the future.
        reason: For the record.
        actor: For the record.
        keys: For the event that tells of it.
        at: Now.
        dry_run: Only count.

    Raises:
        InputError: *before* is in the future, where payloads are still to come.
    """
    names = sorted(set(kinds))
    if before > at:
        raise InputError("payloads cannot expire before they are written")
    events = record.events
    beside = _payloads_beside(events.c.kind.in_(names) & (events.c.at < stamp(before)))
    if dry_run:
        return _count(connection, beside)
    count = _empty(connection, beside)
    if not count:
        return 0
    facts = {
        "kinds": names,
        "before": stamp(before),
        "payloads": count,
        "reason": reason,
        "actor": actor,
    }
    _tell(connection, beside, EventDraft(kind=EXPIRED, facts=facts), keys, at)
    return count


def _payloads_beside(which: ColumnElement[bool]) -> ColumnElement[bool]:
    """Payloads beside the events for which *which* holds."""
    return record.payloads.c.seq.in_(select(record.events.c.seq).where(which))


def _count(connection: Connection, which: ColumnElement[bool]) -> int:
    """How many of these payloads have their content."""
    counted = select(func.count()).select_from(record.payloads).where(which, _STANDING)
    return int(connection.execute(counted).scalar_one())


def _empty(connection: Connection, which: ColumnElement[bool]) -> int:
    """Destroy the contents of these payloads; returns how many there were.

    The statement that destroys is the one that counts: writers commit between two statements.
    """
    gone = {"content": None, "sealed_by": None, "erased_by": _BEING_ERASED}
    statement = update(record.payloads).where(which, _STANDING).values(gone)
    return int(connection.execute(statement).rowcount)


def _tell(
    connection: Connection,
    which: ColumnElement[bool],
    draft: EventDraft,
    keys: Keys,
    at: datetime,
) -> None:
    """Put on record what `_empty` destroyed, by *draft* in a run of its own.

    What is destroyed was committed before, so its event stands before this one, in the log too.
    """
    run = open_run(connection, RUN_KIND, at)
    started = EventDraft(kind="run.started", facts={"kind": RUN_KIND})
    events = tuple(map(prepare_event, (started, draft)))
    whole = Prepared(run=run, events=events, writes=(), rows={})
    ((_, told),) = append(connection, [whole], keys=keys, now=lambda: at)
    mine = record.payloads.c.erased_by == _BEING_ERASED
    connection.execute(update(record.payloads).where(which, mine).values(erased_by=told.seq))


_INSERT_BARE = {
    name: dialect.insert(record.subjects)
    .values(subject=bindparam("subject"))
    .on_conflict_do_nothing()
    for name, dialect in (("sqlite", sqlite), ("postgresql", postgresql))
}
