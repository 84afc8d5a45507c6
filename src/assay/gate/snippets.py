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
from assay.gate.gate import GateContext
from assay.gate.places import PlaceRule
from assay.gate.verdict import Finding, LocatedAt

_SNIPPET = 0
_NO_STRING = "is no string, so no snippet"
_NONE = "has no evidence"


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
                yield _missing_finding(pointer, _NO_STRING)
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
                yield _missing_finding(pointer, _NONE)

    def growing(self, context: GateContext) -> tuple[PlaceRule, ...]:
        """What of this is known while a reply arrives."""
        locator: list[Locator] = []

        def judge(snippet: Any, written: str) -> tuple[str, str] | None:  # noqa: ARG001
            if not locator:  # sources are prepared only for a reply that quotes something
                locator.append(Locator(context.shown))
            if is_evidence(snippet) and locator[0].place(snippet) is not None:
                return None
            return _fault_of(snippet)

        snippets = PlaceRule(
            pattern=self.snippets,
            kind="string",
            wrong_kind=("evidence.missing", _NO_STRING),
            judge=judge,
            is_counted=True,
        )
        required = (
            PlaceRule(pattern=pattern, too_few=("evidence.missing", _NONE))
            for pattern in self.required
        )
        return (snippets, *required)


def lies_under(pointer: str, place: str) -> bool:
    """Whether *pointer* is *place* or leads further into it."""
    return f"{pointer}/".startswith(f"{place}/")


def _not_located(pointer: str, snippet: str) -> Finding:
    code, message = _fault_of(snippet)
    return Finding(code=code, path=pointer, message=message)


def _fault_of(snippet: str) -> tuple[str, str]:
    """Code and message for a snippet that lies nowhere."""
    if not is_evidence(snippet):
        return "evidence.missing", "has too little text to be evidence"
    return "evidence.not_found", "stands in no source that was shown"


def _missing_finding(pointer: str, message: str) -> Finding:
    return Finding(code="evidence.missing", path=pointer, message=message)
