"""Progress of long work as server-sent events.

In      work that tells what happens
Out     `text/event-stream`: an event for each thing, `done` with the whole answer, or `error`
Effects the work goes on when the listener is gone
Spec    interfaces.md, "HTTP"; 009-H8
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import StreamingResponse

from assay.errors import AssayError
from assay.server.errors import error_body, unexpected
from assay.server.service import Service

EVENT_STREAM: Final = "text/event-stream"
QUIET: Final = b": still at work\n\n"
"""A comment for whoever listens, so that nobody between hangs up."""

_QUIET_S: Final = 15.0
"""After so long without news it is sent."""

Tell = Callable[[str, Any], None]
Work = Callable[[Tell], Awaitable[Any]]
Piece = tuple[str, Any]


def wants_events(request: Request) -> bool:
    """Whether the client asks for a stream."""
    return EVENT_STREAM in request.headers.get("accept", "")


def follow_work(service: Service, work: Work) -> AsyncIterator[Piece | None]:
    """Begin *work*; what it tells as it happens, and None after each while without news.

    The last piece is `done` with its answer, or `error` with the AssayError.
    """
    pieces: asyncio.Queue[Piece | None] = asyncio.Queue()

    async def carry_out() -> None:
        try:
            done = await work(lambda name, data: pieces.put_nowait((name, data)))
            pieces.put_nowait(("done", done))
        except AssayError as error:
            pieces.put_nowait(("error", error))
        except Exception as error:
            pieces.put_nowait(("error", unexpected(error)))
        finally:
            pieces.put_nowait(None)

    task = asyncio.ensure_future(service.carry(carry_out()))

    async def follow() -> AsyncIterator[Piece | None]:
        while True:
            try:
                async with asyncio.timeout(_QUIET_S):
                    piece = await pieces.get()
            except TimeoutError:
                yield None
                continue
            if piece is None:
                await task
                return
            yield piece

    return follow()


def stream_events(service: Service, work: Work) -> StreamingResponse:
    """Do *work*; what it tells goes out as it happens, its answer last as `done`."""
    pieces = follow_work(service, work)

    async def lines() -> AsyncIterator[bytes]:
        number = 0
        async for piece in pieces:
            if piece is None:
                yield QUIET
                continue
            number += 1
            name, data = piece
            yield event_bytes(number, name, error_body(data) if name == "error" else data)

    return stream_response(lines())


def stream_response(lines: AsyncIterator[bytes]) -> StreamingResponse:
    """*lines* as an event stream that nobody keeps."""
    return StreamingResponse(lines, media_type=EVENT_STREAM, headers={"cache-control": "no-store"})


def event_bytes(number: int, name: str, data: Any) -> bytes:
    """One event. JSON has no line breaks, so that its data is one line."""
    return f"id: {number}\nevent: {name}\ndata: {json.dumps(data)}\n\n".encode()
