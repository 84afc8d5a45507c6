"""The unit a user writes: one declared model call, versioned.

In      template, schema, labels, evidence rule, rules, attempts, budget, models
Out     Contract; a Verdict on one output
Pure    yes
Spec    000 whole; interfaces.md, "The gate"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.contract.budget import Budget
from assay.contract.result import ResultSpec
from assay.core.pointer import PointerPattern
from assay.core.schema import Schema
from assay.core.text import Shown
from assay.gate.gate import Check, Verdict
from assay.gate.labels import LabelRule
from assay.gate.rules import Rule
from assay.gate.snippets import EvidenceRule
from assay.prompt.template import TemplateVersion

if TYPE_CHECKING:
    from assay.contract.decoding import LexiconEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What one rung of the ladder changes against the environment's settings."""

    temperature: float | None = None
    """None keeps the temperature configured for the environment."""

    shorten: bool = False
    """Show less of the input (quoted parts, signatures and disclaimers go first)."""

    max_input_tokens: int | None = None
    """The budget of this attempt; None is the contract's, or half of it when `shorten`."""

    correct: bool = False
    """Tell the model what the gate found wrong with the output before (003)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """One declared model call."""

    name: str
    pack: str
    pack_version: str
    version: str
    schema: Schema
    template: TemplateVersion | None = None
    """None for a contract that only judges."""

    preamble: TemplateVersion | None = None
    """A block without variables that stands in front of every prompt; cacheable."""

    labels: tuple[LabelRule, ...] = ()
    evidence: EvidenceRule | None = None
    rules: tuple[Rule, ...] = ()
    scores: tuple[PointerPattern, ...] = ()
    """Numbers that must be written with exactly two decimals."""

    attempts: tuple[Attempt, ...] = (Attempt(), Attempt(temperature=0.0, shorten=True))
    budget: Budget = field(
        default_factory=lambda: Budget(max_input_tokens=3000, max_output_tokens=900)
    )
    models: tuple[str, ...] = ("*",)
    """fnmatch patterns, matched against `provider:name` and against the name alone."""

    result: ResultSpec | None = None
    """How an accepted output becomes an audited result; None leaves it as it is."""

    lexicon: Mapping[str, Mapping[str, LexiconEntry]] = field(default_factory=dict)
    """Label set -> label -> words and phrases, for `extractive`."""

    refusals: tuple[str, ...] = ()
    """Openings of a refusal beside the built-in ones."""

    digest: str = ""
    """Over everything the contract consists of."""

    @property
    def reference(self) -> str:
        """`PACK/NAME`."""
        return f"{self.pack}/{self.name}"

    @property
    def checks(self) -> tuple[Check, ...]:
        """The ordered set of checks after JSON and schema."""
        raise NotImplementedError

    def allows(self, model: str) -> bool:
        """Is *model* (`provider:name`) among those this contract is frozen for?"""
        raise NotImplementedError


def judge(
    contract: Contract,
    output: str | bytes,
    *,
    shown: Sequence[Shown] | None = None,
    sources: Mapping[str, str] | None = None,
    state: Mapping[str, Any] | None = None,
    input: Mapping[str, Any] | None = None,
    finish_reason: str | None = None,
) -> Verdict:
    """Weigh one model output; calls no model, changes nothing, never raises for an output."""
    raise NotImplementedError
