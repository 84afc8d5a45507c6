"""Close an output schema: everything that could run on for ever gets an end.

In      a contract's JSON Schema; which places are labels and quotes
Out     the same schema without references, with labels as `enum`, arrays and strings capped
Pure    yes
Spec    000 H2, H3

What fits the closed schema fits the open one. The open one stays what the gate judges by.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from assay.core.json.pointer import escape
from assay.core.json.schema_parts import referred

MOST_ITEMS: Final = 5
"""Cap of an array that neither the schema nor a label set limits."""

MOST_QUOTES: Final = 2
"""Cap of an array of quotes."""

MOST_CHARS: Final = 200
"""Cap of a free string that the schema does not limit."""

_DEEPEST: Final = 24
"""Levels that are followed; the gate allows 64, no contract needs as many."""

_WAYS: Final = ("anyOf", "oneOf")
_DROPPED: Final = frozenset({"$defs", "definitions", "$schema", "$id", "$comment", "$ref"})


def inline_references(document: Mapping[str, Any] | bool) -> dict[str, Any]:
    """*document* with every local `$ref` replaced by what it points to.

    Where a reference leads back into itself, the branch ends: arrays stay empty, optional
    properties are left out, and of several ways the endless one is gone.
    """
    return _inline_node(document, document, (), 0) or {}


def places(schema: Mapping[str, Any], at: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every place that an inlined schema names, as a pointer pattern, with its schema.

    A place that several ways describe comes once for each.
    """
    yield at, schema
    for name, child in schema.get("properties", {}).items():
        yield from places(child, f"{at}/{escape(name)}")
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), Mapping):
            yield from places(schema[key], f"{at}/*")
    for index, child in enumerate(schema.get("prefixItems", ())):
        yield from places(child, f"{at}/{index}")
    for key in _WAYS:
        for way in schema.get(key, ()):
            yield from places(way, at)


def close_schema(
    schema: Mapping[str, Any],
    *,
    labels: Mapping[str, Mapping[str, str]],
    quotes: Collection[str],
    evidenced: Collection[str] = (),
    at: str = "",
) -> dict[str, Any]:
    """Cap every array and string of an inlined schema and close its labels.

    Args:
        labels: Place of a label -> the labels that exist.
        quotes: Places of strings that must quote a source.
        evidenced: Places that need at least one quote at or under them.
    """

    def close_child(child: Mapping[str, Any], place: str) -> dict[str, Any]:
        return close_schema(child, labels=labels, quotes=quotes, evidenced=evidenced, at=place)

    result = dict(schema)
    if at in labels and _may_be_text(schema):
        allowed = schema.get("enum", list(labels[at]))
        result["enum"] = [label for label in labels[at] if label in allowed]
    if "properties" in schema:
        result["properties"] = {
            name: close_child(child, f"{at}/{escape(name)}")
            for name, child in schema["properties"].items()
        }
    if isinstance(schema.get("additionalProperties"), Mapping):
        result["additionalProperties"] = close_child(schema["additionalProperties"], f"{at}/*")
    if "prefixItems" in schema:
        result["prefixItems"] = [
            close_child(child, f"{at}/{index}") for index, child in enumerate(schema["prefixItems"])
        ]
    for key in _WAYS:
        if key in schema:
            result[key] = [close_child(way, at) for way in schema[key]]
    if isinstance(schema.get("items"), Mapping) or schema.get("type") == "array":
        inside = f"{at}/*"
        result["maxItems"] = _most_items(schema, inside, labels, quotes)
        if inside in quotes and any(lies_in(at, place) for place in evidenced):
            result["minItems"] = max(1, schema.get("minItems", 0))
        result["items"] = close_child(schema.get("items", {}), inside)
    if schema.get("type") == "string" and not {"enum", "const"} & result.keys():
        least = schema.get("minLength", 0)
        result["maxLength"] = schema.get("maxLength", max(MOST_CHARS, least))
    return result


def lies_in(place: str, outer: str) -> bool:
    """Is *place* the same as *outer* or within it?"""
    return place == outer or place.startswith(f"{outer}/")


def covers(pattern: str, place: str) -> bool:
    """Does the pointer pattern *pattern* (with `*` and `**`) reach *place*?"""
    return _reaches(pattern.split("/")[1:], place.split("/")[1:])


def is_share(schema: Mapping[str, Any]) -> bool:
    """A number from 0 to 1, as confidences are declared."""
    return (
        schema.get("type") == "number" and schema.get("minimum") == 0 and schema.get("maximum") == 1
    )


def _reaches(pattern: list[str], place: list[str]) -> bool:
    if not pattern:
        return not place
    if pattern[0] == "**":
        return any(_reaches(pattern[1:], place[skip:]) for skip in range(len(place) + 1))
    return bool(place) and pattern[0] in {"*", place[0]} and _reaches(pattern[1:], place[1:])


def _most_items(
    schema: Mapping[str, Any],
    inside: str,
    labels: Mapping[str, Mapping[str, str]],
    quotes: Collection[str],
) -> int:
    if inside in quotes:
        cap = MOST_QUOTES
    else:
        sizes = [len(found) for place, found in labels.items() if lies_in(place, inside)]
        cap = max(sizes, default=MOST_ITEMS)
    return max(min(cap, int(schema.get("maxItems", cap))), int(schema.get("minItems", 0)))


def _may_be_text(schema: Mapping[str, Any]) -> bool:
    kind = schema.get("type", "string")
    return "const" not in schema and (kind == "string" or "string" in kind)


def _inline_node(node: Any, root: Any, above: tuple[str, ...], depth: int) -> dict[str, Any] | None:
    """None where a reference leads back into itself, or too deep."""
    if depth > _DEEPEST:
        return None
    if not isinstance(node, Mapping):  # `true`, or `false`, which nothing fits
        return {}
    reference = node.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        if reference in above:
            return None
        target = _inline_node(referred(root, reference), root, (*above, reference), depth + 1)
        if target is None:
            return None
        beside = _inline_node(
            {k: v for k, v in node.items() if k != "$ref"}, root, above, depth + 1
        )
        return _merge_schemas(target, beside or {})
    result = {key: value for key, value in node.items() if key not in _DROPPED}
    if isinstance(node.get("properties"), Mapping):
        inner = {
            str(name): _inline_node(child, root, above, depth + 1)
            for name, child in node["properties"].items()
        }
        result["properties"] = {name: child for name, child in inner.items() if child is not None}
    for key in ("items", "additionalProperties"):
        if isinstance(node.get(key), Mapping):
            child = _inline_node(node[key], root, above, depth + 1)
            result[key] = False if child is None else child
            if child is None and key == "items":
                result["items"], result["maxItems"] = {}, 0
    for key in ("prefixItems", *_WAYS, "allOf"):
        if isinstance(node.get(key), list):
            several = [_inline_node(child, root, above, depth + 1) for child in node[key]]
            result[key] = [child for child in several if child is not None]
            if key in _WAYS and several and not result[key]:
                return None
    for part in result.pop("allOf", ()):
        result = _merge_schemas(result, part)
    return result


def _merge_schemas(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Both schemas at once, as far as that can be said in one."""
    result = {**one, **other}
    if "properties" in one and "properties" in other:
        shared = one["properties"].keys() & other["properties"].keys()
        result["properties"] = {
            **one["properties"],
            **other["properties"],
            **{
                key: _merge_schemas(one["properties"][key], other["properties"][key])
                for key in shared
            },
        }
    if "required" in one and "required" in other:
        result["required"] = list(dict.fromkeys([*one["required"], *other["required"]]))
    if "enum" in one and "enum" in other:
        result["enum"] = [value for value in one["enum"] if value in other["enum"]]
    for key, choose in (("minimum", max), ("maximum", min), ("maxLength", min), ("minLength", max)):
        if key in one and key in other:
            result[key] = choose(one[key], other[key])
    return result
