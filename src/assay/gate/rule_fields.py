"""Which fields a rule reads that nothing can ever give.

In      an expression of CEL; the shapes of its variables, as JSON Schemas declare them
Out     each path that no output, state or input can have
Pure    yes
Spec    005-C22

A field that is misspelt makes a rule err, and a rule that errs rejects: every output would go to
a person, and nobody would know why. So it is told when the pack is read. Where a schema leaves
open what a value is (no `properties`, alternatives, patterns), nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from assay.gate.tokens import MACROS, bracket_partners, expression_tokens, next_tokens

_ALTERNATIVES = frozenset(
    {
        "anyOf",
        "oneOf",
        "if",
        "patternProperties",
        "dependentSchemas",
        "$dynamicRef",
        "$recursiveRef",
    }
)
_SCALARS = ("string", "number", "integer", "boolean", "null")
_MAX_REFERENCES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a schema declares of one value."""

    document: Any
    """The whole schema, in which references are followed."""

    node: Any
    """The part of it that describes the value."""

    @classmethod
    def of_schema(cls, document: Any) -> Self:
        """Of the value that the whole schema describes."""
        return cls(document=document, node=document)

    @classmethod
    def of_fields(cls, fields: Mapping[str, Shape]) -> Shape:
        """Of an object that has these fields and no other."""
        return _Fields(document=None, node=None, fields=fields)

    def field(self, name: str) -> Shape | None:
        """Of the field *name*; None when no such field can be there."""
        node = self._resolve_reference(self.node)
        if not isinstance(node, Mapping):
            return ANY
        if node.get("type") in _SCALARS:
            return None
        properties = node.get("properties")
        if isinstance(properties, Mapping) and name in properties:
            return Shape(document=self.document, node=properties[name])
        parts = node.get("allOf")
        for part in parts if isinstance(parts, list) else ():
            found = Shape(document=self.document, node=part).field(name)
            if found is not None:
                return found
        more = node.get("additionalProperties", node.get("unevaluatedProperties"))
        if isinstance(more, Mapping):
            return Shape(document=self.document, node=more)
        if more is True or _ALTERNATIVES & node.keys():
            return ANY
        closed = more is False or isinstance(properties, Mapping) or bool(parts)
        return None if closed else ANY

    def item(self) -> Shape:
        """Of each item, where the value is a list."""
        node = self._resolve_reference(self.node)
        items = node.get("items") if isinstance(node, Mapping) else None
        if isinstance(items, Mapping) and "prefixItems" not in node:
            return Shape(document=self.document, node=items)
        return ANY

    def _resolve_reference(self, node: Any) -> Any:
        for _ in range(_MAX_REFERENCES):
            reference = node.get("$ref") if isinstance(node, Mapping) else None
            if not isinstance(reference, str):
                return node
            if not reference.startswith("#/"):
                return None
            node = self.document
            for step in reference.removeprefix("#/").split("/"):
                name = step.replace("~1", "/").replace("~0", "~")
                node = node.get(name) if isinstance(node, Mapping) else None
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fields(Shape):
    """The shape of what is put together field by field."""

    fields: Mapping[str, Shape]

    def field(self, name: str) -> Shape | None:
        return self.fields.get(name)

    def item(self) -> Shape:
        return ANY


ANY = Shape(document=None, node=None)
"""Of a value of which nothing is declared."""


def unknown_fields(expression: str, shapes: Mapping[str, Shape]) -> Iterator[str]:
    """The paths that *expression* reads and *shapes* cannot have, in their order.

    Args:
        expression: As a rule or a guard has it.
        shapes: By variable (`output`, `state`, `input`); one that is absent is not looked at.

    Example:
        >>> schema = {"properties": {"a": {"items": {"properties": {"b": {}}}}}}
        >>> shapes = {"output": Shape.of_schema(schema)}
        >>> [*unknown_fields("output.a.all(i, i.c == output.d)", shapes)]
        ['output.a[].c', 'output.d']
    """
    tokens = expression_tokens(expression)
    partner = bracket_partners(tokens)
    scopes: list[tuple[int, str, Shape, str]] = []
    """Where the bracket ends in which a macro binds a variable, that, its shape, its path."""

    bound: dict[int, tuple[str, Shape, str]] = {}
    for at, word in enumerate(tokens):
        scopes = [scope for scope in scopes if scope[0] > at]
        if at in bound:
            scopes.append((partner.get(at, len(tokens)), *bound.pop(at)))
        elif tokens[at - 1 : at] != ["."]:
            inner = next((scope for scope in reversed(scopes) if scope[1] == word), None)
            if inner is not None:
                yield from _follow(tokens, partner, at, inner[2], inner[3], bound)
            elif word in shapes:
                yield from _follow(tokens, partner, at, shapes[word], word, bound)


def _follow(
    tokens: list[str],
    partner: Mapping[int, int],
    at: int,
    shape: Shape,
    path: str,
    bound: dict[int, tuple[str, Shape, str]],
) -> Iterator[str]:
    """Follow `.name`, `["name"]` and `[n]` behind the variable at *at*."""
    while True:
        first, second, third = next_tokens(tokens, at)
        if first == "." and third == "(":
            if second in MACROS and tokens[at + 5 : at + 6] == [","]:
                bound[at + 3] = (tokens[at + 4], shape.item(), f"{path}[]")
            if second != "filter" or at + 3 not in partner:
                return
            at = partner[at + 3]  # the items that it keeps are those of the list
            continue
        if first == "." and second.isidentifier():
            name, step = second, 2
        elif first == "[" and third == "]" and second[:1] in {'"', "'"}:
            name, step = second[1:-1], 3
        elif first == "[" and third == "]" and second.isdecimal():
            shape, path, at = shape.item(), f"{path}[]", at + 3
            continue
        else:
            return
        path = f"{path}.{name}"
        found = shape.field(name)
        if found is None:
            yield path
            return
        shape, at = found, at + step
