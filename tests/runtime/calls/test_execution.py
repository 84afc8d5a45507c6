"""One prompt, one model: retries with the same bytes, bounds, telemetry, quiet logs."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.scripted import ScriptedModel
from assay.core.json.canonical import digest
from assay.errors import InputError, IntegrityError, ModelUnavailableError, UsageError
from assay.protocols import ModelFault, ModelReply, ModelRequest, Parameters
from assay.runtime.calls.execution import Execution, ExecutionGaveUpError, execute
from assay.runtime.calls.patience import RetryPolicy

PROMPT = "Was ist versichert? 🦊"
POLICY = RetryPolicy(max_tries=3, first_wait_s=1.0, max_wait_s=8.0, max_total_s=60.0)


class StillClock:
    """Time passes only by sleeping, or by what a model says it takes."""

    def __init__(self) -> None:
        self.time = 100.0
        self.slept: list[float] = []

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.time, UTC)

    def monotonic(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds


class Told:
    """A model whose behaviours are functions; keeps every request object it got."""

    name = "told:one"
    identity: Mapping[str, Any] = {"kind": "told"}

    def __init__(self, *behaviours: Callable[[], ModelReply]) -> None:
        self.behaviours = list(behaviours)
        self.requests: list[ModelRequest] = []

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        return self.behaviours[min(len(self.requests), len(self.behaviours)) - 1]()

    async def aclose(self) -> None:
        pass


def says(text: str | bytes = "{}", **more: Any) -> Callable[[], ModelReply]:
    return lambda: ModelReply(text=text, finish_reason="stop", **more)


def fails(error: BaseException) -> Callable[[], ModelReply]:
    def behave() -> ModelReply:
        raise error

    return behave


def transient(kind: Any = "server", wait: float | None = None) -> Callable[[], ModelReply]:
    return fails(ModelFault(kind, transient=True, retry_after_s=wait))


def request(prompt: str = PROMPT) -> ModelRequest:
    return ModelRequest(
        prompt=prompt,
        prompt_sha256=digest(prompt),
        parameters=Parameters(temperature=0.0, max_output_tokens=9),
    )


def run(
    model: Any, clock: StillClock | None = None, policy: RetryPolicy = POLICY, **more: Any
) -> Execution:
    return asyncio.run(
        execute(
            model,
            more.pop("what", request()),
            policy=policy,
            clock=clock or StillClock(),
            jitter=lambda: 1.0,
            **more,
        )
    )


@pytest.mark.clause("004-X2", "004-X4")
def test_only_transient_faults_are_retried_and_with_the_same_bytes():
    """Three tries see one and the same request; the faults stay on record."""
    model = Told(transient("timeout"), transient("rate_limit"), says("{}"))
    clock = StillClock()
    result = run(model, clock)

    assert [1.0, 2.0] == clock.slept
    assert 3 == len(model.requests) == result.attempts
    assert 1 == len({id(sent) for sent in model.requests})
    assert ["timeout", "rate_limit"] == [fault.kind for fault in result.faults]
    assert [1000, 2000] == [fault.waited_ms for fault in result.faults]


@pytest.mark.clause("004-X5")
def test_the_result_has_the_fields_of_the_specification_first():
    """LLMExecutionResult to the letter, and what we add after it."""
    model = Told(says("{}", input_tokens=5, output_tokens=2, model="m-1", details={"a": 1}))
    document = run(model, request_id="call-7").to_dict()

    assert {
        "request_id": "call-7",
        "model_name": "told:one",
        "prompt_sha256": digest(PROMPT),
        "generation_status": "OK",
        "raw_model_text": "{}",
        "finish_reason": "stop",
        "attempts": 1,
        "llm_latency_ms": 0,
        "prompt_tokens_actual": 5,
        "completion_tokens_actual": 2,
        "total_tokens_actual": 7,
    } == dict(list(document.items())[:11])
    assert ({"kind": "told"}, "m-1", {"a": 1}) == (
        document["identity"],
        document["provider_model"],
        document["details"],
    )
    json.dumps(document)


def test_telemetry_holds_no_reply():
    """What goes into an event is free of personal data."""
    result = run(Told(says("Frau Muster")))

    assert "Muster" not in json.dumps(result.telemetry())
    assert digest(PROMPT) == result.request_id


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        (" {}\n", b" {}\n"),
        (b"\xff{}", b"\xff{}"),
        ("\ud800", b"\xed\xa0\x80"),
        ("", b""),
    ],
)
@pytest.mark.clause("004-X3")
def test_the_reply_is_kept_byte_for_byte(text, raw):
    """Not trimmed, not decoded on the way, not refused."""
    assert raw == run(Told(says(text))).raw


@pytest.mark.parametrize("kind", ["timeout", "rate_limit", "server"])
def test_a_fault_that_stays_ends_in_error_40(kind):
    """Bounded tries; the account of them travels with the error."""
    model = Told(transient(kind))
    with pytest.raises(ModelUnavailableError) as caught:
        run(model)

    assert 40 == caught.value.exit_code
    assert 3 == len(model.requests)
    assert isinstance(caught.value, ExecutionGaveUpError)
    assert ("FAILED", 3, kind) == (
        caught.value.execution.generation_status,
        len(caught.value.execution.faults),
        caught.value.execution.failure,
    )


@pytest.mark.parametrize("kind", ["auth", "exhausted"])
def test_a_wrong_key_or_an_empty_script_is_not_tried_again(kind):
    """Asking again cannot help, and no other call would fare better."""
    model = Told(fails(ModelFault(kind, transient=False, hint="do this")))
    with pytest.raises(ModelUnavailableError) as caught:
        run(model)

    assert 1 == len(model.requests)
    assert "do this" == caught.value.hint


def test_a_request_the_server_refuses_is_a_failed_execution():
    """These bytes are at fault: a person looks, the run goes on."""
    result = run(Told(fails(ModelFault("bad_request", transient=False))))

    assert ("FAILED", None, "bad_request", 1) == (
        result.generation_status,
        result.raw,
        result.failure,
        result.attempts,
    )


def test_a_model_that_crashes_on_these_bytes_every_time_fails_this_call_only():
    """A poison item is tried as often as any, then left to a person."""
    model = Told(transient("crash"))
    result = run(model)

    assert ("FAILED", "crash", 3) == (
        result.generation_status,
        result.failure,
        len(model.requests),
    )


def test_an_adapter_that_breaks_its_word_is_a_crash(caplog):
    """A foreign exception neither ends the run nor puts its message into the log."""
    caplog.set_level(logging.DEBUG)
    result = run(Told(fails(KeyError("Frau Muster"))))

    assert "crash" == result.failure
    assert "Muster" not in caplog.text
    assert "KeyError" in caplog.text


def test_an_adapter_that_leaves_the_program_is_a_crash(caplog):
    """`sys.exit` within a model ends no run, and no loop that others wait for."""
    caplog.set_level(logging.DEBUG)
    result = run(Told(fails(SystemExit("Frau Muster"))))

    assert "crash" == result.failure
    assert "Muster" not in caplog.text
    assert "SystemExit" in caplog.text


def test_errors_of_ours_pass_through():
    """A script log that cannot be written is not the model's fault."""
    with pytest.raises(InputError):
        run(Told(fails(InputError("no"))))


def test_the_wait_a_server_asks_for_is_kept():
    """Longer than our own wait, even beyond its cap; shorter never shortens it."""
    clock = StillClock()
    run(Told(transient(wait=20.0), transient(wait=0.1), says()), clock)

    assert [20.0, 2.0] == clock.slept


def test_a_wait_beyond_the_total_time_is_not_begun():
    """The run is told at once instead of sleeping into its limit."""
    clock = StillClock()
    with pytest.raises(ModelUnavailableError):
        run(Told(transient(wait=3600.0), says()), clock)

    assert [] == clock.slept


def test_total_time_counts_what_the_tries_take():
    """Slow failures use up the same allowance as waits."""
    clock = StillClock()

    def slow() -> ModelReply:
        clock.time += 40.0
        raise ModelFault("server", transient=True)

    model = Told(slow)
    with pytest.raises(ModelUnavailableError):
        run(model, clock)

    assert 2 == len(model.requests)


def test_a_try_that_never_ends_is_cut_off():
    """The limit is wall-clock, whatever the model waits for."""

    class Silent(Told):
        async def complete(self, request: ModelRequest) -> ModelReply:
            await asyncio.Event().wait()
            raise AssertionError

    policy = RetryPolicy(max_tries=2, first_wait_s=0.0, per_try_s=0.02)
    with pytest.raises(ExecutionGaveUpError) as caught:
        run(Silent(), policy=policy)

    assert ["timeout", "timeout"] == [fault.kind for fault in caught.value.execution.faults]


def test_being_cancelled_is_no_fault():
    """Ctrl-C goes through; nothing is retried against the will of the person."""

    async def cancelled() -> int:
        model = Told(fails(asyncio.CancelledError()))
        with pytest.raises(asyncio.CancelledError):
            await execute(model, request(), policy=POLICY, clock=StillClock(), jitter=lambda: 0.0)
        return len(model.requests)

    assert 1 == asyncio.run(cancelled())


@pytest.mark.clause("004-X1")
def test_a_prompt_that_is_not_the_one_its_digest_names_is_not_sent():
    """What was recorded is what is sent, or nothing is."""
    model = Told(says())
    wrong = ModelRequest(
        prompt=PROMPT + " ", prompt_sha256=digest(PROMPT), parameters=request().parameters
    )
    with pytest.raises(IntegrityError):
        run(model, what=wrong)

    assert [] == model.requests


@pytest.mark.clause("004-X6")
def test_plain_logs_hold_digests_and_counts(caplog):
    """Neither prompt nor reply, whatever the level."""
    caplog.set_level(logging.DEBUG, logger="assay")
    run(Told(transient(), says("Antwort an Muster", input_tokens=5)))

    assert digest(PROMPT) in caplog.text
    assert "tokens_in=5" in caplog.text
    assert "versichert" not in caplog.text
    assert "Muster" not in caplog.text


def test_a_retry_takes_the_next_line_of_a_script(tmp_path):
    """A script is consumed by requests, not by calls."""
    path = tmp_path / "replies.jsonl"
    path.write_text('{"error": "timeout"}\n{"text": "one"}\n{"text": "two"}\n', "utf-8")

    async def both() -> Sequence[str | None]:
        model = ScriptedModel.open(path)
        clock = StillClock()
        texts = [
            (
                await execute(model, request(), policy=POLICY, clock=clock, jitter=lambda: 0.0)
            ).raw_model_text
            for _ in range(2)
        ]
        await model.aclose()
        return texts

    assert ["one", "two"] == asyncio.run(both())


@given(st.integers(1, 30), st.floats(-1, 2), st.none() | st.floats(0, 1e6))
def test_waits_grow_within_bounds(tries, chance, asked):
    """At least half the step, at most the cap, never less than asked for."""
    wait = POLICY.wait_s(tries, chance, asked)
    step = min(8.0, 1.0 * 2.0 ** (tries - 1))

    assert max(step / 2, asked or 0.0) <= wait <= max(step, asked or 0.0)


@pytest.mark.parametrize(
    "wrong", [{"max_tries": 0}, {"per_try_s": 0.0}, {"max_total_s": -1.0}, {"first_wait_s": -1.0}]
)
def test_a_policy_that_cannot_be_meant_is_refused(wrong):
    """No tries, or no time, is no policy."""
    with pytest.raises(UsageError):
        RetryPolicy(**wrong)
