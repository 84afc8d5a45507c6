"""Whatever a client sends is read, or refused by an error of the caller."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.parts import require_part

require_part("server", "fastapi")

from assay.contract.outcome import Outcome  # noqa: E402
from assay.errors import ModelUnavailableError, UsageError  # noqa: E402
from assay.server.doors.openai.asked import read_text, split_said  # noqa: E402
from assay.server.doors.openai.chat import ChatStream, chat_document, read_chat  # noqa: E402
from assay.server.doors.openai.gated import Gated, Named  # noqa: E402
from assay.server.doors.openai.responses import (  # noqa: E402
    ResponseStream,
    read_responses,
    response_document,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
WORDS = st.sampled_from(
    ["user", "system", "assistant", "tool", "text", "input_text", "refusal", "json_schema"]
)
MESSAGE = st.fixed_dictionaries(
    {},
    optional={
        "role": WORDS | JSON,
        "content": JSON
        | st.text(max_size=8)
        | st.lists(st.fixed_dictionaries({"type": WORDS, "text": JSON, "refusal": JSON})),
        "type": st.just("message") | JSON,
    },
)
FORMAT = JSON | st.fixed_dictionaries(
    {"type": WORDS}, optional={"json_schema": JSON, "name": JSON, "schema": JSON}
)
BODY = st.fixed_dictionaries(
    {},
    optional={
        "model": JSON,
        "messages": st.lists(MESSAGE, max_size=4) | JSON,
        "input": st.lists(MESSAGE, max_size=4) | JSON,
        "instructions": JSON,
        "response_format": FORMAT,
        "text": JSON | st.fixed_dictionaries({"format": FORMAT}),
        "metadata": JSON,
        "stream": JSON,
        "stream_options": JSON,
        "n": JSON,
        "tools": JSON,
        "temperature": JSON,
    },
)


@pytest.mark.clause("009-O7")
@given(BODY)
def test_a_body_is_read_or_refused(body):
    """Never a fault of the program; what was read has a text of the user."""
    for read in (read_chat, read_responses):
        try:
            asked = read(body)
        except UsageError:
            continue
        assert asked.user.strip()
        assert asked.user.encode("utf-8")


@pytest.mark.clause("009-O7")
@given(JSON)
def test_an_error_holds_no_value_of_the_request(value):
    """A message may quote somebody."""
    secret = "Ann Miller"
    for read, name in ((read_chat, "messages"), (read_responses, "input")):
        with pytest.raises(UsageError) as raised:
            read({name: [{"role": secret, "content": [value, secret]}], "model": secret})
        assert secret not in str(raised.value) + raised.value.hint


@given(st.lists(st.tuples(st.sampled_from(["system", "user", "assistant"]), st.text(min_size=1))))
def test_every_word_of_a_conversation_has_one_place(said):
    """Instructions, what was said before, and the text that it is about."""
    try:
        system, earlier, user = split_said(said)
    except UsageError:
        last = [text for role, text in said if role != "system"][-1:]
        assert not last or not last[0].strip() or said[-1][0] != "user"
        return
    places = {"system": (system,), "assistant": (earlier,), "user": (earlier, user)}
    assert all(any(text in place for place in places[role]) for role, text in said)


@pytest.mark.parametrize("content", ["a\ud800", [{"type": "text", "text": "\udfff"}]])
def test_half_a_character_is_no_text(content):
    """It can be neither quoted nor written."""
    with pytest.raises(UsageError):
        read_text(content, "here", ())


NAMED = Named(id="1", created=2, model="m")


def gated(output=None, *, as_shown=False):
    return Gated(
        outcome=Outcome.accepted() if output is not None else Outcome.review("gate.rejected"),
        detail=None,
        contract="p/c",
        model="scripted",
        output=output,
        result=output,
        findings=(),
        call="c",
        reviews=(),
        attempts=1,
        reused=False,
        erased=False,
        shortened=None,
        tokens=dict.fromkeys(
            ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens"), 3
        ),
        not_applied=(),
        as_shown=as_shown,
    )


def data_of(lines):
    """The JSON of each event."""
    found = []
    for line in b"".join(lines).decode().splitlines():
        if line.startswith("data: {"):
            found.append(json.loads(line.removeprefix("data: ")))
    return found


@pytest.mark.clause("009-O5")
def test_what_goes_wrong_in_the_middle_of_a_stream_is_an_event_of_it():
    """In the shape of OpenAI, with our code."""
    error = ModelUnavailableError("gone", hint="come again")
    chat, responses = ChatStream(named=NAMED, include_usage=True), ResponseStream(named=NAMED)
    first = [data_of([*stream.show("a"), *stream.fail(error)])[-1] for stream in (chat, responses)]

    assert ["model.unavailable"] * 2 == [each["error"]["code"] for each in first]
    assert ("error", "server_error") == (first[1]["type"], first[1]["error"]["type"])


@pytest.mark.clause("009-O4")
@given(st.dictionaries(st.text(), st.text()), st.booleans(), st.lists(st.text(), max_size=2))
def test_a_stream_says_what_the_whole_answer_says(output, accepted, shown):
    """Text where it is accepted, a refusal where it is not, whatever was shown before."""
    done = gated(output if accepted else None, as_shown=accepted)
    for stream in (ChatStream(named=NAMED, include_usage=False), ResponseStream(named=NAMED)):
        pieces = [] if not accepted else [each for each in shown if each]
        text = json.dumps(data_of([*(b for p in pieces for b in stream.show(p))]))
        events = data_of(stream.finish(done))
        refused = any("refusal" in json.dumps(each) for each in events)
        assert refused is not accepted
        assert accepted or '"content":' not in text
    whole = chat_document(NAMED, done)["choices"][0]["message"]
    part = response_document(NAMED, done)["output"][0]["content"][0]
    assert (whole["content"] is None, whole["refusal"] is None) == (not accepted, accepted)
    assert ("output_text" if accepted else "refusal") == part["type"]
    if accepted:
        assert output == json.loads(whole["content"]) == json.loads(part["text"])
