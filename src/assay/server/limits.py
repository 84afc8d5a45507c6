"""How much is taken: the size and pace of a request, how many at once, how many a minute.

In      requests
Out     the same, bounded; or the documented error
Effects holds up requests for which there is no place yet
Spec    009-H3, 009-H4

Nothing waits in a queue without a bound: who finds no room is told when to come again.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.errors import AssayError
from assay.server.errors import (
    SlowAnswerError,
    SlowRequestError,
    TooLargeError,
    TooManyError,
    error_body,
    error_headers,
    unexpected,
)
from assay.server.said import Said, remember
from assay.server.strict_bodies import require_strict_json

_MOST_CALLERS: Final = 10_000
_DRAINED_TIMES: Final = 4
"""So many times the bound is read of a longer request before its sender is hung up on."""

_LONG_BODY: Final = 100_000
"""Bytes. A longer one is looked through beside the others' requests."""


class Admission:
    """A bounded number of requests at once, and a bounded number that wait."""

    def __init__(self, *, at_once: int, waiting: int) -> None:
        self._places = asyncio.Semaphore(at_once)
        self._waiting = waiting
        self._at_once = at_once
        self.waiting_now = 0
        self.working_now = 0

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold a place.

        Raises:
            TooManyError: as many wait already as may.
        """
        if self._places.locked():
            if self.waiting_now >= self._waiting:
                raise TooManyError(
                    f"{self._at_once} requests are worked on and {self._waiting} wait",
                    hint="come again after retry-after seconds",
                )
            self.waiting_now += 1
            try:
                await self._places.acquire()
            finally:
                self.waiting_now -= 1
        else:
            await self._places.acquire()
        self.working_now += 1
        try:
            yield
        finally:
            self.working_now -= 1
            self._places.release()


class Quotas:
    """Requests a minute for each caller: a bucket that fills steadily."""

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def count(self, caller: str, now_s: float, per_minute: int | None = None) -> None:
        """Take one request of *caller*.

        Raises:
            TooManyError: the bucket is empty.
        """
        most = float(per_minute or self._per_minute)
        left, at = self._buckets.get(caller, (most, now_s))
        left = min(most, left + (now_s - at) * most / 60.0)
        if left < 1.0:
            raise TooManyError(
                f"more than {most:g} requests a minute",
                hint="come again after retry-after seconds",
                after_s=(1.0 - left) * 60.0 / most,
            )
        self._buckets[caller] = (left - 1.0, now_s)
        self._buckets.move_to_end(caller)
        if len(self._buckets) > _MOST_CALLERS:
            self._buckets.popitem(last=False)


class BoundedRequests:
    """ASGI middleware: a request arrives whole, in time and in bounds, before anybody reads it.

    What a slow or endless sender sends never reaches a handler. Who sends too much is answered at
    once, and hung up on once they have written all, or a few times the bound. What a handler takes
    too long for is answered with 504. An answer that has begun (a stream) is not cut off.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        max_bytes: int,
        body_wait_s: float,
        answer_wait_s: float,
        known: frozenset[str] = frozenset(),
    ) -> None:
        self._app = app
        self._known = known
        self._max_bytes = max_bytes
        self._body_wait_s = body_wait_s
        self._answer_wait_s = answer_wait_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            body = await self._read(scope, receive)
            if body is not None and len(body) > _LONG_BODY:
                await asyncio.to_thread(require_strict_json, scope, body)
            elif body:
                require_strict_json(scope, body)
        except TooLargeError as error:
            await _send_error(send, error, more_body=True)
            if not _waits_for_word(scope):
                await self._drain(receive)
            await send({"type": "http.response.body", "body": b""})
            return
        except AssayError as error:
            await _send_error(send, error)
            return
        if body is None:
            return  # the sender is gone
        remember(Said(scope=scope, body=body, known=self._known))
        began = False

        async def replay() -> Message:
            nonlocal body
            if body is not None:
                message: Message = {"type": "http.request", "body": body, "more_body": False}
                body = None
                return message
            return await receive()

        async def note_start(message: Message) -> None:
            nonlocal began
            began = True
            await send(message)

        timer = asyncio.get_running_loop().call_later(
            self._answer_wait_s, _cancel_unbegun, asyncio.current_task(), lambda: began
        )
        try:
            await self._app(scope, replay, note_start)
        except asyncio.CancelledError:
            if began or not _was_timer(timer):
                raise
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()
            await _send_error(
                send,
                SlowAnswerError(
                    f"no answer within {self._answer_wait_s:g} s",
                    hint="ask again under the same idempotency key: what was begun goes on",
                ),
            )
        except Exception as error:
            if began:
                raise
            await _send_error(send, unexpected(error))
        finally:
            timer.cancel()

    async def _read(self, scope: Scope, receive: Receive) -> bytes | None:
        for name, value in scope["headers"]:
            if name == b"content-length" and (not value.isdigit() or int(value) > self._max_bytes):
                raise self._too_large()
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._body_wait_s):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    part = message.get("body", b"")
                    size += len(part)
                    if size > self._max_bytes:
                        raise self._too_large()
                    parts.append(part)
                    if not message.get("more_body", False):
                        return b"".join(parts)
        except TimeoutError as error:
            raise SlowRequestError(
                f"the request did not arrive within {self._body_wait_s:g} s", hint="send it again"
            ) from error

    async def _drain(self, receive: Receive) -> None:
        """Let the sender of a refused request write on for a while, and keep nothing of it.

        Who is hung up on while writing never reads the answer. A sender that does not stop is.
        """
        left = self._max_bytes * _DRAINED_TIMES
        with suppress(TimeoutError):
            async with asyncio.timeout(self._body_wait_s):
                while left > 0:
                    message = await receive()
                    if message["type"] == "http.disconnect" or not message.get("more_body", False):
                        return
                    left -= len(message.get("body", b""))

    def _too_large(self) -> TooLargeError:
        return TooLargeError(
            f"the request is longer than {self._max_bytes} bytes",
            hint="send less, or set ASSAY_SERVE_MAX_BODY_BYTES",
        )


def _cancel_unbegun(task: asyncio.Task[None] | None, has_begun: object) -> None:
    if task is not None and callable(has_begun) and not has_begun():
        task.cancel("no answer in time")


def _was_timer(timer: asyncio.TimerHandle) -> bool:
    return timer.when() <= asyncio.get_running_loop().time()


def _waits_for_word(scope: Scope) -> bool:
    """Whether the sender sends no body before it is told to."""
    return any(
        name == b"expect" and value.lower() == b"100-continue" for name, value in scope["headers"]
    )


async def _send_error(send: Send, error: AssayError, *, more_body: bool = False) -> None:
    body = json.dumps(error_body(error)).encode()
    headers = {
        "content-type": "application/json",
        "content-length": str(len(body)),
        "connection": "close",
        **error_headers(error),
    }
    await send(
        {
            "type": "http.response.start",
            "status": error.http_status,
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
    )
    await send({"type": "http.response.body", "body": body, "more_body": more_body})
