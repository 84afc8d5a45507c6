"""The output schema of a contract as it is sent to a provider that holds its model to it.

In      a contract
Out     WireSchema
Pure    yes
Spec    interfaces.md, "Models"

Labels go out as enumerations, bounds as bounds, quotes as strings. What a model is told is never
more than what the gate asks for: whatever the gate accepts fits the schema that goes out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.contract.decoding.bounded_schema import inline_references
from assay.core.json.canonical import digest_json

if TYPE_CHECKING:
    from assay.contract.contract import Contract


@dataclass(frozen=True, slots=True, kw_only=True)
class WireSchema:
    """What a provider is told of the reply."""

    name: str
    """Of the contract, in the letters that providers take for a name."""

    document: Mapping[str, Any]
    """JSON Schema."""

    @property
    def sha256(self) -> str:
        """`sha256:` and 64 hex digits over the canonical document."""
        return digest_json(self.document)


def wire_schema(contract: Contract) -> WireSchema:
    """The schema of *contract*, with its labels closed."""
    name = re.sub(r"[^A-Za-z0-9_-]", "_", f"{contract.pack}_{contract.name}")[:64]
    return WireSchema(name=name, document=inline_references(contract.schema.document))
