"""Decided reviews become example sentences for a pack's labels.

In      a store with accepted reviews; the packs of their calls
Out     examples by label set and label, as `examples.yaml` holds them; what was passed over
Effects store reads
Spec    interfaces.md, "Packs" and "Reviews"; 008-L9

What a person accepted says which labels are right, and its quotes say where that is read. A
label without a quote of its own is shown by the beginning of what was judged. Sentences leave
the record in their redacted view: a pack is read by more people than a mail.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from assay.contract.contract import Contract
from assay.contract.kept import KeptCall
from assay.errors import AssayError
from assay.protocols import ReviewRow
from assay.runtime.calls.context import RuntimeContext
from assay.runtime.kinds import FindPack, kind_of
from assay.runtime.replay.kept import kept_call

BEGINNING_CHARS: Final = 400
"""So much of a text stands for a label that quotes nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedExamples:
    """What decided reviews of one pack teach."""

    examples: Mapping[str, Mapping[str, Sequence[str]]]
    """Label set -> label -> sentences, redacted."""

    reviews: int
    """Reviews that gave some."""

    passed_over: Mapping[str, str]
    """Review id -> why it gave none, in words without personal data."""


async def decided_examples(
    context: RuntimeContext, rows: Sequence[ReviewRow], pack: str, *, find_pack: FindPack
) -> DecidedExamples:
    """Examples from the accepted reviews among *rows* whose calls belong to *pack*."""
    found: dict[str, dict[str, dict[str, None]]] = {}
    passed_over: dict[str, str] = {}
    gave = 0
    for row in rows:
        if row.status != "accepted" or row.call is None:
            continue
        try:
            kept = await kept_call(context.store, row.call)
            if kept.pack != pack:
                continue
            contract = find_pack(pack).contract(kept.contract_name)
            output = await _accepted_output(context, row, kept, find_pack)
        except AssayError as error:
            passed_over[row.id] = error.code
            continue
        if output is None:
            passed_over[row.id] = "what was accepted is not kept"
            continue
        gave += 1
        for set_name, label, text in _labelled_texts(contract, kept, output):
            shown = " ".join(context.redactor.redact(text).text.split())
            if shown:
                found.setdefault(set_name, {}).setdefault(label, {})[shown] = None
    examples = {
        name: {label: tuple(texts) for label, texts in labels.items()}
        for name, labels in found.items()
    }
    return DecidedExamples(examples=examples, reviews=gave, passed_over=passed_over)


async def _accepted_output(
    context: RuntimeContext, row: ReviewRow, kept: KeptCall, find_pack: FindPack
) -> dict[str, Any] | None:
    """The output that stands: the person's, else that of the last attempt."""
    raw: bytes | None = kept.attempts[-1].raw if kept.attempts else None
    async for event in context.store.events(call=kept.id, kind="review.decided"):
        if event.facts["review"] == row.id and "output" in event.commitments:
            raw = await context.store.payload(event.seq, "output")
    if raw is None or kept.material is None:
        return None
    verdict = kind_of(kept).job.restore(kept, find_pack, context.redactor).weigh_decision(raw)
    return verdict.verdict.output if verdict.accepted and verdict.verdict else None


def _labelled_texts(
    contract: Contract, kept: KeptCall, output: Mapping[str, Any]
) -> Iterator[tuple[str, str, str]]:
    """(label set, label, what shows it)."""
    quotes: dict[str, list[str]] = {}
    if contract.evidence is not None:
        for pointer, snippet in contract.evidence.snippets.find(output):
            if isinstance(snippet, str):
                quotes.setdefault(_object_of(pointer), []).append(snippet)
    texts = {} if kept.material is None else kept.material.texts
    beginning = "\n".join(text for text in texts.values() if text.strip())[:BEGINNING_CHARS]
    listed = {rule.set.name for rule in contract.labels if "*" in rule.pattern.text}
    for rule in contract.labels:
        if rule.set.repeats or (rule.set.name in listed and "*" not in rule.pattern.text):
            continue  # facts of one text teach nothing; a primary label is one of those listed
        for pointer, label in rule.pattern.find(output):
            for text in quotes.get(_object_of(pointer)) or [beginning]:
                yield rule.set.name, str(label), text


def _object_of(pointer: str) -> str:
    """The pointer of the object that a value, or a list with it, stands in."""
    steps = pointer.split("/")
    while len(steps) > 1 and steps[-1].isdigit():
        steps.pop()
    return "/".join(steps[:-1])
