"""What both of OpenAI's APIs are asked for beside the prompt, and the roles the prompt goes out in.

In      ModelRequest, the set-up of a model
Out     messages; Offer; the schema as it is sent
Pure    yes
Spec    interfaces.md, "Models", "Templates" (parts)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.adapters.models.stepping import Offer, Rung, offered_rungs
from assay.contract.decoding.wire_schema import WireSchema
from assay.protocols import ModelRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """What is the same for every request of a model."""

    model: str
    mode: str = "auto"
    """ASSAY_OUTPUT_MODE."""

    limits: tuple[str, ...] = ("max_tokens", "max_completion_tokens")
    """Names for the limit in chat completions, the one to begin with first."""


def role_messages(request: ModelRequest) -> list[dict[str, str]]:
    """The parts of the prompt in their roles; none of them is one user message."""
    if not request.parts:
        return [{"role": "user", "content": request.prompt}]
    return [
        {"role": part.role, "content": request.prompt[part.start : part.stop]}
        for part in request.parts
    ]


def make_offer(
    request: ModelRequest, set_up: SetUp, *, carrier: str, limits: tuple[str, ...], effort: str
) -> Offer:
    """What *request* would carry if nothing of it were refused.

    Args:
        carrier: Name of the parameter that holds the output mode.
        limits: Names of the limit.
        effort: Name of the parameter that holds the effort.
    """
    optional = ["stream", "stream_options", "temperature", "seed", effort]
    absent = {
        "temperature": request.parameters.temperature is None,
        "seed": request.parameters.seed is None or carrier == "text",
        effort: request.parameters.effort is None,
        "stream": request.listener is None,
        "stream_options": request.listener is None or carrier == "text",
    }
    rungs: tuple[Rung, ...] = ("text",)
    if request.schema is not None:
        strict: tuple[Rung, ...] = () if request.schema.strict is None else ("strict",)
        rungs = offered_rungs(set_up.mode, (*strict, "schema", "json", "text"))
    return Offer(
        rungs=rungs,
        schema_sha256="" if request.schema is None else request.schema.sha256,
        carriers=frozenset({carrier}),
        optional=tuple(name for name in optional if not absent[name]),
        limits=limits,
    )


def schema_fields(schema: WireSchema, rung: Rung) -> dict[str, Any]:
    """Name, schema and strictness, as both APIs call them."""
    reduced = schema.strict if rung == "strict" else None
    return {
        "name": schema.name,
        "schema": schema.document if reduced is None else reduced,
        "strict": reduced is not None,
    }
