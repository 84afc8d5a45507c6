"""Ask a question of retrieved passages: one recorded call, one answer that proves its sources.

In      a question; what was retrieved for it, or files and a retriever; a policy
Out     Answered: outcome, answer or none, citations, and every artefact on the way
Effects store commits, at most two model exchanges; the retriever's
Spec    004 R2 to R5; interfaces.md, "Answers" (`assay ask --json`)

What is said of a call is always read back from the record, so that an answer that was settled
before, or corrected by a person since, is told the same way as a new one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.answers.assemble import REFUSAL, Assembly, validate
from assay.answers.conditions import Where, filter_bundle, read_conditions
from assay.answers.evidence.bundle import RetrievalBundle, read_bundle
from assay.answers.evidence.policy import SelectionPolicy, read_policy
from assay.answers.gate.validation import ValidationResult
from assay.answers.job import (
    AnswerJob,
    answer_job,
    answer_material,
    judge_reply,
    policy_of,
)
from assay.answers.retrieval import LeftOut, Place, Progress, Retrieved, Retriever
from assay.contract.outcome import Outcome
from assay.core.json.canonical import canonical, digest, digest_json
from assay.errors import UsageError
from assay.figures.outcome_html import Mark, outcome_html
from assay.pack.pack import Pack
from assay.protocols import Changes
from assay.record.event import EventDraft
from assay.runtime.answers.citations import cite, found_chunks, nearest_miss
from assay.runtime.calls.budget import RunBudget
from assay.runtime.calls.call import settle
from assay.runtime.calls.context import Item, RuntimeContext, Settled
from assay.runtime.calls.spending import require_price

DEFAULT_PACK = ("grounded", "1.0.0")
"""Name and version of the bundled pack, under which answers without a pack are recorded. Its
template and policy are frozen with this code."""

TOP_K = 20
"""Passages that are retrieved for a question; selection cuts them down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, of what, and under which rules."""

    text: str
    policy: SelectionPolicy
    bundle: Mapping[str, Any] | RetrievalBundle | Assembly = field(default_factory=dict)
    """What was retrieved; or the FAILED assembly of a bundle that could not be read."""

    pack: str = DEFAULT_PACK[0]
    pack_version: str = DEFAULT_PACK[1]
    models: tuple[str, ...] = ("*",)
    limits: Mapping[str, Any] = field(default_factory=dict)
    """The run budget that the pack declares."""

    places: Mapping[str, Place] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What became of one question; `to_dict` is what `assay ask --json` prints."""

    outcome: Outcome
    answer: str | None
    """The validated text, the refusal string, or None when a person has to decide."""

    citations: tuple[Mapping[str, Any], ...]
    """One for each anchor that the answer cites, in the order in which it does: where its
    chunk stands in the source (None where retrieval did not say), and where the answer cites
    it (`markers`). Each marker has the `span` of the chunk's text that carries what it stands
    behind and that span in the source (`source_start`, `source_stop`); the citation has those of
    its first marker."""

    assembly: Assembly
    execution: Mapping[str, Any] | None
    """LLMExecutionResult of the last attempt; None when no model was asked."""

    validation: ValidationResult | None
    """Of the answer, or of the last reply that was rejected."""

    call: str
    reused: bool
    left_out: tuple[LeftOut, ...] = ()
    nearest: Mapping[str, Any] | None = None
    """Where a gate of the policy let nothing pass: the passage that came nearest, its
    `similarity_score`, and the `threshold` that it missed. None otherwise."""

    nearest_text: str | None = None
    """Of that passage, as it was retrieved; for who shows it, and in no document."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "outcome": self.outcome.status,
            "reason": self.outcome.reason,
            "call": self.call,
            "answer": self.answer,
            "citations": [dict(citation) for citation in self.citations],
            **self.assembly.to_dict(),
            "execution": None if self.execution is None else dict(self.execution),
            "validation": None if self.validation is None else self.validation.to_dict(),
            "left_out": [each.to_dict() for each in self.left_out],
            "nearest": None if self.nearest is None else dict(self.nearest),
        }

    def _repr_html_(self) -> str:
        """What a notebook shows: the answer with its citations marked, and what they cite."""
        findings = () if self.validation is None else self.validation.findings
        marks = [
            Mark(source="answer", start=marker["start"], stop=marker["stop"], label=each["anchor"])
            for each in self.citations
            for marker in each["markers"]
        ]
        cited = {f"{each['anchor']} {each['source_reference']}": each for each in self.citations}
        marks += [
            Mark(source=name, start=span["start"], stop=span["stop"], label=each["anchor"])
            for name, each in cited.items()
            for span in _spans_of(each)
        ]
        return outcome_html(
            title=self.assembly.question,
            status=self.outcome.status,
            reason=self.outcome.reason,
            findings=[finding.to_dict() for finding in findings],
            texts={
                **({} if self.answer is None else {"answer": self.answer}),
                **{name: each["text"] for name, each in cited.items()},
            },
            marks=marks,
        )


def _spans_of(citation: Mapping[str, Any]) -> list[Mapping[str, int]]:
    """What of a citation's text carries an answer, each span once, in the order of the text."""
    spans = {
        (span["start"], span["stop"]): span
        for marker in citation["markers"]
        if (span := marker["span"]) is not None
    }
    return [spans[key] for key in sorted(spans)]


async def ask(
    context: RuntimeContext,
    question: str,
    *,
    retriever: Retriever | None = None,
    docs: Sequence[str] = (),
    bundle: Mapping[str, Any] | RetrievalBundle | Assembly | None = None,
    policy: Mapping[str, Any] | SelectionPolicy | None = None,
    pack: Pack | None = None,
    models: Sequence[str] | None = None,
    top_k: int = TOP_K,
    where: Where = (),
    again: bool = False,
    progress: Progress | None = None,
) -> Answered:
    """Answer *question* from *docs* or from a ready *bundle*.

    Args:
        retriever: Finds passages in *docs*.
        docs: Files and folders.
        bundle: What was retrieved elsewhere, instead of *docs*.
        policy: A whole selection policy; None is the pack's, or R2_POLICY_V1.
        pack: A pack of answers: its policy, and the models that its prompt is frozen for.
        models: Name patterns of the models that may be asked, where no pack says so.
        top_k: Passages to retrieve from *docs*.
        where: Only passages with this page, title, heading, file or metadata, as `{"page": 3}`
            or `["title!=Draft"]`.
        again: Ask the model even when the same question is settled already.
        progress: Told about the files while they are indexed.

    Raises:
        UsageError: not exactly one of *docs* and *bundle* is given, or both *pack* and *models*.
        InputError: the policy or the pack is refused, a path does not exist, or no passage has
            what *where* names.
        ModelUnavailableError: the model could not be reached; the call stays open.

    Spec: interfaces.md, "Answers".
    """
    if (bundle is None) == (not docs):
        raise UsageError("give documents or a bundle, and not both", hint="--docs or --bundle")
    if pack is not None and models is not None:
        raise UsageError("the pack says which models may be asked", hint="give the pack alone")
    asked = _question(question, policy, pack, models)
    conditions = read_conditions(where)
    if bundle is not None:
        if conditions and not isinstance(bundle, Assembly):
            read = read_bundle(bundle)
            # What is malformed goes on as it is: the assembly says what is wrong with it.
            bundle = (
                filter_bundle(read, conditions) if isinstance(read, RetrievalBundle) else bundle
            )
        return await answer(context, replace(asked, bundle=bundle), again=again)
    if retriever is None:
        raise UsageError("this runtime has no retriever", hint="give a ready bundle")
    found: Retrieved = await retriever.retrieve(
        question, docs, top_k=top_k, where=conditions, progress=progress
    )
    asked = replace(asked, bundle=found.bundle, places=found.places, left_out=found.left_out)
    return await answer(context, asked, again=again)


def _question(
    text: str,
    policy: Mapping[str, Any] | SelectionPolicy | None,
    pack: Pack | None,
    models: Sequence[str] | None,
) -> Question:
    """The question under its rules, before anything is retrieved for it."""
    if pack is None:
        return Question(text=text, policy=policy_of(policy), models=tuple(models or ("*",)))
    pack.require_answers()
    return Question(
        text=text,
        policy=pack.answer_policy() if policy is None else read_policy(policy),
        pack=pack.name,
        pack_version=pack.version,
        models=pack.models,
        limits=pack.budget.model_dump(),
    )


async def answer(context: RuntimeContext, asked: Question, *, again: bool = False) -> Answered:
    """Bring one question through its one call; see `ask`."""
    job = answer_job(
        asked.bundle,
        asked.text,
        asked.policy,
        context.redactor,
        pack=asked.pack,
        pack_version=asked.pack_version,
        models=asked.models,
    )
    item = _item(asked)
    facts = {
        "pack": asked.pack,
        "pack_version": asked.pack_version,
        "model": context.model.name,
        "model_identity": dict(context.model.identity),
        "question_sha256": item.digest,
        "left_out": len(asked.left_out),
    }
    budget = RunBudget(**asked.limits)
    require_price(context, budget)
    run = await context.store.start_run("answer", facts)
    counts: dict[str, int] = {}
    ended = "interrupted"
    try:
        settled = await settle(context, job, item, run=run, budget=budget, again=again)
        counts[settled.outcome.status] = 1
        ended = "complete"
    finally:
        spent = {"how": ended, "outcomes": counts, "cost": budget.spending.to_dict()}
        closing = EventDraft(kind="run.ended", facts=spent)
        await context.store.commit(Changes(run=run, events=(closing,)))
    return await answer_on_record(context, job, asked, settled)


def _item(asked: Question) -> Item:
    material = answer_material(asked.bundle, asked.text, asked.policy, models=asked.models)
    # Neither the row nor the facts may hold the question: its digest names it.
    name = digest(canonical(material.question or ""))
    whole = digest_json([material.question, material.to_dict()])
    return Item(
        name=f"question {name.removeprefix('sha256:')[:12]}",
        digest=whole,
        subject=whole,
        material=material,
    )


async def answer_on_record(
    context: RuntimeContext, job: AnswerJob, asked: Question, settled: Settled
) -> Answered:
    """What the record says of a settled answer to *asked*."""
    execution, raw, reason = await _last_exchange(context, settled.call)
    text: str | None = None
    validation: ValidationResult | None = None
    if settled.outcome.status != "needs_review" and settled.result is not None:
        text = settled.result["answer"]
        validation = validate(job.assembly, text or "")
    elif raw is not None:
        validation = judge_reply(job.assembly, raw, reason)
    if settled.outcome.status == "no_evidence":
        text = REFUSAL
    found = found_chunks(asked.bundle, asked.places)
    cited = tuple(cite(job.assembly, validation, found)) if text is not None else ()
    nearest = nearest_miss(job.assembly, found)
    return Answered(
        outcome=settled.outcome,
        answer=text,
        citations=cited,
        assembly=job.assembly,
        execution=execution,
        validation=validation,
        call=settled.call,
        reused=settled.reused,
        left_out=asked.left_out,
        nearest=nearest,
        nearest_text=None if nearest is None else found[nearest["chunk_id"]].chunk.chunk_text,
    )


async def _last_exchange(
    context: RuntimeContext, call: str
) -> tuple[dict[str, Any] | None, bytes | None, str | None]:
    """LLMExecutionResult, reply and finish reason of a call's last attempt."""
    execution: dict[str, Any] | None = None
    raw: bytes | None = None
    async for event in context.store.events(call=call, kind="model.answered"):
        facts = dict(event.facts)
        for name in ("attempt", "raw_sha256", "run_usage"):
            facts.pop(name, None)
        raw = await context.store.payload(event.seq, "raw")
        replied = raw is not None and facts["generation_status"] == "OK"
        text = raw.decode("utf-8", "backslashreplace") if replied and raw is not None else None
        head = {name: facts.pop(name) for name in _HEAD}
        execution = {**head, "raw_model_text": text, **facts}
        raw = raw if replied else None
    return execution, raw, None if execution is None else execution["finish_reason"]


_HEAD = ("request_id", "model_name", "prompt_sha256", "generation_status")
