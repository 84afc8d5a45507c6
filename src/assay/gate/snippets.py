"""Evidence: every snippet lies in a source that the model was shown.

In      EvidenceRule; an output; the shown sources
Out     findings evidence.missing, evidence.not_found; spans
Pure    yes
Spec    000 (evidence snippets to offsets and digests); interfaces.md, "Evidence"
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assay.core.pointer import PointerPattern
from assay.gate.gate import Finding, GateContext, LocatedAt


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRule:
    """Where snippets stand, and which places must have at least one."""

    snippets: PointerPattern
    required: tuple[PointerPattern, ...] = ()

    def __call__(
        self, output: dict[str, Any], context: GateContext
    ) -> Iterator[Finding | LocatedAt]:
        raise NotImplementedError
