"""A clock that moves only when told to.

In      the moment it shows first
Out     FrozenClock, which is a `protocols.Clock`
Pure    but for the moment that it keeps
Spec    docs/explanation/architecture.md, "The rooms"
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 17, 8, 0, 0, tzinfo=UTC)
"""What the clock shows unless told otherwise."""


class FrozenClock:
    """Shows the same moment until `advance` or `sleep` moves it on."""

    def __init__(self, start: datetime = START) -> None:
        self._start = start
        self._now = start

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return (self._now - self._start).total_seconds()

    def advance(self, seconds: float) -> None:
        """Let *seconds* pass."""
        self._now += timedelta(seconds=seconds)

    async def sleep(self, seconds: float) -> None:
        """Let *seconds* pass at once."""
        self.advance(seconds)
        await asyncio.sleep(0)
