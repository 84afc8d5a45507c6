"""Any server that speaks OpenAI's chat completions or Responses, through OpenAI's own SDK.

In      ModelRequest; `OPENAI_API_KEY`, `OPENAI_BASE_URL`, `ASSAY_OPENAI_API`
Out     ModelReply; ModelFault for everything that is none
Pure    no: network
Spec    003 `base_system` (`store: true`), 004 R3; interfaces.md, "Models"

As a chat completion the prompt goes out as one user message and nothing else does: no system
message, no response format. These servers cache equal beginnings by themselves, so a cacheable
prefix needs no mark. What goes out over the Responses API says `openai_responses`. The reply is
checked by hand, because the SDK takes `{}` for one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import urlsplit

from assay.adapters.models.http_faults import (
    broken_reply,
    count,
    deadline,
    deadline_setting,
    hush,
    no_key,
    no_sdk,
    status_fault,
)
from assay.adapters.models.openai.responses import arguments, read_response, request_facts
from assay.errors import UsageError
from assay.protocols import ModelFault, ModelReply, ModelRequest

if TYPE_CHECKING:
    from openai import AsyncOpenAI

API_SETTING: Final = "ASSAY_OPENAI_API"
VARIABLES: Final = {
    "OPENAI_API_KEY": "Key of `openai:`; any text where the server wants none.",
    "OPENAI_BASE_URL": "Address of the server that `openai:` asks, instead of the provider's own.",
}
"""What else is read from the environment here, for the page on settings."""
"""Which of the two APIs is spoken: `chat`, the default, or `responses`."""

_HOME = "https://api.openai.com/v1"


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
            raise no_sdk("openai") from error
        key = environ.get("OPENAI_API_KEY", "")
        if not key:
            raise no_key("OPENAI_API_KEY", " (any text where the server wants no key)")
        hush("openai._base_client")
        base_url = environ.get("OPENAI_BASE_URL") or _HOME
        limit_s = deadline_setting(environ)
        api = environ.get(API_SETTING) or "chat"
        if api not in ("chat", "responses"):
            raise UsageError(f"{API_SETTING} names no API", hint="write chat or responses")
        client = openai.AsyncOpenAI(api_key=key, base_url=base_url, max_retries=0, timeout=limit_s)
        return cls(
            client, name, base_url=base_url, sdk=openai.__version__, deadline_s=limit_s, api=api
        )

    needs_plan = False

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
            body = arguments(request, self._model)
            details = request_facts(request, body)
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
            raise status_fault(error.status_code, error.response.headers, error.body) from error
        except openai.OpenAIError as error:
            raise ModelFault("server", transient=True, hint=type(error).__name__) from error
        read = read_response if self._api == "responses" else _reply
        return read(content, {**details, **_id(headers)})

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


def _id(headers: Mapping[str, str]) -> dict[str, str]:
    found = headers.get("x-request-id")
    return {"provider_request_id": found} if found else {}


def _reply(body: bytes, details: Mapping[str, Any]) -> ModelReply:
    """Read the answer, taking nothing for granted."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise broken_reply("is no JSON") from error
    choices = answer.get("choices") if isinstance(answer, dict) else None
    if not (isinstance(choices, list) and choices and isinstance(choices[0], dict)):
        raise broken_reply("holds no choice")
    choice: dict[str, Any] = choices[0]
    message = choice.get("message")
    if not isinstance(message, dict):
        raise broken_reply("holds no message")
    text, refusal = message.get("content"), message.get("refusal")
    finish = choice.get("finish_reason")
    if not isinstance(text, str | None) or not isinstance(finish, str | None):
        raise broken_reply("holds a text or finish reason that is no string")
    if isinstance(refusal, str) and refusal:
        text, finish = refusal, "refusal"
    usage = answer.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    model = answer.get("model")
    fingerprint = answer.get("system_fingerprint")
    return ModelReply(
        text=text or "",
        finish_reason=finish,
        input_tokens=count(usage.get("prompt_tokens")),
        output_tokens=count(usage.get("completion_tokens")),
        model=model if isinstance(model, str) else "",
        details={
            **details,
            **({"system_fingerprint": fingerprint} if isinstance(fingerprint, str) else {}),
        },
    )
