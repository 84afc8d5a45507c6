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
from fractions import Fraction

from assay.answers.gate.addresses import Address, addresses
from assay.answers.gate.citations import Sentence, without_markers
from assay.answers.gate.comparators import EQUAL, bounds_by_noun
from assay.answers.gate.dates import Dated, dates
from assay.answers.gate.digits import language_of
from assay.answers.gate.facts import FactIndex, index_facts, limited_spans
from assay.answers.gate.names import Place, expansions, holds, is_german, join_words, names_in
from assay.answers.gate.numbers import quantities
from assay.answers.gate.quantity import Quantity
from assay.answers.gate.tables import TableHeads
from assay.answers.gate.units import Unit
from assay.gate.verdict import Finding, Severity

_ENUMERATOR = re.compile(r"[\s•⁃◦▪‣∙·*+>#-]*\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]+(?=\s|\[)")


_MISSING = {"number": "a number", "unit": "a unit, a rate or a bound of a number"}


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
            self._facts[anchor] = index_facts(self.texts[anchor])
        return self._facts[anchor]

    def words(self, anchor: str) -> str:
        """The words of one chunk and its source, case folded, with one space around each."""
        if anchor not in self._words:
            text = f"{self.texts[anchor]} {self.sources.get(anchor, '')}"
            self._words[anchor] = f" {join_words(text)} "
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
) -> Iterator[Finding]:
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
    language = language_of(bare)
    heads = TableHeads(bare)
    for number, sentence in enumerate(sentences, start=1):
        body, start = _body(bare, sentence)
        here = _Here(sentence, number, start, chunks, chunks.scope(sentence))
        found_dates = tuple(dates(body))
        found = tuple(quantities(body, found_dates, language))
        signs = bounds_by_noun(heads.over(start))
        found = tuple(_bound_by_head(each, signs) for each in found) if signs else found
        found_addresses = tuple(addresses(body))
        yield from here.dates(found_dates, tally)
        yield from here.numbers(found, tally)
        yield from here.spans(limited_spans(body))
        yield from here.addresses(found_addresses)
        yield from here.expansions(expansions(body), tally, names)
        taken = [
            *((date.start, date.stop) for date in found_dates),
            *((quantity.start, quantity.stop) for quantity in found),
            *((address.start, address.stop) for address in found_addresses),
        ]
        places = (place for place in names_in(body, german=german) if not _is_within(place, taken))
        yield from here.names(places, tally, names)


def _bound_by_head(quantity: Quantity, signs: frozenset[str]) -> Quantity:
    """A number below the head `Limit` may be the limit."""
    if quantity.bounds != EQUAL:
        return quantity
    return quantity._replace(bounds=EQUAL | signs)


def _is_within(place: Place, taken: Iterable[tuple[int, int]]) -> bool:
    return any(start < place.stop and place.start < stop for start, stop in taken)


def _body(bare: str, sentence: Sentence) -> tuple[str, int]:
    """The sentence without its list number, and where it starts."""
    enumerator = _ENUMERATOR.match(bare, sentence.start, sentence.stop)
    if enumerator and enumerator.end() < sentence.stop:
        return bare[enumerator.end() : sentence.stop], enumerator.end()
    return bare[sentence.start : sentence.stop], sentence.start


@dataclass(frozen=True, slots=True)
class _Here:
    """One sentence and what it is held against."""

    sentence: Sentence
    number: int
    start: int
    chunks: Chunks
    scope: Sequence[str]

    def dates(self, found: Iterable[Dated], tally: Tally) -> Iterator[Finding]:
        for date in found:
            held = any(self.chunks.facts(anchor).has_date(date) for anchor in self.scope)
            tally.dates += 1
            tally.dates_found += held
            if not held:
                yield self._report_fact("grounding.date", "a date", date.start, date.stop)

    def numbers(self, found: Iterable[Quantity], tally: Tally) -> Iterator[Finding]:
        for quantity in found:
            if quantity.weight == "loose":
                continue
            faults = [self.chunks.facts(anchor).fault_of(quantity) for anchor in self.scope]
            held = self._counts_items(quantity) or None in faults
            if quantity.weight == "hint" and held:
                continue
            tally.numbers += 1
            tally.numbers_found += held
            if not held:
                kind = "unit" if "unit" in faults else "number"
                yield self._report_fact(
                    f"grounding.{kind}", _MISSING[kind], quantity.start, quantity.stop
                )

    def addresses(self, found: Iterable[Address]) -> Iterator[Finding]:
        """An address that no chunk holds is invented, whatever the policy says of names."""
        for address in found:
            held = any(
                self.chunks.facts(anchor).has_address(address)
                or any(form in self.chunks.sources.get(anchor, "") for form in address.forms)
                for anchor in self.scope
            )
            if not held:
                yield self._report_fact(
                    "grounding.entity", "an address", address.start, address.stop
                )

    def spans(self, found: Iterable[tuple[int, int, Unit]]) -> Iterator[Finding]:
        for start, stop, unit in found:
            if not any(self.chunks.facts(anchor).has_span(unit) for anchor in self.scope):
                yield self._report_fact("grounding.unit", _MISSING["unit"], start, stop)

    def _counts_items(self, quantity: Quantity) -> bool:
        """`These 3 rules apply:` says no more than the list that follows."""
        items = self.sentence.items
        return items > 0 and any(r.value == Fraction(items) for r in quantity.readings)

    def _report_fact(self, code: str, what: str, start: int, stop: int) -> Finding:
        where = "what it cites" if self.sentence.anchors else "the evidence"
        return Finding(
            code=code,
            start=self.start + start,
            stop=self.start + stop,
            message=f"sentence {self.number} has {what} that {where} lacks",
        )

    def names(self, places: Iterable[Place], tally: Tally, severity: Severity) -> Iterator[Finding]:
        for place in places:
            held = self._holds(place)
            tally.entities += 1
            tally.entities_found += held
            if not held:
                yield self._report_name("grounding.entity", "a name", place, severity)

    def expansions(
        self, places: Iterable[Place], tally: Tally, severity: Severity
    ) -> Iterator[Finding]:
        for place in places:
            held = self._holds(place)
            tally.acronyms += 1
            tally.acronyms_found += held
            if not held:
                yield self._report_name("grounding.acronym", "an expansion", place, severity)

    def _holds(self, place: Place) -> bool:
        return any(holds(self.chunks.words(anchor), place) for anchor in self.scope)

    def _report_name(self, code: str, what: str, place: Place, severity: Severity) -> Finding:
        return Finding(
            code=code,
            severity=severity,
            start=self.start + place.start,
            stop=self.start + place.stop,
            message=f"{what} that the cited chunks do not hold",
        )
