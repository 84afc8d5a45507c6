"""A contract as the form that a person fills: what stands where, and what may stand there.

In      a contract: its JSON Schema, label sets, evidence
Out     a tree of fields as JSON for the page's script
Pure    yes
Spec    009-D5

What the form has no field for (several ways to read a value, keys that no schema names) becomes a
field for JSON. The form decides nothing: the gate judges what is handed in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from assay.contract.contract import Contract
from assay.core.json.pointer import escape
from assay.core.json.schema_parts import referred
from assay.gate.labels import LabelSet
from assay.gate.marked import LABELS, QUOTE

Node = dict[str, Any]

_DEEPEST: Final = 12
_MOST_FIELDS: Final = 400
_MOST_PLACES: Final = 2_000
"""A schema may refer to itself."""

_JSON: Final = "json"
_SIMPLE: Final = frozenset({"number", "integer", "boolean", "null"})


def form_of(contract: Contract[Any]) -> Node:
    """The fields of *contract*'s output, from its root.

    A node has `kind` (`object`, `array`, `label`, `choice`, `quote`, `text`, `number`, `integer`,
    `boolean`, `null`, `json`) and what belongs to it.
    """
    return _Fields(contract).node(contract.schema.document, "", 0)


def colours_of(contract: Contract[Any]) -> Mapping[str, int]:
    """A number for the colour of each label set of *contract*, in the order of its labels."""
    names = dict.fromkeys(rule.set.name for rule in contract.labels)
    names |= dict.fromkeys(contract.label_sets)
    return {name: index % 6 for index, name in enumerate(names)}


class _Fields:
    def __init__(self, contract: Contract[Any]) -> None:
        self._document = contract.schema.document
        self._contract = contract
        self._colours = colours_of(contract)
        self._left = _MOST_FIELDS
        sample = _Sample(self._document).value(self._document)
        self._labels = {
            pointer: rule.set
            for rule in contract.labels
            for pointer, _, _ in rule.pattern.places(sample)
        }
        evidence = contract.evidence
        self._quotes = (
            set()
            if evidence is None
            else {pointer for pointer, _, _ in evidence.snippets.places(sample)}
        )
        self._exact = {
            pointer for pattern in contract.scores for pointer, _, _ in pattern.places(sample)
        }

    def node(self, schema: Any, at: str, depth: int) -> Node:
        self._left -= 1
        nullable, schema = _single_way(self._document, schema)
        if schema is None or depth > _DEEPEST or self._left < 0:
            return {"kind": _JSON}
        found = self._node(schema, at, depth)
        if found["kind"] != _JSON:
            if nullable:
                found["nullable"] = True
            for key in ("title", "description"):
                if isinstance(schema.get(key), str):
                    found[key] = schema[key]
        return found

    def _node(self, schema: Mapping[str, Any], at: str, depth: int) -> Node:
        kind = schema.get("type")
        marked = self._contract.label_sets.get(str(schema.get(LABELS)))
        labels = self._labels.get(at) or marked
        if labels is not None and kind in ("string", None):
            return self._label(labels)
        options = [schema["const"]] if "const" in schema else schema.get("enum")
        if isinstance(options, list) and all(isinstance(each, str) for each in options):
            return {"kind": "choice", "options": options}
        if options is not None:
            return {"kind": _JSON}
        if kind == "string":
            quote = at in self._quotes or QUOTE in schema
            return {"kind": "quote" if quote else "text", "max": schema.get("maxLength")}
        if kind == "object":
            return self._object(schema, at, depth)
        if kind == "array" and isinstance(schema.get("items"), Mapping):
            if "prefixItems" in schema:
                return {"kind": _JSON}
            return {
                "kind": "array",
                "item": self.node(schema["items"], f"{at}/0", depth + 1),
                "max": schema.get("maxItems"),
            }
        if kind in _SIMPLE:
            places = 2 if at in self._exact else None
            return {"kind": kind, "places": places} | {
                name: schema[key] for key, name in (("minimum", "min"), ("maximum", "max"))
                if key in schema
            }  # fmt: skip
        return {"kind": _JSON}

    def _object(self, schema: Mapping[str, Any], at: str, depth: int) -> Node:
        named = schema.get("properties")
        if not named or "patternProperties" in schema:
            return {"kind": _JSON}
        required = schema.get("required", ())
        return {
            "kind": "object",
            "fields": [
                {
                    "key": key,
                    "required": key in required,
                    "node": self.node(child, f"{at}/{escape(key)}", depth + 1),
                }
                for key, child in named.items()
            ],
        }

    def _label(self, labels: LabelSet) -> Node:
        return {
            "kind": "label",
            "set": labels.name,
            "colour": self._colours.get(labels.name, 0),
            "labels": [[label, text] for label, text in labels.labels.items()],
        }


def _single_way(document: Any, schema: Any) -> tuple[bool, Mapping[str, Any] | None]:
    """The one way to read a value beside null; None where there are several."""
    nullable = False
    for _ in range(_DEEPEST):
        if not isinstance(schema, Mapping):
            return nullable, None
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        if isinstance(schema.get("$ref"), str):
            target = referred(document, schema["$ref"])
            if not isinstance(target, Mapping):
                return nullable, None
            schema = {**target, **beside}
            continue
        if any(key in schema for key in ("allOf", "if", "not", "dependentSchemas")):
            return nullable, None
        ways = schema.get("anyOf") or schema.get("oneOf")
        if ways:
            others = [way for way in ways if way != {"type": "null"}]
            if len(others) != 1 or not isinstance(others[0], Mapping):
                return nullable, None
            nullable = nullable or len(others) < len(ways)
            rest = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf")}
            schema = {**rest, **others[0]}
            continue
        kinds = schema.get("type")
        if isinstance(kinds, list):
            others = [kind for kind in kinds if kind != "null"]
            if len(others) != 1:
                return nullable, None
            return nullable or len(others) < len(kinds), {**schema, "type": others[0]}
        return nullable, schema
    return nullable, None


class _Sample:
    """A value with every place that a schema names, each array with one item."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._left = _MOST_PLACES

    def value(self, schema: Any, depth: int = 0) -> Any:
        self._left -= 1
        _, schema = _single_way(self._document, schema)
        if schema is None or depth > _DEEPEST or self._left < 0:
            return ""
        if schema.get("properties"):
            return {
                key: self.value(child, depth + 1) for key, child in schema["properties"].items()
            }
        if isinstance(schema.get("items"), Mapping):
            return [self.value(schema["items"], depth + 1)]
        return ""
