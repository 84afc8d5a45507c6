"""Prepared lexicons, kept from call to call.

In      the name of a label set, its entries
Out     Lexicon
Pure    yes; equal entries give equal lexicons
Spec    000-H3
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from assay.adapters.models.extractive.lexicon import Lexicon
from assay.gate.labels import LexiconEntry

_KEPT: Final = 64
"""More than any pack has label sets."""


class Lexicons:
    """The lexicons that a model was asked for last."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, tuple[tuple[str, LexiconEntry], ...]], Lexicon] = {}

    def find(self, name: str, entries: Mapping[str, LexiconEntry]) -> Lexicon:
        """That of *entries*; made when it is first asked for."""
        key = (name, tuple(entries.items()))
        if key not in self._made:
            if len(self._made) >= _KEPT:
                self._made.clear()
            self._made[key] = Lexicon(name, entries)
        return self._made[key]
