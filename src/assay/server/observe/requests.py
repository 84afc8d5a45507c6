"""One line and one count for each request.

In      requests
Out     log lines, figures, the header `x-request-id`
Effects the logger `assay.server.access`
Spec    009-B2, 009-B3

A line names the route as it is declared, not the path: an id or a search word stays out of it.
"""

from __future__ import annotations

import json
import logging
import time
from datetime import UTC, datetime
from typing import Any, Final
from uuid import uuid4

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.server.observe.counters import Metrics

_log = logging.getLogger("assay.server.access")
_UNKNOWN: Final = "none"
_QUIET: Final = frozenset({"/healthz", "/readyz", "/metrics"})
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class ObservedRequests:
    """ASGI middleware around all others."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status, request_id = time.monotonic(), 0, uuid4().hex

        async def note_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = [*message.get("headers", ()), (b"x-request-id", request_id.encode())]
                message = {**message, "headers": headers}
            await send(message)

        try:
            await self._app(scope, receive, note_status)
        finally:
            self._note(scope, status, time.monotonic() - began, request_id)

    def _note(self, scope: Scope, status: int, seconds: float, request_id: str) -> None:
        route = getattr(scope.get("route"), "path", _UNKNOWN)
        method = scope["method"] if scope["method"] in _METHODS else "OTHER"
        self._metrics.requests.labels(method, route, str(status)).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        caller = scope.get("state", {}).get("caller")
        facts = {
            "method": method,
            "route": route,
            "status": status,
            "ms": round(seconds * 1_000, 1),
            "caller": None if caller is None else caller.id,
            "request_id": request_id,
        }
        level = logging.DEBUG if scope["path"] in _QUIET else logging.INFO
        _log.log(level, "%s %s %d", method, route, status, extra={"facts": facts})


class JsonLines(logging.Formatter):
    """A record as one line of JSON; an exception by its type, its text where that is asked for."""

    def __init__(self, *, tracebacks: bool = False) -> None:
        super().__init__()
        self._tracebacks = tracebacks

    def format(self, record: logging.LogRecord) -> str:
        facts: dict[str, Any] = getattr(record, "facts", {})
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **facts,
        }
        if record.exc_info and self._tracebacks:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)


class PlainLines(logging.Formatter):
    """A record as one short line for people."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC)
        facts: dict[str, Any] = getattr(record, "facts", {})
        took = f" {facts['ms']:g} ms" if "ms" in facts else ""
        return f"{at:%H:%M:%S} {record.getMessage()}{took}"


def start_logs(*, as_json: bool, tracebacks: bool) -> None:
    """Lines on standard error for all that the service says of itself."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines(tracebacks=tracebacks) if as_json else PlainLines())
    logger = logging.getLogger("assay.server")
    logger.handlers = [handler]
    logger.setLevel(logging.INFO)
    logger.propagate = False
