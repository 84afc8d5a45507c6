"""Read server-sent events from bytes as they arrive.

In      pieces of a body of `text/event-stream`, split anywhere
Out     ServerEvent: its name and its data, as bytes
Pure    yes: it holds the piece that is not whole yet and nothing else
Spec    WHATWG HTML, "Server-sent events" (parsing an event stream); interfaces.md, "Models"

The data stay bytes: what is no UTF-8 is for the reader of the JSON to refuse, as in a reply that
is no stream. Other than in a browser, an event whose closing blank line never came is handed out
at the end, because some servers close the connection behind the last line of data.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

MAX_EVENT_BYTES: Final = 4 << 20
MAX_STREAM_BYTES: Final = 64 << 20
"""Far above what a model writes; a stream that never ends is stopped here."""

DONE: Final = b"[DONE]"
"""Data of the last event of OpenAI's chat completions."""

_LINE_END: Final = re.compile(rb"[\r\n]")
_MARK: Final = b"\xef\xbb\xbf"


class StreamTooLargeError(ValueError):
    """An event or a stream is over its bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerEvent:
    """One event."""

    name: str
    """`message` where the server gives none."""

    data: bytes
    """The lines of data, joined by line feeds."""


class EventReader:
    """Reads one stream, piece by piece.

    Example:
        >>> reader = EventReader()
        >>> reader.feed(b'data: {"a"')
        []
        >>> [event.data for event in reader.feed(b': 1}\\n\\n')]
        [b'{"a": 1}']
    """

    def __init__(
        self, *, max_event_bytes: int = MAX_EVENT_BYTES, max_stream_bytes: int = MAX_STREAM_BYTES
    ) -> None:
        self._max_event = max_event_bytes
        self._left = max_stream_bytes
        self._line = bytearray()
        self._first = True
        self._after_return = False
        self._name = ""
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, piece: bytes) -> list[ServerEvent]:
        """The events that *piece* makes whole.

        Raises:
            StreamTooLargeError: an event or the stream is over its bound.
        """
        self._left -= len(piece)
        if self._left < 0:
            raise StreamTooLargeError("the stream is over its bound")
        events: list[ServerEvent] = []
        at = 0
        if self._after_return and piece:
            self._after_return = False
            at = int(piece.startswith(b"\n"))
        while (end := _LINE_END.search(piece, at)) is not None:
            self._keep(piece[at : end.start()])
            events += self._end_line()
            at = end.end()
            if end.group() == b"\r":
                self._after_return = at == len(piece)
                at += piece.startswith(b"\n", at)
        self._keep(piece[at:])
        return events

    def close(self) -> list[ServerEvent]:
        """The event that the end of the body makes whole, if one was begun."""
        events = self._end_line() if self._line else []
        return [*events, *self._end_event()]

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._max_event:
            raise StreamTooLargeError("an event is over its bound")
        self._line += part

    def _end_line(self) -> list[ServerEvent]:
        line = bytes(self._line)
        self._line.clear()
        if self._first:
            self._first = False
            line = line.removeprefix(_MARK)
        if not line:
            return self._end_event()
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        else:
            self._size -= len(line)  # comments keep a connection alive for as long as it takes
            if field == b"event":
                self._name = value.decode("utf-8", "replace")
        return []

    def _end_event(self) -> list[ServerEvent]:
        name, data = self._name or "message", self._data
        self._name, self._data, self._size = "", [], 0
        return [ServerEvent(name=name, data=b"\n".join(data))] if data else []
