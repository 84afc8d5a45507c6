"""Are the declared fields of a template version what they must be?

In      front matter; declared and used variables; blueprint schema
Out     nothing, or TemplateError at the place of the fault
Pure    yes
Spec    002 "Data Model", "Strict Variable Contract"; interfaces.md, "Templates"
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from assay.core.json.canonical import canonical
from assay.core.yaml import Place, Places
from assay.errors import InputError, TemplateError
from assay.templates.frontmatter import FrontMatter
from assay.templates.placeholders import NAME

REQUIRED: Final = ("name", "role", "version", "variables")
FIELDS: Final = (*REQUIRED, "blueprint_schema", "blueprint_instructions")
"""Keys of the front matter."""

_NAME = re.compile(NAME)
_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9_.\-]{0,127}")


def check_fields(parts: FrontMatter) -> None:
    """Only known keys, all required ones, lists and texts where they belong."""
    fields = parts.fields
    for key in fields:
        if key not in FIELDS:
            raise _fault(f"key {key!r} is not known", parts.places, key)
    for key in REQUIRED:
        if key not in fields:
            raise TemplateError(f"the front matter lacks {key!r}", line=1, column=1)
    if not isinstance(fields["variables"], list | None):
        raise _fault("variables must be a list of names", parts.places, "variables")
    if not isinstance(fields.get("blueprint_instructions"), str | None):
        raise _fault("blueprint_instructions must be text", parts.places, "blueprint_instructions")


def check_labels(name: Any, role: Any, version: Any, places: Places) -> None:
    """Name and role can stand in `ROLE/NAME@VERSION`; versions count from 1."""
    for what, label in (("name", name), ("role", role)):
        if not isinstance(label, str) or not _LABEL.fullmatch(label):
            raise _fault(
                f"the {what} must start with a letter and hold only letters, digits, _ . -",
                places,
                what,
            )
    if isinstance(version, bool) or not isinstance(version, int) or not 1 <= version < 2**53:
        raise _fault("the version must be a whole number from 1", places, "version")


def check_variables(declared: Sequence[Any], used: Mapping[str, Place], places: Places) -> None:
    """Exactly the variables of the body are declared, each once."""
    seen: set[str] = set()
    for index, name in enumerate(declared):
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise _fault(
                f"variable {index + 1} is no name: identifiers joined by dots",
                places,
                "variables",
                index,
            )
        if name in seen:
            raise _fault(f"variable {name!r} is declared twice", places, "variables", index)
        seen.add(name)
    for name, (line, column) in used.items():
        if name not in seen:
            raise TemplateError(
                f"variable {name!r} is not declared",
                line=line,
                column=column,
                hint="list it under variables",
            )
    for index, name in enumerate(declared):
        if name not in used:
            raise _fault(
                f"variable {name!r} is declared but stands nowhere in the body",
                places,
                "variables",
                index,
            )


def json_object(schema: Any, places: Places) -> dict[str, Any] | None:
    """A copy of the blueprint schema, which must be an object of JSON values."""
    if schema is None:
        return None
    if not isinstance(schema, Mapping):
        raise _fault("blueprint_schema must be an object", places, "blueprint_schema")
    try:
        copy = json.loads(canonical(dict(schema)))
    except (InputError, TypeError, ValueError, RecursionError) as error:
        raise _fault("blueprint_schema is no JSON", places, "blueprint_schema") from error
    assert isinstance(copy, dict)
    return copy


def _fault(message: str, places: Places, *path: str | int) -> TemplateError:
    line, column = places.get(path, (0, 0))
    return TemplateError(message, line=line, column=column)
