"""Names of models as the service tells them: no folder of the machine stands in one.

In      documents and figures as the runtime makes them
Out     the same, with the name of a file in place of its path; the name on record for a shown one
Pure    yes
Spec    009-H9

The record keeps the whole name, and what proves the record (receipts, and its log for an admin)
has it too: nothing else would have the digest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from assay.contract.model_names import shown_model
from assay.figures.record_figures import RecordFigures

_NAMES: Final = frozenset({"model", "model_name"})


def shown_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of an event, a call or an execution.

    Example:
        >>> shown_facts({"model": "scripted:/srv/replies.jsonl", "attempts": 1})
        {'model': 'scripted:replies.jsonl', 'attempts': 1}
    """
    return {
        name: shown_model(value) if name in _NAMES and isinstance(value, str) else value
        for name, value in facts.items()
    }


def shown_figures(figures: RecordFigures) -> RecordFigures:
    """The figures of a record; two files of one name stay two rows."""
    return replace(
        figures,
        models=tuple(replace(each, name=shown_model(each.name)) for each in figures.models),
    )


def shown_names(by_model: Mapping[str, Any]) -> dict[str, Any]:
    """What stands by the names of models; a second file of one name is told apart by a number.

    Example:
        >>> shown_names({"scripted:/a/x.jsonl": 1, "scripted:/b/x.jsonl": 2})
        {'scripted:x.jsonl': 1, 'scripted:x.jsonl (2)': 2}
    """
    found: dict[str, Any] = {}
    for name, value in by_model.items():
        shown = name_again = shown_model(name)
        number = 1
        while name_again in found:
            number += 1
            name_again = f"{shown} ({number})"
        found[name_again] = value
    return found


def recorded_model(asked: str | None, own: str) -> str | None:
    """The name on record that *asked* stands for: the service's *own*, where it is shown so."""
    return own if asked is not None and asked == shown_model(own) else asked
