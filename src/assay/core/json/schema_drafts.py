"""The drafts of JSON Schema: which one a schema declares, and what its keywords hold.

In      the `$schema` of a document
Out     Draft: the library's validator for it, and the year-number that orders drafts
Pure    yes
Spec    005-G12; interfaces.md, "The gate" ("a schema is read by the draft it declares")

A keyword that a draft does not know is a remark there: `if` in draft 6, `prefixItems` in
draft 7. Up to draft 7 whatever stands beside `$ref` is a remark, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

import jsonschema_rs


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One draft of JSON Schema."""

    number: int
    """4, 6, 7, 19 or 20: drafts are ordered by it."""

    uri: str
    """What `$schema` says, without scheme and an empty fragment."""

    validator: type[jsonschema_rs.Validator]
    """The library's implementation."""

    @property
    def id_keyword(self) -> str:
        """The keyword that names a resource."""
        return "id" if self.number == 4 else "$id"

    @property
    def is_ref_alone(self) -> bool:
        """Whether `$ref` hides all that stands beside it."""
        return self.number <= 7


DRAFTS: Final = (
    Draft(number=4, uri="json-schema.org/draft-04/schema", validator=jsonschema_rs.Draft4Validator),
    Draft(number=6, uri="json-schema.org/draft-06/schema", validator=jsonschema_rs.Draft6Validator),
    Draft(number=7, uri="json-schema.org/draft-07/schema", validator=jsonschema_rs.Draft7Validator),
    Draft(
        number=19,
        uri="json-schema.org/draft/2019-09/schema",
        validator=jsonschema_rs.Draft201909Validator,
    ),
    Draft(
        number=20,
        uri="json-schema.org/draft/2020-12/schema",
        validator=jsonschema_rs.Draft202012Validator,
    ),
)
LATEST: Final = DRAFTS[-1]
"""What a schema is read by that declares nothing."""

_BY_URI: Final[Mapping[str, Draft]] = {draft.uri: draft for draft in DRAFTS}

ANNOTATIONS: Final = frozenset(
    [
        "$schema",
        "$id",
        "id",
        "$comment",
        "$anchor",
        "$vocabulary",
        "title",
        "description",
        "default",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
    ]
)
"""Keywords that say something about a schema and ask nothing of a value."""

DEFINITIONS: Final = ("$defs", "definitions")
REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")

# Keyword -> the first and the last draft that know it as a place of schemas.
_IN_PLACE: Final[Mapping[str, tuple[int, int]]] = {
    "allOf": (4, 20),
    "anyOf": (4, 20),
    "oneOf": (4, 20),
    "not": (4, 20),
    "if": (7, 20),
    "then": (7, 20),
    "else": (7, 20),
    "dependentSchemas": (19, 20),
    "dependencies": (4, 20),
}
_INTO_OBJECT: Final[Mapping[str, tuple[int, int]]] = {
    "properties": (4, 20),
    "patternProperties": (4, 20),
    "additionalProperties": (4, 20),
    "propertyNames": (6, 20),
    "unevaluatedProperties": (19, 20),
}
_INTO_ARRAY: Final[Mapping[str, tuple[int, int]]] = {
    "items": (4, 20),
    "prefixItems": (20, 20),
    "additionalItems": (4, 19),
    "contains": (6, 20),
    "unevaluatedItems": (19, 20),
}
IN_PLACE: Final = frozenset(_IN_PLACE)
"""Keywords whose schemas are put to the same value."""

NAMED: Final = frozenset({"properties", "patternProperties", "dependentSchemas", "dependencies"})
"""Keywords that hold schemas under names of the author's choosing, and put values to them."""

_KNOWN: Final[Mapping[str, tuple[int, int]]] = {
    **_IN_PLACE,
    **_INTO_OBJECT,
    **_INTO_ARRAY,
    **dict.fromkeys(DEFINITIONS, (4, 20)),
}

APPLICATORS: Final = frozenset(_KNOWN.keys() - {*DEFINITIONS})
"""Keywords that put a value, or what lies in it, to the schemas that they hold."""

KEYWORDS: Final = (
    frozenset(
        [
            "$ref",
            "$dynamicRef",
            "$recursiveRef",
            "type",
            "enum",
            "const",
            "multipleOf",
            "maximum",
            "exclusiveMaximum",
            "minimum",
            "exclusiveMinimum",
            "maxLength",
            "minLength",
            "pattern",
            "format",
            "maxItems",
            "minItems",
            "uniqueItems",
            "maxContains",
            "minContains",
            "maxProperties",
            "minProperties",
            "required",
            "dependentRequired",
            "contentEncoding",
            "contentMediaType",
            "contentSchema",
        ]
    )
    | APPLICATORS
)
"""Every keyword of any draft that may ask something of a value."""

Step = tuple[str | int, ...]
"""From a schema to one within it."""


def declared_draft(schema: Any) -> Draft | None:
    """The draft that *schema* declares; None for one that is not known.

    Example:
        >>> declared_draft({"$schema": "https://json-schema.org/draft-07/schema#"}).number
        7
    """
    declared = schema.get("$schema") if isinstance(schema, Mapping) else None
    if declared is None:
        return LATEST
    if not isinstance(declared, str):
        return None
    for scheme in ("http://", "https://"):
        if declared.startswith(scheme):
            return _BY_URI.get(declared.removeprefix(scheme).removesuffix("#"))
    return None


def draft_within(schema: Any, around: Draft) -> Draft:
    """What *schema* declares, else the draft of what surrounds it."""
    if not isinstance(schema, Mapping) or "$schema" not in schema:
        return around
    return declared_draft(schema) or around


def knows(keyword: str, draft: Draft) -> bool:
    """Whether *keyword* holds schemas in *draft*."""
    first, last = _KNOWN.get(keyword, (99, 0))
    return first <= draft.number <= last


def subschemas(schema: Mapping[str, Any], draft: Draft) -> Iterator[tuple[str, Step, Any]]:
    """Every schema that stands directly in *schema*: its keyword, the steps to it, itself."""
    alone = draft.is_ref_alone and isinstance(schema.get("$ref"), str)
    for keyword, held in schema.items():
        if not knows(keyword, draft) or (alone and keyword not in DEFINITIONS):
            continue
        if keyword in NAMED or keyword in DEFINITIONS:
            for name, each in held.items() if isinstance(held, Mapping) else ():
                if isinstance(each, Mapping | bool):
                    yield keyword, (keyword, name), each
        elif isinstance(held, list):
            for place, each in enumerate(held):
                yield keyword, (keyword, place), each
        elif isinstance(held, Mapping | bool):
            yield keyword, (keyword,), held


_FORMATS: Final = [
    "date",
    "date-time",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uri-template",
    "uuid",
    "json-pointer",
    "relative-json-pointer",
    "regex",
]
REMARKS: Final = frozenset(
    [
        "int32",
        "int64",
        "float",
        "double",
        "byte",
        "binary",
        "password",
        "path",
        "file-path",
        "directory-path",
    ]
)
"""Formats of other standards that describe how a value is stored or shown."""


def _format_check(name: str) -> Callable[[str], bool]:
    check = jsonschema_rs.Draft202012Validator({"format": name}, validate_formats=True)
    return check.is_valid


FORMATS: Final[Mapping[str, Callable[[str], bool]]] = {
    name: _format_check(name) for name in _FORMATS
}
"""Every format that can be judged, by the rules of the latest draft: an earlier draft does not
know some of them, and what a contract's author asks for is judged all the same."""


def unknown_format(document: Any) -> tuple[Step, str] | None:
    """Steps to the first `format` of *document* that nobody knows, and what to say of it.

    The standard passes over it. In a contract it would be a check that checks nothing.
    """
    waiting: list[tuple[Any, Draft, Step]] = [(document, LATEST, ())]
    while waiting:
        schema, draft, at = waiting.pop()
        if not isinstance(schema, Mapping):
            continue
        draft = draft_within(schema, draft)
        name = schema.get("format")
        if isinstance(name, str) and name not in FORMATS and name not in REMARKS:
            near = get_close_matches(name, FORMATS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else "`formats: false` takes it as a remark"
            message = f"the format {name!r} is not known, so it would not be judged; {hint}"
            return (*at, "format"), message
        waiting += [(each, draft, (*at, *steps)) for _, steps, each in subschemas(schema, draft)]
    return None
