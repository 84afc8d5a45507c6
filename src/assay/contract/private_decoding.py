"""What a model may be told beside a prompt in which surrogates stand for values.

In      the plan and the wire schema of a contract; Hidden
Out     the same, over what was sent
Pure    yes
Spec    interfaces.md, "Templates" (`send: redacted`)

Lengths, patterns and formats are judged on the values. A surrogate has none of them, so that a
model which is held to them could not write it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from assay.contract.decoding.plan import QUOTE_CHARS, DecodingPlan, plan
from assay.contract.decoding.wire_schema import WireSchema

if TYPE_CHECKING:
    from assay.contract.contract import Contract
    from assay.contract.material import Built, Material
    from assay.contract.surrogates import Hidden

_OF_VALUES: Final = frozenset({"minLength", "maxLength", "pattern", "format"})
_NAMED: Final = frozenset({"properties", "$defs", "definitions", "patternProperties"})
"""Keywords whose members are names and no keywords."""

_AS_IS: Final = frozenset({"enum", "const", "examples", "default"})


def plan_private(
    contract: Contract, built: Built, material: Material, hidden: Hidden
) -> DecodingPlan:
    """As `plan`, with what was sent; what would be too long with its values is not quotable."""
    sent = replace(built, shown=hidden.views(built.shown))
    made = plan(contract, sent, material.as_sent(hidden))
    restore = hidden.surrogates.restore
    kept = [
        place
        for place, quote in enumerate(made.sentences)
        if len(restore(quote.text)) <= QUOTE_CHARS
    ]
    moved = {place: at for at, place in enumerate(kept)}
    return replace(
        made,
        schema=loosen(made.schema, _OF_VALUES - {"maxLength"}),
        sentences=tuple(made.sentences[place] for place in kept),
        signs=tuple((labels, moved[place]) for labels, place in made.signs if place in moved),
    )


def loosen_schema(schema: WireSchema) -> WireSchema:
    """The schema as a provider may hold its model to it."""
    return replace(schema, document=loosen(schema.document, _OF_VALUES))


def loosen(node: Any, keywords: frozenset[str], *, names: bool = False) -> Any:
    """A schema without *keywords*, at every level."""
    if isinstance(node, list):
        return [loosen(item, keywords) for item in node]
    if not isinstance(node, Mapping):
        return node
    if names:
        return {name: loosen(item, keywords) for name, item in node.items()}
    return {
        name: item if name in _AS_IS else loosen(item, keywords, names=name in _NAMED)
        for name, item in node.items()
        if name not in keywords
    }
