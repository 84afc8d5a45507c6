"""What a call needs to know of the thing it asks for.

In      a contract with its material; or whatever else can build prompts and weigh replies
Out     Job: build attempt n, plan its decoding, weigh its reply
Pure    yes
Spec    docs/explanation/architecture.md, "One call"

`runtime/calls/call.py` is the only path from an input to an outcome. What differs between a
contract over named texts, a stage of a conversation and an answer from chunks is a Job.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, Self

from assay.contract.budget import Budget
from assay.contract.comparison import (
    Cause,
    Rejudged,
)
from assay.contract.contract import Contract
from assay.contract.decoding.plan import DecodingPlan
from assay.contract.decoding.wire_schema import WireSchema
from assay.contract.kept import CallKind, KeptAttempt, KeptCall
from assay.contract.material import Built
from assay.contract.outcome import Outcome
from assay.contract.result_spec import Result
from assay.core.json.schema import Schema
from assay.core.text.spans import Shown
from assay.gate.prefix import Watch
from assay.gate.verdict import Finding, Verdict
from assay.redaction.redactor import PatternClass, Redactor
from assay.templates.template import TemplateVersion


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
    findings: tuple[Finding, ...]

    spans: tuple[Mapping[str, Any], ...] = ()
    result: Result | None = None
    """There exactly when accepted."""

    verdict: Verdict | None = None
    """For contracts over named texts: the verdict itself."""

    schema: Schema | None = None
    """Of the contract: what it declares, a sentence about a finding may repeat."""

    outcome: Outcome | None = None
    """How an accepted reply ends the call; None is `accepted`. The exact refusal of a grounded
    answer is lawful and ends it as `no_evidence`."""

    def with_findings(self, found: Sequence[Finding]) -> Weighed:
        """The same after *found*, which nothing in the text settles; it comes first.

        What one of them rejects has no result, whatever the text says.
        """
        if not found:
            return self
        refused = any(finding.severity == "reject" for finding in found)
        verdict = self.verdict
        if verdict is not None:
            verdict = replace(verdict, findings=(*found, *verdict.findings))
            if refused:
                verdict = replace(verdict, output=None, value=None)
        both = replace(self, findings=(*found, *self.findings), verdict=verdict)
        return replace(both, accepted=False, result=None, outcome=None) if refused else both

    def to_dict(self) -> dict[str, Any]:
        """The document that `assay review decide --json` prints as `verdict`."""
        output = self.result.value if self.verdict is None and self.result else None
        return {
            "verdict": "accepted" if self.accepted else "rejected",
            "findings": [finding.to_dict() for finding in self.findings],
            "output": output if self.verdict is None else self.verdict.output,
            "spans": [dict(span) for span in self.spans],
        }


class PackSource(Protocol):
    """What a job that is made again asks of the pack that it was declared in."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def stages(self) -> Any:
        """The stage graph of a conversation; None for any other pack."""
        ...

    @property
    def redaction_classes(self) -> tuple[PatternClass, ...]: ...

    def contract(self, name: str) -> Contract:
        """Raises NotFoundError when there is none."""
        ...

    def answer_policy(self) -> Any:
        """The selection policy of a pack of answers. Raises InputError for any other pack."""
        ...

    @property
    def models(self) -> tuple[str, ...]: ...


FindPack = Callable[[str], PackSource]
"""The pack of a name. Raises InputError or NotFoundError when it is not at hand."""


class Job(Protocol):
    """One declared model call with all that it is about."""

    kind: ClassVar[CallKind]

    assembles: ClassVar[bool]
    """Whether it settles what goes into the prompt before it asks whether to send one, so that a
    call that was sent nothing can be compared, too."""

    @classmethod
    def restore(
        cls,
        kept: KeptCall,
        find_pack: FindPack,
        redactor: Redactor,
        *,
        template: TemplateVersion | None = None,
        candidate: bool = False,
    ) -> Self:
        """The job of a recorded call, as its pack has it today.

        Args:
            kept: With its material where that was kept; see `complete`.
            find_pack: Asked only by jobs that need more than the record holds.
            template: Renders instead of the version on record.
            candidate: Everything that the pack decides is taken from the pack, also what the
                record holds: what a backtest puts the call to.

        Raises:
            NotFoundError, InputError: the pack is not at hand or has no such contract.
        """
        ...

    @property
    def complete(self) -> bool:
        """False when it was restored without its material: it builds no prompts."""
        ...

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

    @property
    def models(self) -> tuple[str, ...]:
        """Patterns of the models that it is frozen for."""
        ...

    def allows(self, model: str) -> bool:
        """Is the call frozen for models like this one?"""
        ...

    def temperature(self, attempt: int) -> float | None:
        """Of attempt *attempt* (from 1); None is what the environment sets."""
        ...

    def build(self, attempt: int, findings: Sequence[Finding]) -> Built | Stop:
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

    def wire_schema(self) -> WireSchema | None:
        """What a provider is told of the reply; None where it is plain text."""
        ...

    def watch(self, built: Built) -> Watch | None:
        """Reads a reply while it arrives; None where it is judged only when it is whole."""
        ...

    def weigh(self, raw: bytes, built: Built, finish_reason: str | None) -> Weighed:
        """Put a reply to the gate. Never raises for what the reply holds."""
        ...

    def weigh_decision(self, raw: bytes) -> Weighed:
        """Put what a person hands in to the same gate; a person sees all of the texts.

        Raises:
            InputError: nothing could be accepted here, whatever is handed in.
        """
        ...

    def rejudge(
        self, attempt: KeptAttempt, built: Built | None, shown: tuple[Shown, ...] | None
    ) -> Rejudged:
        """Judge the reply of a recorded attempt again, as far as the record allows.

        Args:
            built: The attempt's prompt as it is built now; None when it would not be sent, or
                when the job is not complete.
            shown: What the attempt showed of every source; None without the texts.
        """
        ...

    def explain(
        self, attempt: KeptAttempt, built: Built | None, byte: int | None, *, same: bool
    ) -> tuple[str | None, Cause]:
        """The section of the first differing byte, and why the prompt is another one.

        Args:
            built: The prompt as it is built now; None when nothing would be sent.
            byte: The first that differs; None when the recorded bytes were not kept.
            same: The job's digest is the one on record.
        """
        ...
