"""One model call from material to settled outcome: the one way data flows.

In      Job (what is asked), Item (the input it is about), the shared RuntimeContext
Out     Settled: outcome, reason, audited result; everything recorded on the way
Effects store commits (one before each model exchange, one to settle), the exchange itself
Spec    000 "Retry policy", "Token budgets"; 002 context snapshot before the call; 004 R3

The record is written before the call and completed in one transaction after it. What is
settled is never asked again; what was begun and not answered is begun again with the same
bytes.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from assay.contract.budget import Usage
from assay.contract.cut import find_cut
from assay.contract.exchange import exchange_findings
from assay.contract.job import Job, Stop
from assay.contract.material import Built
from assay.contract.outcome import Outcome, Reason
from assay.core.json.canonical import digest, digest_json
from assay.errors import CallTakenError, ModelUnavailableError
from assay.protocols import Changes, ModelRequest, Parameters
from assay.record.event import EventDraft
from assay.runtime.calls import lease, ledger
from assay.runtime.calls.budget import RunBudget
from assay.runtime.calls.context import Item, RuntimeContext, Settled, Writes, no_writes
from assay.runtime.calls.exchange_events import answered_event, judged_event
from assay.runtime.calls.execution import Execution, ExecutionGaveUpError, execute, said_by
from assay.runtime.calls.listening import add_stream_facts, listen
from assay.runtime.calls.recall import recall
from assay.runtime.calls.spending import bound_of, cost_of, money_facts
from assay.runtime.calls.trust import Trust
from assay.runtime.calls.withdrawal import InsteadOf, find_waiting


async def settle(
    context: RuntimeContext,
    job: Job,
    item: Item,
    *,
    run: int,
    budget: RunBudget,
    again: bool = False,
    writes: Writes = no_writes,
    durable_prompts: bool = True,
    trust: Trust | None = None,
) -> Settled:
    """Bring one input through one declared call.

    Args:
        run: The run that new events belong to; a call begun in an earlier run stays there.
        again: Ask the model even when the same call is settled already.
        writes: What else the settling transaction does, told outcome and result.
        durable_prompts: False lets the commit before an exchange not wait for the disk: it
            survives the death of the process all the same.
        trust: Of the run; without it a fault by an unknown code is the input's.

    Raises:
        FaultInDoubtError: *trust* cannot tell yet whose fault it is; the call stays open.
        ModelUnavailableError: the model could not be reached; the call stays open.
        StoreUnavailableError: the record could not be written; nothing was sent without it.
        ConflictError: one of *writes* was overtaken; the transaction did nothing.
    """
    key = digest_json(
        {
            "contract": job.digest,
            "model": context.model_digest,
            "input": item.digest,
            "material": digest(item.material_bytes()),
        }
    )
    leaving = nullcontext() if context.departures is None else context.departures.watch(key)
    async with context.key_locks.hold(key), leaving:
        while True:
            try:
                return await _settle_once(
                    context, job, item, key, run, budget, again, writes, durable_prompts, trust
                )
            except CallTakenError:
                # Somebody was faster. What they make of it is the outcome for us as well.
                known = await context.store.find_call(key)
                if known is None:
                    raise
                known = await lease.await_owner(context, known, job.attempts)
                settled = await recall(context, known) if known.status == "settled" else None
                if settled is not None:
                    return settled


async def _settle_once(
    context: RuntimeContext,
    job: Job,
    item: Item,
    key: str,
    run: int,
    budget: RunBudget,
    again: bool,
    writes: Writes,
    durable_prompts: bool,
    trust: Trust | None,
) -> Settled:
    known = await context.store.find_call(key)
    instead_of: InsteadOf | None = None
    if known is not None and known.status == "open":
        known = await lease.await_owner(context, known, job.attempts)
    if known is not None and known.status == "settled":
        settled = None if again else await recall(context, known)
        if settled is not None:
            return settled
        instead_of = await find_waiting(context.store, known.id)
        known = None
    if known is None:
        progress = ledger.begin(
            context, job, item, run=run, key=key, writes=writes, instead_of=instead_of
        )
    else:
        progress = await ledger.resume(context, known, writes=writes)
    progress.durable_prompts = durable_prompts
    if not job.allows(context.model.name):
        refused = Stop(outcome=Outcome.review(Reason.MODEL_REFUSED))
        return await ledger.close(context, job, item, progress, refused)
    return await _attempts(context, job, item, progress, budget, trust or Trust(answered=True))


async def _attempts(
    context: RuntimeContext,
    job: Job,
    item: Item,
    progress: ledger.Progress,
    budget: RunBudget,
    trust: Trust,
) -> Settled:
    """The ladder of specification 000: new bytes for each attempt, then a person."""
    while progress.attempt <= job.attempts:
        built = job.build(progress.attempt, progress.findings)
        if isinstance(built, Stop):
            return await ledger.close(context, job, item, progress, built)
        broken = job.budget.broken_by(built.prompt.tokens, progress.used)
        if broken is not None:
            facts = {"scope": "contract", "limit": broken, **progress.used.to_dict()}
            return await ledger.close(context, job, item, progress, _over_budget(facts))
        tokens, allowed = built.prompt.tokens, job.budget.max_output_tokens
        most = bound_of(context, tokens, allowed)
        with budget.reserve(tokens, allowed, most) as reserved:
            if reserved is None:
                facts = {"scope": "run", **budget.to_dict(), **money_facts(context, budget, most)}
                return await ledger.close(context, job, item, progress, _over_budget(facts))
            parameters = _parameters(context, job, progress.attempt)
            await ledger.record_prompt(context, job, item, progress, built, parameters, budget)
            execution = await _exchange(context, job, progress, built, parameters, trust)
            spent = Usage.of_exchange(
                counted=tokens,
                allowed=allowed,
                input_tokens=execution.prompt_tokens_actual,
                output_tokens=execution.completion_tokens_actual,
                details=execution.details,
            )
            cost = cost_of(context, execution, counted=tokens, allowed=allowed)
            reserved.settle(spent, cost)
            progress.used = progress.used.plus(spent)
        cut = find_cut(built.prompt, execution.prompt_tokens_actual, execution.details)
        progress.pending.append(answered_event(execution, progress.attempt, budget, cost, cut))
        if execution.failure == "too_large":
            facts = {"scope": "provider", "limit": said_by(execution.faults[-1])[2:]}
            return await ledger.close(context, job, item, progress, _over_budget(facts))
        if execution.generation_status != "OK":
            failure = {"failure": execution.failure, ledger.FAULT_OF: "input"}
            gave_up = Stop(outcome=Outcome.review(Reason.GAVE_UP), facts=failure)
            return await ledger.close(context, job, item, progress, gave_up)
        weighed = job.weigh(execution.raw or b"", built, execution.finish_reason).with_findings(
            exchange_findings(progress.pending[-1].facts, job.models)
        )
        progress.weighed = weighed
        progress.built = built
        progress.findings = weighed.findings
        progress.pending.append(judged_event(weighed, progress.attempt, context.library))
        if weighed.accepted:
            accepted = Stop(outcome=weighed.outcome or Outcome.accepted())
            return await ledger.close(context, job, item, progress, accepted, result=weighed.result)
        progress.attempt += 1
        progress.prompt_sha256 = None
    progress.attempt -= 1
    rejected = Stop(outcome=Outcome.review(Reason.GATE_REJECTED))
    return await ledger.close(context, job, item, progress, rejected)


def _over_budget(facts: dict[str, Any]) -> Stop:
    return Stop(outcome=Outcome.review(Reason.BUDGET_EXCEEDED), facts={"budget": facts})


def _parameters(context: RuntimeContext, job: Job, attempt: int) -> Parameters:
    wanted = job.temperature(attempt)
    return Parameters(
        # Who leaves it out from the start leaves it out of every attempt.
        temperature=context.temperature
        if wanted is None or context.temperature is None
        else wanted,
        max_output_tokens=job.budget.max_output_tokens,
        effort=context.effort,
    )


async def _exchange(
    context: RuntimeContext,
    job: Job,
    progress: ledger.Progress,
    built: Built,
    parameters: Parameters,
    trust: Trust,
) -> Execution:
    listening = listen(context, job, built, progress.attempt)
    request = ModelRequest(
        prompt=built.prompt.text,
        prompt_sha256=built.prompt.sha256,
        parameters=parameters,
        plan=job.plan(built) if context.model.needs_plan else None,
        prefix_chars=built.prefix_chars,
        parts=built.parts,
        schema=job.wire_schema(),
        listener=listening,
    )
    execution: Execution | None = None
    try:
        execution = await execute(
            context.model,
            request,
            request_id=progress.row.id,
            policy=context.retry,
            clock=context.clock,
            jitter=context.jitter,
            pace=context.pace,
        )
        trust.weigh(execution)
    except ModelUnavailableError as error:
        # The call stays open; that it was tried in vain is on record all the same.
        facts: dict[str, Any] = {"attempt": progress.attempt, "model": context.model.name}
        if isinstance(error, ExecutionGaveUpError):
            execution = error.execution
        if execution is not None:
            facts |= execution.telemetry()
        failed = EventDraft(kind="model.unavailable", facts=facts, call=progress.row.id)
        await context.store.commit(Changes(run=progress.row.run, events=(failed,)))
        raise
    return add_stream_facts(execution, listening, parameters.max_output_tokens)
