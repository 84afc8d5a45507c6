"""Retrieval bundles to test with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

FEE = "The yearly fee is 40 EUR. It is due on 5 March 2024."
LATE = "Whoever pays late owes 12.5 % interest a year. The office sends one reminder."
WHO = "Pensioners and students pay half of the fee. They ask for it at the counter."
QUESTION = "How much is the yearly fee?"


def chunk(place: int, text: str = "", **changes: Any) -> dict[str, Any]:
    """One result; *changes* replace fields, and a field set to `...` is left out."""
    value: dict[str, Any] = {
        "chunk_id": f"fees-{place}",
        "knowledge_id": f"doc-{place}",
        "chunk_text": text or FEE,
        "rank": place,
        "similarity_score": 0.9 - place / 1000,
        "source_reference": "Fee schedule",
    }
    value |= changes
    return {name: item for name, item in value.items() if item is not ...}


def bundle(*results: Any, **changes: Any) -> dict[str, Any]:
    """A bundle of these results, or of the three standard ones."""
    value: dict[str, Any] = {
        "request_id": "req-1",
        "index_version": "idx-7",
        "embedding_model": "none",
        "retrieval_top_k": 8,
        "results": list(results) or [chunk(0, FEE), chunk(1, LATE), chunk(2, WHO)],
    }
    value |= changes
    return {name: item for name, item in value.items() if item is not ...}


def register(seed: str, sentences: int) -> str:
    """A long text without repeats within it or with one of another seed."""
    return " ".join(
        f"Entry {seed}{number} names office {seed}{number * 7} and a fee to be paid there."
        for number in range(sentences)
    )


def policy(**changes: Any) -> dict[str, Any]:
    """A whole policy of a name of its own."""
    from assay.answers.evidence.policy import R2_POLICY_V1

    return {**R2_POLICY_V1.to_dict(), "policy_version": "TEST", **changes}


def drops(assembly: Any) -> list[tuple[str, str]]:
    """Chunk id and code of everything left out."""
    found: Iterable[dict[str, str]] = assembly.answer_bundle.assembly_metrics["drops"]
    return [(drop["chunk_id"], drop["code"]) for drop in found]
