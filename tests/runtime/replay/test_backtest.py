"""Backtests: which recorded outcomes a candidate contract or template would turn."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import replace
from functools import partial

import pytest

from assay.protocols import CallFilter
from assay.redaction.redactor import Redactor
from assay.runtime.replay.backtest import Candidate, backtest, backtest_would_turn
from assay.templates.template import parse_template
from tests.command import assay
from tests.processes import PATIENCE_S
from tests.runtime.tiny import (
    FILES,
    GOOD,
    TEXT,
    UNKNOWN_LABEL,
    opened,
    script,
    sent,
    tiny_pack,
    write_pack,
)

KEY = {"ASSAY_MASTER_KEY": "ab" * 32}
FIRE = json.dumps({"label": "fire", "evidence_snippets": ["fire in the attic"]})
ON_FIRE = b"There is fire in the attic."
DRY = b"Nothing happened at all here."
NO_WATER = FILES["contracts/triage.yaml"] + (
    b"rules:\n  - {id: no_water, assert: 'output.label != \"water\"'}\n"
)
NO_FIRE = FILES["contracts/triage.yaml"] + (
    b"rules:\n  - {id: no_fire, assert: 'output.label != \"fire\"'}\n"
)


def after_three(folder, work, *, environ=KEY, replies=(GOOD, FIRE, "prose", "prose")):
    """Run three inputs (water, fire, one that ends in review), then do *work* in the runtime."""

    async def go():
        async with opened(folder, *replies, environ=environ) as runtime:
            _ = [o async for o in runtime.run(tiny_pack(), [TEXT, ON_FIRE, DRY])]
            return await work(runtime)

    return asyncio.run(go())


def against(pack=None, template=None, which=None, **how):
    async def work(runtime):
        candidate = Candidate(pack=pack or tiny_pack(), contract="triage", template=template)
        return await backtest(runtime.context, candidate, which, **how)

    return work


def template(old: bytes, new: bytes, version: bytes = b"version: 2"):
    data = FILES["templates/triage.md"].replace(b"version: 1", version)
    assert old in data
    return parse_template(data.replace(old, new))


def test_the_same_contract_turns_nothing(tmp_path):
    """Backtested against itself, every recorded call ends as it did, under the same bytes."""
    result = after_three(tmp_path, against())

    assert {
        "contract": "tiny/triage",
        "calls": 3,
        "tested": 3,
        "skipped": {},
        "changes": {},
        "would_turn": 0,
        "prompts": {"identical": 3},
        "reran": False,
        "examples": [],
    }.items() <= result.to_dict().items()


@pytest.mark.clause("002-N2")
def test_a_stricter_contract_names_the_calls_it_would_turn(tmp_path):
    """Accepted calls that a new rule refuses are counted and told one by one."""
    result = after_three(tmp_path, against(tiny_pack(contracts__triage__yaml=NO_WATER)))
    (example,) = result.to_dict()["examples"]

    assert {"accepted -> needs_review": 1} == result.to_dict()["changes"]
    assert 1 == result.would_turn
    assert (["rule.no_water"], "gate.rejected", True) == (
        example["codes"],
        example["reason"],
        example["asks_again"],
    )


def test_a_laxer_contract_shows_what_it_would_accept(tmp_path):
    """A label that becomes known turns a review into an acceptance, at the first attempt."""
    attic = json.dumps({"label": "attic", "evidence_snippets": ["fire in the attic"]})
    labels = FILES["labels.yaml"] + b"    attic: Under the roof.\n"
    replies = (GOOD, attic, attic, UNKNOWN_LABEL, UNKNOWN_LABEL)
    result = after_three(tmp_path, against(tiny_pack(labels__yaml=labels)), replies=replies)

    assert {"needs_review -> accepted": 1} == result.to_dict()["changes"]
    assert 0 == result.would_turn


@pytest.mark.parametrize(
    ("which", "calls"),
    [
        (CallFilter(outcome="accepted"), 2),
        (CallFilter(outcome="needs_review"), 1),
        (CallFilter(model="openai:other"), 0),
    ],
)
def test_a_filter_narrows_the_calls(tmp_path, which, calls):
    """Only the calls that the filter names are put to the candidate."""
    assert calls == after_three(tmp_path, against(which=which)).calls


def test_without_kept_sources_contracts_are_tested_and_templates_are_not(tmp_path):
    """Stored replies can be judged without the texts; prompts cannot be rendered without them."""

    async def both(runtime):
        contract = await against(tiny_pack(contracts__triage__yaml=NO_FIRE))(runtime)
        prompt = await against(template=template(b"Answer", b"Reply"))(runtime)
        return contract, prompt

    contract, prompt = after_three(tmp_path, both, environ={})

    assert {"accepted -> needs_review": 1} == contract.to_dict()["changes"]
    assert {"values not kept": 3} == prompt.skipped


@pytest.mark.clause("002-N2")
def test_a_template_that_renders_turns_nothing_without_a_rerun(tmp_path):
    """Other words alone turn no call: the prompts differ, and no model was asked."""
    result = after_three(tmp_path, against(template=template(b"Answer", b"Reply")))

    assert {"differ": 3} == result.prompts
    assert (0, ()) == (result.would_turn, result.turns)
    assert 4 == len(sent(tmp_path))


@pytest.mark.clause("002-N2", "002-R2")
@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b"{{labels.kind}}", b"{{labels.kind}} " + b"word " * 500, "budget.exceeded"),
        (b"labels.kind", b"labels.sort", "prompt.variables"),
    ],
)
def test_a_template_that_cannot_be_rendered_turns_every_accepted_call(tmp_path, old, new, reason):
    """Over the budget, or with a variable that nothing fills: promoting it would turn calls."""
    bad = template(old, new)

    async def both(runtime):
        result = await against(template=bad)(runtime)
        return result, await backtest_would_turn(runtime.context, tiny_pack(), bad)

    result, turned = after_three(tmp_path, both)

    assert (2, 2) == (result.would_turn, turned)
    assert {reason} == {turn.reason for turn in result.turns}


@pytest.mark.clause("002-N2")
def test_a_rerun_asks_the_model_with_the_new_prompt(tmp_path):
    """The candidate's prompts go out as calls of their own; what turns is counted."""
    new = template(b"Answer", b"Reply")
    work = against(template=new, which=CallFilter(outcome="accepted"), rerun=True)
    result = after_three(tmp_path, work, replies=(GOOD, FIRE, "prose", "prose", FIRE, "no", "no"))

    assert (True, 2) == (result.reran, result.calls)
    assert [("accepted", "needs_review")] == [(turn.was, turn.now) for turn in result.turns]
    assert all(request["prompt"].startswith("Reply") for request in sent(tmp_path)[4:])


def test_an_erased_call_is_skipped_and_said(tmp_path):
    """What was erased cannot be tested; it is counted, not guessed."""

    async def work(runtime):
        first = (await runtime.calls())[-1]
        await runtime.erase(first.subject, reason="asked for", actor="officer")
        return await against(tiny_pack(contracts__triage__yaml=NO_WATER))(runtime)

    result = after_three(tmp_path, work)

    assert {"values not kept": 1} == result.skipped
    assert () == result.turns


# --- the command ----------------------------------------------------------------------------

sealed = partial(assay, **KEY)


@pytest.fixture
def place(tmp_path):
    """A folder with the tiny pack, a stricter copy of it, and one recorded call."""
    write_pack(tmp_path / "pack")
    write_pack(tmp_path / "next", FILES | {"contracts/triage.yaml": NO_WATER})
    (tmp_path / "in.txt").write_bytes(TEXT)
    script(tmp_path, GOOD, name="s.jsonl")
    newer = FILES["templates/triage.md"].replace(b"version: 1", b"version: 2")
    (tmp_path / "newer.md").write_bytes(newer.replace(b"Answer", b"Reply"))
    done = sealed(tmp_path, "run", "pack", "in.txt", "--model", "scripted:s.jsonl", "--json")
    assert 0 == done.code, done.err
    return tmp_path


@pytest.mark.parametrize(
    ("words", "code", "turned", "prompts"),
    [
        (("pack/triage", "--strict"), 0, 0, {"identical": 1}),
        (("next/triage",), 0, 1, {"identical": 1}),
        (("next/triage", "--strict"), 30, 1, {"identical": 1}),
        (("newer.md", "--pack", "pack"), 0, 0, {"differ": 1}),
        (("triage/triage@1", "--pack", "pack"), 0, 0, {"identical": 1}),
    ],
)
def test_the_command_takes_contracts_files_and_references(place, words, code, turned, prompts):
    """A folder with a changed contract, a template file, a version in the store."""
    done = sealed(place, "backtest", *words, "--json")
    document = done.document

    assert code == done.code, done.err
    assert (1, turned, prompts) == (document["calls"], document["would_turn"], document["prompts"])


@pytest.mark.clause("002-N2")
def test_a_promotion_can_ask_for_a_backtest(place):
    """A version under which accepted calls would turn is refused; a harmless one goes through."""
    newer = (place / "newer.md").read_bytes()
    (place / "worse.md").write_bytes(
        newer.replace(b"version: 2", b"version: 3").replace(b"Text:", b"word " * 500)
    )
    for file in ("newer.md", "worse.md"):
        assert 0 == sealed(place, "templates", "add", file, "--by", "ada").code
    asked = ("--require-backtest", "--pack", "pack", "--by", "ada", "--json")
    worse = sealed(place, "templates", "promote", "triage/triage@3", *asked)
    newer = sealed(place, "templates", "promote", "triage/triage@2", *asked)

    assert (50, "not_allowed") == (worse.code, worse.document["error"]["code"])
    assert 0 == newer.code, newer.err


@pytest.mark.clause("002-B4")
def test_a_blueprint_that_is_no_schema_is_not_added(place):
    """A formatter's blueprint that no output can be held to is refused when it is added."""
    (place / "f.md").write_text(
        "---\nname: f\nrole: formatter\nversion: 1\nvariables: []\n"
        'blueprint_schema: {"type": "report"}\n---\nWrite.\n'
    )
    done = sealed(place, "templates", "add", "f.md", "--by", "ada", "--json")

    error = done.document["error"]
    assert "template.invalid" == error["code"]
    assert error["message"].startswith("line 6, column 28: ")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("triage",), "usage"),
        (("pack/nothing",), "not_found"),
        (("nowhere.md",), "input.invalid"),
        (("newer.md",), "not_found"),
        (("triage/triage@9", "--pack", "pack"), "not_found"),
        (("pack/triage", "--since", "yesterday"), "usage"),
    ],
)
def test_bad_input_is_told_in_one_line(place, words, code):
    """What names nothing is said so; nothing is tested."""
    done = sealed(place, "backtest", *words, "--json")

    assert code == done.document["error"]["code"], done.err
    assert 1 == len(done.err.splitlines())


def test_others_go_on_while_calls_are_judged_again(tmp_path):
    """What the candidate makes of a call is worked out aside: it waits here for another task."""
    seen, answered = threading.Event(), threading.Event()

    def wait_for_others(text):
        del text
        seen.set()
        assert answered.wait(PATIENCE_S)
        return ()

    async def answer_another():
        while not seen.is_set():
            await asyncio.sleep(0.01)
        answered.set()

    async def work(runtime):
        context = replace(runtime.context, redactor=Redactor(recognisers=[wait_for_others]))
        another = asyncio.create_task(answer_another())
        candidate = template(b"Answer with one", b"Reply with one")
        found = await backtest(
            context, Candidate(pack=tiny_pack(), contract="triage", template=candidate)
        )
        await another
        return found

    result = after_three(tmp_path, work)

    assert answered.is_set()
    assert {"differ": 3} == result.to_dict()["prompts"]
