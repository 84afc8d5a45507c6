"""The words and patterns by which a label is found in a text, as a pack gives them.

In      words, phrases, patterns, signs
Out     LexiconEntry
Pure    values only
Spec    interfaces.md, "Packs" (`lexicon.yaml`)
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LexiconEntry:
    """The words, patterns and signs by which one label is found in a text."""

    phrases: tuple[str, ...] = ()
    """Words and phrases, compared without case."""

    patterns: tuple[str, ...] = ()
    """RE2 patterns for what words cannot say: numbers, plates, dates."""

    signals: tuple[str, ...] = ()
    """Names of deterministic signs (as in `DecodingPlan.signals`) that decide for the label."""
