"""Anthropic's messages, through Anthropic's own SDK.

In      ModelRequest; `ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL`
Out     ModelReply; ModelFault for everything that is none
Pure    no: network
Spec    004 R3; interfaces.md, "Models"

The prompt goes out as one user message. Where the request marks a beginning that is the same
for every call, the message has two text blocks, the first marked for the provider's cache:
the blocks put together are the prompt, byte for byte. There is no seed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import urlsplit

from assay.adapters.models.http_client import connection_fault, make_client
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
from assay.adapters.secret_values import read_secret
from assay.gate.gate import WHOLE_REASONS
from assay.protocols import ModelFault, ModelProvider, ModelReply, ModelRequest

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

VARIABLES: Final = {
    "ANTHROPIC_API_KEY": "Key of `anthropic:`. `keyring:` takes it from the system's key store.",
    "ANTHROPIC_API_KEY_FILE": "File with that key, instead of `ANTHROPIC_API_KEY`.",
    "ANTHROPIC_BASE_URL": "Address of the server that `anthropic:` asks, instead of the "
    "provider's own.",
}
"""What is read from the environment here, for the page on settings."""

_HOME = "https://api.anthropic.com"
_HIDDEN = frozenset({"thinking", "redacted_thinking"})
"""Blocks of hidden reasoning: not judged, and no sign that the reply is not whole."""

_INPUT_COUNTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class AnthropicModel:
    """One model of Anthropic, or of a server that speaks like it."""

    def __init__(
        self, client: AsyncAnthropic, name: str, *, base_url: str, sdk: str, deadline_s: float
    ) -> None:
        self._client = client
        self._model = name
        self._deadline_s = deadline_s
        self._host = urlsplit(base_url).netloc.rpartition("@")[2]  # never a password
        self._sdk = sdk

    @classmethod
    def create(cls, name: str, *, environ: Mapping[str, str]) -> Self:
        """Prepare a client; nothing is sent yet.

        Raises:
            ModelUnavailableError: the SDK is not installed, or there is no key.
        """
        try:
            import anthropic
        except ImportError as error:
            raise missing_sdk("anthropic") from error
        key = read_secret(environ, "ANTHROPIC_API_KEY")
        if not key:
            raise missing_key("ANTHROPIC_API_KEY")
        silence_debug_lines("anthropic._base_client")
        base_url = environ.get("ANTHROPIC_BASE_URL") or _HOME
        limit_s = deadline_setting(environ)
        client = anthropic.AsyncAnthropic(
            api_key=key,
            base_url=base_url,
            max_retries=0,
            timeout=limit_s,
            http_client=make_client(anthropic, environ),
        )
        return cls(client, name, base_url=base_url, sdk=anthropic.__version__, deadline_s=limit_s)

    needs_plan = False

    @property
    def name(self) -> str:
        """`anthropic:NAME`."""
        return f"anthropic:{self._model}"

    @property
    def identity(self) -> Mapping[str, Any]:
        """Which server is asked for which model."""
        return {
            "kind": "anthropic",
            "model": self._model,
            "host": self._host,
            "sdk": f"anthropic {self._sdk}",
        }

    async def complete(self, request: ModelRequest) -> ModelReply:
        """One POST; the SDK's own retries are off."""
        import anthropic

        blocks = _blocks(request.prompt, request.prefix_chars)
        details: dict[str, Any] = {"prompt_as": "user", "blocks": len(blocks)}
        if len(blocks) > 1:
            details["cache_prefix_chars"] = request.prefix_chars
        if request.parameters.seed is not None:
            details["seed"] = "not supported"
        body: dict[str, Any] = {
            "model": self._model,
            "max_tokens": request.parameters.max_output_tokens,
            "messages": [{"role": "user", "content": blocks}],
        }
        more = {"temperature": request.parameters.temperature}
        try:
            async with deadline(self._deadline_s):
                answer = await self._client.messages.with_raw_response.create(
                    **body, extra_body=more
                )
        except anthropic.APITimeoutError as error:
            raise ModelFault("timeout", transient=True) from error
        except anthropic.APIConnectionError as error:
            raise connection_fault(error, self._host) from error
        except anthropic.APIStatusError as error:
            return raise_or_filtered(
                error.status_code, error.response.headers, error.body, sent=body | more
            )
        except anthropic.AnthropicError as error:
            raise ModelFault("server", transient=True, hint=type(error).__name__) from error
        http = answer.http_response
        found = http.headers.get("request-id")
        if found:
            details["provider_request_id"] = found
        try:
            parsed = json.loads(http.content)
        except (ValueError, RecursionError) as error:
            raise broken_reply("is no JSON") from error
        refused = refused_inside(parsed, http.headers, sent=body | more)
        return _reply(parsed, details) if refused is None else refused

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()


PROVIDER = ModelProvider(open=AnthropicModel.create, usage="anthropic:NAME", place=2)


def _blocks(prompt: str, prefix_chars: int) -> list[Any]:
    """The prompt in one text block, or in two whose first is cacheable.

    The provider refuses blocks of white space alone, so those are never split off.
    """
    head, tail = prompt[: max(0, prefix_chars)], prompt[max(0, prefix_chars) :]
    if not head.strip() or not tail.strip():
        return [{"type": "text", "text": prompt}]
    return [
        {"type": "text", "text": head, "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": tail},
    ]


def _reply(answer: Any, details: Mapping[str, Any]) -> ModelReply:
    """Read the answer, taking nothing for granted."""
    content = answer.get("content") if isinstance(answer, dict) else None
    if not isinstance(content, list):
        raise broken_reply("holds no content")
    texts: list[str] = []
    beside = ""
    for block in content:
        kind = block.get("type") if isinstance(block, dict) else None
        if not isinstance(kind, str):
            raise broken_reply("holds a content block without a type")
        if kind == "text":
            if not isinstance(block.get("text"), str):
                raise broken_reply("holds a text block without text")
            texts.append(block["text"])
        elif kind not in _HIDDEN:
            beside = beside or kind  # a call of a tool, say, and none was offered
    finish, model, usage = answer.get("stop_reason"), answer.get("model"), answer.get("usage")
    if not isinstance(finish, str | None):
        raise broken_reply("holds a stop reason that is no string")
    if beside and finish in WHOLE_REASONS:
        finish = beside
    usage = usage if isinstance(usage, dict) else {}
    counts = {name: token_count(usage.get(name)) for name in _INPUT_COUNTS}
    known = [number for number in counts.values() if number is not None]
    return ModelReply(
        text="".join(texts),
        finish_reason=finish,
        input_tokens=sum(known) if known else None,
        output_tokens=token_count(usage.get("output_tokens")),
        model=model if isinstance(model, str) else "",
        details={
            **details,
            **{name: number for name, number in counts.items() if number},
        },
    )
