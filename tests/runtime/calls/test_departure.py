"""A process that lives on leaves the calls that it gave up; one that ends needs not."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import ModelUnavailableError, StoreUnavailableError
from assay.runtime.calls.departure import LEFT, Departures, owner_after
from tests.runtime.tiny import GOOD, TEXT, opened, tiny_pack

EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["call.opened", "call.resumed", "model.answered", LEFT]),
        st.sampled_from(["one", "two"]),
    )
)


def with_departures(runtime, store=None):
    context = replace(runtime.context, store=store or runtime.context.store)
    departures = Departures(context.store, context.clock, context.key_locks, context.owner)
    return replace(runtime, context=replace(context, departures=departures)), departures


async def run(runtime):
    return [done.outcome.status async for done in runtime.run(tiny_pack(), [TEXT])]


async def kinds(runtime):
    rows = await runtime.calls()
    events = [event async for event in runtime.context.store.events(call=rows[0].id)]
    return [event.kind for event in events if event.kind.startswith("call.")]


async def wait_for_tasks():
    while others := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait(others)


@pytest.mark.clause("009-H7")
@pytest.mark.parametrize("lives_on", [True, False])
def test_a_call_that_stays_open_is_left_by_a_process_that_lives_on(tmp_path, lives_on):
    """Its model was out of reach. Asked again by the same process it goes on."""

    async def work():
        async with opened(tmp_path, {"error": "auth"}, GOOD) as found:
            runtime = with_departures(found)[0] if lives_on else found
            with pytest.raises(ModelUnavailableError):
                await run(runtime)
            await wait_for_tasks()
            first = await kinds(runtime)
            return first, await run(runtime), await kinds(runtime)

    first, outcomes, after = asyncio.run(work())

    left = [LEFT] if lives_on else []
    assert ["call.opened", *left] == first
    assert ["accepted"] == outcomes
    assert ["call.opened", *left, "call.resumed", "call.settled"] == after


class Failing:
    """A store that is out of reach from the first reply on, for four commits."""

    def __init__(self, store):
        self._store = store
        self.failures = 0
        self.answered = False

    def __getattr__(self, name):
        return getattr(self._store, name)

    async def commit(self, changes):
        if not self.answered and any(each.kind == "model.answered" for each in changes.events):
            self.answered, self.failures = True, 4
        if self.failures:
            self.failures -= 1
            raise StoreUnavailableError("gone", hint="wait")
        return await self._store.commit(changes)


@pytest.mark.clause("009-H7")
def test_what_cannot_be_written_yet_is_written_later(tmp_path):
    """The store was out of reach when the call was given up, and three times after that."""

    async def work():
        async with opened(tmp_path, GOOD) as found:
            store = Failing(found.context.store)
            runtime, _ = with_departures(found, store)
            with pytest.raises(StoreUnavailableError):
                await run(runtime)
            await wait_for_tasks()
            return await kinds(runtime)

    assert ["call.opened", LEFT] == asyncio.run(work())


@pytest.mark.clause("009-H7")
@given(EVENTS)
def test_the_owner_is_who_took_it_last_and_has_not_left(events):
    """Somebody who leaves late, when another has taken it over, changes nothing."""
    owner = ""
    for kind, name in events:
        owner = owner_after(owner, kind, None if kind == "model.answered" else name)
    taken = [at for at, (kind, _) in enumerate(events) if kind in {"call.opened", "call.resumed"}]

    if not taken:
        assert "" == owner
    else:
        name = events[taken[-1]][1]
        assert owner == ("" if (LEFT, name) in events[taken[-1] :] else name)
