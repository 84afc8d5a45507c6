"""From a decoding plan to a grammar that a constrained decoder can be held to.

In      a draft: JSON values in which some places are still open
Out     the text, when nothing is open; else an llguidance grammar of all texts it can become
Pure    yes
Spec    000-H1 to 000-H3; 003-C3

Scores come out as `0.87`, labels and quotes only as they are, keys in the order of the
schema, and no white space between. The rules are written for the closed schemas of
`assay.contract.decoding.bounded_schema`: every array and every string has an end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from assay.contract.decoding.plan import DecodingPlan
from assay.core.json.pointer import escape

HEAD: Final = "%llguidance {}\n"

KEY_CHARS: Final = 60
"""Longest key in an object whose keys the schema does not name."""

_CHAR: Final = r'([^"<\\\x00-\x1f\x7f-\x9f]|\\["\\nt])'
_NAME: Final = f'/"[A-Za-z0-9_][A-Za-z0-9_ .-]{{0,{KEY_CHARS - 1}}}"/'
_SHARE: Final = r"/0\.[0-9]{2}|1\.00/"
CONTROL: Final = re.compile(r"<(?=\|?[a-z_]+\|?>)")
"""Where a text may begin that is a control token of the model that came with this program."""

ANY_CONTROL: Final = re.compile(r"<(?=[^\s<>]{1,60}>)|\[(?=/?[A-Za-z_]{1,40}\])")
"""The same for any model: `</s>`, `<|eot_id|>`, `<｜User｜>`, `[INST]`."""

_ANY: Final = '{"type":"string","maxLength":40}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """A place that the model fills."""

    schema: Mapping[str, Any]
    """What may stand there, closed."""

    at: str
    """Its pointer pattern."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a draft comes to."""

    text: str | None
    """The whole text, when nothing is open."""

    grammar: str
    """Every text that the draft can become."""


def write(draft: Any, plan: DecodingPlan, control: re.Pattern[str] = CONTROL) -> Written:
    """Write *draft*: literally where it is settled, as rules where it is open.

    A decoder may write the letters of `<|endoftext|>` as that very control token, and end. So
    what looks like one (*control*) starts with an escape, which in a JSON string means the same.
    """
    rules = _Rules(plan, control)
    parts = rules.draft(draft)
    literal = rules.literal
    if all(settled for settled, _ in parts):
        text = "".join(part for _, part in parts)
        return Written(text=text, grammar=f"{HEAD}start: {literal(text)}\n")
    body = " ".join(literal(part) if settled else part for settled, part in _join_literals(parts))
    return Written(text=None, grammar=f"{HEAD}start: {body}\n" + rules.text())


class _Rules:
    """The rules of one grammar, each named after the order in which it was asked for."""

    def __init__(self, plan: DecodingPlan, control: re.Pattern[str]) -> None:
        self._plan = plan
        self._control = control
        self._labels = {slot.pattern: slot.set for slot in plan.labels}
        self._names: dict[str, str] = {}

    def literal(self, text: str) -> str:
        """A piece of JSON as a quoted string of a grammar."""
        broken = self._control.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
        return json.dumps(broken, ensure_ascii=False)

    def text(self) -> str:
        return "".join(f"{name}: {body}\n" for body, name in self._names.items())

    def draft(self, value: Any) -> list[tuple[bool, str]]:
        """Pieces of text; True marks a literal, False the body of a rule."""
        match value:
            case Open():
                return [(False, self.place(value.schema, value.at))]
            case str() if type(value) is not str:  # a number that is written as it stands
                return [(True, str(value))]
            case Mapping():
                return self._join_items(
                    "{",
                    "}",
                    [[(True, f"{_json(key)}:"), *self.draft(v)] for key, v in value.items()],
                )
            case list():
                return self._join_items("[", "]", [self.draft(each) for each in value])
        return [(True, _json(value))]

    def place(self, schema: Mapping[str, Any], at: str) -> str:
        """The body of a rule for whatever may stand at *at*."""
        if at in self._plan.fixed:
            return self.literal(_json(self._plan.fixed[at]))
        if "const" in schema:
            return self.literal(_json(schema["const"]))
        if "enum" in schema:
            return self._one_of([_json(value) for value in schema["enum"]])
        ways = [way for key in ("anyOf", "oneOf") for way in schema.get(key, ())]
        if ways:
            base = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf")}
            return self._name_rule(" | ".join(self.place({**base, **way}, at) for way in ways))
        kind = schema.get("type", _guess_type(schema))
        if isinstance(kind, list):
            several = [self.place({**schema, "type": each}, at) for each in kind]
            return self._name_rule(" | ".join(dict.fromkeys(several)))
        if at in self._plan.scores and kind in ("number", "integer"):
            return self._name_rule(_score(schema))
        match kind:
            case "string":
                return self._string(schema, at)
            case "object":
                return self._object(schema, at)
            case "array":
                return self._array(schema, at)
            case "boolean":
                return self._one_of(["true", "false"])
            case "null":
                return self.literal("null")
        return self._name_rule(f"%json {_json(_decoder_schema(schema))}")

    def _string(self, schema: Mapping[str, Any], at: str) -> str:
        if at in self._plan.quotes and self._plan.sentences:
            most = schema.get("maxLength", len(self._longest()))
            texts = [quote.text for quote in self._plan.sentences if len(quote.text) <= most]
            return self._one_of([_json(text) for text in dict.fromkeys(texts)])
        if "pattern" in schema or "format" in schema:
            return self._name_rule(f"%json {_json(_decoder_schema(schema))}")
        least, most = schema.get("minLength", 0), schema["maxLength"]
        return self._name_rule(f'/"{_CHAR}{{{least},{most}}}"/')

    def _longest(self) -> str:
        return max((quote.text for quote in self._plan.sentences), key=len)

    def _object(self, schema: Mapping[str, Any], at: str) -> str:
        properties: Mapping[str, Any] = schema.get("properties", {})
        required = set(schema.get("required", ()))
        if not properties:
            return self._name_rule(self._map(schema, at))
        # Keys that may be missing stay out; where none must be there, all are.
        kept = [key for key in properties if key in required] or list(properties)
        pieces = [
            f"{self.literal(('{' if n == 0 else ',') + _json(key) + ':')} "
            f"{self.place(properties[key], f'{at}/{escape(key)}')}"
            for n, key in enumerate(kept)
        ]
        return self._name_rule(" ".join([*pieces, self.literal("}")]))

    def _map(self, schema: Mapping[str, Any], at: str) -> str:
        """An object of free keys: one entry, so that no key can come twice."""
        inner = schema.get("additionalProperties")
        if not isinstance(inner, Mapping):
            return self.literal("{}")
        entry = f"{self._name_rule(_NAME)} {self.literal(':')} {self.place(inner, f'{at}/*')}"
        return f"{self.literal('{')} {entry} {self.literal('}')}"

    def _array(self, schema: Mapping[str, Any], at: str) -> str:
        least, most = schema.get("minItems", 0), schema["maxItems"]
        if most == 0:
            return self.literal("[]")
        item = self.place(schema.get("items", {}), f"{at}/*")
        more = f"({self.literal(',')} {item}){{{max(least, 1) - 1},{most - 1}}}"
        filled = f"{self.literal('[')} {item} {more if most > 1 else ''} {self.literal(']')}"
        return self._name_rule(filled if least else f"{self.literal('[]')} | {filled}")

    def _one_of(self, texts: list[str]) -> str:
        return self._name_rule(" | ".join(map(self.literal, texts)))

    def _name_rule(self, body: str) -> str:
        """A rule of its own; bodies that are only a regular expression become terminals."""
        terminal = body.startswith("/")
        prefix = "T" if terminal else "r"
        return self._names.setdefault(body, f"{prefix}{len(self._names)}")

    @staticmethod
    def _join_items(
        first: str, last: str, items: list[list[tuple[bool, str]]]
    ) -> list[tuple[bool, str]]:
        pieces: list[tuple[bool, str]] = [(True, first)]
        for index, item in enumerate(items):
            pieces += [(True, ",")] if index else []
            pieces += item
        return [*pieces, (True, last)]


def _join_literals(parts: list[tuple[bool, str]]) -> list[tuple[bool, str]]:
    """Literals that stand side by side become one."""
    result: list[tuple[bool, str]] = []
    for settled, part in parts:
        if settled and result and result[-1][0]:
            result[-1] = (True, result[-1][1] + part)
        else:
            result.append((settled, part))
    return result


def _score(schema: Mapping[str, Any]) -> str:
    """Two decimals from the least to the most that the schema allows."""
    low = max(0, round(float(schema.get("minimum", 0)) * 100))
    high = min(100, round(float(schema.get("maximum", 1)) * 100))
    if (low, high) == (0, 100):
        return _SHARE
    values = [f"{cents / 100:.2f}" for cents in range(low, high + 1)]
    return "/" + "|".join(value.replace(".", r"\.") for value in values or ["0.00"]) + "/"


def _decoder_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """What the decoder's own JSON Schema knows; the rest is left to the gate."""
    known = (
        *("type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        *("pattern", "format", "minLength", "maxLength"),
    )
    kept = {key: schema[key] for key in known if key in schema}
    return kept if "type" in kept else json.loads(_ANY)


def _guess_type(schema: Mapping[str, Any]) -> str | None:
    if "properties" in schema or "additionalProperties" in schema:
        return "object"
    return "array" if "items" in schema else None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
