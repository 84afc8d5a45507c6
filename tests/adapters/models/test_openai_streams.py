"""`openai:` read as a stream, through the real SDK against real servers on the loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.event_stream import EventReader
from assay.adapters.models.openai.chat import ChatAssembly, read_completion
from assay.adapters.models.openai.responses import ResponsesAssembly, read_response
from assay.adapters.models.streaming import receive
from assay.errors import UsageError
from assay.protocols import ModelFault, ModelReply
from tests import loopback
from tests.adapters.models import openai_shapes as shapes
from tests.adapters.models.openai_shapes import TEXT, Ear, ask, delta, events, request, stream

NAMES = [
    *("choices", "delta", "message", "content", "index", "finish_reason", "refusal", "tool_calls"),
    *("usage", "model", "type", "text", "response", "output", "status", "item", "output_index"),
    *("error", "reasoning", "prompt_tokens", "function_call"),
]
WORDS = [
    *("text", "stop", "message", "completed", "response.completed", "response.output_item.done"),
    *("response.output_text.delta", "output_text", "thinking", "incomplete", "failed"),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 9) | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
    ),
    max_leaves=20,
)
RESPONSES = {"ASSAY_OPENAI_API": "responses"}


def streamed(*chunks: object, ear: Ear | None = None, **settings: str) -> ModelReply:
    with loopback.serving(stream(events(*chunks))) as server:
        return ask(server.url, request(listener=ear or Ear()), **settings)[0]


@pytest.mark.clause("006-M4")
@pytest.mark.parametrize("shape", shapes.CHAT_SHAPES, ids=lambda shape: shape.__name__)
def test_a_streamed_reply_is_the_one_that_would_have_come_at_once(shape):
    """Text byte for byte, finish reason, counts, model; reasoning is neither text nor heard."""
    ear = Ear()
    with loopback.serving(stream(events(*shape()))) as server:
        (reply,) = ask(server.url, request(listener=ear))
    with loopback.serving(loopback.openai_text(TEXT)) as server_at_once:
        (at_once,) = ask(server_at_once.url, request())

    assert (TEXT, TEXT) == (reply.text, shapes.joined(ear.pieces))
    for name in ("text", "finish_reason", "input_tokens", "output_tokens", "model"):
        assert getattr(at_once, name) == getattr(reply, name)
    assert {**at_once.details, "streamed": True} == reply.details
    assert 1 == ear.begun
    assert (True, {"include_usage": True}) == (
        server.seen[0].body["stream"],
        server.seen[0].body["stream_options"],
    )


@pytest.mark.clause("006-M4")
def test_a_streamed_response_is_its_last_event():
    """Over the Responses API; reasoning and cached tokens are on record, and output counts both."""
    ear = Ear()
    with loopback.serving(stream(events(*shapes.response_events(), done=False))) as server:
        (reply,) = ask(server.url, request(listener=ear), **RESPONSES)

    assert (TEXT, TEXT, "stop") == (reply.text, shapes.joined(ear.pieces), reply.finish_reason)
    assert (11, 7) == (reply.input_tokens, reply.output_tokens)
    assert (4, 3) == (reply.details["cached_tokens"], reply.details["reasoning_tokens"])
    assert "stream_options" not in server.seen[0].body


@pytest.mark.clause("006-M4")
@pytest.mark.parametrize("settings", [{}, RESPONSES], ids=["chat", "responses"])
def test_a_stop_ends_the_exchange_and_keeps_what_came(settings):
    """The connection is closed, the reply is the prefix that was heard, its tokens an estimate."""
    gone: list[bool] = []
    ear = Ear(stop_after=9)
    chunks = shapes.response_events() if settings else shapes.openai()
    half = events(*chunks[:9], done=False)
    with loopback.serving(stream(half, wait_for_close=gone)) as server:
        (reply,) = ask(server.url, request(listener=ear), **settings)

    assert [True] == gone
    assert (TEXT[:9], "assay_stopped") == (reply.text, reply.finish_reason)
    assert shapes.joined(ear.pieces) == reply.text
    assert (None, "tiny-2026-01-01") == (reply.input_tokens, reply.model)
    assert reply.output_tokens > 0
    assert (True, True) == (reply.details["streamed"], reply.details["tokens_estimated"])


@pytest.mark.clause("006-M4")
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_a_server_that_ignores_the_wish_is_read_as_before(kind):
    """Plain JSON, also under the label of a stream, is an answer that came at once."""
    whole = {"choices": [{"message": {"content": TEXT}, "finish_reason": "stop"}]}
    ear = Ear()
    with loopback.serving(stream(b"\n" + json.dumps(whole).encode(), kind=kind)) as server:
        (reply,) = ask(server.url, request(listener=ear))

    assert (TEXT, "stop") == (reply.text, reply.finish_reason)
    assert "streamed" not in reply.details
    assert [] == ear.pieces


@pytest.mark.clause("006-M4")
@pytest.mark.parametrize("kind", ["text/plain", "application/octet-stream", "application/json"])
def test_a_stream_under_another_label_is_one(kind):
    """What a body is, the body says."""
    with loopback.serving(stream(events(*shapes.openai()), kind=kind)) as server:
        (reply,) = ask(server.url, request(listener=Ear()))

    assert (TEXT, True) == (reply.text, reply.details["streamed"])


@pytest.mark.clause("006-M4")
@pytest.mark.parametrize(
    ("value", "streams"), [("off", False), ("on", True), ("", True)], ids=["off", "on", "unset"]
)
def test_streams_can_be_switched_off(value, streams):
    """Then no stream is asked for, whoever would listen."""
    with loopback.serving(loopback.openai_text(TEXT)) as server:
        ask(server.url, request(listener=Ear()), ASSAY_STREAM=value)

    assert streams is ("stream" in server.seen[0].body)
    with pytest.raises(UsageError, match="ASSAY_STREAM"):
        ask("http://127.0.0.1:9", request(), ASSAY_STREAM="perhaps")


@pytest.mark.clause("006-M4")
def test_a_stream_that_nobody_asked_for_is_read_too():
    """A server that can do nothing else; nobody listens, so nobody stops it."""
    with loopback.serving(stream(events(*shapes.openai()))) as server:
        (reply,) = ask(server.url, request())

    assert (TEXT, "stop", 7) == (reply.text, reply.finish_reason, reply.output_tokens)
    assert "stream" not in server.seen[0].body


@pytest.mark.clause("006-M4")
@given(
    st.lists(st.binary(max_size=30) | JSON, max_size=4),
    st.sampled_from([(ChatAssembly, read_completion), (ResponsesAssembly, read_response)]),
)
def test_whatever_a_stream_holds_it_is_a_reply_or_a_fault(data, api):
    """No other error leaves."""
    assembly_of, read = api

    async def come() -> AsyncIterator[bytes]:
        for each in data:
            yield b"data: " + (each if isinstance(each, bytes) else json.dumps(each).encode())
            yield b"\n\n"

    with suppress(ModelFault):
        received = asyncio.run(receive(come(), assembly_of(), Ear()))
        if received.answer and "error" not in received.answer:
            assert isinstance(read(received.answer, {}).text, str)


def cut(shape: list[object]) -> list[object]:
    """Without the chunks that end it."""
    return shape[:-2]


@pytest.mark.clause("006-M4")
@pytest.mark.parametrize(
    ("chunks", "settings"),
    [
        (cut(shapes.openai()), {}),
        ([*cut(shapes.openai()), delta(None, "")], {}),
        ([], {}),
        ([shapes.ROLE, "data: {"], {}),
        ([shapes.ROLE, 'data: "text"'], {}),
        ([delta(7), delta(None, "stop")], {}),
        ([delta("x"), delta(None, 5)], {}),
        (shapes.response_events()[:-1], RESPONSES),
        ([*shapes.response_events()[:-1], "data: []"], RESPONSES),
        (shapes.response_events("{}", last=shapes.response("{ }")), RESPONSES),
        ([{"type": "response.completed", "response": {}}], RESPONSES),
    ],
)
def test_a_stream_that_is_not_whole_is_no_reply(chunks, settings):
    """No finish reason, broken events, an end that contradicts what was streamed: tried again."""
    with pytest.raises(ModelFault) as caught:
        streamed(*chunks, **settings)

    assert ("server", True) == (caught.value.kind, caught.value.transient)


@pytest.mark.clause("006-M4")
@pytest.mark.parametrize("end", [True, False], ids=["ends", "breaks"])
def test_a_connection_that_ends_within_the_text_is_a_fault(end):
    """Whether in order or not."""
    body = events(*cut(shapes.openai()), done=False)
    with (
        loopback.serving(stream(body[:-30], end=end)) as server,
        pytest.raises(ModelFault) as caught,
    ):
        ask(server.url, request(listener=Ear()))

    assert ("server", True) == (caught.value.kind, caught.value.transient)


@pytest.mark.clause("006-M4")
def test_the_last_line_may_be_missing():
    """`[DONE]` says nothing that the finish reason has not said."""
    with loopback.serving(stream(events(*shapes.openai(), done=False))) as server:
        (reply,) = ask(server.url, request(listener=Ear()))

    assert (TEXT, "stop", 7) == (reply.text, reply.finish_reason, reply.output_tokens)


@pytest.mark.clause("006-M4")
@pytest.mark.parametrize("said", [None, ""])
def test_a_server_without_finish_reasons_ends_by_its_last_line(said):
    """As the same reply that comes at once: none is normal, an empty one is for the gate."""
    chunks = [
        {**chunk, "choices": [{**choice, "finish_reason": said} for choice in chunk["choices"]]}
        for chunk in shapes.openai()
    ]
    with loopback.serving(stream(events(*chunks))) as server:
        (reply,) = ask(server.url, request(listener=Ear(), schema=shapes.SCHEMA))

    assert (TEXT, said) == (reply.text, reply.finish_reason)


@pytest.mark.clause("006-M4")
def test_empty_data_keep_a_connection_alive():
    """Routers send them while a provider thinks."""
    body = events(*shapes.openai()).replace(b"data: {", b"data:\n\ndata: {")
    with loopback.serving(stream(body)) as server:
        (reply,) = ask(server.url, request(listener=Ear()))

    assert (TEXT, "stop") == (reply.text, reply.finish_reason)


@pytest.mark.clause("006-M4")
@pytest.mark.parametrize(
    ("chunks", "settings", "kind", "code"),
    [
        ([{"error": {"message": "x", "code": "insufficient_quota"}}], {}, "auth", None),
        ([{"error": {"message": "Provider returned error", "code": 502}}], {}, "server", "502"),
        (
            [{"object": "error", "message": "invalid api key", "code": 401, "param": None}],
            {},
            "auth",
            None,
        ),
        (
            [{"type": "error", "code": "rate_limit_exceeded", "message": "x", "param": None}],
            RESPONSES,
            "rate_limit",
            "rate_limit_exceeded",
        ),
        (
            [
                {
                    "type": "response.failed",
                    "response": shapes.response(
                        status="failed", error={"code": "server_error", "message": "x"}
                    ),
                }
            ],
            RESPONSES,
            "server",
            "server_error",
        ),
    ],
)
@pytest.mark.parametrize("late", [False, True], ids=["first", "within"])
def test_an_error_in_a_stream_is_what_it_would_be_alone(chunks, settings, kind, code, late):
    """At its beginning, or after some of the text."""
    before = (shapes.response_events()[:8] if settings else shapes.openai()[:4]) if late else []
    with pytest.raises(ModelFault) as caught:
        streamed(*before, *chunks, **settings)

    assert kind == caught.value.kind
    assert code is None or code == caught.value.code


@pytest.mark.clause("006-M4")
@pytest.mark.parametrize(
    ("chunks", "text", "finish"),
    [
        ([delta("{}"), delta(None, "length")], "{}", "length"),
        ([delta("{}"), delta(None, "content_filter")], "{}", "content_filter"),
        ([delta("{}"), delta(None, "length"), delta(None, "stop")], "{}", "length"),
        (
            [delta(fields={"refusal": "I can"}), delta(fields={"refusal": "not."}, finish="stop")],
            "I cannot.",
            "refusal",
        ),
        (
            [
                delta("{}"),
                delta(fields={"tool_calls": [{"index": 0, "function": {"name": "x"}}]}),
                delta(None, "stop"),
            ],
            "{}",
            "tool_calls",
        ),
        ([delta(fields={"reasoning": "{}"}), delta(None, "stop")], "", "stop"),
        ([delta([{"type": "image"}]), delta("{}", "stop")], "{}", "other_output"),
        (
            [f"data: {json.dumps(delta(half))}" for half in "\ud83e\udd8a"] + [delta(None, "stop")],
            "🦊",
            "stop",
        ),
    ],
)
def test_what_is_not_whole_or_not_text_is_told_as_at_once(chunks, text, finish):
    """Limits, filters, refusals, calls of tools, reasoning alone, halves of a character."""
    ear = Ear()
    reply = streamed(*chunks, ear=ear)

    assert (text, finish) == (reply.text, reply.finish_reason)
    assert "tool" not in shapes.joined(ear.pieces)


@pytest.mark.clause("006-M4")
def test_the_deadline_holds_for_a_stream_that_only_keeps_alive():
    """Comments are no progress."""

    def keep_alive(handler: loopback.Handler) -> None:
        handler.close_connection = True
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.end_headers()
        while not handler.server.over.wait(0.02):
            handler.wfile.write(b": ping\n\n")
            handler.wfile.flush()

    with loopback.serving(keep_alive) as server, pytest.raises(ModelFault) as caught:
        ask(server.url, request(listener=Ear()), ASSAY_MODEL_DEADLINE_S="0.3")

    assert ("timeout", True) == (caught.value.kind, caught.value.transient)


@pytest.mark.clause("006-M4")
@given(st.text(), st.integers(1, 9), st.integers(1, 40), st.sampled_from(["\n", "\r\n"]))
def test_any_text_in_any_pieces_is_the_text(text, characters, size, end):
    """Both APIs, any split into deltas and of the bytes."""
    chat = [*shapes.deltas(text, characters), delta(None, "stop")]
    replies = []
    for assembly, read, body in (
        (ChatAssembly(), read_completion, events(*chat, end=end)),
        (
            ResponsesAssembly(),
            read_response,
            events(*shapes.response_events(text), end=end, done=False),
        ),
    ):
        reader = EventReader()
        heard = [
            assembly.take(event)
            for at in range(0, len(body), size)
            for event in reader.feed(body[at : at + size])
        ]
        assert text == shapes.joined(heard)
        replies.append(read(assembly.answer(), {}))

    assert [(text, "stop")] * 2 == [(each.text, each.finish_reason) for each in replies]
