"""Prompt text beside the template: the formatter's blueprint, and the fallback prompt.

In      blueprint fields; role and input
Out     text
Pure    yes, deterministic
Spec    002 "Blueprint Injection (Formatter Role)", "Fallback Prompt"
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from assay.core.json.canonical import canonical
from assay.core.json.schema import Schema, locate_refusal
from assay.core.yaml import Places
from assay.errors import AssayError, InputError, TemplateError

FORMATTER: Final = "formatter"
"""The one role whose prompts carry a blueprint."""

FIELD: Final = "blueprint_schema"
"""Its key in the front matter."""

INSTRUCTIONS_HEADER: Final = "STRUCTURE BLUEPRINT INSTRUCTIONS"
SCHEMA_HEADER: Final = "SCHEMA JSON:"


def blueprint_text(role: str, instructions: str, schema: Mapping[str, Any] | None) -> str:
    """What is appended to a prompt; empty for every role but `formatter`.

    Example:
        >>> blueprint_text("formatter", " Keep order. ", {"b": 1, "a": 2})
        '\\n\\nSTRUCTURE BLUEPRINT INSTRUCTIONS\\nKeep order.\\n\\nSCHEMA JSON:\\n{"a":2,"b":1}'
        >>> blueprint_text("writer", "Keep order.", None)
        ''
    """
    if role != FORMATTER:
        return ""
    parts: list[str] = []
    if trimmed := instructions.strip():
        parts.append(f"{INSTRUCTIONS_HEADER}\n{trimmed}")
    if schema:
        parts.append(f"{SCHEMA_HEADER}\n{canonical(dict(schema)).decode('utf-8')}")
    return "".join(f"\n\n{part}" for part in parts)


def check_blueprint(
    role: str, schema: Mapping[str, Any] | None, places: Places = MappingProxyType({})
) -> None:
    """What a formatter shows must be a schema that its output can be held to.

    Args:
        places: Where the fields stand in the template's file, for faults.

    Raises:
        TemplateError: it is JSON, and no JSON Schema; with line and column of the innermost
            part that is at fault.

    Example:
        >>> check_blueprint("formatter", {"type": "object"})
        >>> check_blueprint("formatter", {"type": "report"})
        Traceback (most recent call last):
        ...
        assay.errors.TemplateError: blueprint_schema is no JSON Schema
    """
    if role != FORMATTER or schema is None:
        return
    try:
        Schema.compile(dict(schema))
    except AssayError as error:
        path = (FIELD, *locate_refusal(error))
        while len(path) > 1 and path not in places:
            path = path[:-1]
        line, column = places.get(path, (0, 0))
        raise TemplateError(
            "blueprint_schema is no JSON Schema", line=line, column=column, hint=str(error)
        ) from error


def fallback_parts(role: str, variables: Mapping[str, Any]) -> tuple[str, str, str]:
    """`ROLE: <role>\\nINPUT: `, the sorted JSON of the input, and the last line end.

    Raises:
        InputError: the input is no JSON.
    """
    try:
        written = json.dumps(dict(variables), sort_keys=True, ensure_ascii=False, allow_nan=False)
        written.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError("the input of the fallback prompt is no JSON") from error
    return f"ROLE: {role}\nINPUT: ", written, "\n"
