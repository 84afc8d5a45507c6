"""Many inputs of a run under way at once: order, bounds, budgets, faults."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from assay.errors import ModelUnavailableError, UsageError
from assay.protocols import ModelFault, ModelReply, ModelRequest
from assay.runtime.calls.budget import RunBudget
from assay.runtime.calls.run import ItemOutcome, inputs_in_flight
from assay.runtime.calls.window import HELD_BACK, Window
from assay.runtime.runtime import Runtime
from tests.runtime.tiny import GOOD, UNKNOWN_LABEL, opened, tiny_pack

pytestmark = pytest.mark.clause("006-M5")


class Busy:
    """Answers after a while that differs from text to text; knows how many ask at once."""

    name = "busy:one"
    identity = {"kind": "busy"}  # noqa: RUF012
    needs_plan = False

    def __init__(self, *, faults: dict[str, ModelFault] | None = None, together: int = 1) -> None:
        """*together*: nobody is answered before so many ask at once."""
        self.together = together
        self.met = asyncio.Event()
        self.under_way = self.most = self.asked = 0
        self.faults = faults or {}

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.asked += 1
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        if self.under_way >= self.together:
            self.met.set()
        try:
            await self.met.wait()
            for _ in range(5 + int(request.prompt_sha256[-2:], 16) % 40):
                await asyncio.sleep(0)
            for word, fault in self.faults.items():
                if word in request.prompt:
                    raise fault
            said = UNKNOWN_LABEL if "unclear" in request.prompt else GOOD
            used = 60 + int(request.prompt_sha256[-4:-2], 16) % 50
            return ModelReply(text=said, finish_reason="stop", input_tokens=used, output_tokens=20)
        finally:
            self.under_way -= 1

    async def aclose(self) -> None:
        return None


def texts(count: int, *, unclear: int = 0) -> list[bytes]:
    """Inputs that differ; every *unclear*-th needs all of its attempts."""
    return [
        f"Case {n}: there is water in the cellar."
        f"{' It is unclear.' if unclear and n % unclear == 0 else ''}".encode()
        for n in range(count)
    ]


@contextlib.asynccontextmanager
async def busy(place: Path, model: Busy) -> AsyncIterator[Runtime]:
    async with opened(place) as runtime:
        yield Runtime(context=replace(runtime.context, model=model))


async def outcomes_of(place: Path, model: Busy, inputs, **how) -> list[ItemOutcome]:
    async with busy(place, model) as runtime:
        return [outcome async for outcome in runtime.run(tiny_pack(), inputs, **how)]


@pytest.mark.parametrize("parallel", [1, 3, 16])
def test_outcomes_come_in_the_order_of_the_inputs(tmp_path, parallel):
    """As many are under way as was asked for, and no more."""
    model = Busy(together=parallel)
    found = asyncio.run(outcomes_of(tmp_path, model, texts(40), parallel=parallel))

    assert [f"input-{n}" for n in range(1, 41)] == [outcome.input for outcome in found]
    assert {"accepted"} == {outcome.outcome.status for outcome in found}
    assert (parallel, 40) == (model.most, model.asked)


@pytest.mark.parametrize(
    "limit", [{"max_total_tokens": 3000}, {"max_input_tokens": 1500}, {"max_output_tokens": 450}]
)
def test_a_tight_budget_ends_the_same_inputs_however_many_are_under_way(tmp_path, limit):
    """Tokens are reserved as if the inputs came one after another; second attempts included."""
    found = {}
    for parallel in (1, 4, 16):
        place = tmp_path / str(parallel)
        place.mkdir()
        inputs = texts(40, unclear=3)
        budget = RunBudget(**limit)
        ended = asyncio.run(outcomes_of(place, Busy(), inputs, parallel=parallel, budget=budget))
        found[parallel] = [outcome.outcome.reason for outcome in ended], budget.usage

    assert {"budget.exceeded", "gate.rejected", None} == set(found[1][0])
    assert found[1] == found[4] == found[16]


def test_a_wide_budget_holds_nobody_up(tmp_path):
    """Where all that are under way fit whatever they use, they are under way together."""
    model = Busy(together=8)
    budget = RunBudget(max_total_tokens=10**6)
    asyncio.run(outcomes_of(tmp_path, model, texts(40), parallel=8, budget=budget))

    assert 8 == model.most


def test_equal_inputs_are_asked_once(tmp_path):
    """The second of two equal ones finds what became of the first."""
    model = Busy()
    inputs = [text for text in texts(10) for _ in range(3)]
    found = asyncio.run(outcomes_of(tmp_path, model, inputs, parallel=16))

    assert 10 == model.asked
    assert [False, True, True] * 10 == [outcome.reused for outcome in found]


@pytest.mark.parametrize("parallel", [1, 4])
def test_inputs_are_read_as_places_become_free(tmp_path, parallel):
    """However many there are: so many are read ahead and held, and no more."""
    read = 0
    ahead: list[int] = []

    def inputs() -> Iterator[bytes]:
        nonlocal read
        for text in texts(100):
            read += 1
            yield text

    async def run() -> None:
        async with busy(tmp_path, Busy()) as runtime:
            done = 0
            async for _ in runtime.run(tiny_pack(), inputs(), parallel=parallel):
                done += 1
                ahead.append(read - done)
                await asyncio.sleep(0.001)

    asyncio.run(run())
    assert max(ahead) <= (parallel * HELD_BACK if parallel > 1 else 0) + 1
    assert 0 == ahead[-1]


def test_a_refused_key_begins_no_other_input(tmp_path):
    """The run ends, nothing waits for a person, and the same inputs are done by the next run."""
    refused = Busy(faults={"Case": ModelFault("auth", transient=False, code="invalid_api_key")})

    async def run() -> None:
        async with busy(tmp_path, refused) as runtime:
            async for _ in runtime.run(tiny_pack(), texts(50), parallel=4):
                raise AssertionError("nothing has an outcome")

    with pytest.raises(ModelUnavailableError, match="invalid_api_key"):
        asyncio.run(run())
    assert refused.asked <= 4

    async def again() -> tuple[int, int]:
        async with busy(tmp_path, Busy()) as runtime:
            done = [outcome async for outcome in runtime.run(tiny_pack(), texts(50), parallel=4)]
            return len(done), len(await runtime.reviews())

    assert (50, 0) == asyncio.run(again())


def test_a_fault_in_the_middle_keeps_what_came_before_it(tmp_path):
    """Outcomes before it are handed out in order; what was under way is settled."""
    model = Busy(faults={"Case 7": ModelFault("auth", transient=False)})
    done: list[str] = []

    async def run() -> None:
        async with busy(tmp_path, model) as runtime:
            async for outcome in runtime.run(tiny_pack(), texts(50), parallel=4):
                done.append(outcome.input)

    with pytest.raises(ModelUnavailableError):
        asyncio.run(run())
    assert [f"input-{n}" for n in range(1, 8)] == done
    assert 0 == model.under_way


def test_who_asks_for_the_end_gets_what_is_under_way(tmp_path):
    """No input is begun after that."""
    model = Busy()

    async def run() -> int:
        done = 0
        async with busy(tmp_path, model) as runtime:
            outcomes = runtime.run(
                tiny_pack(), texts(50), parallel=4, halted=lambda: model.asked >= 10
            )
            async for outcome in outcomes:
                assert "accepted" == outcome.outcome.status
                done += 1
        return done

    assert asyncio.run(run()) == model.asked
    assert 10 <= model.asked <= 14


def test_who_leaves_early_leaves_nothing_running(tmp_path):
    """A consumer that breaks off: calls under way are left open and taken up by the next run."""
    model = Busy()

    async def run() -> int:
        async with busy(tmp_path, model) as runtime:
            outcomes = runtime.run(tiny_pack(), texts(50), parallel=4)
            async with contextlib.aclosing(outcomes):
                async for _ in outcomes:
                    break
            return model.under_way

    assert 0 == asyncio.run(run())
    assert 50 == len(asyncio.run(outcomes_of(tmp_path, Busy(), texts(50), parallel=4)))


@pytest.mark.parametrize(("network", "wanted", "places"), [(1, None, 8), (0, None, 1), (0, 5, 5)])
def test_how_many_are_under_way_where_nobody_says(network, wanted, places):
    """Eight for a model over a network, one for any other."""
    assert places == inputs_in_flight(wanted, SimpleNamespace(network=bool(network)))


def test_fewer_than_one_input_in_flight_is_no_run():
    """A zero is refused before anything is sent."""
    with pytest.raises(UsageError):
        inputs_in_flight(0, SimpleNamespace())


@pytest.mark.clause("007-T7")
@pytest.mark.parametrize("turns", range(12))
def test_a_consumer_that_is_cancelled_leaves_whenever_it_comes(turns):
    """Also at the very moment something changes: the next entry is read, nothing is handed out."""
    more = asyncio.Event()

    async def entries() -> AsyncIterator[str]:
        yield "first"
        await more.wait()
        yield "second"

    async def begin(_: str) -> None:
        await asyncio.Event().wait()

    async def cancel_after(turns: int) -> bool:
        window = Window(
            entries(), begin, name=str, parallel=2, may_begin=lambda _: True,
            halted=lambda: False, resting=lambda: 0, may_fail=ModelFault,
        )  # fmt: skip
        consumer = asyncio.ensure_future(window.hand_out())
        for _ in range(20):
            await asyncio.sleep(0)
        more.set()
        for _ in range(turns):
            await asyncio.sleep(0)
        consumer.cancel()
        await asyncio.wait([consumer], timeout=5)
        left = consumer.done()
        await window.close()
        return left

    assert asyncio.run(cancel_after(turns))
