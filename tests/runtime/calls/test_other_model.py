"""A contract that lists models is not answered by another one, today or in a replay."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from assay.contract.exchange import exchange_findings
from tests.runtime.tiny import FILES, GOOD, TEXT, opened, tiny_pack

pytestmark = pytest.mark.clause("006-M2")


def frozen_to(*patterns: str) -> bytes:
    """The tiny contract, declared for these models."""
    listed = json.dumps(list(patterns)).encode()
    return FILES["contracts/triage.yaml"].replace(b'models: ["*"]', b"models: " + listed)


def reply(model: str) -> dict[str, object]:
    """A good reply that *model* is said to have given."""
    return {"text": GOOD, "finish_reason": "stop", "model": model}


def ended(place: Path, patterns: Sequence[str], *models: str) -> tuple[str, list[str], str]:
    """Outcome, the codes of all attempts, and the verdict of a replay.

    Args:
        patterns: The models that the contract lists.
        models: Those that are said to have answered.
    """
    pack = tiny_pack(contracts__triage__yaml=frozen_to(*patterns))

    async def go() -> tuple[str, list[str], str]:
        async with opened(place, *map(reply, models)) as runtime:
            (outcome,) = [each async for each in runtime.run(pack, [TEXT])]
            call = outcome.calls[0].call
            events = (await runtime.call(call))["events"]
            judged = [event["facts"] for event in events if event["kind"] == "output.judged"]
            found = [finding["code"] for facts in judged for finding in facts["findings"]]
            replayed = await runtime.replay(call, pack, original=TEXT)
            return outcome.outcome.status, found, replayed.verdict

    return asyncio.run(go())


def test_a_reply_of_a_model_that_is_not_listed_is_refused_and_replays_so(tmp_path):
    """The text is good; the model was never tried with this contract."""
    answered = ["cheap-fallback-7b", "other-8b"]

    assert ("needs_review", ["output.other_model"] * 2, "same") == ended(
        tmp_path, ["*/replies.jsonl"], *answered
    )


def test_the_next_attempt_may_be_answered_by_the_model_that_was_asked(tmp_path):
    """A router that fell back once does not send the input to a person."""
    answered = ["cheap-fallback-7b", "replies.jsonl"]

    assert ("accepted", ["output.other_model"], "same") == ended(
        tmp_path, ["scripted:*.jsonl"], *answered
    )


@pytest.mark.parametrize("patterns", [["*"], ["scripted:*"], ["*.jsonl", "cheap-*"]])
def test_what_a_pattern_of_the_contract_matches_is_no_other_model(tmp_path, patterns):
    """With `*` any model may answer; its name stands on record."""
    answered = ["cheap-fallback-7b"]

    assert ("accepted", [], "same") == ended(tmp_path, patterns, *answered)


def test_a_provider_that_reports_no_name_contradicts_nothing():
    """Many servers report none."""
    answered = {"model_name": "openai:m", "provider_model": ""}
    assert exchange_findings(answered, ["m"]) == ()


def test_a_name_that_is_no_name_is_not_repeated():
    """What a server writes there may be anything."""
    answered = {"model_name": "openai:m", "provider_model": "x\n{{secret}}"}
    (finding,) = exchange_findings(answered, ["m"])
    assert "secret" not in finding.message
