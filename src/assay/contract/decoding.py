"""Say what an answer may look like, for models that can be held to it.

In      a contract, the prompt that was built from it, the material it was built from
Out     DecodingPlan: output schema with closed labels, quotable sentences, allowed anchors
Pure    no clock, no randomness, no I/O: equal inputs give equal plans
Spec    000, "Hard requirements" 1-3; 003, "Score precision"; 004 P4.2

A plan adds nothing to the prompt and decides nothing: it only narrows what a model can
write. The gate judges what was written all the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.contract.build import Built, Material
    from assay.contract.contract import Contract
    from assay.gate.labels import LabelSet

QUOTE_CHARS = 200
"""Longest quotable piece, in code points; specification 000 caps evidence snippets there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSlot:
    """A place in the output that holds a label of one set."""

    pattern: str
    """Pointer pattern of the label string, as in `/intents/*/label`."""

    set: LabelSet
    """Which labels may stand there, with their descriptions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A piece of a shown text that may be quoted word for word."""

    source: str
    """Name of the text, a key of `DecodingPlan.texts`."""

    start: int
    """First code point in the shown text."""

    stop: int
    """First code point no longer covered."""

    text: str
    """The slice itself, at most QUOTE_CHARS code points, without white space at its ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LexiconEntry:
    """What a pack says about how one label sounds in a text."""

    phrases: tuple[str, ...] = ()
    """Words and phrases, compared without case."""

    patterns: tuple[str, ...] = ()
    """RE2 patterns for what words cannot say: numbers, plates, dates."""

    signals: tuple[str, ...] = ()
    """Names of deterministic signs (as in `DecodingPlan.signals`) that decide for the label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodingPlan:
    """Everything a constrained model may know beside the prompt.

    Patterns are pointer patterns over the output (`*` one level), one for each concrete
    place of the schema, never `**`.
    """

    schema: Mapping[str, Any] = field(default_factory=dict)
    """The output schema, closed: labels as `enum`, `maxItems` on every array, `maxLength` on
    every free string. Empty when the answer is plain text."""

    labels: tuple[LabelSlot, ...] = ()
    """The label slots, in the order of the schema."""

    scores: tuple[str, ...] = ()
    """Numbers that are written with exactly two decimals, from 0.00 to 1.00."""

    quotes: tuple[str, ...] = ()
    """Strings that must be one of `sentences`."""

    texts: Mapping[str, str] = field(default_factory=dict)
    """What this attempt shows of each source, in search order."""

    sentences: tuple[Quote, ...] = ()
    """What may be quoted, in the order of the texts."""

    lexicon: Mapping[str, Mapping[str, LexiconEntry]] = field(default_factory=dict)
    """Label set -> label -> entry; for `extractive`."""

    signals: tuple[str, ...] = ()
    """Labels that something deterministic asserts about the input (a machine wrote it)."""

    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Pattern -> the only value allowed there (an echoed session id)."""

    question: str | None = None
    """What a grounded answer has to answer."""

    evidence: tuple[tuple[str, str], ...] = ()
    """(anchor, text) of what a grounded answer may cite, as in ("C0", "…")."""

    refusal: str | None = None
    """The exact text that stands for "the evidence does not say"."""


def plan(contract: Contract, built: Built, material: Material) -> DecodingPlan:
    """Derive the plan of one attempt from its contract and from what it shows."""
    raise NotImplementedError
