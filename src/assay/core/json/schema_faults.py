"""Explain why a value does not fit its schema, at the cost of a few judgements.

In      a schema's graph and compiled validators; a value that was found not to fit
Out     Fault: keyword, place, message
Pure    yes
Spec    000 H2; 005-G12; interfaces.md, `schema.KEYWORD`

The library judges in linear time, but its own explanations hold, for every union that fails,
why each of its ways failed, and so on inwards: that grows without bound. Here only what does
not fit is entered, each part is asked about by itself, and a union is named and not entered.
What one schema asks of a value by itself (`required`, `maxLength`) the library explains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import jsonschema_rs

from assay.core.json.pointer import escape
from assay.core.json.schema_drafts import (
    ANNOTATIONS,
    APPLICATORS,
    DEFINITIONS,
    NAMED,
    REFERENCES,
    Step,
    knows,
)
from assay.core.json.schema_graph import Node, SchemaGraph

MAX_FAULTS = 1000
"""A hostile value can have a fault in every byte."""

MAX_QUESTIONS = 5_000_000
"""So many parts of a value are looked at to explain its faults; then it is said that there
may be more."""

_REFERENCES = frozenset(REFERENCES)
_ENTERED = APPLICATORS - {"contains", "dependencies"}
"""Keywords whose schemas are asked one by one; the other two ask of the value as a whole, too."""

_WHOLE = frozenset({"enum", "const", "uniqueItems", "contains"})
"""Keywords that look at what lies within a list or object."""

_NOWHERE: Final = "is not allowed here"

Compile = Callable[[Any, Node], jsonschema_rs.Validator]
"""Compiles a schema that is read as the one at a node is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One place where a value breaks its schema."""

    keyword: str
    """The keyword that failed, as in `required`."""

    pointer: str
    """JSON Pointer to the value that failed; for a missing or surplus property, to its object."""

    message: str
    """What is wrong: facts of the schema, never text of the value."""


class _EnoughError(Exception):
    """No more is explained."""


class Explainer:
    """Explains values by one schema; what it compiles for that it keeps."""

    def __init__(self, graph: SchemaGraph, compile: Compile) -> None:
        self._graph = graph
        self._compile = compile
        self._judges: dict[Node, Callable[[Any], bool]] = {}
        self._local: dict[Node, tuple[jsonschema_rs.Validator | None, bool]] = {}
        self._patterns: dict[str, Callable[[Any], bool]] = {}

    def faults(self, value: Any) -> list[Fault]:
        """The faults of *value*, as far as its bounds allow."""
        work = _Explanation(self)
        try:
            work.explain(self._graph.root, value, "", "false")
        except (_EnoughError, RecursionError, ValueError, jsonschema_rs.ReferencingError):
            # The verdict stands whether or not it can be explained.
            if len(work.found) < MAX_FAULTS:
                message = "does not fit; explaining all of it passes the bound"
                work.found.append(Fault(keyword="schema", pointer="", message=message))
        return work.found

    def fits(self, node: Node, value: Any) -> bool:
        """Whether *value* fits the schema at *node*."""
        judge = self._judges.get(node)
        if judge is None:
            judge = self._judges[node] = self._compile({"$ref": node.uri}, node).is_valid
        return judge(value)

    def pattern(self, text: str, node: Node) -> Callable[[Any], bool]:
        """Whether a name matches the pattern *text*."""
        judge = self._patterns.get(text)
        if judge is None:
            judge = self._patterns[text] = self._compile({"pattern": text}, node).is_valid
        return judge

    def local(self, node: Node) -> tuple[jsonschema_rs.Validator | None, bool]:
        """What the schema at *node* asks by itself, and whether it looks inside the value."""
        found = self._local.get(node)
        if found is None:
            own = self._own_keywords(node)
            validator = self._compile(own, node) if own else None
            found = self._local[node] = (validator, bool(own.keys() & _WHOLE))
        return found

    def _own_keywords(self, node: Node) -> dict[str, Any]:
        contents = self._graph.contents(node)
        left_out = ANNOTATIONS | _REFERENCES | _ENTERED | {*DEFINITIONS}
        own = {key: held for key, held in contents.items() if key not in left_out}
        if "contains" in own:
            own["contains"] = {"$ref": Node(node.document, (*node.steps, "contains")).uri}
        if isinstance(own.get("dependencies"), Mapping):
            own["dependencies"] = {
                name: held
                for name, held in own["dependencies"].items()
                if not isinstance(held, Mapping | bool)
            }
        if contents.get("additionalProperties") is False:
            own["additionalProperties"] = False
            for key in ("properties", "patternProperties"):
                if isinstance(contents.get(key), Mapping):
                    own[key] = dict.fromkeys(contents[key], True)
        listed = "prefixItems" if knows("prefixItems", self._graph.draft(node)) else "items"
        rest = "items" if listed == "prefixItems" else "additionalItems"
        if contents.get(rest) is False and isinstance(contents.get(listed), list):
            own[rest] = False
            own[listed] = [{}] * len(contents[listed])
        return own


class _Explanation:
    """One explanation; `found` grows."""

    def __init__(self, explainer: Explainer) -> None:
        self.found: list[Fault] = []
        self._known: set[Fault] = set()
        self._explained: set[tuple[Node, str]] = set()
        self._told = 0
        """How often a fault was named, or named before."""

        self._explainer = explainer
        self._graph = explainer._graph
        self._left = MAX_QUESTIONS

    def explain(self, node: Node, value: Any, at: str, reached: str) -> None:
        """Add the faults of *value*, which stands at *at*, by the schema at *node*.

        Args:
            reached: The keyword that put the value to this schema.
        """
        contents = self._graph.contents(node)
        if contents is False:
            self.add(reached, at, _NOWHERE)
        if not isinstance(contents, Mapping) or self.fits(node, value):
            return
        if (node, at) in self._explained:
            self._told += 1
            return
        self._explained.add((node, at))
        before = self._told
        for keyword in _REFERENCES & contents.keys():
            target = self._graph.reference(node, keyword)
            if target is not None:
                self.explain(target, value, at, reached)
        if not (self._graph.draft(node).is_ref_alone and "$ref" in contents):
            groups: dict[str, dict[Step, Node]] = {}
            for keyword, steps, child in self._graph.children(node):
                groups.setdefault(keyword, {})[steps] = child
            self._in_place(groups, value, at)
            self._by_itself(node, value, at)
            if isinstance(value, dict):
                self._into_object(node, contents, groups, value, at)
            elif isinstance(value, list):
                self._into_list(groups, value, at)
            if self._told == before:
                for keyword in ("unevaluatedProperties", "unevaluatedItems"):
                    if keyword in groups and isinstance(value, dict if "P" in keyword else list):
                        self.add(keyword, at)
        if self._told == before:
            self.add("schema", at, "the value does not fit the schema")

    def fits(self, node: Node, value: Any) -> bool:
        self._left -= 1 + (len(value) if isinstance(value, dict | list) else 0)
        if self._left < 0:
            raise _EnoughError
        return self._explainer.fits(node, value)

    def add(self, keyword: str, at: str, message: str = "") -> None:
        if len(self.found) >= MAX_FAULTS:
            raise _EnoughError
        self._told += 1
        text = message or TEXTS[keyword]
        fault = Fault(keyword=keyword, pointer=at, message=text)
        if fault not in self._known:  # several parts of a schema may ask the same
            self._known.add(fault)
            self.found.append(fault)

    def _in_place(self, groups: dict[str, dict[Step, Node]], value: Any, at: str) -> None:
        for child in groups.get("allOf", {}).values():
            self.explain(child, value, at, "allOf")
        if "anyOf" in groups and not any(
            self.fits(child, value) for child in groups["anyOf"].values()
        ):
            self.add("anyOf", at)
        if "oneOf" in groups:
            fitting = (child for child in groups["oneOf"].values() if self.fits(child, value))
            if len(list(islice(fitting, 2))) != 1:
                self.add("oneOf", at)
        for child in groups.get("not", {}).values():
            if self.fits(child, value):
                self.add("not", at)
        for condition in groups.get("if", {}).values():
            branch = "then" if self.fits(condition, value) else "else"
            for child in groups.get(branch, {}).values():
                self.explain(child, value, at, branch)
        for keyword in ("dependentSchemas", "dependencies"):
            for (_, name), child in groups.get(keyword, {}).items():
                if isinstance(value, dict) and name in value:
                    self.explain(child, value, at, keyword)

    def _by_itself(self, node: Node, value: Any, at: str) -> None:
        validator, is_whole = self._explainer.local(node)
        if validator is None:
            return
        if not is_whole and isinstance(value, dict):
            value = dict.fromkeys(value)
        elif not is_whole and isinstance(value, list):
            value = [None] * len(value)
        for error in validator.iter_errors(value):
            fault = fault_of(error)
            self.add(fault.keyword, at + fault.pointer, fault.message)

    def _into_object(
        self,
        node: Node,
        contents: Mapping[str, Any],
        groups: dict[str, dict[Step, Node]],
        value: dict[str, Any],
        at: str,
    ) -> None:
        for child in groups.get("propertyNames", {}).values():
            text = _NOWHERE if self._graph.contents(child) is False else ""
            for name in value:
                if not self.fits(child, name):
                    self.add("propertyNames", at, text)
        named = {str(steps[1]): child for steps, child in groups.get("properties", {}).items()}
        for name, child in named.items():
            if name in value:
                self.explain(child, value[name], f"{at}/{escape(name)}", "properties")
        patterns = {
            self._explainer.pattern(str(steps[1]), node): child
            for steps, child in groups.get("patternProperties", {}).items()
        }
        for name, held in value.items():
            met = [child for matches, child in patterns.items() if matches(name)]
            for child in met:
                self.explain(child, held, f"{at}/{escape(name)}", "patternProperties")
            if not met and name not in named and contents.get("additionalProperties") is not False:
                for child in groups.get("additionalProperties", {}).values():
                    self.explain(child, held, f"{at}/{escape(name)}", "additionalProperties")

    def _into_list(self, groups: dict[str, dict[Step, Node]], value: list[Any], at: str) -> None:
        listed: dict[Step, Node] = {}
        for keyword in ("prefixItems", "items"):
            several = {k: c for k, c in groups.get(keyword, {}).items() if len(k) == 2}
            for (_, place), child in several.items():
                listed[(place,)] = child
                if int(place) < len(value):
                    self.explain(child, value[int(place)], f"{at}/{place}", keyword)
        for keyword in ("items", "additionalItems"):
            for steps, child in groups.get(keyword, {}).items():
                if len(steps) == 2 or (keyword == "additionalItems" and not listed):
                    continue
                if listed and self._graph.contents(child) is False:
                    continue  # said by the schema itself, of the list
                for place in range(len(listed), len(value)):
                    self.explain(child, value[place], f"{at}/{place}", keyword)


def pointer_of(path: list[str | int]) -> str:
    return "".join([f"/{escape(str(step))}" for step in path])


def fault_of(error: jsonschema_rs.ValidationError) -> Fault:
    keyword = keyword_of(error)
    return Fault(
        keyword=keyword,
        pointer=pointer_of(error.instance_path),
        message=_message(keyword, error.kind),
    )


def keyword_of(error: jsonschema_rs.ValidationError) -> str:
    name: str = error.kind.name
    if name == "propertyNames":
        return name
    if name == "falseSchema":
        # `false` is no keyword: name the one that put it there.
        steps = [step for step in error.evaluation_path if step not in _REFERENCES]
        if len(steps) > 1 and steps[-2] in NAMED:
            return str(steps[-2])
        name = "false"
    else:
        steps = error.schema_path
    return next((step for step in reversed(steps) if isinstance(step, str)), name)


TEXTS = {
    "additionalProperties": "has a property that the schema does not name",
    "anyOf": "fits none of the alternatives",
    "const": "is not the one value allowed",
    "contains": "does not contain enough fitting items",
    "enum": "is none of the values allowed",
    "exclusiveMaximum": "must be less than {limit}",
    "exclusiveMinimum": "must be greater than {limit}",
    "format": "does not have the format {format!r}",
    "maxContains": "contains too many fitting items",
    "maxItems": "must have at most {limit} items",
    "maxLength": "must have at most {limit} characters",
    "maxProperties": "must have at most {limit} properties",
    "maximum": "must be at most {limit}",
    "minContains": "does not contain enough fitting items",
    "minItems": "must have at least {limit} items",
    "minLength": "must have at least {limit} characters",
    "minProperties": "must have at least {limit} properties",
    "minimum": "must be at least {limit}",
    "multipleOf": "must be a multiple of {multiple_of}",
    "not": "fits what it must not fit",
    "oneOf": "does not fit exactly one of the alternatives",
    "pattern": "does not match the pattern of the schema",
    "propertyNames": "has a property whose name is not allowed",
    "unevaluatedItems": "has an item that the schema does not name",
    "unevaluatedProperties": "has a property that the schema does not name",
    "uniqueItems": "has an item twice",
}


def _message(keyword: str, kind: jsonschema_rs.ValidationErrorKind) -> str:
    facts: dict[str, Any] = kind.as_dict()
    if "property" in facts:
        return f"lacks the property {facts['property']!r}"
    if "types" in facts:
        return f"must be of type {' or '.join(sorted(facts['types']))}"
    if kind.name == "falseSchema":
        return _NOWHERE
    try:
        return TEXTS[keyword].format_map(facts)
    except (KeyError, ValueError, AttributeError):
        return f"breaks the rule of {keyword!r}"
