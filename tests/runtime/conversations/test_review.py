"""A person decides a refused stage: what becomes of its session."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from assay.errors import ConflictError, NotAllowedError
from assay.runtime.reviews.decision import Decision
from tests.command import assay
from tests.packs.talk import (
    SESSION,
    changed,
    detected,
    inquiry,
    low,
    prompts,
    said,
    selected,
    services,
    small_talk,
    talking,
)
from tests.runtime.conversations.cafe import HEAR, SERVE, cafe, order, prepare

MESSAGE = "I am ill and need insurance"
BAD = changed(detected("cms"), "judgements.agencyCount", 7)
REFUSED = [inquiry(), BAD, BAD, BAD]


def accepting(output: Any) -> Decision:
    return Decision(accept=True, reviewer="R. Weber", reason="seen", output=said(output).encode())


REJECTING = Decision(accept=False, reviewer="R. Weber", reason="no")


def run(folder: Path, replies: list[Any], work: Any) -> Any:
    async def inside() -> Any:
        async with talking(folder, *replies) as runtime:
            return await work(runtime)

    return asyncio.run(inside())


async def the_review(runtime: Any) -> str:
    (review,) = await runtime.reviews()
    return str(review.id)


@pytest.mark.clause("003-C5", "003-O4")
def test_an_accepted_output_is_merged_and_the_turn_goes_on(tmp_path):
    """The state is what a good reply would have made; the same message takes the turn up."""

    async def work(runtime):
        refused = await runtime.chat(services(), SESSION, MESSAGE)
        assert refused.outcome.status == "needs_review"
        decided = await runtime.decide(
            await the_review(runtime), accepting(detected("cms")), pack=services()
        )
        between = await runtime.session(SESSION)
        ended = await runtime.chat(services(), SESSION, MESSAGE)
        return decided, between, ended, (await runtime.verify()).status

    decided, between, ended, verified = run(tmp_path, [*REFUSED, *low()[2:]], work)
    assert (decided.review.status, decided.session.stage) == ("accepted", "category_select_v1")
    assert between["cached_state"]["agency_detect_v1"] == detected("cms")["judgements"]
    assert between["session"]["status"] == "turning"
    assert between["summary"] == []
    assert (ended.outcome.status, ended.turn) == ("accepted", 1)
    assert [step.outcome for step in ended.stages] == ["accepted"] * 4
    assert ended.reply == "Have a look at Medicaid: https://www.medicaid.gov/"
    assert len(prompts(tmp_path)) == 6
    assert verified == "unanchored"


def test_a_reply_under_the_id_of_a_decided_output_is_not_new(tmp_path):
    """The response id of what a person handed in is remembered like a model's."""

    async def work(runtime):
        await runtime.chat(services(), SESSION, MESSAGE)
        await runtime.decide(
            await the_review(runtime), accepting(detected("cms", response="r2")), pack=services()
        )
        return await runtime.chat(services(), SESSION, MESSAGE)

    ended = run(tmp_path, [*REFUSED, *[low()[2]] * 3], work)
    assert ended.outcome.status == "needs_review"
    assert "rule.response_is_new" in {finding["code"] for finding in ended.findings}


def test_the_last_stage_accepted_ends_the_turn(tmp_path):
    """The reply is there, and the summary tells it to the next turn once."""
    bad = changed(selected("cms-medicaid"), "serviceSelection.path", "elsewhere")

    async def work(runtime):
        await runtime.chat(services(), SESSION, MESSAGE)
        await runtime.decide(
            await the_review(runtime), accepting(selected("cms-medicaid")), pack=services()
        )
        return await runtime.session(SESSION)

    shown = run(tmp_path, [*low()[:3], bad, bad, bad], work)
    assert (shown["session"]["status"], shown["turn"]["outcome"]) == ("idle", "accepted")
    assert shown["turn"]["reply"] == "Have a look at Medicaid: https://www.medicaid.gov/"
    assert [item["reply"] for item in shown["summary"]] == [shown["turn"]["reply"]]


def test_a_rejected_case_leaves_the_state_untouched(tmp_path):
    """Not one field of the session changes."""

    async def work(runtime):
        await runtime.chat(services(), SESSION, MESSAGE)
        before = await runtime.session(SESSION)
        decided = await runtime.decide(await the_review(runtime), REJECTING)
        return before, await runtime.session(SESSION), decided

    before, after, decided = run(tmp_path, REFUSED, work)
    assert decided.review.status == "rejected"
    assert before == after
    assert set(after["cached_state"]) == {"session_id", "judgement_v1"}


@pytest.mark.parametrize(
    ("output", "code"),
    [
        (BAD, "rule.agency_count"),
        (detected("cms") | {"service_select_v1": {}}, "schema.additionalProperties"),
        (changed(detected("cms"), "session_id", "x"), "session.mismatch"),
        (changed(detected("cms"), "judgements.agencyInfo.0.path", "x"), "label.unknown"),
    ],
)
def test_what_a_person_hands_in_passes_the_same_gate(tmp_path, output, code):
    """A refused correction records nothing: the review stays open, the session as it was."""

    async def work(runtime):
        await runtime.chat(services(), SESSION, MESSAGE)
        before = await runtime.session(SESSION)
        decided = await runtime.decide(
            await the_review(runtime), accepting(output), pack=services()
        )
        assert before == await runtime.session(SESSION)
        return decided

    decided = run(tmp_path, REFUSED, work)
    assert not decided.taken
    assert code in {finding.code for finding in decided.weighed.findings}


def test_a_session_that_went_on_is_left_alone(tmp_path):
    """After another turn the decision is recorded, and the state of that turn stays."""

    async def work(runtime):
        await runtime.chat(services(), SESSION, MESSAGE)
        await runtime.chat(services(), SESSION, "hello")
        before = await runtime.session(SESSION)
        decided = await runtime.decide(
            await the_review(runtime), accepting(detected("cms")), pack=services()
        )
        return before, await runtime.session(SESSION), decided

    before, after, decided = run(tmp_path, [*REFUSED, small_talk()], work)
    assert (decided.review.status, decided.session) == ("accepted", None)
    assert before == after


def test_a_review_is_decided_once(tmp_path):
    """The second decision conflicts, and the session is not moved again."""

    async def work(runtime):
        await runtime.chat(services(), SESSION, MESSAGE)
        review = await the_review(runtime)
        await runtime.decide(review, accepting(detected("cms")), pack=services())
        before = await runtime.session(SESSION)
        with pytest.raises(ConflictError):
            await runtime.decide(review, accepting(detected("cms")), pack=services())
        assert before == await runtime.session(SESSION)

    run(tmp_path, REFUSED, work)


def test_rules_and_guards_of_the_graph_hold_for_a_person_too(tmp_path):
    """What the stage adds to its contract is judged, and the right step of a loop is found."""

    async def work(runtime):
        await runtime.chat(cafe(), SESSION, "Un café")
        review = await the_review(runtime)
        late = await runtime.decide(review, accepting(prepare(90)), pack=cafe())
        with pytest.raises(NotAllowedError):
            await runtime.decide(review, accepting(prepare(9)), pack=services())
        decided = await runtime.decide(review, accepting(prepare(9)), pack=cafe())
        return late, decided, await runtime.chat(cafe(), SESSION, "Un café")

    loop = [order("Café solo"), prepare(5, "otra"), order("Chocolate"), prepare(99), prepare(99)]
    late, decided, ended = run(tmp_path, [HEAR, *loop, SERVE], work)
    assert [finding.code for finding in late.weighed.findings] == ["rule.minutos"]
    assert (decided.session.stage, decided.session.step) == ("servir", 5)
    assert ended.reply == "Aquí tiene."
    assert ended.cached_state["preparar"] == {"minutos": 9}


def test_a_stage_behind_a_shut_guard_cannot_be_accepted(tmp_path):
    """A guard that does not hold is a finding for a person as well."""

    async def work(runtime):
        await runtime.chat(cafe(), SESSION, "Un café")
        return await runtime.decide(await the_review(runtime), accepting(prepare(9)), pack=cafe())

    decided = run(tmp_path, [HEAR, order()], work)
    assert not decided.taken
    assert [finding.code for finding in decided.weighed.findings] == ["rule.preparar.guard"]


def test_the_command_moves_the_session(tmp_path):
    """`assay review decide` prints where the session stands now."""

    async def work(runtime):
        await runtime.chat(services(), SESSION, MESSAGE)
        return await the_review(runtime)

    review = run(tmp_path, REFUSED, work)
    decide = ("review", "decide", review, "--accept", "--output", "-", "--reason", "seen")
    store = ("--store", "sqlite:///assay.db", "--json")
    done = assay(tmp_path, *decide, *store, stdin=said(detected("cms")).encode())

    assert (done.code, done.document["session"]["next_stage"]) == (0, "category_select_v1")
