"""Errors as clients of OpenAI read them, with our code and hint kept.

In      answers of the service under `/openai/`
Out     `{"error": {"code", "message", "hint", "type", "param"}}` with the same status
Pure    yes, but that it waits for the whole of an error's body
Spec    009-O7
"""

from __future__ import annotations

import json
import sys
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.errors import AssayError
from assay.server.errors import error_body

PREFIX: Final = "/openai/"
_TYPES: Final = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    429: "rate_limit_error",
}


def openai_error(error: AssayError) -> dict[str, Any]:
    """*error* in the shape of OpenAI."""
    return shape_error(error_body(error), error.http_status)


def shape_error(document: dict[str, Any], status: int) -> dict[str, Any]:
    """The document of an error with what clients of OpenAI look for beside ours."""
    kind = "server_error" if status >= 500 else _TYPES.get(status, "invalid_request_error")
    return {"error": {**document["error"], "type": kind, "param": None}}


class OpenAIErrors:
    """ASGI middleware: whoever refuses a request under `/openai/`, it is told in one shape."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(PREFIX):
            await self._app(scope, receive, send)
            return
        begun: Message | None = None
        body = b""

        async def send_shaped(message: Message) -> None:
            nonlocal begun, body
            if message["type"] == "http.response.start" and message["status"] >= 400:
                begun = message
                return
            if begun is None:
                await send(message)
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if more and len(body) < _length_of(begun):
                return
            shaped = json.dumps(shape_error(json.loads(body), begun["status"])).encode()
            headers = [(n, v) for n, v in begun["headers"] if n.lower() != b"content-length"]
            headers.append((b"content-length", str(len(shaped)).encode()))
            await send({**begun, "headers": headers})
            await send({"type": "http.response.body", "body": shaped, "more_body": more})
            begun = None

        await self._app(scope, receive, send_shaped)


def _length_of(begun: Message) -> int:
    """As its headers say; where they do not, the end alone says that it is whole."""
    said = [v for n, v in begun["headers"] if n.lower() == b"content-length"]
    return int(said[0]) if said else sys.maxsize
