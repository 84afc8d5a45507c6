"""The output schema of a contract as it is sent to a provider that holds its model to it.

In      a contract
Out     WireSchema
Pure    yes
Spec    interfaces.md, "Models"

Labels go out as enumerations, bounds as bounds, quotes as strings. What a model is held to is never
more than what the gate asks for: whatever the gate accepts fits the schema that goes out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.contract.catalogue import told_document
from assay.contract.decoding.provider_subsets import ANTHROPIC, OPENAI, reduce_schema
from assay.contract.decoding.relaxed_schema import relax_schema
from assay.core.json.canonical import digest_json
from assay.core.json.schema import Schema
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.contract.contract import Contract


@dataclass(frozen=True, slots=True, kw_only=True)
class WireSchema:
    """What a provider is told of the reply."""

    name: str
    """Of the contract, in the letters that providers take for a name."""

    document: Mapping[str, Any]
    """JSON Schema, draft 2020-12, without references; an object at its root."""

    dropped: tuple[str, ...] = ()
    """Keywords of the contract's schema that `document` does not say."""

    strict: Mapping[str, Any] | None = None
    """`document` in what OpenAI's strict mode takes; None where that would forbid more."""

    strict_dropped: tuple[str, ...] = ()
    """Keywords of `document` that `strict` does not say."""

    anthropic: Mapping[str, Any] | None = None
    """`document` in what Anthropic's structured outputs take; None where that would forbid more."""

    anthropic_dropped: tuple[str, ...] = ()
    """Keywords of `document` that `anthropic` does not say."""

    sha256: str = field(init=False)
    """`sha256:` and 64 hex digits over the canonical document."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "sha256", digest_json(self.document))


def wire_schema(contract: Contract) -> WireSchema:
    """The schema of *contract*, with its labels closed.

    It is worked out once for each contract, and again for a copy with another schema or labels.
    """
    made = contract.derived.get("wire_schema")
    if made is not None and made[0] is contract.schema and made[1] == contract.labels:
        found: WireSchema = made[2]
        return found
    told = _derive_schema(contract)
    contract.derived["wire_schema"] = (contract.schema, contract.labels, told)
    return told


def _derive_schema(contract: Contract) -> WireSchema:
    name = re.sub(r"[^A-Za-z0-9_-]", "_", f"{contract.pack}_{contract.name}")[:64]
    schema = contract.schema
    if contract.declared is not None:  # its labels stand in it, its formats are pydantic's
        schema = Schema.compile(told_document(contract))
    relaxed = relax_schema(schema, contract.labels)
    strict = reduce_schema(relaxed.document, OPENAI)
    anthropic = reduce_schema(relaxed.document, ANTHROPIC)
    try:
        return WireSchema(
            name=name,
            document=relaxed.document,
            dropped=relaxed.dropped,
            strict=None if strict is None else strict.document,
            strict_dropped=() if strict is None else strict.dropped,
            anthropic=None if anthropic is None else anthropic.document,
            anthropic_dropped=() if anthropic is None else anthropic.dropped,
        )
    except InputError:  # a name that the record cannot write
        return WireSchema(name=name, document={"type": "object"}, dropped=("properties",))
