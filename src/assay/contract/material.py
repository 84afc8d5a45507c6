"""What a call is about, and the prompt that was made of it.

In      named texts, slots, facts of the input
Out     Material; Built with placements and omissions; OverBudget
Pure    values only
Spec    000 retry policy and token budgets
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from assay.contract.prompt import Prompt
from assay.contract.surrogates import Hidden
from assay.core.text.spans import Shown
from assay.templates.template import Part

ATTACHMENT: Final = "attachment:"
"""How the names of attachments begin among the sources."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What one call is about."""

    texts: Mapping[str, str] = field(default_factory=dict)
    """Named source texts in search order: `subject`, `body`, `attachment:NAME`, or `text`."""

    slots: Mapping[str, str] = field(default_factory=dict)
    """Ready values for template variables, by the variable's full name (`input.user_prompt`).
    They stand before the built-in catalogue and are never shortened."""

    signals: tuple[str, ...] = ()
    """Signs found without a model, one a line in the prompt."""

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

    def as_sent(self, hidden: Hidden) -> Material:
        """The same without personal data, but for its texts."""
        return replace(
            self,
            slots=hidden.slots,
            signals=hidden.signals,
            quotes=hidden.quotes,
            question=hidden.question,
        )

    def to_dict(self) -> dict[str, Any]:
        """All but the correction as JSON; texts as pairs, because their order counts."""
        return {
            "texts": [[name, text] for name, text in self.texts.items()],
            "slots": dict(self.slots),
            "signals": list(self.signals),
            "quotes": [[anchor, text] for anchor, text in self.quotes.items()],
            "question": self.question,
            "state": None if self.state is None else dict(self.state),
            "input": dict(self.input),
        }

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Material:
        """The material that `to_dict` wrote."""
        return cls(
            texts=dict(kept["texts"]),
            slots=kept["slots"],
            signals=tuple(kept["signals"]),
            quotes=dict(kept["quotes"]),
            question=kept["question"],
            state=kept["state"],
            input=kept["input"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Omission:
    """A part of a source that this attempt did not show, in code points of the original."""

    source: str
    kind: str
    """Kind of the block it lies in (`quoted`, `forwarded`, `signature`, `disclaimer`); `own`
    for text that was cut to the budget."""

    start: int
    stop: int

    def to_dict(self) -> dict[str, Any]:
        return {"source": self.source, "kind": self.kind, "start": self.start, "stop": self.stop}


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

    max_input_tokens: int = 0
    """The budget that this attempt was held to."""

    prefix_chars: int = 0
    """How many leading code points are the same for every call of this contract."""

    hidden: Hidden | None = field(default=None, repr=False)
    """What was sent instead of the texts; None where they were sent as they are."""

    parts: tuple[Part, ...] = ()
    """Slices of the prompt that go out in a role of their own; none is one user message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverBudget:
    """Nothing that could be left out makes the prompt fit."""

    tokens: int
    """Of the prompt with no source text at all."""

    limit: int
