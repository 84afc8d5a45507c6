"""What happens to a review beside being decided: a decision is taken back, a review is handed on.

In      a review's id, who does it and why
Out     the move as an event, and the rows that follow from it, in one transaction
Effects store reads and one commit; the assignment of a review
Spec    interfaces.md, "Reviews"; 009-P4, 009-P5, 009-P6
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from assay.contract.outcome import Reason
from assay.errors import ConflictError, InputError
from assay.protocols import Changes, PutCall, PutReview, ReviewRow, Write
from assay.protocols.service import Assignment, ServiceStore
from assay.record.event import EventDraft
from assay.runtime.calls.context import RuntimeContext

REOPENED: Final = "review.reopened"
HANDED_ON: Final = "review.handed_on"
ASSIGNED_FOR: Final = timedelta(minutes=10)
"""How long a review is kept for who took it."""

HANDED_FOR: Final = timedelta(days=7)
"""How long it waits for who it was handed to."""


async def reopen(
    context: RuntimeContext, review_id: str, *, reviewer: str, reason: str
) -> ReviewRow:
    """Take the decision on a review back; the case waits again, and what was decided stays told.

    Raises:
        NotFoundError: there is no such review.
        ConflictError: it is not decided; or a conversation went on from the decision.
        InputError: reviewer or reason are missing.
    """
    _require(reviewer, reason)
    review = await context.store.review(review_id)
    if review.status not in {"accepted", "rejected"}:
        raise ConflictError(f"review {review.id} is not decided", hint="see assay review show")
    row = None if review.call is None else await context.store.call(review.call)
    corrected = row is not None and review.status == "accepted" and _was_corrected(review)
    if row is not None and corrected and row.kind == "stage":
        raise ConflictError(
            "the conversation went on from this decision",
            hint="start another session from an earlier turn",
        )
    opened = replace(review, status="open", decided_at=None, reviewer=None)
    writes: list[Write] = [PutReview(row=opened, over="decided")]
    if row is not None and corrected:
        waiting = replace(row, outcome="needs_review", reason=review.reason)
        writes.append(PutCall(row=waiting, over="settled"))
    event = EventDraft(
        kind=REOPENED,
        facts={"review": review.id, "decision": review.status, "reviewer": reviewer},
        payloads={"reason": reason.encode("utf-8")},
        call=review.call,
        subject=None if row is None else row.subject,
    )
    await context.store.commit(Changes(run=review.run, events=(event,), writes=tuple(writes)))
    return opened


async def take(
    context: RuntimeContext, service: ServiceStore, review_id: str, person: str
) -> Assignment:
    """Assign an open review to *person* for a while.

    Raises:
        ConflictError: somebody else works on it, or it is not open.
    """
    review = await context.store.review(review_id)
    if review.status != "open":
        raise ConflictError(f"review {review.id} is {review.status}", hint="take the next one")
    now = context.clock.now()
    held = (await service.assignments([review.id], now)).get(review.id)
    wanted = Assignment(review=review.id, person=person, until=now + ASSIGNED_FOR)
    if held is not None and held.person == person and held.until > wanted.until:
        return held  # handed on to them: looking at it makes that no shorter
    stands = await service.take_review(wanted, now)
    if stands.person != person:
        raise ConflictError(
            f"{stands.person} works on this review", hint="take the next one, or wait"
        )
    return stands


async def hand_on(
    context: RuntimeContext,
    service: ServiceStore,
    review_id: str,
    *,
    person: str,
    to: str,
    reason: str,
    known: Collection[str] | None = None,
) -> Assignment:
    """Put an open review into the hands of *to*.

    Args:
        known: Who may be named; None where the service does not know who there is.

    Raises:
        ConflictError: it is not open, or somebody else works on it.
        InputError: nobody is named, nobody who is known, or no reason.
    """
    _require(to, reason)
    if known is not None and to not in known:
        raise InputError(
            "nobody of this name has a key that may decide reviews",
            hint="see assay keys list; names are compared letter by letter",
        )
    await take(context, service, review_id, person)
    return await _give(
        context, service, review_id, by=person, to=to, reason=reason, for_=HANDED_FOR
    )


async def take_back(
    context: RuntimeContext,
    service: ServiceStore,
    review_id: str,
    *,
    person: str,
    reason: str,
    anybodys: bool = False,
) -> Assignment:
    """Take back what *person* handed on, before its week is over.

    Args:
        anybodys: Also what somebody else handed on, for who administers.

    Raises:
        ConflictError: it is not open, nobody waits with it, or it was not *person* who gave it.
    """
    _require(person, reason)
    review = await context.store.review(review_id)
    if review.status != "open" or not await may_take_back(
        context, service, review_id, person=person, anybodys=anybodys
    ):
        raise ConflictError(
            "only who handed a review on takes it back, while it waits there",
            hint="somebody who administers can, too",
        )
    return await _give(
        context, service, review_id, by=person, to=person, reason=reason, for_=ASSIGNED_FOR
    )


async def may_take_back(
    context: RuntimeContext,
    service: ServiceStore,
    review_id: str,
    *,
    person: str,
    anybodys: bool = False,
) -> bool:
    """Whether the review is in the hands that it was last given into, and *person* gave it."""
    held = (await service.assignments([review_id], context.clock.now())).get(review_id)
    if held is None or held.person == person:
        return False
    review = await context.store.review(review_id)
    which = {"run": review.run} if review.call is None else {"call": review.call}
    last: Mapping[str, Any] = {}
    async for event in context.store.events(kind=HANDED_ON, **which):
        if event.facts.get("review") == review_id:
            last = event.facts
    return last.get("to") == held.person and (anybodys or last.get("by") == person)


async def _give(
    context: RuntimeContext,
    service: ServiceStore,
    review_id: str,
    *,
    by: str,
    to: str,
    reason: str,
    for_: timedelta,
) -> Assignment:
    now = context.clock.now()
    review = await context.store.review(review_id)
    row = None if review.call is None else await context.store.call(review.call)
    event = EventDraft(
        kind=HANDED_ON,
        facts={"review": review.id, "by": by, "to": to},
        payloads={"reason": reason.encode("utf-8")},
        call=review.call,
        subject=None if row is None else row.subject,
    )
    await context.store.commit(Changes(run=review.run, events=(event,)))
    given = Assignment(review=review.id, person=to, until=now + for_)
    await service.assign_review(given)
    return given


def due_at(review: ReviewRow, due_hours: float) -> datetime:
    """When an open review is due.

    Example:
        >>> from assay.testing.stores import a_review
        >>> row = a_review("r-1", 1)
        >>> due_at(row, 2.0) - row.opened_at
        datetime.timedelta(seconds=7200)
    """
    return review.opened_at + timedelta(hours=due_hours)


def _was_corrected(review: ReviewRow) -> bool:
    """Whether accepting it changed the call: a shortened input's results stood already."""
    return review.reason != Reason.INPUT_SHORTENED


def _require(name: str, reason: str) -> None:
    if not name.strip():
        raise InputError("a move of a review needs the name of a person")
    if not reason.strip():
        raise InputError("a move of a review needs a reason")
