"""A pack small enough to be read at a glance, for tests that spoil one thing at a time."""

from __future__ import annotations

import json

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["kind", "confidence", "quotes"],
    "properties": {
        "kind": {"type": "string"},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "quotes": {"type": "array", "items": {"type": "string", "maxLength": 200}},
    },
}

FILES = {
    "pack.yaml": "name: small\nversion: 1.2.0\nsource: text\nflow: [tell]\n",
    "labels.yaml": "kind:\n  labels:\n    GOOD: it pleases\n    BAD: it does not\n",
    "contracts/tell.yaml": (
        "version: 3\n"
        "template: tell\n"
        "labels:\n"
        '  "/kind": kind\n'
        "evidence:\n"
        '  snippets: "/quotes/*"\n'
        '  required: [""]\n'
        "rules:\n"
        "  - id: sure\n"
        "    assert: output.confidence > 0.1\n"
    ),
    "contracts/tell.schema.json": json.dumps(SCHEMA, indent=2),
    "templates/tell.md": (
        "---\nname: small.tell\nrole: teller\nversion: 1\n"
        "variables: [labels.kind, schema, input.text]\n---\n"
        "{{labels.kind}}\n{{schema}}\n{{input.text}}\n"
    ),
}


def small_pack(**changes: str | None) -> dict[str, bytes]:
    """The pack's files; a change (`**{"labels.yaml": "…"}`) replaces one, None takes it away."""
    files: dict[str, str | None] = {**FILES, **changes}
    return {name: text.encode("utf-8") for name, text in files.items() if text is not None}
