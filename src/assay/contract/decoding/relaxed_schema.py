"""Say of an output schema what every reader of JSON Schema understands alike, and no more.

In      a compiled schema, the places of closed labels
Out     Relaxed: one schema without references, in draft 2020-12; what it no longer asks
Pure    yes
Spec    interfaces.md, "Models"; 000 H2, H3

Whatever fits the schema, and has known labels where labels stand, fits the relaxed one. So each
step leaves something out or names labels, and nothing else: what a server might read otherwise
(`not`, `if`, names by pattern, formats it checks in its own way) is left to the gate.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from assay.contract.decoding.bounded_schema import covers
from assay.core.json.canonical import canonical
from assay.core.json.pointer import escape
from assay.core.json.schema import Schema
from assay.core.json.schema_drafts import KEYWORDS
from assay.core.json.schema_graph import Node, SchemaGraph
from assay.errors import InputError
from assay.gate.labels import LabelRule

_DEEPEST: Final = 40
_MOST_NODES: Final = 4000
"""References that double at each step end here; what lies beyond is left open."""

_MOST_DESCRIBED: Final = 500
_NUMBERS: Final = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)
_COUNTS: Final = frozenset(
    {"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"}
)
_LEAST: Final = ("minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum")
_MOST: Final = ("maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum")
_EXACT: Final = (1 << 53) - 1
_FORMATS: Final = frozenset({"date", "ipv4", "uuid"})
"""Formats of which no server takes less than the gate: `date-time` has leap seconds, small letters
and fractions of any length."""

# Anchored at both ends and read alike by every engine: some take each pattern for anchored, and
# differ over `.`, `\s`, `\w` and what is not ASCII.
_PATTERN: Final = re.compile(
    r"\^(?:[A-Za-z0-9 _:,;#%&=@/<>~!-]|\\[-./d]|\[(?:[A-Za-z0-9](?:-[A-Za-z0-9])?|[ _.,:/])+\]"
    r"|[+*?](?![+?])|\{[0-9]{1,3}(?:,(?:[0-9]{1,3})?)?\}(?![+?]))*\$"
)

_WAYS: Final = ("anyOf", "oneOf")
_PLAIN: Final = frozenset(
    {"type", "enum", "const", "required", "uniqueItems", "pattern", "format", "description"}
)
_READ: Final = frozenset(
    {*_PLAIN, *_NUMBERS, *_COUNTS, *_WAYS, "properties", "additionalProperties"}
    | {"items", "prefixItems", "allOf", "$ref"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Relaxed:
    """What a reader that takes a schema at its word may hold a reply to."""

    document: Mapping[str, Any]
    """JSON Schema, draft 2020-12, an object at its root."""

    dropped: tuple[str, ...]
    """Keywords of the contract's schema that it does not say, or says more loosely; sorted."""


def relax_schema(schema: Schema, labels: Sequence[LabelRule]) -> Relaxed:
    """Relax *schema*, and close the places that *labels* name for sure."""
    work = _Relaxation(schema.graph, tuple(labels), formats=schema.asserts_formats)
    graph = schema.graph
    document: dict[str, Any] = {}
    if schema.reads_plainly:
        document = work.relax(graph.root, "", ())
    else:  # a dialect of its own may take any keyword for a remark
        work.dropped.add("$schema")
    document = _make_explicit({**document, "type": "object"})
    return Relaxed(document=document, dropped=tuple(sorted(work.dropped)))


@dataclass(slots=True)
class _Relaxation:
    graph: SchemaGraph
    labels: tuple[LabelRule, ...]
    formats: bool
    dropped: set[str] = field(default_factory=set)
    count: int = 0

    def relax(self, node: Node, at: str, above: tuple[Node, ...]) -> dict[str, Any]:
        """The schema at *node* for values at the place *at*; `{}` for what is left open."""
        contents = self.graph.contents(node)
        if not isinstance(contents, Mapping):  # `true`, or `false`, which nothing fits
            return {}
        self.count += 1
        if node in above or len(above) > _DEEPEST or self.count > _MOST_NODES:
            self.dropped.add("$ref")
            return {}
        above = (*above, node)
        draft = self.graph.draft(node)
        parts: list[dict[str, Any]] = []
        if isinstance(contents.get("$ref"), str):
            target = self.graph.reference(node)
            if target is None:
                self.dropped.add("$ref")
            else:
                parts.append(self.relax(target, at, above))
        if not (parts or "$ref" in contents) or not draft.is_ref_alone:
            parts.insert(0, self._own(node, contents, at, above))
            parts += self._in_place(node, at, above)
        result: dict[str, Any] = {}
        for part in parts:
            shared = result.keys() & part.keys() & _SAID_ONCE
            self.dropped |= {key for key in shared if result[key] != part[key]}
            result = merge_schemas(result, part)
        return self._close(result, at)

    def _own(
        self, node: Node, contents: Mapping[str, Any], at: str, above: tuple[Node, ...]
    ) -> dict[str, Any]:
        """What *contents* says of a value without looking at other schemas for it."""
        draft = self.graph.draft(node).number
        result: dict[str, Any] = {}
        for key, value in contents.items():
            if key in KEYWORDS and key not in _READ:
                self.dropped.add(key)
            elif key == "const" and value is None and draft >= 6:
                result.setdefault("enum", [None])
            elif key in _NUMBERS | _COUNTS or key in _PLAIN:
                said = None if key == "const" and draft < 6 else self._plain_value(key, value)
                if said is None:
                    self.dropped |= {key} & KEYWORDS
                else:
                    result[key] = said
        return result | self._inner(node, contents, at, above)

    def _plain_value(self, key: str, value: Any) -> Any:
        """The value of a keyword that holds no schema, as it is sent; None where it is not."""
        if key in _NUMBERS:
            return value if type(value) in (int, float) and abs(value) <= _EXACT else None
        if key in _COUNTS:
            return int(value) if type(value) in (int, float) and value <= _EXACT else None
        if key == "pattern":
            return value if isinstance(value, str) and _PATTERN.fullmatch(value) else None
        if key == "format":
            return value if self.formats and value in _FORMATS else None
        if key == "description":
            short = isinstance(value, str) and len(value) <= _MOST_DESCRIBED
            return value if short else None
        if key == "uniqueItems":
            return value or None
        try:
            canonical(value)
        except InputError:  # integers beyond 2^53, which the record cannot write exactly
            return None
        return value

    def _inner(
        self, node: Node, contents: Mapping[str, Any], at: str, above: tuple[Node, ...]
    ) -> dict[str, Any]:
        """What is said of the properties of an object and of the items of an array."""
        result: dict[str, Any] = {}
        prefix: list[dict[str, Any]] = []
        for keyword, steps, child in self.graph.children(node):
            open_ = self.graph.contents(child) is True
            if keyword == "properties":
                name = str(steps[-1])
                result.setdefault("properties", {})[name] = self.relax(
                    child, f"{at}/{escape(name)}", above
                )
            elif keyword == "additionalProperties":
                if "patternProperties" in contents:
                    self.dropped.add(keyword)
                elif self.graph.contents(child) is False:
                    result[keyword] = False
                elif not open_:
                    result[keyword] = self.relax(child, f"{at}/*", above)
            elif keyword == "prefixItems" or (keyword == "items" and len(steps) > 1):
                prefix.append(self.relax(child, f"{at}/{steps[-1]}", above))
            elif keyword == "items" and not open_:
                if self.graph.contents(child) is False:
                    self.dropped.add(keyword)
                else:
                    result[keyword] = self.relax(child, f"{at}/*", above)
        if prefix:  # who does not know `prefixItems` would put `items` to all of them
            if result.pop("items", None) is not None:
                self.dropped.add("items")
            result["prefixItems"] = prefix
        if isinstance(contents.get("properties"), Mapping):
            result.setdefault("properties", {})
        return result

    def _in_place(self, node: Node, at: str, above: tuple[Node, ...]) -> Iterator[dict[str, Any]]:
        """What other schemas say of the same value."""
        ways: dict[str, list[dict[str, Any]]] = {}
        for keyword, _, child in self.graph.children(node):
            if keyword == "allOf":
                yield self.relax(child, at, above)
            elif keyword in _WAYS and self.graph.contents(child) is not False:
                ways.setdefault(keyword, []).append(self.relax(child, at, above))
        for keyword, found in ways.items():
            if keyword == "oneOf" or not all(found):
                self.dropped.add(keyword)  # what is relaxed may fit more ways than one
            if all(found):
                yield found[0] if len(found) == 1 else {"anyOf": found}

    def _close(self, schema: dict[str, Any], at: str) -> dict[str, Any]:
        """Name the labels that may stand at *at*, where rules name that place whatever comes."""
        rules = [rule for rule in self.labels if at and covers(rule.pattern.text, at)]
        if not rules or "const" in schema or not _may_be_text(schema):
            return schema
        allowed = [
            label
            for label in rules[0].set.labels
            if all(label in rule.set.labels for rule in rules)
        ]
        said = _strings_of(schema)
        named = [label for label in allowed if said is None or label in said]
        if not named:
            return schema
        described = {key: schema[key] for key in ("description",) if key in schema}
        return {**described, "type": "string", "enum": named}


_SAID_ONCE: Final = frozenset({"anyOf", "const", "prefixItems", "pattern", "format", "multipleOf"})
"""Keywords of which a schema can say only one."""


def merge_schemas(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Nothing but what both ask; where one schema cannot say both, what *one* asks."""
    result: dict[str, Any] = {**other, **one}
    for key in one.keys() & other.keys():
        mine, theirs = one[key], other[key]
        if key in _LEAST:
            result[key] = max(mine, theirs)
        elif key in _MOST:
            result[key] = min(mine, theirs)
        elif key == "required":
            result[key] = list(dict.fromkeys([*mine, *theirs]))
        elif key == "type":
            result[key] = _common_types(mine, theirs)
        elif key == "enum":
            known = {canonical(value) for value in theirs}
            result[key] = [value for value in mine if canonical(value) in known] or mine
        elif key == "properties":
            result[key] = {**mine, **theirs} | {
                name: merge_schemas(mine[name], theirs[name]) for name in mine.keys() & theirs
            }
        elif key in ("items", "additionalProperties"):
            whole = mine is not False and theirs is not False
            result[key] = merge_schemas(mine, theirs) if whole else False
    return result


def _common_types(one: str | list[str], other: str | list[str]) -> str | list[str]:
    theirs = listed_types(other)
    both: list[str] = []
    for kind in listed_types(one):
        if kind in theirs or (kind == "integer" and "number" in theirs):
            both.append(kind)
        elif kind == "number" and "integer" in theirs:
            both.append("integer")
    return both[0] if len(both) == 1 else both or one


def listed_types(kinds: str | list[str]) -> list[str]:
    """The types of a `type`, which may be one."""
    return [kinds] if isinstance(kinds, str) else kinds


def _may_be_text(schema: Mapping[str, Any]) -> bool:
    return "string" in listed_types(schema.get("type", "string"))


def _strings_of(schema: Mapping[str, Any]) -> Collection[str] | None:
    """The strings that an enumeration, of whichever way, allows; None when any is."""
    if "enum" in schema:
        return [value for value in schema["enum"] if isinstance(value, str)]
    if "anyOf" not in schema:
        return None
    found: list[str] = []
    for way in filter(_may_be_text, schema["anyOf"]):
        if "const" in way:
            found += [way["const"]] if isinstance(way["const"], str) else []
            continue
        strings = _strings_of(way)
        if strings is None:
            return None
        found += strings
    return found


_NAMES: Final[Mapping[type, str]] = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    type(None): "null",
    list: "array",
    dict: "object",
}


def _make_explicit(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Say what servers fill in differently: that an object is open, of what type a value is."""
    result = dict(schema)
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if values and "type" not in schema:
        kinds = list(dict.fromkeys(_NAMES.get(type(value), "") for value in values))
        if "" not in kinds:
            result["type"] = kinds[0] if len(kinds) == 1 else kinds
    if "properties" in schema:
        result["properties"] = {
            name: _make_explicit(child) for name, child in schema["properties"].items()
        }
    if "properties" in schema or "object" in listed_types(schema.get("type", [])):
        result.setdefault("additionalProperties", True)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), Mapping):
            result[key] = _make_explicit(schema[key])
    for key in ("anyOf", "prefixItems"):
        if key in schema:
            result[key] = [_make_explicit(child) for child in schema[key]]
    return result
