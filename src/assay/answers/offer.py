"""What an assembly offers to validation: anchors, texts, ids.

In      an assembly's answer bundle, or the document that `assay assemble --json` printed
Out     Offer
Pure    yes
Spec    004 R5 "Artifacts Produced in This Stage"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from assay.answers.evidence.assembly import AnswerBundle
from assay.answers.prompt_v1 import read_question
from assay.core.json.canonical import digest
from assay.errors import InputError, IntegrityError


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What of an assembly validation works with (004 R5 "Artifacts")."""

    status: str
    """`OK`, `NO_EVIDENCE` or `FAILED`."""

    texts: Mapping[str, str]
    """Anchor -> text of the chunk as it stood in the prompt."""

    sources: Mapping[str, str]
    """Anchor -> source reference."""

    chunk_ids: Mapping[str, str]
    """Anchor -> chunk id."""

    ids: tuple[str, ...]
    """Chunk ids and knowledge ids, none of which an answer may show."""

    question: str = ""
    """As it stood in the prompt."""


def offer_of(answer: AnswerBundle, question: str) -> Offer:
    """The offer of an assembly made in this process."""
    evidence = answer.selected_evidence
    return Offer(
        status=answer.assembly_status,
        texts={item.citation_anchor: item.sanitized_text for item in evidence},
        sources={item.citation_anchor: item.source_reference for item in evidence},
        chunk_ids={item.citation_anchor: item.chunk_id for item in evidence},
        ids=tuple(chain.from_iterable((item.chunk_id, item.knowledge_id) for item in evidence)),
        question=question,
    )


def read_offer(document: Any) -> Offer:
    """The offer of a document that `assay assemble --json` printed.

    Raises:
        InputError: it is no such document, or its anchors do not fit its evidence.
        IntegrityError: the prompt does not have the digest that stands beside it, or its
            evidence is not what stands in the prompt.
    """
    bundle = _mapping(document, "answer_bundle")
    status = bundle.get("assembly_status")
    if status not in {"OK", "NO_EVIDENCE", "FAILED"}:
        raise InputError("assembly: answer_bundle.assembly_status is not OK, NO_EVIDENCE or FAILED")
    evidence = bundle.get("selected_evidence")
    anchors = bundle.get("anchor_map")
    if not isinstance(evidence, list) or not isinstance(anchors, Mapping):
        raise InputError("assembly: answer_bundle lacks selected_evidence or anchor_map")
    items = [_item(item, place) for place, item in enumerate(evidence)]
    if [(item["citation_anchor"], item["chunk_id"]) for item in items] != list(anchors.items()):
        raise InputError("assembly: anchor_map does not fit selected_evidence")
    if (status == "OK") != bool(items):
        raise InputError(f"assembly: {status} does not go with {len(items)} pieces of evidence")
    _check_prompt(document, bundle, items)
    return Offer(
        status=status,
        texts={item["citation_anchor"]: item["sanitized_text"] for item in items},
        sources={
            item["citation_anchor"]: str(item.get("source_reference") or "unknown")
            for item in items
        },
        chunk_ids=dict(anchors),
        ids=tuple(chain.from_iterable((item["chunk_id"], item["knowledge_id"]) for item in items)),
        question=read_question(document["prompt_build"]["prompt_text"]),
    )


def _mapping(document: Any, name: str) -> Mapping[str, Any]:
    value = document.get(name) if isinstance(document, Mapping) else None
    if not isinstance(value, Mapping):
        raise InputError(
            f"assembly: has no {name}", hint="give what `assay assemble --json` printed"
        )
    return value


def _item(item: Any, place: int) -> Mapping[str, Any]:
    names = ("citation_anchor", "chunk_id", "knowledge_id", "sanitized_text")
    if not isinstance(item, Mapping) or not all(isinstance(item.get(name), str) for name in names):
        raise InputError(f"assembly: selected_evidence[{place}] lacks one of {', '.join(names)}")
    if item["citation_anchor"] != f"C{place}":
        raise InputError(f"assembly: selected_evidence[{place}] is not C{place}")
    return item


def _check_prompt(
    document: Mapping[str, Any], bundle: Mapping[str, Any], items: Sequence[Mapping[str, Any]]
) -> None:
    """The parts of the document vouch for each other."""
    prompt = _mapping(document, "prompt_build")
    text, block = prompt.get("prompt_text"), bundle.get("evidence_block_text")
    if not isinstance(text, str) or not isinstance(block, str):
        raise InputError("assembly: prompt_text or evidence_block_text is no text")
    if not text:
        return
    if prompt.get("prompt_sha256") != digest(text):
        raise IntegrityError("assembly: prompt_text does not have the digest prompt_sha256")
    if block not in text or any(item["sanitized_text"] not in block for item in items):
        raise IntegrityError("assembly: the evidence is not what stands in the prompt")
