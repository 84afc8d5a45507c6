"""Decide labels from words: the lexicon first, meaning where the lexicon is silent.

In      DecodingPlan: what is shown, label sets with descriptions, lexicon, signals
Out     Choice: label, confidence, the sentence or match that decided it
Pure    yes, given the vectors
Spec    interfaces.md, "Models" (`extractive`); 007-P5

How labels are weighed. Of finds within each other the longest counts. A phrase counts 1, a
pattern 2; each counts once, where it weighs most: 1.5-fold in a subject line, half in what the
sender only carries along, nothing in disclaimers. A phrase right after a negation does not count.
What a sign of danger asks for counts as two patterns. Of a set with one label the heaviest wins;
of a set with several, each that weighs 2 or more. Where nothing weighs so much, nearness in
meaning to the labels' descriptions joins the hints; where nothing is found at all, the default
of the set holds, or the label that the lexicon marks `*`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from assay.adapters.models.extractive.lexicon import Hit, Lexicon, Word, words
from assay.contract.decoding.plan import QUOTE_CHARS, DecodingPlan, Quote
from assay.gate.labels import LexiconEntry
from assay.sources.mail.quoting import blocks

if TYPE_CHECKING:
    from assay.adapters.embeddings import SentenceEmbeddings
    from assay.gate.labels import LabelSet

_NEEDED: Final = 2.0
"""What a label of a set with several must weigh."""

_TITLE: Final = 1.5
_WEIGHTS: Final[Mapping[str, float]] = {
    "own": 1.0,
    "forwarded": 1.0,
    "quoted": 0.5,
    "signature": 0.5,
    "disclaimer": 0.0,
}
_NEGATIONS: Final = ("kein", "ohne", "no", "without")
_MOST_SENTENCES: Final = 12
"""How many sentences are compared by meaning: mails say what they want early."""

_MEANING: Final = 4.0
"""How much nearness in meaning counts beside hints; found by trying, on mails of our own."""

_KEPT: Final = 64
"""Label sets whose vectors are kept; more than any pack has."""

_DEFAULT: Final = 0.9
"""Head start of the default label: a little less than one hint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One label, and why."""

    label: str
    confidence: float
    """From 0.0 to 1.0; a rule's, not an estimate of a probability."""

    quote: str | None
    """What decided it, word for word as shown."""

    value: str | None = None
    """The match itself, of a label that stands for something in the text."""

    weight: float = 0.0
    """What the lexicon's finds weigh together."""


class Vectors:
    """Sentence embeddings that remember the descriptions of labels: those come every time."""

    def __init__(self, embeddings: SentenceEmbeddings) -> None:
        self.embed = embeddings.embed
        self._labels: dict[tuple[str, ...], Any] = {}

    def of_labels(self, texts: Sequence[str]) -> Any:
        """One row for each text."""
        key = tuple(texts)
        if key not in self._labels:
            if len(self._labels) >= _KEPT:
                self._labels.clear()
            self._labels[key] = self.embed(texts)
        return self._labels[key]


class Reading:
    """What one plan's texts say about the sets it asks for. Sets are read when asked for."""

    def __init__(
        self,
        plan: DecodingPlan,
        lexicon: Callable[[str, Mapping[str, LexiconEntry]], Lexicon],
        vectors: Vectors | None,
    ) -> None:
        self._plan = plan
        self._lexicon = lexicon
        self._vectors = vectors
        self._weights = {name: _weigh_stretches(name, text) for name, text in plan.texts.items()}
        self._sentences = [(quote, words(quote.text)) for quote in plan.sentences]
        self._ranked: dict[str, list[Choice]] = {}
        self._shown: Any = None
        """Vectors of the sentences, once a set has asked for them."""

    @property
    def opening(self) -> str | None:
        """The sentence that stands for the whole: the first the sender wrote, else any."""
        own = (
            quote.text
            for quote in self._plan.sentences
            if self._weight(quote.source, quote.start) == 1.0 and len(quote.text) > 20
        )
        return next(own, self._plan.sentences[0].text if self._plan.sentences else None)

    def choose_one(self, labels: LabelSet) -> Choice:
        """The one label of a set."""
        return self._choose_heaviest(labels, self._rank(labels))

    def choose_primary(self, labels: LabelSet, listed: Sequence[Choice]) -> Choice:
        """Of the labels listed, the one of highest priority; any one where none is listed."""
        order = {label: at for at, label in enumerate(labels.priority or labels.labels)}
        return min(
            listed,
            key=lambda choice: order.get(choice.label, len(order)),
            default=self._choose_heaviest(labels, self._rank(labels)),
        )

    def choose_several(self, labels: LabelSet, *, at_least_one: bool) -> list[Choice]:
        """The labels of a set that may have several, heaviest first."""
        ranked = self._rank(labels)
        default = self._default(labels)
        listed = [choice for choice in ranked if choice.weight >= _NEEDED]
        if not listed and (at_least_one or default is not None):
            return [self._choose_heaviest(labels, ranked)]
        return [choice for choice in listed if choice.label != default] or listed

    def find_places(self, labels: LabelSet) -> list[Choice]:
        """Every place that a label of the set stands for, in order of the text.

        Where finds overlap the longest counts, then the label that stands first in the set.
        """
        lexicon = self._lexicon_of(labels)
        order = {label: at for at, label in enumerate(labels.labels)}
        choices: list[Choice] = []
        for name, text in self._plan.texts.items():
            hits = [
                hit
                for hit in lexicon.hits(text)
                if hit.stop - hit.start <= QUOTE_CHARS and self._weight(name, hit.start) > 0.0
            ]
            hits.sort(
                key=lambda hit: (hit.start - hit.stop, not hit.proof, order[hit.label], hit.start)
            )
            kept: list[Hit] = []
            for hit in hits:
                if all(hit.stop <= other.start or other.stop <= hit.start for other in kept):
                    kept.append(hit)
            for hit in sorted(kept, key=lambda hit: hit.start):
                match = text[hit.start : hit.stop]
                choices.append(
                    Choice(
                        label=hit.label,
                        confidence=0.9 if hit.proof else 0.75,
                        quote=match,
                        value=hit.value or match,
                    )
                )
        first: dict[tuple[str, str | None], Choice] = {}
        for choice in choices:
            first.setdefault((choice.label, choice.value), choice)
        return list(first.values())

    # --- weighing -------------------------------------------------------------------------------

    def _lexicon_of(self, labels: LabelSet) -> Lexicon:
        return self._lexicon(labels.name, self._plan.lexicon.get(labels.name, {}))

    def _default(self, labels: LabelSet) -> str | None:
        """The set's own, else the one that the lexicon marks."""
        return (
            labels.default if labels.default in labels.labels else self._lexicon_of(labels).default
        )

    def _rank(self, labels: LabelSet) -> list[Choice]:
        if labels.name not in self._ranked:
            self._ranked[labels.name] = self._weigh(labels)
        return self._ranked[labels.name]

    def _weigh(self, labels: LabelSet) -> list[Choice]:
        lexicon = self._lexicon_of(labels)
        best: dict[tuple[str, str], float] = {}
        by_sentence: dict[str, dict[int, float]] = {}
        for at, (quote, found) in enumerate(self._sentences):
            weight = self._weight(quote.source, quote.start)
            for hit in _drop_nested_hits(_not_negated(lexicon, quote, found)):
                weighs = weight * (2.0 if hit.proof else 1.0)
                if hit.label not in labels.labels or weighs == 0.0:
                    continue
                key = (hit.label, hit.what)
                if weighs > best.get(key, 0.0):
                    best[key] = weighs
                here = by_sentence.setdefault(hit.label, {})
                here[at] = here.get(at, 0.0) + weighs
        scores: dict[str, float] = {}
        for (label, _), weighs in best.items():
            scores[label] = scores.get(label, 0.0) + weighs
        for label in lexicon.labels_of_signals(self._plan.signals):
            scores[label] = scores.get(label, 0.0) + 2.0 * _NEEDED
        order = {label: at for at, label in enumerate(labels.priority or labels.labels)}
        for wanted, at in self._plan.signs:
            asked = _likeliest([each for each in wanted if each in order], scores, order)
            if asked is not None:
                scores[asked] = scores.get(asked, 0.0) + 2.0 * _NEEDED
                here = by_sentence.setdefault(asked, {})
                here[at] = here.get(at, 0.0) + 2.0 * _NEEDED
        ranked = sorted(scores, key=lambda label: (-scores[label], order.get(label, len(order))))
        choices = []
        for place, label in enumerate(ranked):
            confidence = _confidence(scores[label])
            if not labels.multi and place == 0 and len(ranked) > 1:
                lead = (scores[label] - scores[ranked[1]]) / scores[label]
                confidence *= 0.5 + 0.5 * min(1.0, 2.0 * lead)
            here = by_sentence.get(label, {})
            decided = max(here, key=lambda at: (here[at], -at), default=None)
            quote_text = self.opening if decided is None else self._sentences[decided][0].text
            choices.append(
                Choice(label=label, confidence=confidence, quote=quote_text, weight=scores[label])
            )
        return choices

    def _choose_heaviest(self, labels: LabelSet, ranked: Sequence[Choice]) -> Choice:
        """The heaviest label where one is proven; else hints and meaning together; else the
        default."""
        default = self._default(labels)
        hinted = [choice for choice in ranked if choice.label != default]
        proven = bool(hinted) and hinted[0].weight >= _NEEDED
        if not proven and (default is None or (self._vectors and (hinted or labels.multi))):
            return self._choose_nearest(labels, hinted, default)
        if hinted:
            return hinted[0]
        return Choice(label=str(default), confidence=0.5, quote=self.opening)

    def _choose_nearest(
        self, labels: LabelSet, hinted: Sequence[Choice], default: str | None
    ) -> Choice:
        """The label for which hints and the nearness of its description add up to most.

        Nearness is the mean over the sentences, in meaning or, without vectors, in words
        shared; it counts by how much it stands out among the labels.
        """
        names = list(labels.labels)
        texts = [_description_of(name, labels.labels[name]) for name in names]
        quotes = [quote for quote, _ in self._sentences][:_MOST_SENTENCES]
        if not quotes:
            return Choice(label=default or names[-1], confidence=0.1, quote=None)
        if self._vectors is None:
            table = [[_shared_words(quote.text, text) for text in texts] for quote in quotes]
        else:
            if self._shown is None:
                self._shown = self._vectors.embed([quote.text for quote in quotes])
            table = (self._shown @ self._vectors.of_labels(texts).T).tolist()
        near = [sum(column) / len(quotes) for column in zip(*table, strict=True)]
        middle = sum(near) / len(near)
        hints = {choice.label: choice for choice in hinted}
        totals = [
            (hints[name].weight if name in hints else 0.0)
            + _MEANING * (near[at] - middle)
            + (_DEFAULT if name == default else 0.0)
            for at, name in enumerate(names)
        ]
        best = max(range(len(names)), key=lambda at: (round(totals[at], 6), -at))
        if names[best] in hints:
            return hints[names[best]]
        nearest = max(range(len(quotes)), key=lambda row: (table[row][best], -row))
        return Choice(
            label=names[best],
            confidence=0.5 if names[best] == default else 0.4,
            quote=self.opening if names[best] == default else quotes[nearest].text,
        )

    def _weight(self, source: str, start: int) -> float:
        for stop, weight in self._weights.get(source, ()):
            if start < stop:
                return weight
        return 1.0


def _weigh_stretches(name: str, text: str) -> tuple[tuple[int, float], ...]:
    """(end, weight) of each stretch of a text."""
    if name == "subject":
        return ((len(text), _TITLE),)
    return tuple((block.stop, _WEIGHTS[block.kind]) for block in blocks(text))


def _likeliest(
    wanted: Sequence[str], scores: Mapping[str, float], order: Mapping[str, int]
) -> str | None:
    """Of the labels that answer a sign the one that most speaks for; else the first."""
    there = [label for label in wanted if label in scores]
    if there:
        return min(there, key=lambda label: (-scores[label], order[label]))
    return wanted[0] if wanted else None


def _not_negated(lexicon: Lexicon, quote: Quote, found: Sequence[Word]) -> Iterator[Hit]:
    """Patterns, and the phrases that no negation stands right before."""
    before = {word.start: found[at - 1].folded for at, word in enumerate(found) if at}
    for hit in lexicon.phrase_hits(found):
        previous = before.get(hit.start, "")
        if not (previous.startswith("kein") or previous in _NEGATIONS):
            yield hit
    yield from lexicon.pattern_hits(quote.text)


def _drop_nested_hits(hits: Iterator[Hit]) -> list[Hit]:
    """Without what lies within a longer find: "Schadennummer" is no damage. A phrase within a
    pattern of its own label stays, for it was found as well."""
    found = list(hits)
    return [
        hit
        for at, hit in enumerate(found)
        if not any(
            other.start <= hit.start
            and hit.stop <= other.stop
            and (hit.label != other.label or hit.proof == other.proof)
            and (other.chars, other.label == hit.label and before < at) > (hit.chars, False)
            for before, other in enumerate(found)
            if other is not hit
        )
    ]


def _confidence(score: float) -> float:
    """1 -> 0.70, 2 -> 0.82, 3 -> 0.89, at most 0.95: more finds add less."""
    return min(0.95, 1.0 - 0.5 * math.pow(0.6, score))


def _description_of(label: str, description: str) -> str:
    """What is compared for a label: its description, else its name in words."""
    return description or " ".join(label.split("_")[1:] or [label]).lower()


def _shared_words(sentence: str, description: str) -> float:
    """Share of the description's longer words that the sentence has, by their beginnings."""
    wanted = {word.folded[:6] for word in words(description) if len(word.folded) > 3}
    there = {word.folded[:6] for word in words(sentence)}
    return len(wanted & there) / len(wanted) if wanted else 0.0
