"""A schema that takes for an integer only what a double holds exactly.

In      a schema document
Out     the same, with the bounds of exact integers wherever it asks for one
Pure    yes
Spec    005-G13; interfaces.md, "Strictness" (integers beyond 2^53 - 1)

By the standard `1e22` is an integer. What reads it as one has digits that nobody wrote, so where
a schema asks for an integer the bound holds for every writing. Asked only about outputs that
have such a number.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.core.json.faults import MAX_INTEGER
from assay.core.json.schema_drafts import LATEST, Draft, draft_within, subschemas

_EXACT = {"minimum": -MAX_INTEGER, "maximum": MAX_INTEGER}


def bound_integers(document: Any, draft: Draft = LATEST) -> Any:
    """*document* with bounds in every schema whose `type` is an integer and no other number.

    Example:
        >>> bound_integers({"type": "integer"})["allOf"]
        [{'minimum': -9007199254740991, 'maximum': 9007199254740991}]
    """
    if not isinstance(document, Mapping):
        return document
    draft = draft_within(document, draft)
    bounded = dict(document)
    for _, (keyword, *name), each in list(subschemas(document, draft)):
        inner = bound_integers(each, draft)
        if not name:
            bounded[keyword] = inner
            continue
        if bounded[keyword] is document[keyword]:
            held = document[keyword]
            bounded[keyword] = dict(held) if isinstance(held, Mapping) else list(held)
        bounded[keyword][name[0]] = inner
    kind = document.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    if "integer" in kinds and "number" not in kinds:
        bounded["allOf"] = [*bounded.get("allOf", []), _EXACT]
    return bounded
