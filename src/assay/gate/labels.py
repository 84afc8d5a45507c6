"""Labels: only those of the set, byte for byte, and none twice where that is meaningless.

In      LabelRule; an output
Out     findings label.unknown, label.duplicate
Pure    yes
Spec    000 H3; interfaces.md, "Strictness" (labels match byte for byte)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, ClassVar

from assay.core.json.pointer import Place, PointerPattern, innermost_array
from assay.gate.gate import Finding, GateContext


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSet:
    """The labels that exist for one question."""

    name: str
    """What the pack calls the set."""

    labels: Mapping[str, str]
    """Label -> description, in the order of the pack."""

    multi: bool = False
    """Several may apply at once."""

    repeats: bool = False
    """The same label may stand several times in one list: kinds of entities, say."""

    priority: tuple[str, ...] = ()
    """Labels from the most to the least important, where one of several must win."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRule:
    """Every value at *pattern* is a label of *set*.

    A value that is no string is no label. Where nothing stands at *pattern*, there is nothing
    to ask: whether something must stand there, the schema says.
    """

    any_shape: ClassVar[bool] = True

    pattern: PointerPattern
    """Where labels stand."""

    set: LabelSet
    """Which labels exist."""

    def __call__(
        self,
        output: dict[str, Any],
        context: GateContext,  # noqa: ARG002 - every check has it
    ) -> Iterator[Finding]:
        """Findings `label.unknown` and `label.duplicate`."""
        found = self.pattern.places(output)
        for pointer, value, _ in found:
            if value.__class__ is not str or value not in self.set.labels:
                yield Finding(code="label.unknown", path=pointer, message=self._why(value))
        if len(found) > 1 and self.set.multi and not self.set.repeats:
            yield from self._duplicates(found, output)

    def _why(self, value: Any) -> str:
        if value.__class__ is not str:
            return f"is no string, so no label of {self.set.name!r}"
        # Only a label of the pack is named, never what the reply says.
        near = get_close_matches(value[:200], self.set.labels, n=1, cutoff=0.8)
        alike = [label for label in self.set.labels if label.casefold() == value.casefold()]
        hint = "".join(f"; did you mean {label!r}?" for label in (alike or near)[:1])
        return f"is no label of {self.set.name!r}{hint}"

    def _duplicates(self, found: list[Place], output: Any) -> Iterator[Finding]:
        seen: dict[str, set[str]] = {}
        for pointer, value, _ in found:
            array = innermost_array(pointer, output)
            if array is None or value.__class__ is not str:
                continue
            earlier = seen.setdefault(array, set())
            if value in earlier:
                yield Finding(
                    code="label.duplicate",
                    path=pointer,
                    message=f"a label of {self.set.name!r} stands twice in one list",
                )
            earlier.add(value)
