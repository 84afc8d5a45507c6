"""The unit a user writes: one declared model call, versioned.

In      template, schema, labels, evidence rule, rules, attempts, budget, models
Out     Contract; a Verdict on one output
Pure    yes
Spec    000 whole; interfaces.md, "The gate" and "Packs"
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from assay.contract.budget import Attempt, Budget
from assay.contract.model_names import is_allowed
from assay.contract.result_spec import ResultSpec
from assay.contract.signs import SignsRule
from assay.core.json.pointer import PointerPattern
from assay.core.json.schema import Schema
from assay.core.json.strict import lexemes
from assay.core.text.spans import Shown
from assay.errors import InputError
from assay.gate import gate
from assay.gate.gate import Check, Finding, GateContext, Verdict
from assay.gate.labels import LabelRule, LabelSet, LexiconEntry
from assay.gate.rules import Rule
from assay.gate.snippets import EvidenceRule
from assay.templates.blueprint import FORMATTER
from assay.templates.template import TemplateVersion

_TWO_DECIMALS = re.compile(r"(?:0|[1-9][0-9]*)\.[0-9]{2}")
# What `lexemes` gives for anything but a number with a fraction or an exponent.
_NO_LEXEME = frozenset({str, int, bool, type(None), dict, list})


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRule:
    """Every value at *pattern* is a number written with exactly two decimals.

    `0.87`, `0.90` and `1.00` are; `0.9`, `0.870`, `9e-1`, `1`, `-0.50` and `"0.90"` are not.
    Which range is allowed, the schema says.

    Spec: interfaces.md, "Strictness" (score precision); 003 (score precision)
    """

    any_shape: ClassVar[bool] = True

    pattern: PointerPattern
    """Where scores stand."""

    def __call__(self, output: dict[str, Any], context: GateContext) -> Iterator[Finding]:  # noqa: ARG002
        """Findings `score.precision`, judged on the text of the reply, not on the value."""
        for pointer, number in self.pattern.find(lexemes(context.raw)):
            if number.__class__ in _NO_LEXEME or not _TWO_DECIMALS.fullmatch(str(number)):
                yield Finding(
                    code="score.precision",
                    path=pointer,
                    message="must be a number with exactly two decimals, as in 0.90",
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class BlueprintRule:
    """The output fits the blueprint that its prompt carried (002-B2)."""

    any_shape: ClassVar[bool] = True

    schema: Schema

    def __call__(self, output: dict[str, Any], context: GateContext) -> Iterator[Finding]:  # noqa: ARG002
        """A finding `schema.KEYWORD` for every place that does not fit."""
        for fault in self.schema.faults(output):
            yield Finding(
                code=f"schema.{fault.keyword}",
                path=fault.pointer,
                message=f"does not fit the blueprint: {fault.message}",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """One declared model call. Made by `assay.pack`, which also computes the digest."""

    name: str
    pack: str
    pack_version: str
    version: str
    schema: Schema
    """What the output must be; the first thing it is weighed against after strict JSON."""

    template: TemplateVersion | None = None
    """None for a contract that only judges."""

    preamble: TemplateVersion | None = None
    """A block without variables that stands in front of every prompt, in its system part where
    it has one; cacheable."""

    system_inputs: tuple[str, ...] = ()
    """Variables from outside that a template may put into its system part."""

    labels: tuple[LabelRule, ...] = ()
    label_sets: Mapping[str, LabelSet] = field(default_factory=dict)
    """Sets that the template may list, by the name it uses; those of `labels` among them."""

    evidence: EvidenceRule | None = None
    rules: tuple[Rule, ...] = ()
    scores: tuple[PointerPattern, ...] = ()
    """Numbers that must be written with exactly two decimals."""

    extra: tuple[Check, ...] = ()
    """Checks written in Python that the contract names."""

    signs: SignsRule | None = None
    """Signs of danger in the input that an output may not pass over; a person may."""

    earlier: Mapping[str, str] = field(default_factory=dict)
    """Name of a text -> earlier result of the flow that it is made from, or a place in it:
    `plan`, `plan/title`."""

    attempts: tuple[Attempt, ...] = (Attempt(), Attempt(temperature=0.0, shorten=True))
    """The ladder; 000 asks for these two."""

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

    ways: tuple[Mapping[str, Any], ...] = ()
    """Values that go together, by JSON Pointer: what a model that decodes under constraints may
    choose from. They narrow what it can write; the gate does not know them."""

    tokenizer: str = "o200k_base"
    """What the budgets are counted with."""

    send: Literal["text", "redacted"] = "text"
    """`redacted`: prompts hold surrogates in place of personal data; replies are judged with the
    values put back."""

    release: str = "pack"
    """How its template came in: `pack` as it stands there; by the registry, `active` or `canary`;
    `fallback` for none."""

    fallback: bool = False
    """No version of the template is active: prompts are the role and the input as JSON."""

    before_formats: Contract | None = field(default=None, repr=False, compare=False)
    """The same as it was read while `format` was a remark unless a contract said otherwise, for
    calls recorded then; None where that makes no difference."""

    digest: str = ""
    """Over everything the contract consists of, but for these two."""

    checks: tuple[Check, ...] = field(init=False, repr=False, compare=False)
    """What an output is put to after finish reason, strict JSON and schema: labels, evidence,
    scores, blueprint, rules, then checks that came from elsewhere. Every one is asked, so that
    a person or a correction prompt sees all faults at once. Signs are asked last."""

    derived: dict[str, Any] = field(init=False, repr=False, compare=False, default_factory=dict)
    """What every call asks of it again, worked out at the first: the schema that goes out."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "checks", tuple(self._ordered_checks()))

    @property
    def reference(self) -> str:
        """`PACK/NAME`."""
        return f"{self.pack}/{self.name}"

    @property
    def result_name(self) -> str:
        """The key under which a flow prints the result."""
        return self.name if self.result is None else self.result.name

    def attempt(self, number: int) -> Attempt:
        """The rung of the ladder with this *number*, from 1.

        Raises:
            InputError: the ladder has no such rung.
        """
        if not 1 <= number <= len(self.attempts):
            raise InputError(f"contract {self.reference!r} has no attempt {number}")
        return self.attempts[number - 1]

    def allows(self, model: str) -> bool:
        """Is *model* (`provider:name`) among those this contract is frozen for?"""
        return is_allowed(model, self.models)

    def _ordered_checks(self) -> Iterator[Check]:
        yield from self.labels
        if self.evidence is not None:
            yield self.evidence
        for pattern in self.scores:
            yield ScoreRule(pattern=pattern)
        template = self.template
        # What a formatter was shown binds it, also where a newer version shows another blueprint.
        if (
            template is not None
            and template.role == FORMATTER
            and template.blueprint_schema is not None
            and template.blueprint_schema != self.schema.document
        ):
            yield BlueprintRule(schema=Schema.compile(dict(template.blueprint_schema)))
        yield from self.rules
        yield from self.extra
        if self.signs is not None:
            yield self.signs


def judge(
    contract: Contract,
    output: str | bytes,
    *,
    shown: Sequence[Shown] | None = None,
    sources: Mapping[str, str] | None = None,
    state: Mapping[str, Any] | None = None,
    input: Mapping[str, Any] | None = None,
    finish_reason: str | None = None,
    by_person: bool = False,
    beside: Sequence[Check] = (),
) -> Verdict:
    """Weigh one model output. Calls no model, repairs nothing, never raises for an output.

    Args:
        output: Exactly what the model sent.
        shown: What this attempt was shown of every source, in search order.
        sources: Whole source texts by name, in search order; instead of *shown*.
        state, input: What rules can ask for under these names.
        finish_reason: Why the model stopped, as it said.
        by_person: A person hands it in, who has seen the signs and may overrule them.
        beside: Checks that belong to this one output, asked after the contract's own.

    Returns:
        A verdict; acceptance means that there is no finding of severity `reject`.

    Raises:
        InputError: both *shown* and *sources* are given.
    """
    if shown is not None and sources is not None:
        raise InputError("give what was shown or whole sources, not both")
    if shown is None:
        shown = [Shown.of_text(name, text) for name, text in (sources or {}).items()]
    return gate.judge(
        output,
        GateContext(shown=tuple(shown), state=state, input=dict(input or {})),
        [
            *(check for check in contract.checks if not (by_person and check is contract.signs)),
            *beside,
        ],
        schema=contract.schema,
        finish_reason=finish_reason,
        refusals=contract.refusals,
    )
