"""What stands on record of a settled call, and whether it deserves another try.

In      the row of a settled call
Out     Settled as it was recorded; None for a call that is asked again
Effects store reads
Spec    000-B2; 006-M5
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from assay.contract.detail import detail_of
from assay.contract.outcome import Outcome, Reason
from assay.contract.shortened import Shortened
from assay.protocols import CallRow
from assay.runtime.calls.context import RuntimeContext, Settled
from assay.runtime.calls.ledger import FAULT_OF


async def recall(context: RuntimeContext, row: CallRow) -> Settled | None:
    """The stored outcome of a settled call; None when it deserves another try.

    Tried again are a call that a *run's* budget kept from being sent, and one that an earlier
    version gave up on a refused request without asking whether the set-up was at fault.
    """
    result: dict[str, Any] | None = None
    erased = False
    settled: tuple[dict[str, Any] | None, bool] = (None, False)
    detail: str | None = None
    shortened: Shortened | None = None
    failure: object = None
    untold = False
    async for event in context.store.events(call=row.id):
        if event.kind == "model.answered":
            failure = event.facts.get("failure")
        elif event.kind == "prompt.built":
            shortened = Shortened.of_record(event.facts.get("omitted", ()))
        elif event.kind == "call.settled":
            detail = event.facts.get("detail") or detail_of(row.reason, event.facts)
            if event.facts["outcome"] == "needs_review":
                shortened = None  # no attempt was accepted; who corrects it sees all of the texts
            if event.facts.get("budget", {}).get("scope") == "run":
                return None
            untold = _is_untold(event.facts, failure)
        elif event.kind == "review.decided":
            untold = False  # a person has told
        elif event.kind == "review.reopened":
            result, erased = settled  # what was decided counts no more
        # A person's accepted correction comes after the outcome and takes its place.
        if event.kind in {"call.settled", "review.decided"} and "result" in event.commitments:
            content = await context.store.payload(event.seq, "result")
            result = None if content is None else json.loads(content)
            erased = content is None
            if event.kind == "call.settled":
                settled = result, erased
    if untold:
        return None
    return Settled(
        call=row.id,
        contract=row.contract,
        outcome=Outcome(status=row.outcome or "needs_review", reason=row.reason),
        result=result,
        attempts=row.attempts,
        reused=True,
        erased=erased,
        detail=None if row.reason is None else detail,
        shortened=shortened,
    )


def _is_untold(settled: Mapping[str, Any], failure: object) -> bool:
    """Was the request refused, and nobody asked whose fault that is?

    Args:
        failure: Of the last exchange; the first versions put it on record there alone.
    """
    refused = settled.get("reason") == Reason.GAVE_UP and failure == "bad_request"
    return refused and FAULT_OF not in settled
