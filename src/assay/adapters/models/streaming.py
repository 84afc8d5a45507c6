"""Receive an answer, as a stream where it is one, and let somebody read along.

In      pieces of a body as they come, an Assembly of the API, a Listener
Out     Received: the bytes of an answer that came whole, the answer that a stream amounts to, or
        the beginning after which the listener said stop
Pure    no: network, through the pieces
Spec    interfaces.md, "Models" (`assay_stopped`)

Whether it is a stream is seen by the body: servers ignore `stream`, and label bodies wrongly.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from assay.adapters.models.event_stream import EventReader, ServerEvent, StreamTooLargeError
from assay.adapters.models.http_faults import broken_reply
from assay.errors import UsageError
from assay.protocols import Listener, ModelFault

STREAM_SETTING: Final = "ASSAY_STREAM"
VARIABLES: Final = {
    STREAM_SETTING: "`on`, the default: replies that are judged while they grow are read as "
    "streams, and stopped as soon as nothing that follows could be accepted; `off`: every reply "
    "is waited for whole.",
}
"""What is read from the environment here, for the page on settings."""

STOPPED: Final = "assay_stopped"
"""Finish reason of a reply that was stopped from here."""

_MAX_BODY: Final = 64 << 20
_OPENING: Final = re.compile(rb"\xef?\xbb?\xbf?\s*(?:data|event|id|retry)?:")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class Assembly(Protocol):
    """Puts the events of one stream together."""

    over: bool
    """The stream has said all, whatever follows."""

    error: object | None
    """An error object that came in the stream."""

    def take(self, event: ServerEvent) -> str:
        """The text of the reply that *event* adds. Raises ModelFault for what is no event."""
        ...

    def answer(self) -> dict[str, Any]:
        """The answer as it would have come at once.

        Raises:
            ModelFault: the stream ended before the reply did.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One answer; one of the three is there."""

    body: bytes | None = None
    """Came at once."""

    answer: Mapping[str, Any] | None = None
    """Came as a stream that was read to its end; an error object of a stream is under `error`."""

    prefix: str | None = None
    """Of a reply that the listener stopped."""


async def receive(
    pieces: AsyncIterator[bytes], assembly: Assembly, listener: Listener | None
) -> Received:
    """Read *pieces* until the answer is whole or *listener* says stop.

    Raises:
        ModelFault: the connection broke, or what came is no answer.
    """
    head = bytearray()
    while len(head) < len(b"retry:"):
        piece = await _next(pieces)
        if piece is None:
            break
        head = (head + piece).lstrip()  # neither JSON nor an event begins with white space
    if not _OPENING.match(head):
        return Received(body=await _read_whole(head, pieces))
    reader, hearing = EventReader(), _Hearing(listener)
    piece = bytes(head)
    try:
        while piece is not None:
            if hearing.hear_all(reader.feed(piece), assembly):
                return Received(prefix=hearing.text)
            if assembly.over:
                break
            piece = await _next(pieces)
        if not assembly.over and hearing.hear_all(reader.close(), assembly):
            return Received(prefix=hearing.text)
    except StreamTooLargeError as error:
        raise broken_reply("has no end") from error
    if assembly.error is not None:
        return Received(answer={"error": assembly.error})
    return Received(answer=assembly.answer())


async def _next(pieces: AsyncIterator[bytes]) -> bytes | None:
    try:
        return await anext(pieces, None)
    except ModelFault:
        raise
    except Exception as error:
        # Whatever the HTTP client calls it: bytes that do not come are the connection's fault.
        late = "timeout" in type(error).__name__.lower()
        raise ModelFault(
            "timeout" if late else "server", transient=True, hint=type(error).__name__
        ) from error


async def _read_whole(head: bytearray, pieces: AsyncIterator[bytes]) -> bytes:
    while (piece := await _next(pieces)) is not None:
        head += piece
        if len(head) > _MAX_BODY:
            raise broken_reply("has no end")
    return bytes(head)


class _Hearing:
    """What the listener has heard; it is told no half of a character."""

    def __init__(self, listener: Listener | None) -> None:
        self._listener = listener
        self._half = ""
        self._texts: list[str] = []

    @property
    def text(self) -> str:
        return "".join(self._texts)

    def hear_all(self, events: list[ServerEvent], assembly: Assembly) -> bool:
        for event in events:
            if assembly.over:
                return False
            if not event.data:
                continue  # sent to keep the connection alive
            piece = join_halves(self._half + assembly.take(event))
            self._half = piece[-1:] if "\ud800" <= piece[-1:] <= "\udbff" else ""
            piece = piece[: len(piece) - len(self._half)]
            if piece and self._listener is not None:
                self._texts.append(piece)
                if self._listener.hear(piece):
                    return True
        return False


def join_halves(text: str) -> str:
    """*text* with surrogate halves that stand side by side as the one character they are.

    A reader of JSON does so within a string; two strings of a stream are joined only here.
    """
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def estimate_tokens(text: str) -> int:
    """Tokens of a text whose provider was not asked to the end: four bytes each, rounded up."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)


def streams(environ: Mapping[str, str]) -> bool:
    """`ASSAY_STREAM`, on by default. Raises UsageError for what is neither `on` nor `off`.

    In a settings file it may be a truth value as well.
    """
    value = environ.get(STREAM_SETTING) or "on"
    if value not in ("on", "off", "true", "false"):
        raise UsageError(
            f"the setting {STREAM_SETTING} is not valid", hint=f"{STREAM_SETTING} is on or off"
        )
    return value in ("on", "true")
