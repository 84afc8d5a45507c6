"""Rebuild a recorded prompt and judge the stored reply again; no model is asked.

In      KeptCall; the job of it as it stands now
Out     Replayed: identical or not, the first differing byte with section and cause; same
        verdict or not, with its cause
Pure    yes: what was kept is handed in
Spec    002-N3; interfaces.md, `assay replay --json`
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assay.contract.comparison import Cause, Judged, Rejudged, first_difference, section_at
from assay.contract.job import Job, Stop
from assay.contract.kept import KeptAttempt, KeptCall
from assay.contract.material import Built
from assay.contract.outcome import Reason
from assay.gate.gate import RULES_VERSION
from assay.gate.verdict import Finding
from assay.redaction.redactor import Redaction

Sameness = Literal["identical", "differs", "unavailable"]
VerdictCause = Literal["contract", "rules", "unexplained"]
"""Why a reply is judged otherwise: the contract is another one; the contract is the same and the
rules of the library are of another version; nothing on record explains it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Where a rebuilt prompt leaves the recorded one."""

    attempt: int
    byte: int | None
    """First differing byte, from 0; None when the recorded bytes were not kept."""

    section: str | None
    """Its section: `template`, `blueprint`, or the variable's name."""

    cause: Cause

    def to_dict(self) -> dict[str, Any]:
        return {
            "byte": self.byte,
            "section": self.section,
            "cause": self.cause.value,
            "attempt": self.attempt,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """One call, rebuilt and judged again."""

    call: str
    prompt: Sameness
    redacted: Sameness
    """The redacted view, which is what was kept in any case."""

    first_difference: Difference | None
    verdict: Judged
    cause: VerdictCause | None
    """Why the verdict has changed; None when it has not."""

    result: Judged
    """The audited result of the accepted reply, by its digest."""

    contract: Literal["same", "changed"]
    """Whether the contract at hand is the one on record, by its digest."""

    rules: Mapping[str, int | None]
    """Version of the rules that judged the call, and of those that judge it now."""

    findings: tuple[Finding, ...]
    """Of the last reply, as it is judged now."""

    attempts: int
    """How many prompts are on record."""

    schema: Sameness | None = None
    """The schema that went out beside the prompts, by its digest; None when none did (006-M1)."""

    applied: tuple[Mapping[str, Any], ...] = ()
    """What each reply was asked for with, beside its prompt, as recorded."""

    without_sources: bool = False
    """The source texts are gone: evidence was taken as recorded, not looked up again."""

    @property
    def differs(self) -> bool:
        """Whether anything on record is contradicted."""
        sent = (self.prompt, self.redacted, self.schema)
        return "differs" in sent or "changed" in (self.verdict, self.result)

    def to_dict(self) -> dict[str, Any]:
        """The document of `assay replay --json`."""
        first = self.first_difference
        return {
            "call": self.call,
            "prompt": self.prompt,
            "first_difference": None if first is None else first.to_dict(),
            "verdict": self.verdict,
            "findings": [finding.to_dict() for finding in self.findings],
            "cause": self.cause,
            "redacted": self.redacted,
            "result": self.result,
            "contract": self.contract,
            "rules": dict(self.rules),
            "attempts": self.attempts,
            "schema": self.schema,
            "applied": [dict(each) for each in self.applied],
            "without_sources": self.without_sources,
        }


def replay(kept: KeptCall, job: Job) -> Replayed:
    """Rebuild every attempt of a call, then judge its replies again.

    Args:
        job: Made again of *kept*; see `Job.restore`.
    """
    same = job.digest == kept.contract_digest
    prompts: list[Sameness] = []
    views: list[Sameness] = []
    first: Difference | None = None
    verdicts: list[Judged] = []
    result: Judged = "unavailable" if kept.result is None else "same"
    findings: tuple[Finding, ...] = ()
    before: Sequence[Finding] = ()
    if not kept.attempts:
        prompts, verdicts = _replay_unsent(kept, job)
        views = prompts
    for attempt in kept.attempts:
        built = job.build(attempt.number, before) if job.complete else None
        difference = None if built is None else _difference(attempt, built, job, same=same)
        prompts.append(_sameness(built, difference))
        views.append(prompts[-1])
        if difference is None and isinstance(built, Built):
            difference = _view_difference(attempt, built)
            views[-1] = _view_sameness(attempt, difference)
        first = first or difference
        judged = _rejudge(kept, attempt, job, built)
        verdicts.append(judged.verdict)
        if judged.verdict != "unavailable":
            findings = judged.findings
        if kept.settled is not None and attempt.verdict == "accepted":
            if judged.result_digest is not None:
                unchanged = judged.result_digest == kept.settled.get("result_digest")
                result = "same" if unchanged else "changed"
            elif isinstance(built, Stop):
                result = "unavailable"
        before = attempt.findings or ()
    verdict = _worst(verdicts)
    recorded = next((a.rules for a in reversed(kept.attempts) if a.judged is not None), None)
    return Replayed(
        call=kept.id,
        prompt=_overall(prompts),
        redacted=_overall(views),
        first_difference=first,
        verdict=verdict,
        cause=_verdict_cause(kept, same=same) if verdict == "changed" else None,
        result=result,
        contract="same" if same else "changed",
        rules={"recorded": recorded, "now": RULES_VERSION},
        findings=findings,
        attempts=len(kept.attempts),
        schema=_schema_sameness(kept, job),
        applied=tuple(_applied(attempt) for attempt in kept.attempts if attempt.answered),
        without_sources=not job.complete,
    )


def _replay_unsent(kept: KeptCall, job: Job) -> tuple[list[Sameness], list[Judged]]:
    """Of a call that was sent nothing: would it be sent nothing now, for the same reason?"""
    if not job.complete:
        return ["unavailable"], ["unavailable"]
    settled = {} if kept.settled is None else kept.settled
    stop = job.build(1, ())
    if isinstance(stop, Stop):
        same = stop.outcome.to_dict() == {name: settled.get(name) for name in ("outcome", "reason")}
    else:  # it could have been sent: the model was not allowed, or the run had spent its budget
        scope = settled.get("budget", {}).get("scope")
        same = not settled or settled.get("reason") == Reason.MODEL_REFUSED or scope == "run"
    prompt: Sameness = "identical" if job.assembles else "unavailable"
    return [prompt], ["same" if same else "changed"]


def _verdict_cause(kept: KeptCall, *, same: bool) -> VerdictCause:
    if not same:
        return "contract"
    recorded = {attempt.rules for attempt in kept.attempts if attempt.judged is not None}
    return "rules" if recorded - {RULES_VERSION} else "unexplained"


# --- the prompt -----------------------------------------------------------------------------


def _difference(
    attempt: KeptAttempt, built: Built | Stop, job: Job, *, same: bool
) -> Difference | None:
    if isinstance(built, Stop):  # what fitted once fits no longer
        _, cause = job.explain(attempt, None, None, same=same)
        return Difference(attempt=attempt.number, byte=0, section=None, cause=cause)
    if built.prompt.sha256 == attempt.built["prompt_sha256"]:
        return _part_difference(attempt, built)
    byte: int | None = None
    if attempt.prompt is not None:
        byte = first_difference(attempt.prompt, built.prompt.text.encode("utf-8"))
    section, cause = job.explain(attempt, built, byte, same=same)
    return Difference(attempt=attempt.number, byte=byte, section=section, cause=cause)


def _part_difference(attempt: KeptAttempt, built: Built) -> Difference | None:
    """Where equal bytes go out in other roles than they did; no parts are one user message."""
    before = _slices(attempt.built.get("parts", ()))
    now = _slices([part.to_dict() for part in built.parts])
    if before == now:
        return None
    start = min((start for _, start, _ in set(before) ^ set(now)), default=0)
    at = len(built.prompt.text[:start].encode("utf-8"))
    section = section_at(built.prompt.sections, at)
    return Difference(attempt=attempt.number, byte=at, section=section, cause=Cause.TEMPLATE)


def _slices(parts: Iterable[Mapping[str, Any]]) -> list[tuple[str, int, int]]:
    return [(part["role"], part["start"], part["stop"]) for part in parts]


def _view_difference(attempt: KeptAttempt, built: Built) -> Difference | None:
    """Where the redacted view of an identical prompt is another one."""
    view = built.prompt.redaction
    if attempt.redacted is None or attempt.redacted == view.text:
        return None
    old, new = attempt.redacted.encode("utf-8"), view.text.encode("utf-8")
    byte = first_difference(old, new)
    # A byte inside a character belongs to that character.
    shared = len(new[:byte].decode("utf-8", "ignore"))
    at = len(built.prompt.text[: _original(view, shared)].encode("utf-8"))
    section = section_at(built.prompt.sections, at)
    return Difference(attempt=attempt.number, byte=byte, section=section, cause=Cause.REDACTION)


def _original(view: Redaction, at: int) -> int:
    """The code point of the prompt that code point *at* of its redacted view stands for."""
    shift = 0
    for span in view.spans:
        start = span.start + shift
        if at < start:
            break
        if at < start + len(span.surrogate):
            return span.start
        shift += len(span.surrogate) - (span.stop - span.start)
    return at - shift


def _sameness(built: Built | Stop | None, difference: Difference | None) -> Sameness:
    if built is None:
        return "unavailable"
    return "identical" if difference is None else "differs"


def _view_sameness(attempt: KeptAttempt, difference: Difference | None) -> Sameness:
    if attempt.redacted is None:
        return "unavailable"
    return "identical" if difference is None else "differs"


# --- what went out beside it ----------------------------------------------------------------

_APPLIED = ("output_mode", "strict", "schema_sha256", "not_applied", "renamed", "refused")


def _applied(attempt: KeptAttempt) -> dict[str, Any]:
    details = (attempt.answered or {}).get("details") or {}
    return {name: details[name] for name in _APPLIED if name in details}


def _schema_sameness(kept: KeptCall, job: Job) -> Sameness | None:
    sent = {_applied(attempt).get("schema_sha256") for attempt in kept.attempts} - {None}
    if not sent:
        return None
    schema = job.wire_schema()
    return "identical" if schema is not None and sent == {schema.sha256} else "differs"


# --- the verdict ----------------------------------------------------------------------------


def _rejudge(
    kept: KeptCall, attempt: KeptAttempt, job: Job, built: Built | Stop | None
) -> Rejudged:
    if attempt.judged is None:
        return Rejudged(verdict="same")  # nothing was judged, so nothing can have changed
    if attempt.raw is None:
        return Rejudged(verdict="unavailable")
    ready = built if isinstance(built, Built) else None
    return job.rejudge(attempt, ready, kept.shown_at(attempt))


def _overall(parts: Sequence[Sameness]) -> Sameness:
    if "differs" in parts:
        return "differs"
    return "unavailable" if not parts or "unavailable" in parts else "identical"


def _worst(parts: Sequence[Judged]) -> Judged:
    if "changed" in parts:
        return "changed"
    return "unavailable" if "unavailable" in parts else "same"
