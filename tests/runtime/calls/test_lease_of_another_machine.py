"""An owner on another machine cannot be looked at: its silence decides."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime

import pytest

from assay.errors import CallTakenError
from assay.protocols import Changes, PutCall
from assay.record.event import EventDraft
from assay.runtime.calls.lease import GRACE_S, POLL_S, await_owner
from assay.testing import FrozenClock
from assay.testing.stores.samples import a_call
from tests.runtime.tiny import opened

ELSEWHERE = "another-host:4711:123"


def with_a_foreign_call(tmp_path, work):
    """Do *work* in a runtime with a frozen clock, beside an open call that another machine owns."""

    async def go():
        async with opened(tmp_path) as runtime:
            clock = FrozenClock(runtime.context.clock.now())
            context = replace(runtime.context, clock=clock)
            run = await context.store.start_run("pack", {})
            row = a_call("c-1", run)
            event = EventDraft(kind="call.opened", facts={"owner": ELSEWHERE}, call="c-1")
            await context.store.commit(
                Changes(run=run, events=(event,), writes=(PutCall(row=row),))
            )
            (opening,) = [e async for e in context.store.events(call="c-1")]
            return await work(context, clock, row, opening.at)

    return asyncio.run(go())


def silence(context) -> float:
    """How long a living owner may be silent, in seconds."""
    return context.retry.max_total_s + GRACE_S


@pytest.mark.parametrize(("short_by", "waits"), [(0.0, False), (0.001, True)])
def test_an_owner_elsewhere_counts_as_gone_after_its_grace(tmp_path, short_by, waits):
    """At the end of the grace the call is free; a moment before, it is waited for."""

    async def work(context, clock, row, at):
        said = datetime.fromisoformat(at)
        clock.advance((said - clock.now()).total_seconds() + silence(context) - short_by)
        before = clock.now()
        await await_owner(context, row, attempts=5)
        return (clock.now() - before).total_seconds()

    waited = with_a_foreign_call(tmp_path, work)

    assert (POLL_S if waits else 0.0) == waited


def test_no_owner_is_waited_for_longer_than_its_attempts_may_take(tmp_path):
    """An owner that gives signs of life for ever is given up after all exchanges it may make."""

    async def work(context, clock, row, at):
        started = clock.now()

        async def sleep(seconds):
            clock.advance(seconds)
            event = EventDraft(kind="model.answered", call="c-1")
            await living.store.commit(Changes(run=row.run, events=(event,)))

        living = replace(context, clock=clock, retry=replace(context.retry, max_total_s=2.0))
        clock.sleep = sleep
        with pytest.raises(CallTakenError):
            await await_owner(living, row, attempts=1)
        return (clock.now() - started).total_seconds()

    waited = with_a_foreign_call(tmp_path, work)

    assert 2.0 + GRACE_S + POLL_S == pytest.approx(waited)
