"""Answers in the shapes of servers that speak OpenAI's API, and requests to put to them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from typing import Any

from assay.adapters.models.openai import OpenAIModel
from assay.contract.decoding.wire_schema import WireSchema
from assay.core.json.canonical import digest
from assay.protocols import Listener, ModelReply, ModelRequest, Parameters
from tests import loopback

PROMPT = "Say {} as JSON."
TEXT = '{"label": "straße 🦊", "n": 1}'
SCHEMA = WireSchema(
    name="mail_sort",
    document={"type": "object", "properties": {"label": {"enum": ["a"]}}, "required": ["label"]},
)


class Ear:
    """A listener that says stop once it has heard *stop_after* code points."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.stop_after = stop_after
        self.begun = 0
        self.pieces: list[str] = []

    def begin(self) -> None:
        self.begun += 1
        self.pieces = []

    def hear(self, piece: str) -> bool:
        self.pieces.append(piece)
        return self.stop_after is not None and len("".join(self.pieces)) >= self.stop_after


def request(
    *,
    schema: WireSchema | None = None,
    listener: Listener | None = None,
    prompt: str = PROMPT,
    temperature: float | None = 0.25,
    **more: Any,
) -> ModelRequest:
    seed, effort = more.pop("seed", None), more.pop("effort", None)
    return ModelRequest(
        prompt=prompt,
        prompt_sha256=digest(prompt),
        parameters=Parameters(
            temperature=temperature, max_output_tokens=33, seed=seed, effort=effort
        ),
        schema=schema,
        listener=listener,
        **more,
    )


def ask(url: str, *requests: ModelRequest, path: str = "/v1", **settings: str) -> list[ModelReply]:
    """The replies to *requests* of one open model, one after the other."""

    async def talk() -> list[ModelReply]:
        environ = {"OPENAI_BASE_URL": url + path, "OPENAI_API_KEY": "k-123", **settings}
        model = OpenAIModel.create("tiny", environ=environ)
        try:
            return [await model.complete(each) for each in requests]
        finally:
            await model.aclose()

    return asyncio.run(talk())


def events(*data: Any, name: str = "", done: bool = True, end: str = "\n") -> bytes:
    """The body of a stream; text goes out as it is, everything else as JSON."""
    lines: list[str] = []
    for each in data:
        if isinstance(each, str):
            lines += [each, ""]
            continue
        kind = name or each.get("type", "")
        lines += [f"event: {kind}"] if kind else []
        lines += [f"data: {json.dumps(each, ensure_ascii=False)}", ""]
    lines += ["data: [DONE]", ""] if done else []
    return "".join(line + end for line in lines).encode()


def stream(
    body: bytes,
    *,
    size: int = 7,
    kind: str = "text/event-stream; charset=utf-8",
    wait_for_close: list[bool] | None = None,
    end: bool = True,
) -> loopback.Behaviour:
    """Sends *body* in pieces of *size* bytes; then notes whether the client has gone away."""

    def play(handler: loopback.Handler) -> None:
        handler.close_connection = True
        handler.send_response(200)
        handler.send_header("content-type", kind)
        handler.send_header("transfer-encoding", "chunked")
        handler.send_header("x-request-id", "req-1")
        handler.end_headers()
        try:
            for at in range(0, len(body), size):
                piece = body[at : at + size]
                handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                handler.wfile.flush()
        except OSError:
            pass
        if wait_for_close is not None:
            handler.connection.settimeout(10)
            try:
                wait_for_close.append(handler.rfile.read(1) == b"")
            except ConnectionError:
                wait_for_close.append(True)
        elif end:
            handler.wfile.write(b"0\r\n\r\n")

    return play


def delta(content: Any = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """One chunk of a completion."""
    fields = more.pop("fields", {})
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "tiny-2026-01-01",
        "choices": [
            {
                "index": 0,
                "delta": {**({} if content is None else {"content": content}), **fields},
                "finish_reason": finish,
            }
        ],
        **more,
    }


def pieces_of(text: str, size: int = 3) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
ROLE = delta("", fields={"role": "assistant", "refusal": None})


def with_usage(usage: Mapping[str, Any] = USAGE) -> dict[str, Any]:
    """The chunk without a choice that holds the counts."""
    return {**delta(), "choices": [], "usage": dict(usage)}


def deltas(text: str = TEXT, size: int = 3) -> list[dict[str, Any]]:
    return [delta(piece) for piece in pieces_of(text, size)]


def openai(text: str = TEXT, finish: str = "stop") -> list[Any]:
    """As OpenAI sends it, with its padding."""
    chunks = [{**each, "usage": None, "obfuscation": "xJ2"} for each in deltas(text)]
    return [ROLE, *chunks, delta(None, finish, usage=None), with_usage()]


def azure() -> list[Any]:
    """A first chunk about the prompt's filters, and filters beside each choice."""
    first = {**delta(), "choices": [], "model": "", "prompt_filter_results": [{"prompt_index": 0}]}
    chunks = deltas()
    for each in chunks:
        each["choices"][0]["content_filter_results"] = {"hate": {"filtered": False}}
    return [first, ROLE, *chunks, delta(None, "stop"), with_usage()]


def vllm() -> list[Any]:
    """Reasoning before the text, a stop reason beside the finish reason, counts all along."""
    thoughts = [delta(fields={"reasoning_content": "hm, {not this}"})]
    last = delta("", "stop")
    last["choices"][0]["stop_reason"] = None
    return [ROLE, *thoughts, *deltas(), last, with_usage()]


def llama_cpp() -> list[Any]:
    """Timings, and counts in the chunk that ends it."""
    return [ROLE, *deltas(), delta(None, "stop", usage=USAGE, timings={"prompt_n": 11})]


def ollama() -> list[Any]:
    """A role in every chunk, a finish reason in a chunk with empty text."""
    chunks = [delta(each, fields={"role": "assistant"}) for each in pieces_of(TEXT)]
    return [*chunks, delta("", "stop", fields={"role": "assistant"}), with_usage()]


def openrouter() -> list[Any]:
    """Comments that keep the connection, reasoning under another name, counts with a choice."""
    alive = ": OPENROUTER PROCESSING"
    thought = delta("", fields={"reasoning": "hm", "reasoning_details": [{"type": "text"}]})
    last = delta("", "stop")
    last["choices"][0]["native_finish_reason"] = "STOP"
    return [alive, alive, thought, *deltas(), alive, last, delta("", usage=USAGE)]


def mistral() -> list[Any]:
    """Thinking in parts, then text in strings and in parts."""
    thought = delta([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}])
    part = delta([{"type": "text", "text": TEXT[:5]}])
    return [ROLE, thought, part, *deltas(TEXT[5:]), delta("", "stop", usage=USAGE)]


def replayed() -> list[Any]:
    """A proxy that plays a stream: the whole message in one event."""
    chunk = delta(None, "stop", usage=USAGE)
    chunk["choices"][0]["message"] = {"role": "assistant", "content": TEXT}
    del chunk["choices"][0]["delta"]
    return [chunk]


CHAT_SHAPES = (openai, azure, vllm, llama_cpp, ollama, openrouter, mistral, replayed)


def response(text: str = TEXT, status: str = "completed", **more: Any) -> dict[str, Any]:
    """A whole response."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    item = {"type": "message", "id": "m", "role": "assistant", "status": status, "content": content}
    return {
        "id": "resp_1",
        "object": "response",
        "model": "tiny-2026-01-01",
        "status": status,
        "error": None,
        "incomplete_details": None,
        "output": [{"type": "reasoning", "id": "rs_1", "summary": []}, item],
        "store": True,
        "usage": {
            "input_tokens": 11,
            "input_tokens_details": {"cached_tokens": 4},
            "output_tokens": 7,
            "output_tokens_details": {"reasoning_tokens": 3},
            "total_tokens": 18,
        },
        **more,
    }


def response_events(text: str = TEXT, last: dict[str, Any] | None = None) -> list[Any]:
    """The events of a response as OpenAI sends them."""
    whole = last or response(text)
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    at = {"item_id": "m", "output_index": 1, "content_index": 0}
    return [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
        {"type": "response.reasoning_summary_text.delta", "delta": "hm", "output_index": 0},
        {"type": "response.output_item.added", "output_index": 1, "item": {"type": "message"}},
        *(
            {"type": "response.output_text.delta", **at, "delta": piece}
            for piece in pieces_of(text)
        ),
        {"type": "response.output_text.done", **at, "text": text},
        *(
            {"type": "response.output_item.done", "output_index": number, "item": item}
            for number, item in enumerate(response(text)["output"])
        ),
        {"type": f"response.{whole['status']}", "response": whole},
    ]


def joined(pieces: Iterable[str]) -> str:
    return "".join(pieces)
