"""Any server that speaks OpenAI's chat completions or Responses, through OpenAI's own SDK.

In      ModelRequest; `OPENAI_API_KEY`, `OPENAI_BASE_URL` and the settings below
Out     ModelReply; ModelFault for everything that is none
Pure    no: network
Spec    003 `base_system` (`store: true`), 004 R3; interfaces.md, "Models"

The prompt's bytes are what was built and recorded. What a server refuses beside them is left out,
renamed or stepped down in the same exchange, and stands on record (`stepping`). Every answer is
read from its bytes, because the SDK takes `{}` for one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NoReturn, Self

from assay.adapters.models import stepping, streaming
from assay.adapters.models.availability import fetch_names, look_by_opening
from assay.adapters.models.first_requests import FirstRequests
from assay.adapters.models.http_client import connection_fault, make_client
from assay.adapters.models.http_faults import (
    deadline,
    deadline_setting,
    missing_key,
    missing_sdk,
    parse_answer,
    raise_or_filtered,
    silence_debug_lines,
)
from assay.adapters.models.openai.address import HOME, VERSION_SETTING, Address, read_address
from assay.adapters.models.openai.chat import (
    ChatAssembly,
    chat_arguments,
    chat_facts,
    chat_offer,
    read_completion,
)
from assay.adapters.models.openai.request_parts import SetUp
from assay.adapters.models.openai.responses import (
    ResponsesAssembly,
    read_response,
    response_arguments,
    responses_facts,
    responses_offer,
)
from assay.adapters.models.openai.usage import read_usage
from assay.adapters.models.provider_errors import error_inside, status_inside
from assay.adapters.models.refusals import read_refusal
from assay.adapters.models.stepping import Exchange, Memory, Refusal
from assay.adapters.models.streaming import STOPPED, estimate_tokens, receive
from assay.adapters.secret_values import read_provider_key
from assay.errors import UsageError
from assay.protocols import Availability, ModelFault, ModelProvider, ModelReply, ModelRequest

if TYPE_CHECKING:
    from openai import AsyncOpenAI

API_SETTING: Final = "ASSAY_OPENAI_API"
VARIABLES: Final = {
    "OPENAI_API_KEY": "Key of `openai:`; any text where the server wants none. Azure gets it as "
    "`api-key` too. `keyring:` takes it from the system's key store.",
    "OPENAI_API_KEY_FILE": "File with that key, instead of `OPENAI_API_KEY`.",
    "OPENAI_BASE_URL": "Address of the server that `openai:` asks, instead of the provider's own. "
    "Azure: the resource (`https://NAME.openai.azure.com`), its `/openai/v1`, or a deployment "
    "(`…/openai/deployments/NAME?api-version=…`).",
    VERSION_SETTING: "Version of Azure's API for addresses of deployments that name none.",
    API_SETTING: "API that `openai:` speaks: `chat`, the default, or `responses`. `responses`: the "
    "beginning that all prompts of a contract share is a system message of its own, sent with "
    "`store: true`; the provider keeps prompt and reply, and no erasure of the record reaches "
    "them there.",
}
"""What is read from the environment here, for the page on settings."""

_CARRIERS: Final = ("response_format", "text")
"""Parameters that hold the output mode, in either API."""

_Assembly = ChatAssembly | ResponsesAssembly


@dataclass(frozen=True, slots=True, kw_only=True)
class _Refused:
    """An answer that is an error."""

    status: int
    headers: Mapping[str, str]
    body: object


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answered:
    """An answer that is one, or the beginning of one that was stopped."""

    headers: Mapping[str, str]
    answer: Mapping[str, Any]
    streamed: bool
    prefix: str | None
    hidden: str


class OpenAIModel:
    """One model of one server."""

    def __init__(
        self,
        client: AsyncOpenAI,
        set_up: SetUp,
        *,
        address: Address,
        sdk: str,
        deadline_s: float,
        api: str = "chat",
        streams: bool = True,
    ) -> None:
        self._client = client
        self._set_up = set_up
        self._api = api
        self._deadline_s = deadline_s
        self._address = address
        self._sdk = sdk
        self._streams = streams
        self._memory = Memory()
        self._first = FirstRequests()

    @classmethod
    def create(cls, name: str, *, environ: Mapping[str, str]) -> Self:
        """Prepare a client; nothing is sent yet.

        Raises:
            ModelUnavailableError: the SDK is not installed, or there is no key.
            UsageError: one of the settings is not valid.
        """
        try:
            import openai
        except ImportError as error:
            raise missing_sdk("openai") from error
        key = read_provider_key(environ, "OPENAI_API_KEY")
        if not key:
            raise missing_key("OPENAI_API_KEY", " (any text where the server wants no key)")
        silence_debug_lines("openai._base_client")
        limit_s = deadline_setting(environ)
        api = environ.get(API_SETTING) or "chat"
        if api not in ("chat", "responses"):
            raise UsageError(
                f"the setting {API_SETTING} is not valid",
                hint=f"{API_SETTING} is {VARIABLES[API_SETTING]}",
            )
        address = read_address(
            environ.get("OPENAI_BASE_URL") or HOME,
            api=api,
            model=name,
            key=key,
            version=environ.get(VERSION_SETTING, ""),
        )
        # OpenAI's newer models refuse `max_tokens`; many other servers know nothing else.
        older, newer = "max_tokens", "max_completion_tokens"
        set_up = SetUp(
            model=name,
            mode=stepping.output_mode(environ),
            limits=(newer, older) if address.newest else (older, newer),
        )
        return cls(
            _open_client(address, key, limit_s, environ),
            set_up,
            address=address,
            sdk=openai.__version__,
            deadline_s=limit_s,
            api=api,
            streams=streaming.streams(environ),
        )

    needs_plan = False
    network = True

    @property
    def name(self) -> str:
        """`openai:NAME`."""
        return f"openai:{self._set_up.model}"

    @property
    def identity(self) -> Mapping[str, Any]:
        """Which server is asked for which model, over which API."""
        return {
            "kind": "openai",
            "api": self._api,
            "model": self._set_up.model,
            "host": self._address.host,
            "sdk": f"openai {self._sdk}",
            **self._address.facts(),
        }

    async def complete(self, request: ModelRequest) -> ModelReply:
        """One exchange; a refusal of what goes beside the prompt is answered by a changed request.

        The SDK's own retries are off.
        """
        if not self._streams and request.listener is not None:
            request = replace(request, listener=None)
        offer = (responses_offer if self._api == "responses" else chat_offer)(request, self._set_up)
        turn = self._first.turn(offer.schema_sha256)
        async with turn as went_through, deadline(self._deadline_s):
            exchange = Exchange(self._memory, offer)
            while True:
                sent, facts = self._prepare(request, exchange)
                got = await self._send(sent, request, went_through)
                if isinstance(got, _Answered):
                    exchange.settle()
                    return self._reply(got, {**facts, **exchange.facts()})
                refusal = read_refusal(got.status, got.body, sent=sent, carriers=offer.carriers)
                if refusal is None or not exchange.step(refusal):
                    return _end(got, refusal, sent, {**facts, **exchange.facts()})

    def _prepare(
        self, request: ModelRequest, exchange: Exchange
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """What is sent, and what is put on record about it."""
        if self._api == "responses":
            sent = response_arguments(request, self._set_up, exchange)
            return sent, responses_facts(request, sent)
        sent = chat_arguments(request, self._set_up, exchange)
        return sent, chat_facts(sent, exchange)

    async def _send(
        self,
        sent: Mapping[str, Any],
        request: ModelRequest,
        went_through: Callable[[], None],
    ) -> _Answered | _Refused:
        """One POST."""
        import openai

        api: Any = (
            self._client.responses if self._api == "responses" else self._client.chat.completions
        )
        heard = request.listener if sent.get("stream") else None
        if heard is not None:
            heard.begin()
        assembly: _Assembly = (
            ResponsesAssembly()
            if self._api == "responses"
            else ChatAssembly(shows_its_end=request.schema is not None)
        )
        # Past the SDK's own arguments, every part of which it would look at again.
        named = {"model": sent["model"], **({"messages": ()} if "messages" in sent else {})}
        try:
            async with api.with_streaming_response.create(**named, extra_body=sent) as answer:
                went_through()
                headers = answer.http_response.headers
                got = await receive(answer.http_response.aiter_bytes(), assembly, heard)
        except openai.APITimeoutError as error:
            raise ModelFault("timeout", transient=True) from error
        except openai.APIConnectionError as error:
            raise connection_fault(error, self._address.host) from error
        except openai.APIStatusError as error:
            response = error.response
            return _Refused(
                status=error.status_code,
                headers=response.headers,
                body=_error_body(response.content),
            )
        except openai.OpenAIError as error:
            raise ModelFault("server", transient=True, hint=type(error).__name__) from error
        if got.prefix is not None:
            found: Mapping[str, Any] = assembly.begun()
        else:
            found = parse_answer(got.body) if got.body is not None else got.answer or {}
            inside = error_inside(found)
            if inside is not None:
                return _Refused(
                    status=status_inside(inside), headers=headers, body={"error": inside}
                )
        return _Answered(
            headers=headers,
            answer=found,
            streamed=got.body is None,
            prefix=got.prefix,
            hidden=assembly.hidden,
        )

    def _reply(self, got: _Answered, facts: Mapping[str, Any]) -> ModelReply:
        request_id = got.headers.get("x-request-id")
        details = {
            **facts,
            **({"streamed": True} if got.streamed else {}),
            **({"provider_request_id": request_id} if request_id else {}),
        }
        if got.prefix is not None:
            return _stopped_reply(got, got.prefix, details)
        read = read_response if self._api == "responses" else read_completion
        return read(got.answer, details)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()


def _look(environ: Mapping[str, str]) -> Availability:
    return look_by_opening(OpenAIModel.create, "NAME", environ)


def _list_names(environ: Mapping[str, str]) -> list[str]:
    import openai

    model = OpenAIModel.create("NAME", environ=environ)
    return fetch_names(model._client, openai, model._address.host)


PROVIDER = ModelProvider(
    open=OpenAIModel.create,
    usage="openai:NAME",
    extra="openai",
    needs_key="OPENAI_API_KEY",
    look=_look,
    list_names=_list_names,
    place=1,
)


def _open_client(
    address: Address, key: str, limit_s: float, environ: Mapping[str, str]
) -> AsyncOpenAI:
    """The one place where a client of this provider is made."""
    import openai

    return openai.AsyncOpenAI(
        api_key=key,
        base_url=address.base_url,
        default_query=dict(address.query),
        default_headers=dict(address.headers),
        max_retries=0,
        timeout=limit_s,
        http_client=make_client(openai, environ),
    )


def _error_body(content: bytes) -> object:
    """As it came: the SDK hands on what lies under `error`, which may be a text."""
    try:
        body: object = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return body


def _stopped_reply(got: _Answered, prefix: str, details: Mapping[str, Any]) -> ModelReply:
    """What came until the listener said stop."""
    model = got.answer.get("model")
    return ModelReply(
        text=prefix,
        finish_reason=STOPPED,
        input_tokens=read_usage(got.answer.get("usage")).input_tokens,
        output_tokens=max(1, estimate_tokens(prefix + got.hidden)),
        model=model if isinstance(model, str) else "",
        details={**details, "tokens_estimated": True},
    )


def _end(
    got: _Refused, refusal: Refusal | None, sent: Mapping[str, Any], facts: Mapping[str, Any]
) -> ModelReply:
    """Raise what the error answer stands for, or hand on the empty reply of a filtered input."""
    if refusal is not None and refusal.about in ("output", "schema"):
        _refuse_mode(refusal, sent)
    reply = raise_or_filtered(got.status, got.headers, got.body, sent=sent)
    return replace(reply, details={**facts, **reply.details})


def _refuse_mode(refusal: Refusal, sent: Mapping[str, Any]) -> NoReturn:
    """A mode that the settings fix is refused: no input will fare better."""
    carrier = next((name for name in _CARRIERS if name in sent), "")
    raise ModelFault(
        "setup",
        transient=False,
        code=refusal.code,
        parameter=refusal.parameter or carrier,
        hint=f"the model does not take this output mode; set {stepping.MODE_SETTING}=auto",
    )
