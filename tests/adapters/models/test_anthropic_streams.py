"""Replies of `anthropic:` that are read while they grow."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.anthropic.events import MessageAssembly
from assay.adapters.models.event_stream import EventReader
from assay.protocols import ModelFault
from tests import loopback
from tests.adapters.models.anthropic_shapes import (
    SCHEMA,
    TEXT,
    TOOL_ONLY,
    ask,
    message_events,
    refusal,
    stream,
    text_block,
    thinking_block,
    tool_block,
)
from tests.adapters.models.openai_shapes import Ear, request

pytestmark = pytest.mark.clause("006-M4")


def test_a_stream_amounts_to_the_reply_that_would_have_come_at_once():
    """Text, reasons, usage and model; hidden reasoning is heard by nobody."""
    events = message_events(
        thinking_block("hm ", "well"), text_block(TEXT[:9], TEXT[9:]), cache_read_input_tokens=5
    )
    ear = Ear()
    with loopback.serving(stream(events)) as server:
        (reply,) = ask(server.url, request(listener=ear, schema=SCHEMA))

    assert server.seen[0].body["stream"] is True
    assert ear.begun == 1
    assert ear.pieces == [TEXT[:9], TEXT[9:]]
    assert (reply.text, reply.finish_reason) == (TEXT, "end_turn")
    assert (reply.input_tokens, reply.output_tokens) == (16, 7)
    assert reply.model == "tiny-2026-01-01"
    assert reply.details["streamed"] is True
    assert reply.details["provider_request_id"] == "req-1"


@pytest.mark.parametrize("tool", [False, True])
def test_a_listener_ends_the_exchange(tool):
    """The reply is what came until then, byte for byte, and its tokens are an estimate."""
    block = tool_block if tool else text_block
    events = message_events(thinking_block("h" * 40), block("Sure! ", "Here ", "{}"))
    with loopback.serving(stream(events)) as server:
        (reply,) = ask(
            server.url,
            request(listener=Ear(stop_after=8), schema=TOOL_ONLY if tool else SCHEMA),
        )

    assert (reply.text, reply.finish_reason) == ("Sure! Here ", "assay_stopped")
    assert reply.input_tokens == 11
    assert reply.output_tokens == (11 + 40 + 3) // 4
    assert reply.details["tokens_estimated"] is True
    assert reply.details["streamed"] is True


@pytest.mark.parametrize("setting", ["off", "on"])
def test_no_stream_is_asked_for_where_nobody_listens(setting):
    """Or where streams are off, whoever would listen."""
    ear = Ear()
    listener = ear if setting == "off" else None
    with loopback.serving(loopback.anthropic_text(TEXT)) as server:
        (reply,) = ask(server.url, request(listener=listener), ASSAY_STREAM=setting)

    assert "stream" not in server.seen[0].body
    assert ear.begun == 0
    assert reply.text == TEXT


def test_a_server_that_ignores_the_stream_is_read_as_before():
    """The listener hears nothing, the reply is whole."""
    ear = Ear(stop_after=0)
    with loopback.serving(loopback.anthropic_text(TEXT)) as server:
        (reply,) = ask(server.url, request(listener=ear))

    assert (reply.text, reply.finish_reason, ear.pieces) == (TEXT, "end_turn", [])
    assert "streamed" not in reply.details


def test_a_server_that_refuses_the_stream_is_asked_without():
    """Remembered like any other parameter."""
    with loopback.serving(
        refusal("stream: Extra inputs are not permitted"), loopback.anthropic_text(TEXT)
    ) as server:
        (reply,) = ask(server.url, request(listener=Ear()))

    assert ["stream" in seen.body for seen in server.seen] == [True, False]
    assert reply.details["not_applied"] == ["stream"]


def cut_before(kind, events):
    """The events until the first of a kind."""
    at = next(place for place, event in enumerate(events) if event["type"] == kind)
    return events[:at]


GOOD = message_events(text_block(TEXT))


@pytest.mark.parametrize(
    "events",
    [
        cut_before("message_stop", GOOD),
        cut_before("message_delta", GOOD),
        cut_before("content_block_stop", GOOD),
        cut_before("content_block_start", GOOD),
        message_events(text_block(TEXT), stop=None),
        [event for event in GOOD if event["type"] != "message_start"],
        [event for event in GOOD if event["type"] != "content_block_start"],
        [GOOD[0], *GOOD],
        [{**event, **({"index": 3} if "index" in event else {})} for event in GOOD],
        message_events([text_block("a")[0], tool_block("{}")[1]]),
        message_events([text_block("a")[0], {"type": "content_block_delta", "delta": None}]),
        message_events(text_block(TEXT), stop=7),
        message_events([{"type": "content_block_start", "content_block": "text"}]),
    ],
)
def test_a_stream_that_is_not_whole_is_no_reply(events):
    """However much of it looks like one."""
    with loopback.serving(stream(events)) as server, pytest.raises(ModelFault) as caught:
        ask(server.url, request(listener=Ear()))

    assert (caught.value.kind, caught.value.transient) == ("server", True)


@pytest.mark.parametrize(
    ("error", "kind", "transient"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, "rate_limit", True),
        ({"type": "api_error", "message": "Internal server error"}, "server", True),
        ({"type": "authentication_error", "message": "invalid x-api-key"}, "auth", False),
    ],
)
def test_an_error_in_the_stream_is_the_fault_that_it_names(error, kind, transient):
    """Whatever text came before it."""
    events = [*cut_before("content_block_stop", GOOD), {"type": "error", "error": error}]
    with loopback.serving(stream(events)) as server, pytest.raises(ModelFault) as caught:
        ask(server.url, request(listener=Ear()))

    assert (caught.value.kind, caught.value.transient) == (kind, transient)


def test_a_tool_nobody_asked_for_is_heard_by_nobody():
    """The reply ends as stopped for it."""
    ear = Ear()
    events = message_events(text_block(TEXT), tool_block("{}", name="json"), stop="tool_use")
    with loopback.serving(stream(events)) as server:
        (reply,) = ask(server.url, request(listener=ear, schema=SCHEMA))

    assert "".join(ear.pieces) == TEXT
    assert (reply.text, reply.finish_reason) == (TEXT, "tool_use")


def test_a_server_that_gives_a_tool_all_at_once_in_its_stream_is_read_raw():
    """As some that only play a stream do."""
    raw = '{"label": "a",  "label": "b"}'
    start = {"type": "tool_use", "id": "t", "name": "mail_sort", "input": "RAW"}
    events = message_events(
        [{"type": "content_block_start", "content_block": start}], stop="tool_use"
    )
    body = b"".join(
        f"data: {json.dumps(event)}\n\n".encode().replace(b'"RAW"', raw.encode())
        for event in events
    )
    with loopback.serving(loopback.answer(200, body)) as server:
        (reply,) = ask(server.url, request(schema=TOOL_ONLY))

    assert (reply.text, reply.finish_reason) == (raw, "end_turn")


@given(st.lists(st.text(max_size=6), max_size=5), st.integers(1, 30), st.booleans())
def test_pieces_add_up_to_the_text_however_the_bytes_are_cut(pieces, size, as_tool):
    """Split anywhere, within characters too."""
    block = tool_block(*pieces) if as_tool else text_block(*pieces)
    body = "".join(
        f"event: {event['type']}\r\ndata: {json.dumps(event)}\r\n\r\n"
        for event in message_events(block)
    ).encode()
    reader, assembly = EventReader(), MessageAssembly("mail_sort" if as_tool else None)
    heard = [
        assembly.take(event)
        for at in range(0, len(body), size)
        for event in reader.feed(body[at : at + size])
    ]

    assert assembly.over
    assert "".join(heard) == "".join(pieces)
    answer = assembly.answer()
    found = assembly.inputs[0] if as_tool else answer["content"][0]["text"]
    assert found == "".join(pieces)
