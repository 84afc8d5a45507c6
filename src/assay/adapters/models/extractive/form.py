"""Write one JSON object that fits a schema, with what was read in the places that ask for it.

In      DecodingPlan, Reading
Out     the text of one JSON object; scores as `0.87`
Pure    yes
Spec    000 H1-H3, S1-S3; 003 "Score precision"

Any schema will do: an array whose items carry a label gets one item for each label (or for
each find, where the items also hold a value); an object that carries a label is filled from
that choice; everything else takes the smallest value that the schema allows.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.adapters.models.extractive.choice import Choice
from assay.adapters.models.extractive.labels import Reading
from assay.contract.decoding.plan import DecodingPlan, LabelSlot
from assay.core.json.pointer import escape


class _Number(str):
    """A number that is written as it stands."""

    __slots__ = ()


class Form:
    """Fills the schema of one plan."""

    def __init__(self, plan: DecodingPlan, reading: Reading, most: int) -> None:
        self._plan = plan
        self._reading = reading
        self._most = most
        """Longest array."""
        self._slots = {slot.pattern: slot for slot in plan.labels}
        self._listed: dict[str, list[Choice]] = {}
        self._quotes = frozenset(plan.quotes)
        self._scores = frozenset(plan.scores)

    def write(self) -> str:
        """The object as text."""
        return _write_json(self._fill(self._plan.schema, "", None))

    def _fill(self, schema: Mapping[str, Any], at: str, choice: Choice | None) -> Any:
        schema = self._resolve(schema)
        if at in self._plan.fixed:
            return self._plan.fixed[at]
        if at in self._slots:
            return self._label(self._slots[at], choice, schema)
        if "const" in schema:
            return schema["const"]
        if at in self._scores:
            return _score(0.5 if choice is None else choice.confidence, schema)
        if at in self._quotes:
            return self._quote(choice)
        if "enum" in schema:
            return schema["enum"][0]
        match _type(schema):
            case "object":
                return self._object(schema, at, choice)
            case "array":
                return self._array(schema, at, choice)
            case "string":
                return _text(schema, choice)
            case "integer" | "number" as kind:
                return _least(schema, whole=kind == "integer")
            case "boolean":
                return False
        return None

    def _object(self, schema: Mapping[str, Any], at: str, choice: Choice | None) -> dict[str, Any]:
        properties: Mapping[str, Any] = schema.get("properties", {})
        required = set(schema.get("required", ()))
        arrays_first = sorted(
            properties, key=lambda key: not self._is_list(properties[key], at, key)
        )
        own = self._driver(properties, at)
        filled: dict[str, Any] = {}
        for key in arrays_first:
            under = f"{at}/{escape(key)}"
            if key not in required and not self._asks(under):
                continue
            if own is not None and choice is None:
                choice = self._choose_one(own)
            inner = self._resolve(properties[key]).get("properties", {})
            decides = self._driver(inner, under) is not None  # it is about a label of its own
            filled[key] = self._fill(properties[key], under, None if decides else choice)
        for key in sorted(required - set(properties)):
            filled[key] = None
        return {key: filled[key] for key in [*properties, *sorted(filled)] if key in filled}

    def _array(self, schema: Mapping[str, Any], at: str, choice: Choice | None) -> list[Any]:
        items = self._resolve(schema.get("items", {}))
        under = f"{at}/*"
        most = min(self._most, schema.get("maxItems", self._most))
        least = schema.get("minItems", 0)
        if under in self._quotes:
            quote = self._quote(choice)
            return [quote] * max(least, min(most, 1 if quote else 0))
        slot = self._slots.get(under) or self._driver(items.get("properties", {}), under)
        if slot is not None:
            choices = self._choices(slot, items, under, least)[: max(least, most)]
            spare = [Choice(label=label, confidence=0.1, quote=None) for label in slot.set.labels]
            spare = [each for each in spare if each.label not in {c.label for c in choices}]
            while len(choices) < least:  # the schema wants more than was found
                choices.append(spare.pop(0) if spare else choices[-1])
            return [self._fill(items, under, each) for each in choices]
        return [self._fill(items, under, choice) for _ in range(least)]

    def _choices(
        self, slot: LabelSlot, items: Mapping[str, Any], under: str, least: int
    ) -> list[Choice]:
        """One for each find where the items hold a value, else one for each label."""
        if self._holds_value(items, under):
            return self._reading.find_places(slot.set)
        named_elsewhere = any(
            other.set.name == slot.set.name and other.pattern != slot.pattern
            for other in self._plan.labels
        )
        listed = self._reading.choose_several(slot.set, at_least_one=least > 0 or named_elsewhere)
        self._listed[slot.set.name] = listed
        return listed

    def _quote(self, choice: Choice | None) -> str:
        """What decided, or the opening where nothing is to be decided.

        A label that only fills an array up was decided by nothing and quotes nothing: the gate
        refuses it.
        """
        return (choice.quote if choice else self._reading.opening) or ""

    def _label(self, slot: LabelSlot, choice: Choice | None, schema: Mapping[str, Any]) -> str:
        """The label of the choice at hand; a label that stands alone is chosen for itself."""
        if choice is None or choice.label not in slot.set.labels:
            choice = self._choose_one(slot)
        allowed: Sequence[str] = schema.get("enum") or [choice.label]
        return choice.label if choice.label in allowed else allowed[0]

    def _choose_one(self, slot: LabelSlot) -> Choice:
        """One label of a set; where several were listed before, the first of them."""
        listed = self._listed.get(slot.set.name)
        if listed is None:
            return self._reading.choose_one(slot.set)
        return self._reading.choose_primary(slot.set, listed)

    # --- reading the schema ---------------------------------------------------------------------

    def _driver(self, properties: Mapping[str, Any], at: str) -> LabelSlot | None:
        """The first label slot directly within an object."""
        found = (self._slots.get(f"{at}/{escape(key)}") for key in properties)
        return next((slot for slot in found if slot is not None), None)

    def _is_list(self, schema: Mapping[str, Any], at: str, key: str) -> bool:
        """Arrays of labels come first: a single label may have to be one of them."""
        return _type(self._resolve(schema)) == "array" and self._asks(f"{at}/{escape(key)}")

    def _asks(self, at: str) -> bool:
        """Whether anything at or under *at* is a label, a quote or a score."""
        places = [*self._slots, *self._quotes, *self._scores, *self._plan.fixed]
        return any(place == at or place.startswith(f"{at}/") for place in places)

    def _holds_value(self, items: Mapping[str, Any], at: str) -> bool:
        return any(
            _type(self._resolve(schema)) == "string"
            and not {"enum", "const"} & set(self._resolve(schema))
            and not self._asks(f"{at}/{escape(key)}")
            for key, schema in items.get("properties", {}).items()
        )

    def _resolve(self, schema: Any) -> Mapping[str, Any]:
        """Follow local references and take the first of several ways; depth is bounded."""
        for _ in range(32):
            if not isinstance(schema, Mapping):
                return {}
            reference = schema.get("$ref")
            if isinstance(reference, str) and reference.startswith("#/"):
                target: Any = self._plan.schema
                for step in reference[2:].split("/"):
                    target = target.get(step.replace("~1", "/").replace("~0", "~"), {})
                schema = target
                continue
            ways = schema.get("anyOf") or schema.get("oneOf")
            if ways and "type" not in schema and "properties" not in schema:
                schema = ways[0]
                continue
            return schema
        return {}


def _type(schema: Mapping[str, Any]) -> str | None:
    kind = schema.get("type")
    if isinstance(kind, list):
        return "null" if "null" in kind else str(kind[0])
    if kind is None:
        return "object" if "properties" in schema else "array" if "items" in schema else None
    return str(kind)


def _text(schema: Mapping[str, Any], choice: Choice | None) -> str:
    """The match; else the shortest text that is long enough."""
    value = (choice.value or "") if choice else ""
    longest: int = schema.get("maxLength", len(value))
    shortest: int = schema.get("minLength", 0)
    return value[:longest] + "-" * (shortest - len(value))


def _score(confidence: float, schema: Mapping[str, Any]) -> _Number:
    low, high = float(schema.get("minimum", 0.0)), float(schema.get("maximum", 1.0))
    return _Number(f"{min(high, max(low, confidence)):.2f}")


def _least(schema: Mapping[str, Any], *, whole: bool) -> int | float:
    """The number nearest to 0 that the bounds allow; a bound itself may be shut out."""
    step = 1 if whole else 0.01
    low = schema.get("minimum", schema.get("exclusiveMinimum", -math.inf) + step)
    high = schema.get("maximum", schema.get("exclusiveMaximum", math.inf) - step)
    value: int | float = max(low, min(0, high))
    return math.ceil(value) if whole else value


def _write_json(value: Any) -> str:
    """JSON without white space; a score keeps its two decimals."""
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, dict):
        inner = (
            f"{json.dumps(key, ensure_ascii=False)}:{_write_json(each)}"
            for key, each in value.items()
        )
        return "{" + ",".join(inner) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_write_json, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
