"""Any server that speaks Anthropic's messages, through Anthropic's own SDK.

In      ModelRequest; `ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL`
Out     ModelReply; ModelFault for everything that is none
Pure    no: network
Spec    004 R3; interfaces.md, "Models"

The prompt's bytes are what was built and recorded. What a server refuses beside them is left out or
stepped down in the same exchange, and stands on record (`stepping`). Every answer is read from its
bytes: the SDK would hand on what a tool was given parsed, and the gate judges what was written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NoReturn, Self
from urllib.parse import urlsplit

from assay.adapters.models import stepping, streaming
from assay.adapters.models.anthropic.events import MessageAssembly
from assay.adapters.models.anthropic.messages import read_message, read_usage, tool_inputs
from assay.adapters.models.anthropic.request_parts import (
    OUTPUT,
    body_facts,
    carriers,
    forced_tool,
    make_body,
    make_offer,
)
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
from assay.adapters.models.provider_errors import error_inside, status_inside
from assay.adapters.models.refusals import read_refusal
from assay.adapters.models.stepping import Exchange, Memory, Refusal
from assay.adapters.models.streaming import STOPPED, estimate_tokens, receive
from assay.adapters.secret_values import read_provider_key
from assay.protocols import (
    Availability,
    Listener,
    ModelFault,
    ModelProvider,
    ModelReply,
    ModelRequest,
)

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
_NAMED: Final = frozenset({"model", "max_tokens", "messages", "stream"})
"""Fields that the SDK has to be told by name; it hands on all others as they are."""


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
    inputs: Mapping[int, str] = field(default_factory=dict)
    """What tools were given, as it was written, by the place of their blocks."""


class AnthropicModel:
    """One model of Anthropic, or of a server that speaks like it."""

    def __init__(
        self,
        client: AsyncAnthropic,
        name: str,
        *,
        base_url: str,
        sdk: str,
        deadline_s: float,
        mode: str = "auto",
        streams: bool = True,
    ) -> None:
        self._client = client
        self._model = name
        self._deadline_s = deadline_s
        self._host = urlsplit(base_url).netloc.rpartition("@")[2]  # never a password
        self._sdk = sdk
        self._mode = mode
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
            import anthropic
        except ImportError as error:
            raise missing_sdk("anthropic") from error
        key = read_provider_key(environ, "ANTHROPIC_API_KEY")
        if not key:
            raise missing_key("ANTHROPIC_API_KEY")
        silence_debug_lines("anthropic._base_client")
        base_url = environ.get("ANTHROPIC_BASE_URL") or _HOME
        limit_s = deadline_setting(environ)
        return cls(
            _open_client(base_url, key, limit_s, environ),
            name,
            base_url=base_url,
            sdk=anthropic.__version__,
            deadline_s=limit_s,
            mode=stepping.output_mode(environ),
            streams=streaming.streams(environ),
        )

    needs_plan = False
    network = True

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
        """One exchange; a refusal of what goes beside the prompt is answered by a changed request.

        The SDK's own retries are off.
        """
        if not self._streams and request.listener is not None:
            request = replace(request, listener=None)
        offer = make_offer(request, self._mode)
        turn = self._first.turn(offer.schema_sha256)
        async with turn as went_through, deadline(self._deadline_s):
            exchange = Exchange(self._memory, offer)
            while True:
                body = make_body(request, self._model, exchange)
                facts = body_facts(request, body, exchange)
                tool = forced_tool(request, exchange)
                got = await self._send(body, tool, request.listener, went_through)
                if isinstance(got, _Answered):
                    exchange.settle()
                    return _reply(got, tool, {**facts, **exchange.facts()})
                refusal = _read_refusal(got, body, exchange)
                if refusal is None or not exchange.step(refusal):
                    return _end(got, refusal, body, {**facts, **exchange.facts()})

    async def _send(
        self,
        body: Mapping[str, Any],
        tool: str | None,
        listener: Listener | None,
        went_through: Callable[[], None],
    ) -> _Answered | _Refused:
        """One POST."""
        import anthropic

        heard = listener if body.get("stream") else None
        if heard is not None:
            heard.begin()
        assembly = MessageAssembly(tool)
        named: dict[str, Any] = {name: body[name] for name in body.keys() & _NAMED}
        more = {name: value for name, value in body.items() if name not in _NAMED}
        create: Any = self._client.messages.with_streaming_response.create
        try:
            async with create(**named, extra_body=more) as answer:
                went_through()
                headers = answer.http_response.headers
                got = await receive(answer.http_response.aiter_bytes(), assembly, heard)
        except anthropic.APITimeoutError as error:
            raise ModelFault("timeout", transient=True) from error
        except anthropic.APIConnectionError as error:
            raise connection_fault(error, self._host) from error
        except anthropic.APIStatusError as error:
            return _Refused(
                status=error.status_code, headers=error.response.headers, body=error.body
            )
        except anthropic.AnthropicError as error:
            raise ModelFault("server", transient=True, hint=type(error).__name__) from error
        inputs: Mapping[int, str] = {}
        if got.prefix is not None:
            found: Mapping[str, Any] = assembly.begun()
        elif got.body is not None:
            found, inputs = parse_answer(got.body), {} if tool is None else tool_inputs(got.body)
        else:
            found, inputs = got.answer or {}, assembly.inputs
        inside = None if got.prefix is not None else error_inside(found)
        if inside is not None:
            return _Refused(status=status_inside(inside), headers=headers, body={"error": inside})
        return _Answered(
            headers=headers,
            answer=found,
            streamed=got.body is None,
            prefix=got.prefix,
            hidden=assembly.hidden,
            inputs=inputs,
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()


def _look(environ: Mapping[str, str]) -> Availability:
    return look_by_opening(AnthropicModel.create, "NAME", environ)


def _list_names(environ: Mapping[str, str]) -> list[str]:
    import anthropic

    model = AnthropicModel.create("NAME", environ=environ)
    return fetch_names(model._client, anthropic, model._host)


PROVIDER = ModelProvider(
    open=AnthropicModel.create,
    usage="anthropic:NAME",
    extra="anthropic",
    needs_key="ANTHROPIC_API_KEY",
    look=_look,
    list_names=_list_names,
    place=2,
)


def _open_client(
    base_url: str, key: str, limit_s: float, environ: Mapping[str, str]
) -> AsyncAnthropic:
    """The one place where a client of this provider is made."""
    import anthropic

    return anthropic.AsyncAnthropic(
        api_key=key,
        base_url=base_url,
        max_retries=0,
        timeout=limit_s,
        http_client=make_client(anthropic, environ),
    )


def _read_refusal(got: _Refused, body: Mapping[str, Any], exchange: Exchange) -> Refusal | None:
    """What of *body* was not taken; `effort` goes by that name wherever it stands."""
    effort = body.get(OUTPUT, {}).get("effort")
    sent = {**body, **({} if effort is None else {"effort": effort})}
    refusal = read_refusal(got.status, got.body, sent=sent, carriers=carriers(exchange.rung))
    if refusal is None or effort is None:
        return refusal
    own = refusal.parameter.startswith(f"{OUTPUT}.effort")
    alone = refusal.about == "parameter" and refusal.parameter == OUTPUT
    if own or alone:
        return replace(refusal, parameter="effort", about="parameter")
    return refusal


def _reply(got: _Answered, tool: str | None, facts: Mapping[str, Any]) -> ModelReply:
    request_id = got.headers.get("request-id")
    details = {
        **facts,
        **({"streamed": True} if got.streamed else {}),
        **({"provider_request_id": request_id} if request_id else {}),
    }
    if got.prefix is None:
        return read_message(got.answer, got.inputs, tool=tool, details=details)
    model, usage = got.answer.get("model"), read_usage(got.answer.get("usage"))
    return ModelReply(
        text=got.prefix,
        finish_reason=STOPPED,
        input_tokens=usage["input"],
        output_tokens=max(1, estimate_tokens(got.prefix + got.hidden)),
        model=model if isinstance(model, str) else "",
        details={**details, **usage["details"], "tokens_estimated": True},
    )


def _end(
    got: _Refused, refusal: Refusal | None, body: Mapping[str, Any], facts: Mapping[str, Any]
) -> ModelReply:
    """Raise what the error answer stands for, or hand on the empty reply of a filtered input."""
    if refusal is not None and refusal.about in ("output", "schema"):
        _refuse_mode(refusal, body)
    reply = raise_or_filtered(got.status, got.headers, got.body, sent=body)
    return replace(reply, details={**facts, **reply.details})


def _refuse_mode(refusal: Refusal, body: Mapping[str, Any]) -> NoReturn:
    """A mode that the settings fix is refused: no input will fare better."""
    raise ModelFault(
        "setup",
        transient=False,
        code=refusal.code,
        parameter=refusal.parameter or (OUTPUT if OUTPUT in body else "tools"),
        hint=f"the model does not take this output mode; set {stepping.MODE_SETTING}=auto",
    )
