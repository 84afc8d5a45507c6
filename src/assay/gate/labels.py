"""Labels: only those of the set, byte for byte, and none twice where that is meaningless.

In      LabelRule; an output
Out     findings label.unknown, label.duplicate
Pure    yes
Spec    000 H3
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.core.pointer import PointerPattern
from assay.gate.gate import Finding, GateContext


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSet:
    """The labels that exist, in order."""

    name: str
    labels: Mapping[str, str]
    multi: bool = False
    repeats: bool = False
    priority: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRule:
    """Every string at *pattern* is a label of *set*."""

    pattern: PointerPattern
    set: LabelSet

    def __call__(self, output: dict[str, Any], context: GateContext) -> Iterator[Finding]:
        raise NotImplementedError
