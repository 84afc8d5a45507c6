"""Answer a question with sentences copied from the evidence, or refuse.

In      question, evidence by anchor, the exact refusal
Out     one line for each sentence, each with its anchor; or the refusal and nothing else
Pure    yes, given the vectors
Spec    004 P2.1, P4, P5; interfaces.md, `extractive`

A sentence is weighed by the share of the question's words that it holds, rare words counting
more, and by its nearness in meaning. Sentences that could not stand in an answer (they hold
something like a marker, or speak of evidence and prompts) are passed over.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final

from assay.adapters.models.extractive.lexicon import words
from assay.answers.gate.citations import check_citations, markers, read_sentences
from assay.answers.gate.cited import CitedTexts
from assay.answers.gate.commentary import check_commentary, check_metadata
from assay.core.text.sentences import sentences

if TYPE_CHECKING:
    from assay.adapters.embeddings import SentenceEmbeddings

_LOWEST: Final = 0.45
"""What the best sentence must reach; under it the evidence does not answer."""

_BESIDE: Final = 0.85
"""Share of the best sentence's score that another one needs to stand beside it."""

_MOST_COMPARED: Final = 48
"""How many sentences, best by words first, are compared by meaning."""

_PLANTED: Final = re.compile(
    r"\b(?:previous|prior|above|earlier|vorherigen|bisherigen|obigen|anteriores)\s+"
    r"(?:instructions?|prompts?|anweisungen|instrucciones)\b",
    re.IGNORECASE,
)
"""What only a planted text says; no answer needs it."""

_STOP_WORDS: Final = """
    a about all also am an and any are as at be been but by can could did do does for from had
    has have how i if in into is it its me more my no not of on or our out shall should so than
    that the their them then there these they this to under up was we were what when where which
    who whom whose why will with would you your
    aber als am an auch auf aus bei bin bis da das dass dem den der des die doch du durch ein eine
    einem einen einer eines er es fuer hat haben hatte ich ihr ihre im in ist ja kann kein keine
    koennen man mehr mein meine mich mir mit muss nach nicht noch nur ob oder ohne sein seine sich
    sie sind so ueber um und uns unser unter vom von vor wann warum was wegen welche welchem
    welchen welcher welches wenn wer werden wie wieviel wir wird wo worden wurde zu zum zur
    al como con cual cuando de del donde el en es la las lo los no para por que quien se si sin
    son su un una y
"""
_ENDINGS: Final = ("ing", "ern", "ed", "es", "en", "er", "em", "e", "s", "n")
_STOP: Final = frozenset(_STOP_WORDS.split())


@dataclass(frozen=True, slots=True)
class _Candidate:
    anchor: str
    text: str
    terms: frozenset[str]


def answer(
    question: str,
    evidence: Sequence[tuple[str, str]],
    refusal: str,
    embeddings: SentenceEmbeddings | None,
    most: int = 3,
) -> str:
    """The best sentences in the order of the evidence, each followed by its marker.

    Args:
        question: As it was asked.
        evidence: (anchor, text); an anchor is `C0`, `C1` …
        refusal: Returned alone when no sentence answers.
        embeddings: Vectors for nearness in meaning; words alone decide without them.
        most: Sentences in the answer, 1 or more.
    """
    wanted = terms(question)
    candidates = [
        _Candidate(anchor, sentence, terms(sentence))
        for anchor, text in evidence
        for sentence in _usable_sentences(text)
    ]
    if not wanted or not candidates:
        return refusal
    rarity = {
        term: math.log(1 + len(candidates) / (1 + _count_holders(term, candidates)))
        for term in wanted
    }
    total = sum(rarity.values()) or 1.0
    scores = [sum(rarity[term] for term in wanted & each.terms) / total for each in candidates]
    if embeddings is not None:
        scores = _with_meaning(question, candidates, scores, embeddings)
    best = max(scores)
    if best < _LOWEST:
        return refusal
    order = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
    chosen: list[int] = []
    for at in order:
        if len(chosen) == most or scores[at] < max(_LOWEST, _BESIDE * best):
            break
        if all(not _are_alike(candidates[at], candidates[other]) for other in chosen):
            chosen.append(at)
    text = "\n".join(f"{candidates[at].text} [{candidates[at].anchor}]" for at in sorted(chosen))
    return text if _would_pass(text, dict(evidence)) else refusal


def _with_meaning(
    question: str,
    candidates: Sequence[_Candidate],
    scores: Sequence[float],
    embeddings: SentenceEmbeddings,
) -> list[float]:
    """Half words, half cosine, for the sentences that share most words with the question."""
    first = sorted(range(len(scores)), key=lambda at: (-scores[at], at))[:_MOST_COMPARED]
    vectors = embeddings.embed([question, *(candidates[at].text for at in first)])
    near = (vectors[1:] @ vectors[0]).tolist()
    mixed = [0.5 * score for score in scores]
    for place, at in enumerate(first):
        mixed[at] += 0.5 * max(0.0, near[place])
    return mixed


def _usable_sentences(text: str) -> list[str]:
    """Sentences on one line each that can stand in an answer."""
    found = (" ".join(text[start:stop].split()) for start, stop in sentences(text))
    return [
        sentence
        for sentence in found
        if sentence
        and sentence[-1] in ".!?…"
        and len(terms(sentence)) > 1
        and not markers(sentence)
        and not _PLANTED.search(sentence)
        and _would_pass(f"{sentence} [C0]", {"C0": sentence})
    ]


def _would_pass(answer: str, texts: Mapping[str, str]) -> bool:
    """Whether the validator would let *answer* pass, as far as it can be told without ids."""
    found = markers(answer)
    read = read_sentences(answer, found)
    cited = CitedTexts(read, texts)
    faults = chain(
        check_citations(answer, found, read, texts),
        check_commentary(answer, cited),
        check_metadata(answer, (), cited),
    )
    return not any(faults)


def terms(text: str) -> frozenset[str]:
    """Words that carry meaning, without their endings: inflected forms count as one."""
    return frozenset(_stem(word.folded) for word in words(text) if word.folded not in _STOP)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if len(word) - len(ending) >= (3 if ending == "s" else 4) and word.endswith(ending):
            return word[: -len(ending)][:7]
    return word[:7]


def _count_holders(term: str, candidates: Sequence[_Candidate]) -> int:
    return sum(term in each.terms for each in candidates)


def _are_alike(one: _Candidate, other: _Candidate) -> bool:
    shared = len(one.terms & other.terms)
    return shared >= 0.8 * min(len(one.terms), len(other.terms))
