"""An answer that was given before, told again from the record.

In      the id of a call of kind `answer`
Out     RecordedAnswer: the question and the whole answer where texts are kept, else what is left
Effects store reads
Spec    interfaces.md, "Answers"; 002-N1

The record keeps what was retrieved, and with it file, page and heading as far as the passages name
them. Where a passage began in its file it does not keep: that is known only while asking.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from assay.answers.evidence.policy import read_policy
from assay.answers.job import AnswerJob
from assay.contract.kept import KeptCall
from assay.contract.outcome import Outcome
from assay.errors import AssayError, NotFoundError
from assay.pack.pack import Pack
from assay.protocols import CallRow
from assay.runtime.answers.ask import Answered, Question, answer_on_record
from assay.runtime.calls.context import RuntimeContext, Settled
from assay.runtime.calls.recall import recall
from assay.runtime.replay.kept import kept_call, kept_material


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAnswer:
    """What the record holds of an answer."""

    row: CallRow
    question: str | None
    """None where texts are not kept, or were erased."""

    answered: Answered | None
    """None where texts are not kept, or the call is still open."""

    answer: str | None
    """Of the result, where it is kept; without its passages nobody can check it."""

    left_out: int
    """How many files were not read."""

    review: str | None
    """The case that waits for a person, or had one."""


async def find_answer(
    context: RuntimeContext, call_id: str, find_pack: Callable[[str], Pack]
) -> RecordedAnswer:
    """The answer that a call gave.

    Raises:
        NotFoundError: there is no such call, or it is none of an answer.
        MasterKeyError: its texts are encrypted, and the key is not at hand.
    """
    row = await context.store.call(call_id)
    if row.kind != "answer":
        raise NotFoundError(f"call {call_id} is none of an answer", hint="assay calls list")
    kept = await kept_call(context.store, call_id)
    settled = await recall(context, row) if row.status == "settled" else None
    if settled is None:
        settled = Settled(
            call=row.id,
            contract=row.contract,
            outcome=Outcome(status=row.outcome or "needs_review", reason=row.reason),
            result=kept.result,
            attempts=row.attempts,
            reused=True,
        )
    answered = None
    if row.status == "settled" and kept.material is not None:
        answered = await _tell_again(context, kept, settled, find_pack)
    result: dict[str, Any] = settled.result or {}
    return RecordedAnswer(
        row=row,
        question=None if kept.material is None else kept.material.question,
        answered=answered,
        answer=result.get("answer"),
        left_out=await _count_left_out(context, row.run),
        review=await _find_review(context, row.id),
    )


async def find_question(context: RuntimeContext, call_id: str) -> str | None:
    """The question of a call, where its texts are kept and can be read."""
    try:
        return (await kept_material(context.store, call_id)).question
    except AssayError:
        return None


async def _tell_again(
    context: RuntimeContext, kept: KeptCall, settled: Settled, find_pack: Callable[[str], Pack]
) -> Answered:
    assert kept.material is not None
    given = kept.material.input
    job = AnswerJob.restore(kept, find_pack, context.redactor)
    asked = Question(
        text=kept.material.question or "",
        policy=read_policy(given["policy"]),
        bundle=given["bundle"],
        pack=kept.pack,
    )
    return await answer_on_record(context, job, asked, settled)


async def _count_left_out(context: RuntimeContext, run: int) -> int:
    async for event in context.store.events(run=run, kind="run.started"):
        return int(event.facts.get("left_out", 0))
    return 0


async def _find_review(context: RuntimeContext, call_id: str) -> str | None:
    found = None
    async for event in context.store.events(call=call_id, kind="review.opened"):
        found = str(event.facts["review"])
    return found
