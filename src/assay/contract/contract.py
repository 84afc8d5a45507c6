"""The unit a user writes: one declared model call, versioned.

In      template, schema, labels, evidence rule, rules, attempts, budget, models
Out     Contract; a Verdict on one output
Pure    yes
Spec    000 whole; interfaces.md, "The gate" and "Packs"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from assay.contract.budget import Attempt, Budget
from assay.contract.checks import checks_of
from assay.contract.result import ResultSpec
from assay.core.pointer import PointerPattern
from assay.core.schema import Schema
from assay.core.text import Shown
from assay.errors import InputError
from assay.gate import gate
from assay.gate.gate import Check, GateContext, Verdict
from assay.gate.labels import LabelRule, LabelSet
from assay.gate.rules import Rule
from assay.gate.snippets import EvidenceRule
from assay.gate.survey import together
from assay.prompt.template import TemplateVersion

if TYPE_CHECKING:
    from assay.contract.decoding import LexiconEntry


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
    """A block without variables that stands in front of every prompt; cacheable."""

    labels: tuple[LabelRule, ...] = ()
    label_sets: Mapping[str, LabelSet] = field(default_factory=dict)
    """Sets that the template may list, by the name it uses; those of `labels` among them."""

    evidence: EvidenceRule | None = None
    rules: tuple[Rule, ...] = ()
    scores: tuple[PointerPattern, ...] = ()
    """Numbers that must be written with exactly two decimals."""

    extra: tuple[Check, ...] = ()
    """Checks written in Python that the contract names."""

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

    release: str = "pack"
    """How its template came in: `pack` as it stands there; by the registry, `active` or `canary`;
    `fallback` for none."""

    fallback: bool = False
    """No version of the template is active: prompts are the role and the input as JSON."""

    digest: str = ""
    """Over everything the contract consists of, but for these two."""

    asked: tuple[Check, ...] = field(init=False, repr=False, compare=False)
    """`checks`, with labels and evidence in one walk: what `judge` puts an output to."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "asked", together(self.checks))

    @property
    def reference(self) -> str:
        """`PACK/NAME`."""
        return f"{self.pack}/{self.name}"

    @property
    def result_name(self) -> str:
        """The key under which a flow prints the result."""
        return self.name if self.result is None else self.result.name

    @property
    def checks(self) -> tuple[Check, ...]:
        """The ordered set of checks after finish reason, strict JSON and schema."""
        return checks_of(self)

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
        name = model.partition(":")[2]
        return any(
            fnmatchcase(model, pattern) or (name != "" and fnmatchcase(name, pattern))
            for pattern in self.models
        )


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
    """Weigh one model output. Calls no model, repairs nothing, never raises for an output.

    Args:
        output: Exactly what the model sent.
        shown: What this attempt was shown of every source, in search order.
        sources: Whole source texts by name, in search order; instead of *shown*.
        state, input: What rules can ask for under these names.
        finish_reason: Why the model stopped, as it said.

    Returns:
        A verdict; acceptance means that there is no finding of severity `reject`.

    Raises:
        InputError: both *shown* and *sources* are given.
    """
    if shown is not None and sources is not None:
        raise InputError("give what was shown or whole sources, not both")
    if shown is None:
        shown = [Shown.whole(name, text) for name, text in (sources or {}).items()]
    if isinstance(output, str):
        try:  # noqa: SIM105 - `suppress` takes as long as the encoding
            output = output.encode()
        except UnicodeEncodeError:
            pass  # the gate says what is wrong with it
    raw = output if isinstance(output, bytes) else b""
    context = GateContext(shown=tuple(shown), state=state, input=dict(input or {}), raw=raw)
    return gate.judge(
        output,
        context,
        contract.asked,
        schema=contract.schema,
        finish_reason=finish_reason,
        refusals=contract.refusals,
    )
