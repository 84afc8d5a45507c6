"""A pydantic class becomes a JSON Schema that says no less than a pack's would.

In      a pydantic class
Out     the schema document: closed objects, markers, only formats that the gate knows
Pure    yes
Spec    007-C1, 007-C3; interfaces.md, "Python"

What a class leaves open by silence is closed here: a key that it does not declare is a fault,
unless the class itself says `extra="ignore"` or `extra="allow"`. Values are read strictly: a number
in quotes is no number.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Final

from pydantic import AliasChoices, AliasPath, BaseModel, PydanticUserError
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUndefinedAnnotation
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from assay.contract.classes.asked import markers_asked, markers_in
from assay.core.json.schema import Schema
from assay.core.json.schema_drafts import unknown_format
from assay.core.json.schema_parts import parts_of
from assay.errors import AssayError, ContractClassError
from assay.gate.marked import FORMAT, LABELS, QUOTE, schema_nodes, unreached_marker

_WAYS: Final = ("anyOf", "oneOf")


class _Closed(GenerateJsonSchema):
    """Pydantic's own schema, closed where the class is silent, and without made-up titles."""

    ignored_warning_kinds: Any = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        return _close(super().model_schema(schema), schema["cls"], "model_config")

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        return _close(super().dataclass_schema(schema), schema["cls"], "__pydantic_config__")

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonSchemaValue:
        return _close(super().typed_dict_schema(schema), schema.get("cls"), "__pydantic_config__")

    def date_schema(self, schema: core_schema.DateSchema) -> JsonSchemaValue:
        return _remark(super().date_schema(schema))

    def time_schema(self, schema: core_schema.TimeSchema) -> JsonSchemaValue:
        return _remark(super().time_schema(schema))

    def datetime_schema(self, schema: core_schema.DatetimeSchema) -> JsonSchemaValue:
        return _remark(super().datetime_schema(schema))

    def timedelta_schema(self, schema: core_schema.TimedeltaSchema) -> JsonSchemaValue:
        return _remark(super().timedelta_schema(schema))

    def uuid_schema(self, schema: core_schema.UuidSchema) -> JsonSchemaValue:
        return _remark(super().uuid_schema(schema))

    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> JsonSchemaValue:
        found = super().tagged_union_schema(schema)
        if "oneOf" in found:  # the tag decides, which a function may read: several ways may fit
            found["anyOf"] = found.pop("oneOf")
        return found

    def url_schema(self, schema: core_schema.UrlSchema) -> JsonSchemaValue:
        return _remark(super().url_schema(schema))

    def multi_host_url_schema(self, schema: core_schema.MultiHostUrlSchema) -> JsonSchemaValue:
        return _remark(super().multi_host_url_schema(schema))


def _remark(found: JsonSchemaValue) -> JsonSchemaValue:
    """What such a text looks like is told to the model and judged by the class alone, which takes
    a time without a zone, say, as JSON Schema does not."""
    if "format" in found:
        found[FORMAT] = found.pop("format")
    return found


def _close(found: JsonSchemaValue, cls: Any, config: str) -> JsonSchemaValue:
    said = (getattr(cls, config, None) or {}).get("extra")
    if said is None and found.get("type") == "object":
        found.setdefault("additionalProperties", False)
    return found


def class_document(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema that outputs for *model* are held to.

    Raises:
        ContractClassError: it is no class of pydantic, is not complete, or says something that an
            output in JSON cannot be held to.
    """
    _require_class(model)
    name = model.__name__
    try:
        if not model.__pydantic_complete__:
            model.model_rebuild(raise_errors=True)
        _refuse_inner(model, set())
        document = model.model_json_schema(schema_generator=_Closed, by_alias=True)
    except ContractClassError:
        raise
    except PydanticUndefinedAnnotation as error:
        raise ContractClassError(
            f"class {name!r} names a type that is not defined yet: {error.name!r}",
            hint="define it before, or call model_rebuild() once it is",
        ) from error
    except PydanticInvalidForJsonSchema as error:
        raise ContractClassError(
            f"class {name!r} has a field that JSON cannot hold",
            hint="use types that pydantic has a JSON Schema for",
        ) from error
    except PydanticUserError as error:
        raise ContractClassError(
            f"class {name!r} cannot be read by pydantic ({error.code})",
            hint="pydantic's own message stands in the cause of this error",
        ) from error
    except Exception as error:  # a type of a stranger says what it is in code of its own
        raise ContractClassError(
            f"class {name!r} cannot be read ({type(error).__name__})",
            hint='a marker is called, as in Annotated[str, Quote("body")]; else see the cause',
        ) from error
    _set_aside(document)
    for node in schema_nodes(document):
        if isinstance(node.get("propertyNames"), dict):  # a key is a text, which nobody says
            node["propertyNames"].setdefault("type", "string")
    check_document(document, name)
    return document


def check_document(document: Mapping[str, Any], name: str) -> None:
    """Raises ContractClassError where outputs are no objects, or a marker asks nothing."""
    root = parts_of(document, document)
    if not any(isinstance(part, Mapping) and _is_object(document, part) for part in root):
        raise ContractClassError(
            f"class {name!r} is no JSON object",
            hint="put the value into a field: an output is one JSON object",
        )
    _require_texts(document, name)


def compile_document(document: Mapping[str, Any], name: str) -> Schema:
    """The schema that judges.

    Raises:
        ContractClassError: the gate cannot judge by it.
    """
    try:
        return Schema.compile(document, formats=True)
    except AssayError as error:
        raise ContractClassError(
            f"class {name!r} has a schema that the gate cannot judge by: {error}",
            hint=error.hint or "loosen the field, and put the question into a validator",
        ) from error


def _require_class(model: Any) -> None:
    if not (inspect.isclass(model) and issubclass(model, BaseModel)):
        kind = model.__name__ if inspect.isclass(model) else type(model).__name__
        raise ContractClassError(
            f"{kind!r} is no class of pydantic", hint="derive it from pydantic.BaseModel"
        )
    if model is BaseModel:
        raise ContractClassError("BaseModel itself says nothing", hint="derive a class from it")
    _require_said(model)


def _require_said(model: type[BaseModel]) -> None:
    parameters = getattr(model, "__pydantic_generic_metadata__", {}).get("parameters", ())
    if parameters:
        names = ", ".join(str(each) for each in parameters)
        raise ContractClassError(
            f"class {model.__name__!r} is generic and its {names} is not said",
            hint=f"say it: {model.__name__}[str]",
        )


def _refuse_inner(model: type[BaseModel], seen: set[type]) -> None:
    """What a field says that no schema tells: a value that lies elsewhere than under one name, a
    class within that is not said, a marker that a validator takes the place of."""
    if model in seen:
        return
    seen.add(model)
    opened = model.model_config.get("extra") in ("allow", "ignore")
    for name, info in model.model_fields.items():
        where = f"field {name!r} of class {model.__name__!r}"
        alias = info.validation_alias
        choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
        if isinstance(choices[0], AliasPath):
            raise ContractClassError(
                f"{where} is read from a path (AliasPath)",
                hint="declare the objects on the way as classes",
            )
        if len(choices) > 1 and opened:
            raise ContractClassError(
                f"{where} has several names, and the class takes keys that it does not declare",
                hint="the schema knows the first name alone: leave the others, or `extra`, out",
            )
        asked = set(markers_in(model.model_fields[name]))
        if asked - set(markers_asked(model, name)):
            raise ContractClassError(
                f"{where} has a marker that a plain validator takes the place of",
                hint="use BeforeValidator or AfterValidator, or put the marker outside",
            )
        for inner in _classes_in(info.annotation):
            _require_said(inner)
            _refuse_inner(inner, seen)


def _classes_in(annotation: Any) -> list[type[BaseModel]]:
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        return [annotation]
    arguments = getattr(annotation, "__args__", ())
    return [inner for argument in arguments for inner in _classes_in(argument)]


def _set_aside(document: dict[str, Any]) -> None:
    """Formats that the gate does not know: pydantic judges them itself."""
    while (found := unknown_format(document)) is not None:
        *steps, last = found[0]
        node: Any = document
        for step in steps:
            node = node[step]
        node[FORMAT] = node.pop(last)


def _is_object(document: Any, part: Mapping[str, Any]) -> bool:
    if part.get("type") == "object" or "properties" in part:
        return True
    for key in _WAYS:
        if key in part:
            return all(
                any(
                    isinstance(each, Mapping) and _is_object(document, each)
                    for each in parts_of(document, way)
                )
                for way in part[key]
            )
    return False


def _require_texts(document: Any, name: str) -> None:
    """A marker at a place that can hold no text would ask nothing."""
    for node in schema_nodes(document):
        sources, named = node.get(QUOTE, []), node.get(LABELS, "")
        if not (isinstance(sources, list) and isinstance(named, str)) or not all(
            isinstance(source, str) for source in sources
        ):
            raise ContractClassError(
                f"class {name!r} says something odd under a keyword of ours in its schema",
                hint="write markers, not keywords",
            )
    if unreached_marker(document):
        raise ContractClassError(
            f"class {name!r} has a marker within a text that is JSON",
            hint="declare what the text holds as a field of its own",
        )
    for node in schema_nodes(document):
        for marker, word in ((QUOTE, "Quote"), (LABELS, "Label")):
            if marker in node and not _may_be_text(document, node):
                raise ContractClassError(
                    f"class {name!r} has a {word} where no text can stand",
                    hint=f"put it on the text itself: list[Annotated[str, {word}(…)]]",
                )


def _may_be_text(document: Any, node: Mapping[str, Any]) -> bool:
    for part in parts_of(document, node):
        if not isinstance(part, Mapping):
            continue
        if part.get("type") == "string" or isinstance(part.get("const"), str):
            return True
        if any(isinstance(each, str) for each in part.get("enum", ())):
            return True
        if any(_may_be_text(document, way) for key in _WAYS for way in part.get(key, ())):
            return True
    return False
