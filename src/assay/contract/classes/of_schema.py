"""A JSON Schema that somebody sends along, as a contract's document: no class, no pack.

In      a schema, a name, a prompt
Out     the document that `Contract.from_record` reads
Pure    yes
Spec    009-O2; 007-C5

It is recorded beside each prompt as that of a class is, so that its calls can be replayed and
decided from the record alone. Markers of quotes hold as they do for a class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.contract.budget import Attempt, Budget
from assay.contract.classes.declared import LADDER, LIMITS, check_name
from assay.contract.classes.read import check_document
from assay.errors import ContractClassError
from assay.gate.marked import FORMAT, LABELS, is_marked


def describe_schema(
    document: Mapping[str, Any],
    *,
    name: str,
    prompt: str,
    attempts: Sequence[Attempt] = LADDER,
    budget: Budget = LIMITS,
    system_inputs: Sequence[str] = (),
) -> dict[str, Any]:
    """What a contract over *document* says, as it stands on record.

    Raises:
        UsageError: *name* is no name of a contract.
        ContractClassError: outputs for the schema are no objects, or it has a marker that only a
            class can hold to.
    """
    given = check_name(name)
    for keyword in (FORMAT, LABELS):
        if is_marked(document, keyword):
            raise ContractClassError(
                f"schema {given!r} says {keyword!r}, which only a class can hold to",
                hint="write labels as an enum, and leave the keyword out",
            )
    check_document(document, given)
    return {
        "form": 1,
        "name": given,
        "version": "1",
        "schema": dict(document),
        "labels": {},
        "prompt": prompt,
        "attempts": [attempt.to_dict() for attempt in attempts],
        "budget": budget.to_dict(),
        "models": ["*"],
        "send": "text",
        "system_inputs": list(system_inputs),
        "code": [],
    }
