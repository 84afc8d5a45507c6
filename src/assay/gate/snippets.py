"""Evidence: every snippet lies in a source that the model was shown.

In      EvidenceRule; an output; the shown sources
Out     findings evidence.missing, evidence.not_found; spans
Pure    yes
Spec    000 (evidence snippets to offsets and digests); 005-G13; interfaces.md, "Evidence"
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from assay.core.json.pointer import PatternSet, PointerPattern
from assay.core.text.spans import Location, Locator, is_evidence
from assay.gate.gate import Finding, GateContext, LocatedAt

_SNIPPET = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRule:
    """Where snippets stand, and which places must have at least one."""

    any_shape: ClassVar[bool] = True

    snippets: PointerPattern
    """Every value here is a snippet, as in `/**/evidence_snippets/*`."""

    required: tuple[PointerPattern, ...] = ()
    """Every place here has at least one snippet at or under it, as in `/intents/*`."""

    _places: PatternSet = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_places", PatternSet.of((self.snippets, *self.required)))

    def __call__(
        self, output: dict[str, Any], context: GateContext
    ) -> Iterator[Finding | LocatedAt]:
        """Spans for what was found; `evidence.missing` and `evidence.not_found`."""
        place = Locator(context.shown).place
        known: dict[str, Location | None] = {}
        quoted: list[str] = []
        wanting: list[tuple[str, int]] = []
        for pointer, snippet, numbers in self._places.places(output):
            if numbers[-1] != _SNIPPET:
                wanting.append((pointer, len(quoted)))
                if numbers[0] != _SNIPPET:
                    continue
            quoted.append(pointer)
            if snippet.__class__ is not str:
                yield _missing_finding(pointer, "is no string, so no snippet")
                continue
            if snippet in known:
                location = known[snippet]
            else:
                location = known[snippet] = place(snippet) if is_evidence(snippet) else None
            if location is not None:
                yield LocatedAt(pointer, *location)
            else:
                yield _not_located(pointer, snippet)
        for pointer, at in wanting:
            # What lies at or under a place comes right after it.
            if at == len(quoted) or not lies_under(quoted[at], pointer):
                yield _missing_finding(pointer, "has no evidence")


def lies_under(pointer: str, place: str) -> bool:
    """Whether *pointer* is *place* or leads further into it."""
    return f"{pointer}/".startswith(f"{place}/")


def _not_located(pointer: str, snippet: str) -> Finding:
    if not is_evidence(snippet):
        return _missing_finding(pointer, "has too little text to be evidence")
    return Finding(
        code="evidence.not_found", path=pointer, message="stands in no source that was shown"
    )


def _missing_finding(pointer: str, message: str) -> Finding:
    return Finding(code="evidence.missing", path=pointer, message=message)
