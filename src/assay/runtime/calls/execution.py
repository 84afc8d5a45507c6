"""Send one prompt to one model, patiently and without touching it.

In      Model, ModelRequest, RetryPolicy, a clock, a source of jitter
Out     Execution: what came back, how many tries it took, what the tries ran into
Pure    no: waits and calls the model; time and chance are injected
Spec    004 R3; 000 "Retry policy" (a retry is no attempt)

Obligations, repeated where they are met:
 1. What is sent is the request as built: its digest is checked, every try gets the same object.
 2. Only transient faults are tried again; tries and total time are bounded.
 3. The model is never switched, the reply is never read or edited.
 4. Plain logs hold digests and counts, never a prompt or a reply.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.contract.model_names import shown_model
from assay.core.json.canonical import digest
from assay.errors import AssayError, IntegrityError, ModelUnavailableError, ModelUnfitError
from assay.protocols import Clock, Model, ModelFault, ModelReply, ModelRequest
from assay.runtime.calls.pace import Pace
from assay.runtime.calls.patience import Patience, RetryPolicy

_log = logging.getLogger("assay")


@dataclass(frozen=True, slots=True, kw_only=True)
class TryFault:
    """Why one try gave no reply."""

    kind: str
    """As in `ModelFault.kind`."""

    transient: bool
    latency_ms: int
    waited_ms: int
    """How long was waited before the next try; 0 when there was none."""

    code: str = ""
    """The provider's own code; empty where it gave none."""

    parameter: str = ""
    """The parameter that the provider refused; empty where none is named."""

    def to_dict(self) -> dict[str, Any]:
        said = {"code": self.code, "parameter": self.parameter}
        return {
            "kind": self.kind,
            "transient": self.transient,
            "latency_ms": self.latency_ms,
            "waited_ms": self.waited_ms,
            **{name: value for name, value in said.items() if value},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """The specification's LLMExecutionResult, and what is needed to check it later."""

    request_id: str
    """Given by the caller (the call's id); the prompt digest where none was given."""

    model_name: str
    """`provider:name`; the same for every try."""

    prompt_sha256: str
    generation_status: Literal["OK", "FAILED"]

    raw: bytes | None
    """The reply byte for byte; None when none came."""

    finish_reason: str | None
    """As the provider reported it, unmapped."""

    attempts: int
    """Tries made with these bytes."""

    llm_latency_ms: int
    """Of the last try, waits excluded."""

    prompt_tokens_actual: int | None
    completion_tokens_actual: int | None

    faults: tuple[TryFault, ...] = ()
    """One for each try that failed, in order."""

    failure: str | None = None
    """Kind of the fault that ended it; None when OK."""

    provider_model: str = ""
    """The name the provider itself reported, where it did."""

    identity: Mapping[str, Any] = field(default_factory=dict)
    """What fixed the answering model, as it declared before the call."""

    details: Mapping[str, Any] = field(default_factory=dict)
    """JSON facts of the reply (cache mode, request id of the provider …)."""

    @property
    def raw_model_text(self) -> str | None:
        """The reply as text; bytes that are no UTF-8 are shown as `\\xNN`, `raw` keeps them."""
        return None if self.raw is None else self.raw.decode("utf-8", "backslashreplace")

    @property
    def total_tokens_actual(self) -> int | None:
        """Both counts together; None when one is unknown."""
        if self.prompt_tokens_actual is None or self.completion_tokens_actual is None:
            return None
        return self.prompt_tokens_actual + self.completion_tokens_actual

    def telemetry(self) -> dict[str, Any]:
        """Everything but the reply itself: JSON free of personal data."""
        return {
            "request_id": self.request_id,
            "model_name": self.model_name,
            "prompt_sha256": self.prompt_sha256,
            "generation_status": self.generation_status,
            "finish_reason": self.finish_reason,
            "attempts": self.attempts,
            "llm_latency_ms": self.llm_latency_ms,
            "prompt_tokens_actual": self.prompt_tokens_actual,
            "completion_tokens_actual": self.completion_tokens_actual,
            "total_tokens_actual": self.total_tokens_actual,
            "failure": self.failure,
            "faults": [fault.to_dict() for fault in self.faults],
            "provider_model": self.provider_model,
            "identity": dict(self.identity),
            "details": dict(self.details),
        }

    def to_dict(self) -> dict[str, Any]:
        """LLMExecutionResult with the specification's field names, and the fields above."""
        facts = self.telemetry()
        head = {name: facts.pop(name) for name in _BEFORE_TEXT}
        return {**head, "raw_model_text": self.raw_model_text, **facts}


_BEFORE_TEXT = ("request_id", "model_name", "prompt_sha256", "generation_status")


class ExecutionGaveUpError(ModelUnavailableError):
    """The model stayed out of reach; `execution` says what was tried."""

    def __init__(self, message: str, *, hint: str, execution: Execution) -> None:
        super().__init__(message, hint=hint)
        self.execution = execution


class UnfitGaveUpError(ExecutionGaveUpError, ModelUnfitError):
    """It never answers such a request."""


async def execute(
    model: Model,
    request: ModelRequest,
    *,
    policy: RetryPolicy,
    clock: Clock,
    jitter: Callable[[], float],
    request_id: str | None = None,
    pace: Pace | None = None,
) -> Execution:
    """Send *request* until a reply comes or trying again makes no sense.

    Args:
        model: The one model that is asked; never another.
        request: What is sent, equal for every try.
        policy: Bounds of tries and time.
        clock: Measures and waits.
        jitter: A number from 0.0 to 1.0 for each wait.
        request_id: Name of the exchange on record; the prompt digest by default.
        pace: Shared with the other calls to this model; a pace of its own by default.

    Returns:
        `generation_status` OK with the reply as it came, or FAILED when these very bytes are
        at fault: too long, refused as malformed, or the model crashed on them at every try.

    Raises:
        ModelUnavailableError: out of reach at every try, key refused, nothing left to say.
        IntegrityError: the prompt is not the one its digest names; nothing was sent.

    Spec: 004 R3.
    """
    if digest(request.prompt) != request.prompt_sha256:  # obligation 1
        raise IntegrityError("the prompt does not have the digest it is sent under")
    run = _Exchange(model, request, request_id or request.prompt_sha256)
    pace = pace or Pace()
    patience = Patience(policy, pace)
    while True:
        async with pace.turn(clock, jitter) as turn:
            started = clock.monotonic()
            run.tries += 1
            try:
                reply = await _one_try(model, request, patience.limit_s)
            except ModelFault as error:
                fault, ended = error, clock.monotonic()
            else:
                run.latency_ms = _ms(clock.monotonic() - started)
                pace.note_answer(turn)
                return run.done(reply)
            run.latency_ms = _ms(ended - started)
            wait = patience.weigh(fault, turn, now=ended, took_s=ended - started, jitter=jitter)
        run.note(fault, wait or 0.0)
        if wait is None:
            return run.end(fault)
        if fault.kind != "rate_limit":  # that wait is everybody's, and part of the next turn
            with pace.rest():
                await clock.sleep(wait)


async def _one_try(model: Model, request: ModelRequest, limit_s: float) -> ModelReply:
    """One request under a wall-clock limit; every failure leaves as a ModelFault."""
    try:
        async with asyncio.timeout(limit_s):
            return await model.complete(request)
    except (ModelFault, AssayError):
        raise
    except TimeoutError as error:
        raise ModelFault("timeout", transient=True) from error
    except (Exception, SystemExit) as error:  # a model of a stranger ends no program
        # An adapter that breaks its word is a crash, not a reason to lose the run. The type
        # alone is logged: a message may quote the prompt.
        _log.warning("model adapter raised %s", type(error).__name__)
        raise ModelFault("crash", transient=False, hint=type(error).__name__) from error


class _Exchange:
    """The running account of one execution."""

    def __init__(self, model: Model, request: ModelRequest, request_id: str) -> None:
        self.model_name = model.name
        self.identity = dict(model.identity)
        self.request = request
        self.request_id = request_id
        self.tries = 0
        self.latency_ms = 0
        self.faults: list[TryFault] = []

    def note(self, fault: ModelFault, wait_s: float) -> None:
        self.faults.append(
            TryFault(
                kind=fault.kind,
                transient=fault.transient,
                latency_ms=self.latency_ms,
                waited_ms=_ms(wait_s),
                code=fault.code,
                parameter=fault.parameter,
            )
        )
        _log.warning(  # obligation 4
            "try failed: model=%s prompt=%s try=%d fault=%s wait_ms=%d",
            self.model_name,
            self.request.prompt_sha256,
            self.tries,
            fault.kind,
            _ms(wait_s),
        )

    def done(self, reply: ModelReply) -> Execution:
        """Obligation 3: the reply goes on as it came."""
        raw = reply.text if isinstance(reply.text, bytes) else _bytes(reply.text)
        _log.info(  # obligation 4
            "reply: model=%s prompt=%s tries=%d tokens_in=%s tokens_out=%s finish=%s latency_ms=%d",
            self.model_name,
            self.request.prompt_sha256,
            self.tries,
            reply.input_tokens,
            reply.output_tokens,
            reply.finish_reason,
            self.latency_ms,
        )
        return self._execution(raw=raw, reply=reply, failure=None)

    def end(self, fault: ModelFault) -> Execution:
        execution = self._execution(raw=None, reply=None, failure=fault.kind)
        if fault.kind in OF_THE_INPUT:
            return execution
        times = "once" if self.tries == 1 else f"{self.tries} times"
        name = shown_model(self.model_name)
        if fault.unfit:
            raise UnfitGaveUpError(
                f"model {name!r} can never answer what this contract asks",
                hint=fault.hint or _HINT[fault.kind],
                execution=execution,
            ) from fault
        raise ExecutionGaveUpError(
            f"model {name!r} {_WHAT[fault.kind]}{said_by(fault)} (asked {times})",
            hint=fault.hint or _HINT[fault.kind],
            execution=execution,
        ) from fault

    def _execution(
        self, *, raw: bytes | None, reply: ModelReply | None, failure: str | None
    ) -> Execution:
        return Execution(
            request_id=self.request_id,
            model_name=self.model_name,
            prompt_sha256=self.request.prompt_sha256,
            generation_status="FAILED" if reply is None else "OK",
            raw=raw,
            finish_reason=None if reply is None else reply.finish_reason,
            attempts=self.tries,
            llm_latency_ms=self.latency_ms,
            prompt_tokens_actual=None if reply is None else reply.input_tokens,
            completion_tokens_actual=None if reply is None else reply.output_tokens,
            faults=tuple(self.faults),
            failure=failure,
            provider_model="" if reply is None else reply.model,
            identity=self.identity,
            details={} if reply is None else dict(reply.details),
        )


def said_by(fault: ModelFault | TryFault) -> str:
    """The provider's own code and parameter, as they stand behind what went wrong."""
    named = [fault.code, f"parameter {fault.parameter}" if fault.parameter else ""]
    said = ", ".join(filter(None, named))
    return f": {said}" if said else ""


OF_THE_INPUT = frozenset({"bad_request", "crash", "too_large"})
"""Faults that end the exchange of one input and not the run."""

_WHAT: Mapping[str, str] = {
    "timeout": "did not answer in time",
    "rate_limit": "refused for too many requests",
    "server": "could not be reached or failed",
    "auth": "refused the key or the account",
    "setup": "refused what every call sends",
    "exhausted": "has no further reply",
}

_HINT: Mapping[str, str] = {
    "timeout": "check that the server is up, or allow more time",
    "rate_limit": "wait, or lower the number of parallel calls; settled calls are kept",
    "server": "check address and state of the server; settled calls are kept",
    "auth": "check the key in the environment",
    "setup": "check model and settings; settled calls are kept",
    "exhausted": "add replies to the file",
}


def _bytes(text: str) -> bytes:
    """UTF-8; a lone surrogate keeps its three bytes, which the gate then refuses as no UTF-8."""
    return text.encode("utf-8", "surrogatepass")


def _ms(seconds: float) -> int:
    return max(0, round(seconds * 1000))
