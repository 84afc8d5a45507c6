"""Connections: the head of a request arrives in time, and no more are open than there is room for.

In      connections as they are made
Out     the protocol that serves them; 408 for a head that does not come, 429 where all are taken
Effects closes connections
Spec    009-H3, 009-H4

What a request says after its head is bounded by `limits`. Before it is there, nobody works on it:
only the connection itself can be too slow.
"""

from __future__ import annotations

import asyncio
import json
import resource
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from assay.errors import AssayError
from assay.server.errors import SlowRequestError, TooManyError, error_body, error_headers

_FILES_BESIDE: Final = 200
"""Files that the store, models and logs may have open beside connections."""

_LEAST_CONNECTIONS: Final = 64
_MOST_CONNECTIONS: Final = 10_000


def most_connections() -> int:
    """So many may be open at once: what the system lets this process have open, less the rest."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return _MOST_CONNECTIONS
    return max(_LEAST_CONNECTIONS, min(_MOST_CONNECTIONS, soft - _FILES_BESIDE))


def timed_protocol(head_wait_s: float, most: int) -> type[H11Protocol]:
    """The protocol of HTTP, with *head_wait_s* for a head and *most* connections."""

    class TimedProtocol(H11Protocol):
        """Closes a connection whose next request head does not arrive in time."""

        _head_timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if len(self.connections) > most:
                self._refuse(
                    TooManyError(
                        "as many connections are open as may be",
                        hint="come again after retry-after seconds",
                    ),
                    "429 Too Many Requests",
                )
                return
            self._watch_head()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch_head()

        def connection_lost(self, exc: Exception | None) -> None:
            self._forget_head()
            super().connection_lost(exc)

        def _watch_head(self) -> None:
            """Count the time from the first moment of waiting, not from each byte anew."""
            if self._is_working() or self.transport.is_closing():
                self._forget_head()
            elif self._head_timer is None:
                self._head_timer = self.loop.call_later(head_wait_s, self._end_slow_head)

        def _is_working(self) -> bool:
            return self.cycle is not None and not self.cycle.response_complete

        def _forget_head(self) -> None:
            if self._head_timer is not None:
                self._head_timer.cancel()
                self._head_timer = None

        def _end_slow_head(self) -> None:
            self._head_timer = None
            if self._is_working() or self.transport.is_closing():
                return
            self._refuse(
                SlowRequestError(
                    f"the head of the request did not arrive within {head_wait_s:g} s",
                    hint="send it again",
                ),
                "408 Request Timeout",
            )

        def _refuse(self, error: AssayError, status: str) -> None:
            self.transport.write(_write_error(error, status))
            self.transport.close()

    return TimedProtocol


def _write_error(error: AssayError, status: str) -> bytes:
    body = json.dumps(error_body(error)).encode()
    headers: dict[str, Any] = {
        "content-type": "application/json",
        "content-length": len(body),
        "cache-control": "no-store",
        "connection": "close",
        **error_headers(error),
    }
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body
