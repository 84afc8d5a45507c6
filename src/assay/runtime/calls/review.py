"""The human queue: show a doubtful case, take the decision of a person.

In      a review's id; a decision with reviewer, reason and, to accept, a corrected output
Out     the decision as an event, the call's row and the review's row in one transaction
Effects store reads and one commit
Spec    000 "fail-closed review"; issue on the kernel, "Review queue"

What a person hands in passes the same gate as what a model hands in.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from assay.contract.contract import Contract, judge
from assay.contract.job import ContractJob
from assay.contract.material import Material
from assay.core.json.canonical import digest
from assay.core.text.spans import Shown
from assay.errors import ConflictError, InputError, NotAllowedError
from assay.gate.gate import Verdict
from assay.protocols import CallRow, Changes, PutCall, PutReview, ReviewRow, SessionRow, Write
from assay.record.event import EventDraft, StoredEvent
from assay.runtime.calls.context import RuntimeContext
from assay.runtime.calls.ledger import as_it_stands


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a person says about a case."""

    accept: bool
    reviewer: str
    reason: str
    output: bytes | None = None
    """To accept: the output as it should have been, as one JSON object."""

    def __post_init__(self) -> None:
        if not self.reviewer.strip():
            raise InputError("a decision needs the name of its reviewer")
        if not self.reason.strip():
            raise InputError("a decision needs a reason")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """The decision as it stands on record; `verdict` when a corrected output was judged."""

    review: ReviewRow
    verdict: Verdict | None
    result: dict[str, Any] | None
    session: SessionRow | None = None
    """Where the session stands now, when the decision moved one on."""

    @property
    def taken(self) -> bool:
        """False when the corrected output did not pass: nothing was recorded."""
        return self.review.status != "open"


async def decide(
    context: RuntimeContext,
    review_id: str,
    decision: Decision,
    *,
    contract: Contract | None,
    material: Material | None,
) -> Decided:
    """Take *decision* on an open review.

    Args:
        contract: Of the call under review; needed to accept a corrected output.
        material: The source texts, when they are not kept in the store.

    Raises:
        ConflictError: somebody decided before.
        InputError: the review has no call, or the source texts are nowhere to be had.
        NotAllowedError: the contract is not the one that the call was made under.
    """
    review = await context.store.review(review_id)
    if review.status != "open":
        raise ConflictError(f"review {review_id} was decided already", hint="see assay review show")
    row = None if review.call is None else await context.store.call(review.call)
    verdict: Verdict | None = None
    value: dict[str, Any] | None = None
    if decision.accept:
        if row is None or contract is None or decision.output is None:
            raise InputError(
                "only the output of a call can be accepted",
                hint="give the corrected output with --output, or --reject the case",
            )
        if contract.digest != row.contract_digest:
            raise NotAllowedError(
                f"contract {contract.reference!r} is not the one this call was made under",
                hint="use the pack version on record",
            )
        material = material or await stored_material(context, row)
        verdict = judge(
            contract,
            decision.output,
            shown=tuple(Shown.of_text(name, text) for name, text in material.texts.items()),
            state=material.state,
            input=material.input,
        )
        job = ContractJob(contract=contract, material=material, redactor=context.redactor)
        weighed = job.settle(verdict)
        verdict = weighed.verdict
        if weighed.result is None:
            return Decided(review=review, verdict=verdict, result=None)
        value = weighed.result.value
    return await record_decision(context, review, row, decision, verdict, value)


async def record_decision(
    context: RuntimeContext,
    review: ReviewRow,
    row: CallRow | None,
    decision: Decision,
    verdict: Verdict | None,
    value: dict[str, Any] | None,
    *,
    events: tuple[EventDraft, ...] = (),
    writes: tuple[Write, ...] = (),
) -> Decided:
    """Commit a decision: the event, the review's row, and the call's row when accepted.

    Args:
        events: What else happens in this transaction, after the decision.
        writes: The rows of it.
    """
    now = context.clock.now()
    decided = replace(
        review,
        status="accepted" if decision.accept else "rejected",
        decided_at=now,
        reviewer=decision.reviewer,
    )
    payloads = {"reason": decision.reason.encode("utf-8")}
    facts: dict[str, Any] = {
        "review": review.id,
        "decision": decided.status,
        "reviewer": decision.reviewer,
    }
    if decision.output is not None:
        payloads["output"] = decision.output
        facts["output_sha256"] = digest(decision.output)
    if value is not None:
        payloads["result"] = as_it_stands(value)
    rows: list[Write] = [PutReview(row=decided)]
    if row is not None and decision.accept:
        rows.append(PutCall(row=replace(row, outcome="accepted", reason=None), over="settled"))
    event = EventDraft(
        kind="review.decided",
        facts=facts,
        payloads=payloads,
        call=review.call,
        subject=None if row is None else row.subject,
    )
    await context.store.commit(
        Changes(run=review.run, events=(event, *events), writes=(*rows, *writes))
    )
    return Decided(review=decided, verdict=verdict, result=value)


async def stored_material(context: RuntimeContext, row: CallRow) -> Material:
    """The source texts of a call as they stood in the record.

    Raises:
        InputError: they were not kept (no master key at the time) or have been erased.
    """
    async for event in context.store.events(call=row.id, kind="call.opened"):
        content = await _payload(context, event, "sources")
        if content is not None:
            return Material.from_dict(json.loads(content))
    raise InputError(
        "the source texts of this call are not in the store",
        hint="hand in the original file with --input; set ASSAY_MASTER_KEY to have them kept",
    )


async def _payload(context: RuntimeContext, event: StoredEvent, name: str) -> bytes | None:
    return await context.store.payload(event.seq, name) if name in event.commitments else None
