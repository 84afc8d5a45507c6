"""Settings and options of the audit become keys, anchors and time-stampers.

In      Settings, names of files, addresses
Out     AuditKeys, Anchor, stampers and their checks
Effects reads files; the stampers send
Spec    docs/explanation/record.md, "Checkpoints"; RFC 3161
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from assay.adapters.sending import send
from assay.errors import InputError
from assay.runtime.audit.checkpoints import AuditKeys, StampCheck, Stamper
from assay.runtime.audit.timestamps import check_stamp, stamp
from assay.wiring.settings import Settings

_QUERY = "application/timestamp-query"


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
    ask = partial(send, "POST", address, content_type=_QUERY)
    return partial(stamp, send=ask)


def stamp_check(file: str) -> StampCheck:
    """Checks time-stamps against the certificates in *file*. Raises InputError."""
    roots = _read_key(file)

    def check(note: bytes, token: bytes) -> None:
        check_stamp(note, token, roots)

    return check


def _read_key(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read the key file {name!r}") from error
