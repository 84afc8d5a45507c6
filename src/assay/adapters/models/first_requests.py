"""While nothing of a kind has gone through, one request of it goes alone.

What the first one is refused, the others in flight need not be refused as well.

In      the digest of the schema that goes out, which is what makes requests alike
Out     a turn: at once, or when the request ahead has gone through, failed, or takes too long
Pure    no: it waits
Spec    006-M1, 006-M2
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

PATIENCE_S: Final = 10.0
"""How long a request waits for the one ahead: a reply may take minutes, and refusals do not."""


class FirstRequests:
    """Who goes ahead, for one model of one server as long as it is open."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._through: set[str] = set()
        self._ahead: dict[str, asyncio.Event] = {}

    @asynccontextmanager
    async def turn(self, kind: str) -> AsyncIterator[Callable[[], None]]:
        """Yields what to call as soon as the server has taken the request."""
        await self._wait(kind)
        over = asyncio.Event()
        if kind not in self._through:
            self._ahead.setdefault(kind, over)

        def went_through() -> None:
            self._through.add(kind)
            over.set()

        try:
            yield went_through
        finally:
            if self._ahead.get(kind) is over:
                del self._ahead[kind]
            over.set()

    async def _wait(self, kind: str) -> None:
        try:
            async with asyncio.timeout(self._patience_s):
                while kind not in self._through and kind in self._ahead:
                    await self._ahead[kind].wait()
        except TimeoutError:
            return
