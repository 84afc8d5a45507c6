"""One task at a time for each key, within this process.

In      keys
Out     the key for oneself, for as long as the block runs
Effects waits
Spec    interfaces.md, `assay run`: what is settled is not sent again

Between processes the record tells who is making a call; tasks of one process share an owner and
take turns here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class KeyLocks:
    """Who is at work on which key. For the tasks of one event loop at a time."""

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def hold(self, key: str) -> AsyncIterator[None]:
        """Run the block when no other task's block for *key* runs."""
        lock, count = self._waiting.get(key) or (asyncio.Lock(), 0)
        self._waiting[key] = lock, count + 1
        try:
            async with lock:
                yield
        finally:
            lock, count = self._waiting.pop(key)
            if count > 1:
                self._waiting[key] = lock, count - 1
