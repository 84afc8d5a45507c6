"""Take back the review of a call that was asked again: nobody waits for its decision any more.

In      the call that was asked again, the call that was made instead
Out     which reviews wait; the events and rows that withdraw them; who withdrew one
Effects store reads
Spec    006-M2; docs/explanation/record.md, "Calls that are asked again"

Which reviews a call stands in for is a fact of its opening, so that a call which is taken up after
a crash withdraws them as well. What a person has decided stays what it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from assay.protocols import PutReview, ReviewRow, Store
from assay.record.event import EventDraft

WITHDRAWN: Final = "review.withdrawn"
"""Kind of the event, of the call that was asked again, that names a review and the new call."""

INSTEAD_OF: Final = "instead_of"
"""Fact of a call's opening: which call it was made instead of, and the reviews of that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InsteadOf:
    """A call that was asked again while people were to look at it."""

    call: str
    reviews: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"call": self.call, "reviews": list(self.reviews)}

    @classmethod
    def of_opened(cls, facts: Mapping[str, Any]) -> Self | None:
        """As the opening of the new call has it; None when it was made instead of nothing."""
        told = facts.get(INSTEAD_OF)
        return None if told is None else cls(call=told["call"], reviews=tuple(told["reviews"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """What a transaction does to withdraw reviews."""

    events: tuple[EventDraft, ...] = ()
    writes: tuple[PutReview, ...] = ()

    async def is_overtaken(self, store: Store) -> bool:
        """Whether one of the reviews is no longer open."""
        for write in self.writes:
            if (await store.review(write.row.id)).status != "open":
                return True
        return False


NOTHING: Final = Withdrawal()


async def find_waiting(store: Store, call: str) -> InsteadOf | None:
    """The open reviews of *call*, which is about to be asked again; None when it has none."""
    reviews = [
        str(event.facts["review"]) async for event in store.events(call=call, kind="review.opened")
    ]
    waiting = [review for review in reviews if (await store.review(review)).status == "open"]
    return InsteadOf(call=call, reviews=tuple(waiting)) if waiting else None


async def withdraw(store: Store, instead_of: InsteadOf | None, *, by: str) -> Withdrawal:
    """Withdraw what is still open of *instead_of*, on behalf of the call *by*."""
    if instead_of is None:
        return NOTHING
    rows = [await store.review(review) for review in instead_of.reviews]
    waiting = [row for row in rows if row.status == "open"]
    subject = (await store.call(instead_of.call)).subject
    return Withdrawal(
        events=tuple(
            EventDraft(
                kind=WITHDRAWN,
                facts={"review": row.id, "by": by},
                call=instead_of.call,
                subject=subject,
            )
            for row in waiting
        ),
        writes=tuple(PutReview(row=replace(row, status="withdrawn")) for row in waiting),
    )


async def withdrawn_by(store: Store, review: ReviewRow) -> str | None:
    """The call that was made instead of the one under *review*; None when it is not withdrawn."""
    if review.status != "withdrawn" or review.call is None:
        return None
    async for event in store.events(call=review.call, kind=WITHDRAWN):
        if event.facts["review"] == review.id:
            return str(event.facts["by"])
    return None
