"""Carry bytes to an address and bring the answer: time-stamping authorities, witnesses.

In      an http(s) address, a body
Out     the body of the answer
Effects one request; a thread waits for it
Spec    RFC 3161, 3.4 (time-stamps over HTTP); docs/explanation/record.md, "Checkpoints"
"""

from __future__ import annotations

import asyncio
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from assay.errors import ExecutionError, InputError

_MAX_BYTES = 1 << 20
_WAIT_S = 30.0


def is_address(text: str) -> bool:
    """Whether *text* names a place on the network, not a file."""
    return text.startswith(("http://", "https://"))


async def send(
    method: str, address: str, body: bytes | None = None, *, content_type: str = ""
) -> bytes:
    """One request, never repeated.

    Raises:
        InputError: *address* is none.
        ExecutionError: nobody answered, or the answer was an error or over 1 MB.
    """
    host = urlsplit(address).hostname if is_address(address) else None
    if not host:
        raise InputError("that is no http(s) address", hint="such as https://tsa.example/")
    headers = {"Content-Type": content_type} if content_type else {}
    request = Request(address, data=body, headers=headers, method=method)  # noqa: S310 - checked

    def exchange() -> bytes:
        with urlopen(request, timeout=_WAIT_S) as answer:  # noqa: S310 - checked above
            content: bytes = answer.read(_MAX_BYTES + 1)
        return content

    try:
        content = await asyncio.to_thread(exchange)
    except (URLError, OSError, ValueError) as error:
        raise ExecutionError(
            f"{host} did not answer as it should", hint="check the address and try again"
        ) from error
    if len(content) > _MAX_BYTES:
        raise ExecutionError(f"the answer of {host} is too long")
    return content
