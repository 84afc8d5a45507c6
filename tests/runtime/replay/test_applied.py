"""What went out beside a prompt is part of its replay."""

import asyncio

import pytest

from assay.runtime.replay.replay import Replayed
from assay.wiring import aopen
from tests.loopback import answer, openai_text, serving
from tests.runtime.tiny import FILES, GOOD, TEXT, tiny_pack

pytestmark = pytest.mark.clause("006-M1")

CONTRACT, SCHEMA = "contracts/triage.yaml", "contracts/triage.schema.json"
NO_SCHEMA = {"error": {"message": "response_format json_schema is not supported", "code": 400}}


def replayed(place, *behaviours, **changes: bytes) -> Replayed:
    """A call over a network, replayed under the pack with *changes*."""

    async def go() -> Replayed:
        with serving(*behaviours) as server:
            environ = {
                "OPENAI_API_KEY": "none",
                "OPENAI_BASE_URL": f"{server.url}/v1",
                "ASSAY_MASTER_KEY": "ab" * 32,
            }
            async with aopen(
                f"sqlite:///{place / 'assay.db'}", "openai:tiny", environ=environ
            ) as own:
                (outcome,) = [each async for each in own.run(tiny_pack(), [TEXT])]
                assert outcome.outcome.status == "accepted"
                return await own.replay(outcome.calls[0].call, tiny_pack(**changes))

    return asyncio.run(go())


def test_the_schema_that_went_out_comes_out_again(tmp_path):
    """Its digest is the one on record, and the replay says what else was asked for."""
    again = replayed(tmp_path, openai_text(GOOD))

    assert again.schema == "identical"
    assert not again.differs
    (applied,) = again.to_dict()["applied"]
    assert (applied["output_mode"], applied["strict"]) == ("schema", True)


def test_another_schema_is_a_difference(tmp_path):
    """A bound that prompt and verdict do not show was not what the provider was held to."""
    wider = FILES[SCHEMA].replace(b'"maxLength": 200', b'"maxLength": 201')

    again = replayed(tmp_path, openai_text(GOOD), **{"contracts/triage.schema__json": wider})

    assert (again.prompt, again.verdict, again.schema) == ("identical", "same", "differs")
    assert again.differs


def test_without_a_schema_there_is_none_to_compare(tmp_path):
    """The server refused it: the steps that were taken stand in its place."""
    again = replayed(tmp_path, answer(400, NO_SCHEMA), openai_text(GOOD))

    assert again.schema is None
    assert not again.differs
    (applied,) = again.applied
    assert applied["output_mode"] == "json"
    assert [each["parameter"] for each in applied["refused"]] == ["response_format"]
