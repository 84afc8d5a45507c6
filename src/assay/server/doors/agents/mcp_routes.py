"""`/mcp`: the tools over streamable HTTP, for who has an access key.

In      one message of the protocol, with a key
Out     its answer
Effects those of the tools
Spec    009-M2, 009-M3, 009-M5

The route asks who calls; each tool asks what they may. A page of a stranger cannot reach it through
a name that it points at this machine: Host and Origin are those of the service.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from functools import partial
from importlib.util import find_spec
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send

from assay.runtime.access.callers import Caller
from assay.server.api.routes import ERROR_RESPONSES, Served
from assay.server.doors.agents.messages import find_fault, silence_error
from assay.server.doors.agents.tools import Require
from assay.server.errors import BadRequestError, MayNotError
from assay.server.example_answers import ANSWERS
from assay.server.guard import Needs, require_permission
from assay.server.service import Service

router = APIRouter(
    tags=["agents"],
    responses={status: said for status, said in ERROR_RESPONSES.items() if status != 400},
)

Somebody = Annotated[Caller, Depends(Needs(None))]
_LOCAL: Final = frozenset({"localhost"})


def has_protocol() -> bool:
    """Whether the SDK of the protocol is installed (`assay[mcp]`)."""
    return find_spec("mcp") is not None


class _Answered(Response):
    """What the protocol's own server sends."""

    def __init__(self, service: Service, require: Require, message: bytes) -> None:
        super().__init__()
        self._message = message
        self._service = service
        self._require = require

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from assay.server.doors.agents.protocol import answer_http

        begun: Message = {}
        body: bytes | None = self._message

        async def replay() -> Message:
            nonlocal body
            if body is None:
                return await receive()
            message: Message = {"type": "http.request", "body": body, "more_body": False}
            body = None
            return message

        async def send_silenced(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                if any(name.lower() == b"content-length" for name, _ in message["headers"]):
                    begun = message
                else:
                    await send(message)
                return
            said = silence_error(message.get("body", b""))
            if begun:
                changed = len(said) - len(message.get("body", b""))
                await send({**begun, "headers": _with_length(begun["headers"], changed)})
                begun = {}
            await send({**message, "body": said})

        await answer_http(self._service, self._require, scope, replay, send_silenced)


def _with_length(headers: Iterable[tuple[bytes, bytes]], changed: int) -> list[tuple[bytes, bytes]]:
    """*headers* for a body that is *changed* bytes longer than they say."""
    return [
        (name, str(int(value) + changed).encode() if name.lower() == b"content-length" else value)
        for name, value in headers
    ]


_MESSAGE: Final = {
    "type": "object",
    "properties": {
        "jsonrpc": {"const": "2.0"},
        "id": {"type": ["string", "integer"]},
        "method": {"type": "string"},
        "params": {"type": "object"},
    },
    "required": ["jsonrpc"],
}
_FAULT: Final = {
    "type": "object",
    "properties": {
        "jsonrpc": {"const": "2.0"},
        "id": {"type": ["string", "integer", "null"]},
        "error": {
            "type": "object",
            "properties": {"code": {"type": "integer"}, "message": {"type": "string"}},
            "required": ["code", "message"],
        },
    },
    "required": ["jsonrpc", "error"],
}
_FAULT_ANSWER: Final[dict[str, Any]] = {
    "content": {"application/json": {"schema": _FAULT, "example": ANSWERS["JsonRpcError"]}}
}
_ANSWERS: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "The answer, as an event or as JSON.",
        "content": {
            "application/json": {"schema": _MESSAGE},
            "text/event-stream": {},
        },
    },
    202: {"description": "A message that asks for no answer."},
    400: {"description": "no message of JSON-RPC", **_FAULT_ANSWER},
    406: {"description": "the client takes neither JSON nor events", **_FAULT_ANSWER},
}


@router.post(
    "/mcp",
    summary="Tools for agents",
    response_class=Response,
    responses=_ANSWERS,
    openapi_extra={
        "requestBody": {"required": True, "content": {"application/json": {"schema": _MESSAGE}}}
    },
)
async def mcp(request: Request, service: Served, caller: Somebody) -> Response:
    """Streamable HTTP of the Model Context Protocol; nothing is kept between two messages."""
    require_own_address(request, service.settings.origin)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise BadRequestError("a message is JSON", hint="send content-type: application/json")
    message = await request.body()
    fault = find_fault(message)
    if fault is not None:
        return JSONResponse(fault, status_code=400)
    return _Answered(service, partial(require_permission, caller), message)


def require_own_address(request: Request, own: str) -> None:
    """Raises MayNotError where a request was sent to another name, or comes from another site.

    Args:
        own: Address of the service, as `https://assay.example`; may be empty.
    """
    names = _LOCAL | {urlsplit(own).hostname or "localhost"}
    origin = request.headers.get("origin")
    addresses = [f"//{request.headers.get('host', '')}", *([origin] if origin else [])]
    if not all(_is_known(each, names) for each in addresses):
        raise MayNotError(
            "the request was sent to another name, or comes from another site",
            hint="ASSAY_SERVE_ORIGIN names the address of the service",
        )


def _is_known(address: str, names: frozenset[str]) -> bool:
    """A name of ours; or a number, which nobody can point elsewhere."""
    try:
        name = urlsplit(address).hostname or ""
    except ValueError:
        return False
    if name in names:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
