"""What a schema says plainly of one place of a value: what can be told while the value grows.

In      a schema document
Out     SchemaPlace: kinds, bounds and values allowed at a place, and the places under it
Pure    yes: references are followed within the document only
Spec    000 H2; interfaces.md, "Models" (no continuation can be accepted)

Only what holds for every valid value is read: the keywords of the schema itself, of what `$ref`
leads to and of `allOf`. Alternatives, conditions, patterns and whatever else asks for the whole
value are left out, and so is a document whose references may lead elsewhere: who finds no fault
here reads on.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from assay.core.json.schema_drafts import Draft, declared_draft
from assay.core.json.schema_faults import TEXTS
from assay.core.json.schema_parts import referred

__all__ = ["PlainFault", "SchemaPlace", "first_misfit", "root_place"]

PlainFault = tuple[str, str]
"""The keyword that failed, and what is wrong."""

_FIRST_DRAFT: Final = 6
_CLASSES: Final[Mapping[str, tuple[type, ...]]] = {
    "object": (Mapping,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_BOUNDS: Final = (
    "maxLength",
    "minLength",
    "maxItems",
    "minItems",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
)


def root_place(document: Any) -> SchemaPlace | None:
    """The place of the whole value; None where nothing is plain.

    Example:
        >>> place = root_place({"type": "object", "additionalProperties": False})
        >>> place.begins("array")[0], place.forbids("a")
        ('type', True)
    """
    draft = declared_draft(document)
    if draft is None or draft.number < _FIRST_DRAFT or not isinstance(document, Mapping):
        return None
    if any(_renames(held) for held in document.values()):
        return None
    return _Document(document, draft).place((document,))


def _renames(node: Any) -> bool:
    """Whether some schema within has a name or a draft of its own, so that `#` means another."""
    if isinstance(node, Mapping):
        return "$id" in node or "$schema" in node or any(map(_renames, node.values()))
    return isinstance(node, list) and any(map(_renames, node))


class _Document:
    """A schema document and the places that were asked for, each made once."""

    def __init__(self, document: Mapping[str, Any], draft: Draft) -> None:
        self.document = document
        self.draft = draft
        self._places: dict[tuple[int, ...], SchemaPlace] = {}

    def place(self, schemas: Iterable[Any]) -> SchemaPlace:
        parts = self._parts(schemas)
        key = tuple(map(id, parts))
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = SchemaPlace(self, parts)
        return place

    def _parts(self, schemas: Iterable[Any]) -> list[Mapping[str, Any]]:
        """All that is put to the same value whatever the value is, each once."""
        parts: list[Mapping[str, Any]] = []
        waiting = list(schemas)
        seen: set[int] = set()
        for part in waiting:
            if not isinstance(part, Mapping) or id(part) in seen:
                continue
            seen.add(id(part))
            reference = part.get("$ref")
            if isinstance(reference, str):
                waiting.append(referred(self.document, reference))
                if self.draft.is_ref_alone:
                    continue
            parts.append(part)
            if isinstance(part.get("allOf"), list):
                waiting += part["allOf"]
        return parts


class SchemaPlace:
    """What must hold at one place, whatever stands elsewhere."""

    __slots__ = (
        "_bounds",
        "_children",
        "_document",
        "_item",
        "_kinds",
        "_parts",
        "_values",
        "max_items",
        "max_length",
        "options",
    )

    def __init__(self, document: _Document, parts: Sequence[Mapping[str, Any]]) -> None:
        self._document = document
        self._parts = parts
        self._kinds = [_kinds(part["type"]) for part in parts if "type" in part]
        self._values = [
            (keyword, [part["const"]] if keyword == "const" else part["enum"])
            for part in parts
            for keyword in ("const", "enum")
            if keyword in part and (keyword == "const" or isinstance(part["enum"], list))
        ]
        self._bounds: dict[str, list[int | float]] = {}
        for part in parts:
            for keyword in _BOUNDS:
                limit = part.get(keyword)
                if isinstance(limit, int | float) and not isinstance(limit, bool):
                    self._bounds.setdefault(keyword, []).append(limit)
        self._children: dict[str, SchemaPlace | None] = {}
        self._item: list[SchemaPlace | None] = []
        self.max_length = min(self._bounds.get("maxLength", ()), default=None)
        """The longest string that fits; None where no bound is plain."""
        self.max_items = min(self._bounds.get("maxItems", ()), default=None)
        """The longest array that fits; None where no bound is plain."""
        self.options: tuple[tuple[str, tuple[str, ...]], ...] = tuple(
            (keyword, tuple(sorted({each for each in allowed if isinstance(each, str)})))
            for keyword, allowed in self._values
        )
        """Keyword and the strings that it allows, sorted; where a string fits only if listed."""

    def begins(self, kind: str) -> PlainFault | None:
        """What is wrong with a value of *kind* whatever it is."""
        for kinds in self._kinds:
            if kind not in kinds and not (kind == "number" and "integer" in kinds):
                return "type", _wrong_type(kinds)
        for keyword, allowed in self._values:
            if not any(_is_kind(each, kind) for each in allowed):
                return keyword, TEXTS[keyword]
        return None

    def ends(self, value: Any) -> PlainFault | None:
        """What is wrong with a string, number, boolean or null, options left out."""
        if isinstance(value, str):
            return self._broken("minLength", len(value))
        for keyword, allowed in self._values:
            if not any(_equal(each, value) for each in allowed):
                return keyword, TEXTS[keyword]
        if isinstance(value, bool) or value is None:
            return None
        for kinds in self._kinds:
            if "number" not in kinds and isinstance(value, float) and not value.is_integer():
                return "type", _wrong_type(kinds)
        for keyword in ("maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"):
            fault = self._broken(keyword, value)
            if fault is not None:
                return fault
        return None

    def lacks(self, names: set[str]) -> PlainFault | None:
        """What an object that has ended with *names* lacks."""
        for part in self._parts:
            required = part.get("required")
            for name in required if isinstance(required, list) else ():
                if name not in names:
                    return "required", f"lacks the property {name!r}"
        return None

    def counts(self, items: int) -> PlainFault | None:
        """What is wrong with the size of an array that has ended."""
        return self._broken("minItems", items)

    def forbids(self, name: str) -> bool:
        """Whether an object has no place for the property *name*."""
        return any(
            part.get("additionalProperties") is False
            and not part.get("patternProperties")
            and name not in (part.get("properties") or ())
            for part in self._parts
        )

    def child(self, name: str) -> SchemaPlace | None:
        """The place of the property *name*; None where nothing is plain."""
        if name in self._children:
            return self._children[name]
        schemas: list[Any] = []
        is_declared = False
        for part in self._parts:
            properties = part.get("properties")
            if isinstance(properties, Mapping) and name in properties:
                schemas.append(properties[name])
                is_declared = True
            elif not part.get("patternProperties"):
                schemas.append(part.get("additionalProperties"))
        place = self._place(schemas)
        if is_declared:  # a reply may invent any number of other names
            self._children[name] = place
        return place

    def item(self) -> SchemaPlace | None:
        """The place of every item of an array; None where nothing is plain."""
        if not self._item:
            schemas = [part.get("items") for part in self._parts if "prefixItems" not in part]
            self._item.append(self._place(schemas))
        return self._item[0]

    def limit_text(self, keyword: str) -> str:
        """What is wrong where the tightest bound of *keyword* is passed."""
        return TEXTS[keyword].format(limit=min(self._bounds[keyword]))

    def _place(self, schemas: list[Any]) -> SchemaPlace | None:
        known = [each for each in schemas if isinstance(each, Mapping)]
        return self._document.place(known) if known else None

    def _broken(self, keyword: str, size: int | float) -> PlainFault | None:
        for limit in self._bounds.get(keyword, ()):
            if _passes(keyword, size, limit):
                return keyword, TEXTS[keyword].format(limit=limit)
        return None


def first_misfit(text: str, options: Sequence[str]) -> int | None:
    """How many code points of *text* suffice to begin none of *options*, which are sorted.

    Example:
        >>> first_misfit("wax", ("fire", "water")), first_misfit("wat", ("fire", "water"))
        (3, None)
    """
    if _begins_one(text, options):
        return None
    fits, fails = 0, len(text)
    while fails - fits > 1:
        middle = (fits + fails) // 2
        if _begins_one(text[:middle], options):
            fits = middle
        else:
            fails = middle
    return fails


def _begins_one(text: str, options: Sequence[str]) -> bool:
    at = bisect_left(options, text)
    return at < len(options) and options[at].startswith(text)


def _kinds(held: Any) -> frozenset[str]:
    return frozenset([held] if isinstance(held, str) else held)


def _wrong_type(kinds: frozenset[str]) -> str:
    return f"must be of type {' or '.join(sorted(kinds))}"


def _is_kind(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _CLASSES[kind])


def _equal(held: Any, value: Any) -> bool:
    """As JSON Schema compares: 1 and 1.0 are equal, 1 and true are not."""
    return isinstance(held, bool) == isinstance(value, bool) and bool(held == value)


def _passes(keyword: str, size: int | float, limit: int | float) -> bool:
    if keyword == "exclusiveMaximum":
        return size >= limit
    if keyword == "exclusiveMinimum":
        return size <= limit
    return size > limit if keyword.startswith("max") else size < limit
