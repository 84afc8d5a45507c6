"""Two outputs compared: what a model said, and what a person made of it.

In      JSON outputs as bytes
Out     how they differ; each labelled confidence, and whether the other output has its label
Pure    yes
Spec    007-F9, 007-F10; interfaces.md ("a labelled confidence")

A labelled confidence is an object with a `label` and a `confidence` from nought to one. Its place
is told without the numbers of lists: there the order says nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from assay.core.json.canonical import canonical
from assay.core.json.strict import Parsed, parse_object

Change = Literal["kept", "label", "elsewhere"]
"""The same value; another label in some object; everything else."""

Labelled = tuple[str, str]
"""Place and label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One labelled confidence."""

    confidence: float
    confirmed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A model's output beside the one that a person accepted."""

    change: Change
    statements: tuple[Statement, ...]
    """Those of the model's output."""


def compare_outputs(model: bytes, person: bytes | None) -> Compared:
    """How the accepted output differs from the model's.

    Args:
        model: The reply as it came; it may be anything.
        person: None where the model's output was accepted as it stands.

    Example:
        >>> one = b'{"topic": {"label": "A", "confidence": 0.9}}'
        >>> found = compare_outputs(one, b'{"topic": {"label": "B", "confidence": 0.9}}')
        >>> found.change, found.statements[0].confirmed
        ('label', False)
    """
    said = _read(model)
    if person is None:
        return Compared(change="kept", statements=tuple(_confirm(said, None)))
    stands = _read(person)
    return Compared(change=_find_change(said, stands), statements=tuple(_confirm(said, stands)))


def are_equal(one: bytes, other: bytes) -> bool:
    """Whether two outputs are the same JSON value, however they are written."""
    return one == other or _equal(_read(one), _read(other))


def _find_change(said: Any, stands: Any) -> Change:
    if _equal(said, stands):
        return "kept"
    labels = (
        Counter((place, label) for place, label, _ in _labels(each)) for each in (said, stands)
    )
    return "elsewhere" if next(labels) == next(labels) else "label"


def _equal(one: Any, other: Any) -> bool:
    return one is not None and other is not None and canonical(one) == canonical(other)


def _read(raw: bytes) -> Any:
    """The object that *raw* is; None where it is none."""
    parsed = parse_object(raw)
    return parsed.value if isinstance(parsed, Parsed) else None


def _confirm(said: Any, stands: Any) -> Iterator[Statement]:
    """Each labelled confidence; all are confirmed where nothing else stands."""
    left = _count_labels(stands)
    for place, label, confidence in _labels(said):
        if confidence is None:
            continue
        confirmed = stands is None or left[place, label] > 0
        left[place, label] -= 1
        yield Statement(confidence=confidence, confirmed=confirmed)


def _count_labels(value: Any) -> Counter[Labelled]:
    return Counter((place, label) for place, label, _ in _labels(value))


def _labels(value: Any) -> Iterator[tuple[str, str, float | None]]:
    """Place, label and confidence of every object that has a label, in the order of the text."""
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        place, node = waiting.pop()
        if isinstance(node, dict):
            label = node.get("label")
            if isinstance(label, str):
                yield place, label, _confidence(node.get("confidence"))
            waiting.extend((f"{place}/{key}", inner) for key, inner in reversed(node.items()))
        elif isinstance(node, list):
            waiting.extend((f"{place}/*", inner) for inner in reversed(node))


def _confidence(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)
