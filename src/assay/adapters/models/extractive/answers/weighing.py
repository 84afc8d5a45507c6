"""How likely each piece of the evidence answers a question.

In      a question, pieces of passages with their context, vectors where they are installed
Out     a score from 0 to 1 for each piece
Pure    yes, given the vectors
Spec    008-A2, 008-A3

A logistic model over a handful of features, whose weights stand below;
`tools/fit_answers.py` fits them on labelled questions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from assay.adapters.models.extractive.answers.question import Asked, mark_words
from assay.adapters.models.extractive.answers.quotable import Quotable, with_lead
from assay.answers.gate.content_words import (
    ContentWord,
    WordIndex,
    content_words,
    guess_text_language,
)

if TYPE_CHECKING:
    from assay.adapters.embeddings import SentenceEmbeddings

MOST_COMPARED: Final = 24
"""Pieces, best by words first, that are compared by meaning: each costs some hundredths of a
second."""

_READ_CHARS: Final = 320
_CONTEXT_CHARS: Final = 120
_LED: Final = 0.8
"""What a word counts that stands in the sentence a piece points back to."""

_SIGNS = re.compile(r"[{}<>=_\\|#$`~^]|[\"'](?=[:,\])])|\(\s?\)")
_GLUED = re.compile(r"[a-zß-öø-ÿ][A-ZÀ-ÖØ-Þ][a-z]")
_MANY_SIGNS: Final = 0.04
_MANY_GLUED: Final = 2
"""From so many on a piece is no prose; `JavaScript` alone is."""

_SHARED: Final = 0.15
"""Who shares this part of the question's words, names apart, is in its language."""

_LIGHT: Final = 0.3
"""What a word weighs that any text may be put with, as a share of another's."""

FEATURES: Final[Mapping[str, str]] = {
    "bias": "1",
    "held": "share of the question's words that the piece holds, rare ones counting more",
    "held_around": "and of those that only its context or its source's name holds",
    "missing": "1 where a name, number or code of the question stands nowhere in the evidence",
    "nearness": "cosine with the question",
    "fits": "1 where it holds the kind of answer that is asked for, -1 where it does not",
    "rank": "1 for a piece of the first passage, 1/2 of the second …",
    "new": "words that the question does not have, up to five, by five",
    "length": "code points up to 400, by 400",
    "strange": "1 for what is no prose: code, or words that lost the spaces between them",
    "foreign": "1 where it is in another language than the question",
    "foreign_nearness": "its nearness there: words tell nothing",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A piece of one passage."""

    anchor: str
    rank: int
    """Of its passage in the evidence; 0 is the best."""

    piece: Quotable
    number: int
    """Place among all candidates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A candidate and what speaks for it."""

    candidate: Candidate
    features: Mapping[str, float]
    """By the names of FEATURES."""

    held: Mapping[str, float]
    """The words of the question that it holds -> their share of all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One passage of the evidence."""

    anchor: str
    text: str
    title: str = ""
    """What its source is called."""


def measure(
    question: str,
    asked: Asked,
    passages: Sequence[Passage],
    candidates: Sequence[Candidate],
    embeddings: SentenceEmbeddings | None,
) -> list[Measured]:
    """The features of the candidates that come into question, best by words first."""
    reading = _Reading(asked, passages, candidates)
    first = sorted(candidates, key=lambda each: (-reading.by_words(each), each.number))
    compared = first[:MOST_COMPARED]
    near = [0.0] * len(compared)
    if embeddings is not None and compared:
        near = nearness(question, [_in_context(each.piece) for each in compared], embeddings)
    return [
        Measured(
            candidate=each,
            features=reading.features(each, value),
            held=reading.shares(reading.own[each.number]),
        )
        for each, value in zip(compared, near, strict=True)
    ]


def _in_context(piece: Quotable) -> str:
    return f"{piece.context[-_CONTEXT_CHARS:]} {piece.text}"[:_READ_CHARS].strip()


class _Reading:
    """The words of a question in some evidence."""

    def __init__(
        self, asked: Asked, passages: Sequence[Passage], candidates: Sequence[Candidate]
    ) -> None:
        self.asked = asked
        self.language = {each.anchor: guess_text_language(each.text) for each in passages}
        self.titled = {each.anchor: each.title for each in passages}
        self.own = [self._find_held((each.piece.text,), each.anchor) for each in candidates]
        self.led = [self._find_held(with_lead(each.piece), each.anchor) for each in candidates]
        self.around = [
            self._find_held(
                (each.piece.text, each.piece.context, self.titled[each.anchor]), each.anchor
            )
            for each in candidates
        ]
        holders = {word.key: sum(word.key in own for own in self.own) for word in asked.words}
        self.weights = {
            word.key: math.log(1 + (1 + len(candidates)) / (1 + holders[word.key]))
            * (_LIGHT if word.light else 1.0)
            for word in asked.words
        }
        self.whole = sum(self.weights.values()) or 1.0
        said = {word for each in passages for word in mark_words(f"{each.title} {each.text}")}
        missing = [mark for mark in asked.marks if mark not in said and mark + "s" not in said]
        self.missing = float(bool(missing))

    def _find_held(self, texts: Sequence[str], anchor: str) -> frozenset[str]:
        language = self.language[anchor] or self.asked.language
        index = WordIndex(texts, language)
        return frozenset(word.key for word in self.asked.words if _holds(index, word))

    def shares(self, keys: frozenset[str]) -> dict[str, float]:
        return {key: weight / self.whole for key, weight in self.weights.items() if key in keys}

    def share(self, keys: frozenset[str]) -> float:
        return sum(self.shares(keys).values())

    def by_words(self, each: Candidate) -> float:
        """What words alone tell of a candidate, to choose which are compared by meaning."""
        own, around = self.own[each.number], self.around[each.number]
        return (
            self.share(own)
            + 0.5 * self.share(around - own)
            + 0.15 * self.asked.fits(each.piece.text)
            + 0.2 / (1 + each.rank)
        )

    def features(self, each: Candidate, near: float) -> Mapping[str, float]:
        own, around = self.own[each.number], self.around[each.number]
        spoken = self.language[each.anchor]
        foreign = float(
            spoken is not None
            and self.asked.language is not None
            and spoken != self.asked.language
            and self.share((own | around) - self.asked.names) < _SHARED
        )
        words = {word.key for word in content_words(each.piece.text, spoken)}
        asked = {word.key for word in self.asked.words}
        return {
            "bias": 1.0,
            "held": self.share(own) + _LED * self.share(self.led[each.number] - own),
            "held_around": self.share(around - own),
            "missing": self.missing,
            "nearness": near,
            "fits": self.asked.fits(each.piece.text),
            "rank": 1 / (1 + each.rank),
            "new": min(len(words - asked), 5) / 5,
            "foreign": foreign,
            "foreign_nearness": foreign * near,
            "length": min(len(each.piece.text), 400) / 400,
            "strange": _is_strange(each.piece.text),
        }


def _is_strange(text: str) -> float:
    signs = len(_SIGNS.findall(text)) >= _MANY_SIGNS * len(text)
    return float(signs or len(_GLUED.findall(text)) >= _MANY_GLUED)


def _holds(index: WordIndex, word: ContentWord) -> bool:
    return word in index


def nearness(question: str, texts: Sequence[str], embeddings: SentenceEmbeddings) -> list[float]:
    """The cosine of each text with the question, both seen from the middle of all texts."""
    from assay.adapters.embeddings import centre

    asked_middle, said_middle = _middles(embeddings)
    asked = centre(embeddings.embed([question]), asked_middle)
    said = centre(embeddings.embed_passages(texts), said_middle)
    near: list[float] = (said @ asked[0]).tolist()
    return near


@lru_cache(maxsize=2)
def _middles(embeddings: SentenceEmbeddings) -> tuple[Any, Any]:
    """The mean of questions and of sentences on anything, in several languages."""
    return (
        embeddings.embed(ANY_QUESTIONS).mean(axis=0),
        embeddings.embed_passages(ANY_SENTENCES).mean(axis=0),
    )


ANY_QUESTIONS: Final = (
    "How do I change my address?", "What does the ticket cost?", "Who is responsible for that?",
    "Wann ist das Büro geöffnet?", "Wie lange dauert die Lieferung?", "Darf ich dort parken?",
    "Où puis-je trouver le formulaire ?", "Quel est le délai de paiement ?",
    "¿Cuándo empieza el curso?", "¿Qué documentos necesito?", "Quanto costa l'abbonamento?",
    "Hoe kan ik mijn wachtwoord wijzigen?", "営業時間は何時からですか。", "如何申请退款?",
)  # fmt: skip
ANY_SENTENCES: Final = (
    "The office is open on weekdays from nine to five.", "Send the form to the address below.",
    "The model returns a list of values.", "Children under six travel free of charge.",
    "Die Rechnung ist innerhalb von 14 Tagen zu bezahlen.", "Hunde sind an der Leine zu führen.",
    "Das Gerät darf nicht in Wasser getaucht werden.",
    "Le contrat peut être résilié à tout moment.", "La bibliothèque est fermée le lundi.",
    "Los alumnos deben entregar la solicitud en mayo.", "El precio incluye el desayuno.",
    "Il pagamento avviene con carta di credito.", "De sleutel ligt bij de receptie.",
    "年会費は四千円です。", "退款将在七天内处理。",
)  # fmt: skip

WITH_VECTORS: Final[Mapping[str, float]] = {
    "bias": -5.55, "held": 4.2, "held_around": 0.3, "missing": -1.6, "nearness": 4.8, "fits": 0.3,
    "rank": 2.7, "new": 0.1, "length": 1.2, "strange": -1.0, "foreign": 0.4,
    "foreign_nearness": 4.0,
}  # fmt: skip
"""Near what a logistic regression gives (`tools/fit_answers.py` prints both). Where half lies was
chosen by what it costs on either side; the last two by questions in another language than their
texts, of which the regression has too few."""

WORDS_ALONE: Final[Mapping[str, float]] = {
    "bias": -3.9, "held": 5.2, "held_around": 0.9, "missing": -2.0, "fits": 0.7, "rank": 2.4,
    "new": 0.2, "length": 1.0, "strange": -0.8,
}  # fmt: skip
"""The same without vectors."""


def probability(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """How likely a candidate answers.

    Example:
        >>> round(probability({"bias": 1.0, "held": 0.5}, {"bias": -1.0, "held": 2.0}), 2)
        0.5
    """
    total = sum(weight * features[name] for name, weight in weights.items())
    return 1 / (1 + math.exp(-total))
