"""Destroy what is known of a subject, and say so in the record.

In      the subject's pseudonym, reason, actor
Out     how many payloads are gone
Effects on the connection given: contents, salts and data key are overwritten or deleted
Spec    issue on receipts, "Erasure that keeps proofs"; issue on the registry, item 9

The subject's row is taken first: writers that hold it finish before, later ones find no key and
make a new one. So every payload that the erasure sees stands before the event that vouches.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, delete, exists, func, select, update

from assay.adapters.stores import schema
from assay.adapters.stores.appending import Prepared, append, open_run, prepare_event
from assay.adapters.stores.sealing import Keys
from assay.errors import NotFoundError
from assay.record.chain import ERASED
from assay.record.event import EventDraft

RUN_KIND = "erasure"
"""Kind of the run that an erasure opens for itself."""


def erase(
    connection: Connection, subject: str, *, reason: str, actor: str, keys: Keys, at: datetime
) -> int:
    """Erase within one transaction; the caller commits.

    Raises:
        NotFoundError: the record does not know the subject.
    """
    events, payloads, subjects = schema.events, schema.payloads, schema.subjects
    known = select(exists().where(events.c.subject == subject))
    if not connection.execute(known).scalar():
        raise NotFoundError("the record does not know this subject", hint="assay calls show ID")
    connection.execute(delete(subjects).where(subjects.c.subject == subject))
    about = payloads.c.seq.in_(select(events.c.seq).where(events.c.subject == subject))
    standing = about & payloads.c.content.is_not(None)
    count = int(
        connection.execute(select(func.count()).select_from(payloads).where(standing)).scalar_one()
    )
    run = open_run(connection, RUN_KIND, at)
    drafts = (
        EventDraft(kind="run.started", facts={"kind": RUN_KIND}),
        EventDraft(
            kind=ERASED,
            facts={"payloads": count, "reason": reason, "actor": actor},
            subject=subject,
        ),
    )
    whole = Prepared(run=run, events=tuple(map(prepare_event, drafts)), writes=(), rows={})
    ((_, told),) = append(connection, [whole], keys=keys, at=at)
    connection.execute(
        update(payloads).where(standing).values(content=None, sealed_by=None, erased_by=told.seq)
    )
    keys.forget()
    return count
