"""The answer bundle: selected evidence, its block, metrics and trace.

In      a bundle, a policy, what was selected from it, the rendered block
Out     AnswerBundle with status OK, NO_EVIDENCE or FAILED
Pure    yes: equal inputs give equal bytes
Spec    004 R2.0B, R2.2 "Selection Outputs and Metrics", "Failure Behavior Summary"
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal

from assay.answers.evidence.anchors import Block, Evidence
from assay.answers.evidence.bundle import RetrievalBundle
from assay.answers.evidence.policy import SelectionPolicy
from assay.answers.evidence.selection import (
    DROP_BUDGET,
    DROP_DUP,
    DROP_EMPTY,
    DROP_KNOWLEDGE,
    Drop,
    Selection,
    drop_of,
)
from assay.errors import InputError

AssemblyStatus = Literal["OK", "NO_EVIDENCE", "FAILED"]

_NOTHING = Block(evidence=(), text="", tokens=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerBundle:
    """What answer assembly hands on; its wire form has the specification's field names."""

    request_id: str | None
    """None only when a FAILED bundle did not have one."""

    assembly_status: AssemblyStatus
    selected_evidence: tuple[Evidence, ...]
    evidence_block_text: str
    """The exact text used inside the prompt; empty unless the status is OK."""

    anchor_map: Mapping[str, str]
    trace: Mapping[str, Any]
    assembly_metrics: Mapping[str, Any]
    failure_reason: str | None = None

    def __post_init__(self) -> None:
        if self.assembly_status != "OK":
            if self.evidence_block_text or self.selected_evidence or self.anchor_map:
                raise InputError("answer bundle: only an OK one has evidence")
            return
        expected = [f"C{place}" for place in range(len(self.selected_evidence))]
        if (
            not expected
            or [item.citation_anchor for item in self.selected_evidence] != expected
            or list(self.anchor_map) != expected
            or not self.evidence_block_text
            or any(self.trace.get(name) is None for name in ("index_version", "policy_version"))
        ):
            raise InputError("answer bundle: an OK one has trace, evidence block and anchors")

    def to_dict(self) -> dict[str, Any]:
        """The wire form."""
        return {
            "request_id": self.request_id,
            "assembly_status": self.assembly_status,
            "selected_evidence": [item.to_dict() for item in self.selected_evidence],
            "evidence_block_text": self.evidence_block_text,
            "anchor_map": dict(self.anchor_map),
            "trace": _plain_value(self.trace),
            "assembly_metrics": _plain_value(self.assembly_metrics),
            "failure_reason": self.failure_reason,
        }


def _plain_value(value: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: list(map(dict, item)) if name == "drops" else dict(item) if name in _NESTED else item
        for name, item in value.items()
    }


_NESTED = frozenset({"thresholds", "drop_reason_counts"})


def answer_bundle(
    bundle: RetrievalBundle, policy: SelectionPolicy, selection: Selection, block: Block
) -> AnswerBundle:
    """Put together what was selected, what was dropped and why.

    Args:
        bundle: As `read_bundle` gives it.
        policy: The policy in force.
        selection: What `select` made of both.
        block: The rendering of the first of the selection's candidates; those that it leaves
            out did not fit.

    Spec: 004 R2.0B, R2.2.
    """
    taken = len(block.evidence)
    over = [drop_of(item.chunk, DROP_BUDGET) for item in selection.candidates[taken:]]
    drops = sorted((*selection.drops, *over), key=attrgetter("rank"))
    facts = {
        "index_version": bundle.index_version,
        "embedding_model": bundle.embedding_model,
        "retrieval_top_k": bundle.retrieval_top_k,
    }
    return AnswerBundle(
        request_id=bundle.request_id,
        assembly_status="OK" if taken else "NO_EVIDENCE",
        selected_evidence=block.evidence,
        evidence_block_text=block.text,
        anchor_map=block.anchor_map,
        trace=_trace(policy, facts),
        assembly_metrics=_metrics(len(bundle.results), block, drops),
    )


def failed_bundle(reason: str, policy: SelectionPolicy, facts: Mapping[str, Any]) -> AnswerBundle:
    """The bundle that stops everything: FAILED, with its reason and what is known.

    Args:
        reason: Names the place and the rule.
        policy: The policy in force.
        facts: `request_id` and trace fields as far as they could be read.
    """
    return AnswerBundle(
        request_id=facts.get("request_id"),
        assembly_status="FAILED",
        selected_evidence=(),
        evidence_block_text="",
        anchor_map={},
        trace=_trace(policy, facts),
        assembly_metrics=_metrics(0, _NOTHING, []),
        failure_reason=reason,
    )


def _trace(policy: SelectionPolicy, facts: Mapping[str, Any]) -> dict[str, Any]:
    """What makes an assembly reproducible (004 R2.0B)."""
    return {
        "index_version": facts.get("index_version"),
        "policy_version": policy.policy_version,
        "policy_digest": policy.digest,
        "embedding_model": facts.get("embedding_model"),
        "retrieval_top_k": facts.get("retrieval_top_k"),
        "tokenizer": policy.tokenizer,
        "thresholds": policy.thresholds(),
        "support_floor": policy.support_floor,
        "negation": policy.negation,
    }


def _metrics(retrieved: int, block: Block, drops: list[Drop]) -> dict[str, Any]:
    counts = Counter(drop.code for drop in drops)
    return {
        "retrieved_k": retrieved,
        "selected_k": len(block.evidence),
        "dropped_count": len(drops),
        "dedup_dropped_count": counts[DROP_DUP],
        "budget_dropped_count": counts[DROP_BUDGET],
        "per_knowledge_cap_dropped_count": counts[DROP_KNOWLEDGE],
        "empty_dropped_count": counts[DROP_EMPTY],
        "evidence_token_count": block.tokens,
        "truncation_applied": any(item.truncated for item in block.evidence),
        "drop_reason_counts": {code: counts[code] for code in sorted(counts)},
        "drops": [{"chunk_id": drop.chunk_id, "code": drop.code} for drop in drops],
    }
