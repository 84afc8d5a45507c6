"""Places that a schema itself marks: quotes of a source, labels of a set.

In      a schema document with the keywords QUOTE and LABELS, label sets; an output
Out     findings evidence.missing, evidence.not_found, label.unknown, label.duplicate; spans
Pure    yes
Spec    007-C2; 000 H3; interfaces.md, "Python"

A marker is a keyword like any other: of several ways to read a value (`anyOf`) one that fits and
whose markers hold is enough, and what no way describes is a fault of the schema, not of a marker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from assay.core.json.pointer import PointerPattern, escape
from assay.core.json.schema import Schema
from assay.core.json.schema_parts import parts_of, referred
from assay.core.text.spans import Location, Locator, Shown, is_evidence
from assay.errors import InputError
from assay.gate.gate import GateContext
from assay.gate.labels import LabelRule, LabelSet
from assay.gate.places import PlaceRule
from assay.gate.verdict import Finding, LocatedAt

QUOTE: Final = "x-assay-quote"
"""The string is a quote of one of these sources; an empty list means any."""

LABELS: Final = "x-assay-labels"
"""The string is a label of the set of this name."""

FORMAT: Final = "x-assay-format"
"""The `format` of a text that the class itself reads; no check of the gate."""

_WAYS: Final = ("anyOf", "oneOf")
_Found = Finding | LocatedAt


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPlaces:
    """Every value at a marked place is what its marker says."""

    any_shape: ClassVar[bool] = True

    document: Mapping[str, Any]
    """The schema; references lead into it."""

    label_sets: Mapping[str, LabelSet] = field(default_factory=dict)
    """Every set that a marker names."""

    _ways: dict[int, Schema] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Compiled ways, by identity within the document."""

    def __call__(self, output: dict[str, Any], context: GateContext) -> Iterator[_Found]:
        """Spans for what was found; a finding for every marker that does not hold."""
        yield from _Walk(self, context.shown).visit(output, self.document, "")

    def growing(self, context: GateContext) -> tuple[PlaceRule, ...]:
        """What of this is known while a reply arrives: the places that have no other way."""
        walk = _Walk(self, context.shown)
        return tuple(
            PlaceRule(pattern=PointerPattern.compile(pattern), judge=walk.judge_at(node))
            for pattern, node in _certain_places(self.document, self.document, "", ())
        )

    def fits(self, value: Any, way: Mapping[str, Any] | bool) -> bool:
        """Whether *value* fits one way of several."""
        if isinstance(way, bool) or not way:
            return way is not False
        known = self._ways.get(id(way))
        if known is None:
            beside = {key: self.document[key] for key in ("$defs",) if key in self.document}
            try:
                known = Schema.compile({**way, **beside})
            except InputError:  # it says nothing that can be told apart: the class decides
                known = _ANYTHING
            self._ways[id(way)] = known
        return known.is_valid(value)


class MarkedTexts:
    """The question of a marker, asked of one text after another."""

    def __init__(self, shown: tuple[Shown, ...], label_sets: Mapping[str, LabelSet]) -> None:
        self._walk = _Walk(MarkedPlaces(document={}, label_sets=label_sets), shown)

    def holds(self, keyword: str, text: str, named: Any) -> bool:
        """Whether *text* is what the marker *keyword* with *named* asks for."""
        found = self._walk.text(text, {keyword: named}, "")
        return not any(isinstance(each, Finding) for each in found)


class _Walk:
    """One output and the schema, side by side."""

    def __init__(self, rule: MarkedPlaces, shown: tuple[Shown, ...]) -> None:
        self.rule = rule
        self.shown = shown
        self.locators: dict[tuple[str, ...], Locator] = {}
        self.known: dict[tuple[tuple[str, ...], str], Location | None] = {}

    def visit(self, value: Any, node: Any, at: str) -> Iterator[_Found]:
        """What the markers in *node* say of *value*, which stands at the pointer *at*."""
        if not isinstance(node, Mapping):
            return
        if isinstance(node.get("$ref"), str):
            yield from self.visit(value, referred(self.rule.document, node["$ref"]), at)
        for part in node.get("allOf", ()):
            yield from self.visit(value, part, at)
        for key in _WAYS:
            if key in node:
                yield from self._best_way(value, node[key], at)
        if isinstance(value, str):
            yield from self.text(value, node, at)
        elif isinstance(value, dict):
            yield from self._object(value, node, at)
        elif isinstance(value, list):
            yield from self._array(value, node, at)

    def _best_way(self, value: Any, ways: list[Any], at: str) -> Iterator[_Found]:
        first: list[_Found] | None = None
        for way in ways:
            if not self.rule.fits(value, way):
                continue
            found = list(self.visit(value, way, at))
            if not any(isinstance(each, Finding) for each in found):
                first = found
                break
            first = found if first is None else first
        yield from first or ()

    def _object(self, value: dict[str, Any], node: Mapping[str, Any], at: str) -> Iterator[_Found]:
        named = node.get("properties", {})
        by_pattern = node.get("patternProperties", {}).values()
        for key, child in value.items():
            place = f"{at}/{escape(key)}"
            if "propertyNames" in node:
                yield from self.visit(key, node["propertyNames"], place)
            if key in named:
                yield from self.visit(child, named[key], place)
                continue
            for others in (*by_pattern, node.get("additionalProperties")):
                yield from self.visit(child, others, place)

    def _array(self, value: list[Any], node: Mapping[str, Any], at: str) -> Iterator[_Found]:
        first = node.get("prefixItems", ())
        for index, child in enumerate(value):
            inner = first[index] if index < len(first) else node.get("items")
            yield from self.visit(child, inner, f"{at}/{index}")
        yield from self._repeated(value, node.get("items"), at)

    def _repeated(self, value: list[Any], items: Any, at: str) -> Iterator[Finding]:
        """The same label twice in one list says nothing more than once."""
        name = self._listed_set(items)
        if name is None:
            return
        seen: set[str] = set()
        for index, label in enumerate(value):
            if isinstance(label, str) and label in seen:
                yield Finding(
                    code="label.duplicate",
                    path=f"{at}/{index}",
                    message=f"a label of {name!r} stands twice in one list",
                )
            if isinstance(label, str):
                seen.add(label)

    def _listed_set(self, items: Any) -> str | None:
        """The set that the items of a list are labels of, in some way to read them."""
        for part in parts_of(self.rule.document, items):
            if not isinstance(part, Mapping):
                continue
            if LABELS in part:
                return str(part[LABELS])
            for way in (way for key in _WAYS for way in part.get(key, ())):
                name = self._listed_set(way)
                if name is not None:
                    return name
        return None

    def text(self, value: str, node: Mapping[str, Any], at: str) -> Iterator[_Found]:
        """What the markers of *node* itself say of a text."""
        if QUOTE in node:
            yield self._quote(value, tuple(node[QUOTE]), at)
        if LABELS in node:
            yield from self._label(value, str(node[LABELS]), at)

    def judge_at(self, node: Mapping[str, Any]) -> Callable[[Any, str], tuple[str, str] | None]:
        """What *node* says against a value that stands where it speaks of; None for nothing."""

        def judge(value: Any, written: str) -> tuple[str, str] | None:  # noqa: ARG001
            if not isinstance(value, str):
                return None  # the schema says what it should be
            found = (each for each in self.text(value, node, "") if isinstance(each, Finding))
            first = next(found, None)
            return None if first is None else (first.code, first.message)

        return judge

    def _label(self, value: str, name: str, at: str) -> Iterator[Finding]:
        labels = self.rule.label_sets.get(name)
        if labels is None:  # a set that nobody gave has no labels
            labels = LabelSet(name=name, labels={})
        if value not in labels.labels:
            message = LabelRule(pattern=_HERE, set=labels).describe_mismatch(value)
            yield Finding(code="label.unknown", path=at, message=message)

    def _quote(self, value: str, sources: tuple[str, ...], at: str) -> _Found:
        if not is_evidence(value):
            message = "has too little text to be evidence"
            return Finding(code="evidence.missing", path=at, message=message)
        if (sources, value) not in self.known:  # a reply may say the same a thousand times
            self.known[sources, value] = self._locator(sources).place(value)
        location = self.known[sources, value]
        if location is not None:
            return LocatedAt(at, *location)
        where = " or ".join(map(repr, sources)) or "any source that was shown"
        return Finding(
            code="evidence.not_found",
            path=at,
            message=f"does not stand in what was shown of {where}"
            if sources
            else "stands in no source that was shown",
        )

    def _locator(self, sources: tuple[str, ...]) -> Locator:
        """Where to look: in the named sources alone."""
        if sources not in self.locators:
            self.locators[sources] = Locator(
                tuple(view for view in self.shown if not sources or view.name in sources)
            )
        return self.locators[sources]


def _certain_places(
    document: Mapping[str, Any], node: Any, at: str, above: tuple[str, ...]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Pattern and node of each marked place that the schema describes in one way only."""
    while isinstance(node, Mapping) and isinstance(node.get("$ref"), str):
        if node["$ref"] in above:
            return
        above = (*above, node["$ref"])
        if QUOTE in node or LABELS in node:
            yield at, node
        node = referred(document, node["$ref"])
    if not isinstance(node, Mapping) or any(key in node for key in (*_WAYS, "allOf")):
        return
    if QUOTE in node or LABELS in node:
        yield at, node
    for name, child in node.get("properties", {}).items():
        yield from _certain_places(document, child, f"{at}/{escape(name)}", above)
    if "prefixItems" not in node:
        yield from _certain_places(document, node.get("items"), f"{at}/*", above)


_ANYTHING: Final = Schema.compile({})
_HERE: Final = PointerPattern.compile("")


def is_marked(document: Any, keyword: str) -> bool:
    """Whether a marker of one *keyword* stands anywhere in a schema document."""
    if isinstance(document, list):
        return any(is_marked(each, keyword) for each in document)
    if not isinstance(document, Mapping):
        return False
    return keyword in document or any(is_marked(each, keyword) for each in document.values())


def tell_markers(document: Any, label_sets: Mapping[str, LabelSet]) -> Any:
    """The schema as a model is told it: labels listed, quotes and formats in plain words.

    Whatever fits the schema, and has known labels where labels stand, fits it.
    """
    if isinstance(document, list):
        return [tell_markers(each, label_sets) for each in document]
    if not isinstance(document, Mapping):
        return document
    told = {
        key: tell_markers(each, label_sets)
        for key, each in document.items()
        if key not in (QUOTE, LABELS, FORMAT)
    }
    words = [told["description"]] if isinstance(told.get("description"), str) else []
    if isinstance(document.get(FORMAT), str):
        told["format"] = document[FORMAT]
    if isinstance(document.get(QUOTE), list):
        where = " or ".join(document[QUOTE]) or "the text"
        words.append(f"Copied character for character from {where}.")
    labels = label_sets.get(str(document.get(LABELS)))
    if LABELS in document and labels is not None:
        told = _list_labels(told, list(labels.labels))
        words += [f"{label}: {text}" for label, text in labels.labels.items() if text]
    if words and any(key in document for key in (QUOTE, LABELS)):
        told["description"] = "\n".join(words)
    return told


def _list_labels(told: dict[str, Any], labels: list[str]) -> dict[str, Any]:
    """Where a text may stand, one of *labels*; what else the schema allows stays."""
    if told.get("type") == "string":
        return {**told, "enum": labels}
    for key in _WAYS:
        if key in told:
            ways = [
                _list_labels(way, labels) if isinstance(way, dict) else way for way in told[key]
            ]
            return {**told, key: ways}
    return told


def unreached_marker(document: Mapping[str, Any]) -> bool:
    """Whether a marker stands where no walk over an output gets to: in a text that is JSON, say."""
    reached: set[int] = set()
    waiting: list[Any] = [document]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Mapping) or id(node) in reached:
            continue
        reached.add(id(node))
        if isinstance(node.get("$ref"), str):
            waiting.append(referred(document, node["$ref"]))
        waiting += [node.get("additionalProperties"), node.get("items"), node.get("propertyNames")]
        for key in (*_WAYS, "allOf", "prefixItems"):
            waiting += node.get(key, ())
        for key in ("properties", "patternProperties"):
            waiting += node.get(key, {}).values()
    return any(
        id(node) not in reached and (QUOTE in node or LABELS in node)
        for node in schema_nodes(document)
    )


def broken_default(document: Mapping[str, Any], label_sets: Mapping[str, LabelSet]) -> str | None:
    """The code of what a marker says against a default that the schema gives; None for nothing.

    A quote that stands there by default stands in no source; an empty text says that there is none.
    """
    rule = MarkedPlaces(document=document, label_sets=label_sets)
    for node in schema_nodes(document):
        if "default" not in node:
            continue
        for found in _Walk(rule, ()).visit(node["default"], node, ""):
            if isinstance(found, Finding) and found.code != "evidence.missing":
                return found.code
    return None


def quoted_sources(document: Any) -> list[tuple[str, ...]]:
    """What each marker of a quote names, anywhere in a schema document."""
    return [tuple(node[QUOTE]) for node in schema_nodes(document) if QUOTE in node]


def schema_nodes(node: Any) -> Iterator[Mapping[str, Any]]:
    """Every object of a schema document, at whatever depth; values of defaults are none."""
    if isinstance(node, list):
        for each in node:
            yield from schema_nodes(each)
    elif isinstance(node, Mapping):
        yield node
        for key, each in node.items():
            if key not in ("default", "examples", "const", "enum") or "type" not in node:
                yield from schema_nodes(each)


def marked_names(document: Any, keyword: str) -> frozenset[str]:
    """Every name that markers of one *keyword* carry, anywhere in a schema document."""
    if isinstance(document, list):
        return frozenset().union(*(marked_names(each, keyword) for each in document))
    if not isinstance(document, Mapping):
        return frozenset()
    own = document.get(keyword)
    names = frozenset([own] if isinstance(own, str) else own if isinstance(own, list) else ())
    return names.union(*(marked_names(each, keyword) for each in document.values()))
