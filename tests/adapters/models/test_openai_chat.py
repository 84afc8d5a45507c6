"""`openai:` through the real SDK against a real server on the loopback."""

from __future__ import annotations

import asyncio
import logging
import sys

import pytest

from assay.adapters.models.openai import OpenAIModel
from assay.core.json.canonical import digest
from assay.errors import ModelUnavailableError, UsageError
from assay.protocols import ModelFault, ModelReply, ModelRequest, Parameters
from tests import loopback

PROMPT = 'Zeile 1\r\n  „Zitat“ \\ "x" \u2028 🦊\n\n'


def request(prompt: str = PROMPT, *, seed: int | None = None) -> ModelRequest:
    return ModelRequest(
        prompt=prompt,
        prompt_sha256=digest(prompt),
        parameters=Parameters(temperature=0.25, max_output_tokens=33, seed=seed),
    )


def ask(url: str, what: ModelRequest | None = None, **settings: str) -> ModelReply:
    async def talk() -> ModelReply:
        environ = {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "k-123", **settings}
        model = OpenAIModel.create("tiny", environ=environ)
        try:
            return await model.complete(what or request())
        finally:
            await model.aclose()

    return asyncio.run(talk())


def fault(*behaviours: loopback.Behaviour, **settings: str) -> tuple[ModelFault, int]:
    """The fault of one request, and how many requests the server saw."""
    with loopback.serving(*behaviours) as server:
        with pytest.raises(ModelFault) as caught:
            ask(server.url, **settings)
        return caught.value, len(server.seen)


@pytest.mark.clause("004-X1")
def test_the_prompt_is_one_user_message_and_nothing_else_is_sent():
    """What the server reads back is the prompt, code point by code point."""
    with loopback.serving(loopback.openai_text("{}")) as server:
        ask(server.url, request(seed=5))

    assert {
        "model": "tiny",
        "messages": [{"role": "user", "content": PROMPT}],
        "temperature": 0.25,
        "max_tokens": 33,
        "seed": 5,
    } == server.seen[0].body
    assert "/v1/chat/completions" == server.seen[0].path
    assert "Bearer k-123" == server.seen[0].headers["authorization"]


def test_the_reply_comes_back_untouched_with_its_counts():
    """White space around the text is the model's, not ours to trim."""
    with loopback.serving(loopback.openai_text(' {"a": 1}\n')) as server:
        reply = ask(server.url)

    assert ' {"a": 1}\n' == reply.text
    assert ("stop", 11, 7) == (reply.finish_reason, reply.input_tokens, reply.output_tokens)
    assert "tiny-2026-01-01" == reply.model
    assert "req-1" == reply.details["provider_request_id"]


@pytest.mark.parametrize(
    ("behaviour", "text", "finish"),
    [
        (loopback.openai_text(None, refusal="I cannot."), "I cannot.", "refusal"),
        (loopback.openai_text(None), "", "stop"),
        (loopback.openai_text("half", "length"), "half", "length"),
        (loopback.openai_text("", "content_filter"), "", "content_filter"),
        (loopback.openai_text("x", None), "x", None),
    ],
)
def test_refusals_and_cut_off_replies_are_passed_on_as_such(behaviour, text, finish):
    """A refusal field, a limit or a filter is the gate's to judge."""
    with loopback.serving(behaviour) as server:
        reply = ask(server.url)

    assert (text, finish) == (reply.text, reply.finish_reason)


@pytest.mark.parametrize(
    ("behaviour", "kind", "transient", "wait"),
    [
        (loopback.answer(429, {}, {"retry-after": "7"}), "rate_limit", True, 7.0),
        (loopback.answer(429, {}, {"retry-after-ms": "250"}), "rate_limit", True, 0.25),
        (
            loopback.answer(
                503,
                {},
                {
                    "date": "Wed, 21 Oct 2026 07:28:00 GMT",
                    "retry-after": "Wed, 21 Oct 2026 07:28:30 GMT",
                },
            ),
            "server",
            True,
            30.0,
        ),
        (loopback.answer(429, {"error": {"code": "insufficient_quota"}}), "auth", False, None),
        (loopback.answer(500, b"<html>oops"), "server", True, None),
        (loopback.answer(504, {}), "timeout", True, None),
        (loopback.answer(401, {"error": {"message": "no"}}), "auth", False, None),
        (loopback.answer(403, {}), "auth", False, None),
        (loopback.answer(404, {}), "setup", False, None),
        (loopback.answer(400, {"error": {"message": "bad"}}), "bad_request", False, None),
        (loopback.answer(413, {}), "too_large", False, None),
        (loopback.answer(200, b"not json {"), "server", True, None),
        (loopback.answer(200, b"\xff\xfe"), "server", True, None),
        (loopback.answer(200, {}), "server", True, None),
        (loopback.answer(200, []), "server", True, None),
        (loopback.answer(200, {"choices": []}), "server", True, None),
        (loopback.answer(200, {"choices": [{}]}), "server", True, None),
        (loopback.answer(200, {"choices": [{"message": {"content": 1}}]}), "server", True, None),
        (loopback.answer(200, {"error": {"message": "down"}}), "server", True, None),
        (loopback.hang_up, "server", True, None),
        (loopback.cut_off, "server", True, None),
    ],
)
@pytest.mark.clause("004-X4")
def test_every_failure_is_one_fault_and_one_request(behaviour, kind, transient, wait):
    """The SDK's own retries are off; garbage with status 200 is no reply."""
    found, requests = fault(behaviour, loopback.openai_text("late"))

    assert (kind, transient, wait) == (found.kind, found.transient, found.retry_after_s)
    assert 1 == requests


@pytest.mark.parametrize("behaviour", [loopback.silence, loopback.drip])
def test_a_deadline_holds_however_slowly_the_server_drips(behaviour):
    """The limit is on the exchange, not on the single read."""
    found, _ = fault(behaviour, ASSAY_MODEL_DEADLINE_S="0.3")

    assert ("timeout", True) == (found.kind, found.transient)


def test_a_server_that_is_not_there_is_a_transient_fault():
    """Connection refused may be over in a moment."""
    with pytest.raises(ModelFault) as caught:
        ask(f"http://127.0.0.1:{loopback.closed_port()}")

    assert ("server", True) == (caught.value.kind, caught.value.transient)


@pytest.mark.clause("004-X6")
def test_not_even_the_sdk_logs_the_prompt(caplog):
    """With every logger at DEBUG the prompt's words stay out of the log."""
    caplog.set_level(logging.DEBUG)
    with loopback.serving(loopback.openai_text("geheime Antwort")) as server:
        ask(server.url, request("geheime Frage"))

    assert "geheime" not in caplog.text


def test_no_key_is_said_before_anything_is_sent():
    """The error names the setting."""
    with pytest.raises(ModelUnavailableError, match=r"auth: OPENAI_API_KEY") as caught:
        OpenAIModel.create("tiny", environ={})

    assert 40 == caught.value.exit_code


def test_a_missing_sdk_says_what_to_install(monkeypatch):
    """An installation without the extra."""
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ModelUnavailableError) as caught:
        OpenAIModel.create("tiny", environ={"OPENAI_API_KEY": "k"})

    assert "pip install 'assay[openai]'" == caught.value.hint


@pytest.mark.parametrize("text", ["soon", "0", "-1", "nan", "inf"])
def test_a_deadline_that_is_no_duration_is_refused(text):
    """Not silently replaced by a default."""
    with pytest.raises(UsageError, match="ASSAY_MODEL_DEADLINE_S"):
        OpenAIModel.create("tiny", environ={"OPENAI_API_KEY": "k", "ASSAY_MODEL_DEADLINE_S": text})


def test_identity_names_the_host_without_a_password():
    """An address may carry credentials; a record must not."""
    model = OpenAIModel.create(
        "tiny",
        environ={"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://me:pw@127.0.0.1:9/v1"},
    )

    assert "127.0.0.1:9" == model.identity["host"]
    asyncio.run(model.aclose())
