"""Reduce a schema to the part of JSON Schema that a provider's constrained decoding takes.

In      a relaxed schema (`relaxed_schema`)
Out     Reduced, or None where the subset would forbid what the schema allows
Pure    yes
Spec    interfaces.md, "Models" (strict where the schema fits its subset)

Leaving a bound out lets a model write more, which the gate then judges. What cannot be left out
without forbidding something gives up the whole: an object that is open, a property that may be
absent where all are required, a place of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from assay.contract.decoding.relaxed_schema import listed_types


@dataclass(frozen=True, slots=True, kw_only=True)
class Subset:
    """What a provider's constrained decoding takes, by its documentation."""

    keywords: frozenset[str]
    """Bounds that it holds a model to."""

    all_required: bool
    """Every property that is named must be there."""

    most_items_demanded: int
    """Highest `minItems`."""

    deepest: int
    most_properties: int
    most_optional: int
    most_unions: int
    most_values: int
    """Of all enumerations together."""

    most_chars: int
    """Of names and enumerated values together."""

    many_values: int
    """An enumeration of more values than this is bounded in code points, too."""

    many_values_chars: int


OPENAI: Final = Subset(
    keywords=frozenset(
        {"pattern", "format", "multipleOf", "minimum", "maximum", "minItems", "maxItems"}
        | {"exclusiveMinimum", "exclusiveMaximum"}
    ),
    all_required=True,
    most_items_demanded=1 << 31,
    deepest=10,
    most_properties=5000,
    most_optional=0,
    most_unions=5000,
    most_values=1000,
    most_chars=120_000,
    many_values=250,
    many_values_chars=15_000,
)
ANTHROPIC: Final = Subset(
    keywords=frozenset({"format", "minItems"}),
    all_required=False,
    most_items_demanded=1,
    deepest=20,
    most_properties=1000,
    most_optional=24,
    most_unions=16,
    most_values=1000,
    most_chars=120_000,
    many_values=250,
    many_values_chars=15_000,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduced:
    """A schema as one provider is told it."""

    document: Mapping[str, Any]
    dropped: tuple[str, ...]
    """Keywords that were left out; sorted."""


class _UnfitError(Exception):
    """The subset cannot say it without forbidding more."""


def reduce_schema(schema: Mapping[str, Any], subset: Subset) -> Reduced | None:
    """*schema* in *subset*; None where that would forbid what it allows, or is too large."""
    work = _Reduction(subset)
    try:
        document = work.reduce(schema, 1)
    except _UnfitError:
        return None
    return Reduced(document=document, dropped=tuple(sorted(work.dropped)))


@dataclass(slots=True)
class _Reduction:
    subset: Subset
    dropped: set[str] = field(default_factory=set)
    properties: int = 0
    optional: int = 0
    unions: int = 0
    values: int = 0
    chars: int = 0

    def reduce(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        if depth > self.subset.deepest:
            raise _UnfitError
        result: dict[str, Any] = {}
        if "description" in schema:
            result["description"] = schema["description"]
        if "anyOf" in schema and not _SHAPES & schema.keys():
            self.unions += 1
            self.dropped |= schema.keys() - {"anyOf", "description"}
            result["anyOf"] = [self.reduce(way, depth) for way in schema["anyOf"]]
        elif "enum" in schema or "const" in schema:
            result |= self._enumerated_parts(schema)
        else:
            result |= self._typed_parts(schema, depth)
        self._weigh()
        return result

    def _enumerated_parts(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        values = [schema["const"]] if "const" in schema else schema["enum"]
        if not values or not all(isinstance(value, _PRIMITIVE) for value in values):
            raise _UnfitError
        size = sum(len(value) for value in values if isinstance(value, str))
        if len(values) > self.subset.many_values and size > self.subset.many_values_chars:
            raise _UnfitError
        self.values += len(values)
        self.chars += size
        self.dropped |= schema.keys() - {"type", "enum", "const", "description"}
        kinds = listed_types(schema["type"])
        self.unions += len(kinds) > 1
        return {"type": schema["type"], "enum": list(values)}

    def _typed_parts(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        kinds = listed_types(schema.get("type", []))
        if not kinds or "prefixItems" in schema:
            raise _UnfitError
        self.unions += len(kinds) > 1
        result: dict[str, Any] = {"type": schema["type"]}
        if "object" in kinds:
            result |= self._object_parts(schema, depth)
        if "array" in kinds:
            if not schema.get("items"):
                raise _UnfitError
            result["items"] = self.reduce(schema["items"], depth + 1)
        for key, value in schema.items():
            if key in _STRUCTURE:
                continue
            if key in self.subset.keywords and not (
                key == "minItems" and value > self.subset.most_items_demanded
            ):
                result[key] = value
            else:
                self.dropped.add(key)
        return result

    def _object_parts(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        named = schema.get("properties", {})
        required = [name for name in schema.get("required", []) if name in named]
        absent = named.keys() - set(required)
        if schema.get("additionalProperties") is not False:
            raise _UnfitError
        if absent and self.subset.all_required:
            raise _UnfitError
        self.properties += len(named)
        self.optional += len(absent)
        self.chars += sum(map(len, named))
        return {
            "properties": {name: self.reduce(child, depth + 1) for name, child in named.items()},
            "required": list(named) if self.subset.all_required else required,
            "additionalProperties": False,
        }

    def _weigh(self) -> None:
        limits = self.subset
        if (
            self.properties > limits.most_properties
            or self.optional > limits.most_optional
            or self.unions > limits.most_unions
            or self.values > limits.most_values
            or self.chars > limits.most_chars
        ):
            raise _UnfitError


_PRIMITIVE: Final = (str, int, float, type(None))
_SHAPES: Final = frozenset({"type", "enum", "const", "properties", "items", "prefixItems"})
_STRUCTURE: Final = frozenset(
    {"type", "description", "properties", "required", "additionalProperties", "items"}
)
