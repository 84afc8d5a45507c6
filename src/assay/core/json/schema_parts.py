"""What of a schema describes a value: the schema itself, what it refers to, and its `allOf`.

In      a schema document and a schema within it
Out     the schemas that all hold for the same value
Pure    yes: references are followed within the document only
Spec    JSON Schema core, sections 8.2.3 and 10.2.1.1
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.core.json.pointer import unescape


def parts_of(document: Any, schema: Any) -> list[Any]:
    """*schema* and all that is put to the same value whatever the value is, each once.

    A reference that leads out of the document gives None: nothing is known of it.

    Example:
        >>> document = {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}}
        >>> parts_of(document, document)[1:]
        [{'type': 'object'}]
    """
    parts: list[Any] = []
    waiting = [schema]
    seen: set[int] = set()
    for part in waiting:
        if id(part) in seen:
            continue
        parts.append(part)
        if not isinstance(part, Mapping):
            continue
        seen.add(id(part))
        if isinstance(part.get("$ref"), str):
            waiting.append(referred(document, part["$ref"]))
        if isinstance(part.get("allOf"), list):
            waiting += part["allOf"]
    return parts


def referred(document: Any, reference: str) -> Any:
    """What stands at `#` or `#/…` of *document*; None for others, or when nothing does."""
    if reference != "#" and not reference.startswith("#/"):
        return None
    found = document
    for step in reference.split("/")[1:]:
        found = found.get(unescape(step)) if isinstance(found, Mapping) else None
    return found
