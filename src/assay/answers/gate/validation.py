"""Judge an answer against the assembly it was made from (R5).

In      an assembly (or the document that `assay assemble --json` printed), an answer
Out     ValidationResult: passed, or every fault with its place
Pure    yes: equal inputs give equal bytes
Spec    004 R5, P4, P5, P2.2; interfaces.md, "Answers"

Nothing is accepted silently: an answer passes when every check ran and none found a fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.answers.gate.captions import caption_words
from assay.answers.gate.carried import carrying_spans
from assay.answers.gate.citations import (
    Marker,
    Sentence,
    check_citations,
    markers,
    read_sentences,
)
from assay.answers.gate.cited import CitedTexts
from assay.answers.gate.commentary import check_commentary, check_metadata, refusal_place
from assay.answers.gate.grounding import Chunks, Tally, check_grounding
from assay.answers.gate.negation import check_negation
from assay.answers.gate.support import Passages, check_support
from assay.answers.offer import Offer
from assay.answers.prompt_v1 import REFUSAL
from assay.gate.verdict import Finding, Severity

GenerationStatus = Literal["OK", "FAILED", "NO_EVIDENCE"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationResult:
    """The verdict on one answer; its fields are those of R5."""

    generation_status: GenerationStatus
    """NO_EVIDENCE for the exact refusal."""

    validation_status: Literal["PASSED", "FAILED"]
    failure_reason: str | None
    """Code of the first fault; None when passed."""

    validated_answer_text: str | None
    """The answer, or None: an answer that did not pass is no answer."""

    validated_citations: tuple[Mapping[str, Any], ...]
    """Each marker of an answer that passed, with its chunk and its place in the answer (`start`,
    `stop`), and with the place in the chunk's text that carries what it stands behind (`span`;
    None where no word of it stands there)."""

    grounding_metrics: Mapping[str, Any]
    findings: tuple[Finding, ...]

    @property
    def accepted(self) -> bool:
        """Whether the answer may be shown."""
        return self.validation_status == "PASSED"

    def to_dict(self) -> dict[str, Any]:
        """The document that `assay validate --json` prints."""
        return {
            "generation_status": self.generation_status,
            "validation_status": self.validation_status,
            "failure_reason": self.failure_reason,
            "validated_answer_text": self.validated_answer_text,
            "validated_citations": [dict(citation) for citation in self.validated_citations],
            "grounding_metrics": dict(self.grounding_metrics),
            "findings": [finding.to_dict() for finding in self.findings],
        }


@dataclass(slots=True)
class _Judged:
    """An answer while it is weighed."""

    text: str
    offer: Offer
    names: Severity
    support_floor: float
    negation: Severity
    passages: Passages
    found: tuple[Marker, ...] = ()
    read: tuple[Sentence, ...] = ()
    tally: Tally = field(default_factory=Tally)

    @property
    def cited(self) -> CitedTexts:
        """What its sentences cite."""
        return CitedTexts(self.read, self.offer.texts)


def judge_answer(
    offer: Offer,
    answer: str | bytes,
    *,
    names: Severity,
    support_floor: float,
    negation: Severity,
) -> ValidationResult:
    """Weigh *answer*; never raises.

    Args:
        offer: What was offered.
        answer: The reply as it came.
        names: What a name that the evidence lacks does.
        support_floor: The least share of a sentence's content words that what it cites holds.
        negation: What a claim that is turned round against its passage does.

    Spec: 004 R5.
    """
    text = _text(answer)
    if offer.status == "FAILED":
        return _failed_result("FAILED", "assembly.failed", ())
    if text is None:
        fault = _fault("answer.unicode", 0, 0, "is no UTF-8 text")
        return _failed_result("FAILED", fault.code, (fault,))
    if text.strip() == REFUSAL:
        return _refusal_result(offer)
    if not text.strip():
        fault = _fault("answer.empty", 0, len(text), "holds nothing")
        return _failed_result("FAILED", fault.code, (fault,))
    if offer.status == "NO_EVIDENCE":
        fault = _fault("refusal.not_exact", 0, len(text), "only the refusal may be said")
        return _failed_result("OK", fault.code, (fault,))
    judged = _Judged(
        text=text,
        offer=offer,
        names=names,
        support_floor=support_floor,
        negation=negation,
        passages=Passages(offer.texts, offer.sources),
    )
    findings = _weigh(judged)
    faults = [finding for finding in findings if finding.severity == "reject"]
    if faults:
        return _failed_result("OK", faults[0].code, findings, _metrics(judged))
    return ValidationResult(
        generation_status="OK",
        validation_status="PASSED",
        failure_reason=None,
        validated_answer_text=text,
        validated_citations=tuple(_citations(judged)),
        grounding_metrics=_metrics(judged),
        findings=findings,
    )


def _text(answer: str | bytes) -> str | None:
    try:
        if isinstance(answer, bytes):
            return answer.decode("utf-8")
        answer.encode("utf-8")
    except UnicodeError:
        return None
    return answer


def _structure(judged: _Judged) -> Iterator[Finding]:
    """Sentences, markers, and a refusal that is not the one."""
    text = judged.text
    judged.found = markers(text)
    words = caption_words(judged.offer.question, judged.offer.texts, text)
    judged.read = read_sentences(text, judged.found, words)
    refusal = refusal_place(text, REFUSAL)
    if refusal is not None:
        yield _fault("refusal.not_exact", *refusal, "is not the refusal and nothing else")
    yield from check_citations(text, judged.found, judged.read, judged.offer.texts)
    factual = any(sentence.anchors or not sentence.caption for sentence in judged.read)
    if not factual or not _says_something(text, judged.found):
        yield _fault("answer.empty", 0, len(text), "states nothing")


def _says_something(text: str, found: Sequence[Marker]) -> bool:
    """Is there a letter or a digit outside the markers?"""
    inside = {place for marker in found for place in range(marker.start, marker.stop)}
    return any(char.isalnum() for place, char in enumerate(text) if place not in inside)


_CHECKS: Sequence[Callable[[_Judged], Iterable[Finding]]] = (
    _structure,
    lambda judged: check_metadata(judged.text, judged.offer.ids, judged.cited),
    lambda judged: check_commentary(judged.text, judged.cited),
    lambda judged: check_grounding(
        judged.text,
        judged.read,
        Chunks(judged.offer.texts, judged.offer.sources),
        judged.tally,
        names=judged.names,
    ),
    lambda judged: check_support(
        judged.text, judged.read, judged.passages, floor=judged.support_floor
    ),
    lambda judged: check_negation(
        judged.text, judged.read, judged.passages, severity=judged.negation
    ),
)


def _weigh(judged: _Judged) -> tuple[Finding, ...]:
    """Put the answer to every check; a check that fails is a fault of the answer."""
    findings: dict[Finding, None] = {}
    for check in _CHECKS:
        try:
            findings.update(dict.fromkeys(check(judged)))
        except Exception as error:  # no path leads from a broken check to a pass
            message = f"a check failed itself: {type(error).__name__}"
            findings[_fault("check.error", 0, len(judged.text), message)] = None
    refusals = [_span(finding) for finding in findings if finding.code == "refusal.not_exact"]
    found = [finding for finding in findings if not _is_refusal(finding, refusals)]
    return tuple(sorted(found, key=lambda finding: (*_span(finding), finding.code)))


def _is_refusal(finding: Finding, refusals: Iterable[tuple[int, int]]) -> bool:
    """Whether *finding* is about the wording of a refusal that is refused as such anyway."""
    start, stop = _span(finding)
    return finding.code in {"sentence.uncited", "answer.meta_commentary"} and any(
        start < end and begin < stop for begin, end in refusals
    )


def _span(finding: Finding) -> tuple[int, int]:
    """Where in the answer *finding* is."""
    return finding.start or 0, finding.stop or 0


def _refusal_result(offer: Offer) -> ValidationResult:
    return ValidationResult(
        generation_status="NO_EVIDENCE",
        validation_status="PASSED",
        failure_reason=None,
        validated_answer_text=REFUSAL,
        validated_citations=(),
        grounding_metrics=_numbers((), (), offer, Tally()),
        findings=(),
    )


def _failed_result(
    status: GenerationStatus,
    reason: str,
    findings: tuple[Finding, ...],
    metrics: Mapping[str, Any] | None = None,
) -> ValidationResult:
    return ValidationResult(
        generation_status=status,
        validation_status="FAILED",
        failure_reason=reason,
        validated_answer_text=None,
        validated_citations=(),
        grounding_metrics=metrics or _numbers((), (), None, Tally()),
        findings=findings,
    )


def _citations(judged: _Judged) -> Iterator[dict[str, Any]]:
    offer = judged.offer
    spans = carrying_spans(judged.text, judged.found, judged.read, offer.texts)
    for marker, span in zip(judged.found, spans, strict=True):
        yield {
            "anchor": marker.anchor,
            "chunk_id": offer.chunk_ids[marker.anchor],
            "source_reference": offer.sources.get(marker.anchor, "unknown"),
            "start": marker.start,
            "stop": marker.stop,
            "span": None if span is None else span.to_dict(),
        }


def _metrics(judged: _Judged) -> dict[str, Any]:
    return _numbers(judged.read, judged.found, judged.offer, judged.tally)


def _numbers(
    read: Sequence[Sentence], found: Sequence[Marker], offer: Offer | None, tally: Tally
) -> dict[str, Any]:
    factual = [sentence for sentence in read if sentence.kind == "factual"]
    cited = sum(bool(sentence.anchors) for sentence in factual)
    offered = tuple(offer.texts) if offer else ()
    used = {marker.anchor for marker in found}
    return {
        "sentences": len(read),
        "factual_sentences": len(factual),
        "cited_sentences": cited,
        "cited_share": round(cited / len(factual), 4) if factual else 0.0,
        "numbers_checked": tally.numbers,
        "numbers_grounded": tally.numbers_found,
        "dates_checked": tally.dates,
        "dates_grounded": tally.dates_found,
        "entities_checked": tally.entities,
        "entities_grounded": tally.entities_found,
        "acronyms_checked": tally.acronyms,
        "acronyms_grounded": tally.acronyms_found,
        "anchors_used": [anchor for anchor in offered if anchor in used],
        "anchors_unused": [anchor for anchor in offered if anchor not in used],
    }


def _fault(code: str, start: int, stop: int, message: str) -> Finding:
    return Finding(code=code, start=start, stop=stop, message=message)
