"""A sentence is carried by what it cites: enough of its content words stand there.

In      the sentences of an answer, the text of each chunk, the floor of the policy
Out     findings: rejections, and notes where there is nothing to measure by
Pure    yes; linear in answer and chunks
Spec    005-A2; interfaces.md, "Answers" (grounding.support)

Words of the question do not count: an answer that repeats a question says nothing of what it
cites. A short sentence must have half of its words, and both where it has two, because few words
are soon found by chance. Its numbers and dates stand for words that were found, one or two of
them: those that are not in the chunk are refused as such. Where the word that it opens with, what
it is of, is not found, it may lack no other (of four, none but that one). A name counts once, and
only for the share: names are judged as such (`grounding.entity`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from assay.answers.gate.citations import Sentence, without_markers
from assay.answers.gate.content_words import (
    ContentWord,
    WordIndex,
    content_words,
    guess_text_language,
    is_other_language,
)
from assay.answers.gate.dates import dates
from assay.answers.gate.names import names_in
from assay.answers.gate.numbers import is_unit, quantities
from assay.answers.gate.stop_words import ARTICLES
from assay.gate.verdict import Finding

_LETTERS = re.compile(r"[^\W\d_]+")
_SHORT: Final = 4
"""A sentence of up to so many content words is short."""

_HELD_WITHOUT_FIRST: Final = 3
"""So many words must be held of a short sentence that lacks its first, or all."""

_DUTY: Final = "~modality"
"""Whoever forbids, allows or demands: every text may be put with that."""

_MOST_FACTS: Final = 2
"""So many numbers and dates stand for words that are held."""


@dataclass(frozen=True, slots=True)
class Passages:
    """The cited chunks as content words, each read when it is first needed."""

    texts: Mapping[str, str]
    """Anchor -> text."""

    sources: Mapping[str, str]
    """Anchor -> what the header calls the source."""

    _indexes: dict[tuple[str, str | None], WordIndex] = field(default_factory=dict)
    _languages: dict[str, str | None] = field(default_factory=dict)

    def language(self, anchor: str) -> str | None:
        """The language of one chunk, if it can be told."""
        if anchor not in self._languages:
            self._languages[anchor] = guess_text_language(self.texts[anchor])
        return self._languages[anchor]

    def differs(self, anchor: str, body: str, language: str | None) -> bool:
        """Whether a sentence and a chunk are surely in two languages, each seen from the other.

        A chunk that holds text in several languages is of none of them alone.
        """
        if not is_other_language(body, self.language(anchor)):
            return False
        return language is None or is_other_language(self.texts[anchor], language)

    def index(self, anchor: str, language: str | None) -> WordIndex:
        """The content words of one chunk and its source, read as *language*."""
        key = (anchor, language)
        if key not in self._indexes:
            named = (self.texts[anchor], self.sources.get(anchor, ""))
            self._indexes[key] = WordIndex(named, language)
        return self._indexes[key]


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """How far one sentence is carried."""

    words: int
    """Content words; 0 with a number or a date beside them leaves nothing to measure."""

    held: int
    own_words: int
    """Without those that every text may be put with."""

    own_held: int
    lacks_first: bool
    """The word that it opens with is not held."""

    names: int
    """Of `words`."""

    facts: int
    """Numbers and dates, which are weighed elsewhere."""

    def reaches(self, floor: float) -> bool:
        """Whether the sentence is carried; a floor of 0 asks for nothing."""
        if floor <= 0.0:
            return True
        if not self.words:
            return self.facts > 0
        facts = min(self.facts, _MOST_FACTS)
        if self.own_words + self.names <= _SHORT and not self._is_short_held():
            return False
        return self.held + facts >= floor * (self.words + facts)

    def _is_short_held(self) -> bool:
        if self.lacks_first and self.own_held < min(self.own_words, _HELD_WITHOUT_FIRST):
            return False
        facts = min(self.facts, _MOST_FACTS)
        held, words = self.own_held + facts, self.own_words + facts
        if self.own_words and (not self.own_held or 2 * held < words):
            return False
        return words != 2 or held == words


def check_support(
    text: str, sentences: Sequence[Sentence], passages: Passages, *, floor: float
) -> Iterator[Finding]:
    """Hold the content words of every cited sentence against the chunks it cites.

    Args:
        text: The answer.
        sentences: Its sentences, as `read_sentences` gives them.
        passages: The evidence.
        floor: The least share of content words, 0 to 1.

    Spec: 005-A2.
    """
    bare = without_markers(text)
    whole = guess_text_language(bare)
    for number, sentence in enumerate(sentences, start=1):
        cited = [anchor for anchor in sentence.anchors if anchor in passages.texts]
        if not cited:
            continue
        body = bare[sentence.start : sentence.stop]
        language = sentence_language(body, whole)
        alike = [each for each in cited if not passages.differs(each, body, language)]
        measured = measure_support(body, language, passages, cited)
        if measured.reaches(floor):
            continue
        if alike or not measured.words:
            message = (
                f"sentence {number} is not carried by what it cites:"
                f" {measured.held} of {measured.words} content words stand there"
            )
            yield Finding(
                code="grounding.support", start=sentence.start, stop=sentence.stop, message=message
            )
        else:
            yield Finding(
                code="grounding.support",
                severity="note",
                start=sentence.start,
                stop=sentence.stop,
                message=f"sentence {number} is in another language than what it cites",
            )


def sentence_language(body: str, whole: str | None) -> str | None:
    """The language of a sentence, or that of its answer where it cannot be told."""
    return guess_text_language(body) or whole


def measure_support(
    body: str, language: str | None, passages: Passages, cited: Sequence[str]
) -> Support:
    """Count the content words of a sentence and those that the cited chunks hold."""
    spoken = language or _common_language(passages, cited)
    words, names, facts = _content(body, spoken)

    def holds(word: ContentWord) -> bool:
        return any(
            word in passages.index(each, language or passages.language(each)) for each in cited
        )

    kept = [(word, holds(word)) for word in words]
    own = [is_held for word, is_held in kept if not (word.light or _DUTY in word.parts)]
    return Support(
        words=len(kept) + len(names),
        held=sum(is_held for _, is_held in kept) + sum(any(map(holds, name)) for name in names),
        own_words=len(own),
        own_held=sum(own),
        lacks_first=bool(own) and not own[0] and _opens(body, words),
        names=len(names),
        facts=facts,
    )


def _opens(body: str, words: Sequence[ContentWord]) -> bool:
    """Whether nothing but an article stands before the first of *words*: it names the subject."""
    first = words[0]
    before = _LETTERS.findall(body[: first.start].casefold())
    return not first.light and all(word in ARTICLES for word in before)


def _common_language(passages: Passages, cited: Sequence[str]) -> str | None:
    return next((found for each in cited if (found := passages.language(each))), None)


def _content(
    body: str, language: str | None
) -> tuple[list[ContentWord], list[list[ContentWord]], int]:
    """A sentence without its numbers and dates: words, names as words, how many facts."""
    found_dates = tuple(dates(body))
    facts = [(each.start, each.stop) for each in found_dates]
    facts += [(each.start, each.stop) for each in quantities(body, found_dates)]
    chars = list(body)
    for start, stop in facts:
        chars[start:stop] = " " * (stop - start)
    masked = "".join(chars)
    named = {
        at: place.start
        for place in names_in(masked, german=language == "de")
        if not place.opens
        for at in range(place.start, place.stop)
    }
    words: list[ContentWord] = []
    names: dict[int, list[ContentWord]] = {}
    for word in content_words(masked, language):
        if word.start in named:
            names.setdefault(named[word.start], []).append(word)
        elif not is_unit(masked[word.start : word.stop]):
            words.append(word)
    telling = [word for word in words if not word.grammar]
    return telling or words, list(names.values()), len(facts)
