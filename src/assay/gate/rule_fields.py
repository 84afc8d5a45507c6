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

from assay.core.json.schema_parts import parts_of
from assay.gate.tokens import MACROS, bracket_partners, expression_tokens, next_tokens

_OPEN = frozenset(
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
_INNER = frozenset({"$ref", "allOf"})
"""What they hold is a part of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a schema declares of one value."""

    document: Any
    """The whole schema, in which references are followed."""

    nodes: tuple[Any, ...]
    """The parts of it that describe the value; all of them hold."""

    @classmethod
    def of_schema(cls, document: Any) -> Self:
        """Of the value that the whole schema describes."""
        return cls(document=document, nodes=(document,))

    @classmethod
    def of_fields(cls, fields: Mapping[str, Shape]) -> Shape:
        """Of an object that has these fields and no other."""
        return _Fields(document=None, nodes=(), fields=fields)

    def field(self, name: str) -> Shape | None:
        """Of the field *name*; None when no such field can be there."""
        parts = self._parts()
        if any(isinstance(part, Mapping) and part.get("type") in _SCALARS for part in parts):
            return None
        named = [part["properties"][name] for part in parts if name in _properties(part)]
        if named:
            return Shape(document=self.document, nodes=tuple(named))
        if any(map(_is_open, parts)):
            return ANY
        others = [_other_fields(part) for part in parts]
        described = tuple(more for more in others if isinstance(more, Mapping))
        if described:
            return Shape(document=self.document, nodes=described)
        return None if False in others or any(map(_properties, parts)) else ANY

    def item(self) -> Shape:
        """Of each item, where the value is a list."""
        mappings = [part for part in self._parts() if isinstance(part, Mapping)]
        items = [part["items"] for part in mappings if isinstance(part.get("items"), Mapping)]
        if not items or any("prefixItems" in part for part in mappings):
            return ANY
        return Shape(document=self.document, nodes=tuple(items))

    def _parts(self) -> list[Any]:
        return [part for node in self.nodes for part in parts_of(self.document, node)]


def _properties(part: Any) -> Mapping[str, Any]:
    found = part.get("properties") if isinstance(part, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _other_fields(part: Any) -> Any:
    """What a part says of fields that it does not name; None when it says nothing."""
    if not isinstance(part, Mapping):
        return None
    return part.get("additionalProperties", part.get("unevaluatedProperties"))


def _is_open(part: Any) -> bool:
    """Whether a part says nothing of which fields there are, or says that there may be others."""
    if not isinstance(part, Mapping) or _other_fields(part) is True or _OPEN & part.keys():
        return True
    return not ("properties" in part or _other_fields(part) is not None or _INNER & part.keys())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fields(Shape):
    """The shape of what is put together field by field."""

    fields: Mapping[str, Shape]

    def field(self, name: str) -> Shape | None:
        return self.fields.get(name)

    def item(self) -> Shape:
        return ANY


ANY = Shape(document=None, nodes=())
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
