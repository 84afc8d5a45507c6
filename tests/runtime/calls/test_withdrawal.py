"""A call that is asked again takes its older review with it when it settles."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from unittest import mock

import pytest

from assay.adapters.models.scripted import ScriptedModel
from assay.errors import ConflictError, ModelUnavailableError
from assay.protocols import ModelReply
from assay.runtime.calls import ledger
from assay.runtime.calls.budget import RunBudget
from assay.runtime.reviews.case import case_document, read_case
from assay.runtime.reviews.decision import Decision
from assay.wiring import aopen
from assay.wiring import open as opened_here
from tests import postgres
from tests.processes import PATIENCE_S, read_line, start_python
from tests.runtime.calls import slow_caller
from tests.runtime.calls.test_hold import HOLDING, LONG
from tests.runtime.tiny import FILES, GOOD, TEXT, UNKNOWN_LABEL, opened, script, tiny_pack

pytestmark = pytest.mark.clause("006-M2")

BAD = (UNKNOWN_LABEL, UNKNOWN_LABEL)
REFUSED = {"error": "bad_request"}
NO_KEY = {"error": "auth"}
REJECT = Decision(accept=False, reviewer="Ann", reason="no claim at all")
ACCEPT = Decision(accept=True, reviewer="Ann", reason="it is water", output=GOOD.encode())


@pytest.fixture(autouse=True)
def _one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another script would be another model, and another call."""
    monkeypatch.setattr(ScriptedModel, "identity", {"kind": "scripted"})


async def once(runtime, *, pack=None, text=TEXT, **how):
    """The outcome of one input."""
    (outcome,) = [each async for each in runtime.run(pack or tiny_pack(), [text], **how)]
    return outcome


async def queue(runtime):
    """Status by review, the oldest first."""
    return [(review.call, review.status) for review in await runtime.reviews(None)]


def test_an_accepted_call_leaves_no_review_behind(tmp_path):
    """The queue is empty, the old call tells which call withdrew its review; all is vouched for."""

    async def go():
        async with opened(tmp_path, *BAD, GOOD) as runtime:
            first = (await once(runtime)).calls[0].call
            (waiting,) = await runtime.reviews()
            second = (await once(runtime, again=True)).calls[0].call
            events = [event async for event in runtime.store.events(call=first)]
            (opening,) = [
                event async for event in runtime.store.events(call=second, kind="call.opened")
            ]
            assert [] == list(await runtime.reviews())
            assert [(first, "withdrawn")] == await queue(runtime)
            (row,) = await runtime.reviews("withdrawn")
            assert replace(waiting, status="withdrawn") == row
            assert "unanchored" == (await runtime.verify()).status
        return waiting.id, first, second, events, opening

    review, first, second, events, opening = asyncio.run(go())
    told = events[-1]

    assert ("review.withdrawn", {"review": review, "by": second}) == (told.kind, dict(told.facts))
    assert (events[0].subject, first) == (told.subject, told.call)
    assert {"call": first, "reviews": [review]} == opening.facts["instead_of"]


def test_a_call_that_ends_in_review_again_is_the_one_that_waits(tmp_path):
    """However often it is asked again, one review is open: that of the newest call."""

    async def go():
        async with opened(tmp_path, *BAD * 3) as runtime:
            calls = [(await once(runtime, again=True)).calls[0].call for _ in range(3)]
            return calls, await queue(runtime)

    calls, found = asyncio.run(go())

    assert list(zip(calls, ["withdrawn", "withdrawn", "open"], strict=True)) == found


def test_what_is_asked_for_the_first_time_is_instead_of_nothing(tmp_path):
    """Its opening, and that of a call whose review was decided, has the facts it always had."""

    async def go():
        async with opened(tmp_path, *BAD, GOOD, GOOD) as runtime:
            await once(runtime)
            (review,) = await runtime.reviews()
            await runtime.decide(review.id, REJECT)
            for _ in range(2):
                await once(runtime, again=True)
            return [e.facts async for e in runtime.store.events(kind="call.opened")]

    openings = asyncio.run(go())

    assert 3 == len(openings)
    assert not any("instead_of" in facts for facts in openings)


@pytest.mark.parametrize(("decision", "status"), [(REJECT, "rejected"), (ACCEPT, "accepted")])
def test_what_a_person_decided_stays_what_it_is(tmp_path, decision, status):
    """Also when they decided while the call was being asked again."""

    async def go():
        async with opened(tmp_path, *BAD) as runtime:
            await once(runtime)
            (review,) = await runtime.reviews()

            class Deciding:
                name = runtime.context.model.name
                identity = runtime.context.model.identity
                needs_plan = False

                async def complete(self, request):
                    await runtime.decide(review.id, decision, pack=tiny_pack(), original=TEXT)
                    return ModelReply(text=GOOD, finish_reason="stop")

                async def aclose(self):
                    return None

            asking = type(runtime)(context=replace(runtime.context, model=Deciding()))
            outcome = await once(asking, again=True)
            events = [e.kind async for e in runtime.store.events(kind="review.withdrawn")]
            return outcome, await queue(runtime), events, await runtime.verify()

    outcome, found, events, report = asyncio.run(go())

    assert "accepted" == outcome.outcome.status
    assert [status] == [each for _, each in found]
    assert [] == events
    assert "unanchored" == report.status


class Before:
    """A store in which a commit with a withdrawal is overtaken by *other*."""

    def __init__(self, store, other):
        self._store = store
        self._other = other

    def __getattr__(self, name):
        return getattr(self._store, name)

    async def commit(self, changes):
        if any(event.kind == "review.withdrawn" for event in changes.events):
            await self._other()
        return await self._store.commit(changes)


@pytest.mark.parametrize("held", [False, True])
def test_a_decision_at_the_same_moment_stands(tmp_path, held):
    """Nothing of the new call is lost: its outcome is committed without the withdrawal."""
    pack, text = (tiny_pack(pack__yaml=HOLDING), LONG) if held else (tiny_pack(), TEXT)
    replies = (GOOD, GOOD) if held else (*BAD, *BAD)

    async def go():
        async with opened(tmp_path, *replies) as runtime:
            await once(runtime, pack=pack, text=text)
            (review,) = await runtime.reviews()

            async def decide():
                if (await runtime.store.review(review.id)).status == "open":
                    await runtime.decide(review.id, REJECT)

            store = Before(runtime.store, decide)
            late = type(runtime)(context=replace(runtime.context, store=store))
            await once(late, pack=pack, text=text, again=True)
            return [each for _, each in await queue(runtime)], await runtime.verify()

    found, report = asyncio.run(go())

    assert ["rejected", "open"] == found
    assert "unanchored" == report.status


def test_a_withdrawn_review_cannot_be_decided(tmp_path):
    """Whoever tries is told which call counts, whatever they decide; nothing is recorded."""

    async def go():
        async with opened(tmp_path, *BAD, GOOD) as runtime:
            await once(runtime)
            (review,) = await runtime.reviews()
            second = (await once(runtime, again=True)).calls[0].call
            for decision in (REJECT, ACCEPT):
                with pytest.raises(ConflictError) as refused:
                    await runtime.decide(review.id, decision, pack=tiny_pack(), original=TEXT)
                assert f"asked again by call {second}" in refused.value.message
                assert f"see assay calls show {second}" == refused.value.hint
            case = await read_case(runtime.context, review.id)
            assert second == case.withdrawn_by == case_document(case)["withdrawn_by"]
            assert [] == [e async for e in runtime.store.events(kind="review.decided")]

    asyncio.run(go())


def test_a_refusal_that_nobody_asked_about_leaves_no_review_behind(tmp_path):
    """What an earlier version gave up on is asked again by the same command."""

    async def run(*replies):
        async with opened(tmp_path, *replies) as runtime:
            return (await once(runtime)).outcome.status, await queue(runtime)

    with mock.patch.object(ledger, "FAULT_OF", "of_an_earlier_version"):
        before, ((_, waiting),) = asyncio.run(run(REFUSED, REFUSED))
    after, ((_, withdrawn),) = asyncio.run(run(GOOD))

    assert ("needs_review", "open") == (before, waiting)
    assert ("accepted", "withdrawn") == (after, withdrawn)


def test_a_call_that_had_no_budget_leaves_no_review_behind(tmp_path):
    """A run's budget kept it from being sent; another run has room."""

    async def go():
        async with opened(tmp_path, GOOD) as runtime:
            short = await once(runtime, budget=RunBudget(max_total_tokens=1))
            waiting = await queue(runtime)
            enough = await once(runtime)
            return short, waiting, enough, await queue(runtime)

    short, waiting, enough, found = asyncio.run(go())

    assert ("budget.exceeded", "accepted") == (short.outcome.reason, enough.outcome.status)
    assert ["open"] == [each for _, each in waiting]
    assert ["withdrawn"] == [each for _, each in found]


def test_a_resumed_call_withdraws_what_it_was_asked_instead_of(tmp_path):
    """The old review waits while the new call is open, and goes when that settles."""

    async def go(*replies, again=False):
        async with opened(tmp_path, *replies) as runtime:
            with suppress(ModelUnavailableError):
                await once(runtime, again=again)
            return [status for _, status in await queue(runtime)]

    assert ["open"] == asyncio.run(go(*BAD))
    assert ["open"] == asyncio.run(go(NO_KEY, again=True))
    assert ["withdrawn"] == asyncio.run(go(GOOD))


@pytest.mark.chaos
def test_a_process_that_was_killed_leaves_the_review_to_who_takes_the_call_over(tmp_path):
    """After kill -9 in the middle of an exchange the old review is open; the next run ends it."""
    url = f"sqlite:///{tmp_path / 'assay.db'}"

    class Wrong(slow_caller.Slow):
        async def complete(self, request):
            return ModelReply(text=UNKNOWN_LABEL, finish_reason="stop")

    async def bring_into_review():
        async with aopen(url, "none", environ={}) as runtime:
            await once(type(runtime)(context=replace(runtime.context, model=Wrong())))

    def statuses():
        with opened_here(url, "none", environ={}) as runtime:
            return [review.status for review in runtime.reviews(None)], runtime.verify().status

    asyncio.run(bring_into_review())
    words = (slow_caller.__file__, str(tmp_path))
    with start_python(*words, "--again") as first:
        assert read_line(first).startswith("asked ")
        first.kill()
    assert (["open"], "unanchored") == statuses()
    with start_python(*words) as second:
        assert read_line(second).startswith("asked ")
        out, errors = second.communicate("answer\n", timeout=PATIENCE_S)

    assert out.startswith("accepted "), errors
    assert (["withdrawn"], "unanchored") == statuses()


def test_the_hold_of_an_input_goes_with_its_call(tmp_path):
    """What was cut is asked about once: for the outputs that stand."""
    pack = tiny_pack(pack__yaml=HOLDING)

    async def go():
        async with opened(tmp_path, GOOD, GOOD) as runtime:
            calls = [
                (await once(runtime, pack=pack, text=LONG, again=True)).calls[0].call
                for _ in range(2)
            ]
            return calls, await queue(runtime), (await runtime.verify()).status

    calls, found, status = asyncio.run(go())

    assert list(zip(calls, ["withdrawn", "open"], strict=True)) == found
    assert "unanchored" == status


def _two_contracts():
    """`triage` twice in one flow, each of them cut."""
    second = FILES["contracts/triage.yaml"].replace(b"template: triage", b"template: second")
    return tiny_pack(
        pack__yaml=HOLDING.replace(b"[triage]", b"[triage, second]"),
        contracts__second__yaml=second,
        templates__second__md=FILES["templates/triage.md"]
        .replace(b"name: triage", b"name: second")
        .replace(b"one JSON object", b"one JSON object, again"),
    )


@pytest.mark.parametrize("decided", [False, True])
def test_a_hold_that_other_calls_share_is_withdrawn_too(tmp_path, decided):
    """A call that could not be sent before is cut as well: the hold is about both now."""
    pack = _two_contracts()

    async def go():
        async with opened(tmp_path, GOOD, GOOD) as runtime:
            first = await once(
                runtime, pack=pack, text=LONG, budget=RunBudget(max_output_tokens=100)
            )
            holds = [r for r in await runtime.reviews() if r.reason == "input.shortened"]
            if decided:
                await runtime.decide(holds[0].id, replace(ACCEPT, output=None))
            second = await once(runtime, pack=pack, text=LONG)
            events = [e async for e in runtime.store.events(kind="review.withdrawn")]
            return first, second, await runtime.reviews(None), events, await runtime.verify()

    first, second, reviews, events, report = asyncio.run(go())

    assert ["accepted", "needs_review"] == [call.outcome.status for call in first.calls]
    assert ["accepted", "accepted"] == [call.outcome.status for call in second.calls]
    assert [
        ("budget.exceeded", "withdrawn"),
        ("input.shortened", "accepted" if decided else "withdrawn"),
        ("input.shortened", "open"),
    ] == [(review.reason, review.status) for review in reviews]
    assert {second.calls[1].call} == {event.facts["by"] for event in events}
    assert "unanchored" == report.status


@asynccontextmanager
async def _on(url, folder, *replies):
    async with aopen(url, script(folder, *replies), environ={}) as runtime:
        yield runtime


def test_reviews_are_withdrawn_in_postgresql_too(tmp_path):
    """The same transaction, and deciders who come late are refused there as well."""

    async def go(url):
        async with _on(url, tmp_path, *BAD, *BAD) as runtime:
            await once(runtime)
            (review,) = await runtime.reviews()
            second = (await once(runtime, again=True)).calls[0].call
            with pytest.raises(ConflictError, match=second):
                await runtime.decide(review.id, REJECT)
            return [status for _, status in await queue(runtime)], await runtime.verify()

    try:
        with postgres.running() as server, server.database() as url:
            found, report = asyncio.run(go(url))
    except postgres.NoServer as reason:
        reason.end_test()

    assert ["withdrawn", "open"] == found
    assert "unanchored" == report.status
