"""One prompt, one class, one outcome: a call without a pack.

In      a contract with a prompt, named texts, the RuntimeContext
Out     Completed: outcome, the instance of the class, findings, where its quotes stand
Effects store commits, model exchanges
Spec    007-C6; interfaces.md, "Python"

It goes the way of every other call: ladder, budget, record, review. What is settled under the same
class, prompt, model and texts is not sent again; its instance is made once more from the record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic

from assay.contract.build import require_inner_system
from assay.contract.catalogue import LABELS, SCHEMA, SIGNALS, sources_of
from assay.contract.classes.declared import PACK
from assay.contract.contract import Contract, ModelT, judge
from assay.contract.contract_job import ContractJob
from assay.contract.material import Material
from assay.contract.outcome import Outcome
from assay.contract.shortened import Shortened
from assay.core.json.canonical import digest_json
from assay.errors import IntegrityError, NotAllowedError, PromptTemplateError, UsageError
from assay.figures.outcome_html import Mark, outcome_html
from assay.gate.marked import quoted_sources
from assay.gate.verdict import Finding, LocatedAt
from assay.protocols import Changes
from assay.record.event import EventDraft
from assay.runtime.calls.budget import RunBudget
from assay.runtime.calls.call import settle
from assay.runtime.calls.context import Item, RuntimeContext, Settled
from assay.runtime.calls.ledger import as_it_stands
from assay.runtime.calls.spending import require_price
from assay.runtime.replay.kept import kept_call


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed(Generic[ModelT]):
    """What became of one call of a class."""

    outcome: Outcome
    value: ModelT | None
    """The instance; None unless the outcome is `accepted`, or when it has been erased since, or
    where the contract is a schema without a class."""

    findings: tuple[Finding, ...]
    """Of the last attempt; notes alone when accepted."""

    output: dict[str, Any] | None = None
    """What the model said, as it stands on record; None unless accepted."""

    contract: str
    """`python/NAME`."""

    call: str
    """Its id on record."""

    spans: tuple[LocatedAt, ...] = ()
    """Where each quote of the value stands in the sources."""

    attempts: int = 0
    detail: str | None = None
    """One sentence on why it is not accepted, without personal data."""

    shortened: Shortened | None = None
    """What the accepted attempt did not show the model; None when nothing."""

    reused: bool = False
    """It was settled before; no model was asked this time."""

    erased: bool = False
    """It was settled before, and what it said has been erased since."""

    texts: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The sources, for showing evidence."""

    @property
    def accepted(self) -> bool:
        return self.outcome.status == "accepted"

    def to_dict(self) -> dict[str, Any]:
        """JSON, in the words of `assay run --json`; the output as it stands on record."""
        return {
            **self.outcome.to_dict(),
            "detail": self.detail,
            "contract": self.contract,
            "call": self.call,
            "attempts": self.attempts,
            "output": self.output,
            "findings": [finding.to_dict() for finding in self.findings],
            "spans": [span.to_dict() for span in self.spans],
            "shortened": None if self.shortened is None else self.shortened.to_dict(),
            "reused": self.reused,
        }

    def _repr_html_(self) -> str:
        """What a notebook shows: findings, the value, and its quotes marked in the texts."""
        document = self.to_dict()
        return outcome_html(
            title=self.contract,
            status=self.outcome.status,
            reason=self.outcome.reason,
            detail=self.detail,
            findings=document["findings"],
            result=self.output,
            texts=self.texts,
            marks=[
                Mark(
                    source=span.source,
                    start=span.start,
                    stop=span.stop,
                    label=span.path.removeprefix("/"),
                )
                for span in self.spans
            ],
        )


async def complete(
    context: RuntimeContext,
    contract: Contract[ModelT],
    material: Material,
    *,
    about: str = "",
    subject: str | None = None,
    again: bool = False,
    budget: RunBudget | None = None,
    asked: Mapping[str, str] | None = None,
) -> Completed[ModelT]:
    """Bring named texts through one call of *contract*.

    Args:
        contract: Of a class, with a prompt.
        material: Texts, ready values and facts; the prompt places every text.
        about: Its name for people, as that of a file: kept where texts are kept, else a
            surrogate of it stands on record.
        subject: Whom it is about: a mail address, or a pseudonym; what `audit erase` takes.
        again: Ask the model even when the same call is settled already.
        budget: Of the run that this call belongs to.
        asked: What else the caller said, without personal data; kept with the run.

    Raises:
        UsageError: the contract has no prompt.
        PromptTemplateError: a place of the prompt has no value, or a value has no place.
        NotAllowedError: this installation takes registered templates alone.
        ModelUnavailableError: the model could not be reached; the call stays open.
    """
    _require_places(contract, material)
    budget = budget or RunBudget()
    require_price(context, budget)
    run = await context.store.start_run(
        "complete",
        {
            "contract": contract.reference,
            "contract_digest": contract.digest,
            "model": context.model.name,
            "model_identity": dict(context.model.identity),
            "budget": budget.to_dict(),
            **({"asked": dict(asked)} if asked else {}),
        },
    )
    counts: dict[str, int] = {}
    ended = "interrupted"
    try:
        await _require_free_prompts(context, contract, run)
        job = ContractJob(contract=contract, material=material, redactor=context.redactor)
        item = _item(context, material, about, subject)
        settled = await settle(context, job, item, run=run, budget=budget, again=again)
        counts[settled.outcome.status] = 1
        ended = "complete"
    finally:
        facts = {"how": ended, "outcomes": counts, "cost": budget.spending.to_dict()}
        closing = EventDraft(kind="run.ended", facts=facts)
        await context.store.commit(Changes(run=run, events=(closing,)))
    return await _completed(context, contract, material, settled)


def _require_places(contract: Contract[Any], material: Material) -> None:
    """Every place has a value and every text a place: what a model is not shown it cannot quote."""
    template = contract.template
    if template is None:
        raise UsageError(
            f"contract {contract.reference!r} has no prompt: it can only judge",
            hint="give the prompt, as in Contract.from_model(…, prompt=…)",
        )
    known = {SCHEMA, SIGNALS, *material.slots, *(LABELS + name for name in contract.label_sets)}
    placed = sources_of(template.variables, material)
    missing = [
        name
        for name in template.variables
        if name not in known and not sources_of([name], material) and not _is_optional(name)
    ]
    unexpected = [name for name in material.texts if name not in placed]
    unexpected += [name for name in material.slots if name not in template.variables]
    if missing or unexpected:
        raise PromptTemplateError(template.name, missing=missing, unexpected=unexpected)
    unknown = [
        sources
        for sources in quoted_sources(contract.schema.document)
        if sources and not material.texts.keys() & set(sources)
    ]
    if unknown:
        raise UsageError(
            f"contract {contract.reference!r} quotes {unknown[0][0]!r}, which no source is called",
            hint=f"given: {', '.join(map(repr, material.texts)) or 'none'}",
        )
    require_inner_system(contract, template)


def _is_optional(name: str) -> bool:
    return name in ("input.text", "input.attachments")


async def _require_free_prompts(context: RuntimeContext, contract: Contract[Any], run: int) -> None:
    """A prompt in a program is no version that anybody released, signed or approved."""
    registry = context.registry
    if registry is None or registry.governance.fallback:
        return
    facts = {"role": PACK, "name": contract.name, "contract": contract.reference}
    await registry.record_event("template.refused", {**facts, "why": "not registered"}, run=run)
    raise NotAllowedError(
        f"contract {contract.reference!r} brings its own prompt, and this installation takes"
        " released templates alone",
        hint="put the prompt into a pack, and release it (assay templates promote)",
    )


def _item(context: RuntimeContext, material: Material, about: str, subject: str | None) -> Item:
    whole = digest_json(material.to_dict())
    if subject is not None and "@" in subject:
        subject = context.redactor.surrogate("EMAIL", subject.casefold())
    return Item(
        name=about or f"texts {whole.removeprefix('sha256:')[:12]}",
        digest=whole,
        subject=subject or whole,
        material=material,
    )


async def _completed(
    context: RuntimeContext, contract: Contract[ModelT], material: Material, settled: Settled
) -> Completed[ModelT]:
    value: ModelT | None = None
    spans: tuple[LocatedAt, ...] = ()
    verdict = None if settled.weighed is None else settled.weighed.verdict
    if settled.outcome.status == "accepted" and settled.result is not None:
        if verdict is None:  # of the record: read once more, by the same gate
            verdict = judge(
                contract,
                as_it_stands(settled.result),
                sources=material.texts,
                input=material.input,
                by_person=True,
            )
        has_class = contract.declared is None or contract.declared.model is not None
        if not verdict.accepted or (has_class and verdict.value is None):
            raise IntegrityError(
                f"class {contract.name!r} refuses what it accepted in call {settled.call}",
                hint="its validators do not say the same twice; give another version",
            )
        value, spans = verdict.value, verdict.spans
        findings = verdict.findings
    else:
        findings = await last_findings(context, settled)
    return Completed(
        outcome=settled.outcome,
        value=value,
        findings=findings,
        output=settled.result if settled.outcome.status == "accepted" else None,
        contract=contract.reference,
        call=settled.call,
        spans=spans,
        attempts=settled.attempts,
        detail=settled.detail,
        shortened=settled.shortened,
        reused=settled.reused,
        erased=settled.erased,
        texts=dict(material.texts),
    )


async def last_findings(context: RuntimeContext, settled: Settled) -> tuple[Finding, ...]:
    """What was found in the last attempt of a call; of one that was settled before, as recorded."""
    if settled.weighed is not None:
        return settled.weighed.findings
    if not settled.reused:
        return ()
    kept = await kept_call(context.store, settled.call)
    return (kept.attempts[-1].findings or ()) if kept.attempts else ()
