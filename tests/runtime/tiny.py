"""A pack small enough to read at a glance, and a runtime on it, for the runtime's own tests."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from assay.pack.pack import Pack
from assay.pack.read import read_pack
from assay.runtime.runtime import Runtime
from assay.wiring import aopen

FILES: dict[str, bytes] = {
    "pack.yaml": b"name: tiny\nversion: 1.0.0\nsource: text\nflow: [triage]\n",
    "labels.yaml": (
        b"kind:\n  multi: false\n  labels:\n    water: Water damage.\n    fire: Fire damage.\n"
    ),
    "contracts/triage.yaml": (
        b"template: triage\n"
        b"schema: triage.schema.json\n"
        b'labels: {"/label": kind}\n'
        b'evidence: {snippets: "/evidence_snippets/*", required: [""]}\n'
        b"attempts: [{}, {temperature: 0.0, shorten: true}]\n"
        b"budget: {max_input_tokens: 400, max_output_tokens: 100}\n"
        b'models: ["*"]\n'
    ),
    "contracts/triage.schema.json": json.dumps(
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["label", "evidence_snippets"],
            "properties": {
                "label": {"type": "string"},
                "evidence_snippets": {
                    "type": "array",
                    "items": {"type": "string", "maxLength": 200},
                },
            },
        }
    ).encode(),
    "templates/triage.md": (
        b"---\nname: triage\nrole: triage\nversion: 1\nvariables: [labels.kind, input.text]\n---\n"
        b"Answer with one JSON object.\nLabels:\n{{labels.kind}}\nText:\n{{input.text}}\n"
    ),
}

TEXT = b"There is water in the cellar. The pipe broke on Monday."
GOOD = json.dumps({"label": "water", "evidence_snippets": ["water in the cellar"]})
UNKNOWN_LABEL = json.dumps({"label": "WATER", "evidence_snippets": ["water in the cellar"]})


def tiny_pack(**changes: bytes) -> Pack:
    """The pack; a keyword such as `contracts__triage__yaml` replaces a file."""
    files: Mapping[str, bytes] = FILES | {
        ".".join(name.rsplit("__", 1)).replace("__", "/"): content
        for name, content in changes.items()
    }
    return read_pack(files, name_hint="tiny")


def write_pack(folder: Path, files: Mapping[str, bytes] = FILES) -> None:
    """The files of the pack in *folder*."""
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def script(folder: Path, *replies: str | dict[str, object], name: str = "replies.jsonl") -> str:
    """A scripted model that says *replies*: texts, or whole lines as objects."""
    lines = [r if isinstance(r, dict) else {"text": r, "finish_reason": "stop"} for r in replies]
    file = folder / name
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return f"scripted:{file}"


@asynccontextmanager
async def opened(
    folder: Path, *replies: str | dict[str, object], environ: Mapping[str, str] | None = None
) -> AsyncIterator[Runtime]:
    """A runtime on a SQLite file in *folder* that answers with *replies*."""
    surroundings = {"ASSAY_RETRY_ATTEMPTS": "2", **(environ or {})}
    async with aopen(
        f"sqlite:///{folder / 'assay.db'}",
        script(folder, *replies),
        script_log=str(folder / "log.jsonl"),
        environ=surroundings,
    ) as runtime:
        yield runtime


def sent(folder: Path) -> list[dict[str, object]]:
    """The requests that the scripted model got."""
    file = folder / "log.jsonl"
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
