"""What a call writes into the record, and what it finds there when it is taken up again.

In      a job, its item, prompts, executions, weighed replies, the end
Out     events and rows, committed: one transaction before each exchange, one to settle
Effects store commits and reads
Spec    002 context snapshot; 000-B2; docs/explanation/architecture.md, "One call"
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from assay.contract.budget import Usage
from assay.contract.detail import detail_of, rejection_facts
from assay.contract.job import Job, Stop, Weighed
from assay.contract.material import Built
from assay.contract.outcome import Outcome, Reason
from assay.contract.result_spec import Result
from assay.contract.shortened import Shortened
from assay.core.json.canonical import canonical, digest, digest_json
from assay.errors import CallTakenError, ConflictError
from assay.gate.verdict import Finding
from assay.protocols import CallRow, Changes, Parameters, PutCall, PutReview, ReviewRow, Write
from assay.record.event import EventDraft
from assay.runtime.calls.budget import RunBudget
from assay.runtime.calls.context import Item, RuntimeContext, Settled, Writes, no_writes
from assay.runtime.calls.file_names import recorded_facts, recorded_name
from assay.runtime.calls.withdrawal import INSTEAD_OF, NOTHING, InsteadOf, Withdrawal, withdraw

FAULT_OF = "fault_of"
"""Fact of a call that gave up: whose fault that was, as it was told before it was settled. Earlier
versions told none and settled a refusal of the whole set-up as if it were the input's."""


@dataclass(slots=True, kw_only=True)
class Progress:
    """Where an unfinished call stands."""

    row: CallRow
    attempt: int
    prompt_sha256: str | None
    """Of the attempt that was recorded but not answered; None when it is yet to be built."""

    pending: list[EventDraft] = field(default_factory=list)
    """Events that wait for the next commit."""

    recorded: int = 0
    """How many events of the call are committed."""

    used: Usage = field(default_factory=Usage)
    """Tokens of the attempts that were answered."""

    findings: tuple[Finding, ...] = ()
    """What was wrong with the attempt before."""

    weighed: Weighed | None = None
    built: Built | None = None
    """The prompt of the attempt under way."""

    instead_of: InsteadOf | None = None
    """The reviews that are withdrawn when it settles; None when nobody waits for one."""

    writes: Writes = no_writes
    durable_prompts: bool = True
    """Whether the commit before an exchange waits for the disk."""


def begin(
    context: RuntimeContext,
    job: Job,
    item: Item,
    *,
    run: int,
    key: str,
    writes: Writes,
    instead_of: InsteadOf | None = None,
) -> Progress:
    row = CallRow(
        id=context.new_id(),
        run=run,
        kind=job.kind,
        key=key,
        contract=job.reference,
        contract_digest=job.digest,
        model=context.model.name,
        input=recorded_name(item.name, context.redactor) if _is_file(job) else item.name,
        input_digest=item.digest,
        subject=item.subject,
        status="open",
        attempts=0,
        created_at=context.clock.now(),
    )
    payloads = {"notes": canonical(list(item.notes))} if item.notes else {}
    if item.unread:
        payloads["unread"] = canonical([part.to_dict() for part in item.unread])
    if context.keep_inputs:
        payloads["sources"] = item.material_bytes()
        if _is_file(job):
            payloads["input"] = item.name.encode("utf-8", "surrogateescape")
    opened = EventDraft(
        kind="call.opened",
        facts={
            "kind": job.kind,
            "contract": job.reference,
            "contract_digest": job.digest,
            "pack_version": job.pack_version,
            "input_digest": item.digest,
            "key": key,
            "model": context.model.name,
            "model_digest": context.model_digest,
            "signals": list(item.material.signals),
            "notes": [note["code"] for note in item.notes],
            "owner": context.owner,
            # Only where there is one: other calls keep the facts that they always had.
            **({} if instead_of is None else {INSTEAD_OF: instead_of.to_dict()}),
        },
        payloads=payloads,
        call=row.id,
        subject=item.subject,
    )
    return Progress(
        row=row,
        attempt=1,
        prompt_sha256=None,
        pending=[opened],
        writes=writes,
        instead_of=instead_of,
    )


def _is_file(job: Job) -> bool:
    """Inputs of stages and answers are named by the program, those of contracts by files."""
    return job.kind == "contract"


async def record_prompt(
    context: RuntimeContext,
    job: Job,
    item: Item,
    progress: Progress,
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
        "contract": job.reference,
        "template": None if template is None else template.to_dict(),
        "prompt_sha256": prompt.sha256,
        "prompt_bytes": len(prompt.text.encode("utf-8")),
        "input_tokens": prompt.tokens,
        "budget": {**job.budget.to_dict(), "run": budget.to_dict()},
        "model": context.model.name,
        "model_params": parameters.to_dict(),
        "redaction": {
            "counts": dict(prompt.redaction.counts),
            "rules": context.redactor.rules_digest,
            "keyed": context.redactor.keyed,
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
        # One user message says nothing of parts, as in every record before there were any.
        **({"parts": [part.to_dict() for part in built.parts]} if built.parts else {}),
        **job.context(built),
    }
    # The exact bytes are kept only where they are encrypted at rest (002-N1).
    exact = {"prompt": prompt.text.encode("utf-8")} if context.keep_inputs else {}
    progress.pending.append(
        EventDraft(
            kind="prompt.built",
            facts=recorded_facts(facts, context.redactor),
            payloads={
                **exact,
                "prompt_redacted": prompt.redaction.text.encode("utf-8"),
                "redaction_map": canonical(dict(prompt.redaction.map)),
                **job.artefacts(built),
            },
            call=progress.row.id,
            subject=item.subject,
        )
    )
    progress.row = replace(progress.row, attempts=progress.attempt)
    await _commit(context, progress, PutCall(row=progress.row), durable=progress.durable_prompts)


def _decision_digest(
    context: RuntimeContext, job: Job, item: Item, outcome: Outcome, result: Result | None
) -> str:
    """Over what decided and what was decided: free of times, runs and places."""
    return digest_json(
        {
            "contract": job.digest,
            "pack": {"name": job.pack, "version": job.pack_version},
            "model": context.model_digest,
            "template": job.template_digest,
            "input": item.digest,
            "outcome": outcome.status,
            "reason": outcome.reason,
            "result": None if result is None else result.digest,
        }
    )


def _open_review(context: RuntimeContext, row: CallRow, now: datetime) -> ReviewRow:
    """The case of a settled call that a person has to decide."""
    return ReviewRow(
        id=context.new_id(),
        run=row.run,
        call=row.id,
        input=row.input,
        reason=row.reason or "",
        status="open",
        opened_at=now,
    )


async def close(
    context: RuntimeContext,
    job: Job,
    item: Item,
    progress: Progress,
    end: Stop,
    *,
    result: Result | None = None,
) -> Settled:
    """Outcome, events and review item in one transaction, which withdraws older reviews."""
    now = context.clock.now()
    outcome = end.outcome
    decision = _decision_digest(context, job, item, outcome, result)
    row = replace(
        progress.row,
        status="settled",
        attempts=progress.attempt,
        settled_at=now,
        outcome=outcome.status,
        reason=outcome.reason,
        decision_digest=decision,
    )
    detail = detail_of(outcome.reason, _facts_for_people(progress, end))
    facts = {
        "outcome": outcome.status,
        "reason": outcome.reason,
        "attempts": progress.attempt,
        "decision_digest": decision,
        "result_digest": None if result is None else result.digest,
        "events_before": progress.recorded + len(progress.pending),
        **({} if detail is None else {"detail": detail}),
        **recorded_facts(end.facts, context.redactor),
    }
    payloads = dict(end.payloads)
    if result is not None:
        payloads["result"] = as_it_stands(result.value)
    progress.pending.append(EventDraft(kind="call.settled", facts=facts, payloads=payloads))
    writes: list[Write] = [PutCall(row=row)]
    if outcome.status == "needs_review":
        review = _open_review(context, row, now)
        progress.pending.append(
            EventDraft(kind="review.opened", facts={"review": review.id, "reason": review.reason})
        )
        writes.append(PutReview(row=review))
    settled = Settled(
        call=row.id,
        contract=job.reference,
        outcome=outcome,
        result=None if result is None else result.value,
        attempts=progress.attempt,
        weighed=progress.weighed,
        detail=detail,
        shortened=None if result is None else Shortened.of_built(progress.built),
    )
    events, more = progress.writes(settled)
    progress.pending.extend(events)
    await _commit_last(context, progress, *writes, *more)
    return settled


async def _commit_last(context: RuntimeContext, progress: Progress, *writes: Write) -> None:
    """Settle. A review that a person decides at the same moment stays what that made of it."""
    while True:
        withdrawal = await withdraw(context.store, progress.instead_of, by=progress.row.id)
        try:
            return await _commit(context, progress, *writes, withdrawal=withdrawal)
        except CallTakenError:
            raise
        except ConflictError:
            if not await withdrawal.is_overtaken(context.store):
                raise


def _facts_for_people(progress: Progress, end: Stop) -> Mapping[str, Any]:
    if end.outcome.reason != Reason.GATE_REJECTED or end.facts:
        return end.facts
    schema = None if progress.weighed is None else progress.weighed.schema
    return {"rejected": rejection_facts(progress.attempt, progress.findings, schema)}


async def _commit(
    context: RuntimeContext,
    progress: Progress,
    *writes: Write,
    durable: bool = True,
    withdrawal: Withdrawal = NOTHING,
) -> None:
    row = progress.row
    events = tuple(replace(event, call=row.id, subject=row.subject) for event in progress.pending)
    await context.store.commit(
        Changes(
            run=row.run,
            events=(*withdrawal.events, *events),
            writes=(*writes, *withdrawal.writes),
            durable=durable,
        )
    )
    progress.recorded += len(events)
    progress.pending.clear()


def as_it_stands(value: Mapping[str, Any]) -> bytes:
    """A result as JSON in its own order of keys.

    Later contracts are shown results as text: what is read back must give the same bytes.
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


async def resume(context: RuntimeContext, row: CallRow, *, writes: Writes) -> Progress:
    """An open call goes on at the attempt that was recorded last and not answered.

    Raises:
        CallTakenError: somebody settled it, or went on with it, meanwhile.
    """
    seen = 0
    attempt, waiting, counted, allowed, used = 1, None, 0, 0, Usage()
    findings: tuple[Finding, ...] = ()
    recorded = 1  # with the one below
    instead_of: InsteadOf | None = None
    async for event in context.store.events(call=row.id):
        recorded += 1
        seen = event.seq
        if event.kind == "call.opened":
            instead_of = InsteadOf.of_opened(event.facts)
        elif event.kind == "prompt.built":
            attempt, waiting = int(event.facts["attempt"]), str(event.facts["prompt_sha256"])
            counted = int(event.facts["input_tokens"])
            allowed = int(event.facts["budget"]["max_output_tokens"])
        elif event.kind == "model.answered":
            attempt, waiting = int(event.facts["attempt"]) + 1, None
            spent = Usage.of_exchange(
                counted=counted,
                allowed=allowed,
                input_tokens=event.facts["prompt_tokens_actual"],
                output_tokens=event.facts["completion_tokens_actual"],
                details=event.facts.get("details") or {},
            )
            used = used.plus(spent)
        elif event.kind == "output.judged":
            kept = await context.store.payload(event.seq, "findings")
            findings = () if kept is None else tuple(map(Finding.from_dict, json.loads(kept)))
    resumed = EventDraft(
        kind="call.resumed",
        facts={"owner": context.owner, "attempt": attempt},
        call=row.id,
        subject=row.subject,
    )
    write = PutCall(row=row, seen=seen)
    await context.store.commit(Changes(run=row.run, events=(resumed,), writes=(write,)))
    return Progress(
        row=row,
        attempt=attempt,
        prompt_sha256=waiting,
        recorded=recorded,
        used=used,
        findings=findings,
        writes=writes,
        instead_of=instead_of,
    )
