"""`anthropic:` through the real SDK against a real server on the loopback."""

from __future__ import annotations

import asyncio
import logging
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.anthropic import AnthropicModel
from assay.adapters.models.anthropic.request_parts import role_blocks
from assay.core.json.canonical import digest
from assay.errors import ModelUnavailableError
from assay.protocols import ModelFault, ModelReply, ModelRequest, Parameters
from tests import loopback

PROMPT = 'Anweisung 🦊\r\n\nFrage: "x" \u2028'


def request(prompt: str = PROMPT, prefix_chars: int = 0, seed: int | None = None) -> ModelRequest:
    return ModelRequest(
        prompt=prompt,
        prompt_sha256=digest(prompt),
        parameters=Parameters(temperature=0.25, max_output_tokens=33, seed=seed),
        prefix_chars=prefix_chars,
    )


def ask(url: str, what: ModelRequest | None = None, **settings: str) -> ModelReply:
    async def talk() -> ModelReply:
        environ = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "k-123", **settings}
        model = AnthropicModel.create("tiny", environ=environ)
        try:
            return await model.complete(what or request())
        finally:
            await model.aclose()

    return asyncio.run(talk())


@pytest.mark.clause("004-X1")
def test_the_prompt_is_one_block_of_one_user_message():
    """No system message is invented; the temperature arrives although the SDK has none."""
    with loopback.serving(loopback.anthropic_text("{}")) as server:
        reply = ask(server.url, request(seed=5))

    assert {
        "model": "tiny",
        "max_tokens": 33,
        "temperature": 0.25,
        "messages": [{"role": "user", "content": [{"type": "text", "text": PROMPT}]}],
    } == server.seen[0].body
    assert "/v1/messages" == server.seen[0].path
    assert "not supported" == reply.details["seed"]


def test_a_cacheable_prefix_is_marked_and_changes_no_byte():
    """The two blocks put together are the prompt."""
    with loopback.serving(loopback.anthropic_text("{}", cache_read_input_tokens=100)) as server:
        reply = ask(server.url, request(prefix_chars=11))

    blocks = server.seen[0].body["messages"][0]["content"]
    assert PROMPT == "".join(block["text"] for block in blocks)
    assert [{"type": "ephemeral"}, None] == [block.get("cache_control") for block in blocks]
    assert 11 == reply.details["cache_prefix_chars"]
    assert (111, 100) == (reply.input_tokens, reply.details["cache_read_input_tokens"])


@given(st.text(min_size=1), st.integers(-3, 40))
def test_blocks_always_add_up_and_are_never_blank_beside_another(prompt, prefix_chars):
    """Whatever the mark, the bytes are the prompt's."""
    _, blocks = role_blocks(request(prompt, prefix_chars))

    assert prompt == "".join(block["text"] for block in blocks)
    assert len(blocks) == 1 or all(block["text"].strip() for block in blocks)


@pytest.mark.parametrize(
    ("behaviour", "text", "finish"),
    [
        (loopback.anthropic_text(" a", "b\n"), " ab\n", "end_turn"),
        (loopback.anthropic_text(stop="refusal"), "", "refusal"),
        (loopback.anthropic_text("half", stop="max_tokens"), "half", "max_tokens"),
        (
            loopback.answer(
                200,
                {
                    "content": [
                        {"type": "thinking", "thinking": "hm"},
                        {"type": "text", "text": "yes"},
                    ]
                },
            ),
            "yes",
            None,
        ),
    ],
)
def test_texts_and_stop_reasons_are_passed_on(behaviour, text, finish):
    """Text blocks only, in order; the stop reason as it came."""
    with loopback.serving(behaviour) as server:
        reply = ask(server.url)

    assert (text, finish) == (reply.text, reply.finish_reason)


@pytest.mark.parametrize(
    ("behaviour", "kind", "transient", "wait"),
    [
        (loopback.answer(429, {}, {"retry-after": "7"}), "rate_limit", True, 7.0),
        (
            loopback.answer(529, {"type": "error", "error": {"type": "overloaded_error"}}),
            "rate_limit",
            True,
            None,
        ),
        (loopback.answer(500, b"<html>oops"), "server", True, None),
        (loopback.answer(401, {"error": {"type": "authentication_error"}}), "auth", False, None),
        (loopback.answer(402, {}), "auth", False, None),
        (loopback.answer(404, {}), "setup", False, None),
        (
            loopback.answer(400, {"error": {"type": "invalid_request_error"}}),
            "bad_request",
            False,
            None,
        ),
        (loopback.answer(200, b"not json {"), "server", True, None),
        (loopback.answer(200, {}), "server", True, None),
        (loopback.answer(200, {"content": "text"}), "server", True, None),
        (loopback.answer(200, {"content": [{}]}), "server", True, None),
        (loopback.answer(200, {"content": [{"type": "text"}]}), "server", True, None),
        (loopback.answer(200, {"content": [], "stop_reason": 1}), "server", True, None),
        (loopback.hang_up, "server", True, None),
        (loopback.cut_off, "server", True, None),
    ],
)
@pytest.mark.clause("004-X4")
def test_every_failure_is_one_fault_and_one_request(behaviour, kind, transient, wait):
    """The SDK's own retries are off; garbage with status 200 is no reply."""
    with loopback.serving(behaviour, loopback.anthropic_text("late")) as server:
        with pytest.raises(ModelFault) as caught:
            ask(server.url)
        found, requests = caught.value, len(server.seen)

    assert (kind, transient, wait) == (found.kind, found.transient, found.retry_after_s)
    assert 1 == requests


@pytest.mark.parametrize("behaviour", [loopback.silence, loopback.drip])
def test_a_deadline_holds_however_slowly_the_server_drips(behaviour):
    """The limit is on the exchange, not on the single read."""
    with loopback.serving(behaviour) as server, pytest.raises(ModelFault) as caught:
        ask(server.url, ASSAY_MODEL_DEADLINE_S="0.3")

    assert ("timeout", True) == (caught.value.kind, caught.value.transient)


def test_a_server_that_is_not_there_is_a_transient_fault():
    """Connection refused may be over in a moment."""
    with pytest.raises(ModelFault) as caught:
        ask(f"http://127.0.0.1:{loopback.closed_port()}")

    assert ("server", True) == (caught.value.kind, caught.value.transient)


@pytest.mark.clause("004-X6")
def test_not_even_the_sdk_logs_the_prompt(caplog):
    """With every logger at DEBUG the prompt's words stay out of the log."""
    caplog.set_level(logging.DEBUG)
    with loopback.serving(loopback.anthropic_text("geheime Antwort")) as server:
        ask(server.url, request("geheime Frage"))

    assert "geheime" not in caplog.text


def test_no_key_is_said_before_anything_is_sent():
    """The error names the setting."""
    with pytest.raises(ModelUnavailableError, match=r"auth: ANTHROPIC_API_KEY"):
        AnthropicModel.create("tiny", environ={})


def test_a_missing_sdk_says_what_to_install(monkeypatch):
    """An installation without the extra."""
    monkeypatch.setitem(sys.modules, "anthropic", None)
    with pytest.raises(ModelUnavailableError) as caught:
        AnthropicModel.create("tiny", environ={"ANTHROPIC_API_KEY": "k"})

    assert "pip install 'assay[anthropic]'" == caught.value.hint
