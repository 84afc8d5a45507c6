"""The unit a user writes: one declared model call, versioned.

In      template, schema, labels, evidence rule, rules, attempts, budget, models
Out     Contract; a Verdict on one output
Pure    yes
Spec    000 whole; interfaces.md, "The gate" and "Packs"
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, Generic, Literal

from pydantic import BaseModel
from typing_extensions import TypeVar

from assay.contract.budget import Attempt, Budget
from assay.contract.classes.declared import (
    LADDER,
    LIMITS,
    PACK,
    DeclaredClass,
    Labels,
    declare,
    read_attempts,
    read_declared,
)
from assay.contract.model_names import is_allowed
from assay.contract.result_spec import ResultSpec
from assay.contract.signs import SignsRule
from assay.core.json.pointer import PointerPattern
from assay.core.json.schema import Schema
from assay.core.text.spans import Shown
from assay.errors import InputError, UsageError
from assay.gate import gate
from assay.gate.deadline import PATIENCE_S
from assay.gate.gate import Check, GateContext
from assay.gate.labels import NO_EXAMPLES, Examples, LabelRule, LabelSet, LexiconEntry
from assay.gate.rules import Rule
from assay.gate.scores import ScoreRule
from assay.gate.snippets import EvidenceRule
from assay.gate.verdict import Finding, Verdict
from assay.templates.blueprint import FORMATTER
from assay.templates.template import TemplateVersion

ModelT = TypeVar("ModelT", bound=BaseModel, default=Any)
"""The class that a contract was written as."""

ClassT = TypeVar("ClassT", bound=BaseModel)
"""Of `from_model` alone: called at `Contract`, pyright takes `ModelT` for its default."""


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
class Contract(Generic[ModelT]):
    """One declared model call. Made by `assay.pack`, which also computes the digest, or of a class
    by `from_model`."""

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

    examples: Examples = NO_EXAMPLES
    """Sentences that show its labels, for `extractive`."""

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

    declared: DeclaredClass | None = field(default=None, repr=False, compare=False)
    """The class that it was written as, and what stands on record in place of a pack's files."""

    before_formats: Contract | None = field(default=None, repr=False, compare=False)
    """As it was read while `format` was a remark unless said otherwise, for calls recorded then."""

    derived: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """What every call asks of it again (the schema that goes out); shared with its copies."""

    digest: str = ""
    """Over everything the contract consists of, but for these three."""

    checks: tuple[Check, ...] = field(init=False, repr=False, compare=False)
    """What an output is put to after finish reason, strict JSON and schema: labels, evidence,
    scores, blueprint, rules, then checks that came from elsewhere. Every one is asked, so that
    a person or a correction prompt sees all faults at once. Signs are asked last."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "checks", tuple(self._ordered_checks()))

    @classmethod
    def from_model(
        cls,
        model: type[ClassT],
        *,
        name: str | None = None,
        version: str = "1",
        prompt: str | None = None,
        labels: Labels | None = None,
        attempts: Sequence[Attempt] = LADDER,
        budget: Budget = LIMITS,
        models: Sequence[str] = ("*",),
        send: Literal["text", "redacted"] = "text",
        system_inputs: Sequence[str] = (),
        patience_s: float = PATIENCE_S,
    ) -> Contract[ClassT]:
        """A class of pydantic as a contract: nothing of it is weaker than a pack's.

        Args:
            model: Its JSON Schema, its `Quote` and `Label` markers and its validators judge.
            name: None is the name of the class.
            version: Raise it when something changed that the class does not show, such as what a
                validator calls. It is part of the digest, as are schema, labels, prompt, limits
                and the source text of the validators.
            prompt: The template; `{{body}}` is the source of that name. None can only judge.
                Where it does not place `{{schema}}`, the schema is asked for at its end.
            labels: Every set that a `Label` names.
            attempts: The ladder; that of specification 000 by default.
            models: Name patterns of the models that may be asked.
            send: `redacted` hides personal data from the model.
            system_inputs: Sources that the prompt's system part may place.
            patience_s: How long the validators may take over one output.

        Raises:
            ContractClassError: the class cannot be a contract.
            TemplateError: the prompt is no template.
            UsageError: a name, a label set or a limit cannot be meant.

        Spec: interfaces.md, "Python"; 007-C1.
        """
        if isinstance(patience_s, bool) or not isinstance(patience_s, int | float):
            raise UsageError(f"patience_s is {type(patience_s).__name__}, not seconds")
        declared = declare(
            model,
            name=name,
            version=version,
            prompt=prompt,
            labels=labels or {},
            attempts=attempts,
            budget=budget,
            models=models,
            send=send,
            system_inputs=system_inputs,
        )
        return _of_declared(declared, patience_s)

    @classmethod
    def from_record(
        cls, said: Mapping[str, Any], model: type[BaseModel] | None = None
    ) -> Contract[Any]:
        """The contract of a class as a recorded call describes it.

        Args:
            said: What `declared.document` was then.
            model: The class as it is now, where it is at hand. What it says takes the place of the
                schema and validators then; labels, prompt and limits stay those of the call.
        """
        if model is None:
            return _of_declared(read_declared(said, None), PATIENCE_S)
        declared = declare(
            model,
            name=said["name"],
            version=said["version"],
            prompt=said["prompt"],
            labels={name: dict(pairs) for name, pairs in said["labels"].items()},
            attempts=read_attempts(said),
            budget=Budget(**said["budget"]),
            models=said["models"],
            send=said["send"],
            system_inputs=said["system_inputs"],
        )
        return _of_declared(declared, PATIENCE_S)

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


def checked_sources(sources: Mapping[str, str]) -> dict[str, str]:
    """Source texts by name.

    Raises:
        InputError: a name or a text is none; names the source and the type that it is of.
    """
    if not isinstance(sources, Mapping):
        raise InputError(f"sources are texts by name, not {type(sources).__name__}")
    for name, text in sources.items():
        if not isinstance(name, str) or not name:
            raise InputError("the name of a source is a text that is not empty")
        if not isinstance(text, str):
            kind = "null" if text is None else type(text).__name__
            raise InputError(
                f"source {name!r} is no text but {kind}",
                hint="decode bytes; of a text that is not there give ''",
            )
    return dict(sources)


def _of_declared(declared: DeclaredClass, patience_s: float) -> Contract[Any]:
    said = declared.document
    return Contract(
        name=said["name"],
        pack=PACK,
        pack_version=said["version"],
        version=said["version"],
        schema=declared.schema,
        template=declared.template,
        label_sets=declared.label_sets,
        extra=declared.checks(patience_s),
        attempts=read_attempts(said),
        budget=Budget(**said["budget"]),
        models=tuple(said["models"]),
        send=said["send"],
        system_inputs=tuple(said["system_inputs"]),
        declared=declared,
        digest=declared.digest,
    )


@lru_cache(maxsize=64)
def _of_class(model: type[BaseModel]) -> Contract[Any]:
    """A class that is judged by alone, read once."""
    return Contract.from_model(model)


def judge(
    contract: Contract[ModelT] | type[ModelT],
    output: str | bytes,
    *,
    shown: Sequence[Shown] | None = None,
    sources: Mapping[str, str] | None = None,
    state: Mapping[str, Any] | None = None,
    input: Mapping[str, Any] | None = None,
    labels: Labels | None = None,
    finish_reason: str | None = None,
    by_person: bool = False,
    beside: Sequence[Check] = (),
) -> Verdict[ModelT]:
    """Weigh one model output. Calls no model, repairs nothing, never raises for an output.

    Args:
        contract: Of a pack, or a class of pydantic, of which an accepted output gives an instance.
        output: Exactly what the model sent.
        shown: What this attempt was shown of every source, in search order.
        sources: Whole source texts by name, in search order; instead of *shown*.
        state, input: What rules can ask for under these names, and validators in their context.
        labels: For a class: every set that a `Label` of it names.
        finish_reason: Why the model stopped, as it said.
        by_person: A person hands it in, who has seen the signs and may overrule them.
        beside: Checks that belong to this one output, asked after the contract's own.

    Returns:
        A verdict; acceptance means that there is no finding of severity `reject`.

    Raises:
        InputError: both *shown* and *sources* are given.
        ContractClassError: the class cannot be a contract.
    """
    if not isinstance(contract, Contract):
        labelled = labels or not inspect.isclass(contract)
        contract = Contract.from_model(contract, labels=labels) if labelled else _of_class(contract)
    elif labels is not None:
        raise UsageError("a contract has its labels", hint="give them to Contract.from_model")
    if shown is not None and sources is not None:
        raise InputError("give what was shown or whole sources, not both")
    if shown is None:
        shown = [Shown.of_text(name, text) for name, text in checked_sources(sources or {}).items()]
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
