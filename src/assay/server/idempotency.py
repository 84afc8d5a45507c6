"""A request with an idempotency key is answered once, by whichever process.

In      a request, the work that answers it
Out     the answer; or the one that was kept
Effects rows of the service store; heartbeats while the work goes on
Spec    009-H5

Kept are answers that say what became of something, errors of the caller among them. Where a
dependency was missing nothing is kept: the same request may be tried again.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from assay.core.json.canonical import digest
from assay.errors import AssayError, CallTakenError
from assay.protocols.service import KeptAnswer
from assay.runtime.access.callers import Caller
from assay.server.errors import BadRequestError, IdempotencyError, error_body, error_headers
from assay.server.service import Service

KEY_HEADER: Final = "idempotency-key"
REPLAYED_HEADER: Final = "idempotency-replayed"
_MOST_KEY_CHARS: Final = 200
_BEAT_S: Final = 5.0
_DEAD_AFTER: Final = timedelta(seconds=30)
_POLL_S: Final = 0.2
_WAIT_S: Final = 120.0

Document = Any
Work = Callable[[], Awaitable[tuple[int, Document]]]


async def answer_once(
    service: Service, request: Request, caller: Caller, work: Work, *, beside: str = ""
) -> Response:
    """The answer to *request*, made by *work* unless it was made before.

    Without a key the work is simply done. It is brought to its end in any case.

    Args:
        beside: What else the answer depends on, where more than path and body do.

    Raises:
        IdempotencyError: the key stands for another request, or its answer takes too long.
    """
    key = request.headers.get(KEY_HEADER)
    if key is None:
        status, document = await service.carry(_as_coroutine(work))
        return JSONResponse(document, status_code=status)
    if not 0 < len(key) <= _MOST_KEY_CHARS or not key.isprintable():
        raise BadRequestError(
            f"{KEY_HEADER} is empty, too long or not printable",
            hint=f"up to {_MOST_KEY_CHARS} printable characters",
        )
    named = request_id(caller, key)
    path = f"{request.method} {request.url.path}?{request.url.query}"
    request_digest = digest(
        b"\0".join([path.encode(), *([beside.encode()] if beside else ()), await request.body()])
    )
    waited = 0.0
    while True:
        clock = service.runtime.context.clock
        now = clock.now()
        fresh = KeptAnswer(
            request_digest=request_digest,
            owner=service.runtime.context.owner,
            seen_at=now,
            status=None,
            answer=None,
        )
        stands = await service.kept.begin_answer(named, fresh, now - _DEAD_AFTER)
        if stands is None:
            return await service.carry(_answer_and_keep(service, named, work))
        if stands.request_digest != request_digest:
            raise IdempotencyError(
                f"this {KEY_HEADER} was used for another request", hint="use a key of its own"
            )
        if stands.status is not None and stands.answer is not None:
            return Response(
                stands.answer,
                status_code=stands.status,
                media_type="application/json",
                headers={REPLAYED_HEADER: "true"},
            )
        if waited >= _WAIT_S:
            raise IdempotencyError(
                "the first request with this key is still being answered", hint="come again later"
            )
        await clock.sleep(_POLL_S)
        waited += _POLL_S


def request_id(caller: Caller, key: str) -> str:
    """The name of all requests of *caller* under *key*."""
    return digest(json.dumps([caller.id, key]))


async def _answer_and_keep(service: Service, named: str, work: Work) -> Response:
    context = service.runtime.context
    beating = asyncio.create_task(_keep_alive(service, named))
    try:
        headers: dict[str, str] = {}
        try:
            status, document = await work()
        except AssayError as error:
            if error.http_status >= 500 or isinstance(error, CallTakenError):
                raise  # later it may be answered
            status, document, headers = error.http_status, error_body(error), error_headers(error)
        response = JSONResponse(document, status_code=status, headers=headers)
        await service.kept.keep_answer(
            named, context.owner, status, bytes(response.body), context.clock.now()
        )
    except BaseException:
        with suppress(AssayError):
            await service.kept.forget_answer(named, context.owner)
        raise
    else:
        return response
    finally:
        beating.cancel()


async def _keep_alive(service: Service, named: str) -> None:
    """Say now and then that the work goes on, so that no other process takes it over."""
    context = service.runtime.context
    while True:
        await context.clock.sleep(_BEAT_S)
        with suppress(AssayError):
            await service.kept.touch_answer(named, context.owner, context.clock.now())


async def _as_coroutine(work: Work) -> tuple[int, Document]:
    return await work()
