"""What an expression mentions of a variable, so that no more is handed to the evaluator.

In      the tokens of a CEL expression; a variable's value
Out     the fields that it selects; the value without all others
Pure    yes
Spec    interfaces.md, "The gate" (rules)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.gate.tokens import MACROS, bracket_partners, next_tokens

# These give no item as a whole; `filter` does.
_ASKING = MACROS - {"filter"}

Fields = Mapping[str, frozenset[str] | None]
"""Field -> which fields of its items are mentioned; None is all of it."""


def mentioned_fields(tokens: list[str], root: str) -> Fields | None:
    """The fields of *root* that the expression selects by name; None if it does more."""
    fields: dict[str, frozenset[str] | None] = {}
    for at, token in enumerate(tokens):
        if token != root or tokens[at - 1 : at] == ["."]:
            continue
        dot, name, after = next_tokens(tokens, at)
        if dot != "." or not name.isidentifier() or after == "(":
            return None
        items = _of_items(tokens, at + 3)
        known = fields.get(name, items)
        fields[name] = None if known is None or items is None else known | items
    return fields


def _of_items(tokens: list[str], at: int) -> frozenset[str] | None:
    """The fields that `.exists(i, …)` at *at* selects of each item; None if it does more."""
    dot, macro, bracket = next_tokens(tokens, at - 1)
    variable, comma, _ = next_tokens(tokens, at + 2)
    stop = bracket_partners(tokens).get(at + 2)
    if dot != "." or macro not in _ASKING or bracket != "(" or comma != "," or stop is None:
        return None
    fields: set[str] = set()
    for place in range(at + 5, stop):
        if tokens[place] == variable and tokens[place - 1] != ".":
            dot, name, after = next_tokens(tokens, place)
            if dot != "." or not name.isidentifier() or after == "(":
                return None
            fields.add(name)
    return frozenset(fields)


def handed_value(value: Any, fields: Fields | None) -> Any:
    """*value* without what the expression does not look at."""
    if fields is None or not isinstance(value, Mapping):
        return value
    return {
        name: value[name] if items is None else _items(value[name], items)
        for name, items in fields.items()
        if name in value
    }


def _items(value: Any, fields: frozenset[str]) -> Any:
    if value.__class__ is not list:
        return value
    return [
        {name: item[name] for name in fields if name in item} if item.__class__ is dict else item
        for item in value
    ]
