"""The human queue: decisions are events, and what a person hands in passes the gate."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from assay.errors import ConflictError, InputError, NotAllowedError
from assay.runtime.reviews.decision import Decision
from tests.runtime.tiny import FILES, GOOD, TEXT, UNKNOWN_LABEL, opened, tiny_pack

ACCEPT = Decision(accept=True, reviewer="Ann", reason="the label is water", output=GOOD.encode())
REJECT = Decision(accept=False, reviewer="Ann", reason="no claim at all")


def decided(folder, decision, *, pack=None, original=TEXT, environ=None, twice=False):
    """Bring TEXT into review, take the decision, give back what stands on record."""

    async def go():
        async with opened(folder, UNKNOWN_LABEL, UNKNOWN_LABEL, environ=environ) as runtime:
            async for _ in runtime.run(tiny_pack(), [TEXT]):
                pass
            (review,) = await runtime.reviews()
            result = await runtime.decide(
                review.id, decision, pack=pack or tiny_pack(), original=original
            )
            if twice:
                await runtime.decide(review.id, REJECT)
            after = [outcome async for outcome in runtime.run(tiny_pack(), [TEXT])]
            events = [event async for event in runtime.store.events(kind="review.decided")]
            report = await runtime.verify()
        return result, after[0], events, report

    return asyncio.run(go())


def test_an_accepted_correction_becomes_the_result(tmp_path):
    """A corrected output that passes the gate is the outcome from then on, by name and reason."""
    result, after, (event,), report = decided(tmp_path, ACCEPT)

    assert ("accepted", "Ann") == (result.review.status, event.facts["reviewer"])
    assert "accepted" == after.outcome.status
    assert "water" == after.result["triage"]["label"]
    assert "unanchored" == report.status


def test_a_correction_that_fails_the_gate_is_not_taken(tmp_path):
    """A person's output is weighed like a model's: with a false quote the case stays open."""
    false_quote = Decision(
        accept=True, reviewer="Ann", reason="hm", output=GOOD.replace("cellar", "attic").encode()
    )
    result, after, events, _ = decided(tmp_path, false_quote)

    assert not result.taken
    assert ["evidence.not_found"] == [finding.code for finding in result.weighed.findings]
    assert [] == events
    assert "needs_review" == after.outcome.status


def test_a_rejection_closes_the_case_and_keeps_the_outcome(tmp_path):
    """A rejected case leaves the queue; its call stays one without a result."""
    result, after, (event,), _ = decided(tmp_path, REJECT)

    assert "rejected" == result.review.status == event.facts["decision"]
    assert "needs_review" == after.outcome.status


def test_a_case_is_decided_once(tmp_path):
    """A second decision on the same case is a conflict, and changes nothing."""
    with pytest.raises(ConflictError):
        decided(tmp_path, ACCEPT, twice=True)


def test_another_contract_cannot_be_slipped_in(tmp_path):
    """To accept under a contract other than the recorded one is not allowed."""
    other = tiny_pack(labels__yaml=FILES["labels.yaml"].replace(b"fire", b"frost"))
    with pytest.raises(NotAllowedError):
        decided(tmp_path, ACCEPT, pack=other)


def test_another_input_cannot_be_slipped_in(tmp_path):
    """The file handed in as the original must have the recorded digest."""
    with pytest.raises(InputError):
        decided(tmp_path, ACCEPT, original=TEXT + b" And fire.")


def test_without_the_texts_nothing_can_be_accepted(tmp_path):
    """Texts are not kept without a master key; a decision then needs the original."""
    with pytest.raises(InputError):
        decided(tmp_path, ACCEPT, original=None)


def test_with_a_master_key_the_texts_are_at_hand(tmp_path):
    """With a master key the source texts are kept, encrypted, and a reviewer needs no file."""
    key = {"ASSAY_MASTER_KEY": "00" * 32}
    result, _, _, _ = decided(tmp_path, ACCEPT, original=None, environ=key)

    assert result.taken
    assert b"water in the cellar" not in (tmp_path / "assay.db").read_bytes()


def test_a_decision_names_its_reviewer_and_reason():
    """A decision without a name or a reason is refused before anything is looked up."""
    with pytest.raises(InputError):
        Decision(accept=False, reviewer=" ", reason="x")
    with pytest.raises(InputError):
        Decision(accept=False, reviewer="Ann", reason="")


class Overtaken:
    """A store in which others are faster for the first *times* commits of a decision."""

    def __init__(self, store, times, other=None):
        self._store = store
        self.left = times
        self._other = other

    def __getattr__(self, name):
        return getattr(self._store, name)

    async def commit(self, changes):
        if self.left and any(event.kind == "review.decided" for event in changes.events):
            self.left -= 1
            if self._other is None:
                raise ConflictError("a turn was stored first")
            await self._other()
        return await self._store.commit(changes)


def overtaken(folder, times, *, by_a_person=False):
    """Accept the case of TEXT while others come in between; how it went, and what is on record."""

    async def go():
        async with opened(folder, UNKNOWN_LABEL, UNKNOWN_LABEL) as runtime:
            async for _ in runtime.run(tiny_pack(), [TEXT]):
                pass
            (review,) = await runtime.reviews()

            async def other():
                await runtime.decide(review.id, REJECT)

            store = Overtaken(runtime.store, times, other if by_a_person else None)
            late = type(runtime)(context=replace(runtime.context, store=store))
            try:
                done = await late.decide(review.id, ACCEPT, pack=tiny_pack(), original=TEXT)
                said = done.review.status
            except ConflictError as error:
                said = str(error)
            events = [event async for event in runtime.store.events(kind="review.decided")]
            return said, [event.facts["decision"] for event in events], store.left

    return asyncio.run(go())


@pytest.mark.parametrize("times", [1, 2])
def test_a_decision_is_made_again_when_a_turn_came_in_between(tmp_path, times):
    """While the case is open, being overtaken is no reason to ask the person once more."""
    assert ("accepted", ["accepted"], 0) == overtaken(tmp_path, times)


def test_a_decision_is_given_up_after_three_tries(tmp_path):
    """Nothing is recorded then, and the person is told to decide again."""
    said, decisions, left = overtaken(tmp_path, 9)

    assert "other turns of the session came in between" in said
    assert ([], 6) == (decisions, left)


def test_who_decides_second_is_told_so_at_once(tmp_path):
    """When another person's decision came in between, theirs stands and no further try is made."""
    said, decisions, _ = overtaken(tmp_path, 1, by_a_person=True)

    assert "was decided already" in said
    assert ["rejected"] == decisions
