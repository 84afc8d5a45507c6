"""Rows and payloads of the record as the JSON that commands and the service print.

In      rows of calls and reviews, payloads
Out     JSON values
Pure    yes
Spec    interfaces.md, "Command line"
"""

from __future__ import annotations

import json
from typing import Any

from assay.protocols import CallRow, ReviewRow


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
