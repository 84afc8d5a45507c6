"""What one turn of the loop asks for is handed over at once, and nobody waits for others."""

import asyncio

import pytest

from assay.adapters.stores.gathering import Gathering
from assay.errors import NotFoundError, StoreUnavailableError
from assay.protocols import ReviewFilter
from assay.testing import FrozenClock


def echo(batches):
    def carry_out(batch):
        batches.append([asked for asked, _ in batch])
        for asked, answer in batch:
            if answer.set_running_or_notify_cancel():
                answer.set_result(asked * 10)

    return carry_out


def test_what_is_asked_in_one_turn_goes_together_and_what_comes_later_does_not():
    """Tasks that are ready together share a batch; each has its own answer."""
    batches = []

    async def run():
        asking = Gathering(echo(batches))
        first = await asyncio.gather(*(asking.ask(number) for number in (1, 2, 3)))
        return [*first, await asking.ask(4)]

    assert asyncio.run(run()) == [10, 20, 30, 40]
    assert batches == [[1, 2, 3], [4]]


def test_one_who_gives_up_takes_nobody_with_it():
    """A task that is cancelled before the turn ends leaves the others their answers."""

    async def run():
        asking = Gathering(echo([]))
        one, other = asking.ask(1), asking.ask(2)
        one.cancel()
        return await other

    assert asyncio.run(run()) == 20


def test_what_cannot_be_handed_over_is_said_to_all():
    """A store that is closed says so to each who asked."""

    def closed(batch):
        raise StoreUnavailableError("the store is closed", hint="open it again")

    async def run():
        asking = Gathering(closed)
        return await asyncio.gather(asking.ask(1), asking.ask(2), return_exceptions=True)

    assert [type(error) for error in asyncio.run(run())] == [StoreUnavailableError] * 2


def test_a_loop_that_ended_in_the_middle_of_a_turn_leaves_nothing_behind():
    """The next loop of the same thread is served as if nothing had been."""
    batches = []
    asking = Gathering(echo(batches))

    async def leave():
        asking.ask(1)

    loop = asyncio.new_event_loop()
    task = loop.create_task(leave())
    loop.call_soon(loop.stop)
    loop.run_forever()
    assert task.done()
    loop.close()

    async def run():
        return await asking.ask(2)

    assert asyncio.run(run()) == 20
    assert batches == [[2]]


@pytest.mark.parametrize("asked", [0, 1])
def test_a_turn_that_is_ended_by_hand_is_not_ended_twice(asked):
    """A store that closes hands over first what was asked for."""
    batches = []

    async def run():
        asking = Gathering(echo(batches))
        answers = [asking.ask(number) for number in range(asked)]
        asking.hand_over(asyncio.get_running_loop())
        return [await answer for answer in answers]

    assert asyncio.run(run()) == [number * 10 for number in range(asked)]
    assert batches == [list(range(asked))] * asked


def test_one_reader_who_finds_nothing_takes_nobody_with_it(place):
    """Of what is read together, each has its own answer or its own error."""

    async def read():
        async with await place.open(clock=FrozenClock()) as store:
            return await asyncio.gather(
                store.find_call("none"),
                store.call("none"),
                store.calls("no filter"),
                store.reviews(ReviewFilter()),
                return_exceptions=True,
            )

    nothing, unknown, wrong, reviews = asyncio.run(read())

    assert nothing is None
    assert isinstance(unknown, NotFoundError)
    assert isinstance(wrong, Exception)
    assert reviews == []
