"""Rows and payloads of the record as the JSON that commands and the service print.

In      rows of calls and reviews, payloads; a store, for a whole call
Out     JSON values
Effects store reads, of `whole_call` alone
Spec    interfaces.md, "Command line"
"""

from __future__ import annotations

import json
from typing import Any

from assay.protocols import CallRow, ReviewRow, Store
from assay.runtime.costs.model_use import use_of_call


async def whole_call(store: Store, call_id: str) -> dict[str, Any]:
    """A call's row and all its events, with payloads that are JSON or text decoded."""
    row = await store.call(call_id)
    events = []
    async for event in store.events(call=call_id):
        payloads: dict[str, Any] = {}
        for name in event.commitments:
            payloads[name] = readable_payload(await store.payload(event.seq, name), name)
        events.append(
            {
                "seq": event.seq,
                "run": event.run,
                "kind": event.kind,
                "at": event.at,
                "digest": event.digest,
                "facts": dict(event.facts),
                "payloads": payloads,
            }
        )
    use = await use_of_call(store, call_id)
    return {"call": {**call_document(row), "use": use.to_dict()}, "events": events}


def call_document(row: CallRow) -> dict[str, Any]:
    """A call's row as the JSON that commands and the service print."""
    return {
        "id": row.id,
        "run": row.run,
        "kind": row.kind,
        "contract": row.contract,
        "contract_digest": row.contract_digest,
        "model": row.model,
        "input": row.input,
        "input_digest": row.input_digest,
        "subject": row.subject,
        "status": row.status,
        "attempts": row.attempts,
        "outcome": row.outcome,
        "reason": row.reason,
        "decision_digest": row.decision_digest,
        "created_at": row.created_at.isoformat(),
        "settled_at": None if row.settled_at is None else row.settled_at.isoformat(),
    }


def review_document(row: ReviewRow) -> dict[str, Any]:
    """A review's row as the JSON that commands and the service print."""
    return {
        "id": row.id,
        "run": row.run,
        "call": row.call,
        "input": row.input,
        "reason": row.reason,
        "status": row.status,
        "opened_at": row.opened_at.isoformat(),
        "decided_at": None if row.decided_at is None else row.decided_at.isoformat(),
        "reviewer": row.reviewer,
    }


def readable_payload(content: bytes | None, name: str) -> Any:
    """A payload for people: JSON as JSON, text as text, None when it was erased."""
    if content is None:
        return None
    text = content.decode("utf-8", "replace")
    if name in {"raw", "prompt_redacted", "prompt", "reason", "output", "input"}:
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text
