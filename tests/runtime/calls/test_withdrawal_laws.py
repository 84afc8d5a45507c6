"""Whatever is asked, asked again, cut off and decided: one review waits, or none."""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import ModelUnavailableError
from assay.protocols import ModelReply
from assay.runtime.reviews.decision import Decision
from tests.runtime.tiny import GOOD, TEXT, UNKNOWN_LABEL, opened, tiny_pack

REJECT = Decision(accept=False, reviewer="Ann", reason="no claim at all")
STEPS = st.lists(
    st.sampled_from(["bad", "good", "off", "again bad", "again good", "again off", "decide"]),
    max_size=8,
)


class Moody:
    """Answers as its mood is."""

    name = "moody:1"
    needs_plan = False
    identity: ClassVar = {"kind": "test"}
    mood = "good"

    async def complete(self, request):
        if self.mood == "off":
            raise ModelUnavailableError("the line is dead")
        text = GOOD if self.mood == "good" else UNKNOWN_LABEL
        return ModelReply(text=text, finish_reason="stop")

    async def aclose(self):
        return None


async def take(runtime, step):
    if step == "decide":
        for review in await runtime.reviews():
            await runtime.decide(review.id, REJECT)
        return
    runtime.context.model.mood = step.rpartition(" ")[2]
    with suppress(ModelUnavailableError):
        async for _ in runtime.run(tiny_pack(), [TEXT], again=step.startswith("again")):
            pass


async def check(runtime):
    """The newest settled call has a review when it ended in one; no other call has an open one."""
    settled = [row for row in await runtime.calls() if row.status == "settled"]
    reviews = await runtime.reviews(None)
    newest = settled[:1]
    waiting = [review.call for review in reviews if review.status == "open"]
    own = [review.status for review in reviews if newest and review.call == newest[0].id]

    assert waiting in ([], [row.id for row in newest])
    assert own in ([], ["open"], ["rejected"])
    assert len(own) == sum(row.outcome == "needs_review" for row in newest)


@pytest.mark.clause("006-M2")
@settings(max_examples=60, deadline=None)
@given(steps=STEPS)
def test_at_most_the_newest_call_waits_for_a_person(steps):
    """After every step, and the record holds in the end."""

    async def go(folder):
        async with opened(folder) as opening:
            runtime = type(opening)(context=replace(opening.context, model=Moody()))
            for step in steps:
                await take(runtime, step)
                await check(runtime)
            assert "unanchored" == (await runtime.verify()).status

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(go(Path(folder)))
