"""Examples of the API's document: every body, every answer, every error.

In      the OpenAPI document as the routes declare it
Out     the same with examples
Pure    yes
Spec    009-H1
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from assay.server.doors.openai.openai_errors import PREFIX, shape_error
from assay.server.example_answers import ANSWERS

_QUOTE: Final = "A pipe has burst in the kitchen."
_SCHEMA: Final = {
    "name": "Triage",
    "schema": {
        "type": "object",
        "properties": {"topic": {"enum": ["water", "fire"]}},
        "required": ["topic"],
        "additionalProperties": False,
    },
}
_OUTPUT: Final = '{"label": "water", "evidence_snippets": ["A pipe has burst"]}'
_POLICY_REASON: Final = {"reason": "read and compared with the policy"}

BODIES: Final[Mapping[str, Any]] = {
    "GateBody": {
        "contract": "intake/classify",
        "output": _OUTPUT,
        "sources": {"body": _QUOTE},
        "finish_reason": "stop",
    },
    "RenderBody": {"body": "Dear {{name}}", "variables": {"name": "Ann"}},
    "RedactBody": {"text": "Call Ann at +1 202 555 0143.", "regions": ["US", "DE"]},
    "AssembleBody": {"bundle": {"results": []}, "question": "When is the pool open?"},
    "ValidateBody": {"assembly": {}, "answer": "The pool is open from 7 to 21. [C0]"},
    "RunBody": {
        "pack": "intake",
        "inputs": [{"name": "claim.eml", "text": f"Subject: Pipe\n\n{_QUOTE}"}],
    },
    "AnswerBody": {"question": "When is the pool open?", "documents": "pool"},
    "SessionBody": {"pack": "services", "message": "I want to register a car."},
    "TurnBody": {"message": "It is a used one."},
    "DecisionBody": {"accept": True, "reason": "the label was wrong", "output": _OUTPUT},
    "CheckBody": {"output": _OUTPUT},
    "AssignBody": {"person": "Bo", "reason": "knows the case"},
    "ReasonBody": _POLICY_REASON,
    "ReplayBody": {"calls": ["0197c1f0"]},
    "TemplateBody": {
        "text": "---\nname: outline\nrole: planner\nversion: 2\nvariables: [topic]\n---\n"
        "Outline {{topic}}.\n",
        "reason": "shorter",
    },
    "PromoteBody": {"reason": "the backtest is clean", "backtest_with": "intake"},
    "CanaryBody": {"reason": "a first look", "percent": 5},
    "LabelBody": {"reason": "read by two", "label": "reviewed"},
    "EraseBody": {"reason": "asked for by mail", "subject": "ann@example.org"},
    "KeyBody": {"name": "claims desk", "role": "operator", "days": 90, "per_minute": 600},
    "POST /v1/audit/verify": {"checkpoint": "assay.example/log\n42\n…\n"},
    "POST /openai/v1/chat/completions": {
        "model": "intake/classify",
        "messages": [{"role": "user", "content": f"Subject: Pipe\n\n{_QUOTE}"}],
    },
    "POST /openai/v1/responses": {
        "model": "any",
        "instructions": "You sort mail.",
        "input": _QUOTE,
        "text": {"format": {"type": "json_schema", **_SCHEMA}},
    },
    "POST /mcp": {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "redact", "arguments": {"text": "Call Ann at +1 202 555 0143."}},
    },
}

ERRORS: Final[Mapping[int, tuple[str, str, str]]] = {
    400: ("request.unsupported", "n is 1 here", "one output is judged at a time"),
    401: ("not_signed_in", "nobody stands behind this request", "send an access key"),
    403: ("may_not", "the role viewer lacks the permission `ask`", "ask an admin for another key"),
    404: ("not_found", "no pack of this name is served", "one of grounded, intake"),
    408: ("request.slow", "the request did not arrive within 30 s", "send it again"),
    409: ("conflict", "the review was decided already", "see assay review show"),
    413: ("request.too_large", "the request is longer than 20000000 bytes", "send less"),
    422: ("request.invalid", "body/contract: missing", "see /openapi.json"),
    429: ("too_many", "more than 600 requests a minute", "come again after retry-after seconds"),
    500: ("internal", "a fault in the program: ValueError", "see the log"),
    503: ("store.unavailable", "the database cannot be reached", "start it, then ask again"),
    504: ("answer.slow", "no answer within 600 s", "ask again under the same idempotency key"),
}


def error_example(status: int, path: str) -> dict[str, Any]:
    """An error of this status, as it is told at *path*."""
    code, message, hint = ERRORS[status]
    document = {"error": {"code": code, "message": message, "hint": hint}}
    return shape_error(document, status) if path.startswith(PREFIX) else document


def add_examples(document: dict[str, Any]) -> dict[str, Any]:
    """*document* with an example of each body, answer and error that has none of its own."""
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            name = f"{method.upper()} {path}"
            body = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if body is not None:
                _add_example(body, _find_example(BODIES, name, body))
            for said, answer in operation["responses"].items():
                content = answer.get("content", {}).get("application/json")
                if content is None:
                    continue
                found = _find_example(ANSWERS, f"{name} {said}", content)
                if found is None and int(said) < 400:
                    found = _find_example(ANSWERS, name, content)
                if found is None and int(said) in ERRORS:
                    found = error_example(int(said), path)
                _add_example(content, found)
    return document


def _find_example(table: Mapping[str, Any], name: str, content: Mapping[str, Any]) -> Any:
    named = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
    return table.get(name, table.get(named))


def _add_example(content: dict[str, Any], example: Any) -> None:
    if example is not None and "examples" not in content:
        content.setdefault("example", example)
