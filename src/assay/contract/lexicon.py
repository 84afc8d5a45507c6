"""How a label sounds in a text, as a pack says it.

In      words, phrases, patterns, signs
Out     LexiconEntry
Pure    values only
Spec    interfaces.md, "Packs" (`lexicon.yaml`)
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LexiconEntry:
    """What a pack says about how one label sounds in a text."""

    phrases: tuple[str, ...] = ()
    """Words and phrases, compared without case."""

    patterns: tuple[str, ...] = ()
    """RE2 patterns for what words cannot say: numbers, plates, dates."""

    signals: tuple[str, ...] = ()
    """Names of deterministic signs (as in `DecodingPlan.signals`) that decide for the label."""
