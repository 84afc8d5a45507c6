"""Any server that speaks OpenAI's chat completions or Responses, through OpenAI's own SDK.

In      ModelRequest; `OPENAI_API_KEY`, `OPENAI_BASE_URL`, `ASSAY_OPENAI_API`
Out     ModelReply; ModelFault for everything that is none
Pure    no: network
Spec    003 `base_system` (`store: true`), 004 R3; interfaces.md, "Models"

As a chat completion the prompt goes out as one user message and nothing else does: no system
message, no response format. These servers cache equal beginnings by themselves, so a cacheable
prefix needs no mark.

Over the Responses API the beginning that is the same for every call goes out as a system
message, the rest as a user message: put together they are the prompt, byte for byte. That
beginning is text of the pack alone, so nothing from outside gains the rank of a system message.
There is no seed.

Either reply is checked by hand, because the SDK takes `{}` for one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import urlsplit

from assay.adapters.models.http_faults import (
    broken_reply,
    deadline,
    deadline_setting,
    missing_key,
    missing_sdk,
    raise_or_filtered,
    refused_inside,
    silence_debug_lines,
    token_count,
)
from assay.errors import UsageError
from assay.gate.gate import WHOLE_REASONS
from assay.protocols import ModelFault, ModelProvider, ModelReply, ModelRequest

if TYPE_CHECKING:
    from openai import AsyncOpenAI

API_SETTING: Final = "ASSAY_OPENAI_API"
VARIABLES: Final = {
    "OPENAI_API_KEY": "Key of `openai:`; any text where the server wants none.",
    "OPENAI_BASE_URL": "Address of the server that `openai:` asks, instead of the provider's own.",
    API_SETTING: "API that `openai:` speaks: `chat`, the default, or `responses`. `responses`: the "
    "beginning that all prompts of a contract share is a system message of its own, sent with "
    "`store: true`; the provider keeps prompt and reply, and no erasure of the record reaches "
    "them there.",
}
"""What is read from the environment here, for the page on settings."""

_HOME = "https://api.openai.com/v1"

_CALLS: Final = ("tool_calls", "function_call")
_TEXT_PARTS: Final = frozenset({"text", "output_text"})
_HIDDEN_PARTS: Final = frozenset({"thinking", "reasoning", "redacted_thinking"})

# Stopped short: the reason as given -> the finish reason that the gate knows.
_CUT: Final = {"max_output_tokens": "length", "content_filter": "content_filter"}


class OpenAIModel:
    """One model of one server."""

    def __init__(
        self,
        client: AsyncOpenAI,
        name: str,
        *,
        base_url: str,
        sdk: str,
        deadline_s: float,
        api: str = "chat",
    ) -> None:
        self._client = client
        self._model = name
        self._api = api
        self._deadline_s = deadline_s
        self._host = urlsplit(base_url).netloc.rpartition("@")[2]  # never a password
        # OpenAI's newer models refuse `max_tokens`; other servers know nothing else.
        self._limit = "max_completion_tokens" if base_url == _HOME else "max_tokens"
        self._sdk = sdk

    @classmethod
    def create(cls, name: str, *, environ: Mapping[str, str]) -> Self:
        """Prepare a client; nothing is sent yet.

        Raises:
            ModelUnavailableError: the SDK is not installed, or there is no key.
            UsageError: ASSAY_OPENAI_API or ASSAY_MODEL_DEADLINE_S is not valid.
        """
        try:
            import openai
        except ImportError as error:
            raise missing_sdk("openai") from error
        key = environ.get("OPENAI_API_KEY", "")
        if not key:
            raise missing_key("OPENAI_API_KEY", " (any text where the server wants no key)")
        silence_debug_lines("openai._base_client")
        base_url = environ.get("OPENAI_BASE_URL") or _HOME
        limit_s = deadline_setting(environ)
        api = environ.get(API_SETTING) or "chat"
        if api not in ("chat", "responses"):
            raise UsageError(
                f"the setting {API_SETTING} is not valid",
                hint=f"{API_SETTING} is {VARIABLES[API_SETTING]}",
            )
        client = openai.AsyncOpenAI(api_key=key, base_url=base_url, max_retries=0, timeout=limit_s)
        return cls(
            client, name, base_url=base_url, sdk=openai.__version__, deadline_s=limit_s, api=api
        )

    needs_plan = False
    network = True

    @property
    def name(self) -> str:
        """`openai:NAME`."""
        return f"openai:{self._model}"

    @property
    def identity(self) -> Mapping[str, Any]:
        """Which server is asked for which model, over which API."""
        return {
            "kind": "openai",
            "api": self._api,
            "model": self._model,
            "host": self._host,
            "sdk": f"openai {self._sdk}",
        }

    async def complete(self, request: ModelRequest) -> ModelReply:
        """One POST; the SDK's own retries are off."""
        import openai

        if self._api == "responses":
            body = response_arguments(request, self._model)
            details = _request_facts(request, body)
        else:
            body = self._chat(request)
            details = {"prompt_as": "user", "limit_as": self._limit}
        try:
            async with deadline(self._deadline_s):
                content, headers = await self._send(body)
        except openai.APITimeoutError as error:
            raise ModelFault("timeout", transient=True) from error
        except openai.APIConnectionError as error:
            raise ModelFault("server", transient=True) from error
        except openai.APIStatusError as error:
            return raise_or_filtered(
                error.status_code, error.response.headers, error.body, sent=body
            )
        except openai.OpenAIError as error:
            raise ModelFault("server", transient=True, hint=type(error).__name__) from error
        answer = _parse_answer(content)
        refused = refused_inside(answer, headers, sent=body)
        if refused is not None:
            return refused
        read = _read_response if self._api == "responses" else _read_completion
        return read(answer, {**details, **_request_id(headers)})

    def _chat(self, request: ModelRequest) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": "user", "content": request.prompt}],
            "temperature": request.parameters.temperature,
            self._limit: request.parameters.max_output_tokens,
        }
        if request.parameters.seed is not None:
            body["seed"] = request.parameters.seed
        return body

    async def _send(self, body: Mapping[str, Any]) -> tuple[bytes, Mapping[str, str]]:
        """Body and headers of the answer."""
        if self._api == "responses":
            answer = await self._client.responses.with_raw_response.create(**body)
        else:
            answer = await self._client.chat.completions.with_raw_response.create(**body)
        return answer.http_response.content, answer.http_response.headers

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()


PROVIDER = ModelProvider(open=OpenAIModel.create, usage="openai:NAME", place=1)


def _request_id(headers: Mapping[str, str]) -> dict[str, str]:
    found = headers.get("x-request-id")
    return {"provider_request_id": found} if found else {}


def _parse_answer(body: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise broken_reply("is no JSON") from error
    if not isinstance(answer, dict):
        raise broken_reply("is no object")
    return answer


def _read_completion(answer: Mapping[str, Any], details: Mapping[str, Any]) -> ModelReply:
    """Read the answer, taking nothing for granted."""
    choices = answer.get("choices")
    if not (isinstance(choices, list) and choices and isinstance(choices[0], dict)):
        raise broken_reply("holds no choice")
    choice: dict[str, Any] = choices[0]
    message = choice.get("message")
    if not isinstance(message, dict):
        raise broken_reply("holds no message")
    finish = choice.get("finish_reason")
    if not isinstance(finish, str | None):
        raise broken_reply("holds a finish reason that is no string")
    text, other = _message_text(message.get("content"))
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        text, finish = refusal, "refusal"
    elif other == "refusal":
        finish = "refusal"
    elif finish in WHOLE_REASONS:
        # What was not offered was not asked for: text beside it is not the whole reply.
        beside = next((name for name in _CALLS if message.get(name)), other)
        finish = beside or finish
    usage = answer.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    model = answer.get("model")
    fingerprint = answer.get("system_fingerprint")
    return ModelReply(
        text=text,
        finish_reason=finish,
        input_tokens=token_count(usage.get("prompt_tokens")),
        output_tokens=token_count(usage.get("completion_tokens")),
        model=model if isinstance(model, str) else "",
        details={
            **details,
            **({"system_fingerprint": fingerprint} if isinstance(fingerprint, str) else {}),
        },
    )


def _message_text(content: object) -> tuple[str, str]:
    """The text of a message, also where it comes in parts, and what else lies beside it.

    Hidden reasoning is neither: it is not judged.
    """
    if content is None or isinstance(content, str):
        return content or "", ""
    if not isinstance(content, list):
        raise broken_reply("holds a text that is no string")
    texts: list[str] = []
    other = ""
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if not isinstance(kind, str):
            raise broken_reply("holds a part without a type")
        if kind in _TEXT_PARTS or kind == "refusal":
            text = part.get("refusal" if kind == "refusal" else "text")
            if not isinstance(text, str):
                raise broken_reply("holds a part without text")
            texts.append(text)
        if kind not in _TEXT_PARTS and kind not in _HIDDEN_PARTS:
            other = "refusal" if "refusal" in (kind, other) else "other_output"
    return "".join(texts), other


# --- Responses ----------------------------------------------------------------------------------


def response_arguments(request: ModelRequest, model: str) -> dict[str, Any]:
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


def _request_facts(request: ModelRequest, sent: Mapping[str, Any]) -> dict[str, Any]:
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


def _read_response(answer: Mapping[str, Any], details: Mapping[str, Any]) -> ModelReply:
    """Read the answer, taking nothing for granted.

    Raises:
        ModelFault: it is no answer, or one that says that it failed.
    """
    if answer.get("status") == "failed":
        raise broken_reply("says that it failed, and not why")
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
    cached = token_count(of_input.get("cached_tokens")) if isinstance(of_input, dict) else None
    model, found = answer.get("model"), answer.get("id")
    return ModelReply(
        text="".join(refusals or (text for kind, text in parts if kind == "text")),
        finish_reason=finish,
        input_tokens=token_count(usage.get("input_tokens")),
        output_tokens=token_count(usage.get("output_tokens")),
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
