"""One call from material to outcome: the ladder, the record before the call, resumption."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from dataclasses import replace
from typing import ClassVar

import pytest

from assay.errors import ModelUnavailableError
from assay.protocols import CallFilter, ModelReply
from assay.runtime.calls.budget import RunBudget
from tests.runtime.tiny import FILES, GOOD, TEXT, UNKNOWN_LABEL, opened, sent, tiny_pack


def run(folder, *replies, pack=None, environ=None, **how):
    """The outcomes of the tiny pack on TEXT, and the runtime's calls and events afterwards."""

    async def go():
        async with opened(folder, *replies, environ=environ) as runtime:
            outcomes = [o async for o in runtime.run(pack or tiny_pack(), [TEXT], **how)]
            calls = await runtime.calls()
            events = [event async for event in runtime.store.events()]
            reviews = await runtime.reviews()
        return outcomes, calls, events, reviews

    return asyncio.run(go())


def test_a_good_reply_is_accepted_at_once(tmp_path):
    """A reply that passes the gate settles the call; no second request is made."""
    (outcome,), (call,), events, reviews = run(tmp_path, GOOD)

    assert ("accepted", None) == (outcome.outcome.status, outcome.outcome.reason)
    assert ("settled", 1) == (call.status, call.attempts)
    assert 1 == len(sent(tmp_path))
    assert [
        "run.started",
        "template.added",
        "call.opened",
        "prompt.built",
        "model.answered",
        "output.judged",
        "call.settled",
        "run.ended",
    ] == [event.kind for event in events]
    assert not reviews


@pytest.mark.clause("000-R1", "000-R2", "000-H4")
def test_the_second_attempt_asks_at_zero_with_a_shorter_input(tmp_path):
    """A rejected reply is followed by one more request at temperature 0.0 with less text."""
    quoted = TEXT + b"\n\nOn Monday, Ann wrote:\n> Old words of another mail.\n"

    async def go():
        environ = {"ASSAY_TEMPERATURE": "0.7"}
        async with opened(tmp_path, UNKNOWN_LABEL, GOOD, environ=environ) as runtime:
            return [outcome async for outcome in runtime.run(tiny_pack(), [quoted])]

    (outcome,) = asyncio.run(go())
    first, second = sent(tmp_path)

    assert "accepted" == outcome.outcome.status
    assert [0.7, 0.0] == [first["params"]["temperature"], second["params"]["temperature"]]
    assert "Old words" in first["prompt"]
    assert "Old words" not in second["prompt"]


@pytest.mark.clause("000-R3", "000-H4")
def test_two_rejected_replies_end_in_review(tmp_path):
    """After the second rejected attempt nothing more is sent; the case waits for a person."""
    (outcome,), (call,), _, (review,) = run(tmp_path, UNKNOWN_LABEL, UNKNOWN_LABEL, GOOD)

    assert ("needs_review", "gate.rejected") == (outcome.outcome.status, outcome.outcome.reason)
    assert 2 == len(sent(tmp_path))
    assert {"triage": None} == outcome.result
    assert (call.id, "open") == (review.call, review.status)


@pytest.mark.clause("000-F1")
@pytest.mark.parametrize(
    "reply", ["I'm sorry, but I can't help with that.", "water", f"```json\n{GOOD}\n```", ""]
)
def test_refusals_and_prose_are_failed_attempts(tmp_path, reply):
    """What is no JSON object is never taken for content, whatever stands in it."""
    (outcome,), _, _, _ = run(tmp_path, reply, reply)

    assert "needs_review" == outcome.outcome.status


def test_a_transport_fault_sends_the_same_bytes_and_uses_up_no_attempt(tmp_path):
    """After a fault on the wire the very same request goes out again, as the same attempt."""
    (outcome,), (call,), _, _ = run(tmp_path, {"error": "rate_limit"}, GOOD)
    first, second = sent(tmp_path)

    assert "accepted" == outcome.outcome.status
    assert 1 == call.attempts
    assert first == second


def test_an_unreachable_model_leaves_the_call_open(tmp_path):
    """When the model stays away the run ends with an error and the call is still to be done."""
    with pytest.raises(ModelUnavailableError):
        run(tmp_path, {"error": "auth"})

    async def look():
        async with opened(tmp_path) as runtime:
            return await runtime.calls(CallFilter(status="open"))

    assert 1 == len(asyncio.run(look()))


def test_an_open_call_is_resumed_with_the_same_bytes(tmp_path):
    """A second run answers the call that the first one left open, without a second record."""
    with pytest.raises(ModelUnavailableError):
        run(tmp_path, UNKNOWN_LABEL, {"error": "auth"})
    left = sent(tmp_path)[-1]
    (tmp_path / "log.jsonl").unlink()

    # The script's digest is part of the model's identity: go on with the very same file.
    async def resume():
        async with opened(tmp_path, UNKNOWN_LABEL, {"error": "auth"}) as runtime:
            outcomes = [outcome async for outcome in runtime.run(tiny_pack(), [TEXT])]
            events = [event async for event in runtime.store.events(kind="prompt.built")]
            return outcomes, await runtime.calls(), events

    outcomes, calls, prompts = asyncio.run(resume())

    assert [left["prompt_sha256"]] == [request["prompt_sha256"] for request in sent(tmp_path)]
    assert ["gate.rejected"] == [outcome.outcome.reason for outcome in outcomes]
    assert 1 == len(calls)
    assert [1, 2] == [event.facts["attempt"] for event in prompts]


def test_what_is_settled_is_not_sent_again(tmp_path):
    """The same bytes under the same contract and model are answered from the record."""

    async def go():
        async with opened(tmp_path, GOOD, GOOD) as runtime:
            pack = tiny_pack()
            first = [o async for o in runtime.run(pack, [TEXT])]
            second = [o async for o in runtime.run(pack, [TEXT])]
            third = [o async for o in runtime.run(pack, [TEXT], again=True)]
        return first[0], second[0], third[0]

    first, second, third = asyncio.run(go())

    assert first.to_dict() == second.to_dict()
    assert second.reused
    assert not third.reused
    assert 2 == len(sent(tmp_path))


def test_tasks_that_ask_the_same_at_once_ask_once(tmp_path):
    """Four tasks of one process: one call is made, all have its outcome."""

    async def one(runtime):
        (outcome,) = [o async for o in runtime.run(tiny_pack(), [TEXT])]
        return outcome

    async def go():
        async with opened(tmp_path, GOOD, GOOD, GOOD, GOOD) as runtime:
            return await asyncio.gather(*(one(runtime) for _ in range(4))), await runtime.calls()

    outcomes, calls = asyncio.run(go())

    assert 1 == len({json.dumps(outcome.to_dict()) for outcome in outcomes})
    assert [False, True, True, True] == sorted(outcome.reused for outcome in outcomes)
    assert 1 == len(sent(tmp_path)) == len(calls)


@pytest.mark.clause("000-B1", "000-B2")
def test_what_does_not_fit_is_never_sent(tmp_path):
    """A budget too small for the prompt ends in review without a request."""
    contract = FILES["contracts/triage.yaml"].replace(b"400", b"12")
    pack = tiny_pack(contracts__triage__yaml=contract)
    (outcome,), _, events, _ = run(tmp_path, GOOD, pack=pack)

    assert "budget.exceeded" == outcome.outcome.reason
    assert [] == sent(tmp_path)
    assert "contract" == events[-3].facts["budget"]["scope"]


@pytest.mark.clause("000-B1", "000-B2")
def test_budgets_and_usage_stand_in_the_events_of_every_call(tmp_path):
    """The event before the call holds counted tokens and limits, the one after it the usage."""
    usage = {"input_tokens": 77, "output_tokens": 11}
    _, _, events, _ = run(tmp_path, {"text": GOOD, "finish_reason": "stop", "usage": usage})
    facts = {event.kind: event.facts for event in events}

    assert 400 == facts["prompt.built"]["budget"]["max_input_tokens"]
    assert 0 < facts["prompt.built"]["input_tokens"] <= 400
    assert 77 == facts["model.answered"]["prompt_tokens_actual"]
    assert 77 == facts["model.answered"]["run_usage"]["input_tokens"]


def test_a_spent_run_budget_sends_nothing_and_is_tried_again_later(tmp_path):
    """What a run's budget kept back is a review now, and is sent in a run that has the tokens."""

    async def go():
        async with opened(tmp_path, GOOD) as runtime:
            poor = RunBudget(max_total_tokens=10)
            first = [o async for o in runtime.run(tiny_pack(), [TEXT], budget=poor)]
            second = [o async for o in runtime.run(tiny_pack(), [TEXT])]
        return first[0], second[0]

    first, second = asyncio.run(go())

    assert "budget.exceeded" == first.outcome.reason
    assert "accepted" == second.outcome.status
    assert 1 == len(sent(tmp_path))


def test_a_model_that_the_contract_does_not_name_is_refused(tmp_path):
    """A contract frozen for other models sends nothing; the call is in review."""
    contract = FILES["contracts/triage.yaml"].replace(b'"*"', b'"openai:gpt-*"')
    pack = tiny_pack(contracts__triage__yaml=contract)
    (outcome,), _, _, _ = run(tmp_path, GOOD, pack=pack)

    assert "model.refused" == outcome.outcome.reason
    assert [] == sent(tmp_path)


def test_the_prompt_is_on_record_before_the_model_is_asked(tmp_path):
    """While the model thinks, another process can read digest and redacted prompt."""
    seen = []

    class Watching:
        name = "watching:1"
        needs_plan = False
        identity: ClassVar = {"kind": "test"}

        async def complete(self, request):
            database = sqlite3.connect(tmp_path / "assay.db")
            kinds = [row[0] for row in database.execute("SELECT kind FROM events ORDER BY seq")]
            database.close()
            seen.append((request.prompt_sha256, kinds[-1]))
            return ModelReply(text=GOOD, finish_reason="stop")

        async def aclose(self):
            return None

    async def go():
        async with opened(tmp_path, GOOD) as runtime:
            watching = replace(runtime.context, model=Watching())
            return [o async for o in type(runtime)(context=watching).run(tiny_pack(), [TEXT])]

    (outcome,) = asyncio.run(go())

    assert "accepted" == outcome.outcome.status
    assert ["prompt.built"] == [kind for _, kind in seen]


def test_a_decision_digest_is_free_of_times_and_ids(tmp_path):
    """The same decision made twice, in other stores, has the same digest."""
    (tmp_path / "a").mkdir()
    _, (first,), _, _ = run(tmp_path / "a", GOOD)
    (tmp_path / "a" / "assay.db").unlink()
    _, (second,), _, _ = run(tmp_path / "a", GOOD)

    assert first.id != second.id
    assert first.decision_digest == second.decision_digest


def test_raw_outputs_are_kept_as_they_came(tmp_path):
    """The stored answer is the model's text to the byte, also when it was rejected."""
    odd = '{"label": "w\\u00e4ter"}  \n'

    async def go():
        async with opened(tmp_path, odd, GOOD) as runtime:
            async for _ in runtime.run(tiny_pack(), [TEXT]):
                pass
            (call,) = await runtime.calls()
            return await runtime.call(call.id)

    document = asyncio.run(go())
    raw = [e["payloads"]["raw"] for e in document["events"] if e["kind"] == "model.answered"]

    assert [odd, GOOD] == raw


def test_findings_hold_no_foreign_text_as_facts(tmp_path):
    """Facts of events name codes only; paths and messages are payloads that can be erased."""
    invented = json.dumps({"Hannah Reed": 1, "label": "water", "evidence_snippets": ["x"]})
    _, _, events, _ = run(tmp_path, invented, invented)

    assert b"Hannah" not in b"".join(event.body for event in events)


def test_tokens_that_no_provider_reports_are_our_own_count(tmp_path):
    """Without a report the prompt counts as we counted it and the output as what was allowed, for
    the run and for the next attempt."""
    _, _, events, _ = run(tmp_path, UNKNOWN_LABEL, GOOD)
    counted = [e.facts["input_tokens"] for e in events if e.kind == "prompt.built"]
    usage = [e.facts["run_usage"] for e in events if e.kind == "model.answered"]

    assert all(counted)
    assert [None, None] == [
        e.facts["prompt_tokens_actual"] for e in events if e.kind == "model.answered"
    ]
    assert [counted[0], sum(counted)] == [used["input_tokens"] for used in usage]
    assert [100, 200] == [used["output_tokens"] for used in usage]


@pytest.mark.parametrize(("spare", "attempts"), [(0, 2), (-1, 1)])
def test_what_was_counted_is_held_against_the_budget_of_the_call(tmp_path, spare, attempts):
    """A second attempt is sent exactly where the counted first one leaves it the tokens."""
    _, _, events, _ = run(tmp_path, UNKNOWN_LABEL, GOOD)
    first, second = (e.facts["input_tokens"] for e in events if e.kind == "prompt.built")
    limit = first + 100 + second + 100 + spare
    contract = FILES["contracts/triage.yaml"].replace(
        b"max_output_tokens: 100", f"max_output_tokens: 100, max_total_tokens: {limit}".encode()
    )
    assert contract != FILES["contracts/triage.yaml"]
    again = tmp_path / "again"
    again.mkdir()
    pack = tiny_pack(contracts__triage__yaml=contract)
    _, (call,), _, _ = run(again, UNKNOWN_LABEL, GOOD, pack=pack)

    assert attempts == len(sent(again))
    assert ("accepted" if attempts == 2 else "needs_review") == call.outcome


UNSURE = json.dumps({"label": "WATER", "evidence_snippets": []})


def limited_pack(total: int, attempts: bytes = b"[{}, {temperature: 0.0, shorten: true}]"):
    """The tiny pack with a limit over all attempts of a call; 100 tokens of output each."""
    contract = FILES["contracts/triage.yaml"]
    contract = contract.replace(b"[{}, {temperature: 0.0, shorten: true}]", attempts)
    contract = contract.replace(b"100}", b"100, max_total_tokens: %d}" % total)
    return tiny_pack(contracts__triage__yaml=contract)


def counted_prompts(events):
    """Our own count of the prompt of each attempt."""
    return [event.facts["input_tokens"] for event in events if event.kind == "prompt.built"]


@pytest.mark.clause("000-B2", "005-R21")
@pytest.mark.parametrize(
    ("usage", "spent"),
    [
        (None, ("counted", 100)),
        ({}, ("counted", 100)),
        ({"output_tokens": 7}, ("counted", 7)),
        ({"input_tokens": 5}, (5, 100)),
        ({"input_tokens": 0, "output_tokens": 0}, ("counted", 100)),
        ({"input_tokens": 5, "output_tokens": 0}, (5, 100)),
    ],
)
def test_the_run_budget_takes_each_figure_from_the_provider_where_there_is_one(
    tmp_path, usage, spent
):
    """Input and output are taken separately; a reported zero, for what was sent, is no count: what
    was counted and what was allowed stand in its place."""
    budget = RunBudget()
    reply = {"text": GOOD, "finish_reason": "stop", **({} if usage is None else {"usage": usage})}
    _, _, events, _ = run(tmp_path, reply, budget=budget)
    (counted,) = counted_prompts(events)
    (answered,) = [event for event in events if event.kind == "model.answered"]
    tokens_in, tokens_out = spent
    expected = {
        "input_tokens": counted if tokens_in == "counted" else tokens_in,
        "output_tokens": tokens_out,
    }

    assert counted > 5
    assert expected == budget.usage.to_dict()
    assert expected == {name: answered.facts["run_usage"][name] for name in expected}


@pytest.mark.clause("000-B1")
def test_a_resumed_call_counts_replies_without_usage_in_the_same_way(tmp_path):
    """What all attempts before the interruption used is read from the record: counted prompts and
    the whole allowance. The last attempt goes out or not by one token, as in one sitting."""
    attempts = b"[{}, {temperature: 0.1}, {temperature: 0.2}, {temperature: 0.3}]"
    script = UNSURE, UNSURE, {"error": "auth"}

    def tried(total):
        folder = tmp_path / str(total)
        folder.mkdir()
        pack = limited_pack(total, attempts)
        with pytest.raises(ModelUnavailableError):
            run(folder, *script, pack=pack)
        # The same script from its first line on: two more replies.
        (outcome,), _, events, _ = run(folder, *script, pack=pack)
        return outcome.outcome.reason, counted_prompts(events)

    reason, counts = tried(2000)
    fits = sum(counts) + 400

    assert ("gate.rejected", 4) == (reason, len(counts))
    assert ("gate.rejected", counts) == tried(fits)
    assert ("budget.exceeded", counts[:3]) == tried(fits - 1)


def test_a_correcting_attempt_is_resumed_with_the_same_bytes(tmp_path):
    """What the gate found in the reply before the interruption is read from the record: the second
    prompt, which tells it, is sent again as it was and stands on record once."""
    contract = FILES["contracts/triage.yaml"].replace(b"shorten: true", b"correct: true")
    pack = tiny_pack(contracts__triage__yaml=contract)
    script = UNKNOWN_LABEL, {"error": "auth"}
    with pytest.raises(ModelUnavailableError):
        run(tmp_path, *script, pack=pack)
    _, left = sent(tmp_path)
    (tmp_path / "log.jsonl").unlink()
    _, (call,), events, _ = run(tmp_path, *script, pack=pack)

    assert "label.unknown" in left["prompt"]
    assert [left["prompt"]] == [request["prompt"] for request in sent(tmp_path)]
    assert 2 == call.attempts == len(counted_prompts(events))
