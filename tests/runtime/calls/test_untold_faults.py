"""What an earlier version gave up on without asking whose fault it was."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest

from assay.adapters.models.scripted import ScriptedModel
from assay.runtime.calls import ledger
from assay.runtime.reviews.decision import Decision
from tests.runtime.tiny import GOOD, TEXT, opened, sent, tiny_pack

REFUSED = {"error": "bad_request"}


@pytest.fixture(autouse=True)
def _one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another script would be another model, and another call."""
    monkeypatch.setattr(ScriptedModel, "identity", {"kind": "scripted"})


async def run(place: Path, *replies) -> list[tuple[str, str | None]]:
    async with opened(place, *replies) as runtime:
        return [
            (done.outcome.status, done.outcome.reason)
            async for done in runtime.run(tiny_pack(), [TEXT])
        ]


@pytest.fixture
def settled_before(tmp_path: Path) -> Path:
    """A store with a refusal that was settled as the input's, and nobody had asked."""
    with mock.patch.object(ledger, "FAULT_OF", "of_an_earlier_version"):
        ended = asyncio.run(run(tmp_path, REFUSED, REFUSED))
    assert [("needs_review", "gave_up")] == ended
    return tmp_path


@pytest.mark.clause("006-M5")
def test_it_is_asked_again_by_the_same_command(settled_before):
    """A refused request of an earlier version is none of the input for certain."""
    (settled_before / "log.jsonl").unlink()

    assert [("accepted", None)] == asyncio.run(run(settled_before, GOOD))
    assert 1 == len(sent(settled_before))


@pytest.mark.clause("006-M5")
def test_a_version_that_named_the_failure_at_the_exchange_alone_is_no_other(tmp_path):
    """The first versions settled such a call without a word on why."""
    close = ledger.close

    async def close_without_facts(context, job, item, progress, stop):
        return await close(context, job, item, progress, replace(stop, facts={}))

    with mock.patch.object(ledger, "close", close_without_facts):
        assert [("needs_review", "gave_up")] == asyncio.run(run(tmp_path, REFUSED, REFUSED))
    (tmp_path / "log.jsonl").unlink()

    assert [("accepted", None)] == asyncio.run(run(tmp_path, GOOD))
    assert 1 == len(sent(tmp_path))


@pytest.mark.clause("006-M5")
def test_what_was_asked_about_stays_settled(tmp_path):
    """The same refusal settled today is the input's, and is not sent again."""
    assert [("needs_review", "gave_up")] == asyncio.run(run(tmp_path, REFUSED, REFUSED))
    (tmp_path / "log.jsonl").unlink()

    assert [("needs_review", "gave_up")] == asyncio.run(run(tmp_path, GOOD))
    assert [] == sent(tmp_path)


@pytest.mark.clause("006-M5")
def test_what_a_person_decided_stays_decided(settled_before):
    """Who looked at the case has told whose fault it is."""

    async def reject() -> None:
        async with opened(settled_before) as runtime:
            (review,) = await runtime.reviews()
            await runtime.decide(
                review.id, Decision(accept=False, reviewer="ann", reason="no text", output=None)
            )

    asyncio.run(reject())
    (settled_before / "log.jsonl").unlink()

    assert [("needs_review", "gave_up")] == asyncio.run(run(settled_before, GOOD))
    assert [] == sent(settled_before)
