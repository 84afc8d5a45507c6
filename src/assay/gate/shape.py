"""Numbers as they were written: scores with exactly two decimals.

In      ScoreRule; an output and its raw bytes
Out     findings score.precision
Pure    yes
Spec    interfaces.md, "Strictness" (score precision); 003
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assay.core.pointer import PointerPattern
from assay.gate.gate import Finding, GateContext


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRule:
    """Every number at *pattern* is written with exactly two decimals."""

    pattern: PointerPattern

    def __call__(self, output: dict[str, Any], context: GateContext) -> Iterator[Finding]:
        raise NotImplementedError
