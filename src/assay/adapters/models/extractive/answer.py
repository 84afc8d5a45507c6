"""Answer a question with pieces copied from the evidence, or refuse.

In      question, evidence by anchor, the exact refusal
Out     one line for each sentence, item or row, each with its anchor; or the refusal alone
Pure    yes, given the vectors
Spec    004 P2.1, P4, P5; 008-A1 to 008-A3; interfaces.md, "Models" (`extractive`)

What could not stand in an answer is passed over: the same validator judges it that will judge the
answer. What speaks to models and not to readers is, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from assay.adapters.models.extractive.answers.question import read_question
from assay.adapters.models.extractive.answers.quotable import quotables, with_lead
from assay.adapters.models.extractive.answers.weighing import (
    WITH_VECTORS,
    WORDS_ALONE,
    Candidate,
    Passage,
    measure,
    probability,
)
from assay.answers.evidence.policy import R2_POLICY_V1
from assay.answers.gate.content_words import content_words
from assay.answers.gate.markers import look_alikes, markers
from assay.answers.gate.validation import judge_answer
from assay.answers.offer import Offer

if TYPE_CHECKING:
    from assay.adapters.embeddings import SentenceEmbeddings

_LOWEST: Final = 0.7
"""What the best piece must reach; under it the evidence does not answer.

What it costs on either side stands in docs/explanation/quality.md: a wrong answer costs more than
a refusal.
"""

_BESIDE: Final = 0.85
"""Share of the best piece's score that another one needs to stand beside it."""

_BROUGHT: Final = 0.15
"""Share of the question's words that another piece must hold and those before it lack."""

_ALIKE: Final = 0.7
"""Pieces that share this part of their words say the same."""

_PLANTED: Final = re.compile(
    r"\b(?:previous|prior|above|earlier|vorherigen|bisherigen|obigen|anteriores)\s+"
    r"(?:instructions?|prompts?|anweisungen|instrucciones)\b",
    re.IGNORECASE,
)
"""What only a planted text says; no answer needs it."""


def answer(
    question: str,
    evidence: Sequence[tuple[str, str]],
    refusal: str,
    embeddings: SentenceEmbeddings | None,
    most: int = 3,
    *,
    titles: Mapping[str, str] | None = None,
) -> str:
    """The best pieces in the order of the evidence, each line followed by its marker.

    Args:
        question: As it was asked.
        evidence: (anchor, text), best first; an anchor is `C0`, `C1` …
        refusal: Returned alone when nothing answers.
        embeddings: Vectors for nearness in meaning; words alone decide without them.
        most: Pieces in the answer, 1 or more.
        titles: Anchor -> what the source is called, where it is known.
    """
    chosen = [
        each for each, _ in weigh_pieces(question, evidence, embeddings, most=most, titles=titles)
    ]
    text = "\n".join(
        _write_line(each) for each in sorted(chosen, key=lambda candidate: candidate.number)
    )
    return text if chosen and _would_pass(text, question, evidence, titles or {}) else refusal


def weigh_pieces(
    question: str,
    evidence: Sequence[tuple[str, str]],
    embeddings: SentenceEmbeddings | None,
    *,
    most: int = 3,
    lowest: float = _LOWEST,
    titles: Mapping[str, str] | None = None,
) -> list[tuple[Candidate, float]]:
    """The pieces that an answer is made of, best first, each with its score; none to refuse."""
    asked = read_question(question)
    named = titles or {}
    passages = [
        Passage(anchor=anchor, text=text, title=named.get(anchor, "")) for anchor, text in evidence
    ]
    candidates = read_candidates(passages)
    if not candidates or not (asked.words or asked.marks):
        return []
    weights = WORDS_ALONE if embeddings is None else WITH_VECTORS
    scored = [
        (probability(each.features, weights), each)
        for each in measure(question, asked, passages, candidates, embeddings)
    ]
    scored.sort(key=lambda pair: (-pair[0], pair[1].candidate.number))
    chosen: list[tuple[Candidate, float]] = []
    held: set[str] = set()
    for score, each in scored:
        best = chosen[0][1] if chosen else 0.0
        if len(chosen) == most or score < max(lowest, _BESIDE * best):
            break
        brought = sum(share for word, share in each.held.items() if word not in held)
        if chosen and brought < _BROUGHT:
            continue
        if any(_are_alike(each.candidate, other) for other, _ in chosen):
            continue
        if _would_pass(_write_line(each.candidate), question, evidence, named):
            chosen.append((each.candidate, score))
            held.update(each.held)
    return chosen


def quotable_lines(evidence: Sequence[tuple[str, str]]) -> list[str]:
    """What of the evidence could stand in an answer, each on one line with its marker."""
    passages = [Passage(anchor=anchor, text=text) for anchor, text in evidence]
    return [f"{' '.join(each.piece.lines)} [{each.anchor}]" for each in read_candidates(passages)]


def read_candidates(passages: Sequence[Passage]) -> list[Candidate]:
    """All pieces of the passages that may be quoted."""
    found: list[Candidate] = []
    for rank, passage in enumerate(passages):
        for piece in quotables(passage.text):
            whole = " ".join(with_lead(piece))
            if markers(whole) or any(look_alikes(whole)) or _PLANTED.search(whole):
                continue
            if sum(1 for _ in content_words(piece.text, None)) < 2:
                continue
            found.append(
                Candidate(anchor=passage.anchor, rank=rank, piece=piece, number=len(found))
            )
    return found


def _write_line(each: Candidate) -> str:
    return "\n".join(f"{line} [{each.anchor}]" for line in with_lead(each.piece))


def _would_pass(
    text: str, question: str, evidence: Sequence[tuple[str, str]], titles: Mapping[str, str]
) -> bool:
    """Whether the validator would let *text* pass, as far as it can be told without ids."""
    offer = Offer(
        status="OK",
        texts=dict(evidence),
        sources=titles,
        chunk_ids={anchor: anchor for anchor, _ in evidence},
        ids=(),
        question=question,
    )
    policy = R2_POLICY_V1
    return judge_answer(
        offer,
        text,
        names=policy.unsupported_entities,
        support_floor=policy.support_floor,
        negation=policy.negation,
    ).accepted


def _are_alike(one: Candidate, other: Candidate) -> bool:
    """Whether the one says what the other says, or is what the other points back to."""
    if one.piece.text == other.piece.lead or other.piece.text == one.piece.lead:
        return True
    mine, theirs = (
        {word.key for word in content_words(each.piece.text, None)} for each in (one, other)
    )
    return len(mine & theirs) >= _ALIKE * min(len(mine), len(theirs))
