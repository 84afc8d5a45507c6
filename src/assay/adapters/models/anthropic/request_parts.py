"""What Anthropic's API is asked for beside the prompt, and the roles the prompt goes out in.

In      ModelRequest, what the model takes (`stepping`)
Out     the fields of a request; Offer; what is put on record of it
Pure    yes
Spec    interfaces.md, "Models", "Templates" (parts)

The blocks put together are the parts of the prompt, byte for byte. A model is held to the schema
by structured outputs (rung `strict`), else by one tool that it must use (rung `schema`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from assay.adapters.models.stepping import Exchange, Offer, Rung
from assay.contract.decoding.wire_schema import WireSchema
from assay.protocols import ModelRequest

OUTPUT: Final = "output_config"
TOOL: Final = "tools"
_CARRIERS: Final[Mapping[Rung, frozenset[str]]] = {
    "strict": frozenset({OUTPUT}),
    "schema": frozenset({TOOL, "tool_choice"}),
}
_MARK: Final = {"type": "ephemeral"}


def make_offer(request: ModelRequest, mode: str) -> Offer:
    """What *request* would carry if nothing of it were refused; *mode* is ASSAY_OUTPUT_MODE."""
    schema = request.schema
    rungs: tuple[Rung, ...] = ("text",)
    if schema is not None and mode in ("auto", "schema"):
        held: tuple[Rung, ...] = ("schema",) if schema.anthropic is None else ("strict", "schema")
        rungs = held if mode == "schema" else (*held, "text")
    asked = {
        "stream": request.listener is not None or "schema" in rungs,
        "temperature": request.parameters.temperature is not None,
        "effort": request.parameters.effort is not None,
    }
    return Offer(
        rungs=rungs,
        schema_sha256="" if schema is None else schema.sha256,
        optional=tuple(name for name, there in asked.items() if there),
        strict_apart=True,
    )


def carriers(rung: Rung) -> frozenset[str]:
    """Names of the request under which the output mode travels."""
    return _CARRIERS.get(rung, frozenset())


def forced_tool(request: ModelRequest, exchange: Exchange) -> str | None:
    """The tool that the model must use; None where it writes text."""
    held = request.schema is not None and exchange.rung == "schema"
    return request.schema.name if held and request.schema is not None else None


def make_body(request: ModelRequest, model: str, exchange: Exchange) -> dict[str, Any]:
    """The request as it is sent."""
    system, user = role_blocks(request)
    output: dict[str, Any] = {}
    if exchange.rung == "strict" and request.schema is not None:
        output["format"] = {"type": "json_schema", "schema": request.schema.anthropic}
    if request.parameters.effort is not None and exchange.takes("effort"):
        output["effort"] = request.parameters.effort
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": request.parameters.max_output_tokens,
        "messages": [{"role": "user", "content": user}],
    }
    if system:
        body["system"] = system
    if request.parameters.temperature is not None and exchange.takes("temperature"):
        body["temperature"] = request.parameters.temperature
    tool = forced_tool(request, exchange)
    if tool is not None and request.schema is not None:
        body[TOOL] = [{"name": tool, "input_schema": _tool_schema(request.schema)}]
        body["tool_choice"] = {"type": "tool", "name": tool, "disable_parallel_tool_use": True}
    if output:
        body[OUTPUT] = output
    # What a tool is given comes as it was written in a stream only: at once, it comes parsed.
    if exchange.takes("stream") and (request.listener is not None or tool is not None):
        body["stream"] = True
    return body


def body_facts(
    request: ModelRequest, body: Mapping[str, Any], exchange: Exchange
) -> dict[str, Any]:
    """What is put on record of *body*."""
    blocks = [*body.get("system", ()), *body["messages"][0]["content"]]
    facts: dict[str, Any] = {
        "prompt_as": "system, user" if "system" in body else "user",
        "blocks": len(blocks),
    }
    if any("cache_control" in block for block in blocks):
        facts["cache_prefix_chars"] = request.prefix_chars
    if request.parameters.seed is not None:
        facts["seed"] = "not supported"
    if request.schema is not None and exchange.rung in _CARRIERS:
        strict = exchange.rung == "strict"
        facts["held_by"] = OUTPUT if strict else "tool"
        dropped = {*request.schema.dropped, *(request.schema.anthropic_dropped if strict else ())}
        if dropped:
            facts["schema_dropped"] = sorted(dropped)
    return facts


def role_blocks(request: ModelRequest) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The text blocks of the system part and of the user's message.

    A beginning that is the same for every call ends a block that is marked for the provider's
    cache. The provider refuses blocks of white space alone, so those are never split off; nor is
    a system part that is blank sent as one.
    """
    whole = (0, len(request.prompt))
    spans = {"system": [], "user": []} if request.parts else {"system": [], "user": [whole]}
    for part in request.parts:
        spans[part.role].append((part.start, part.stop))
    if not any(request.prompt[start:stop].strip() for start, stop in spans["user"]):
        spans = {"system": [], "user": [*spans["system"], *spans["user"]]}
    cut = max(0, request.prefix_chars)
    system, user = (
        [block for span in spans[role] for block in _split_span(request.prompt, span, cut)]
        for role in ("system", "user")
    )
    if not any(block["text"].strip() for block in system):
        system = []
    marked = [block for block in (*system, *user) if "cache_control" in block]
    for block in marked[:-_MOST_MARKS]:
        del block["cache_control"]
    return system, user


_MOST_MARKS: Final = 4
"""So many the provider takes."""


def _split_span(prompt: str, span: tuple[int, int], cut: int) -> list[dict[str, Any]]:
    """One slice of the prompt in one text block, or in two whose first is cacheable."""
    start, stop = span
    at = min(max(cut, start), stop)
    head, tail = prompt[start:at], prompt[at:stop]
    if head.strip() and tail.strip():
        return [_text_block(head, marked=True), _text_block(tail, marked=False)]
    inside = stop < len(prompt)  # a mark at the very end of a prompt saves nothing
    return [_text_block(head + tail, marked=bool(head.strip()) and not tail and inside)]


def _text_block(text: str, *, marked: bool) -> dict[str, Any]:
    return {"type": "text", "text": text, **({"cache_control": _MARK} if marked else {})}


def _tool_schema(schema: WireSchema) -> dict[str, Any]:
    """The input of the tool; the provider takes no choice at its root."""
    return {key: value for key, value in schema.document.items() if key != "anyOf"}
