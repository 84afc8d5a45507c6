"""Which part of a request a server would not take: read from whatever it answers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.provider_errors import Filtered, error_inside, read_error
from assay.adapters.models.refusals import read_refusal

SENT = {
    "model": "tiny",
    "messages": [],
    "temperature": 0.2,
    "max_tokens": 3,
    "response_format": {},
    "stream_options": {},
}
CARRIERS = frozenset({"response_format"})
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "message", "code", "param", "type", "detail", "loc", "msg"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.clause("006-M1")
@given(JSON, st.integers(300, 599))
def test_whatever_is_answered_is_read_without_an_error(body, status):
    """An answer that makes no sense is a fault, never an exception of another kind."""
    assert read_error(status, body, sent=SENT) is not None
    read_refusal(status, body, sent=SENT, carriers=CARRIERS)
    error_inside(body)


@pytest.mark.clause("006-M1")
@given(st.sampled_from([401, 402, 403, 413, 429, 503, 529]), st.text())
def test_no_fault_of_key_credit_size_or_moment_changes_a_request(status, message):
    """Whatever the message says."""
    body = {"error": {"message": f"{message} response_format json_schema"}}

    assert read_refusal(status, body, sent=SENT, carriers=CARRIERS) is None


@pytest.mark.clause("006-M2")
@pytest.mark.parametrize(
    "message",
    [
        "The temperature of the machine room is too high",
        "Could not finish the message because max_tokens or model output limit was reached.",
        "messages: field required (temperature was 0.2)",
    ],
)
def test_a_name_in_a_message_is_no_refusal_by_itself(message):
    """It takes quotes, or words that say that it is not taken."""
    refusal = read_refusal(400, {"error": {"message": message}}, sent=SENT, carriers=CARRIERS)

    assert ("", "unnamed") == (refusal.parameter, refusal.about)


@pytest.mark.clause("006-M1")
@pytest.mark.parametrize(
    ("parameter", "message", "about"),
    [
        ("response_format", "is not supported with this model", "output"),
        ("response_format.type", "unsupported", "output"),
        ("response_format", "'json_schema' is not supported with this model", "output"),
        (None, "response_format json_schema is not supported", "output"),
        (None, "`json_schema` response formats are currently not supported", "output"),
        (None, "json_schema.schema: keyword 'minLength' is not supported", "schema"),
        ("response_format.json_schema.strict", "unknown", "schema"),
        ("response_format", "Invalid schema for response_format 'x': In context=()", "schema"),
        ("response_format", "refused", "schema"),
        ("temperature", "no", "parameter"),
        ("stream_options.include_usage", "no", "parameter"),
        (None, "'messages' must contain the word 'json' to use 'response_format'", "schema"),
    ],
)
def test_a_refused_schema_is_told_from_a_refused_mode(parameter, message, about):
    """Only what a schema is refused for stays with the schema."""
    code = "invalid_json_schema" if message == "refused" else None
    body = {"error": {"message": message, "param": parameter, "code": code}}

    assert about == read_refusal(400, body, sent=SENT, carriers=CARRIERS).about


@pytest.mark.clause("006-M1")
def test_without_a_mode_in_the_request_nothing_is_guessed():
    """A plain 400 stays the input's."""
    plain = {name: value for name, value in SENT.items() if name not in CARRIERS}
    for body in ({}, {"error": {"message": "response_format"}}, {"error": "bad"}):
        assert read_refusal(400, body, sent=plain, carriers=CARRIERS) is None


def test_a_filter_is_no_refusal():
    """The input is what is refused."""
    body = {"error": {"code": "content_filter", "param": "prompt", "message": "filtered"}}

    assert isinstance(read_error(400, body), Filtered)
    assert read_refusal(400, body, sent=SENT, carriers=CARRIERS) is None


def test_a_validators_list_within_a_text_is_read_by_its_quotes():
    """As some servers print it."""
    text = json.dumps("[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options')}]")
    refusal = read_refusal(
        400, {"object": "error", "message": json.loads(text)}, sent=SENT, carriers=CARRIERS
    )

    assert ("stream_options", "parameter") == (refusal.parameter, refusal.about)


@pytest.mark.clause("006-M1")
@pytest.mark.parametrize(
    ("message", "about"),
    [("Invalid schema for response_format 'x'", "schema"), ("is not supported here", "output")],
)
def test_the_mode_is_known_by_the_name_of_the_other_api_too(message, about):
    """Gateways that serve responses from chat completions refuse what they made of it."""
    sent = {"model": "tiny", "input": [], "text": {"format": {"type": "json_schema"}}}
    body = {"error": {"message": message, "param": "response_format"}}

    refusal = read_refusal(400, body, sent=sent, carriers=frozenset({"text"}))

    assert about == refusal.about
