"""What was accepted, in the words of the model or of a person: as the contract's schema has it.

In      a settled call
Out     the output before it became the audited result; None where it is no longer kept
Effects store reads, for a call that was settled before
Spec    009-O1, 009-O4

The audited result is for the record: quotes are places there, and personal values surrogates. Who
handed in the text and asked for the contract's own form is given that form.
"""

from __future__ import annotations

from typing import Any

from assay.core.json.strict import Refused, parse_object
from assay.protocols import Store
from assay.runtime.calls.context import Settled


async def accepted_output(store: Store, settled: Settled) -> dict[str, Any] | None:
    """The accepted output of *settled*; None for what is not accepted, or not kept any more."""
    if settled.outcome.status != "accepted" or settled.result is None:
        return None
    verdict = None if settled.weighed is None else settled.weighed.verdict
    if verdict is not None and verdict.output is not None:
        return verdict.output
    raw = await _last_accepted(store, settled.call)
    if raw is None:
        return None
    parsed = parse_object(raw)
    return None if isinstance(parsed, Refused) else parsed.value


async def _last_accepted(store: Store, call: str) -> bytes | None:
    """The reply that passed, or the correction that took its place and was not taken back."""
    reply = accepted = corrected = None
    async for event in store.events(call=call):
        if event.kind == "model.answered":
            reply = event.seq, "raw"
        elif event.kind == "output.judged" and event.facts["verdict"] == "accepted":
            accepted = reply
        elif event.kind == "review.decided" and event.facts["decision"] == "accepted":
            if "output" in event.commitments:
                corrected = event.seq, "output"
        elif event.kind == "review.reopened":
            corrected = None
    found = corrected or accepted
    return None if found is None else await store.payload(*found)
