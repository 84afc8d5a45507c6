"""How `anthropic:` is held to a contract, and what it does when a server will not have it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.anthropic.messages import tool_inputs
from assay.adapters.models.anthropic.request_parts import role_blocks
from assay.errors import UsageError
from assay.protocols import ModelFault
from assay.templates.template import Part
from tests import loopback
from tests.adapters.models.anthropic_shapes import (
    CLOSED,
    SCHEMA,
    TEXT,
    TOOL_ONLY,
    ask,
    message_events,
    refusal,
    stream,
    text_block,
    thinking_block,
    tool_answer,
    tool_block,
)
from tests.adapters.models.openai_shapes import request

NO_FORMAT = "output_config: Extra inputs are not permitted"
NO_TOOLS = "tool_choice: this model does not support forced tool use"
GOOD = loopback.anthropic_text(TEXT)


@pytest.mark.clause("006-M1")
def test_the_schema_goes_out_as_the_format_of_the_output():
    """In the subset the provider takes; what that leaves to the gate is on record."""
    with loopback.serving(GOOD) as server:
        (reply,) = ask(server.url, request(schema=SCHEMA))

    assert server.seen[0].body["output_config"] == {
        "format": {"type": "json_schema", "schema": CLOSED}
    }
    assert "tools" not in server.seen[0].body
    assert reply.text == TEXT
    assert {
        "output_mode": "schema",
        "strict": True,
        "held_by": "output_config",
        "schema_sha256": SCHEMA.sha256,
        "schema_dropped": ["maxProperties", "not"],
    }.items() <= reply.details.items()


@pytest.mark.clause("006-M1")
@pytest.mark.parametrize(
    "message",
    [
        NO_FORMAT,
        "output_config.format: This model does not support structured outputs.",
        "'claude-x' does not support output format.",
        "Schema is too complex for structured outputs.",
        "Bad Request",
    ],
)
def test_a_refused_format_becomes_one_forced_tool(message):
    """The tool's raw partial JSON is the reply, whether or not it could be parsed."""
    pieces = ("", '{"label": "str', 'aße 🦊", "label":', " 1} x")
    tool = stream(message_events(tool_block(*pieces), stop="tool_use"))
    with loopback.serving(refusal(message), tool, tool) as server:
        first, second = ask(server.url, request(schema=SCHEMA), request(schema=SCHEMA))

    asked = [seen.body for seen in server.seen]
    assert [("output_config" in body, "tools" in body) for body in asked] == [
        (True, False),
        (False, True),
        (False, True),
    ]
    assert asked[1]["tools"] == [{"name": "mail_sort", "input_schema": SCHEMA.document}]
    assert asked[1]["tool_choice"] == {
        "type": "tool",
        "name": "mail_sort",
        "disable_parallel_tool_use": True,
    }
    assert asked[1]["stream"] is True
    assert [reply.text for reply in (first, second)] == ["".join(pieces)] * 2
    assert {reply.finish_reason for reply in (first, second)} == {"end_turn"}
    assert first.details["held_by"] == "tool"
    assert first.details["refused"][0]["code"] == "invalid_request_error"
    assert "refused" not in second.details


@pytest.mark.clause("006-M1")
def test_refused_tools_leave_the_prompt_alone():
    """The last level is plain text; it is remembered for the model."""
    with loopback.serving(refusal(NO_FORMAT), refusal(NO_TOOLS), GOOD, GOOD) as server:
        first, second = ask(server.url, request(schema=SCHEMA), request(schema=SCHEMA))

    assert len(server.seen) == 4
    for seen in server.seen[2:]:
        assert not {"output_config", "tools", "tool_choice", "stream"} & seen.body.keys()
    assert [first.details["output_mode"], second.details["output_mode"]] == ["text", "text"]
    assert first.text == TEXT


@pytest.mark.clause("006-M1")
def test_a_schema_that_does_not_fit_the_subset_goes_out_as_the_tool():
    """Without what the provider takes at no root."""
    with loopback.serving(stream(message_events(tool_block(TEXT), stop="tool_use"))) as server:
        (reply,) = ask(server.url, request(schema=TOOL_ONLY))

    assert server.seen[0].body["tools"][0]["input_schema"] == CLOSED
    assert (reply.text, reply.finish_reason) == (TEXT, "end_turn")


@pytest.mark.clause("006-M1")
@pytest.mark.parametrize(
    ("blocks", "stop", "finish"),
    [
        ([text_block("Sure: "), tool_block(TEXT)], "tool_use", "tool_use"),
        ([tool_block(TEXT), text_block("!")], "end_turn", "tool_use"),
        ([tool_block(TEXT), tool_block("{}")], "tool_use", "tool_use"),
        ([tool_block(TEXT, name="other")], "tool_use", "tool_use"),
        ([text_block(TEXT)], "end_turn", "tool_not_used"),
        ([], "end_turn", "tool_not_used"),
        ([tool_block(TEXT)], "max_tokens", "max_tokens"),
        ([tool_block(TEXT)], "refusal", "refusal"),
        ([tool_block(TEXT)], "pause_turn", "pause_turn"),
        ([text_block(" \n"), tool_block(TEXT)], "tool_use", "end_turn"),
        ([thinking_block("hm"), tool_block(TEXT)], "tool_use", "end_turn"),
        ([tool_block(TEXT)], "end_turn", "end_turn"),
    ],
)
def test_only_the_forced_tool_alone_is_a_whole_reply(blocks, stop, finish):
    """Anything beside it ends the reply as stopped, under a reason the gate takes for none."""
    with loopback.serving(stream(message_events(*blocks, stop=stop))) as server:
        (reply,) = ask(server.url, request(schema=TOOL_ONLY))

    assert reply.finish_reason == finish


@pytest.mark.clause("006-M1")
@pytest.mark.parametrize(
    "raw",
    [
        '{"label": "a" ,  "n":1.50}',
        '{"label":"a","label":"b"}',
        '{"label": "stra\\u00dfe \\ud83e\\udd8a", "s": "]}\\"{"}',
        '{"deep": [[{"input": 1}], {}]}',
        "[1 , 2]",
        '"a"',
    ],
)
def test_a_tool_that_came_at_once_is_cut_out_of_the_bytes(raw):
    """A server that ignores `stream`: nothing is parsed and written again."""
    with loopback.serving(tool_answer(raw)) as server:
        (reply,) = ask(server.url, request(schema=TOOL_ONLY))

    assert server.seen[0].body["stream"] is True
    assert (reply.text, reply.finish_reason) == (raw, "end_turn")


@pytest.mark.clause("006-M1")
def test_an_input_that_stands_twice_is_no_reply():
    """It cannot be told which one was meant."""
    with loopback.serving(tool_answer('{"label": "a"}, "input": {}')) as server:
        (reply,) = ask(server.url, request(schema=TOOL_ONLY))

    assert reply.finish_reason == "tool_use"


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)


@given(inputs=st.lists(JSON_VALUES, max_size=3), indent=st.sampled_from([None, 0, 2]))
def test_what_is_cut_out_is_what_was_written(inputs, indent):
    """Whatever the input holds and however the body is laid out."""
    written = [json.dumps(value, indent=indent, ensure_ascii=False) for value in inputs]
    blocks = ", ".join(f'{{"input": {raw}, "type": "tool_use"}}' for raw in written)
    body = f'{{"id": "x", "content": [{blocks}], "usage": {{"content": []}}}}'

    cut = tool_inputs(body.encode("utf-8", "surrogatepass"))
    assert cut == dict(enumerate(written))


@given(st.binary(max_size=40))
def test_bytes_that_are_no_answer_have_nothing_to_cut(body):
    """Never an exception."""
    assert all(isinstance(text, str) for text in tool_inputs(body).values())


@pytest.mark.clause("006-M1")
@pytest.mark.parametrize(("mode", "sent"), [("text", set()), ("json", set())])
def test_a_mode_that_is_set_is_kept_to(mode, sent):
    """`json` is `text` here: the provider has nothing between the schema and the prompt."""
    with loopback.serving(GOOD) as server:
        (reply,) = ask(server.url, request(schema=SCHEMA), ASSAY_OUTPUT_MODE=mode)

    assert {"output_config", "tools"} & server.seen[0].body.keys() == sent
    assert reply.details["output_mode"] == "text"


@pytest.mark.clause("006-M1")
def test_a_schema_that_is_demanded_and_refused_ends_the_run():
    """With the provider's code, after both ways to hold it."""
    with (
        loopback.serving(refusal(NO_FORMAT), refusal(NO_TOOLS)) as server,
        pytest.raises(ModelFault) as caught,
    ):
        ask(server.url, request(schema=SCHEMA), ASSAY_OUTPUT_MODE="schema")

    assert len(server.seen) == 2
    assert (caught.value.kind, caught.value.parameter) == ("setup", "tool_choice")


def test_no_mode_is_said_before_anything_is_sent():
    """The setting is named."""
    with pytest.raises(UsageError, match="ASSAY_OUTPUT_MODE"):
        ask("http://127.0.0.1:9", request(), ASSAY_OUTPUT_MODE="loose")


@pytest.mark.clause("006-M2")
@pytest.mark.parametrize(
    "message",
    [
        "`temperature` is deprecated for this model.",
        "temperature: Extra inputs are not permitted",
        "`temperature` may only be set to 1 when thinking is enabled.",
    ],
)
def test_a_temperature_that_is_refused_is_left_out_and_remembered(message):
    """One refusal for the model, not one for each call."""
    with loopback.serving(refusal(message), GOOD, GOOD) as server:
        first, second = ask(server.url, request(), request())

    assert ["temperature" in seen.body for seen in server.seen] == [True, False, False]
    assert first.details["refused"] == [
        {"parameter": "temperature", "code": "invalid_request_error"}
    ]
    assert [first.details["not_applied"], second.details["not_applied"]] == [["temperature"]] * 2


@pytest.mark.clause("006-M2")
def test_no_temperature_is_none_that_is_sent():
    """Left out from the start, it is not told as refused."""
    with loopback.serving(GOOD) as server:
        (reply,) = ask(server.url, request(temperature=None))

    assert "temperature" not in server.seen[0].body
    assert "not_applied" not in reply.details


@pytest.mark.clause("006-M2")
@pytest.mark.parametrize(
    "message",
    [
        "This model does not support the effort parameter.",
        "output_config.effort: Extra inputs are not permitted",
    ],
)
def test_an_effort_that_is_refused_leaves_the_schema_where_it_is(message):
    """Both travel in one object; only what was named is left out."""
    with loopback.serving(refusal(message), GOOD) as server:
        (reply,) = ask(server.url, request(schema=SCHEMA, effort="low"))

    assert [seen.body["output_config"].keys() for seen in server.seen] == [
        {"format", "effort"},
        {"format"},
    ]
    assert server.seen[0].body["output_config"]["effort"] == "low"
    assert reply.details["not_applied"] == ["effort"]
    assert reply.details["held_by"] == "output_config"


@pytest.mark.clause("006-M2")
def test_a_server_without_the_object_gets_neither_schema_nor_effort():
    """First the schema goes another way, then the effort is left out."""
    tool = stream(message_events(tool_block(TEXT), stop="tool_use"))
    with loopback.serving(refusal(NO_FORMAT), refusal(NO_FORMAT), tool) as server:
        (reply,) = ask(server.url, request(schema=SCHEMA, effort="low"))

    assert ["output_config" in seen.body for seen in server.seen] == [True, True, False]
    assert reply.details["not_applied"] == ["effort"]
    assert reply.text == TEXT


@pytest.mark.clause("006-M2")
def test_usage_is_what_was_read_written_and_thought():
    """Cached tokens are input, hidden reasoning is output; both have a line of their own."""
    usage = {
        "cache_read_input_tokens": 100,
        "cache_creation_input_tokens": 20,
        "output_tokens_details": {"thinking_tokens": 4},
    }
    with loopback.serving(loopback.anthropic_text("{}", **usage)) as server:
        (reply,) = ask(server.url, request())

    assert (reply.input_tokens, reply.output_tokens) == (131, 7)
    assert {"cached_tokens": 100, "reasoning_tokens": 4}.items() <= reply.details.items()


@pytest.mark.clause("006-M2")
def test_no_tokens_for_a_request_that_was_sent_is_no_count():
    """The allowance counts instead."""
    behaviour = loopback.anthropic_text("{}", input_tokens=0, output_tokens=0)
    with loopback.serving(behaviour) as server:
        (reply,) = ask(server.url, request())

    assert (reply.input_tokens, reply.output_tokens) == (None, None)


@pytest.mark.clause("006-M3")
def test_the_system_part_goes_out_as_one():
    """Only the slices go out, each in its role; the shared beginning is marked in both."""
    prompt = "[s]Be brief.[u]Sort this: mail"
    parts = (Part(role="system", start=3, stop=12), Part(role="user", start=15, stop=30))
    with loopback.serving(GOOD) as server:
        (reply,) = ask(server.url, request(prompt=prompt, parts=parts, prefix_chars=26))

    body, mark = server.seen[0].body, {"type": "ephemeral"}
    assert body["system"] == [{"type": "text", "text": "Be brief.", "cache_control": mark}]
    assert body["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Sort this: ", "cache_control": mark},
                {"type": "text", "text": "mail"},
            ],
        }
    ]
    assert reply.details["prompt_as"] == "system, user"


@st.composite
def parted_prompts(draw):
    texts = draw(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=6))
    roles = draw(st.lists(st.sampled_from(["system", "user"]), min_size=6, max_size=6))
    parts, at = [], 0
    for role, text in zip(roles, texts, strict=False):
        parts.append(Part(role=role, start=at, stop=at + len(text)))
        at += len(text)
    return "".join(texts), tuple(parts), draw(st.integers(-2, at + 2))


@pytest.mark.clause("006-M3")
@given(parted_prompts())
def test_blocks_are_the_parts_byte_for_byte(case):
    """Wherever the mark falls; no block of white space is split off, no role is invented."""
    prompt, parts, prefix_chars = case
    asked = request(prompt=prompt, parts=parts, prefix_chars=prefix_chars)
    system, user = role_blocks(asked)
    sides = {
        role: "".join(prompt[part.start : part.stop] for part in parts if part.role == role)
        for role in ("system", "user")
    }
    whole_user = sides["user"] if sides["user"].strip() else prompt_of(parts, prompt)

    assert "".join(block["text"] for block in user) in (sides["user"], whole_user)
    assert "".join(block["text"] for block in system) in (sides["system"], "")
    assert sum("cache_control" in block for block in (*system, *user)) <= 4
    assert all(block["text"].strip() for block in (*system, *user) if "cache_control" in block)


def prompt_of(parts, prompt):
    """The system's slices, then the user's."""
    ordered = sorted(parts, key=lambda part: part.role)
    return "".join(prompt[part.start : part.stop] for part in ordered)
