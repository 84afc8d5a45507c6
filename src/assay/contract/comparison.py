"""A rebuilt prompt and a second judgement, held against what is on record.

In      an attempt as kept; the prompt built anew; a reply judged anew
Out     the first differing byte with its section and cause; whether the verdict is the same
Pure    yes
Spec    002-N3; interfaces.md, `assay replay --json`

What is compared is always what is on record: the prompt by its digest, and by its bytes where
they were kept. A value that is gone makes a thing `unavailable`, never equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from assay.contract.build import PREAMBLE
from assay.contract.catalogue import LABELS, SCHEMA
from assay.contract.contract import Contract, judge
from assay.contract.exchange import findings_on_record
from assay.contract.kept import KeptAttempt
from assay.contract.material import Built
from assay.contract.outcome import Outcome
from assay.gate.prefix import STOPPED
from assay.gate.verdict import Finding
from assay.templates.template import BLUEPRINT, LITERAL, Section

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
class Rejudged:
    """A reply on record, judged again."""

    verdict: Judged
    findings: tuple[Finding, ...] = ()
    """As they are found now."""

    outcome: Outcome | None = None
    """How the call would end with it; None is `accepted` where nothing rejects."""

    result_digest: str | None = None
    """Of the result that the reply would have now; None when it would have none."""


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


def codes_of(findings: Sequence[Finding]) -> list[tuple[str, str]]:
    """Code and severity of each finding, in order."""
    return [(finding.code, finding.severity) for finding in findings]


def compare_verdicts(attempt: KeptAttempt, accepted: bool, findings: Sequence[Finding]) -> Judged:
    """Whether a reply is judged as it was, to the codes of its findings."""
    verdict = "accepted" if accepted else "rejected"
    same = verdict == attempt.verdict and codes_of(findings) == attempt.codes
    return "same" if same else "changed"


# --- of a contract over named texts ---------------------------------------------------------


def explain_prompt(
    contract: Contract, attempt: KeptAttempt, built: Built | None, byte: int | None, *, same: bool
) -> tuple[str | None, Cause]:
    """The section of the first differing byte, and why a contract's prompt is another one.

    Args:
        built: The prompt as it is built now; None when nothing would be sent.
        byte: The first that differs; None when the recorded bytes were not kept.
        same: The contract is the one on record.
    """
    section: str | None = None
    if built is not None and byte is not None:
        section = section_at(built.prompt.sections, byte)
        if _has_drifted(contract, attempt):
            # Where text is gone from the template, a value stands in its place.
            section = BLUEPRINT if section == BLUEPRINT else LITERAL
        elif section == LITERAL:
            # Unchanged text stands elsewhere: the value before it ended sooner or later.
            section = _value_before(built.prompt.sections, byte) or section
    return section, _cause(contract, attempt, built, section, same=same)


def _value_before(sections: Sequence[Section], byte: int) -> str | None:
    before = [part.name for part in sections if part.start <= byte and part.name != LITERAL]
    return before[-1] if before else None


def _has_drifted(contract: Contract, attempt: KeptAttempt) -> bool:
    """Whether the template, in its text or another field, is not the recorded one."""
    recorded, template = attempt.built.get("template"), contract.template
    if recorded is None or template is None:
        return False
    fields = attempt.built.get("fields_sha256") or template.fields_sha256
    return bool(recorded["sha256"] != template.sha256 or fields != template.fields_sha256)


def _cause(
    contract: Contract,
    attempt: KeptAttempt,
    built: Built | None,
    section: str | None,
    *,
    same: bool,
) -> Cause:
    """The first of the causes, from the root on, that the record bears out."""
    if _has_drifted(contract, attempt):
        return Cause.TEMPLATE
    if attempt.built.get("tokenizer", contract.tokenizer) != contract.tokenizer:
        return Cause.TOKENIZER
    if same and built is not None:
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


def rejudge_without_sources(contract: Contract, attempt: KeptAttempt) -> Rejudged:
    """Everything that needs neither source, state nor input; the rest stands as recorded."""
    needy = {rule.code or f"rule.{rule.id}" for rule in contract.rules if _reads(rule.assert_text)}
    lean = replace(
        contract,
        evidence=None,
        extra=(),
        rules=tuple(rule for rule in contract.rules if not _reads(rule.assert_text)),
    )
    verdict = judge(lean, attempt.raw or b"", finish_reason=attempt.finish_reason)

    def comparable(codes: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        kept = (pair for pair in codes if pair[0] not in needy)
        return [pair for pair in kept if not pair[0].startswith("evidence.")]

    found = (*findings_on_record(attempt, contract.models), *verdict.findings)
    same = comparable(attempt.codes) == comparable(codes_of(found))
    if attempt.finish_reason == STOPPED and not verdict.accepted:
        # A quotation that stopped it hides what would have stopped it after that.
        same = same or any(code.startswith("evidence.") for code, _ in attempt.codes)
    as_recorded = tuple(
        finding
        for finding in attempt.findings or ()
        if finding.code in needy or finding.code.startswith("evidence.")
    )
    findings = (*as_recorded, *found)
    if not same and contract.extra:
        # Checks in Python may read the sources.
        return Rejudged(verdict="unavailable", findings=findings)
    return Rejudged(verdict="same" if same else "changed", findings=findings)


def _reads(rule: str) -> bool:
    return "input" in rule or "state" in rule
