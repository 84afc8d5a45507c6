"""Evidence: every snippet lies in a source that the model was shown.

In      EvidenceRule; an output; the shown sources
Out     findings evidence.missing, evidence.not_found; spans
Pure    yes
Spec    000 (evidence snippets to offsets and digests); interfaces.md, "Evidence"
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.core.folding import fold_text
from assay.core.pointer import PointerPattern
from assay.core.text import Locator, Place
from assay.gate.gate import Finding, GateContext, LocatedAt

# A tilde in a pointer is always followed by 0 or 1, so this stands in none.
_BETWEEN = "~|"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRule:
    """Where snippets stand, and which places must have at least one."""

    any_shape: ClassVar[bool] = True

    snippets: PointerPattern
    """Every value here is a snippet, as in `/**/evidence_snippets/*`."""

    required: tuple[PointerPattern, ...] = ()
    """Every place here has at least one snippet at or under it, as in `/intents/*`."""

    def __call__(
        self, output: dict[str, Any], context: GateContext
    ) -> Iterable[Finding | LocatedAt]:
        """Spans for what was found; `evidence.missing` and `evidence.not_found`."""
        found = self.snippets.matches(output)
        locator = Locator(context.shown)
        known: dict[str, Place | None] = {}
        items: list[Finding | LocatedAt] = []
        for pointer, snippet in found:
            if snippet.__class__ is not str:
                items.append(_missing(pointer, "is no string, so no snippet"))
                continue
            if snippet in known:
                place = known[snippet]
            else:
                place = known[snippet] = locator.place(snippet)
            if place is not None:
                source, start, stop, match, occurrences, digest = place
                items.append(
                    LocatedAt(
                        path=pointer,
                        source=source,
                        start=start,
                        stop=stop,
                        match=match,
                        occurrences=occurrences,
                        digest=digest,
                    )
                )
            elif not fold_text(snippet).strip():
                items.append(_missing(pointer, "is empty, so no evidence"))
            else:
                items.append(
                    Finding(
                        code="evidence.not_found",
                        path=pointer,
                        message="stands in no source that was shown",
                    )
                )
        if self.required:
            pointers = _BETWEEN.join(["", *(pointer for pointer, _ in found), ""])
            for pattern in self.required:
                for pointer, _ in pattern.matches(output):
                    here = _BETWEEN + pointer
                    if here + "/" not in pointers and here + _BETWEEN not in pointers:
                        items.append(_missing(pointer, "has no evidence"))
        return items


def _missing(pointer: str, message: str) -> Finding:
    return Finding(code="evidence.missing", path=pointer, message=message)
