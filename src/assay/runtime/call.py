"""One model call from material to settled outcome: the one way data flows.

In      Contract, Item (named texts and slots of one input), the shared Workbench
Out     Settled: outcome, reason, audited result; everything recorded on the way
Effects store commits (one before each model exchange, one to settle), the exchange itself
Spec    000 "Retry policy", "Token budgets"; 002 context snapshot before the call; 004 R3

The record is written before the call and completed in one transaction after it. What is
settled is never asked again; what was begun and not answered is begun again with the same
bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from assay.contract.budget import Usage
from assay.contract.build import Built, Material, OverBudget, build
from assay.contract.contract import Contract, judge
from assay.contract.decoding import plan
from assay.contract.outcome import Outcome, Reason
from assay.contract.result import Result, settle_result
from assay.core.canonical import canonical, digest, digest_json
from assay.errors import ModelUnavailableError
from assay.gate.gate import Verdict
from assay.prompt.redaction import Redactor
from assay.protocols import (
    CallRow,
    Changes,
    Clock,
    Model,
    ModelRequest,
    Parameters,
    PutCall,
    PutReview,
    ReviewRow,
    Store,
)
from assay.record.event import EventDraft
from assay.runtime.budget import RunBudget
from assay.runtime.execution import Execution, ExecutionGaveUpError, RetryPolicy, execute


@dataclass(frozen=True, slots=True, kw_only=True)
class Workbench:
    """What all calls of one runtime share."""

    store: Store
    model: Model
    clock: Clock
    redactor: Redactor
    retry: RetryPolicy
    jitter: Callable[[], float]
    """A number from 0 up to 1 for the back-off; injected so that tests can fix it."""

    new_id: Callable[[], str]
    temperature: float
    """Of the first attempt, "configured for the environment"."""

    keep_inputs: bool
    """Source texts are stored for replay and review: only when they are encrypted at rest."""

    @property
    def model_digest(self) -> str:
        """What exactly answers: the name and the facts that fix it."""
        return digest_json({"name": self.model.name, "identity": dict(self.model.identity)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One input, ready to be put into prompts."""

    name: str
    """For people: the file name as given."""

    digest: str
    """Over the bytes of the input."""

    subject: str
    """Pseudonym of whom it is about; what `audit erase` takes."""

    material: Material
    notes: tuple[dict[str, str], ...] = ()
    """What reading it had to put up with: charsets claimed, parts left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What became of one call."""

    call: str
    contract: str
    outcome: Outcome
    result: dict[str, Any] | None
    attempts: int
    reused: bool = False
    """It was settled before; no model was asked this time."""

    verdict: Verdict | None = None
    """Of the last attempt; None when reused or when no reply was weighed."""


@dataclass(slots=True, kw_only=True)
class _Progress:
    """Where an unfinished call stands."""

    row: CallRow
    attempt: int
    prompt_sha256: str | None
    """Of the attempt that was recorded but not answered; None when it is yet to be built."""

    pending: list[EventDraft] = field(default_factory=list)
    """Events that wait for the next commit."""

    used: Usage = field(default_factory=Usage)
    """Tokens of the attempts that were answered."""


async def settle(
    bench: Workbench,
    contract: Contract,
    item: Item,
    *,
    run: int,
    budget: RunBudget,
    again: bool = False,
) -> Settled:
    """Bring one input through one contract.

    Args:
        run: The run that new events belong to; a call begun in an earlier run stays there.
        again: Ask the model even when the same call is settled already.

    Raises:
        ModelUnavailableError: the model could not be reached; the call stays open.
        StoreUnavailableError: the record could not be written; nothing was sent without it.
    """
    key = digest_json(
        {
            "contract": contract.digest,
            "model": bench.model_digest,
            "input": item.digest,
            "material": _material_digest(item.material),
        }
    )
    known = None if again else await bench.store.find_call(key)
    if known is not None and known.status == "settled":
        settled = await _recall(bench, known)
        if settled is not None:
            return settled
        known = None
    if known is None:
        progress = _begin(bench, contract, item, run=run, key=key)
    else:
        progress = await _resume(bench, known)
    if not contract.allows(bench.model.name):
        return await _close(bench, contract, item, progress, Outcome.review(Reason.MODEL_REFUSED))
    return await _attempts(bench, contract, item, progress, budget)


async def _attempts(
    bench: Workbench, contract: Contract, item: Item, progress: _Progress, budget: RunBudget
) -> Settled:
    """The ladder of specification 000: new bytes for each attempt, then a person."""
    verdict: Verdict | None = None
    while progress.attempt <= len(contract.attempts):
        built = build(contract, item.material, progress.attempt, bench.redactor)
        if isinstance(built, OverBudget):
            outcome = Outcome.review(Reason.BUDGET_EXCEEDED)
            note = {"scope": "contract", "tokens": built.tokens, "limit": built.limit}
            return await _close(bench, contract, item, progress, outcome, verdict, note)
        broken = contract.budget.broken_by(built.prompt.tokens, progress.used)
        if broken is not None:
            outcome = Outcome.review(Reason.BUDGET_EXCEEDED)
            note = {"scope": "contract", "limit": broken, **progress.used.to_dict()}
            return await _close(bench, contract, item, progress, outcome, verdict, note)
        with budget.reserve(built.prompt.tokens, contract.budget.max_output_tokens) as reserved:
            if reserved is None:
                outcome = Outcome.review(Reason.BUDGET_EXCEEDED)
                note = {"scope": "run", **budget.to_dict()}
                return await _close(bench, contract, item, progress, outcome, verdict, note)
            parameters = _parameters(bench, contract, progress.attempt)
            await _record_prompt(bench, contract, item, progress, built, parameters, budget)
            execution = await _exchange(bench, contract, item, progress, built, parameters)
            spent = _usage(execution, built.prompt.tokens)
            reserved.used(spent)
            progress.used = progress.used.plus(spent)
        if execution.generation_status != "OK":
            progress.pending.append(_answered(execution, progress.attempt, budget))
            outcome = Outcome.review(Reason.GAVE_UP)
            return await _close(bench, contract, item, progress, outcome, verdict)
        verdict = judge(
            contract,
            execution.raw or b"",
            shown=built.shown,
            state=item.material.state,
            input=item.material.input,
            finish_reason=execution.finish_reason,
        )
        progress.pending.append(_answered(execution, progress.attempt, budget))
        progress.pending.append(_judged(verdict, progress.attempt))
        if verdict.accepted:
            result, verdict = settle_result(
                contract, verdict, item.material, bench.redactor, built=built
            )
            if result is not None:
                outcome = Outcome.accepted()
                return await _close(
                    bench, contract, item, progress, outcome, verdict, result=result
                )
            progress.pending.append(_judged(verdict, progress.attempt))
        progress.attempt += 1
        progress.prompt_sha256 = None
    progress.attempt -= 1
    outcome = Outcome.review(Reason.GATE_REJECTED)
    return await _close(bench, contract, item, progress, outcome, verdict)


def _usage(execution: Execution, counted: int) -> Usage:
    """What the provider counted; our own count of the prompt where it gave none."""
    actual = execution.prompt_tokens_actual
    return Usage(
        input_tokens=counted if actual is None else actual,
        output_tokens=execution.completion_tokens_actual or 0,
    )


def _parameters(bench: Workbench, contract: Contract, attempt: int) -> Parameters:
    wanted = contract.attempt(attempt).temperature
    return Parameters(
        temperature=bench.temperature if wanted is None else wanted,
        max_output_tokens=contract.budget.max_output_tokens,
    )


async def _exchange(
    bench: Workbench,
    contract: Contract,
    item: Item,
    progress: _Progress,
    built: Built,
    parameters: Parameters,
) -> Execution:
    request = ModelRequest(
        prompt=built.prompt.text,
        prompt_sha256=built.prompt.sha256,
        parameters=parameters,
        plan=plan(contract, built, item.material),
        prefix_chars=built.prefix_chars,
    )
    try:
        return await execute(
            bench.model,
            request,
            request_id=progress.row.id,
            policy=bench.retry,
            clock=bench.clock,
            jitter=bench.jitter,
        )
    except ModelUnavailableError as error:
        # The call stays open; that it was tried in vain is on record all the same.
        facts: dict[str, Any] = {"attempt": progress.attempt, "model": bench.model.name}
        if isinstance(error, ExecutionGaveUpError):
            facts |= error.execution.telemetry()
        await bench.store.commit(
            Changes(
                run=progress.row.run,
                events=(EventDraft(kind="model.unavailable", facts=facts, call=progress.row.id),),
            )
        )
        raise


# --- what is written ------------------------------------------------------------------------


def _begin(bench: Workbench, contract: Contract, item: Item, *, run: int, key: str) -> _Progress:
    row = CallRow(
        id=bench.new_id(),
        run=run,
        key=key,
        contract=contract.reference,
        contract_digest=contract.digest,
        model=bench.model.name,
        input=item.name,
        input_digest=item.digest,
        subject=item.subject,
        status="open",
        attempts=0,
        created_at=bench.clock.now(),
    )
    payloads = {"notes": canonical(list(item.notes))} if item.notes else {}
    if bench.keep_inputs:
        payloads["sources"] = _material_bytes(item.material)
    opened = EventDraft(
        kind="call.opened",
        facts={
            "contract": contract.reference,
            "contract_digest": contract.digest,
            "pack_version": contract.pack_version,
            "input_digest": item.digest,
            "key": key,
            "model": bench.model.name,
            "model_digest": bench.model_digest,
            "signals": list(item.material.signals),
            "notes": [note["code"] for note in item.notes],
        },
        payloads=payloads,
        call=row.id,
        subject=item.subject,
    )
    return _Progress(row=row, attempt=1, prompt_sha256=None, pending=[opened])


async def _record_prompt(
    bench: Workbench,
    contract: Contract,
    item: Item,
    progress: _Progress,
    built: Built,
    parameters: Parameters,
    budget: RunBudget,
) -> None:
    """Commit the context snapshot before anything is sent (002)."""
    prompt = built.prompt
    if progress.prompt_sha256 == prompt.sha256:
        return  # begun before and not answered: it is on record already
    template = prompt.template
    facts: dict[str, Any] = {
        "attempt": progress.attempt,
        "contract": contract.reference,
        "template": None if template is None else template.to_dict(),
        "prompt_sha256": prompt.sha256,
        "prompt_bytes": len(prompt.text.encode("utf-8")),
        "input_tokens": prompt.tokens,
        "budget": {**contract.budget.to_dict(), "run": budget.to_dict()},
        "model": bench.model.name,
        "model_params": parameters.to_dict(),
        "redaction": {
            "counts": dict(prompt.redaction.counts),
            "rules": bench.redactor.rules_digest,
            "truncated": prompt.redaction.truncated,
        },
        "shown": [
            {
                "source": shown.name,
                "digest": digest(shown.original),
                "segments": [list(pair) for pair in shown.segments],
            }
            for shown in built.shown
        ],
        "omitted": [omission.to_dict() for omission in built.omitted],
        "snippet_ids": [],
        "retrieval_metrics": {},
    }
    progress.pending.append(
        EventDraft(
            kind="prompt.built",
            facts=facts,
            payloads={
                "prompt_redacted": prompt.redaction.text.encode("utf-8"),
                "redaction_map": canonical(dict(prompt.redaction.map)),
            },
            call=progress.row.id,
            subject=item.subject,
        )
    )
    progress.row = replace(progress.row, attempts=progress.attempt)
    await _commit(bench, progress, PutCall(row=progress.row))


def _answered(execution: Execution, attempt: int, budget: RunBudget) -> EventDraft:
    raw = execution.raw or b""
    facts = {
        **execution.telemetry(),
        "attempt": attempt,
        "raw_sha256": digest(raw),
        "run_usage": budget.to_dict(),
    }
    return EventDraft(kind="model.answered", facts=facts, payloads={"raw": raw})


def _judged(verdict: Verdict, attempt: int) -> EventDraft:
    # A path or message may name keys that the model invented: codes alone are facts.
    return EventDraft(
        kind="output.judged",
        facts={
            "attempt": attempt,
            "verdict": "accepted" if verdict.accepted else "rejected",
            "findings": [
                {"code": finding.code, "severity": finding.severity} for finding in verdict.findings
            ],
        },
        payloads={
            "findings": canonical([finding.to_dict() for finding in verdict.findings]),
            "spans": canonical([span.to_dict() for span in verdict.spans]),
        },
    )


async def _close(
    bench: Workbench,
    contract: Contract,
    item: Item,
    progress: _Progress,
    outcome: Outcome,
    verdict: Verdict | None = None,
    note: dict[str, Any] | None = None,
    *,
    result: Result | None = None,
) -> Settled:
    """Outcome, events and review item in one transaction."""
    now = bench.clock.now()
    value = None if result is None else result.value
    decision = digest_json(
        {
            "contract": contract.digest,
            "pack": {"name": contract.pack, "version": contract.pack_version},
            "model": bench.model_digest,
            "template": None if contract.template is None else contract.template.fields_sha256,
            "input": item.digest,
            "outcome": outcome.status,
            "reason": outcome.reason,
            "result": None if result is None else result.digest,
        }
    )
    row = replace(
        progress.row,
        status="settled",
        attempts=progress.attempt,
        settled_at=now,
        outcome=outcome.status,
        reason=outcome.reason,
        decision_digest=decision,
    )
    facts = {
        "outcome": outcome.status,
        "reason": outcome.reason,
        "attempts": progress.attempt,
        "decision_digest": decision,
        "result_digest": None if result is None else result.digest,
        **({"budget": note} if note else {}),
    }
    payloads = {} if value is None else {"result": canonical(value)}
    progress.pending.append(EventDraft(kind="call.settled", facts=facts, payloads=payloads))
    writes: list[PutCall | PutReview] = [PutCall(row=row)]
    if outcome.status == "needs_review":
        review = ReviewRow(
            id=bench.new_id(),
            run=row.run,
            call=row.id,
            input=item.name,
            reason=outcome.reason or "",
            status="open",
            opened_at=now,
        )
        progress.pending.append(
            EventDraft(kind="review.opened", facts={"review": review.id, "reason": review.reason})
        )
        writes.append(PutReview(row=review))
    await _commit(bench, progress, *writes)
    return Settled(
        call=row.id,
        contract=contract.reference,
        outcome=outcome,
        result=value,
        attempts=progress.attempt,
        verdict=verdict,
    )


async def _commit(bench: Workbench, progress: _Progress, *writes: PutCall | PutReview) -> None:
    row = progress.row
    events = tuple(replace(event, call=row.id, subject=row.subject) for event in progress.pending)
    await bench.store.commit(Changes(run=row.run, events=events, writes=writes))
    progress.pending.clear()


# --- what is read back ----------------------------------------------------------------------


async def _recall(bench: Workbench, row: CallRow) -> Settled | None:
    """The stored outcome of a settled call; None when it deserves another try.

    Only a call that a *run's* budget kept from being sent is tried again.
    """
    result: dict[str, Any] | None = None
    async for event in bench.store.events(call=row.id, kind="call.settled"):
        if event.facts.get("budget", {}).get("scope") == "run":
            return None
        if "result" in event.commitments:
            content = await bench.store.payload(event.seq, "result")
            result = None if content is None else json.loads(content)
    return Settled(
        call=row.id,
        contract=row.contract,
        outcome=Outcome(status=row.outcome or "needs_review", reason=row.reason),
        result=result,
        attempts=row.attempts,
        reused=True,
    )


async def _resume(bench: Workbench, row: CallRow) -> _Progress:
    """An open call goes on at the attempt that was recorded last and not answered."""
    attempt, waiting, counted, used = 1, None, 0, Usage()
    async for event in bench.store.events(call=row.id):
        if event.kind == "prompt.built":
            attempt, waiting = int(event.facts["attempt"]), str(event.facts["prompt_sha256"])
            counted = int(event.facts["input_tokens"])
        elif event.kind == "model.answered":
            attempt, waiting = int(event.facts["attempt"]) + 1, None
            actual = event.facts["prompt_tokens_actual"]
            written = event.facts["completion_tokens_actual"] or 0
            spent = Usage(input_tokens=counted if actual is None else actual, output_tokens=written)
            used = used.plus(spent)
    return _Progress(row=row, attempt=attempt, prompt_sha256=waiting, used=used)


def _material_bytes(material: Material) -> bytes:
    return canonical(
        {
            "texts": [[name, text] for name, text in material.texts.items()],
            "slots": dict(material.slots),
            "signals": list(material.signals),
            "state": None if material.state is None else dict(material.state),
            "input": dict(material.input),
        }
    )


def _material_digest(material: Material) -> str:
    return digest(_material_bytes(material))
