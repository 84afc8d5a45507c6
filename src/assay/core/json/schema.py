"""JSON Schema (draft 2020-12): every fault, named by keyword and place.

In      a schema document, then JSON values
Out     Schema; tuples of Fault
Pure    yes: references are resolved from a given registry, never fetched
Spec    000 H2; interfaces.md, `schema.KEYWORD`

Values are judged as the plain numbers that the output hands on (int, float), not as the
digits in the text: what is accepted is what the caller gets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from json import dumps
from typing import Any, NoReturn, Self

import jsonschema_rs

from assay.core.json.canonical import digest, digest_json
from assay.core.json.pointer import escape
from assay.errors import InputError

MAX_FAULTS = 1000
"""A hostile value can have a fault in every byte."""

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_FORMAT_ASSERTION = "https://json-schema.org/draft/2020-12/vocab/format-assertion"
_OTHER_DRAFTS = ("http://json-schema.org/", "https://json-schema.org/draft/")
# Keywords that hold schemas under names of the author's choosing.
_NAMED = frozenset({"properties", "patternProperties", "dependentSchemas", "dependencies"})
_REFERENCES = frozenset({"$ref", "$dynamicRef"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One place where a value breaks its schema."""

    keyword: str
    """The keyword that failed, as in `required`."""

    pointer: str
    """JSON Pointer to the value that failed; for a missing or surplus property, to its object."""

    message: str
    """What is wrong: facts of the schema, never text of the value."""


class Schema:
    """A compiled schema. Make it with `Schema.compile`; it never changes."""

    __slots__ = ("_names", "_registry", "_validator", "digest", "document", "is_valid")

    document: Mapping[str, Any] | bool
    """The schema as it was given."""

    digest: str
    """Over its canonical bytes; over sorted plain JSON where it holds integers beyond 2^53,
    which the canonical form does not know."""

    is_valid: Callable[[Any], bool]
    """Whether a value has no fault."""

    def __init__(
        self,
        document: Mapping[str, Any] | bool,
        validator: jsonschema_rs.Validator,
        registry: Iterable[Mapping[str, Any] | bool],
    ) -> None:
        self.document = document
        self.digest = _digest(document)
        self._validator = validator
        self._registry = tuple(registry)
        self._names: frozenset[str] | None = None
        self.is_valid = validator.is_valid

    @classmethod
    def compile(
        cls,
        document: Mapping[str, Any] | bool,
        *,
        registry: Mapping[str, Mapping[str, Any] | bool] | None = None,
        formats: bool = False,
    ) -> Self:
        """Compile *document*.

        Args:
            document: The schema; draft 2020-12, whether or not it says so in `$schema`.
            registry: URI -> schema, for references to other documents.
            formats: Whether `format` is an assertion; by the standard it is a remark.

        Raises:
            InputError: it is no schema of this draft, or refers to what is in neither the
                document nor the registry.

        Example:
            >>> schema = Schema.compile({"type": "object", "required": ["label"]})
            >>> [fault.keyword for fault in schema.faults({})]
            ['required']
        """
        declared = document.get("$schema") if isinstance(document, Mapping) else None
        if (
            isinstance(declared, str)
            and declared.startswith(_OTHER_DRAFTS)
            and declared.rstrip("#") != _DRAFT
        ):
            raise InputError(
                f"the schema declares {declared}, another draft of JSON Schema",
                hint=f"write it for {_DRAFT}",
            )
        resources: list[tuple[str, Any]] = list((registry or {}).items())
        given: Any = document
        try:
            known = jsonschema_rs.Registry(resources, retriever=_refuse_to_fetch)
            validator = jsonschema_rs.Draft202012Validator(
                given,
                registry=known,
                retriever=_refuse_to_fetch,
                validate_formats=formats or _asserts_formats(declared, registry or {}),
                ignore_unknown_formats=True,
                mask="…",
            )
        except jsonschema_rs.ReferencingError as error:
            raise InputError(
                "the schema refers to a document that was not given",
                hint="put the schema it refers to under $defs",
            ) from error
        except ValueError as error:
            raise InputError(*_bad_schema(error)) from error
        return cls(document, validator, (registry or {}).values())

    def faults(self, value: Any) -> tuple[Fault, ...]:
        """Every fault of *value*, in order of place and keyword; none when it is valid.

        Of a value with more than MAX_FAULTS faults, so many are given.
        """
        if self.is_valid(value):
            return ()
        faults = sorted(
            map(_fault, islice(self._validator.iter_errors(value), MAX_FAULTS)),
            key=lambda fault: (fault.pointer.split("/"), fault.keyword, fault.message),
        )
        # Invalid without a named fault must not come out as valid.
        return tuple(faults) or (
            Fault(keyword="schema", pointer="", message="the value does not fit the schema"),
        )

    def declares(self, key: str) -> bool:
        """Whether it, or a schema that it may refer to, has a property *key* anywhere."""
        if self._names is None:  # read once: a reply can have a hundred thousand places to ask for
            documents = (self.document, *self._registry)
            self._names = frozenset[str]().union(*map(property_names, documents))
        return key in self._names


def property_names(node: Any) -> frozenset[str]:
    """The properties that a schema document names, at whatever depth."""
    if isinstance(node, list):
        return frozenset().union(*map(property_names, node))
    if not isinstance(node, Mapping):
        return frozenset()
    properties = node.get("properties")
    own = properties if isinstance(properties, Mapping) else ()
    return frozenset(own).union(*map(property_names, node.values()))


def _asserts_formats(dialect: Any, registry: Mapping[str, Mapping[str, Any] | bool]) -> bool:
    """Whether the dialect that a schema declares makes `format` an assertion."""
    meta = registry.get(dialect) if isinstance(dialect, str) else None
    return isinstance(meta, Mapping) and _FORMAT_ASSERTION in meta.get("$vocabulary", ())


def _digest(document: Mapping[str, Any] | bool) -> str:
    try:
        return digest_json(document)
    except InputError:
        return digest(dumps(document, sort_keys=True, separators=(",", ":"), default=str))


def _refuse_to_fetch(uri: str) -> NoReturn:
    raise ValueError(f"{uri} is not among the schemas given; nothing is fetched")


def _bad_schema(error: ValueError) -> tuple[str]:
    if isinstance(error, jsonschema_rs.ValidationError):
        if _keyword(error) in _REFERENCES or error.kind.name == "referencing":
            return ("the schema refers to a document or place that was not given",)
        where = _pointer(error.instance_path) or "/"
        return (f"this is no JSON Schema: {where} breaks the rule of {_keyword(error)!r}",)
    return ("this is no JSON Schema",)


def locate_refusal(error: BaseException) -> tuple[str | int, ...]:
    """Where in the schema document lies what `Schema.compile` refused; () for all of it.

    Example:
        >>> try:
        ...     Schema.compile({"properties": {"a": {"type": "report"}}})
        ... except InputError as error:
        ...     locate_refusal(error)
        ('properties', 'a', 'type')
    """
    cause = error.__cause__
    return tuple(cause.instance_path) if isinstance(cause, jsonschema_rs.ValidationError) else ()


def _pointer(path: list[str | int]) -> str:
    return "".join([f"/{escape(str(step))}" for step in path])


def _fault(error: jsonschema_rs.ValidationError) -> Fault:
    keyword = _keyword(error)
    return Fault(
        keyword=keyword,
        pointer=_pointer(error.instance_path),
        message=_message(keyword, error.kind),
    )


def _keyword(error: jsonschema_rs.ValidationError) -> str:
    name: str = error.kind.name
    if name == "propertyNames":
        return name
    if name == "falseSchema":
        # `false` is no keyword: name the one that put it there.
        steps = [step for step in error.evaluation_path if step not in _REFERENCES]
        if len(steps) > 1 and steps[-2] in _NAMED:
            return str(steps[-2])
        name = "false"
    else:
        steps = error.schema_path
    return next((step for step in reversed(steps) if isinstance(step, str)), name)


_TEXTS = {
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
    facts = kind.as_dict()
    if "property" in facts:
        return f"lacks the property {facts['property']!r}"
    if "types" in facts:
        return f"must be of type {' or '.join(sorted(facts['types']))}"
    if kind.name == "falseSchema":
        return "is not allowed here"
    try:
        return _TEXTS[keyword].format_map(facts)
    except (KeyError, ValueError, AttributeError):
        return f"breaks the rule of {keyword!r}"
