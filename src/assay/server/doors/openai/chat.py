"""Chat completions: how they are asked for and what they look like.

In      JSON of `POST /chat/completions`; what became of the call
Out     Asked; a completion, or its chunks
Pure    yes
Spec    009-O1, 009-O3, 009-O5
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from assay.errors import AssayError
from assay.server.doors.openai.asked import (
    Asked,
    AskedSchema,
    Said,
    make_asked,
    read_flag,
    read_role,
    read_schema,
    read_text,
    refuse_unsupported,
)
from assay.server.doors.openai.gated import Gated, Named
from assay.server.doors.openai.openai_errors import openai_error
from assay.server.errors import BadRequestError

DONE: Final = b"data: [DONE]\n\n"
_KINDS: Final = ("refusal",)


def read_chat(body: Mapping[str, Any]) -> Asked:
    """What a request asks for.

    Raises:
        BadRequestError: it is not of the form that OpenAI describes.
        UnsupportedError: it asks for what no contract gives.
    """
    refuse_unsupported(body)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequestError("messages is no list of messages")
    said: list[Said] = []
    for number, message in enumerate(messages):
        where = f"messages.{number}"
        if not isinstance(message, Mapping):
            raise BadRequestError(f"{where} is no message")
        role = read_role(message.get("role"), where)
        content = message.get("content")
        if content is None and role == "assistant":  # it refused
            content = message.get("refusal")
        said.append((role, read_text(content, where, _KINDS)))
    options = body.get("stream_options") or {}
    if not isinstance(options, Mapping):
        raise BadRequestError("stream_options is no object")
    return make_asked(
        body,
        said,
        schema=_read_format(body.get("response_format")),
        include_usage=read_flag(options, "include_usage"),
        applied=("messages", "response_format"),
    )


def _read_format(said: Any) -> AskedSchema | None:
    if said is None:
        return None
    if not isinstance(said, Mapping):
        raise BadRequestError("response_format is no object")
    if said.get("type") != "json_schema":
        return None
    schema = said.get("json_schema")
    if not isinstance(schema, Mapping):
        raise BadRequestError("response_format.json_schema is missing")
    return read_schema(schema, "response_format.json_schema")


def chat_document(named: Named, gated: Gated) -> dict[str, Any]:
    """A whole completion."""
    message: dict[str, Any] = {
        "role": "assistant",
        "content": gated.text,
        "refusal": gated.refusal,
        "annotations": [],
    }
    return {
        "id": f"chatcmpl-{named.id}",
        "object": "chat.completion",
        "created": named.created,
        "model": named.model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": _usage_document(gated),
        "assay": gated.to_dict(),
    }


def _usage_document(gated: Gated) -> dict[str, Any]:
    tokens = gated.tokens
    return {
        "prompt_tokens": tokens["input_tokens"],
        "completion_tokens": tokens["output_tokens"],
        "total_tokens": tokens["input_tokens"] + tokens["output_tokens"],
        "prompt_tokens_details": {"cached_tokens": tokens["cached_tokens"]},
        "completion_tokens_details": {"reasoning_tokens": tokens["reasoning_tokens"]},
    }


@dataclass(slots=True, kw_only=True)
class ChatStream:
    """The chunks of one completion, in their order."""

    named: Named
    include_usage: bool
    _begun: bool = False
    _shown: bool = False

    def show(self, text: str) -> Iterator[bytes]:
        """A piece that nobody has judged."""
        self._shown = True
        yield from self._deltas({"content": text})

    def finish(self, gated: Gated) -> Iterator[bytes]:
        """The verdict."""
        refusal = gated.refuse_after(self._shown)
        if refusal is not None:
            yield from self._deltas({"refusal": refusal})
        elif not self._shown:
            yield from self._deltas({"content": gated.text})
        yield _line(self._chunk([_choice({}, "stop")], assay=gated.to_dict()))
        if self.include_usage:
            yield _line({**self._chunk([]), "usage": _usage_document(gated)})
        yield DONE

    def fail(self, error: AssayError) -> Iterator[bytes]:
        """What went wrong when the stream had begun."""
        yield _line(openai_error(error))
        yield DONE

    def _deltas(self, delta: dict[str, Any]) -> Iterator[bytes]:
        if not self._begun:
            self._begun = True
            delta = {"role": "assistant", **delta}
        yield _line(self._chunk([_choice(delta, None)]))

    def _chunk(self, choices: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        usage = {"usage": None} if self.include_usage else {}
        return {
            "id": f"chatcmpl-{self.named.id}",
            "object": "chat.completion.chunk",
            "created": self.named.created,
            "model": self.named.model,
            "choices": choices,
            **usage,
            **more,
        }


def _choice(delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}


def _line(document: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps(document)}\n\n".encode()
