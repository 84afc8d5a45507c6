"""Recorded answers again: rebuilt and judged once more, or decided by a person.

In      KeptCall of an answer; a decision with the corrected answer
Out     Replayed, Decided
Effects store reads; one commit for a decision
Spec    002-N3; 004 B5, V6; interfaces.md, `assay replay`, `assay review`
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.answers.job import AnswerJob, job_of_material
from assay.contract.job import Stop, Weighed
from assay.contract.material import Built
from assay.errors import ConflictError, InputError, NotAllowedError
from assay.gate.gate import Finding, Verdict
from assay.redaction.redactor import Redactor
from assay.runtime.calls.context import RuntimeContext
from assay.runtime.calls.review import Decided, Decision, record_decision, stored_material
from assay.runtime.replay.kept import KeptAttempt, KeptCall
from assay.runtime.replay.replay import (
    Cause,
    Difference,
    Judged,
    Replayed,
    first_difference,
    section_at,
)


def replay_answer(kept: KeptCall, redactor: Redactor) -> Replayed:
    """Assemble the kept bundle again, compare the bytes, judge the kept reply again."""
    if kept.material is None:
        return _without_sources(kept)
    job = job_of_material(kept.material, redactor)
    built = job.build(1, ())
    if isinstance(built, Stop):
        return _unsent(kept, job, built)
    first: Difference | None = None
    prompts_differ = views_differ = views_gone = False
    verdict: Judged = "same"
    result: Judged = "unavailable" if kept.result is None else "same"
    findings: tuple[Mapping[str, Any], ...] = ()
    for attempt in kept.attempts:
        difference = _difference(kept, attempt, job, built)
        if difference is None:
            difference = _view_difference(attempt, built)
            views_differ = views_differ or difference is not None
        else:
            prompts_differ = views_differ = True
        views_gone = views_gone or attempt.redacted is None
        first = first or difference
        if attempt.judged is None:
            continue
        if attempt.raw is None:
            verdict = "unavailable" if verdict == "same" else verdict
            continue
        weighed = job.weigh(attempt.raw, built, attempt.finish_reason)
        findings = weighed.findings
        if not _agrees(attempt, weighed):
            verdict = "changed"
        if weighed.result is not None and kept.settled is not None:
            same = weighed.result.digest == kept.settled.get("result_digest")
            result = "same" if same else "changed"
    return Replayed(
        call=kept.row.id,
        prompt="differs" if prompts_differ else "identical",
        redacted="differs" if views_differ else "unavailable" if views_gone else "identical",
        first_difference=first,
        verdict=verdict,
        result=result,
        contract=_contract(kept, job),
        findings=findings,
        attempts=len(kept.attempts),
    )


def _unsent(kept: KeptCall, job: AnswerJob, stop: Stop) -> Replayed:
    """Now there is nothing to send: as it was, or not."""
    settled = {} if kept.settled is None else kept.settled
    same = not kept.attempts and stop.outcome.to_dict() == {
        "outcome": settled.get("outcome"),
        "reason": settled.get("reason"),
    }
    first = None
    if kept.attempts:
        first = Difference(attempt=1, byte=0, section=None, cause=Cause.POLICY)
    return Replayed(
        call=kept.row.id,
        prompt="differs" if kept.attempts else "identical",
        redacted="differs" if kept.attempts else "identical",
        first_difference=first,
        verdict="same" if same else "changed",
        result="unavailable",
        contract=_contract(kept, job),
        findings=(),
        attempts=len(kept.attempts),
    )


def _without_sources(kept: KeptCall) -> Replayed:
    """An answer cannot be judged without the evidence that it cites."""
    return Replayed(
        call=kept.row.id,
        prompt="unavailable",
        redacted="unavailable",
        first_difference=None,
        verdict="unavailable",
        result="unavailable",
        contract="same",
        findings=(),
        attempts=len(kept.attempts),
        without_sources=True,
    )


def _difference(
    kept: KeptCall, attempt: KeptAttempt, job: AnswerJob, built: Built
) -> Difference | None:
    if built.prompt.sha256 == attempt.built["prompt_sha256"]:
        return None
    byte = section = None
    if attempt.prompt is not None:
        byte = first_difference(attempt.prompt, built.prompt.text.encode("utf-8"))
        section = section_at(built.prompt.sections, byte)
    template = attempt.built.get("template") or {}
    if template.get("sha256") != job.template_digest:
        cause = Cause.TEMPLATE
    elif attempt.built.get("tokenizer") != job.assembly.policy.tokenizer:
        cause = Cause.TOKENIZER
    elif job.digest != kept.row.contract_digest:
        cause = Cause.POLICY
    else:
        cause = Cause.VARIABLE
    return Difference(attempt=attempt.number, byte=byte, section=section, cause=cause)


def _view_difference(attempt: KeptAttempt, built: Built) -> Difference | None:
    view = built.prompt.redaction.text
    if attempt.redacted is None or attempt.redacted == view:
        return None
    byte = first_difference(attempt.redacted.encode("utf-8"), view.encode("utf-8"))
    return Difference(attempt=attempt.number, byte=byte, section=None, cause=Cause.REDACTION)


def _agrees(attempt: KeptAttempt, weighed: Weighed) -> bool:
    codes = [(str(each["code"]), str(each["severity"])) for each in weighed.findings]
    verdict = "accepted" if weighed.accepted else "rejected"
    return verdict == attempt.verdict and codes == attempt.codes


def _contract(kept: KeptCall, job: AnswerJob) -> Any:
    return "same" if job.digest == kept.row.contract_digest else "changed"


async def decide_answer(context: RuntimeContext, review_id: str, decision: Decision) -> Decided:
    """Take a person's decision on an answer; a corrected answer passes R5 like a model's.

    Raises:
        ConflictError: somebody decided before.
        InputError: the evidence is not in the store any more, or no corrected answer is given.
        NotAllowedError: template, policy or rules are not those on record.
    """
    review = await context.store.review(review_id)
    if review.status != "open":
        raise ConflictError(f"review {review_id} was decided already", hint="see assay review show")
    row = None if review.call is None else await context.store.call(review.call)
    if not decision.accept:
        return await record_decision(context, review, row, decision, None, None)
    if row is None or decision.output is None:
        raise InputError("only an answer can be accepted", hint="give it with --output")
    job = job_of_material(await stored_material(context, row), context.redactor)
    if job.digest != row.contract_digest:
        raise NotAllowedError(
            "the rules of this answer are not those it was made under",
            hint="use the version on record",
        )
    built = job.build(1, ())
    if isinstance(built, Stop):
        raise InputError("there is no evidence that an answer could cite", hint="--reject the case")
    # The line end of a file is no part of the answer.
    weighed = job.weigh(decision.output.rstrip(b"\r\n"), built, None)
    verdict = Verdict(findings=tuple(_finding(each) for each in weighed.findings), output=None)
    if weighed.result is None:
        return Decided(review=review, verdict=verdict, result=None)
    return await record_decision(context, review, row, decision, verdict, weighed.result.value)


def _finding(document: Mapping[str, Any]) -> Finding:
    return Finding(
        code=document["code"],
        severity=document["severity"],
        path="",
        message=f"{document['start']}..{document['stop']}: {document['message']}",
    )
