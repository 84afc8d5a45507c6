"""Real HTTP servers on the loopback that answer as a test tells them to.

A server is given one behaviour for each request it will get, and keeps what it was sent.
"""

from __future__ import annotations

import json
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[["Handler"], None]


@dataclass
class Seen:
    """One request as it arrived."""

    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        return json.loads(self.raw)


class Handler(BaseHTTPRequestHandler):
    """Plays the next behaviour; the last one stays."""

    protocol_version = "HTTP/1.1"
    server: Server
    asked: Seen
    """The request that is being answered."""

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        seen = Seen(self.path, {k.lower(): v for k, v in self.headers.items()}, raw)
        self.asked = seen
        with self.server.lock:
            self.server.seen.append(seen)
            queue = self.server.behaviours
            behaviour = queue.popleft() if len(queue) > 1 else queue[0]
        behaviour(self)

    do_GET = do_POST

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def send(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response_only(status)  # no date of its own beside the one a test gives
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    """On a free port of 127.0.0.1."""

    daemon_threads = True
    request_queue_size = 128  # many connect at once; the default of 5 breaks some of them off

    def __init__(self, behaviours: tuple[Behaviour, ...]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behaviours = deque(behaviours)
        self.seen: list[Seen] = []
        self.lock = threading.Lock()
        self.over = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle is what some tests are about."""


@contextmanager
def serving(*behaviours: Behaviour) -> Iterator[Server]:
    """A server that plays *behaviours*, one a request."""
    server = Server(behaviours)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        thread.join()
        server.server_close()


def closed_port() -> int:
    """A port of 127.0.0.1 where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# --- behaviours -------------------------------------------------------------------------------


def answer(status: int, body: Any, headers: Mapping[str, str] | None = None) -> Behaviour:
    """A whole answer; bytes are sent as they are, everything else as JSON."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda handler: handler.send(status, raw, headers)


def openai_text(text: str | None, finish: str | None = "stop", **message: Any) -> Behaviour:
    """A chat completion as OpenAI's servers write it."""
    return answer(
        200,
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "tiny-2026-01-01",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": finish,
                    "message": {"role": "assistant", "content": text, **message},
                }
            ],
            "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
        },
        {"x-request-id": "req-1"},
    )


def anthropic_text(*texts: str, stop: str | None = "end_turn", **usage: int) -> Behaviour:
    """A message as Anthropic's servers write it."""
    return answer(
        200,
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "tiny-2026-01-01",
            "content": [{"type": "text", "text": text} for text in texts],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 11, "output_tokens": 7, **usage},
        },
        {"request-id": "req-1"},
    )


def silence(handler: Handler) -> None:
    """Take the request and say nothing until the test is over."""
    handler.close_connection = True
    handler.server.over.wait()


def drip(handler: Handler) -> None:
    """A valid head, then one byte of body again and again: no single read is ever slow."""
    handler.close_connection = True
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", "1000000")
    handler.end_headers()
    while not handler.server.over.wait(0.02):
        handler.wfile.write(b" ")
        handler.wfile.flush()


def hang_up(handler: Handler) -> None:
    """Close without a word."""
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def cut_off(handler: Handler) -> None:
    """Promise a thousand bytes, send nine and close."""
    handler.close_connection = True
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices')
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)


__all__ = [
    "Behaviour",
    "Handler",
    "Seen",
    "Server",
    "answer",
    "anthropic_text",
    "closed_port",
    "cut_off",
    "drip",
    "hang_up",
    "openai_text",
    "serving",
    "silence",
]
