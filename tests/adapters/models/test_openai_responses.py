"""`openai:` over the Responses API, through the real SDK against a real server on the loopback."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import wiring
from assay.adapters.models.openai import OpenAIModel
from assay.adapters.models.openai.request_parts import SetUp
from assay.adapters.models.openai.responses import response_arguments
from assay.core.json.canonical import digest
from assay.errors import UsageError
from assay.protocols import ModelFault, ModelReply, ModelRequest, Parameters
from tests import loopback

PROMPT = 'Persona 🦊\r\n\r\nZeile 1\n  „Zitat“ \\ "x" \u2028 e\u0301\n\n'


def request(prompt: str = PROMPT, prefix_chars: int = 0, seed: int | None = None) -> ModelRequest:
    return ModelRequest(
        prompt=prompt,
        prompt_sha256=digest(prompt),
        parameters=Parameters(temperature=0.25, max_output_tokens=33, seed=seed),
        prefix_chars=prefix_chars,
    )


def environ(url: str, **settings: str) -> dict[str, str]:
    return {
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_API_KEY": "k-123",
        "ASSAY_OPENAI_API": "responses",
        **settings,
    }


def ask(url: str, what: ModelRequest | None = None, **settings: str) -> ModelReply:
    async def talk() -> ModelReply:
        model = OpenAIModel.create("tiny", environ=environ(url, **settings))
        try:
            return await model.complete(what or request())
        finally:
            await model.aclose()

    return asyncio.run(talk())


def message(*texts: str, refusal: str | None = None, **fields: Any) -> dict[str, Any]:
    content: list[dict[str, Any]] = [
        {"type": "output_text", "text": text, "annotations": []} for text in texts
    ]
    if refusal is not None:
        content.append({"type": "refusal", "refusal": refusal})
    return {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": content,
        **fields,
    }


REASONING = {"type": "reasoning", "id": "rs_1", "summary": []}


def response(*output: Any, **fields: Any) -> loopback.Behaviour:
    """An answer as OpenAI writes it."""
    body = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "tiny-2026-01-01",
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "output": list(output),
        "store": True,
        "usage": {
            "input_tokens": 11,
            "input_tokens_details": {"cached_tokens": 4},
            "output_tokens": 7,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 18,
        },
        **fields,
    }
    return loopback.answer(200, body, {"x-request-id": "req-1"})


def cut(reason: str | None) -> dict[str, Any]:
    return {
        "status": "incomplete",
        "incomplete_details": None if reason is None else {"reason": reason},
    }


# --- what is sent -----------------------------------------------------------------------------


def sent_texts(body: dict[str, Any]) -> list[tuple[str, str]]:
    return [(item["role"], item["content"]) for item in body["input"]]


@pytest.mark.clause("003-T1")
def test_the_persona_block_leads_and_the_parts_are_the_prompt_byte_for_byte():
    """The block that all prompts share is an item of its own; nothing is added between."""
    prefix = len("Persona 🦊\r\n\r\n")
    with loopback.serving(response(message("{}"))) as server:
        reply = ask(server.url, request(prefix_chars=prefix))
    seen = server.seen[0]

    assert {
        "model": "tiny",
        "store": True,
        "input": [
            {"role": "system", "content": PROMPT[:prefix]},
            {"role": "user", "content": PROMPT[prefix:]},
        ],
        "temperature": 0.25,
        "max_output_tokens": 33,
    } == seen.body
    assert PROMPT.encode() == "".join(text for _, text in sent_texts(seen.body)).encode()
    assert "/v1/responses" == seen.path
    assert "Bearer k-123" == seen.headers["authorization"]
    assert ("system, user", prefix) == (
        reply.details["prompt_as"],
        reply.details["cache_prefix_chars"],
    )


@pytest.mark.parametrize("prefix", [0, -3, len(PROMPT), len(PROMPT) - 2, 10_000])
@pytest.mark.clause("004-X1")
def test_without_a_beginning_of_its_own_the_prompt_is_one_user_message(prefix):
    """No prefix, all prefix, or nothing but white space behind it."""
    with loopback.serving(response(message("{}"))) as server:
        reply = ask(server.url, request(prefix_chars=prefix))

    assert [("user", PROMPT)] == sent_texts(server.seen[0].body)
    assert "user" == reply.details["prompt_as"]
    assert "cache_prefix_chars" not in reply.details


@given(prompt=st.text(), prefix=st.integers(-2, 40))
def test_the_parts_are_the_prompt_wherever_it_is_split(prompt, prefix):
    """No code point is lost or doubled, and no part is white space alone unless the prompt is."""
    texts = [
        text
        for _, text in sent_texts(response_arguments(request(prompt, prefix), SetUp(model="tiny")))
    ]

    assert prompt == "".join(texts)
    assert all(text.strip() for text in texts) or [prompt] == texts


@pytest.mark.clause("003-T1")
def test_the_persona_block_of_a_pack_comes_through_the_whole_runtime(tmp_path):
    """In a turn of the services pack the system message is the persona and quotes no user."""
    pack = wiring.load_pack("services")
    words = "Where do I claim a pension? QUOKKA"

    async def talk(url: str) -> None:
        store = f"sqlite:///{tmp_path / 'talk.db'}"
        known = environ(url)
        async with wiring.aopen(store, "openai:tiny", pack=pack, environ=known) as runtime:
            await runtime.chat(pack, "0f0e4b8e-52f6-4d7c-9f0a-8f1d2c3b4a59", words)

    with loopback.serving(response(message("not json"))) as server:
        asyncio.run(talk(server.url))
    persona = pack.templates["prompt_base_system"].body.strip()

    assert 3 == len(server.seen)  # the first attempt and two corrections
    for seen in server.seen:
        assert seen.body["store"] is True
        (first, leading), (second, rest) = sent_texts(seen.body)
        assert ("system", "user") == (first, second)
        assert leading.startswith(persona)
        assert "QUOKKA" not in leading
        assert "QUOKKA" in rest


# --- what comes back --------------------------------------------------------------------------


def test_the_reply_comes_back_untouched_with_its_counts_and_id():
    """All texts in order, reasoning left out, white space kept; the id finds what is stored."""
    output = (REASONING, message(' {"a"', ": 1"), message("}\n"))
    with loopback.serving(response(*output)) as server:
        reply = ask(server.url, request(seed=5))

    assert ' {"a": 1}\n' == reply.text
    assert ("stop", 11, 7) == (reply.finish_reason, reply.input_tokens, reply.output_tokens)
    assert "tiny-2026-01-01" == reply.model
    assert {
        "api": "responses",
        "store": True,
        "limit_as": "max_output_tokens",
        "prompt_as": "user",
        "seed": "not supported",
        "provider_request_id": "req-1",
        "response_id": "resp_1",
        "cached_tokens": 4,
    } == reply.details


def test_a_provider_that_does_not_store_is_on_record():
    """An account without retention answers `store: false` to `store: true`."""
    with loopback.serving(response(message("{}"), store=False)) as server:
        reply = ask(server.url)

    assert (True, False) == (reply.details["store"], reply.details["stored"])


@pytest.mark.parametrize(
    ("behaviour", "text", "finish"),
    [
        (response(message("half"), **cut("max_output_tokens")), "half", "length"),
        (response(**cut("max_output_tokens")), "", "length"),
        (response(message("half"), **cut("content_filter")), "half", "content_filter"),
        (response(message("half"), **cut("stop")), "half", "incomplete"),
        (response(message("half"), **cut(None)), "half", "incomplete"),
        (response(message("half", status="incomplete")), "half", "incomplete"),
        (response(message(refusal="I cannot.")), "I cannot.", "refusal"),
        (response(message("{}", refusal="I cannot.")), "I cannot.", "refusal"),
        (response(message(refusal="")), "", "refusal"),
        (response(message("{}"), {"type": "function_call"}), "{}", "other_output"),
        (response(), "", "stop"),
    ],
)
def test_only_a_complete_reply_is_said_to_have_stopped(behaviour, text, finish):
    """Limit, filter, refusal and what nobody asked for are the gate's to judge."""
    with loopback.serving(behaviour) as server:
        reply = ask(server.url)

    assert (text, finish) == (reply.text, reply.finish_reason)


# --- what goes wrong --------------------------------------------------------------------------


def failed(code: str | None) -> loopback.Behaviour:
    return response(status="failed", error=None if code is None else {"code": code, "message": "x"})


@pytest.mark.parametrize(
    ("behaviour", "kind", "transient", "wait"),
    [
        (loopback.answer(429, {}, {"retry-after": "7"}), "rate_limit", True, 7.0),
        (loopback.answer(429, {"error": {"code": "insufficient_quota"}}), "auth", False, None),
        (loopback.answer(500, b"<html>oops"), "server", True, None),
        (loopback.answer(504, {}), "timeout", True, None),
        (loopback.answer(401, {"error": {"message": "no"}}), "auth", False, None),
        (loopback.answer(404, {}), "setup", False, None),
        (loopback.answer(400, {"error": {"message": "bad"}}), "bad_request", False, None),
        (failed("server_error"), "server", True, None),
        (failed("rate_limit_exceeded"), "rate_limit", True, None),
        (failed("insufficient_quota"), "auth", False, None),
        (failed("something_new"), "bad_request", False, None),
        (failed(None), "server", True, None),
        (response(message("{}"), status="in_progress"), "server", True, None),
        (response(message("{}"), status=None), "server", True, None),
        (loopback.answer(200, b"not json {"), "server", True, None),
        (loopback.answer(200, {}), "server", True, None),
        (loopback.answer(200, []), "server", True, None),
        (loopback.answer(200, {"error": {"message": "down"}}), "server", True, None),
        (response(output="text"), "server", True, None),
        (response("text"), "server", True, None),
        (response({"type": "message"}), "server", True, None),
        (response(message(content=[{"type": "output_text"}])), "server", True, None),
        (response(message(content=[{"type": "poem", "text": "x"}])), "server", True, None),
        (response(message(content=["x"])), "server", True, None),
        (loopback.openai_text("{}"), "server", True, None),
        (loopback.hang_up, "server", True, None),
        (loopback.cut_off, "server", True, None),
    ],
)
@pytest.mark.clause("004-X4")
def test_every_failure_over_responses_is_one_fault_and_one_request(
    behaviour, kind, transient, wait
):
    """Faults are those of chat completions; the SDK's own retries are off."""
    late = response(message("late"))
    with loopback.serving(behaviour, late) as server, pytest.raises(ModelFault) as caught:
        ask(server.url)

    found = caught.value
    assert (kind, transient, wait) == (found.kind, found.transient, found.retry_after_s)
    assert 1 == len(server.seen)


@pytest.mark.parametrize("behaviour", [loopback.silence, loopback.drip])
def test_the_deadline_holds_over_responses(behaviour):
    """A server that says nothing, and one that drips."""
    with loopback.serving(behaviour) as server, pytest.raises(ModelFault) as caught:
        ask(server.url, ASSAY_MODEL_DEADLINE_S="0.3")

    assert ("timeout", True) == (caught.value.kind, caught.value.transient)


@pytest.mark.clause("004-X6")
def test_over_responses_the_sdk_logs_no_prompt_either(caplog):
    """With every logger at DEBUG."""
    caplog.set_level(logging.DEBUG)
    with loopback.serving(response(message("geheime Antwort"))) as server:
        ask(server.url, request("geheime Frage: geheim", 15))

    assert "geheim" not in caplog.text


# --- the setting ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "api"),
    [
        ({}, "chat"),
        ({"ASSAY_OPENAI_API": ""}, "chat"),
        ({"ASSAY_OPENAI_API": "chat"}, "chat"),
        ({"ASSAY_OPENAI_API": "responses"}, "responses"),
    ],
)
def test_the_identity_names_the_api(settings, api):
    """Two APIs may answer differently, so they are two models to the record."""
    model = OpenAIModel.create("tiny", environ={"OPENAI_API_KEY": "k", **settings})

    assert api == model.identity["api"]
    asyncio.run(model.aclose())


def test_an_api_that_does_not_exist_is_refused():
    """With what may be written, and without the value."""
    with pytest.raises(UsageError, match="ASSAY_OPENAI_API") as caught:
        OpenAIModel.create("tiny", environ={"OPENAI_API_KEY": "k", "ASSAY_OPENAI_API": "Chat"})

    assert "`chat`, the default, or `responses`" in caught.value.hint
    assert "Chat" not in str(caught.value) + caught.value.hint
