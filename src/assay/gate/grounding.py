"""Nothing new: numbers, dates, names and acronym expansions of an answer are in its evidence.

In      the sentences of an answer, the text of each chunk
Out     findings; how much was checked and how much was found
Pure    yes; linear in answer and chunks
Spec    004 P2.2, R5 grounding_metrics; interfaces.md, "Answers"

Numbers and dates must be in a chunk that the sentence cites. A sentence that cites nothing is
held against all the evidence. Names and expansions are found out by how they are written, so
what is missing there is a note unless the policy makes it a rejection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from assay.gate.citations import AnswerFinding, Sentence, without_markers
from assay.gate.dates import dates
from assay.gate.names import Place, expansions, holds, is_german, joined, names_in
from assay.gate.numbers import FactIndex, Quantity, index, quantities

Severity = Literal["reject", "note"]

_ENUMERATOR = re.compile(r"[\s•⁃◦▪‣∙·*+>#-]*\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]+(?=\s|\[)")


@dataclass(slots=True)
class Tally:
    """How much was checked, and how much of it was found."""

    numbers: int = 0
    numbers_found: int = 0
    dates: int = 0
    dates_found: int = 0
    entities: int = 0
    entities_found: int = 0
    acronyms: int = 0
    acronyms_found: int = 0


@dataclass(frozen=True, slots=True)
class Chunks:
    """The evidence, read when it is first needed."""

    texts: Mapping[str, str]
    """Anchor -> text."""

    sources: Mapping[str, str]
    """Anchor -> what the header calls the source; names may come from it."""

    _facts: dict[str, FactIndex] = field(default_factory=dict)
    _words: dict[str, str] = field(default_factory=dict)

    def facts(self, anchor: str) -> FactIndex:
        """Numbers and dates of one chunk."""
        if anchor not in self._facts:
            self._facts[anchor] = index(self.texts[anchor])
        return self._facts[anchor]

    def words(self, anchor: str) -> str:
        """The words of one chunk and its source, case folded, with one space around each."""
        if anchor not in self._words:
            text = f"{self.texts[anchor]} {self.sources.get(anchor, '')}"
            self._words[anchor] = f" {joined(text)} "
        return self._words[anchor]

    def scope(self, sentence: Sentence) -> tuple[str, ...]:
        """The chunks that a sentence is held against."""
        cited = tuple(anchor for anchor in sentence.anchors if anchor in self.texts)
        return cited or tuple(self.texts)


def check_grounding(
    text: str,
    sentences: Sequence[Sentence],
    chunks: Chunks,
    tally: Tally,
    *,
    names: Severity = "note",
) -> Iterator[AnswerFinding]:
    """Hold every sentence against the chunks it cites.

    Args:
        text: The answer.
        sentences: Its sentences, as `read_sentences` gives them.
        chunks: The evidence.
        tally: Counts what is checked; written to.
        names: What a name or expansion that is not found does.

    Spec: 004 P2.2; interfaces.md, "Answers".
    """
    german = is_german(text)
    bare = without_markers(text)
    for number, sentence in enumerate(sentences, start=1):
        body, start = _body(bare, sentence)
        scope = chunks.scope(sentence)
        yield from _facts(body, start, sentence, scope, chunks, tally, number)
        written = _written(expansions(body), start, scope, chunks, "grounding.acronym", names)
        for held, finding in written:
            tally.acronyms += 1
            tally.acronyms_found += held
            if not held:
                yield finding
        written = _written(
            names_in(body, german=german), start, scope, chunks, "grounding.entity", names
        )
        for held, finding in written:
            tally.entities += 1
            tally.entities_found += held
            if not held:
                yield finding


def _body(bare: str, sentence: Sentence) -> tuple[str, int]:
    """The sentence without its list number, and where it starts."""
    enumerator = _ENUMERATOR.match(bare, sentence.start, sentence.stop)
    if enumerator and enumerator.end() < sentence.stop:
        return bare[enumerator.end() : sentence.stop], enumerator.end()
    return bare[sentence.start : sentence.stop], sentence.start


def _facts(
    body: str,
    start: int,
    sentence: Sentence,
    scope: Sequence[str],
    chunks: Chunks,
    tally: Tally,
    number: int,
) -> Iterator[AnswerFinding]:
    found_dates = tuple(dates(body))
    for date in found_dates:
        tally.dates += 1
        if any(chunks.facts(anchor).has_date(date) for anchor in scope):
            tally.dates_found += 1
        else:
            message = f"sentence {number} has a date that {_what(sentence)} lacks"
            yield _finding("grounding.date", start + date.start, start + date.stop, message)
    for quantity in quantities(body, found_dates):
        if quantity.loose:
            continue
        tally.numbers += 1
        if _counts_items(quantity, sentence) or any(
            chunks.facts(anchor).has(quantity) for anchor in scope
        ):
            tally.numbers_found += 1
        else:
            message = f"sentence {number} has a number that {_what(sentence)} lacks"
            yield _finding(
                "grounding.number", start + quantity.start, start + quantity.stop, message
            )


def _what(sentence: Sentence) -> str:
    return "what it cites" if sentence.anchors else "the evidence"


def _counts_items(quantity: Quantity, sentence: Sentence) -> bool:
    """`These 3 rules apply:` says no more than the list that follows."""
    return sentence.items > 0 and Decimal(sentence.items) in quantity.readings


def _written(
    places: Iterable[Place],
    start: int,
    scope: Sequence[str],
    chunks: Chunks,
    code: str,
    severity: Severity,
) -> Iterator[tuple[bool, AnswerFinding]]:
    """Each place with whether a chunk in scope holds it, and the finding if none does."""
    what = "a name" if code == "grounding.entity" else "an expansion of an acronym"
    for place in places:
        held = any(holds(chunks.words(anchor), place) for anchor in scope)
        yield (
            held,
            AnswerFinding(
                code=code,
                severity=severity,
                start=start + place.start,
                stop=start + place.stop,
                message=f"{what} that the cited chunks do not hold",
            ),
        )


def _finding(code: str, start: int, stop: int, message: str) -> AnswerFinding:
    return AnswerFinding(code=code, severity="reject", start=start, stop=stop, message=message)
