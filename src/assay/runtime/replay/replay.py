"""Rebuild a recorded prompt and judge the stored reply again; no model is asked.

In      KeptCall, the contract as it stands now, a Job over the kept material
Out     Replayed: identical or not, the first differing byte with section and cause; same
        verdict or not
Pure    yes: what was kept is handed in
Spec    002-N3; interfaces.md, `assay replay --json`

What is compared is always what is on record: the prompt by its digest, and by its bytes where
they were kept. A value that is gone makes a thing `unavailable`, never equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Literal

from assay.contract.build import PREAMBLE
from assay.contract.catalogue import LABELS, SCHEMA
from assay.contract.contract import Contract, judge
from assay.contract.job import Job, Stop
from assay.contract.material import Built
from assay.redaction.redactor import Redaction
from assay.runtime.replay.kept import KeptAttempt, KeptCall
from assay.templates.template import BLUEPRINT, LITERAL, Section

Sameness = Literal["identical", "differs", "unavailable"]
Judged = Literal["same", "changed", "unavailable"]


class Cause(StrEnum):
    """Why a rebuilt prompt is not the recorded one."""

    TEMPLATE = "template drift"
    """The text, or another field, of the template version is not what it was."""

    VARIABLE = "variable"
    """A value that was put into the template is not what it was."""

    POLICY = "policy"
    """Labels, schema, attempts or budget of the contract are not what they were."""

    REDACTION = "redaction rules"
    """The prompt is the same; rules, regions or key of its redacted view are not."""

    TOKENIZER = "tokenizer"
    """Tokens are counted differently, so the input is cut elsewhere."""


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
    result: Judged
    """The audited result of the accepted reply, by its digest."""

    contract: Literal["same", "changed"]
    """Whether the contract at hand is the one on record, by its digest."""

    findings: tuple[Mapping[str, Any], ...]
    """Of the last reply, as it is judged now."""

    attempts: int
    """How many prompts are on record."""

    without_sources: bool = False
    """The source texts are gone: evidence was taken as recorded, not looked up again."""

    @property
    def differs(self) -> bool:
        """Whether anything on record is contradicted."""
        return "differs" in (self.prompt, self.redacted) or "changed" in (self.verdict, self.result)

    def to_dict(self) -> dict[str, Any]:
        """The document of `assay replay --json`."""
        first = self.first_difference
        return {
            "call": self.call,
            "prompt": self.prompt,
            "first_difference": None if first is None else first.to_dict(),
            "verdict": self.verdict,
            "findings": [dict(finding) for finding in self.findings],
            "redacted": self.redacted,
            "result": self.result,
            "contract": self.contract,
            "attempts": self.attempts,
            "without_sources": self.without_sources,
        }


def replay(kept: KeptCall, contract: Contract, job: Job | None) -> Replayed:
    """Rebuild every attempt of a call, then judge its replies again.

    Args:
        contract: What the call was made under, with the template version on record as it
            reads now.
        job: The contract with the kept material; None when the material is gone.
    """
    prompts: list[Sameness] = []
    views: list[Sameness] = []
    first: Difference | None = None
    verdicts: list[Judged] = []
    result: Judged = "unavailable" if kept.result is None else "same"
    findings: tuple[Mapping[str, Any], ...] = ()
    before: Sequence[Mapping[str, Any]] = ()
    for attempt in kept.attempts:
        built = None if job is None else job.build(attempt.number, before)
        difference = None if built is None else _difference(attempt, built, contract, kept)
        prompts.append(_sameness(built, difference))
        views.append(prompts[-1])
        if difference is None and isinstance(built, Built):
            difference = _view_difference(attempt, built)
            views[-1] = _view_sameness(attempt, difference)
        first = first or difference
        verdict, found, digest = _judge(kept, attempt, contract, job, built)
        verdicts.append(verdict)
        if verdict != "unavailable":
            findings = found
        if kept.settled is not None and digest is not None and attempt.verdict == "accepted":
            result = "same" if digest == kept.settled.get("result_digest") else "changed"
        before = attempt.findings or ()
    return Replayed(
        call=kept.row.id,
        prompt=_overall(prompts),
        redacted=_overall(views),
        first_difference=first,
        verdict=_worst(verdicts),
        result=result,
        contract="same" if contract.digest == kept.row.contract_digest else "changed",
        findings=findings,
        attempts=len(kept.attempts),
        without_sources=job is None,
    )


# --- the prompt -----------------------------------------------------------------------------


def _difference(
    attempt: KeptAttempt, built: Built | Stop, contract: Contract, kept: KeptCall
) -> Difference | None:
    if isinstance(built, Stop):  # what fitted once fits no longer
        cause = _cause(attempt, None, None, contract, kept)
        return Difference(attempt=attempt.number, byte=0, section=None, cause=cause)
    if built.prompt.sha256 == attempt.built["prompt_sha256"]:
        return None
    byte: int | None = None
    section: str | None = None
    if attempt.prompt is not None:
        byte = first_difference(attempt.prompt, built.prompt.text.encode("utf-8"))
        section = section_at(built.prompt.sections, byte)
        if _has_drifted(attempt, contract):
            # Where text is gone from the template, a value stands in its place.
            section = BLUEPRINT if section == BLUEPRINT else LITERAL
        elif section == LITERAL:
            # Unchanged text stands elsewhere: the value before it ended sooner or later.
            section = _value_before(built.prompt.sections, byte) or section
    cause = _cause(attempt, built, section, contract, kept)
    return Difference(attempt=attempt.number, byte=byte, section=section, cause=cause)


def first_difference(old: bytes, new: bytes) -> int:
    """The first byte that two texts do not share; the length of the shorter one at most.

    Example:
        >>> first_difference(b"abc", b"abd"), first_difference(b"ab", b"abc")
        (2, 2)
    """
    low, high = 0, min(len(old), len(new))
    while low < high:  # the longest common prefix, by halves: slices compare at full speed
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def section_at(sections: Sequence[Section], byte: int) -> str | None:
    """The section that a byte of the prompt lies in; the last one for what follows the end."""
    for section in sections:
        if section.start <= byte < section.stop:
            return section.name
    return sections[-1].name if sections else None


def _value_before(sections: Sequence[Section], byte: int) -> str | None:
    before = [part.name for part in sections if part.start <= byte and part.name != LITERAL]
    return before[-1] if before else None


def _has_drifted(attempt: KeptAttempt, contract: Contract) -> bool:
    """Whether the template, in its text or another field, is not the recorded one."""
    recorded, template = attempt.built.get("template"), contract.template
    if recorded is None or template is None:
        return False
    fields = attempt.built.get("fields_sha256") or template.fields_sha256
    return bool(recorded["sha256"] != template.sha256 or fields != template.fields_sha256)


def _cause(
    attempt: KeptAttempt,
    built: Built | None,
    section: str | None,
    contract: Contract,
    kept: KeptCall,
) -> Cause:
    """The first of the causes, from the root on, that the record bears out."""
    if _has_drifted(attempt, contract):
        return Cause.TEMPLATE
    if attempt.built.get("tokenizer", contract.tokenizer) != contract.tokenizer:
        return Cause.TOKENIZER
    if contract.digest == kept.row.contract_digest and built is not None:
        return Cause.VARIABLE
    if section in (LITERAL, BLUEPRINT, PREAMBLE):
        return Cause.TEMPLATE
    if section is None or section == SCHEMA or section.startswith(LABELS):
        return Cause.POLICY
    budget = {name: attempt.built["budget"].get(name) for name in contract.budget.to_dict()}
    shown = (
        [] if built is None else [[list(pair) for pair in view.segments] for view in built.shown]
    )
    cut_elsewhere = shown != [view["segments"] for view in attempt.built.get("shown", ())]
    changed = budget != contract.budget.to_dict() or cut_elsewhere
    return Cause.POLICY if changed else Cause.VARIABLE


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


# --- the verdict ----------------------------------------------------------------------------


def _judge(
    kept: KeptCall,
    attempt: KeptAttempt,
    contract: Contract,
    job: Job | None,
    built: Built | Stop | None,
) -> tuple[Judged, tuple[Mapping[str, Any], ...], str | None]:
    """Sameness of the verdict, the findings now, and the digest of the result now."""
    if attempt.judged is None:
        return "same", (), None  # nothing was judged, so nothing can have changed
    if attempt.raw is None:
        return "unavailable", (), None
    if job is None:
        return judge_without_sources(attempt, contract)
    shown = kept.shown_at(attempt)
    if isinstance(built, Built) and shown is not None:
        weighed = job.weigh(attempt.raw, replace(built, shown=shown), attempt.finish_reason)
        digest = None if weighed.result is None else weighed.result.digest
        return (
            _compare_prompt(attempt, weighed.accepted, weighed.findings),
            weighed.findings,
            digest,
        )
    verdict = judge(contract, attempt.raw, shown=shown or (), finish_reason=attempt.finish_reason)
    findings = tuple(finding.to_dict() for finding in verdict.findings)
    return _compare_prompt(attempt, verdict.accepted, findings), findings, None


def judge_without_sources(
    attempt: KeptAttempt, contract: Contract
) -> tuple[Judged, tuple[Mapping[str, Any], ...], str | None]:
    """Everything that needs neither source, state nor input; the rest stands as recorded."""
    needy = {rule.code or f"rule.{rule.id}" for rule in contract.rules if _reads(rule.assert_text)}
    lean = replace(
        contract,
        evidence=None,
        extra=(),
        rules=tuple(rule for rule in contract.rules if not _reads(rule.assert_text)),
    )
    verdict = judge(lean, attempt.raw or b"", finish_reason=attempt.finish_reason)
    findings: tuple[Mapping[str, Any], ...] = tuple(
        finding.to_dict() for finding in verdict.findings
    )

    def comparable(codes: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        kept = (pair for pair in codes if pair[0] not in needy)
        return [pair for pair in kept if not pair[0].startswith("evidence.")]

    same = comparable(attempt.codes) == comparable(_codes(findings))
    as_recorded = tuple(
        finding
        for finding in attempt.findings or ()
        if finding["code"] in needy or str(finding["code"]).startswith("evidence.")
    )
    findings = (*as_recorded, *findings)
    if not same and contract.extra:
        return "unavailable", findings, None  # checks in Python may read the sources
    return "same" if same else "changed", findings, None


def _reads(rule: str) -> bool:
    return "input" in rule or "state" in rule


def _compare_prompt(
    attempt: KeptAttempt, accepted: bool, findings: Sequence[Mapping[str, Any]]
) -> Judged:
    verdict = "accepted" if accepted else "rejected"
    same = verdict == attempt.verdict and _codes(findings) == attempt.codes
    return "same" if same else "changed"


def _codes(findings: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    return [(str(finding["code"]), str(finding["severity"])) for finding in findings]


def _overall(parts: Sequence[Sameness]) -> Sameness:
    if "differs" in parts:
        return "differs"
    return "unavailable" if not parts or "unavailable" in parts else "identical"


def _worst(parts: Sequence[Judged]) -> Judged:
    if "changed" in parts:
        return "changed"
    return "unavailable" if "unavailable" in parts else "same"
