"""Settings and options of the audit become keys and time-stampers; what is sent to whom.

In      Settings, names of files, http(s) addresses
Out     AuditKeys, stampers and their checks; the answers of authorities and witnesses
Effects reads files; one request for each thing sent
Spec    docs/explanation/record.md, "Checkpoints"; RFC 3161
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from assay.errors import ExecutionError, InputError
from assay.runtime.audit.checkpoints import AuditKeys, StampCheck, Stamper
from assay.runtime.audit.timestamps import check_stamp, stamp
from assay.wiring.settings import Settings

_QUERY = "application/timestamp-query"
_MAX_BYTES = 1 << 20
_WAIT_S = 30.0


def audit_keys(settings: Settings, trusted: Sequence[str] = ()) -> AuditKeys:
    """The keys that the settings name, and more files with public keys.

    Raises:
        InputError: a file cannot be read.
    """
    files = [*([settings.checkpoint_keys] if settings.checkpoint_keys else []), *trusted]
    return AuditKeys(
        signing=None if settings.signing_key is None else _read_key(settings.signing_key),
        trusted=tuple(_read_key(file) for file in files),
    )


def stamper_at(address: str) -> Stamper:
    """Asks the time-stamping authority at *address*."""
    ask = partial(send_bytes, "POST", address, content_type=_QUERY)
    return partial(stamp, send=ask)


def stamp_check(file: str) -> StampCheck:
    """Checks time-stamps against the certificates in *file*. Raises InputError."""
    roots = _read_key(file)

    def check(note: bytes, token: bytes) -> None:
        check_stamp(note, token, roots)

    return check


def is_address(text: str) -> bool:
    """Whether *text* names a place on the network, not a file."""
    return text.startswith(("http://", "https://"))


async def send_bytes(
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


def _read_key(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read the key file {name!r}") from error
