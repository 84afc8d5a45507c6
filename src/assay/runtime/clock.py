"""The machine's own time, randomness and identifiers, in one place.

In      nothing
Out     Clock, jitter, new ids; all injected into the RuntimeContext so that tests can fix them
"""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from datetime import UTC, datetime


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def jitter() -> float:
    """A number from 0 up to 1 that spreads retries; no secret hangs on it."""
    return random.random()  # noqa: S311


def new_id() -> str:
    """32 hex digits, in no order."""
    return uuid.uuid4().hex
