"""What a stranger needs to check a record.

In      values of the pure core
Out     Proofs and its values
Pure    declarations only
Spec    RFC 9162; docs/explanation/record.md, "Receipts"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from assay.record.event import StoredEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointRow:
    """A signed tree head as it is kept beside the log."""

    size: int
    root: str
    """Digest form, as `Store.head` gives it."""

    note: str
    """The text with its signatures."""

    token: bytes | None
    """RFC 3161 response over the note, where a time-stamp was asked for."""

    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What an event's commitment to a payload was made over."""

    salt: bytes
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """A payload is gone; event *by* vouches for it."""

    by: int


class Proofs(Protocol):
    """What a stranger needs beside the events. Every method reads the store afresh."""

    async def origin(self) -> str | None:
        """The log's own name, which follows from its first entry; None while it is empty."""
        ...

    async def root(self, size: int) -> bytes | None:
        """The root over the first *size* entries; None when the log has not so many."""
        ...

    async def prove(self, seq: int, size: int | None = None) -> Mapping[str, Any]:
        """As `Store.prove`, but of what has its place already: `Store.head` gives places."""
        ...

    async def put_checkpoint(self, row: CheckpointRow) -> None:
        """Keep a signed head."""
        ...

    async def checkpoints(self) -> Sequence[CheckpointRow]:
        """The oldest first."""
        ...

    async def event(self, seq: int) -> StoredEvent:
        """Raises NotFoundError, or IntegrityError when it was edited."""
        ...

    async def opening(self, seq: int, name: str) -> Opening | Erased:
        """Raises IntegrityError when the content does not match its commitment."""
        ...
