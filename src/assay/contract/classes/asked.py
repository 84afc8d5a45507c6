"""Which markers a field names, and which of them pydantic will really ask.

In      a pydantic class and the name of a field
Out     markers of its annotation; markers in what pydantic made of it
Pure    yes
Spec    007-C3

A plain validator stands in the place of all that a type says: a marker within it is never asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from assay.contract.classes.markers import Label, Quote

_CLASSES = ("model", "dataclass", "typed-dict")
"""Kinds of pydantic's schema that have fields of their own."""


def markers_in(info: FieldInfo) -> Iterator[Quote | Label]:
    """The markers of a field's own annotation; those of classes within it are theirs."""
    yield from (each for each in info.metadata if isinstance(each, Quote | Label))
    yield from _annotated(info.annotation)


def markers_asked(model: type[BaseModel], name: str) -> Iterator[Quote | Label]:
    """The markers that pydantic asks when it reads the field *name* of *model*."""
    for field in _fields_of(model.__pydantic_core_schema__, model, name):
        yield from _asking(field)


def _annotated(annotation: Any) -> Iterator[Quote | Label]:
    yield from (
        each for each in getattr(annotation, "__metadata__", ()) if isinstance(each, Quote | Label)
    )
    inner = list(getattr(annotation, "__args__", ()))
    inner.append(getattr(annotation, "__origin__", None))
    inner.append(getattr(annotation, "__value__", None))  # of `type X = …`
    for each in inner:
        if each is not None and each is not annotation and not isinstance(each, type):
            yield from _annotated(each)


def _fields_of(node: Any, model: type[BaseModel], name: str) -> Iterator[Any]:
    """What pydantic made of the field, wherever the class stands in the whole."""
    if isinstance(node, list | tuple):
        for each in node:
            yield from _fields_of(each, model, name)
    elif isinstance(node, Mapping):
        if node.get("type") == "model" and node.get("cls") is model:
            found = _own_fields(node.get("schema"))
            if name in found:
                yield found[name]
                return
        for key, each in node.items():
            if key not in ("metadata", "serialization", "cls"):
                yield from _fields_of(each, model, name)


def _own_fields(node: Any) -> Mapping[str, Any]:
    while isinstance(node, Mapping):
        if node.get("type") == "model-fields":
            fields: Mapping[str, Any] = node["fields"]
            return fields
        node = node.get("schema")
    return {}


def _asking(node: Any) -> Iterator[Quote | Label]:
    if isinstance(node, list | tuple):
        for each in node:
            yield from _asking(each)
    elif isinstance(node, Mapping):
        if node.get("type") in _CLASSES:
            return
        function = node.get("function")
        if isinstance(function, Mapping):
            owner = getattr(function.get("function"), "__self__", None)
            if isinstance(owner, Quote | Label):
                yield owner
        for key, each in node.items():
            if key not in ("metadata", "serialization", "cls"):
                yield from _asking(each)
