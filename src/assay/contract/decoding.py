"""Say what an answer may look like, for models that can be held to it.

In      a contract, the prompt that was built from it, the material it was built from
Out     DecodingPlan: output schema with closed labels, quotable sentences, allowed anchors
Pure    no clock, no randomness, no I/O: equal inputs give equal plans
Spec    000, "Hard requirements" 1-3; 003, "Score precision"; 004 P4.2

A plan adds nothing to the prompt and decides nothing: it only narrows what a model can
write. The gate judges what was written all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.core.sentences import sentences
from assay.core.text import Shown

if TYPE_CHECKING:
    from assay.contract.build import Built, Material
    from assay.contract.contract import Contract
    from assay.gate.labels import LabelSet

QUOTE_CHARS = 200
"""Longest quotable piece, in code points; specification 000 caps evidence snippets there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSlot:
    """A place in the output that holds a label of one set."""

    pattern: str
    """Pointer pattern of the label string, as in `/intents/*/label`."""

    set: LabelSet
    """Which labels may stand there, with their descriptions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A piece of a shown text that may be quoted word for word."""

    source: str
    """Name of the text, a key of `DecodingPlan.texts`."""

    start: int
    """First code point in the shown text."""

    stop: int
    """First code point no longer covered."""

    text: str
    """The slice itself, at most QUOTE_CHARS code points, without white space at its ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LexiconEntry:
    """What a pack says about how one label sounds in a text."""

    phrases: tuple[str, ...] = ()
    """Words and phrases, compared without case."""

    patterns: tuple[str, ...] = ()
    """RE2 patterns for what words cannot say: numbers, plates, dates."""

    signals: tuple[str, ...] = ()
    """Names of deterministic signs (as in `DecodingPlan.signals`) that decide for the label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodingPlan:
    """Everything a constrained model may know beside the prompt.

    Patterns are pointer patterns over the output (`*` one level), one for each concrete
    place of the schema, never `**`.
    """

    schema: Mapping[str, Any] = field(default_factory=dict)
    """The output schema, closed: labels as `enum`, `maxItems` on every array, `maxLength` on
    every free string. Empty when the answer is plain text."""

    labels: tuple[LabelSlot, ...] = ()
    """The label slots, in the order of the schema."""

    scores: tuple[str, ...] = ()
    """Numbers that are written with exactly two decimals, from 0.00 to 1.00."""

    quotes: tuple[str, ...] = ()
    """Strings that must be one of `sentences`."""

    texts: Mapping[str, str] = field(default_factory=dict)
    """What this attempt shows of each source, in search order."""

    sentences: tuple[Quote, ...] = ()
    """What may be quoted, in the order of the texts."""

    lexicon: Mapping[str, Mapping[str, LexiconEntry]] = field(default_factory=dict)
    """Label set -> label -> entry; for `extractive`."""

    signals: tuple[str, ...] = ()
    """Labels that something deterministic asserts about the input (a machine wrote it)."""

    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Pattern -> the only value allowed there (an echoed session id)."""

    question: str | None = None
    """What a grounded answer has to answer."""

    evidence: tuple[tuple[str, str], ...] = ()
    """(anchor, text) of what a grounded answer may cite, as in ("C0", "…")."""

    refusal: str | None = None
    """The exact text that stands for "the evidence does not say"."""


def plan(contract: Contract, built: Built, material: Material) -> DecodingPlan:
    """Derive the plan of one attempt from its contract and from what it shows."""
    places = tuple(_places(contract.schema.document, contract.schema.document, ""))
    slots = tuple(
        LabelSlot(pattern=place, set=rule.set)
        for place, _ in places
        for rule in contract.labels
        if _covers(rule.pattern.text, place)
    )
    quotes = (
        ()
        if contract.evidence is None
        else tuple(place for place, _ in places if _covers(contract.evidence.snippets.text, place))
    )
    strict = [pattern.text for pattern in contract.scores]
    scores = tuple(
        place
        for place, node in places
        if any(_covers(pattern, place) for pattern in strict) or _is_share(node)
    )
    sets = {slot.pattern: slot.set for slot in slots}
    return DecodingPlan(
        schema=_closed(contract.schema.document, contract.schema.document, "", sets, quotes),
        labels=slots,
        scores=scores,
        quotes=quotes,
        texts={shown.name: shown.text for shown in built.shown},
        sentences=tuple(quotables(built.shown)),
        lexicon=contract.lexicon,
        signals=material.signals,
        question=material.question,
        evidence=tuple(material.quotes.items()),
    )


def quotables(texts: Sequence[Shown]) -> Iterator[Quote]:
    """The sentences of what was shown, none across two slices of the original."""
    for shown in texts:
        at = 0
        for start, stop in shown.segments:
            piece = shown.original[start:stop]
            for first, last in sentences(piece):
                for begin, end in _short(piece, first, last):
                    if piece[begin:end].strip():
                        yield Quote(
                            source=shown.name,
                            start=at + begin,
                            stop=at + end,
                            text=piece[begin:end],
                        )
            at += len(piece) + 1


def _short(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Cut text[start:stop] at word ends into pieces of at most QUOTE_CHARS, trimmed."""
    while start < stop:
        end = min(stop, start + QUOTE_CHARS)
        if end < stop:
            space = max(text.rfind(" ", start, end), text.rfind("\n", start, end))
            end = space if space > start else end
        first = start + len(text[start:end]) - len(text[start:end].lstrip())
        last = end - (len(text[start:end]) - len(text[start:end].rstrip()))
        if first < last:
            yield first, last
        start = end if end > start else stop


# --- schemas --------------------------------------------------------------------------------

MOST_ITEMS = 5
"""Cap of an array that neither the schema nor a label set limits."""

MOST_QUOTES = 2


def _resolved(node: Any, root: Any) -> Mapping[str, Any]:
    """*node*, with a local `$ref` followed; anything but an object is an open schema."""
    seen = 0
    while isinstance(node, Mapping) and isinstance(node.get("$ref"), str) and seen < 32:
        target: Any = root
        for step in node["$ref"].removeprefix("#").split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            target = target.get(name, {}) if isinstance(target, Mapping) else {}
        node = target
        seen += 1
    return node if isinstance(node, Mapping) else {}


def _places(
    node: Any, root: Any, at: str, depth: int = 0
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every place of the output that the schema names, as a pointer pattern."""
    schema = _resolved(node, root)
    yield at, schema
    if depth > 24:
        return
    for name, child in dict(schema.get("properties", {})).items():
        step = str(name).replace("~", "~0").replace("/", "~1")
        yield from _places(child, root, f"{at}/{step}", depth + 1)
    if isinstance(schema.get("items"), Mapping):
        yield from _places(schema["items"], root, f"{at}/*", depth + 1)
    if isinstance(schema.get("additionalProperties"), Mapping):
        yield from _places(schema["additionalProperties"], root, f"{at}/*", depth + 1)


def _covers(pattern: str, place: str) -> bool:
    """Does the pointer pattern *pattern* reach *place*?"""
    return _reaches(pattern.split("/")[1:], place.split("/")[1:])


def _reaches(pattern: list[str], place: list[str]) -> bool:
    if not pattern:
        return not place
    if pattern[0] == "**":
        return any(_reaches(pattern[1:], place[skip:]) for skip in range(len(place) + 1))
    return bool(place) and pattern[0] in {"*", place[0]} and _reaches(pattern[1:], place[1:])


def _is_share(node: Mapping[str, Any]) -> bool:
    """A number from 0 to 1, as confidences are declared."""
    return node.get("type") == "number" and node.get("minimum") == 0 and node.get("maximum") == 1


def _closed(
    node: Any,
    root: Any,
    at: str,
    sets: Mapping[str, LabelSet],
    quotes: tuple[str, ...],
) -> dict[str, Any]:
    """The schema with labels as `enum`, every array capped and no `$ref` left."""
    schema = dict(_resolved(node, root))
    if at in sets:
        schema["enum"] = [
            label for label in sets[at].labels if label in schema.get("enum", sets[at].labels)
        ]
    if "properties" in schema:
        schema["properties"] = {
            name: _closed(
                child,
                root,
                f"{at}/" + str(name).replace("~", "~0").replace("/", "~1"),
                sets,
                quotes,
            )
            for name, child in schema["properties"].items()
        }
    if isinstance(schema.get("items"), Mapping):
        inside = f"{at}/*"
        most = [len(found.labels) for place, found in sets.items() if place.startswith(inside)]
        cap = MOST_QUOTES if inside in quotes else max(most, default=MOST_ITEMS)
        schema["maxItems"] = min(cap, schema.get("maxItems", cap))
        schema["items"] = _closed(schema["items"], root, inside, sets, quotes)
    return {key: value for key, value in schema.items() if key not in {"$defs", "$schema", "$id"}}
