"""JSON Schema, by the draft that it declares: every fault, named by keyword and place.

In      a schema document, then JSON values
Out     Schema; tuples of Fault
Pure    yes: references are resolved from a given registry, never fetched
Spec    000 H2; 005-G12; interfaces.md, `schema.KEYWORD`

Values are judged as the plain numbers that the output hands on (int, float), not as the
digits in the text: what is accepted is what the caller gets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import islice
from json import dumps
from typing import Any, Final, NoReturn, Self

import jsonschema_rs

from assay.core.json.canonical import digest, digest_json
from assay.core.json.schema_drafts import (
    DRAFTS,
    FORMATS,
    LATEST,
    REFERENCES,
    Draft,
    declared_draft,
)
from assay.core.json.schema_faults import (
    MAX_FAULTS,
    Explainer,
    Fault,
    fault_of,
    keyword_of,
    pointer_of,
)
from assay.core.json.schema_graph import Node, SchemaGraph
from assay.core.json.schema_integers import bound_integers
from assay.errors import InputError

__all__ = ["MAX_FAULTS", "Fault", "Schema", "locate_refusal", "property_names"]

_FORMAT_ASSERTION = "https://json-schema.org/draft/2020-12/vocab/format-assertion"
_MAX_UNBOUNDED: Final = 20_000
"""Explanations that only the library can give are asked for up to this estimate of their work."""


class Schema:
    """A compiled schema. Make it with `Schema.compile`; it never changes."""

    __slots__ = (
        "_compile_exact",
        "_exact",
        "_explainer",
        "_graph",
        "_names",
        "_registry",
        "_validator",
        "_ways",
        "asserts_formats",
        "digest",
        "document",
        "is_valid",
        "reads_plainly",
    )

    document: Mapping[str, Any] | bool
    """The schema as it was given."""

    digest: str
    """Over its canonical bytes; over sorted plain JSON where it holds integers beyond 2^53,
    which the canonical form does not know."""

    is_valid: Callable[[Any], bool]
    """Whether a value has no fault; in linear time."""

    asserts_formats: bool
    """Whether `format` asks something of a value."""

    reads_plainly: bool
    """Whether it declares a known draft, or none, and no dialect of its own."""

    def __init__(
        self,
        document: Mapping[str, Any] | bool,
        validator: jsonschema_rs.Validator,
        registry: Iterable[Mapping[str, Any] | bool],
        graph: SchemaGraph,
        explainer: Explainer | None,
        compile_exact: Callable[[], Schema],
        *,
        asserts_formats: bool,
        reads_plainly: bool,
    ) -> None:
        self.document = document
        self.digest = _digest(document)
        self._validator = validator
        self._registry = tuple(registry)
        self._names: frozenset[str] | None = None
        self._graph = graph
        self._explainer = explainer
        self._ways: int | None = None
        self._exact: Schema | None = None
        self._compile_exact = compile_exact
        self.asserts_formats = asserts_formats
        self.reads_plainly = reads_plainly
        self.is_valid = validator.is_valid

    @classmethod
    def compile(
        cls,
        document: Mapping[str, Any] | bool,
        *,
        registry: Mapping[str, Mapping[str, Any] | bool] | None = None,
        formats: bool | None = None,
    ) -> Self:
        """Compile *document*.

        Args:
            document: The schema, of the draft that it declares in `$schema`; draft 2020-12
                when it declares none.
            registry: URI -> schema, for references to other documents.
            formats: Whether `format` is an assertion. None follows the draft: an assertion up
                to draft 7, a remark from 2019-09 on.

        Raises:
            InputError: it is no schema of its draft, declares one that is not known, refers to
                what is in neither the document nor the registry, or constrains nothing though
                it looks as if it did.

        Example:
            >>> schema = Schema.compile({"type": "object", "required": ["label"]})
            >>> [fault.keyword for fault in schema.faults({})]
            ['required']
        """
        known = dict(registry or {})
        draft, is_plain = _draft(document, known)
        declared = document.get("$schema") if isinstance(document, Mapping) else None
        formats = _asserts_formats(declared, known) or formats

        def compile_part(
            part: Any, draft: Draft = draft, others: Iterable[tuple[str, Any]] = known.items()
        ) -> jsonschema_rs.Validator:
            return draft.validator(
                part,
                registry=jsonschema_rs.Registry(list(others), retriever=_refuse_to_fetch),
                retriever=_refuse_to_fetch,
                formats=dict(_missing_formats(draft)) if formats else None,
                validate_formats=formats,
                ignore_unknown_formats=True,
                mask="…",
            )

        try:
            validator = compile_part(document)
        except jsonschema_rs.ReferencingError as error:
            raise InputError(
                "the schema refers to a document that was not given",
                hint="put the schema it refers to under $defs",
            ) from error
        except ValueError as error:
            raise InputError(*_bad_schema(error)) from error
        graph = SchemaGraph(document, known, draft)
        fault = graph.fault()
        if fault is not None:
            raise InputError(fault)

        def compile_at(part: Any, node: Node) -> jsonschema_rs.Validator:
            return compile_part(part, graph.draft(node), graph.documents.items())

        explainer = Explainer(graph, compile_at) if is_plain and not graph.is_opaque else None

        def compile_exact() -> Schema:
            others = {uri: bound_integers(other) for uri, other in known.items()}
            return cls.compile(bound_integers(document), registry=others, formats=formats)

        return cls(
            document,
            validator,
            known.values(),
            graph,
            explainer,
            compile_exact,
            asserts_formats=draft.number <= 7 if formats is None else formats,
            reads_plainly=is_plain,
        )

    def faults(self, value: Any) -> tuple[Fault, ...]:
        """Every fault of *value*, in order of place and keyword; none when it is valid.

        Of a value with more than MAX_FAULTS faults, so many are given.
        """
        if self.is_valid(value):
            return ()
        found: list[Fault] = []
        if self._explainer is not None:
            found = self._explainer.faults(value)
        elif self._work(value) <= _MAX_UNBOUNDED:
            found = list(map(fault_of, islice(self._validator.iter_errors(value), MAX_FAULTS)))
        found.sort(key=lambda fault: (fault.pointer.split("/"), fault.keyword, fault.message))
        # Invalid without a named fault must not come out as valid.
        return tuple(found) or (
            Fault(keyword="schema", pointer="", message="the value does not fit the schema"),
        )

    def inexact_integers(self, value: Any) -> tuple[Fault, ...]:
        """Where an integer is asked for and *value*, which fits, has one beyond 2^53 - 1."""
        if self._exact is None:
            self._exact = self._compile_exact()
        return self._exact.faults(value)

    @property
    def graph(self) -> SchemaGraph:
        """Where its schemas lie and its references lead."""
        return self._graph

    @property
    def names_format(self) -> bool:
        """Whether some schema that it reaches asks for a `format`."""
        return self._graph.names_format

    def _work(self, value: Any) -> int:
        """From above, what the library's own explanation of *value* costs."""
        if self._ways is None:
            self._ways = self._graph.ways()
        size = depth = 0
        level = [value]
        while level:
            size, depth = size + len(level), depth + 1
            level = [
                child
                for node in level
                if isinstance(node, dict | list)
                for child in (node.values() if isinstance(node, dict) else node)
            ]
            if size > _MAX_UNBOUNDED:
                break
        return int(size * self._ways ** min(depth, 64))

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


def _draft(document: Any, registry: Mapping[str, Any]) -> tuple[Draft, bool]:
    """The draft that *document* is read by, and whether it declares no dialect of its own."""
    draft = declared_draft(document)
    if draft is not None:
        return draft, True
    declared = document["$schema"]
    meta = registry.get(declared) if isinstance(declared, str) else None
    if meta is None:
        known = ", ".join(f"https://{each.uri}" for each in DRAFTS)
        raise InputError(
            f"the schema declares {declared!r}, no draft of JSON Schema that is known",
            hint=f"known: {known}",
        )
    return declared_draft(meta) or LATEST, False


@cache
def _missing_formats(draft: Draft) -> tuple[tuple[str, Callable[[str], bool]], ...]:
    """The formats that *draft* does not know by itself."""
    missing = []
    for name, check in FORMATS.items():
        try:
            draft.validator({"format": name}, validate_formats=True, ignore_unknown_formats=False)
        except ValueError:
            missing.append((name, check))
    return tuple(missing)


def _digest(document: Mapping[str, Any] | bool) -> str:
    try:
        return digest_json(document)
    except InputError:
        return digest(dumps(document, sort_keys=True, separators=(",", ":"), default=str))


def _refuse_to_fetch(uri: str) -> NoReturn:
    raise ValueError(f"{uri} is not among the schemas given; nothing is fetched")


def _bad_schema(error: ValueError) -> tuple[str]:
    if isinstance(error, jsonschema_rs.ValidationError):
        if keyword_of(error) in REFERENCES or error.kind.name == "referencing":
            return ("the schema refers to a document or place that was not given",)
        where = pointer_of(error.instance_path) or "/"
        return (f"this is no JSON Schema: {where} breaks the rule of {keyword_of(error)!r}",)
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
