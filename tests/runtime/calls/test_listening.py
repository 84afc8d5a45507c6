"""Replies that are heard while they arrive: stopped early, counted, recorded, judged again."""

import asyncio
import json

import pytest

from assay import wiring
from assay.contract.budget import Usage
from assay.gate.prefix import STOPPED
from assay.runtime.calls.context import Heard, Progress
from assay.runtime.calls.execution import Execution
from assay.runtime.calls.listening import Listening, add_stream_facts
from tests.runtime.answers.test_ask import QUESTION, bundle
from tests.runtime.tiny import FILES, GOOD, TEXT, UNKNOWN_LABEL, script, sent, tiny_pack

pytestmark = pytest.mark.clause("006-M4")

KEY = {"ASSAY_MASTER_KEY": "ab" * 32, "ASSAY_RETRY_ATTEMPTS": "2"}
STREAMED = {"text": UNKNOWN_LABEL, "stream": True, "usage": {"output_tokens": 77}}
CORRECTING = FILES["contracts/triage.yaml"].replace(b"shorten: true", b"correct: true")


def run(folder, *replies, pack=None, progress=None, environ=KEY, replays=False):
    """Outcomes of the tiny pack on TEXT, the documents of the calls, and what a replay says."""

    async def go():
        async with wiring.aopen(
            f"sqlite:///{folder / 'assay.db'}",
            script(folder, *replies),
            script_log=str(folder / "log.jsonl"),
            environ=environ,
            progress=progress,
        ) as runtime:
            used = pack or tiny_pack()
            outcomes = [outcome async for outcome in runtime.run(used, [TEXT])]
            documents = [await runtime.call(row.id) for row in await runtime.calls()]
            again = []
            if replays:
                again = [await runtime.replay(row.id, used) for row in await runtime.calls()]
        return outcomes, documents, again

    return asyncio.run(go())


def facts(document, kind):
    return [event["facts"] for event in document["events"] if event["kind"] == kind]


def payloads(document, kind):
    return [event["payloads"] for event in document["events"] if event["kind"] == kind]


def test_a_lost_reply_is_stopped_and_the_next_attempt_asked(tmp_path):
    """What arrived is the reply, byte for byte; what was saved is on record as an estimate."""
    (outcome,), (document,), _ = run(tmp_path, STREAMED, GOOD)
    first, second = facts(document, "model.answered")
    raw = payloads(document, "model.answered")[0]["raw"]

    assert "accepted" == outcome.outcome.status
    assert (STOPPED, "stop") == (first["finish_reason"], second["finish_reason"])
    assert '{"label": "WATER",' == raw
    assert first["completion_tokens_actual"] is None
    stream = first["details"]["stream"]
    assert (True, len(raw), 2) == (stream["stopped"], stream["chars"], stream["pieces"])
    assert 100 == stream["output_tokens_estimate"] + stream["saved_tokens_at_most"]
    assert stream["output_tokens_estimate"] == first["run_usage"]["output_tokens"]
    assert "stream" not in second["details"]


def test_the_findings_of_the_text_are_kept_beside_that_it_was_stopped(tmp_path):
    """Code and place, in the verdict and in the correction that the next attempt gets."""
    pack = tiny_pack(contracts__triage__yaml=CORRECTING)
    _, (document,), _ = run(tmp_path, STREAMED, GOOD, pack=pack)
    findings = payloads(document, "output.judged")[0]["findings"]

    assert [("label.unknown", "/label"), ("output.stopped", "")] == [
        (finding["code"], finding["path"]) for finding in findings
    ]
    assert "label.unknown at /label" in sent(tmp_path)[1]["prompt"]


def test_a_replay_judges_the_prefix_as_it_was_judged(tmp_path):
    """The prefix is the reply: its verdict comes out the same from the record alone."""
    invented = json.dumps({"label": "fire", "evidence_snippets": ["nobody wrote this", "or this"]})
    lines = [{"text": invented, "stream": True}] * 2
    (outcome,), (document,), (replayed,) = run(tmp_path, *lines, replays=True)

    assert "needs_review" == outcome.outcome.status
    assert 2 == len(facts(document, "model.answered"))
    assert ("same", 2, False) == (replayed.verdict, replayed.attempts, replayed.without_sources)
    assert ["evidence.not_found", "output.stopped"] == [each.code for each in replayed.findings]


@pytest.mark.parametrize("environ", [KEY, {"ASSAY_RETRY_ATTEMPTS": "2"}])
@pytest.mark.parametrize("tail", ['", "no]', '"], "label": 1', '"] x'])
def test_a_replay_without_sources_finds_nothing_new(tmp_path, environ, tail):
    """What the quotation that stopped it hid is no change of the verdict."""
    pieces = ['{"label": "fire", "evidence_snippets": ["nobody wrote this' + tail, "x"]
    _, _, (replayed,) = run(tmp_path, *[{"pieces": pieces}] * 2, replays=True, environ=environ)
    assert ("same", environ is not KEY) == (replayed.verdict, replayed.without_sources)


def test_a_good_stream_is_read_to_its_end(tmp_path):
    """Nothing is stopped that can still be accepted; usage is what the provider says."""
    (outcome,), (document,), _ = run(tmp_path, {**STREAMED, "text": GOOD})
    (answered,) = facts(document, "model.answered")

    assert "accepted" == outcome.outcome.status
    assert 77 == answered["completion_tokens_actual"]
    assert {"stopped": False, "chars": len(GOOD), "pieces": len(GOOD.split())} == answered[
        "details"
    ]["stream"]


def test_a_refusal_is_heard_out(tmp_path):
    """It says more to a person than that it was stopped."""
    words = "I'm sorry, but I cannot label this text for you."
    _, (document,), _ = run(tmp_path, *[{"text": words, "stream": True}] * 2)

    assert [words, words] == [each["raw"] for each in payloads(document, "model.answered")]
    codes = [[f["code"] for f in each["findings"]] for each in facts(document, "output.judged")]
    assert [["output.refusal"]] * 2 == codes


def test_each_try_is_weighed_from_its_first_character(tmp_path):
    """What came before a fault on the way belongs to a try that failed."""
    broken = {"pieces": ['{"label": "water", ', '"evi'], "error": "server"}
    whole = {"pieces": [GOOD[:5], GOOD[5:]], "finish_reason": "stop"}
    heard: list[Heard] = []
    (outcome,), (document,), _ = run(tmp_path, broken, whole, progress=Progress(hear=heard.append))

    assert ("accepted", 1) == (outcome.outcome.status, outcome.calls[0].attempts)
    assert len(GOOD) == facts(document, "model.answered")[0]["details"]["stream"]["chars"]
    assert [(1, 0), (1, 19), (1, 23), (2, 0), (2, 5), (2, len(GOOD))] == [
        (each.tries, each.chars) for each in heard
    ]
    assert {("tiny/triage", 1, "")} == {(e.contract, e.attempt, e.unjudged) for e in heard}


def test_text_is_told_only_to_whom_may_see_it(tmp_path):
    """`unjudged` hands on the pieces as they come."""
    heard: list[Heard] = []
    run(tmp_path, {"pieces": [GOOD]}, progress=Progress(hear=heard.append, unjudged=True))

    assert GOOD == "".join(each.unjudged for each in heard)


def test_a_hook_that_fails_harms_no_call(tmp_path):
    """Progress is for people; the call goes on without it."""
    told = []

    def fail(heard: Heard) -> None:
        told.append(heard)
        raise RuntimeError

    (outcome,), _, _ = run(tmp_path, {"pieces": [GOOD]}, progress=Progress(hear=fail))

    assert "accepted" == outcome.outcome.status
    assert 1 == len(told)


class _BrokenWatch:
    def hear(self, piece):
        raise ZeroDivisionError


def test_a_watch_that_fails_stops_nothing():
    """The reply is judged when it is whole."""

    def fail():
        raise ZeroDivisionError

    listening = Listening(_BrokenWatch(), fail, None, Heard(contract="a/b", attempt=1))
    for _ in range(2):
        listening.begin()
        assert [False, False] == [listening.hear("x"), listening.hear("y")]
    assert (2, 2, 2) == (listening.tries, listening.chars, listening.pieces)


def execution(raw: bytes, reason: str | None, tokens: int | None) -> Execution:
    return Execution(
        request_id="r", model_name="m", prompt_sha256="", generation_status="OK", raw=raw,
        finish_reason=reason, attempts=1, llm_latency_ms=0,
        prompt_tokens_actual=None, completion_tokens_actual=tokens,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("reason", "tokens", "used"),
    [
        ("stop", None, 900),
        ("stop", 0, 900),
        ("stop", 5, 5),
        (STOPPED, None, 3),
        (STOPPED, 1, 3),
        (STOPPED, 40, 40),
    ],
)
def test_what_a_stopped_reply_used_is_what_arrived_at_least(reason, tokens, used):
    """No provider counts the end that it never sent; none that is known is made smaller."""
    listening = Listening(None, lambda: None, None, Heard(contract="a/b", attempt=1))
    listening.begin()
    listening.hear("one two three")
    done = add_stream_facts(execution(b"one two three", reason, tokens), listening, 900)
    spent = Usage.of_exchange(
        counted=10,
        allowed=900,
        input_tokens=done.prompt_tokens_actual,
        output_tokens=done.completion_tokens_actual,
        details=done.details,
    )
    assert Usage(input_tokens=10, output_tokens=used) == spent


def test_an_answer_is_never_stopped(tmp_path):
    """Specification 004 R3: whoever watches, the answer is read to its end."""
    heard: list[Heard] = []
    text = "```\nNothing that any gate would accept, word for word."

    async def go():
        async with wiring.aopen(
            f"sqlite:///{tmp_path / 'a.db'}",
            script(tmp_path, *[{"text": text, "stream": True}] * 2),
            environ=KEY,
            progress=Progress(hear=heard.append),
        ) as runtime:
            answered = await runtime.ask(QUESTION, bundle=bundle())
            return answered, await runtime.call(answered.call)

    answered, document = asyncio.run(go())
    assert "needs_review" == answered.outcome.status
    assert {text} == {each["raw"] for each in payloads(document, "model.answered")}
    assert len(text) == max(each.chars for each in heard)
