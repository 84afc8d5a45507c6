"""What the service answers, by example: the table behind the API's document.

In      nothing
Out     answers by the name of their model, or by method and path
Pure    yes
Spec    009-H1
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_CALL_ID: Final = "0197c1f0-9d3e-7c55-8a41-5b8f1f0e6a77"
_REVIEW_ID: Final = "0197c1f0-a2b4-7d10-9c02-1d1c7a3f4e21"
_SESSION_ID: Final = "6f0d5d1e-52b8-4c6c-9a0e-3d9b1c7f2a10"
_AT: Final = "2025-07-01T09:30:00+00:00"
_DIGEST: Final = "sha256:" + "5e" * 32
_OUTPUT: Final = {"label": "water", "evidence_snippets": ["A pipe has burst"]}
_FINDING: Final = {
    "code": "label.unknown",
    "severity": "reject",
    "path": "/label",
    "start": None,
    "stop": None,
    "message": "the label is none of the set",
}
_CALL: Final = {
    "id": _CALL_ID,
    "run": 7,
    "kind": "contract",
    "contract": "intake/classify",
    "model": "openai:small",
    "input": "claim.eml",
    "status": "settled",
    "attempts": 1,
    "outcome": "accepted",
    "reason": None,
    "created_at": _AT,
    "settled_at": _AT,
}
_REVIEW: Final = {
    "id": _REVIEW_ID,
    "run": 7,
    "call": _CALL_ID,
    "input": "claim.eml",
    "reason": "gate.rejected",
    "status": "open",
    "opened_at": _AT,
    "decided_at": None,
    "reviewer": None,
}
_ASSIGNED: Final = {"review": _REVIEW_ID, "person": "Bo", "until": _AT}
_SESSION: Final = {
    "id": _SESSION_ID,
    "pack": "services",
    "status": "open",
    "turn": 1,
    "next_stage": "inquiry",
    "updated_at": _AT,
}
_TEMPLATE: Final = {
    "role": "planner",
    "name": "outline",
    "version": 2,
    "state": "active",
    "percent": None,
    "sha256": _DIGEST,
    "drifted": False,
    "variables": ["topic"],
    "author": "Ann",
    "created_at": _AT,
    "signer": None,
}
_KEY: Final = {"id": "0197c1f0", "name": "claims desk", "role": "operator"}
_MODEL: Final = {"id": "intake/classify", "object": "model", "created": 0, "owned_by": "assay"}
_GATED: Final[dict[str, Any]] = {
    "outcome": "accepted",
    "reason": None,
    "detail": None,
    "contract": "intake/classify",
    "model": "extractive",
    "call": _CALL_ID,
    "result": {"label": "water", "evidence": [{"source": "body", "start": 0, "stop": 16}]},
    "reviews": [],
    "findings": [],
    "attempts": 1,
    "reused": False,
    "shortened": None,
    "not_applied": [],
}
_TEXT: Final = '{"label": "water", "evidence_snippets": ["A pipe has burst"]}'

ANSWERS: Final[Mapping[str, Any]] = {
    "VerdictAnswer": {
        "verdict": "rejected",
        "findings": [_FINDING],
        "output": None,
        "spans": [{"path": "/evidence_snippets/0", "source": "body", "start": 0, "stop": 16}],
    },
    "RenderAnswer": {
        "text": "Dear Ann",
        "sha256": _DIGEST,
        "redacted": "Dear Ann",
        "redaction_map": {},
        "truncated": False,
        "template": None,
        "variables": ["name"],
        "parts": [],
    },
    "RedactAnswer": {
        "text": "Call Ann at [PHONE_14a3dea3ce].",
        "map": {"[PHONE_14a3dea3ce]": "PHONE"},
        "counts": {"PHONE": 1},
        "truncated": False,
    },
    "AssembleAnswer": {
        "answer_bundle": {"status": "NO_EVIDENCE", "selected_evidence": []},
        "prompt_build": {"prompt_text": ""},
    },
    "ValidateAnswer": {
        "generation_status": "OK",
        "validation_status": "PASSED",
        "failure_reason": None,
        "validated_answer_text": "The pool is open from 7 to 21. [C0]",
        "validated_citations": [{"anchor": "C0"}],
        "grounding_metrics": {"sentences": 1},
        "findings": [],
    },
    "RunAnswer": {
        "outcomes": [
            {
                "input": "claim.eml",
                "outcome": "accepted",
                "reason": None,
                "detail": None,
                "calls": [_CALL_ID],
                "result": {"classification": {"label": "water"}},
                "shortened": None,
                "unread": [],
            }
        ]
    },
    "AskAnswer": {
        "outcome": "accepted",
        "reason": None,
        "call": _CALL_ID,
        "answer": "The pool is open from 7 to 21. [C0]",
        "citations": [{"anchor": "C0", "file": "pool/pool.md"}],
        "answer_bundle": {"status": "OK"},
        "prompt_build": {"status": "OK"},
        "execution": {"generation_status": "OK"},
        "validation": {"validation_status": "PASSED"},
    },
    "TurnAnswer": {
        "session_id": _SESSION_ID,
        "turn": 1,
        "outcome": "accepted",
        "reason": None,
        "reply": "Is it a new or a used car?",
        "stages": [{"stage": "inquiry", "outcome": "accepted"}],
        "findings": [],
        "cached_state": {"session_id": _SESSION_ID},
    },
    "SessionAnswer": {
        "session": _SESSION,
        "cached_state": {"session_id": _SESSION_ID},
        "turn": {"turn": 1, "outcome": "accepted"},
    },
    "SessionsAnswer": {"sessions": [_SESSION], "next": None},
    "CallAnswer": {
        "call": _CALL,
        "events": [{"seq": 41, "run": 7, "kind": "call.settled", "at": _AT, "digest": _DIGEST}],
    },
    "CallsAnswer": {"calls": [_CALL], "next": None},
    "ReviewAnswer": {
        "review": _REVIEW,
        "detail": "no attempt passed the gate",
        "shortened": None,
        "omitted": [],
        "unread": [],
        "call": {"call": _CALL, "events": []},
        "withdrawn_by": None,
        "assigned_to": _ASSIGNED,
        "due_at": _AT,
    },
    "ReviewsAnswer": {"reviews": [_REVIEW], "next": None},
    "DecidedAnswer": {
        "review": {**_REVIEW, "status": "accepted", "decided_at": _AT, "reviewer": "Bo"},
        "verdict": {"verdict": "accepted", "findings": []},
        "result": _OUTPUT,
        "session": None,
    },
    "AssignedAnswer": _ASSIGNED,
    "ReplaysAnswer": {"replays": [{"call": _CALL_ID, "prompt": "identical", "verdict": "same"}]},
    "TemplateAnswer": {"template": _TEMPLATE},
    "TemplatesAnswer": {"templates": [_TEMPLATE]},
    "KeyAnswer": _KEY,
    "POST /v1/keys": {**_KEY, "secret": "assay_…"},
    "KeysAnswer": {"keys": [_KEY]},
    "HealthAnswer": {"status": "ok"},
    "ReadyAnswer": {"status": "ready", "store": "ok", "model": "extractive"},
    "GET /readyz 503": {
        "status": "unavailable",
        "store": "store.unavailable",
        "model": "extractive",
    },
    "GET /v1/audit/log": {
        "events": [
            {
                "seq": 41,
                "run": 7,
                "n": 3,
                "at": _AT,
                "kind": "call.settled",
                "call": _CALL_ID,
                "digest": _DIGEST,
                "facts": {"outcome": "accepted"},
            }
        ]
    },
    "GET /v1/audit/head": {"size": 42, "root": _DIGEST},
    "POST /v1/audit/verify": {"status": "unanchored", "events": 42, "first_bad": None, "erased": 0},
    "GET /v1/audit/checkpoints": {
        "checkpoints": [{"size": 42, "root": _DIGEST, "checkpoint": "…", "created_at": _AT}]
    },
    "POST /v1/audit/checkpoints": {
        "size": 42,
        "root": _DIGEST,
        "signed": False,
        "keys": [],
        "checkpoint": None,
    },
    "GET /v1/audit/receipts/{call_id}": {
        "format": "assay-receipt/1",
        "says": {},
        "run": {},
        "events": [],
        "erasures": [],
        "checkpoint": "assay.example\n42\n…\n",
    },
    "POST /v1/audit/erasures": {
        "erased_payloads": 12,
        "already_erased": 0,
        "remains": [],
        "pseudonyms_guessable": False,
    },
    "GET /v1/figures": {
        "filters": {},
        "unit": "hour",
        "periods": ["2025-07-01 09:00"],
        "calls": 128,
        "outcomes": {"accepted": [117], "no_evidence": [0], "needs_review": [11], "open": [0]},
    },
    "POST /v1/reviews/{review_id}/check": {"verdict": "rejected", "findings": [_FINDING]},
    "POST /v1/reviews/{review_id}/release": {"review": _REVIEW_ID},
    "POST /v1/reviews/{review_id}/reopen": {"review": _REVIEW},
    "GET /v1/templates/drift": {"versions": 3, "contexts": 128, "drift": [], "last_24h": 0},
    "GET /v1/templates/stats": {
        "since": None,
        "drift": {"total": 0, "last_24h": 0},
        "verdicts": {"planner/outline@2": {"accepted": 117, "rejected": 11}},
        "models": {"extractive": {"latency_ms": 2750}},
    },
    "GET /v1/templates/{role}/{name}/diff": {
        "before": "planner/outline@1",
        "after": "planner/outline@2",
        "same": False,
        "text": ["-Outline.", "+Outline {{topic}}."],
        "variables": {"added": ["topic"], "removed": [], "reordered": False},
        "cases": 0,
        "rendered": [],
    },
    "GET /openai/v1/models": {"object": "list", "data": [_MODEL]},
    "GET /openai/v1/models/{model}": _MODEL,
    "POST /openai/v1/chat/completions": {
        "id": f"chatcmpl-{_CALL_ID}",
        "object": "chat.completion",
        "created": 1_751_362_200,
        "model": "intake/classify",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": _TEXT, "refusal": None},
                "finish_reason": "stop",
                "logprobs": None,
            }
        ],
        "usage": {"prompt_tokens": 210, "completion_tokens": 24, "total_tokens": 234},
        "assay": _GATED,
    },
    "POST /openai/v1/responses": {
        "id": f"resp_{_CALL_ID}",
        "object": "response",
        "created_at": 1_751_362_200,
        "status": "completed",
        "model": "any",
        "output": [
            {
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": _TEXT, "annotations": []}],
            }
        ],
        "assay": _GATED,
    },
    "POST /mcp": {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {"content": [], "structuredContent": {"text": "…"}, "isError": False},
    },
    "JsonRpcError": {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -32600, "message": "the message is no object"},
    },
}
