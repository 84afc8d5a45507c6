"""What an error of a provider stands for is told by its code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.provider_errors import (
    Filtered,
    error_inside,
    read_error,
    status_inside,
)
from assay.protocols import ModelFault

SENT = {"model": "m", "messages": [], "temperature": 0.0, "max_tokens": 9, "seed": 1}


def openai(message: str = "no", **more: object) -> dict[str, object]:
    return {"error": {"message": message, **more}}


def anthropic(kind: str, message: str = "no") -> dict[str, object]:
    return {"type": "error", "error": {"type": kind, "message": message}}


GOOGLE_KEY = {
    "code": 400,
    "message": "API key not valid. Please pass a valid API key.",
    "status": "INVALID_ARGUMENT",
}


@pytest.mark.clause("005-R21")
@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        # The key, whatever the status.
        (400, {"error": {**GOOGLE_KEY, "details": [{"reason": "API_KEY_INVALID"}]}}, "auth"),
        (400, {"error": GOOGLE_KEY}, "auth"),
        (400, [{"error": GOOGLE_KEY}], "auth"),
        (400, openai("Incorrect API key provided", code="invalid_api_key"), "auth"),
        (401, {}, "auth"),
        (403, b"", "auth"),
        (400, anthropic("authentication_error"), "auth"),
        (500, openai(code="invalid_api_key"), "auth"),
        # Credit.
        (429, openai(type="insufficient_quota", code="insufficient_quota"), "auth"),
        (402, {}, "auth"),
        (400, anthropic("invalid_request_error", "Your credit balance is too low."), "auth"),
        (403, anthropic("billing_error"), "auth"),
        (400, openai("Budget has been exceeded!", type="budget_exceeded", code="400"), "auth"),
        (400, openai(code="Arrearage", type="Arrearage"), "auth"),
        (
            400,
            anthropic("invalid_request_error", "You have reached your specified API usage limits."),
            "auth",
        ),
        (
            400,
            anthropic("invalid_request_error", "This organization has been disabled."),
            "auth",
        ),
        # The model.
        (404, "<html>", "setup"),
        (400, openai("The model `m` does not exist", code="model_not_found"), "setup"),
        (400, openai("The model `m` does not exist", param="model"), "setup"),
        (404, anthropic("not_found_error", "model: m"), "setup"),
        (404, openai(code="DeploymentNotFound"), "setup"),
        (400, openai("m is not a valid model ID", code=400), "setup"),
        (400, {"message": "The provided model identifier is invalid."}, "setup"),
        # A parameter.
        (400, openai(param="temperature", code="unsupported_value"), "setup"),
        (400, openai(param="max_tokens", code="unsupported_parameter"), "setup"),
        (400, anthropic("invalid_request_error", "`temperature` is deprecated."), "setup"),
        (422, openai("Extra inputs are not permitted: 'seed'"), "setup"),
        (400, openai(param="response_format.json_schema", code="invalid"), "setup"),
        # The input: too long.
        (400, openai(code="context_length_exceeded", param="messages"), "too_large"),
        (400, openai("This model's maximum context length is 4096 tokens.", code=400), "too_large"),
        (400, anthropic("invalid_request_error", "prompt is too long: 9 > 8"), "too_large"),
        (
            400,
            openai("'max_tokens' is too large: this model's maximum context length is 9."),
            "too_large",
        ),
        (
            400,
            anthropic(
                "invalid_request_error",
                "input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000, "
                "decrease input length or `max_tokens` and try again",
            ),
            "too_large",
        ),
        (413, openai(type="tokens", code="rate_limit_exceeded"), "too_large"),
        (413, anthropic("request_too_large"), "too_large"),
        (500, openai(code="exceed_context_size_error"), "too_large"),
        # The input, by a code that is in no table.
        (400, {}, "bad_request"),
        (400, openai(code="made_up_yesterday"), "bad_request"),
        (400, openai(param="messages.0.content", code="made_up"), "bad_request"),
        (400, anthropic("invalid_request_error", "messages.0: bad role"), "bad_request"),
        (422, {"detail": [{"msg": "field required"}]}, "bad_request"),
        # The moment.
        (429, openai(code="rate_limit_exceeded"), "rate_limit"),
        (529, anthropic("overloaded_error"), "rate_limit"),
        (500, "oops", "server"),
        (503, openai("Loading model", type="unavailable_error"), "server"),
        (500, anthropic("api_error", "the model was not found in cache"), "server"),
        (504, {}, "timeout"),
        (408, {}, "timeout"),
        (307, {}, "server"),
    ],
)
def test_whose_fault_an_error_is(status, body, kind):
    """Key, credit, model and parameters are the set-up's, whatever the status; too long is the
    input's; limits and outages pass."""
    found = read_error(status, body, sent=SENT)

    assert isinstance(found, ModelFault)
    assert kind == found.kind
    assert found.transient == (kind in {"rate_limit", "server", "timeout"} and status != 307)


@pytest.mark.clause("005-R21")
@pytest.mark.parametrize(
    ("body", "code"),
    [
        (openai(code="content_filter", param="prompt"), "content_filter"),
        (
            {"error": {"code": None, "innererror": {"code": "ResponsibleAIPolicyViolation"}}},
            "ResponsibleAIPolicyViolation",
        ),
        (openai("The prompt triggered the content management policy."), "content_filter"),
        (openai(code="invalid_prompt"), "invalid_prompt"),
        (
            openai('m requires moderation. Your input was flagged for "violence".', code=403),
            "403",
        ),
    ],
)
def test_the_filter_of_a_provider_is_told_apart(body, code):
    """What the filter refused is no fault of the set-up and not retried."""
    assert Filtered(code=code) == read_error(400, body, sent=SENT)
    assert Filtered(code=code) == read_error(403, body, sent=SENT)


def test_code_and_parameter_are_the_providers_own_words():
    """They name what to change; a code that is no plain word is not repeated."""
    found = read_error(400, openai(param="max_tokens", code="unsupported_parameter"), sent=SENT)
    odd = read_error(400, openai(code="please call Ann Example"), sent=SENT)

    assert ("unsupported_parameter", "max_tokens") == (found.code, found.parameter)
    assert ("bad_request", "") == (odd.kind, odd.code)


@pytest.mark.clause("005-R21")
@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ({"error": {"code": 429, "message": "slow down"}}, 429),
        ({"error": {"code": "402"}}, 402),
        ({"error": "no"}, 500),
        ({"error": {"code": "made_up"}}, 400),
        ({"choices": [{"error": {"code": 502}, "message": {"content": "{}"}}]}, 502),
        (anthropic("overloaded_error"), 500),
        (anthropic("invalid_request_error"), 400),
        ({"type": "error"}, 500),
    ],
)
def test_an_error_inside_a_200_is_an_error(answer, status):
    """Also beside a reply: what its server calls failed is no reply."""
    error = error_inside(answer)

    assert error is not None
    assert status == status_inside(error)


@pytest.mark.parametrize(
    "answer", [{}, [], None, {"error": None}, {"choices": [{"message": {}}]}, {"choices": 3}]
)
def test_an_answer_without_an_error_has_none(answer):
    """An `error` of null is how the Responses API says that there is none."""
    assert error_inside(answer) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["error", "code", "type", "param", "message", "details", "status"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=30,
)


@given(st.integers(300, 599), JSON)
def test_any_body_is_read_as_some_fault(status, body):
    """Nothing that a server sends raises anything, and what is told is never longer than a code."""
    found = read_error(status, body, sent=SENT)
    inside = error_inside(body)

    assert isinstance(found, ModelFault | Filtered)
    assert len(found.code) <= 60
    assert inside is None or 400 <= status_inside(inside) <= 599


@pytest.mark.clause("005-R21")
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"error": {"message": "Insufficient credits", "code": 402}}, "402"),
        ({"error": {"code": 402, "type": "billing_error"}}, "billing_error"),
        ({"error": {"code": True}}, ""),
    ],
)
def test_a_code_that_is_a_number_is_named_where_there_is_no_other(body, code):
    """What the provider said is the first thing that the owner of the key looks for."""
    found = read_error(402, body)

    assert isinstance(found, ModelFault)
    assert code == found.code
