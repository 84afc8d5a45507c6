"""Contract and input become a prompt that holds its token budget.

In      Contract, Material, number of the attempt, Redactor
Out     Built: the prompt, what was shown of every source, what was left out; or OverBudget
Pure    yes: equal inputs give equal bytes
Spec    000 retry policy and token budgets
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.contract.contract import Contract
from assay.core.text import Shown
from assay.prompt.prompt import Prompt
from assay.prompt.redaction import Redactor


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What one call is about."""

    texts: Mapping[str, str] = field(default_factory=dict)
    """Named source texts in search order: `subject`, `body`, `attachment:NAME`, or `text`."""

    slots: Mapping[str, str] = field(default_factory=dict)
    """Ready values for template variables, by the variable's full name (`input.user_prompt`).
    They stand before the built-in catalogue and are never shortened."""

    signals: tuple[str, ...] = ()
    """Signs found without a model (`RISK_AUTOREPLY_LOOP: …`), one a line in the prompt."""

    quotes: Mapping[str, str] = field(default_factory=dict)
    """Evidence by anchor (`C0`), for contracts that cite instead of quoting sources."""

    question: str | None = None
    """The question of a grounded answer."""

    state: Mapping[str, Any] | None = None
    """`state` of the rules: the session's cached state."""

    input: Mapping[str, Any] = field(default_factory=dict)
    """`input` of the rules: facts of the input (from, to, date …)."""

    correction: str = ""
    """Findings of the attempt before, in words of the contract; only for `correct` attempts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Omission:
    """A part of a source that this attempt did not show."""

    source: str
    kind: str
    """`quoted`, `forwarded`, `signature`, `disclaimer`, or `own` for text cut at a sentence."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where a verbatim piece of a source stands in the prompt; all offsets in code points."""

    source: str
    start: int
    """In the original source."""

    stop: int
    at: int
    """In the prompt's text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """One attempt, ready to be sent."""

    prompt: Prompt
    shown: tuple[Shown, ...]
    """What was shown of each source that the template places, in search order."""

    omitted: tuple[Omission, ...]
    attempt: int
    """From 1."""

    placements: tuple[Placement, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    """Exactly what was put into the template; may hold personal data."""

    temperature: float | None = None
    """None keeps the temperature configured for the environment."""

    max_input_tokens: int = 0
    """The budget that this attempt was held to."""

    prefix_chars: int = 0
    """How many leading code points are the same for every call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverBudget:
    """Nothing that could be left out makes the prompt fit."""

    tokens: int
    """Of the shortest prompt there is."""

    limit: int


def build(
    contract: Contract, material: Material, attempt: int, redactor: Redactor
) -> Built | OverBudget:
    """Make the prompt of attempt number *attempt* (from 1)."""
    raise NotImplementedError
