"""A case of the human queue as whoever decides it needs to see it.

In      a review's id; the record of its call
Out     Case: the review, the call, why it is here, what was not shown and not read; a sentence
        on each of several
Effects store reads
Spec    005-M10; interfaces.md, `assay review`
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.contract.detail import detail_of, shortened_detail, unreadable_detail
from assay.contract.masking import mask_slice, masks_of_texts
from assay.contract.material import Material
from assay.contract.shortened import CARRIED, Shortened
from assay.protocols import ReviewRow
from assay.redaction.redactor import Redactor
from assay.runtime.calls.context import RuntimeContext
from assay.runtime.calls.hold import HELD
from assay.runtime.calls.withdrawal import withdrawn_by

SHOWN_CHARS = 4_000
"""So much of a part that was cut is shown at each of its ends; a mail can have a million."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One review with what stands around it."""

    row: ReviewRow
    detail: str | None
    """One sentence on why it is here, without personal data."""

    shortened: Shortened | None
    """What the last attempt of its call did not show the model."""

    omitted: tuple[Mapping[str, Any], ...]
    """The parts that were not shown: `source`, `kind`, `start`, `stop`, and `text_redacted`, which
    is None where the texts are not kept."""

    unread: tuple[Mapping[str, str], ...]
    """`part` and `why` of what gave no text; empty also where this was erased."""

    withdrawn_by: str | None = None
    """The call that was made instead of its call, where that was asked again."""


async def read_case(context: RuntimeContext, review_id: str) -> Case:
    """The case with this id.

    Raises:
        NotFoundError: there is no such review.
    """
    row = await context.store.review(review_id)
    if row.call is None:
        return Case(
            row=row, detail=await _why_refused(context, row), shortened=None, omitted=(), unread=()
        )
    material: Material | None = None
    unread: tuple[Mapping[str, str], ...] = ()
    omitted: tuple[Mapping[str, Any], ...] = ()
    detail = detail_of(row.reason)
    async for event in context.store.events(call=row.call):
        if event.kind == "call.opened":
            sources = await _payload(context, event.seq, event.commitments, "sources")
            material = None if sources is None else Material.from_dict(sources)
            kept = await _payload(context, event.seq, event.commitments, "unread")
            unread = () if kept is None else tuple(kept)
        elif event.kind == "prompt.built":
            omitted = tuple(event.facts.get("omitted", ()))
        elif event.kind == "call.settled" and event.facts.get("reason") == row.reason:
            detail = event.facts.get("detail") or detail_of(row.reason, event.facts)
        elif event.kind == HELD and event.facts["review"] == row.id:
            detail = shortened_detail(event.facts["shortened"]["omitted_chars"])
    return Case(
        row=row,
        detail=detail,
        shortened=Shortened.of_record(omitted),
        omitted=_with_texts(omitted, material, context.redactor),
        unread=unread,
        withdrawn_by=await withdrawn_by(context.store, row),
    )


async def details(context: RuntimeContext, rows: Iterable[ReviewRow]) -> Mapping[str, str | None]:
    """For lists: one sentence on each case, by its id; of an unreadable input why it is."""
    return {
        row.id: detail_of(row.reason) if row.call else await _why_refused(context, row)
        for row in rows
    }


async def _why_refused(context: RuntimeContext, row: ReviewRow) -> str | None:
    """Why an input without a call could not be read, as its reader said."""
    async for event in context.store.events(run=row.run, kind="input.unreadable"):
        if event.facts.get("review") == row.id:
            why = await _payload(context, event.seq, event.commitments, "why")
            return detail_of(row.reason) if why is None else unreadable_detail(why["reason"])
    return detail_of(row.reason)


async def _payload(context: RuntimeContext, seq: int, names: Mapping[str, str], name: str) -> Any:
    content = await context.store.payload(seq, name) if name in names else None
    return None if content is None else json.loads(content)


def _with_texts(
    omitted: tuple[Mapping[str, Any], ...], material: Material | None, redactor: Redactor
) -> tuple[Mapping[str, Any], ...]:
    """The parts, own words first, each with its text where that is kept."""
    parts = sorted(omitted, key=lambda part: part["kind"] in CARRIED)
    texts = {} if material is None else material.texts
    masks = masks_of_texts(texts, (part["source"] for part in parts), redactor)
    shown = []
    for part in parts:
        text = texts.get(part["source"])
        redacted = None
        if text is not None:
            start, stop = int(part["start"]), int(part["stop"])
            held = masks.get(part["source"], ())
            if stop - start <= 2 * SHOWN_CHARS:
                redacted = mask_slice(text, start, stop, held)
            else:
                first = mask_slice(text, start, start + SHOWN_CHARS, held)
                last = mask_slice(text, stop - SHOWN_CHARS, stop, held)
                redacted = f"{first}\n[…]\n{last}"
        shown.append({**part, "text_redacted": redacted})
    return tuple(shown)


def case_document(case: Case) -> dict[str, Any]:
    """What `assay review show --json` prints beside `review` and `call`."""
    return {
        "withdrawn_by": case.withdrawn_by,
        "detail": case.detail,
        "shortened": None if case.shortened is None else case.shortened.to_dict(),
        "omitted": [dict(part) for part in case.omitted],
        "unread": [dict(part) for part in case.unread],
    }
