"""A provider that refuses too many requests slows all calls of a runtime."""

from __future__ import annotations

import asyncio
import heapq
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.json.canonical import digest
from assay.protocols import ModelFault, ModelReply, ModelRequest, Parameters
from assay.runtime.calls.execution import Execution, execute
from assay.runtime.calls.pace import Pace
from assay.runtime.calls.patience import RetryPolicy

pytestmark = pytest.mark.clause("006-M5")

POLICY = RetryPolicy(max_tries=3, first_wait_s=1.0, max_wait_s=8.0, max_total_s=60.0)


class Shared:
    """A clock on which several tasks sleep; it moves on once nobody else has anything to do."""

    def __init__(self) -> None:
        self.time = 0.0
        self._sleeping: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = 0

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.time, UTC)

    def monotonic(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self._count += 1
        until = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleeping, (self.time + seconds, self._count, until))
        await until

    async def run(self, work: asyncio.Future[Any]) -> None:
        while not work.done():
            for _ in range(20):
                await asyncio.sleep(0)
            if self._sleeping and not work.done():
                self.time = self._sleeping[0][0]
                while self._sleeping and self._sleeping[0][0] <= self.time:
                    _, _, until = heapq.heappop(self._sleeping)
                    if not until.done():
                        until.set_result(None)


class Limited:
    """A provider that takes so many requests a minute and refuses the rest."""

    name = "limited:one"
    identity = {"kind": "limited"}  # noqa: RUF012
    needs_plan = False

    def __init__(self, clock: Shared, *, a_minute: int, tells: bool) -> None:
        self.clock = clock
        self.a_minute = a_minute
        self.tells = tells
        self.minute = -1
        self.taken = 0
        self.sent: list[float] = []
        self.refused: list[tuple[float, float]] = []

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.sent.append(self.clock.time)
        minute = int(self.clock.time // 60)
        if minute != self.minute:
            self.minute, self.taken = minute, 0
        self.taken += 1
        if self.taken > self.a_minute:
            until = (minute + 1) * 60.0
            self.refused.append((self.clock.time, until))
            wait = until - self.clock.time if self.tells else None
            raise ModelFault("rate_limit", transient=True, retry_after_s=wait)
        await self.clock.sleep(0.5)
        return ModelReply(text="{}", finish_reason="stop")

    async def aclose(self) -> None:
        return None


def ask_all(count: int, model: Any, clock: Shared, chance: float, policy=POLICY) -> list[Execution]:
    pace = Pace()
    request = ModelRequest(
        prompt="p",
        prompt_sha256=digest("p"),
        parameters=Parameters(temperature=0.0, max_output_tokens=5),
    )

    async def go() -> list[Execution]:
        places = asyncio.Semaphore(16)

        async def one() -> Execution:
            async with places:
                return await execute(
                    model, request, policy=policy, clock=clock, jitter=lambda: chance, pace=pace
                )

        work = asyncio.gather(*(one() for _ in range(count)))
        await clock.run(work)
        return await work

    return asyncio.run(go())


@given(st.integers(5, 40), st.floats(0.0, 1.0))
def test_a_batch_under_a_providers_limit_is_answered_whole(a_minute, chance):
    """Refusals while others are answered use up nobody's tries or time; the wait that the
    provider asked for is kept by all."""
    clock = Shared()
    policy = RetryPolicy(max_tries=3, first_wait_s=1.0, max_wait_s=8.0, max_total_s=120.0)
    model = Limited(clock, a_minute=a_minute, tells=True)
    done = ask_all(100, model, clock, chance, policy)

    assert {"OK"} == {execution.generation_status for execution in done}
    for at, until in model.refused:
        assert not [sent for sent in model.sent if at < sent < until]


def test_a_provider_that_names_no_time_is_left_alone_longer_and_longer():
    """Waits double from refusal to refusal, for all calls together."""
    clock = Shared()
    model = Limited(clock, a_minute=20, tells=False)
    policy = RetryPolicy(max_tries=9, first_wait_s=1.0, max_wait_s=20.0, max_total_s=300.0)
    done = ask_all(60, model, clock, 1.0, policy)

    assert {"OK"} == {execution.generation_status for execution in done}
    assert len(model.refused) < 60


def test_a_refused_call_lets_fewer_through_and_answers_let_more():
    """Half of those under way after a refusal, one more after a round of answers."""

    async def go() -> list[int]:
        clock, pace, seen = Shared(), Pace(), []
        under_way = most = 0

        async def one(refused: bool) -> None:
            nonlocal under_way, most
            async with pace.turn(clock, lambda: 0.0) as turn:
                under_way += 1
                most = max(most, under_way)
                for _ in range(3):
                    await asyncio.sleep(0)
                under_way -= 1
                if refused:
                    pace.slow_down(
                        turn,
                        now=clock.time,
                        retry_after_s=1.0,
                        back_off=lambda _: 0.0,
                        patience_s=60.0,
                    )
                else:
                    pace.note_answer(turn)

        for refused in (True, False, False):
            most = 0
            work = asyncio.gather(*(one(refused) for _ in range(16)))
            await clock.run(work)
            seen.append(most)
        return seen

    first, second, third = asyncio.run(go())
    assert 16 == first
    assert 8 <= second < third <= 16


def test_who_is_cancelled_while_waiting_gives_the_place_back():
    """Nobody waits for a place of somebody who is gone."""

    async def go() -> int:
        clock, pace = Shared(), Pace()
        async with pace.turn(clock, lambda: 0.0) as turn:
            pace.slow_down(
                turn, now=0.0, retry_after_s=1.0, back_off=lambda _: 0.0, patience_s=60.0
            )
            waiting = [asyncio.ensure_future(_hold(pace, clock)) for _ in range(4)]
            await asyncio.sleep(0)
            waiting[0].cancel()
            waiting[2].cancel()
            await asyncio.sleep(0)
        work = asyncio.gather(*waiting, return_exceptions=True)
        await clock.run(work)
        ended = await work
        return sum(end is None for end in ended)

    assert 2 == asyncio.run(go())


async def _hold(pace: Pace, clock: Shared) -> None:
    async with pace.turn(clock, lambda: 0.0):
        await asyncio.sleep(0)


def test_what_is_refused_for_ever_ends():
    """A call that no minute is large enough for is given up, though others are answered."""
    clock = Shared()

    class NeverThis(Limited):
        async def complete(self, request: ModelRequest) -> ModelReply:
            if len(self.sent) % 2 == 0:
                self.sent.append(self.clock.time)
                raise ModelFault("rate_limit", transient=True)
            return await super().complete(request)

    done = ask_all(4, NeverThis(clock, a_minute=10**6, tells=False), clock, 0.5)
    assert 4 == len(done)
