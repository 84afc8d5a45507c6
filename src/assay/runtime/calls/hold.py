"""Hold an input for a person when its accepted outputs were judged without some of its own words.

In      the settled calls of one input, what its pack says of shortened inputs
Out     Hold: open, released or refused by a person; on record before the outcome is handed on
Effects a store read, and one commit the first time
Spec    005-M10; docs/decisions/0028

The calls stay accepted, as their ladders ended, and keep their results. What holds the input is one
review about all of its calls that lost own words: it is named by these calls, so that a second run
finds what became of it. Who accepts it releases the results; who rejects it withholds them. With
a call that is asked again the question is another one: the older review is withdrawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.contract.detail import shortened_detail
from assay.contract.outcome import Reason
from assay.contract.shortened import Shortened
from assay.core.json.canonical import digest_json
from assay.errors import ConflictError, NotFoundError
from assay.pack.pack import Pack
from assay.protocols import Changes, PutReview, ReviewRow
from assay.record.event import EventDraft
from assay.runtime.calls.context import RuntimeContext, Settled
from assay.runtime.calls.withdrawal import NOTHING, InsteadOf, Withdrawal, withdraw

HELD = "input.held"
"""Kind of the event that says which calls hold an input, and what they did not show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Where the review of a shortened input stands."""

    review: str
    detail: str
    status: str
    """`open`, `accepted` or `rejected`."""

    contracts: tuple[str, ...]
    """`PACK/NAME` of the calls that lost own words."""

    @property
    def released(self) -> bool:
        """A person looked at what was cut and let the results stand."""
        return self.status == "accepted"

    @property
    def refused(self) -> bool:
        """A person looked at what was cut, and the results do not stand."""
        return self.status == "rejected"


async def hold_shortened(
    context: RuntimeContext, pack: Pack, calls: Sequence[Settled], *, run: int
) -> Hold | None:
    """The hold of an input; None when its pack asks for none or no own words were cut.

    Args:
        calls: All settled calls of the input, in the order of the flow.
    """
    if pack.shortened != "review":
        return None
    cut = [call for call in calls if call.shortened is not None and call.shortened.own_words]
    largest = Shortened.largest(call.shortened for call in cut)
    if largest is None:
        return None
    # Named by the calls that it is about: with other outputs the question is another one.
    name = digest_json([Reason.INPUT_SHORTENED, *(call.call for call in cut)])
    review_id = name.removeprefix("sha256:")[:32]
    try:
        row = await context.store.review(review_id)
    except NotFoundError:
        older = await _older_hold(context, calls, cut)
        row = await _open_review(context, review_id, cut, largest, run, older)
    return Hold(
        review=row.id,
        detail=shortened_detail(largest.omitted_chars),
        status=row.status,
        contracts=tuple(call.contract for call in cut),
    )


async def _older_hold(
    context: RuntimeContext, calls: Sequence[Settled], cut: Sequence[Settled]
) -> Withdrawal:
    """Withdraws a hold that one of *cut* shared with a call that was asked again since.

    A call that was asked again itself has withdrawn the holds that are about it.
    """
    for call in cut:
        async for event in context.store.events(call=call.call, kind=HELD):
            before = event.facts["calls"]
            asked = {(await context.store.call(each)).contract for each in before}
            asked |= {each.contract for each in cut}
            new = (c.call for c in calls if c.call not in before and c.contract in asked)
            waiting = InsteadOf(call=call.call, reviews=(event.facts["review"],))
            found = await withdraw(context.store, waiting, by=next(new, call.call))
            if found.events:
                return found
    return NOTHING


async def _open_review(
    context: RuntimeContext,
    review_id: str,
    cut: Sequence[Settled],
    largest: Shortened,
    run: int,
    older: Withdrawal,
) -> ReviewRow:
    """A new review; as it stands when another run was faster."""
    worst = max(cut, key=lambda call: 0 if call.shortened is None else call.shortened.omitted_chars)
    about = await context.store.call(worst.call)
    review = ReviewRow(
        id=review_id,
        run=run,
        call=about.id,
        input=about.input,
        reason=Reason.INPUT_SHORTENED,
        status="open",
        opened_at=context.clock.now(),
    )
    facts: Mapping[str, Any] = {
        "review": review.id,
        "reason": review.reason,
        "calls": [call.call for call in cut],
        "shortened": largest.to_dict(),
    }
    events = (
        EventDraft(kind=HELD, facts=facts, call=about.id, subject=about.subject),
        EventDraft(
            kind="review.opened",
            facts={"review": review.id, "reason": review.reason},
            call=about.id,
            subject=about.subject,
        ),
    )
    try:
        await context.store.commit(
            Changes(
                run=run,
                events=(*older.events, *events),
                writes=(PutReview(row=review), *older.writes),
            )
        )
    except ConflictError:
        if await older.is_overtaken(context.store):  # a person decided it at the same moment
            return await _open_review(context, review_id, cut, largest, run, NOTHING)
        return await context.store.review(review_id)  # another run was faster, and a person too
    return review
