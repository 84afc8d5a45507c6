"""OpenAI's Responses API: what is sent, and what is made of the answer.

In      ModelRequest; the body of an answer
Out     keyword arguments of `responses.create`; ModelReply; ModelFault for what is no reply
Pure    yes
Spec    003 `base_system` (`store: true`); interfaces.md, "Models"

The beginning that is the same for every call goes out as a system message, the rest as a user
message: put together they are the prompt, byte for byte. That beginning is text of the pack
alone, so nothing from outside gains the rank of a system message. There is no seed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from assay.adapters.models.http_faults import broken_reply, count, status_fault
from assay.protocols import ModelFault, ModelReply, ModelRequest

# Stopped short: the reason as given -> the finish reason that the gate knows.
_CUT: Final = {"max_output_tokens": "length", "content_filter": "content_filter"}

# Failed after the 200: these would meet other prompts too; the rest of the known ones lie in
# what was sent.
_PASSING: Final = {"server_error": 500, "vector_store_timeout": 500, "rate_limit_exceeded": 429}
_OF_THE_PROMPT: Final = frozenset({"invalid_prompt", "bio_policy", "misalignment_policy_violation"})


def arguments(request: ModelRequest, model: str) -> dict[str, Any]:
    """What `responses.create` is called with.

    White space alone is never split off: it would be an empty message.
    """
    at = max(0, request.prefix_chars)
    head, tail = request.prompt[:at], request.prompt[at:]
    if head.strip() and tail.strip():
        messages = [{"role": "system", "content": head}, {"role": "user", "content": tail}]
    else:
        messages = [{"role": "user", "content": request.prompt}]
    return {
        "model": model,
        "store": True,
        "input": messages,
        "temperature": request.parameters.temperature,
        "max_output_tokens": request.parameters.max_output_tokens,
    }


def request_facts(request: ModelRequest, sent: Mapping[str, Any]) -> dict[str, Any]:
    """Facts for the record about what was sent."""
    roles = [message["role"] for message in sent["input"]]
    return {
        "api": "responses",
        "store": sent["store"],
        "limit_as": "max_output_tokens",
        "prompt_as": ", ".join(roles),
        **({"cache_prefix_chars": request.prefix_chars} if len(roles) > 1 else {}),
        **({} if request.parameters.seed is None else {"seed": "not supported"}),
    }


def read_response(body: bytes, details: Mapping[str, Any]) -> ModelReply:
    """Read the answer, taking nothing for granted.

    Raises:
        ModelFault: it is no answer, or one that says that it failed.
    """
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise broken_reply("is no JSON") from error
    if not isinstance(answer, dict):
        raise broken_reply("is no object")
    if answer.get("status") == "failed":
        raise _failure(answer.get("error"))
    parts = list(_parts(answer.get("output")))
    finish = _finish(answer)
    refusals = [text for kind, text in parts if kind == "refusal"]
    if refusals:
        finish = "refusal"
    elif finish == "stop":
        finish = next((kind for kind, _ in parts if kind != "text"), finish)
    usage = answer.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    of_input = usage.get("input_tokens_details")
    cached = count(of_input.get("cached_tokens")) if isinstance(of_input, dict) else None
    model, found = answer.get("model"), answer.get("id")
    return ModelReply(
        text="".join(refusals or (text for kind, text in parts if kind == "text")),
        finish_reason=finish,
        input_tokens=count(usage.get("input_tokens")),
        output_tokens=count(usage.get("output_tokens")),
        model=model if isinstance(model, str) else "",
        details={
            **details,
            **({"response_id": found} if isinstance(found, str) else {}),
            **({"stored": False} if answer.get("store") is False else {}),
            **({"cached_tokens": cached} if cached else {}),
        },
    )


def _finish(answer: Mapping[str, Any]) -> str:
    """`stop` only for what says that it is complete."""
    status = answer.get("status")
    if status == "completed":
        return "stop"
    if status != "incomplete":
        raise broken_reply("says neither that it is complete nor that it is not")
    why = answer.get("incomplete_details")
    reason = why.get("reason") if isinstance(why, dict) else None
    return _CUT.get(reason, "incomplete") if isinstance(reason, str) else "incomplete"


def _parts(output: object) -> Iterator[tuple[str, str]]:
    """(`text` or `refusal`, its text) in order; any other kind says that the reply is not whole."""
    if not isinstance(output, list):
        raise broken_reply("holds no output")
    for item in output:
        kind = item.get("type") if isinstance(item, dict) else None
        if not isinstance(kind, str):
            raise broken_reply("holds an output item without a type")
        if kind == "reasoning":
            continue
        if kind != "message":
            yield "other_output", ""  # a call of a tool, say, and none was offered
            continue
        content = item.get("content")
        if not isinstance(content, list):
            raise broken_reply("holds a message without content")
        yield from map(_part, content)
        if item.get("status") in ("incomplete", "in_progress"):
            yield "incomplete", ""


def _part(part: object) -> tuple[str, str]:
    kind = part.get("type") if isinstance(part, dict) else None
    for name, field, said in (("output_text", "text", "text"), ("refusal", "refusal", "refusal")):
        if isinstance(part, dict) and kind == name:
            if not isinstance(part.get(field), str):
                raise broken_reply("holds a part without text")
            return said, part[field]
    raise broken_reply("holds a part of a kind that is not known")


def _failure(error: object) -> ModelFault:
    """The fault behind `status: failed`: what the provider names decides."""
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, str) and code in _OF_THE_PROMPT:
        return ModelFault("bad_request", transient=False)
    status = _PASSING.get(code, 500) if isinstance(code, str) else 500
    return status_fault(status, {}, {"error": error})
