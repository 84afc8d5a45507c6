"""What a call needs to know of the thing it asks for, and the plain contract as one such thing.

In      a contract with its material; or whatever else can build prompts and weigh replies
Out     Job: build attempt n, plan its decoding, weigh its reply
Pure    yes
Spec    docs/explanation/architecture.md, "One call"

`runtime/calls/call.py` is the only path from an input to an outcome. What differs between a
contract over named texts, a stage of a conversation and an answer from chunks is a Job.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from assay.contract.budget import Budget
from assay.contract.build import build
from assay.contract.contract import Contract, judge
from assay.contract.decoding.plan import DecodingPlan, plan
from assay.contract.material import Built, Material, OverBudget
from assay.contract.outcome import Outcome, Reason
from assay.contract.result import settle_result
from assay.contract.result_spec import Result
from assay.gate.gate import Verdict
from assay.redaction.redactor import Redactor


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """There is nothing to send: the call ends with this outcome."""

    outcome: Outcome
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Why, as JSON without personal data."""

    payloads: Mapping[str, bytes] = field(default_factory=dict)
    """Artefacts for the record that may hold some."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """A reply after the gate."""

    accepted: bool
    findings: tuple[Mapping[str, Any], ...]
    """Documents with `code`, `severity` and what else the gate in question says."""

    spans: tuple[Mapping[str, Any], ...] = ()
    result: Result | None = None
    """There exactly when accepted."""

    verdict: Verdict | None = None
    """For contracts over named texts: the verdict itself."""

    outcome: Outcome | None = None
    """How an accepted reply ends the call; None is `accepted`. The exact refusal of a grounded
    answer is lawful and ends it as `no_evidence`."""


class Job(Protocol):
    """One declared model call with all that it is about."""

    @property
    def reference(self) -> str:
        """`PACK/NAME`."""
        ...

    @property
    def digest(self) -> str:
        """Over everything the declaration consists of."""
        ...

    @property
    def pack(self) -> str: ...

    @property
    def pack_version(self) -> str: ...

    @property
    def template_digest(self) -> str | None:
        """Of the template that prompts are made from, with all its fields."""
        ...

    @property
    def attempts(self) -> int:
        """How many rungs the ladder has."""
        ...

    @property
    def budget(self) -> Budget: ...

    def allows(self, model: str) -> bool:
        """Is the call frozen for models like this one?"""
        ...

    def temperature(self, attempt: int) -> float | None:
        """Of attempt *attempt* (from 1); None is what the environment sets."""
        ...

    def build(self, attempt: int, findings: Sequence[Mapping[str, Any]]) -> Built | Stop:
        """The prompt of an attempt, or why there is none.

        Args:
            findings: What was wrong with the attempt before; empty for the first.
        """
        ...

    def context(self, built: Built) -> Mapping[str, Any]:
        """More facts for the context snapshot: snippet ids, retrieval metrics (002-J6)."""
        ...

    def artefacts(self, built: Built) -> Mapping[str, bytes]:
        """More payloads that the record keeps beside the prompt."""
        ...

    def plan(self, built: Built) -> DecodingPlan | None:
        """For models that decode under constraints."""
        ...

    def weigh(self, raw: bytes, built: Built, finish_reason: str | None) -> Weighed:
        """Put a reply to the gate. Never raises for what the reply holds."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractJob:
    """A contract over named texts: schema, labels, evidence, rules."""

    contract: Contract
    material: Material
    redactor: Redactor

    @property
    def reference(self) -> str:
        return self.contract.reference

    @property
    def digest(self) -> str:
        return self.contract.digest

    @property
    def pack(self) -> str:
        return self.contract.pack

    @property
    def pack_version(self) -> str:
        return self.contract.pack_version

    @property
    def template_digest(self) -> str | None:
        template = self.contract.template
        return None if template is None or self.contract.fallback else template.fields_sha256

    @property
    def attempts(self) -> int:
        return len(self.contract.attempts)

    @property
    def budget(self) -> Budget:
        return self.contract.budget

    def allows(self, model: str) -> bool:
        return self.contract.allows(model)

    def temperature(self, attempt: int) -> float | None:
        return self.contract.attempt(attempt).temperature

    def build(self, attempt: int, findings: Sequence[Mapping[str, Any]]) -> Built | Stop:
        material = self.material
        if findings and self.contract.attempt(attempt).correct:
            material = replace(material, correction=self.correction(findings))
        built = build(self.contract, material, attempt, self.redactor)
        if isinstance(built, OverBudget):
            facts = {"scope": "contract", "tokens": built.tokens, "limit": built.limit}
            return Stop(outcome=Outcome.review(Reason.BUDGET_EXCEEDED), facts={"budget": facts})
        return built

    def correction(self, findings: Sequence[Mapping[str, Any]]) -> str:
        """What a correction prompt says of the attempt before (003-C4)."""
        return correction(findings)

    def context(self, built: Built) -> Mapping[str, Any]:
        return {
            "snippet_ids": [],
            "retrieval_metrics": {},
            "placed": [shown.name for shown in built.shown],
            "release": self.contract.release,
            "fields_sha256": self.template_digest,
            "tokenizer": self.contract.tokenizer,
        }

    def artefacts(self, built: Built) -> Mapping[str, bytes]:  # noqa: ARG002
        return {}

    def plan(self, built: Built) -> DecodingPlan | None:
        return plan(self.contract, built, self.material)

    def weigh(self, raw: bytes, built: Built, finish_reason: str | None) -> Weighed:
        verdict = judge(
            self.contract,
            raw,
            shown=built.shown,
            state=self.material.state,
            input=self.material.input,
            finish_reason=finish_reason,
        )
        return self.settle(verdict, built)

    def settle(self, verdict: Verdict, built: Built | None = None) -> Weighed:
        """The result of a verdict of acceptance, itself held to its published schema."""
        result: Result | None = None
        if verdict.accepted:
            result, verdict = settle_result(
                self.contract, verdict, self.material, self.redactor, built=built
            )
        return Weighed(
            accepted=result is not None,
            findings=tuple(finding.to_dict() for finding in verdict.findings),
            spans=tuple(span.to_dict() for span in verdict.spans),
            result=result,
            verdict=verdict,
        )


def correction(findings: Sequence[Mapping[str, Any]]) -> str:
    """What the gate found, one line each, in words of the contract alone (003-C4).

    Codes and messages are ours; a path may hold keys that the model invented, so only the
    pieces of it that look like declared names are shown.
    """
    lines = []
    for finding in findings:
        if finding["severity"] != "reject":
            continue
        path = "/".join(
            piece if piece.isascii() and piece.replace("_", "").isalnum() else "…"
            for piece in str(finding.get("path", "")).split("/")
        )
        lines.append(f"- {finding['code']} at {path or '/'}: {finding['message']}")
    return "\n".join(dict.fromkeys(lines))
