"""A pack's flow over many inputs: one outcome each, nothing lost on the way.

In      Pack, items, the RuntimeContext
Out     ItemOutcome for each input, as it settles
Effects store commits, model exchanges
Spec    interfaces.md, "Command line" (`assay run`)

Each contract settles on its own; one call in review makes the input's outcome a review and
leaves that part of the result null.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from assay.contract.budget import Usage
from assay.contract.contract_job import ContractJob
from assay.contract.detail import unreadable_detail
from assay.contract.outcome import Outcome, Reason
from assay.contract.shortened import Shortened
from assay.core.json.canonical import canonical, digest_json
from assay.errors import NotFoundError, PromptTemplateError, UsageError
from assay.figures.outcome_html import find_marks, outcome_html
from assay.pack.pack import Pack
from assay.protocols import Changes, Model, PutReview, ReviewRow, is_over_network
from assay.record.event import EventDraft
from assay.runtime.calls.budget import RunBudget, most_of_flow
from assay.runtime.calls.call import settle
from assay.runtime.calls.context import Item, RuntimeContext, Settled
from assay.runtime.calls.earlier_results import EarlierResult, with_earlier_results
from assay.runtime.calls.file_names import readable_name, recorded_name
from assay.runtime.calls.hold import hold_shortened
from assay.runtime.calls.inputs import Refused
from assay.runtime.calls.spending import bound_of, require_price
from assay.runtime.calls.trust import Pacing, Trust, bring_in_order
from assay.runtime.templates.registry import resolve_contract, tell_refused
from assay.sources.reading import UnreadPart


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemOutcome:
    """What became of one input; `to_dict` is the line that `assay run --json` prints."""

    input: str
    outcome: Outcome
    calls: tuple[Settled, ...]
    result: dict[str, Any] | None
    detail: str | None = None
    """One sentence on why it is not accepted, without personal data."""

    shortened: Shortened | None = None
    """What the accepted attempts of its calls did not show the model; the largest of them."""

    unread: tuple[UnreadPart, ...] = ()
    """Parts of it that gave no text."""

    review: str | None = None
    """The case of an input that could not be read; those of calls are named by their calls."""

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
            "detail": self.detail,
            "calls": [call.call for call in self.calls],
            "result": self.result,
            "shortened": None if self.shortened is None else self.shortened.to_dict(),
            "unread": [part.to_dict() for part in self.unread],
        }

    def _repr_html_(self) -> str:
        """What a notebook shows: findings, result, and the evidence marked in the texts."""
        weighed = [call.weighed for call in self.calls if call.weighed is not None]
        return outcome_html(
            title=self.input,
            status=self.outcome.status,
            reason=self.outcome.reason,
            detail=self.detail,
            findings=[finding.to_dict() for each in weighed for finding in each.findings],
            result=self.result,
            texts=self.texts,
            marks=find_marks(self.result),
        )


NETWORK_PARALLEL = 8
"""Inputs in flight for a model over a network, where nobody says how many."""


def inputs_in_flight(wanted: int | None, model: Model) -> int:
    """How many inputs are under way at once.

    Raises:
        UsageError: fewer than one.
    """
    if wanted is None:
        return NETWORK_PARALLEL if is_over_network(model) else 1
    if wanted < 1:
        raise UsageError("parallel must be 1 or more")
    return wanted


async def run_pack(
    context: RuntimeContext,
    pack: Pack,
    items: AsyncIterator[Item | Refused],
    *,
    budget: RunBudget,
    again: bool = False,
    parallel: int | None = None,
    halted: Callable[[], bool] = lambda: False,
    asked: Mapping[str, str] | None = None,
) -> AsyncGenerator[ItemOutcome]:
    """Run *pack* over *items* in their order; yields each outcome once it is recorded.

    Args:
        parallel: Inputs in flight; None is 8 for a model over a network and 1 for others.
        halted: True once no further input shall be begun; those under way are settled,
            unless all of them only wait to be sent: these are left to be done.
        asked: What else the caller said, without personal data; kept with the run.

    Raises:
        ModelUnavailableError: the model is unreachable; what was settled stays.
        UsageError: the pack has nothing that is run over inputs; or the budget has a limit of
            money, and what the model costs is not known.
    """
    pack.require_flow()
    require_price(context, budget)
    facts = {
        "pack": pack.name,
        "pack_version": pack.version,
        "pack_digest": pack.digest,
        "model": context.model.name,
        "model_identity": dict(context.model.identity),
        "budget": budget.to_dict(),
        **({"asked": dict(asked)} if asked else {}),
    }
    pacing = Pacing(
        parallel=inputs_in_flight(parallel, context.model),
        may_begin=lambda begun: _have_room(context, pack, budget, begun + 1),
        halted=halted,
        resting=lambda: context.pace.resting,
    )
    run = await context.store.start_run("pack", facts)
    counts: dict[str, int] = {}
    ended = "interrupted"

    async def bring(entry: Item | Refused, trust: Trust) -> ItemOutcome:
        if isinstance(entry, Refused):
            return await _refuse(context, entry, run=run)
        return await _bring_item(
            context, pack, entry, run=run, budget=budget, again=again, trust=trust
        )

    try:
        async with aclosing(bring_in_order(items, bring, pacing)) as outcomes:
            async for outcome in outcomes:
                counts[outcome.outcome.status] = counts.get(outcome.outcome.status, 0) + 1
                yield outcome
        if not halted():
            ended = "complete"
    finally:
        closing = EventDraft(
            kind="run.ended",
            facts={
                "how": ended,
                "outcomes": counts,
                "budget": budget.to_dict(),
                "cost": budget.spending.to_dict(),
            },
        )
        await context.store.commit(Changes(run=run, events=(closing,)))


def _have_room(context: RuntimeContext, pack: Pack, budget: RunBudget, inputs: int) -> bool:
    """Do as many inputs fit into what is left of *budget*, whatever they use?"""
    if not budget.limited:
        return True
    one = most_of_flow(pack.ordered_contracts())
    most = Usage(input_tokens=one.input_tokens * inputs, output_tokens=one.output_tokens * inputs)
    return budget.has_room(most, bound_of(context, most.input_tokens, most.output_tokens))


async def _bring_item(
    context: RuntimeContext,
    pack: Pack,
    item: Item,
    *,
    run: int,
    budget: RunBudget,
    again: bool,
    trust: Trust,
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
            call = await settle(
                context, job, about, run=run, budget=budget, again=again, trust=trust
            )
        except PromptTemplateError as error:
            await tell_refused(context.store, contract, error, run=run)
            raise
        settled.append(call)
        parts[contract.result_name] = call.result
        delivered[contract.result_name] = EarlierResult(contract=contract, result=call.result)
    hold = await hold_shortened(context, pack, settled, run=run)
    if hold is not None and hold.refused:
        for contract in pack.ordered_contracts():
            if contract.reference in hold.contracts:
                parts[contract.result_name] = None
    doubtful = next((call for call in settled if call.outcome.status != "accepted"), None)
    if doubtful is not None:
        outcome, detail = doubtful.outcome, doubtful.detail
    elif hold is not None and not hold.released:
        outcome, detail = Outcome.review(Reason.INPUT_SHORTENED), hold.detail
    else:
        outcome, detail = Outcome.accepted(), None
    return ItemOutcome(
        input=item.name,
        outcome=outcome,
        detail=detail,
        calls=tuple(settled),
        result=parts,
        shortened=Shortened.largest(call.shortened for call in settled),
        unread=item.unread,
        texts=dict(item.material.texts),
    )


async def _refuse(context: RuntimeContext, refused: Refused, *, run: int) -> ItemOutcome:
    """An input that cannot be read is a recorded outcome with a review, not an exception.

    One that is waiting for a person already is not handed in twice.
    """
    outcome = Outcome.review(Reason.INPUT_UNREADABLE)
    recorded = recorded_name(refused.name, context.redactor)
    # Named by what it is about, so that a second run finds it; by the name itself at first.
    review_id = digest_json([recorded, refused.digest]).removeprefix("sha256:")[:32]
    before = digest_json([readable_name(refused.name), refused.digest]).removeprefix("sha256:")[:32]
    settled = ItemOutcome(
        input=refused.name,
        outcome=outcome,
        calls=(),
        result=None,
        detail=unreadable_detail(refused.reason),
        review=review_id,
    )
    for known in (review_id, before):
        try:
            await context.store.review(known)
        except NotFoundError:
            continue
        return replace(settled, review=known)
    review = ReviewRow(
        id=review_id,
        run=run,
        call=None,
        input=recorded,
        reason=Reason.INPUT_UNREADABLE,
        status="open",
        opened_at=context.clock.now(),
    )
    readable = readable_name(refused.name) if context.keep_inputs else recorded
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
