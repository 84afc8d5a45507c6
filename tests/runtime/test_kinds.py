"""The three kinds of call go one way: recorded, replayed, put to a candidate, decided."""

import asyncio
import json
from dataclasses import replace

import pytest

from assay.errors import InputError, IntegrityError
from assay.gate.gate import RULES_VERSION
from assay.redaction.redactor import Redactor
from assay.runtime.kinds import KINDS, kind_of
from assay.runtime.replay.backtest import Candidate, backtest
from assay.runtime.replay.kept import kept_call
from assay.runtime.replay.replay import replay
from assay.runtime.reviews.decision import Decision
from assay.wiring import load_pack
from tests.runtime.answers.test_ask import GOOD, KEY, QUESTION, WRONG, bundle, own_pack
from tests.runtime.conversations.cafe import NOTHING, cafe
from tests.runtime.tiny import FILES, TEXT, UNKNOWN_LABEL, opened, tiny_pack
from tests.runtime.tiny import GOOD as LABEL

TAKE = {"accept": True, "reviewer": "r", "reason": "seen"}


def in_a_runtime(folder, work, *replies, environ=KEY):
    async def go():
        async with opened(folder, *replies, environ=environ) as runtime:
            return await work(runtime)

    return asyncio.run(go())


async def one_of_each(runtime):
    """A call of each kind, the newest first: an answer, a stage, a contract."""
    _ = [outcome async for outcome in runtime.run(tiny_pack(), [TEXT])]
    await runtime.chat(cafe(), message="Hola")
    await runtime.ask(QUESTION, bundle=bundle())
    return await runtime.calls()


def test_the_kind_stands_on_the_row_and_in_the_record(tmp_path):
    """Each call says what it asks for, on its row and in the event that opened it."""

    async def work(runtime):
        rows = await one_of_each(runtime)
        opened = [e async for e in runtime.store.events(kind="call.opened")]
        return [row.kind for row in rows], [event.facts["kind"] for event in opened]

    rows, events = in_a_runtime(tmp_path, work, LABEL, json.dumps(NOTHING), GOOD)

    assert ["answer", "stage", "contract"] == rows
    assert rows == events[::-1]


def test_a_verdict_names_rules_and_library(tmp_path):
    """Every judgement on record says the version of the rules, and of the library beside it."""

    async def work(runtime):
        await one_of_each(runtime)
        judged = [e async for e in runtime.store.events(kind="output.judged")]
        return [(e.facts["rules"], e.facts["library"]) for e in judged], runtime.context.library

    judged, library = in_a_runtime(tmp_path, work, LABEL, json.dumps(NOTHING), GOOD)

    assert judged
    assert {(RULES_VERSION, library)} == set(judged)


def test_a_kind_that_does_not_exist_is_no_call(tmp_path):
    """A row whose kind is none was edited: it is refused and not taken for a contract."""

    async def work(runtime):
        await one_of_each(runtime)
        (newest, *_) = await runtime.calls()
        return await kept_call(runtime.store, newest.id)

    kept = in_a_runtime(tmp_path, work, LABEL, json.dumps(NOTHING), GOOD)

    with pytest.raises(IntegrityError):
        kind_of(replace(kept, kind="oracle"))


@pytest.mark.parametrize(
    ("then", "cause"),
    [({"rules": None}, "rules"), ({"rules": RULES_VERSION}, "unexplained")],
)
def test_a_changed_verdict_has_a_cause(tmp_path, then, cause):
    """Under the same contract another version of the rules is the cause; else nothing is known."""

    async def work(runtime):
        (*_, contract) = await one_of_each(runtime)
        return await kept_call(runtime.store, contract.id)

    kept = in_a_runtime(tmp_path, work, LABEL, json.dumps(NOTHING), GOOD)
    job = KINDS[kept.kind].job.restore(kept, lambda _: tiny_pack(), Redactor())
    assert (None, "same") == (replay(kept, job).cause, replay(kept, job).verdict)

    (attempt,) = kept.attempts
    attempt.judged = {"verdict": "rejected", "findings": [], **then}
    again = replay(kept, job)

    assert ("changed", cause) == (again.verdict, again.cause)
    assert {"recorded": then["rules"], "now": RULES_VERSION} == again.to_dict()["rules"]


def test_another_finding_is_another_verdict(tmp_path):
    """A reply that is accepted as it was, but for other reasons, is not judged the same."""

    async def work(runtime):
        (*_, contract) = await one_of_each(runtime)
        return await kept_call(runtime.store, contract.id)

    kept = in_a_runtime(tmp_path, work, LABEL, json.dumps(NOTHING), GOOD)
    job = KINDS[kept.kind].job.restore(kept, lambda _: tiny_pack(), Redactor())
    (attempt,) = kept.attempts
    note = {"code": "rule.seen", "severity": "note"}
    attempt.judged = {"verdict": "accepted", "findings": [note], "rules": RULES_VERSION}

    assert "changed" == replay(kept, job).verdict


def test_a_changed_contract_is_the_cause_of_a_changed_verdict(tmp_path):
    """A label taken out of the pack since: the contract is named, not the rules."""
    fewer = b"kind:\n  fire: Fire.\n"

    async def work(runtime):
        (*_, contract) = await one_of_each(runtime)
        return await runtime.replay(contract.id, tiny_pack(labels__yaml=fewer))

    again = in_a_runtime(tmp_path, work, LABEL, json.dumps(NOTHING), GOOD)

    assert ("changed", "contract") == (again.verdict, again.cause)


def test_an_answer_is_recorded_under_its_packs_own_name(tmp_path):
    """Name, version and template of a copied pack stand on record, whatever it was copied from."""
    mine = own_pack(tmp_path / "mine", '["scripted:*"]')
    mine = replace(mine, name="library", version="3.1")

    async def work(runtime):
        told = await runtime.ask(QUESTION, bundle=bundle(), pack=mine)
        kept = await kept_call(runtime.store, told.call)
        return kept, await runtime.replay(told.call)

    kept, again = in_a_runtime(tmp_path, work, GOOD)

    assert ("library/answer", "3.1") == (kept.reference, kept.opened["pack_version"])
    assert "library" == kept.snapshot["template"]["role"]
    assert ("identical", "same", "same") == (again.prompt, again.verdict, again.contract)


def test_an_answer_is_decided_without_its_pack(tmp_path):
    """The record holds all that an answer was made of: no folder is needed to decide it."""
    mine = replace(own_pack(tmp_path / "mine", '["scripted:*"]'), name="library")

    async def work(runtime):
        await runtime.ask(QUESTION, bundle=bundle(), pack=mine)
        (review,) = await runtime.reviews()
        return await runtime.decide(review.id, Decision(**TAKE, output=GOOD.encode()))

    decided = in_a_runtime(tmp_path, work, WRONG, WRONG)

    assert "accepted" == decided.review.status
    assert GOOD == decided.result["answer"]


def test_answers_are_put_to_a_candidate(tmp_path):
    """A policy under which no chunk is near enough turns an accepted answer; its own turns none."""
    mine = replace(own_pack(tmp_path / "mine", '["scripted:*"]'), name="library")
    (name, policy), *_ = mine.policies.items()
    strict = {**policy, "policy_version": "STRICT", "top_similarity_threshold": 0.99}

    async def work(runtime):
        await runtime.ask(QUESTION, bundle=bundle(), pack=mine)
        same = await backtest(runtime.context, Candidate(pack=mine, contract="answer"))
        other = replace(mine, policies={name: strict})
        return same, await backtest(runtime.context, Candidate(pack=other, contract="answer"))

    same, stricter = in_a_runtime(tmp_path, work, GOOD)

    assert (1, 0) == (same.calls, same.would_turn)
    assert ["no_evidence"] == [turn.now for turn in stricter.turns]
    assert same.candidate != stricter.candidate


def test_another_template_is_no_candidate_for_answers(tmp_path):
    """The template of answers is frozen: a backtest with another one is refused."""
    mine = replace(own_pack(tmp_path / "mine", '["scripted:*"]'), name="library")
    (template,) = tiny_pack().templates.values()

    async def work(runtime):
        await runtime.ask(QUESTION, bundle=bundle(), pack=mine)
        await backtest(runtime.context, Candidate(pack=mine, contract="answer", template=template))

    with pytest.raises(InputError):
        in_a_runtime(tmp_path, work, GOOD)


def test_stages_are_put_to_a_candidate(tmp_path):
    """A stage is judged again as a stage: the rules that its graph adds are among the checks."""

    async def work(runtime):
        await runtime.chat(cafe(), message="Hola")
        (call,) = [row for row in await runtime.calls() if row.kind == "stage"]
        candidate = Candidate(pack=cafe(), contract=call.contract.rpartition("/")[2])
        return await backtest(runtime.context, candidate)

    tested = in_a_runtime(tmp_path, work, json.dumps(NOTHING))

    assert (1, 0, {"identical": 1}) == (tested.calls, tested.would_turn, dict(tested.prompts))


@pytest.mark.parametrize(
    ("kind", "reference"),
    [("contract", "grants/draft"), ("stage", "cafe/servir"), ("answer", "grounded/answer")],
)
def test_the_input_alone_is_not_what_a_later_call_was_made_of(tmp_path, kind, reference):
    """An earlier result, a session, a bundle: a file cannot stand for what is not in it."""

    async def work(runtime):
        (call, *_) = await one_of_each(runtime)
        kept = replace(
            await kept_call(runtime.store, call.id), kind=kind, reference=reference, material=None
        )
        await KINDS[kind].find_material(runtime.context, kept, load_pack, b"a file")

    with pytest.raises(InputError, match="not all that this call was made of"):
        in_a_runtime(tmp_path, work, LABEL, json.dumps(NOTHING), GOOD)


async def kept_and_job(runtime, pack, text):
    """The one call of *pack* on *text*, as it is kept, and its job made again."""
    _ = [outcome async for outcome in runtime.run(pack, [text])]
    (row,) = await runtime.calls()
    kept = await kept_call(runtime.store, row.id)
    return kept, kind_of(kept).job.restore(kept, lambda _: pack, runtime.context.redactor)


def test_a_correction_is_rebuilt_from_the_findings_on_record(tmp_path):
    """The second prompt told what the gate had found in the first reply: it comes out identical,
    and without those findings it does not."""
    contract = FILES["contracts/triage.yaml"].replace(b"shorten: true", b"correct: true")
    pack = tiny_pack(contracts__triage__yaml=contract)

    async def work(runtime):
        kept, job = await kept_and_job(runtime, pack, TEXT)
        first, second = kept.attempts
        silent = replace(kept, attempts=(replace(first, findings=()), second))
        return second.prompt, replay(kept, job), replay(silent, job)

    prompt, again, without = in_a_runtime(tmp_path, work, UNKNOWN_LABEL, LABEL)

    assert b"label.unknown" in prompt
    assert ("identical", 2) == (again.prompt, again.attempts)
    assert ("differs", 2) == (without.prompt, without.first_difference.attempt)


def test_a_redacted_view_that_differs_names_the_section_behind_a_surrogate(tmp_path):
    """A surrogate stands for a value of the section that the value is in; the first character
    behind it belongs to what follows there."""
    text = b"There is water in the cellar. Write to jane@example.com"

    async def work(runtime):
        kept, job = await kept_and_job(runtime, tiny_pack(), text)
        (attempt,) = kept.attempts
        view = attempt.redacted
        end = view.rindex("]") + 1
        assert (view[end:], text.decode()[-1]) == ("\n", "m")
        found = {}
        for at in (end, end - 1, view.rindex("["), 0):
            changed = replace(attempt, redacted=view[:at] + "?" + view[at + 1 :])
            again = replay(replace(kept, attempts=(changed,)), job)
            assert ("identical", "differs") == (again.prompt, again.redacted)
            assert at == again.first_difference.byte
            found[at - end] = again.first_difference.section, again.first_difference.cause.value
        return found

    found = in_a_runtime(tmp_path, work, LABEL)
    start, inside, behind = ("template", "input.text", "template")
    reason = "redaction rules"

    assert (behind, reason) == found[0]
    assert (inside, reason) == found[-1]
    assert {(start, reason), (inside, reason)} == set(found.values())
    assert 4 == len(found)


def test_a_call_that_would_be_sent_now_is_changed_and_nothing_explains_it(tmp_path):
    """It was over its contract's budget and no reply of it was ever judged: under the same
    contract neither the contract nor the rules can be the cause."""

    async def work(runtime):
        kept, job = await kept_and_job(runtime, tiny_pack(), TEXT)
        over = {"outcome": "needs_review", "reason": "budget.exceeded"}
        scopes = ("contract", "run")
        return [
            replay(replace(kept, attempts=(), settled={**over, "budget": {"scope": scope}}), job)
            for scope in scopes
        ]

    contract, run = in_a_runtime(tmp_path, work, LABEL)

    assert ("changed", "unexplained") == (contract.verdict, contract.cause)
    assert ("same", None) == (run.verdict, run.cause)
