"""The only sources of time, and the holders of master keys.

In      values of the pure core
Out     Clock, KeyRing
Pure    declarations only
Spec    docs/explanation/architecture.md, "The rooms"
"""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The only source of time."""

    def now(self) -> datetime:
        """Aware, UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds, for measuring only."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class KeyRing(Protocol):
    """Holds master keys; wraps the data keys that encrypt payloads at rest."""

    @property
    def key_id(self) -> str:
        """Which master key wraps now; stored beside what it wrapped."""
        ...

    def wrap(self, data_key: bytes) -> bytes: ...

    def unwrap(self, key_id: str, wrapped: bytes) -> bytes:
        """Raises IntegrityError for an unknown key or a broken wrap."""
        ...
