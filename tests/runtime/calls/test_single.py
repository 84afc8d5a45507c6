"""One contract of a pack, without the rest of its flow."""

from __future__ import annotations

import asyncio

import pytest

from assay.errors import InputError, NotFoundError
from assay.runtime.calls.budget import RunBudget
from assay.runtime.calls.inputs import read_item
from assay.runtime.calls.single import require_single, run_contract
from assay.wiring import load_pack
from tests.runtime.tiny import GOOD, TEXT, opened, tiny_pack

PACK = tiny_pack()


def entry(runtime, data=TEXT):
    return read_item("input-1", data, PACK.source, runtime.context.redactor)


async def ask(runtime, data=TEXT, **more):
    return await run_contract(
        runtime.context, PACK, "triage", entry(runtime, data), budget=RunBudget(), **more
    )


@pytest.mark.clause("009-O1")
def test_it_is_the_call_that_the_flow_makes(tmp_path):
    """The same key: what one settled the other finds; the run says what else was asked."""

    async def both():
        async with opened(tmp_path, GOOD) as runtime:
            first = await ask(runtime, asked={"model": "m"})
            (second,) = [each async for each in runtime.run(PACK, [entry(runtime)])]
            return first, second, [event async for event in runtime.store.events(run=1)]

    first, second, events = asyncio.run(both())

    assert ("accepted", "accepted", True) == (
        first.outcome.status,
        second.outcome.status,
        second.reused,
    )
    assert [call.call for call in first.calls] == [call.call for call in second.calls]
    assert {"model": "m"} == events[0].facts["asked"]
    assert "run.ended" == events[-1].kind


@pytest.mark.clause("009-O4")
def test_an_input_that_cannot_be_read_names_its_review(tmp_path):
    """Once: the second time it is the same case."""

    async def twice():
        async with opened(tmp_path, GOOD) as runtime:
            return [await ask(runtime, b"\xff") for _ in range(2)], await runtime.reviews()

    outcomes, (review,) = asyncio.run(twice())

    assert [review.id] * 2 == [each.review for each in outcomes]


@pytest.mark.clause("009-O1")
@pytest.mark.parametrize(
    ("pack", "name", "error"),
    [
        ("grants", "document", InputError),
        ("grants", "nothing", NotFoundError),
        ("services", "", InputError),
    ],
)
def test_what_cannot_be_asked_alone_is_refused(pack, name, error):
    """It takes earlier results, is no contract, or is a stage."""
    found = load_pack(pack)
    with pytest.raises(error):
        require_single(found, name or min(found.contracts))
