"""Answers in the shapes of Anthropic's servers, at once and as streams, and requests to them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from assay.adapters.models.anthropic import AnthropicModel
from assay.contract.decoding.wire_schema import WireSchema
from assay.protocols import ModelReply, ModelRequest
from tests import loopback

TEXT = '{"label": "straße 🦊", "n": 1}'
CLOSED = {
    "type": "object",
    "properties": {"label": {"type": "string", "enum": ["a"]}},
    "required": ["label"],
    "additionalProperties": False,
}
SCHEMA = WireSchema(
    name="mail_sort",
    document={**CLOSED, "maxProperties": 1},
    dropped=("not",),
    anthropic=CLOSED,
    anthropic_dropped=("maxProperties",),
)
TOOL_ONLY = WireSchema(name="mail_sort", document={**CLOSED, "anyOf": [{}]})


def ask(url: str, *requests: ModelRequest, **settings: str) -> list[ModelReply]:
    """The replies to *requests* of one open model, one after the other."""

    async def talk() -> list[ModelReply]:
        environ = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "k-123", **settings}
        model = AnthropicModel.create("tiny", environ=environ)
        try:
            return [await model.complete(each) for each in requests]
        finally:
            await model.aclose()

    return asyncio.run(talk())


def text_block(*pieces: str) -> list[dict[str, Any]]:
    """The events of a text block but for their index."""
    return [
        {"type": "content_block_start", "content_block": {"type": "text", "text": ""}},
        *(
            {"type": "content_block_delta", "delta": {"type": "text_delta", "text": piece}}
            for piece in pieces
        ),
        {"type": "content_block_stop"},
    ]


def tool_block(*pieces: str, name: str = "mail_sort") -> list[dict[str, Any]]:
    """The events of a block that uses a tool."""
    block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": {}}
    return [
        {"type": "content_block_start", "content_block": block},
        *(
            {
                "type": "content_block_delta",
                "delta": {"type": "input_json_delta", "partial_json": piece},
            }
            for piece in pieces
        ),
        {"type": "content_block_stop"},
    ]


def thinking_block(*pieces: str) -> list[dict[str, Any]]:
    """The events of hidden reasoning."""
    return [
        {"type": "content_block_start", "content_block": {"type": "thinking", "thinking": ""}},
        *(
            {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": piece}}
            for piece in pieces
        ),
        {
            "type": "content_block_delta",
            "delta": {"type": "signature_delta", "signature": "EqQB"},
        },
        {"type": "content_block_stop"},
    ]


def message_events(
    *blocks: list[dict[str, Any]], stop: str | None = "end_turn", **usage: Any
) -> list[dict[str, Any]]:
    """All events of one message, as they are recorded from the API."""
    start = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "tiny-2026-01-01",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 11, "cache_read_input_tokens": 0, "output_tokens": 1},
    }
    return [
        {"type": "message_start", "message": start},
        {"type": "ping"},
        *({**event, "index": place} for place, block in enumerate(blocks) for event in block),
        {
            "type": "message_delta",
            "delta": {"stop_reason": stop, "stop_sequence": None},
            "usage": {"output_tokens": 7, **usage},
        },
        {"type": "message_stop"},
    ]


def stream(events: Sequence[dict[str, Any]]) -> loopback.Behaviour:
    """The events as a stream."""
    lines = [
        f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n"
        for event in events
    ]
    return loopback.answer(
        200,
        "".join(lines).encode(),
        {"content-type": "text/event-stream", "request-id": "req-1"},
    )


def refusal(message: str, status: int = 400, kind: str = "invalid_request_error") -> Any:
    """An error as Anthropic's servers write it."""
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req-1"}
    return loopback.answer(status, body)


def tool_answer(raw_input: str, *, name: str = "mail_sort", before: str = "") -> Any:
    """A message that came at once and uses a tool; the input goes out byte for byte."""
    body = (
        '{"id": "msg_1", "type":"message", "role":"assistant", "model":"tiny-2026-01-01",'
        f' "content" : [{before}{{"type":"tool_use","id":"t","name":{json.dumps(name)},'
        f' "input" : {raw_input} }}], "stop_reason":"tool_use",'
        ' "usage":{"input_tokens":11,"output_tokens":7}}'
    )
    return loopback.answer(200, body.encode())
