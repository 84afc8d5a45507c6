"""Which places a JSON Schema leaves room for: can a pointer pattern ever meet a value?

In      a schema document, the schemas that it may refer to; pointer patterns
Out     yes or no for each pattern, and for each kind of value
Pure    yes
Spec    interfaces.md, "Packs"; draft 2020-12

A place is what several schemas say of it at once: references, `allOf` and the node's own
keywords all hold, of `anyOf`, `oneOf` and `if` one way at a time. What a schema does not speak
of is open, and below it anything may stand. Where it cannot be told (`not`, `$dynamicRef`, a
document that is not at hand) the place counts as open, so that no valid pattern is refused. One
thing is assumed: a schema without `type` that speaks of properties alone means an object, one
that speaks of items alone an array.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, product
from typing import Any, Final, Literal
from urllib.parse import unquote, urljoin

from assay.core.json.pointer import unescape

Kind = Literal["string", "number", "object", "array"]

MOST_VIEWS: Final = 2000
"""Ways to fit one place that are tried; a place with more counts as open."""

MOST_STATES: Final = 50_000
"""Places that are visited for one pattern; beyond that it counts as reaching one."""

_PATTERNS: Final = "patternProperties"
_OF_OBJECTS: Final = frozenset({"properties", _PATTERNS, "additionalProperties", "required"})
_OF_ARRAYS: Final = frozenset({"prefixItems", "items"})
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "number": (int, float),
    "object": (dict,),
    "array": (list,),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Node:
    """One schema, and the document that its references start from."""

    key: Any
    """Equal for equal nodes: what the walk has seen is known by it."""

    schema: Mapping[str, Any]
    root: Any


_Place = tuple[_Node, ...]
"""All that is said about one place; nothing means anything may stand there."""


class SchemaPlaces:
    """The places of one schema. It never changes."""

    __slots__ = ("_bases", "_resources", "_root")

    def __init__(
        self,
        document: Mapping[str, Any] | bool,
        registry: Mapping[str, Mapping[str, Any] | bool] | None = None,
    ) -> None:
        """Take a valid schema.

        Args:
            registry: URI -> schema, for references to other documents.
        """
        self._root = document
        self._resources: dict[str, Any] = {}
        self._bases: dict[int, str] = {}
        for uri, other in (registry or {}).items():
            self._collect(other, uri)
            self._resources.setdefault(uri, other)
        self._collect(document, "")

    def reaches(self, pattern: str, kind: Kind | None = None) -> bool:
        """Whether the schema allows a value, of *kind* if given, at a place that *pattern* names.

        Args:
            pattern: A valid pointer pattern with `*` and `**`.

        Example:
            >>> schema = {"properties": {"a": {"type": "string"}}, "additionalProperties": False}
            >>> places = SchemaPlaces(schema)
            >>> places.reaches("/a", "string"), places.reaches("/a", "number"), places.reaches("/b")
            (True, False, False)
        """
        return any(kind is None or _may_all(view, kind) for view in self._named(pattern))

    def names(self, pattern: str) -> tuple[str, ...]:
        """The property names that the schema spells out directly below *pattern*, sorted."""
        return tuple(sorted({name for view in self._named(pattern) for name in _spelt(view)}))

    def _named(self, pattern: str) -> Iterator[_Place]:
        """Every way to fit a place that *pattern* names."""
        steps = tuple(pattern.split("/")[1:])
        seen: set[tuple[frozenset[Any], int]] = set()
        start = self._place([self._root], self._root)
        todo: list[tuple[_Place, int]] = [] if start is None else [(start, 0)]
        while todo:
            place, at = todo.pop()
            state = (frozenset(node.key for node in place), at)
            if state in seen:
                continue
            seen.add(state)
            if len(seen) > MOST_STATES:
                yield ()
                return
            deep = at < len(steps) and steps[at] == "**"
            if deep:
                todo.append((place, at + 1))
            for view in self._views(place):
                if at == len(steps):
                    yield view
                elif deep:
                    todo += [(child, at) for child in self._children(view, None)]
                else:
                    step = None if steps[at] == "*" else unescape(steps[at])
                    todo += [(child, at + 1) for child in self._children(view, step)]

    # --- what holds at one place ------------------------------------------------------------

    def _views(self, place: _Place) -> Iterator[_Place]:
        views = self._expanded(list(place), {})
        yield from islice(views, MOST_VIEWS)
        if next(views, None) is not None:
            yield ()

    def _expanded(self, todo: list[_Node], flat: dict[Any, _Node]) -> Iterator[_Place]:
        """*todo* with references and combinations taken apart, one way at a time."""
        while todo:
            node, *todo = todo
            if node.key in flat:
                continue
            flat = {**flat, node.key: node}
            must = self._place(node.schema.get("allOf", ()), node.root)
            referred = self._referred(node)
            if must is None or referred is None:
                return
            todo = [*must, *referred, *todo]
            choices = [
                [way for one in ways if (way := self._place(one, node.root)) is not None]
                for ways in _choices(node.schema)
            ]
            if choices:
                for picked in product(*choices):
                    yield from self._expanded([*chain(*picked), *todo], flat)
                return
        yield tuple(flat.values())

    def _referred(self, node: _Node) -> _Place | None:
        reference = node.schema.get("$ref")
        if not isinstance(reference, str):
            return ()
        uri, _, fragment = reference.partition("#")
        root = node.root
        if uri:
            full = urljoin(self._bases.get(id(root), ""), uri)
            root = self._resources.get(full, self._resources.get(uri))
        return self._place([_at_fragment(root, unquote(fragment))], root)

    def _place(self, schemas: Sequence[Any], root: Any) -> _Place | None:
        """What *schemas* say together; None when nothing fits them."""
        if any(schema is False for schema in schemas):
            return None
        return tuple(
            _Node(
                key=id(schema),
                schema=schema,
                root=schema if isinstance(schema.get("$id"), str) else root,
            )
            for schema in schemas
            if isinstance(schema, Mapping)
        )

    def _collect(self, schema: Any, base: str) -> None:
        """Note every schema that has a name of its own."""
        if isinstance(schema, Mapping):
            if isinstance(schema.get("$id"), str):
                base = urljoin(base, schema["$id"])
                self._resources[base] = schema
                self._bases[id(schema)] = base
            for child in schema.values():
                self._collect(child, base)
        elif isinstance(schema, list):
            for child in schema:
                self._collect(child, base)

    # --- one step down ----------------------------------------------------------------------

    def _children(self, view: _Place, step: str | None) -> Iterator[_Place]:
        """The places one step below; None is any step."""
        found: list[list[tuple[_Node, Any]] | None] = []
        if _may_all(view, "object") and not _speaks_only(view, _OF_ARRAYS, _OF_OBJECTS):
            if step is not None:
                found.append(_member(view, step))
            else:
                patterns = {key for node in view for key in node.schema.get(_PATTERNS, ())}
                found += [_member(view, name) for name in sorted(_spelt(view))]
                found += [_member(view, None, key) for key in (None, *sorted(patterns))]
        if _may_all(view, "array") and not _speaks_only(view, _OF_OBJECTS, _OF_ARRAYS):
            if step is None:
                longest = max((_length(node.schema) for node in view), default=0)
                found += [_item(view, at) for at in range(longest + 1)]
            elif step.isascii() and step.isdigit() and len(step) < 10:
                found.append(_item(view, int(step)))
        for parts in found:
            places = [self._place([schema], node.root) for node, schema in parts or ()]
            if parts is not None and all(place is not None for place in places):
                yield tuple(_valued(node) for place in places for node in place or ())


def _member(
    view: _Place, name: str | None, pattern: str | None = None
) -> list[tuple[_Node, Any]] | None:
    """What is said of the property *name*; without a name, of one that is not spelt out
    (and fits *pattern*, where given). None when it cannot be there."""
    parts: list[tuple[_Node, Any]] = []
    evaluated = False
    for node in view:
        schema = node.schema
        if (values := _values(schema)) is not None:
            inner = [one[name] for one in values if isinstance(one, dict) and name in one]
            if not inner:
                return None
            parts.append((node, {"enum": inner}))
        if schema.get("maxProperties") == 0 or not _may_be_named(schema, name):
            return None
        found = [schema["properties"][name]] if name in schema.get("properties", ()) else []
        patterned = schema.get(_PATTERNS, {})
        for regex, child in patterned.items():
            if regex == pattern or (name is not None and _matches(regex, name)):
                found.append(child)
        unsure = name is None and pattern is not None and bool(patterned)
        if not found and "additionalProperties" in schema and not unsure:
            found.append(schema["additionalProperties"])
        evaluated = evaluated or bool(found) or unsure
        parts += [(node, child) for child in found]
    if not evaluated:
        parts += _left_over(view, "unevaluatedProperties")
    return parts


def _item(view: _Place, index: int) -> list[tuple[_Node, Any]] | None:
    """What is said of the item *index*; None when it cannot be there."""
    parts: list[tuple[_Node, Any]] = []
    evaluated = False
    for node in view:
        schema = node.schema
        if (values := _values(schema)) is not None:
            inner = [one[index] for one in values if isinstance(one, list) and index < len(one)]
            if not inner:
                return None
            parts.append((node, {"enum": inner}))
        if schema.get("maxItems", index + 1) <= index:
            return None
        first = schema.get("prefixItems", ())
        if index < len(first):
            parts.append((node, first[index]))
            evaluated = True
        elif "items" in schema:
            parts.append((node, schema["items"]))
            evaluated = True
        evaluated = evaluated or "contains" in schema
    if not evaluated:
        parts += _left_over(view, "unevaluatedItems")
    return parts


def _left_over(view: _Place, keyword: str) -> list[tuple[_Node, Any]]:
    return [(node, node.schema[keyword]) for node in view if keyword in node.schema]


def _choices(schema: Mapping[str, Any]) -> Iterator[list[list[Any]]]:
    """For each keyword that offers ways: the ways, each as schemas that hold together."""
    for key in ("anyOf", "oneOf"):
        if key in schema:
            yield [[way] for way in schema[key]]
    if "if" in schema and ("then" in schema or "else" in schema):
        yield [[schema["if"], schema.get("then", True)], [schema.get("else", True)]]
    for dependent in schema.get("dependentSchemas", {}).values():
        yield [[], [dependent]]


def _valued(node: _Node) -> _Node:
    """A schema made here of values is known by them: it has no lasting identity."""
    if set(node.schema) == {"enum"}:
        return _Node(key=repr(node.schema["enum"]), schema=node.schema, root=node.root)
    return node


def _spelt(view: _Place) -> set[str]:
    names = {name for node in view for name in node.schema.get("properties", ())}
    for node in view:
        for value in _values(node.schema) or ():
            names |= set(value) if isinstance(value, dict) else set()
    return names


def _length(schema: Mapping[str, Any]) -> int:
    """Items that are described one by one."""
    listed = [len(value) for value in _values(schema) or () if isinstance(value, list)]
    return max([len(schema.get("prefixItems", ())), *listed])


def _values(schema: Mapping[str, Any]) -> list[Any] | None:
    """The only values that fit, where they are listed."""
    if "const" in schema:
        return [schema["const"]]
    return list(schema["enum"]) if "enum" in schema else None


def _speaks_only(view: _Place, of: frozenset[str], not_of: frozenset[str]) -> bool:
    """Whether keywords tell what is meant where no `type` says so."""
    keywords = {key for node in view for key in node.schema}
    return bool(keywords & of) and not keywords & not_of


def _may_all(view: _Place, kind: Kind) -> bool:
    return all(_may(node.schema, kind) for node in view)


def _may(schema: Mapping[str, Any], kind: Kind) -> bool:
    """Whether a value of *kind* may fit, by `type` and by the values listed."""
    if "type" in schema:
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if kind not in types and not (kind == "number" and "integer" in types):
            return False
    values = _values(schema)
    return values is None or any(
        isinstance(value, _TYPES[kind]) and not isinstance(value, bool) for value in values
    )


def _may_be_named(schema: Mapping[str, Any], name: str | None) -> bool:
    names = schema.get("propertyNames", True)
    if not isinstance(names, Mapping):
        return bool(names)
    if name is None:
        return True
    allowed = _values(names)
    if allowed is not None and name not in allowed:
        return False
    return "pattern" not in names or _matches(names["pattern"], name)


def _matches(pattern: str, name: str) -> bool:
    try:
        return re.search(pattern, name) is not None
    except re.error:  # a dialect that is not known here
        return True


def _at_fragment(root: Any, fragment: str) -> Any:
    """The schema that a fragment names in *root*; True when it cannot be told."""
    if fragment and not fragment.startswith("/"):
        return _anchored(root, fragment)
    found = root
    for step in fragment.split("/")[1:]:
        name = unescape(step)
        if isinstance(found, Mapping):
            found = found.get(name)
        elif isinstance(found, list) and name.isdigit() and int(name) < len(found):
            found = found[int(name)]
        else:
            return True
    return True if found is None else found


def _anchored(node: Any, anchor: str) -> Any:
    if isinstance(node, Mapping):
        if anchor in (node.get("$anchor"), node.get("$dynamicAnchor")):
            return node
        inner = list(node.values())
    else:
        inner = node if isinstance(node, list) else []
    found = (_anchored(child, anchor) for child in inner)
    return next((one for one in found if one is not True), True)
