"""One label that was chosen, and why.

In      nothing
Out     Choice
Pure    declarations only
Spec    interfaces.md, "Models" (`extractive`); 007-P5
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One label, and why."""

    label: str
    confidence: float
    """From 0.0 to 1.0; a rule's, not an estimate of a probability."""

    quote: str | None
    """What decided it, word for word as shown."""

    value: str | None = None
    """The match itself, of a label that stands for something in the text."""

    weight: float = 0.0
    """What the lexicon's finds weigh together."""

    listed: bool = False
    """Whether it stands in a list of several."""
