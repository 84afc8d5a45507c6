"""How fast a provider lets the calls of one runtime through, shared by all of them.

In      turns that are asked for; answers, and refusals for too many requests
Out     a turn, when it is time to send
Effects waits
Spec    interfaces.md, "Models" (limits a minute); 006-M5

A refusal for too many requests speaks to everybody: no call is sent before the time that the
provider named, and from then on half as many are under way. With every round of answers one
more is let through. A provider that names no time is left alone for as long as the policy of
tries says, and longer from refusal to refusal while nothing is answered.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

from assay.protocols import Clock

SPREAD = 0.25
"""After a pause the calls that waited start within this share of it …"""

SPREAD_S = 1.0
"""… and within this many seconds, so that they do not all arrive at once."""


class Pace:
    """Who may send now. For the tasks of one event loop at a time."""

    def __init__(self) -> None:
        self._until = -math.inf
        """Nothing is sent before this reading of the clock."""

        self._spread_s = 0.0
        self._limit = math.inf
        """Calls that may be under way; without a limit until the provider refuses one."""

        self._under_way = 0
        self._queue: deque[asyncio.Future[None]] = deque()
        self._round = 0
        """A refusal of a call that was sent before the last slowing down says nothing new."""

        self._refusals = 0
        """Rounds that were refused in a row, without an answer."""

        self._credit = 0
        self.answers = 0
        """Calls that the provider answered."""

        self.resting = 0
        """Calls that wait: for their turn, or before another try."""

    @contextmanager
    def rest(self) -> Iterator[None]:
        """The block only waits."""
        self.resting += 1
        try:
            yield
        finally:
            self.resting -= 1

    @asynccontextmanager
    async def turn(self, clock: Clock, jitter: Callable[[], float]) -> AsyncIterator[int]:
        """Wait for one's turn and hold it; yields the round that it belongs to."""
        with self.rest():
            await self._take_place()
        try:
            while (left := self._until - clock.monotonic()) > 0:
                alone = self._under_way + len(self._queue) == 1
                with self.rest():
                    await clock.sleep(left if alone else left + jitter() * self._spread_s)
            yield self._round
        finally:
            self._leave()

    def note_answer(self, turn: int) -> None:
        """A call of round *turn* was answered."""
        self.answers += 1
        if turn != self._round:
            return
        self._refusals = 0
        self._credit += 1
        if self._credit >= self._limit:
            self._limit += 1
            self._credit = 0
            self._hand_on()

    def slow_down(
        self,
        turn: int,
        *,
        now: float,
        retry_after_s: float | None,
        back_off: Callable[[int], float],
        patience_s: float,
    ) -> float:
        """A call of round *turn* was refused for too many requests.

        Args:
            retry_after_s: What the provider asks for; kept to the full.
            back_off: Seconds to wait after so many refused rounds in a row.
            patience_s: A longer wait is not begun, and holds nobody up.

        Returns:
            Seconds until something may be sent again.
        """
        wait = retry_after_s or 0.0
        if turn == self._round:
            self._round += 1
            self._refusals += 1
            self._credit = 0
            self._limit = max(1, min(self._limit, self._under_way) // 2)
            wait = max(wait, back_off(self._refusals))
        if wait >= patience_s:
            return wait
        self._until = max(self._until, now + wait)
        left = max(0.0, self._until - now)
        self._spread_s = min(SPREAD_S, SPREAD * left)
        return left

    async def _take_place(self) -> None:
        if not self._queue and self._under_way < self._limit:
            self._under_way += 1
            return
        place = asyncio.get_running_loop().create_future()
        self._queue.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if not place.cancelled():  # handed over at the very moment of leaving
                self._leave()
            with suppress(ValueError):
                self._queue.remove(place)
            raise

    def _leave(self) -> None:
        self._under_way -= 1
        self._hand_on()

    def _hand_on(self) -> None:
        while self._queue and self._under_way < self._limit:
            place = self._queue.popleft()
            if not place.done():
                self._under_way += 1
                place.set_result(None)
