"""Where in a cited chunk the sentence stands that carries a sentence of an answer.

In      an answer, its markers and sentences, the texts of the chunks
Out     for each marker a span of its chunk, or none where nothing of the claim stands there
Pure    yes: equal inputs give equal spans; linear in answer times the longest chunk
Spec    008-A4; interfaces.md, "Answers" (`span`)

What counts is what the gate counts: content words as stems (`grounding.support`), numbers
(`grounding.number`) and dates (`grounding.date`). What few sentences of the chunk hold tells more.
A second sentence beside the best is taken in when it brings a fact or a good part of the claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

from assay.answers.gate.citations import Marker, Sentence, without_markers
from assay.answers.gate.content_words import (
    ContentWord,
    WordIndex,
    content_words,
    guess_text_language,
)
from assay.answers.gate.dates import Dated, dates
from assay.answers.gate.facts import FactIndex, index_facts
from assay.answers.gate.numbers import quantities
from assay.answers.gate.quantity import Quantity
from assay.core.text.sentences import sentences as split_sentences

_BESIDE: Final = 0.25
"""Share of a claim that a second sentence has to bring."""

_LIGHT: Final = 0.25
"""What a word counts that any text may be put with, as a share of another's."""


class ChunkSpan(NamedTuple):
    """A part of a chunk's text, in code points."""

    start: int
    stop: int

    def to_dict(self) -> dict[str, int]:
        return {"start": self.start, "stop": self.stop}


@dataclass(frozen=True, slots=True)
class _Claim:
    """What one sentence of an answer says, to be looked for."""

    words: tuple[ContentWord, ...]
    facts: tuple[Dated | Quantity, ...]


class _Piece:
    """One sentence of a chunk."""

    def __init__(self, text: str, start: int, stop: int) -> None:
        self.start, self.stop = start, stop
        self._text = text[start:stop]
        self._words: dict[str | None, WordIndex] = {}

    @cached_property
    def _facts(self) -> FactIndex:
        return index_facts(self._text)

    def holds_word(self, word: ContentWord, language: str | None) -> bool:
        if language not in self._words:
            self._words[language] = WordIndex((self._text,), language)
        return word in self._words[language]

    def holds_fact(self, fact: Dated | Quantity) -> bool:
        if isinstance(fact, Dated):
            return self._facts.has_date(fact)
        return self._facts.fault_of(fact) is None


@dataclass(slots=True)
class CarryingSpans:
    """Finds what carries a claim in some chunks, each read when it is first needed."""

    texts: Mapping[str, str]
    """Anchor -> text."""

    _pieces: dict[str, tuple[_Piece, ...]] = field(default_factory=dict)
    _known: dict[tuple[str, str, str | None], ChunkSpan | None] = field(default_factory=dict)

    def find(self, claim: str, anchor: str, language: str | None = None) -> ChunkSpan | None:
        """The sentence of the chunk, or two side by side, that carries *claim* best.

        Args:
            claim: A sentence without markers.
            anchor: Of the chunk.
            language: Of the claim; guessed when absent.

        Example:
            >>> text = "Rooms open at 9. Smoking is forbidden."
            >>> span = CarryingSpans({"C0": text}).find("You must not smoke: forbidden.", "C0")
            >>> text[span.start : span.stop]
            'Smoking is forbidden.'
        """
        key = (claim, anchor, language)
        if key not in self._known:
            self._known[key] = self._find(claim, anchor, language)
        return self._known[key]

    def _find(self, claim: str, anchor: str, language: str | None) -> ChunkSpan | None:
        text = self.texts[anchor]
        if anchor not in self._pieces:
            self._pieces[anchor] = tuple(
                _Piece(text, start, stop) for start, stop in split_sentences(text)
            )
        pieces = self._pieces[anchor]
        copied = _find_copy(claim, text)
        if copied is not None:
            return _whole_pieces(pieces, copied)
        spoken = language or guess_text_language(claim) or guess_text_language(text)
        holders = list(_holders(_read_claim(claim, spoken), pieces, spoken))
        return _best_span(pieces, holders)


def carrying_spans(
    text: str,
    found: Sequence[Marker],
    read: Sequence[Sentence],
    texts: Mapping[str, str],
) -> tuple[ChunkSpan | None, ...]:
    """For each marker of an answer the span of its chunk that carries what it stands behind.

    A marker within a sentence answers for what stands between it and the one before; where the
    chunk holds nothing of that, for the whole sentence.

    Args:
        text: The answer.
        found: Its markers.
        read: Its sentences, as `read_sentences` gives them.
        texts: Anchor -> text of the chunk; every marker's anchor is among them.
    """
    bare = without_markers(text)
    whole = guess_text_language(bare)
    spans = CarryingSpans(texts)
    placed: list[ChunkSpan | None] = []
    at, last = -1, 0
    for marker in found:
        while at + 1 < len(read) and read[at + 1].start <= marker.start:
            at += 1
            last = read[at].start
        sentence = read[at] if at >= 0 else read[0] if read else None
        if sentence is None:
            placed.append(None)
            continue
        body = bare[sentence.start : max(sentence.stop, sentence.start)].strip()
        language = guess_text_language(body) or whole
        part = bare[last : marker.start].strip()
        span = spans.find(part, marker.anchor, language) if part else None
        placed.append(span or spans.find(body, marker.anchor, language))
        last = marker.stop
    return tuple(placed)


def _read_claim(claim: str, language: str | None) -> _Claim:
    found_dates = tuple(dates(claim))
    facts: list[Dated | Quantity] = [*found_dates]
    facts += [each for each in quantities(claim, found_dates) if each.weight not in _VAGUE]
    words = {word.key: word for word in content_words(claim, language)}
    telling = [word for word in words.values() if not word.grammar]
    return _Claim(tuple(telling or words.values()), tuple(facts))


_VAGUE: Final = frozenset({"loose", "hint"})
"""Numbers that the gate does not ask for."""


class _Holders(NamedTuple):
    """Which sentences of a chunk hold one word or fact, and what that weighs."""

    places: frozenset[int]
    weight: float
    is_fact: bool


def _holders(claim: _Claim, pieces: Sequence[_Piece], language: str | None) -> Iterator[_Holders]:
    for word in claim.words:
        held = frozenset(n for n, each in enumerate(pieces) if each.holds_word(word, language))
        if held:
            weight = (1 + 1 / len(held)) * (_LIGHT if word.light else 1.0)
            yield _Holders(held, weight, is_fact=False)
    for fact in claim.facts:
        held = frozenset(n for n, each in enumerate(pieces) if each.holds_fact(fact))
        if held:
            yield _Holders(held, 1 + 1 / len(held), is_fact=True)


def _best_span(pieces: Sequence[_Piece], holders: Sequence[_Holders]) -> ChunkSpan | None:
    """One sentence; two where the second brings a fact, or much of the claim."""
    if not holders:
        return None
    scores = [0.0] * len(pieces)
    for holder in holders:
        for place in holder.places:
            scores[place] += holder.weight
    length = [piece.stop - piece.start for piece in pieces]
    best = min(range(len(pieces)), key=lambda n: (-round(scores[n], 9), length[n], n))
    span, gain = ChunkSpan(pieces[best].start, pieces[best].stop), 0.0
    whole = sum(holder.weight for holder in holders)
    for beside in (best - 1, best + 1):
        if not 0 <= beside < len(pieces):
            continue
        brought = [h for h in holders if beside in h.places and best not in h.places]
        more = sum(holder.weight for holder in brought)
        if more <= gain + 1e-9:
            continue
        if more >= _BESIDE * whole or any(holder.is_fact for holder in brought):
            gain = more
            first, second = sorted((best, beside))
            span = ChunkSpan(pieces[first].start, pieces[second].stop)
    return span


def _find_copy(claim: str, text: str) -> ChunkSpan | None:
    """Where *claim* stands word for word, but for white space and its last mark."""
    words = claim.split()
    if len(words) < 2 and len(claim) < 8:
        return None
    at = text.find(claim)
    if at >= 0:
        return ChunkSpan(at, at + len(claim))
    if " ".join(words) not in " ".join(text.split()):
        return None
    match = re.search(r"\s+".join(map(re.escape, words)), text)
    return None if match is None else ChunkSpan(*match.span())


def _whole_pieces(pieces: Sequence[_Piece], copied: ChunkSpan) -> ChunkSpan:
    """The sentences that hold a copy, where they are one or two; else the copy itself."""
    over = [each for each in pieces if each.start < copied.stop and copied.start < each.stop]
    if not 1 <= len(over) <= 2:
        return copied
    return ChunkSpan(over[0].start, over[-1].stop)
