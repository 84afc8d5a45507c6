"""A pack's flow over many inputs: one outcome each, nothing lost on the way.

In      Pack, items, the RuntimeContext
Out     ItemOutcome for each input, as it settles
Effects store commits, model exchanges
Spec    interfaces.md, "Command line" (`assay run`)

Each contract settles on its own; one call in review makes the input's outcome a review and
leaves that part of the result null.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from assay.contract.contract_job import ContractJob
from assay.contract.outcome import Outcome, Reason
from assay.core.json.canonical import canonical, digest_json
from assay.errors import NotFoundError, PromptTemplateError
from assay.pack.pack import Pack
from assay.protocols import Changes, PutReview, ReviewRow
from assay.record.event import EventDraft
from assay.runtime.calls.budget import RunBudget
from assay.runtime.calls.call import settle
from assay.runtime.calls.context import Item, RuntimeContext, Settled
from assay.runtime.calls.earlier_results import EarlierResult, with_earlier_results
from assay.runtime.calls.file_names import recorded_name
from assay.runtime.calls.inputs import Refused
from assay.runtime.templates.registry import resolve_contract, tell_refused


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemOutcome:
    """What became of one input; `to_dict` is the line that `assay run --json` prints."""

    input: str
    outcome: Outcome
    calls: tuple[Settled, ...]
    result: dict[str, Any] | None
    texts: dict[str, str] = field(default_factory=dict)
    """The named source texts, for showing evidence; not part of the printed line."""

    @property
    def attempts(self) -> int:
        return max((call.attempts for call in self.calls), default=0)

    @property
    def reused(self) -> bool:
        return bool(self.calls) and all(call.reused for call in self.calls)

    @property
    def erased(self) -> bool:
        return any(call.erased for call in self.calls)

    def to_dict(self) -> dict[str, Any]:
        return {
            "input": self.input,
            "outcome": self.outcome.status,
            "reason": self.outcome.reason,
            "calls": [call.call for call in self.calls],
            "result": self.result,
        }


async def run_pack(
    context: RuntimeContext,
    pack: Pack,
    items: Iterable[Item | Refused],
    *,
    budget: RunBudget,
    again: bool = False,
) -> AsyncIterator[ItemOutcome]:
    """Run *pack* over *items* in their order; yields each outcome once it is recorded.

    Raises:
        ModelUnavailableError: the model is unreachable; what was settled stays.
    """
    facts = {
        "pack": pack.name,
        "pack_version": pack.version,
        "pack_digest": pack.digest,
        "model": context.model.name,
        "model_identity": dict(context.model.identity),
        "budget": budget.to_dict(),
    }
    run = await context.store.start_run("pack", facts)
    counts: dict[str, int] = {}
    ended = "interrupted"
    try:
        for entry in items:
            if isinstance(entry, Refused):
                outcome = await _refuse(context, entry, run=run)
            else:
                outcome = await _bring_item(
                    context, pack, entry, run=run, budget=budget, again=again
                )
            counts[outcome.outcome.status] = counts.get(outcome.outcome.status, 0) + 1
            yield outcome
        ended = "complete"
    finally:
        closing = EventDraft(
            kind="run.ended", facts={"how": ended, "outcomes": counts, "budget": budget.to_dict()}
        )
        await context.store.commit(Changes(run=run, events=(closing,)))


async def _bring_item(
    context: RuntimeContext, pack: Pack, item: Item, *, run: int, budget: RunBudget, again: bool
) -> ItemOutcome:
    settled: list[Settled] = []
    parts: dict[str, Any] = {}
    delivered: dict[str, EarlierResult] = {}
    for declared in pack.ordered_contracts():
        contract = await resolve_contract(
            context.registry, pack, declared, run=run, assignment=f"run {run}"
        )
        material = with_earlier_results(contract, item.material, delivered)
        if material is None:  # what it takes is with a person: it cannot be asked yet
            parts[contract.result_name] = None
            continue
        about = replace(item, material=material)
        job = ContractJob(contract=contract, material=material, redactor=context.redactor)
        try:
            call = await settle(context, job, about, run=run, budget=budget, again=again)
        except PromptTemplateError as error:
            await tell_refused(context.store, contract, error, run=run)
            raise
        settled.append(call)
        parts[contract.result_name] = call.result
        delivered[contract.result_name] = EarlierResult(contract=contract, result=call.result)
    doubtful = next((call.outcome for call in settled if call.outcome.status != "accepted"), None)
    return ItemOutcome(
        input=item.name,
        outcome=doubtful or Outcome.accepted(),
        calls=tuple(settled),
        result=parts,
        texts=dict(item.material.texts),
    )


async def _refuse(context: RuntimeContext, refused: Refused, *, run: int) -> ItemOutcome:
    """An input that cannot be read is a recorded outcome with a review, not an exception.

    One that is waiting for a person already is not handed in twice.
    """
    outcome = Outcome.review(Reason.INPUT_UNREADABLE)
    settled = ItemOutcome(input=refused.name, outcome=outcome, calls=(), result=None)
    recorded = recorded_name(refused.name, context.redactor)
    # Named by what it is about, so that a second run finds it; by the name itself at first.
    review_id = digest_json([recorded, refused.digest]).removeprefix("sha256:")[:32]
    before = digest_json([refused.name, refused.digest]).removeprefix("sha256:")[:32]
    for known in (review_id, before):
        try:
            await context.store.review(known)
        except NotFoundError:
            continue
        return settled
    review = ReviewRow(
        id=review_id,
        run=run,
        call=None,
        input=recorded,
        reason=Reason.INPUT_UNREADABLE,
        status="open",
        opened_at=context.clock.now(),
    )
    readable = refused.name if context.keep_inputs else recorded
    unreadable = EventDraft(
        kind="input.unreadable",
        facts={"input_digest": refused.digest, "review": review.id},
        payloads={"why": canonical({"input": readable, "reason": refused.reason})},
        subject=refused.digest,
    )
    opened = EventDraft(kind="review.opened", facts={"review": review.id, "reason": review.reason})
    await context.store.commit(
        Changes(run=run, events=(unreadable, opened), writes=(PutReview(row=review),))
    )
    return settled
