"""The Responses API: how it is asked and what it answers.

In      JSON of `POST /responses`; what became of the call
Out     Asked; a response, or its events
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
    UnsupportedError,
    make_asked,
    read_role,
    read_schema,
    read_text,
    refuse_unsupported,
)
from assay.server.doors.openai.gated import Gated, Named
from assay.server.doors.openai.openai_errors import openai_error
from assay.server.errors import BadRequestError

_KINDS: Final = ("input_text", "output_text", "refusal")


def read_responses(body: Mapping[str, Any]) -> Asked:
    """What a request asks for.

    Raises:
        BadRequestError: it is not of the form that OpenAI describes.
        UnsupportedError: it asks for what no contract gives.
    """
    refuse_unsupported(body)
    given = body.get("input")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    if not isinstance(items, list) or not items:
        raise BadRequestError("input is neither a text nor a list of messages")
    said: list[Said] = []
    if body.get("instructions") is not None:
        said.append(("system", read_text(body["instructions"], "instructions", ())))
    for number, item in enumerate(items):
        where = f"input.{number}"
        if not isinstance(item, Mapping):
            raise BadRequestError(f"{where} is no message")
        if item.get("type", "message") != "message":
            raise UnsupportedError(f"{where} is no message", hint="no tool is called here")
        role = read_role(item.get("role"), where)
        said.append((role, read_text(item.get("content"), where, _KINDS)))
    return make_asked(
        body,
        said,
        schema=_read_format(body.get("text")),
        include_usage=True,
        applied=("input", "instructions", "text"),
    )


def _read_format(text: Any) -> AskedSchema | None:
    if text is None:
        return None
    if not isinstance(text, Mapping):
        raise BadRequestError("text is no object")
    said = text.get("format")
    if said is None:
        return None
    if not isinstance(said, Mapping):
        raise BadRequestError("text.format is no object")
    return read_schema(said, "text.format") if said.get("type") == "json_schema" else None


def response_document(named: Named, gated: Gated) -> dict[str, Any]:
    """A whole response."""
    part = _part(gated.text, gated.refusal)
    return _document(named, "completed", [_message(named, "completed", [part])], gated)


def _document(
    named: Named, status: str, output: list[dict[str, Any]], gated: Gated | None
) -> dict[str, Any]:
    return {
        "id": f"resp_{named.id}",
        "object": "response",
        "created_at": named.created,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": named.model,
        "output": output,
        "parallel_tool_calls": False,
        "tool_choice": "none",
        "tools": [],
        "temperature": None,
        "top_p": None,
        "usage": None if gated is None else _usage_document(gated),
        **({} if gated is None else {"assay": gated.to_dict()}),
    }


def _usage_document(gated: Gated) -> dict[str, Any]:
    tokens = gated.tokens
    return {
        "input_tokens": tokens["input_tokens"],
        "input_tokens_details": {"cached_tokens": tokens["cached_tokens"], "cache_write_tokens": 0},
        "output_tokens": tokens["output_tokens"],
        "output_tokens_details": {"reasoning_tokens": tokens["reasoning_tokens"]},
        "total_tokens": tokens["input_tokens"] + tokens["output_tokens"],
    }


def _message(named: Named, status: str, content: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "type": "message",
        "id": f"msg_{named.id}",
        "role": "assistant",
        "status": status,
        "content": content,
    }


def _part(text: str | None, refusal: str | None) -> dict[str, Any]:
    if text is None:
        return {"type": "refusal", "refusal": refusal or ""}
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


@dataclass(slots=True, kw_only=True)
class ResponseStream:
    """The events of one response, in their order."""

    named: Named
    _number: int = 0
    _shown: str = ""
    _begun: bool = False

    def show(self, text: str) -> Iterator[bytes]:
        """A piece that nobody has judged."""
        if not self._shown:
            yield from self._begin()
            yield self._open_part(0, _part("", None))
        self._shown += text
        yield self._text_event(0, "output_text.delta", delta=text, logprobs=[])

    def finish(self, gated: Gated) -> Iterator[bytes]:
        """The verdict."""
        yield from self._begin()
        parts: list[dict[str, Any]] = []
        if self._shown:
            parts.append(_part(self._shown, None))
            yield from self._close_text(parts)
        refusal = gated.refuse_after(bool(self._shown))
        if refusal is not None:
            at = len(parts)
            yield self._open_part(at, _part(None, ""))
            yield self._text_event(at, "refusal.delta", delta=refusal)
            parts.append(_part(None, refusal))
            yield self._text_event(at, "refusal.done", refusal=refusal)
            yield self._text_event(at, "content_part.done", part=parts[at])
        elif not self._shown:
            parts.append(_part(gated.text, None))
            yield self._open_part(0, _part("", None))
            yield self._text_event(0, "output_text.delta", delta=gated.text, logprobs=[])
            yield from self._close_text(parts)
        message = _message(self.named, "completed", parts)
        yield self._event("response.output_item.done", output_index=0, item=message)
        done = _document(self.named, "completed", [message], gated)
        yield self._event("response.completed", response=done)

    def fail(self, error: AssayError) -> Iterator[bytes]:
        """What went wrong when the stream had begun."""
        found = openai_error(error)["error"]
        yield self._event(
            "error", code=found["code"], message=found["message"], param=None, error=found
        )

    def _begin(self) -> Iterator[bytes]:
        if self._begun:
            return
        self._begun = True
        begun = _document(self.named, "in_progress", [], None)
        yield self._event("response.created", response=begun)
        yield self._event("response.in_progress", response=begun)
        item = _message(self.named, "in_progress", [])
        yield self._event("response.output_item.added", output_index=0, item=item)

    def _open_part(self, at: int, part: dict[str, Any]) -> bytes:
        return self._text_event(at, "content_part.added", part=part)

    def _close_text(self, parts: list[dict[str, Any]]) -> Iterator[bytes]:
        at = len(parts) - 1
        yield self._text_event(at, "output_text.done", text=parts[at]["text"], logprobs=[])
        yield self._text_event(at, "content_part.done", part=parts[at])

    def _text_event(self, at: int, kind: str, **more: Any) -> bytes:
        return self._event(
            f"response.{kind}",
            item_id=f"msg_{self.named.id}",
            output_index=0,
            content_index=at,
            **more,
        )

    def _event(self, kind: str, **more: Any) -> bytes:
        data = json.dumps({"type": kind, "sequence_number": self._number, **more})
        self._number += 1
        return f"event: {kind}\ndata: {data}\n\n".encode()
