"""The human queue: take the decision of a person.

In      a review's id; a decision with reviewer, reason and, to accept, a corrected output
Out     the decision as an event, the call's row and the review's row in one transaction
Effects store reads and one commit
Spec    000 "fail-closed review"; interfaces.md, `assay review`

Who accepts the review of a shortened input lets its results stand, and needs to hand in nothing.
What a person hands in passes the same gate as what a model hands in, and goes the way that a
model's would have gone: a stage's session moves on with it. Every kind of call is decided here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from assay.contract.job import Job, Weighed
from assay.contract.kept import KeptCall
from assay.contract.outcome import Reason
from assay.core.json.canonical import digest
from assay.errors import ConflictError, InputError, NotAllowedError
from assay.protocols import CallRow, Changes, PutCall, PutReview, ReviewRow, SessionRow, Write
from assay.record.event import EventDraft
from assay.runtime.calls.context import NO_CONSEQUENCES, Consequences, RuntimeContext
from assay.runtime.calls.ledger import as_it_stands
from assay.runtime.calls.withdrawal import withdrawn_by
from assay.runtime.kinds import FindPack, kind_of
from assay.runtime.replay.kept import kept_call

DECIDED: Final = "review.decided"
TRIES: Final = 3
"""How often a decision is made again when a turn of the same session came in between."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a person says about a case."""

    accept: bool
    reviewer: str
    reason: str
    output: bytes | None = None
    """To accept: the output as it should have been, as one JSON object; or the answer. None lets
    the results of a shortened input stand as they are."""

    request: str | None = None
    """Names the request that brings it, where that may come again: it is kept with the event."""

    @property
    def status(self) -> Literal["accepted", "rejected"]:
        """What the review is afterwards."""
        return "accepted" if self.accept else "rejected"

    def __post_init__(self) -> None:
        if not self.reviewer.strip():
            raise InputError("a decision needs the name of its reviewer")
        if not self.reason.strip():
            raise InputError("a decision needs a reason")
        if self.output is not None and not self.accept:
            raise InputError("who rejects hands in no output", hint="leave it out, or accept it")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """The decision as it stands on record."""

    review: ReviewRow
    weighed: Weighed | None = None
    """How the corrected output was judged; None when there was none."""

    session: SessionRow | None = None
    """Where the session stands now, when the decision moved one on."""

    @property
    def taken(self) -> bool:
        """False when the corrected output did not pass: nothing was recorded."""
        return self.review.status != "open"

    @property
    def result(self) -> dict[str, Any] | None:
        """The audited result of the corrected output."""
        result = None if self.weighed is None else self.weighed.result
        return None if result is None else result.value


async def decide(
    context: RuntimeContext,
    review_id: str,
    decision: Decision,
    *,
    find_pack: FindPack,
    original: bytes | None = None,
) -> Decided:
    """Take *decision* on an open review.

    Args:
        find_pack: The packs of the calls; asked for those that are made again from one.
        original: The bytes of the input, when its texts are not kept in the store.

    Raises:
        NotFoundError: there is no such review.
        ConflictError: somebody decided before, or the call was asked again.
        InputError: the case has no call, or its source texts are not at hand.
        NotAllowedError: the contract is not the one that the call was made under.
    """
    review = await context.store.review(review_id)
    await _require_open(context, review)
    row = None if review.call is None else await context.store.call(review.call)
    if not decision.accept:
        return await _record(context, review, row, decision)
    if row is not None and decision.output is None and review.reason == Reason.INPUT_SHORTENED:
        return await _record(context, review, row, decision)  # the results stand as they are
    if row is None or decision.output is None:
        raise InputError(
            "only the output of a call can be accepted",
            hint="give the corrected output with --output, or --reject the case",
        )
    kept, job = await restore_job(context, row.id, find_pack, original)
    weighed = job.weigh_decision(decision.output)
    if not weighed.accepted:
        return Decided(review=review, weighed=weighed)
    for _ in range(TRIES):
        follows = await kind_of(kept).follow(context, kept, find_pack, weighed)
        try:
            return await _record(context, review, row, decision, weighed, follows)
        except ConflictError:  # another decision, the call asked again, or a turn stored first
            await _require_open(context, await context.store.review(review_id))
    raise ConflictError("other turns of the session came in between", hint="decide again")


async def find_decided(
    context: RuntimeContext,
    review_id: str,
    decision: Decision,
    *,
    find_pack: FindPack,
    original: bytes | None = None,
) -> Decided | None:
    """What became of *decision* where the very request was taken before, and its answer was lost.

    Raises:
        NotFoundError: there is no such review.
    """
    review = await context.store.review(review_id)
    if decision.request is None or review.status == "open":
        return None
    latest = None
    async for event in context.store.events(run=review.run, call=review.call, kind=DECIDED):
        if event.facts["review"] == review.id:
            latest = event
    if latest is None or not _is_same(latest.facts, decision):
        return None
    if review.call is None or decision.output is None:
        return Decided(review=review)
    kept, job = await restore_job(context, review.call, find_pack, original)
    return Decided(
        review=review,
        weighed=job.weigh_decision(decision.output),
        session=await kind_of(kept).find_session(context, kept),
    )


def _is_same(facts: Mapping[str, Any], decision: Decision) -> bool:
    output = None if decision.output is None else digest(decision.output)
    return (
        facts.get("request") == decision.request
        and facts.get("decision") == decision.status
        and facts.get("output_sha256") == output
    )


async def check(
    context: RuntimeContext,
    review_id: str,
    output: bytes,
    *,
    find_pack: FindPack,
    original: bytes | None = None,
) -> Weighed:
    """How *output* would be judged if it were handed in; nothing is recorded.

    Raises:
        As `decide`.
    """
    review = await context.store.review(review_id)
    if review.call is None:
        raise InputError("only the output of a call can be judged", hint="reject the case")
    _, job = await restore_job(context, review.call, find_pack, original)
    return job.weigh_decision(output)


async def restore_job(
    context: RuntimeContext, call: str, find_pack: FindPack, original: bytes | None
) -> tuple[KeptCall, Job]:
    """The job of a recorded call, with the texts that it was asked about.

    Raises:
        InputError: its source texts are not at hand.
        NotAllowedError: the contract is not the one that the call was made under.
    """
    find_template = None if context.registry is None else context.registry.stored_version
    kept = await kept_call(context.store, call, find_template)
    kind = kind_of(kept)
    if kept.material is None or original is not None:
        found = await kind.find_material(context, kept, find_pack, original)
        kept = replace(kept, material=kept.material or found)
    job = kind.job.restore(kept, find_pack, context.redactor)
    if job.digest != kept.contract_digest:
        raise NotAllowedError(
            f"contract {job.reference!r} is not the one this call was made under",
            hint="use the pack version on record",
        )
    if not job.complete:
        raise InputError(
            "the source texts of this call are not in the store",
            hint="hand in the original file with --input; set ASSAY_MASTER_KEY to have them kept",
        )
    return kept, job


async def _require_open(context: RuntimeContext, review: ReviewRow) -> None:
    by = await withdrawn_by(context.store, review)
    if by is not None:
        raise ConflictError(
            f"review {review.id} was withdrawn: asked again by call {by}",
            hint=f"see assay calls show {by}",
        )
    if review.status != "open":
        raise ConflictError(f"review {review.id} was decided already", hint="see assay review show")


async def _record(
    context: RuntimeContext,
    review: ReviewRow,
    row: CallRow | None,
    decision: Decision,
    weighed: Weighed | None = None,
    follows: Consequences = NO_CONSEQUENCES,
) -> Decided:
    """Commit a decision: the event, the review's row, and the call's row when accepted."""
    decided = replace(
        review,
        status=decision.status,
        decided_at=context.clock.now(),
        reviewer=decision.reviewer,
    )
    payloads = {"reason": decision.reason.encode("utf-8")}
    facts: dict[str, Any] = {
        "review": review.id,
        "decision": decided.status,
        "reviewer": decision.reviewer,
    }
    if decision.request is not None:
        facts["request"] = decision.request
    if decision.output is not None:
        payloads["output"] = decision.output
        facts["output_sha256"] = digest(decision.output)
    if weighed is not None and weighed.result is not None:
        payloads["result"] = as_it_stands(weighed.result.value)
    rows: list[Write] = [PutReview(row=decided)]
    if row is not None and decision.accept:
        rows.append(PutCall(row=replace(row, outcome="accepted", reason=None), over="settled"))
    event = EventDraft(
        kind=DECIDED,
        facts=facts,
        payloads=payloads,
        call=review.call,
        subject=None if row is None else row.subject,
    )
    await context.store.commit(
        Changes(
            run=review.run,
            events=(event, *follows.events),
            writes=(*rows, *follows.writes),
        )
    )
    return Decided(review=decided, weighed=weighed, session=follows.session)
