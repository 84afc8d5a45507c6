"""Labels: only those of the set, byte for byte, and none twice where that is meaningless.

In      LabelRule; an output
Out     findings label.unknown, label.duplicate, label.no_value
Pure    yes
Spec    000 H3; interfaces.md, "Strictness" (labels match byte for byte)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, ClassVar, Final

from assay.core.json.pointer import Place, PointerPattern, innermost_array, unescape
from assay.core.json.schema import Schema
from assay.gate.gate import GateContext
from assay.gate.places import PlaceRule
from assay.gate.verdict import Finding


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

    default: str | None = None
    """The label for what no other fits. Prompts mark it and models that weigh labels fall back on
    it; the gate never puts it in."""

    max_tokens: int | None = None
    """Of the set as a prompt lists it; None lists all. What is not listed may be said all the
    same: the set says which labels exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRule:
    """Every value at *pattern* is a label of *set*.

    A value that is no string is no label. Where nothing stands at *pattern*, there is nothing
    to ask: whether something must stand there, the schema says. A pattern that cannot be right
    (`/intents/*/lable`) would let every label pass, so that is a note.
    """

    any_shape: ClassVar[bool] = True

    pattern: PointerPattern
    """Where labels stand."""

    set: LabelSet
    """Which labels exist."""

    def __call__(self, output: dict[str, Any], context: GateContext) -> Iterator[Finding]:
        """Findings `label.unknown` and `label.duplicate`; the note `label.no_value`."""
        found = self.pattern.places(output)
        if not found and context.schema is not None:
            steps = self.pattern.text.split("/")[1:]
            if not _may_lack_values(output, steps, context.schema):
                yield Finding(
                    code="label.no_value",
                    severity="note",
                    message=f"{self.pattern.text!r} leads nowhere, so no label of"
                    f" {self.set.name!r} was looked at",
                )
        for pointer, value, _ in found:
            if value.__class__ is not str or value not in self.set.labels:
                yield Finding(
                    code="label.unknown", path=pointer, message=self.describe_mismatch(value)
                )
        if len(found) > 1 and self.set.multi and not self.set.repeats:
            yield from self._duplicates(found, output)

    def growing(self, context: GateContext) -> tuple[PlaceRule, ...]:  # noqa: ARG002
        """What of this is known while a reply arrives. A label that is begun as none has no
        likeness to be named yet."""
        name = self.set.name
        return (
            PlaceRule(
                pattern=self.pattern,
                kind="string",
                wrong_kind=("label.unknown", f"is no string, so no label of {name!r}"),
                options=tuple(sorted(self.set.labels)),
                no_option=("label.unknown", f"is no label of {name!r}"),
                twice=self._twice if self.set.multi and not self.set.repeats else None,
            ),
        )

    @property
    def _twice(self) -> tuple[str, str]:
        return "label.duplicate", f"a label of {self.set.name!r} stands twice in one list"

    def describe_mismatch(self, value: Any) -> str:
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
                code, message = self._twice
                yield Finding(code=code, path=pointer, message=message)
            earlier.add(value)


def _may_lack_values(value: Any, steps: Sequence[str], schema: Schema) -> bool:
    """Whether a pattern that is right may all the same meet nothing in *value*.

    Args:
        value: An output, or a part of it, in which the pattern meets nothing.
        steps: What of the pattern is still to be gone.
        schema: What the output fits.

    An empty list or object, null, and a key that the schema declares and the output leaves out
    explain it; `**` may lead anywhere. A key that no schema declares, a key where a list stands,
    and more steps where there is a text, a number or a boolean do not.
    """
    step, *rest = steps
    if value is None or step == "**":
        return True
    if isinstance(value, dict):
        key = unescape(step)
        if step != "*" and key not in value:
            return schema.declares(key)
        children = list(value.values()) if step == "*" else [value[key]]
    elif isinstance(value, list):
        if step != "*" and not (step.isascii() and step.isdigit()):
            return False
        children = value if step == "*" else value[int(step) :][:1]
    else:
        return False
    return not children or any(_may_lack_values(child, rest, schema) for child in children)


@dataclass(frozen=True, slots=True, kw_only=True)
class LexiconEntry:
    """The words, patterns and signs by which one label is found in a text."""

    phrases: tuple[str, ...] = ()
    """Words and phrases, compared without case."""

    patterns: tuple[str, ...] = ()
    """RE2 patterns for what words cannot say: numbers, plates, dates."""

    signals: tuple[str, ...] = ()
    """Names of deterministic signs (as in `DecodingPlan.signals`) that decide for the label."""


SetExamples = Mapping[str, tuple[str, ...]]
"""Sentences that show how the labels of one set sound, by label; those that carry no label of the
set under NO_LABEL. A sentence that carries two stands under both."""

NO_LABEL: Final = "*"
"""Stands for "none of the set's labels" among examples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examples:
    """Sentences from which a model learns the labels of a contract."""

    sets: Mapping[str, SetExamples] = field(default_factory=dict)
    """By label set."""

    learned: bytes = field(default=b"", repr=False)
    """What was learnt from examples before; whoever learns knows whether it is of these."""


NO_EXAMPLES: Final = Examples()
