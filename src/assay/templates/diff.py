"""What is different between two versions of a template.

In      two versions, and perhaps prompts that each of them makes of the same inputs
Out     Difference: text, variables, blueprint, rendered prompts
Pure    yes
Spec    002-N2
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any

from assay.core.json.canonical import digest
from assay.templates.template import TemplateVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedPair:
    """One input, as both versions put it."""

    case: str
    """Of the golden cases."""

    before: str | None
    """None when the version makes no prompt of it; `fault` says why."""

    after: str | None
    fault: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedChange:
    """One input of which the versions make different prompts."""

    case: str
    lines: tuple[str, ...]
    """Unified diff."""

    before_sha256: str | None
    after_sha256: str | None
    fault: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {
            "case": self.case,
            "diff": list(self.lines),
            "before_sha256": self.before_sha256,
            "after_sha256": self.after_sha256,
            "fault": self.fault,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """From one version to another."""

    before: str
    after: str
    text: tuple[str, ...]
    """Unified diff of the bodies; empty when they are equal."""

    added: tuple[str, ...]
    """Variables that only the later one declares."""

    removed: tuple[str, ...]
    reordered: bool
    """The same variables, in another order."""

    instructions: tuple[str, ...]
    """Unified diff of the blueprint's instructions."""

    schema: tuple[str, ...]
    """Unified diff of the blueprint's schema, as indented JSON with sorted keys."""

    cases: int
    """How many inputs were rendered with both."""

    rendered: tuple[RenderedChange, ...]

    @property
    def same(self) -> bool:
        return not (self.text or self.added or self.removed or self.reordered) and not (
            self.instructions or self.schema or self.rendered
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "before": self.before,
            "after": self.after,
            "same": self.same,
            "text": list(self.text),
            "variables": {
                "added": list(self.added),
                "removed": list(self.removed),
                "reordered": self.reordered,
            },
            "blueprint": {"instructions": list(self.instructions), "schema": list(self.schema)},
            "cases": self.cases,
            "rendered": [change.to_dict() for change in self.rendered],
        }


def difference(
    before: TemplateVersion, after: TemplateVersion, pairs: Iterable[RenderedPair] = ()
) -> Difference:
    """Compare two versions, and the prompts that they make."""
    names = (
        f"{before.role}/{before.name}@{before.version}",
        (f"{after.role}/{after.name}@{after.version}"),
    )
    given = tuple(pairs)
    old, new = set(before.variables), set(after.variables)
    return Difference(
        before=names[0],
        after=names[1],
        text=_lines(before.body, after.body, names),
        added=tuple(name for name in after.variables if name not in old),
        removed=tuple(name for name in before.variables if name not in new),
        reordered=old == new and before.variables != after.variables,
        instructions=_lines(before.blueprint_instructions, after.blueprint_instructions, names),
        schema=_lines(_indent(before.blueprint_schema), _indent(after.blueprint_schema), names),
        cases=len(given),
        rendered=tuple(
            RenderedChange(
                case=pair.case,
                lines=_lines(pair.before or "", pair.after or "", names),
                before_sha256=None if pair.before is None else digest(pair.before),
                after_sha256=None if pair.after is None else digest(pair.after),
                fault=pair.fault,
            )
            for pair in given
            if pair.before != pair.after or pair.fault
        ),
    )


def _lines(before: str, after: str, names: tuple[str, str]) -> tuple[str, ...]:
    if before == after:
        return ()
    found = unified_diff(_split(before), _split(after), *names, lineterm="")
    return tuple(found) or ("(they differ in line ends only)",)


def _split(text: str) -> Sequence[str]:
    lines = text.split("\n")
    if lines[-1] == "":
        return lines[:-1]
    return [*lines[:-1], lines[-1] + " (no line end)"]


def _indent(schema: Mapping[str, Any] | None) -> str:
    if schema is None:
        return ""
    return json.dumps(dict(schema), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
