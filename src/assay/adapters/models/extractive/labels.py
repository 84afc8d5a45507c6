"""Decide labels: by what examples taught, else by the lexicon and the nearness of descriptions.

In      DecodingPlan: what is shown, label sets with descriptions, lexicon, signals; what was learnt
Out     Choice: label, confidence, the sentence or match that decided it
Pure    yes, given the vectors
Spec    interfaces.md, "Models" (`extractive`); 007-P5; 008-L3 to 008-L6

A set with examples is decided by `learned`, with the lexicon's finds as one of its grounds. What
a sign of danger asks for, or a signal found without a model, holds whatever else is likelier.

How finds are weighed. Of finds within each other the longest counts. A phrase counts 1, a
pattern 2; each counts once, where it weighs most: 1.5-fold in a subject line, half in what the
sender only carries along, nothing in disclaimers. A phrase right after a negation does not count.

Without examples, or without vectors: what a sign of danger asks for counts as two patterns. Of a
set with one label the heaviest wins; of a set with several, each that weighs 2 or more. Where
nothing weighs so much, nearness in meaning to the labels' descriptions joins the hints; where
nothing is found at all, the default of the set holds, or the label that the lexicon marks `*`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from assay.adapters.models.extractive.choice import Choice
from assay.adapters.models.extractive.finds import Finds, find_places, weigh_finds
from assay.adapters.models.extractive.learned import Learned, LearnedSet, whole_and_sentences
from assay.adapters.models.extractive.lexicon import Lexicon, words
from assay.contract.decoding.plan import DecodingPlan
from assay.gate.labels import LexiconEntry
from assay.sources.mail.quoting import blocks

if TYPE_CHECKING:
    from assay.adapters.models.extractive.vectors import Vectors
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
_MOST_SENTENCES: Final = 12
"""How many sentences are compared by meaning: mails say what they want early."""

_MEANING: Final = 24.0
"""How much nearness in meaning counts beside hints: the cosines of descriptions lie within a tenth
of each other."""

_SHARED: Final = 4.0
"""The same for the share of words, where there are no vectors."""

_MOST_READ: Final = 32
"""Sentences that learned labels are read from: of a long text its beginning, its end, and where
the lexicon finds something."""

_SURE: Final = 0.95
"""Confidence of what a sign of danger, or a signal found without a model, asks for."""


_DEFAULT: Final = 0.9
"""Head start of the default label: a little less than one hint."""


class Reading:
    """What one plan's texts say about the sets it asks for. Sets are read when asked for."""

    def __init__(
        self,
        plan: DecodingPlan,
        lexicon: Callable[[str, Mapping[str, LexiconEntry]], Lexicon],
        vectors: Vectors | None,
        learned: Learned | None = None,
    ) -> None:
        self._plan = plan
        self._learned = learned if vectors is not None else None
        self._lexicon = lexicon
        self._vectors = vectors
        self._weights = {name: _weigh_stretches(name, text) for name, text in plan.texts.items()}
        self._sentences = [(quote, words(quote.text)) for quote in plan.sentences]
        self._ranked: dict[str, list[Choice]] = {}

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
        listed = [choice for choice in ranked if choice.listed]
        if not listed and (at_least_one or default is not None):
            return [self._choose_heaviest(labels, ranked)]
        return [choice for choice in listed if choice.label != default] or listed

    def find_places(self, labels: LabelSet) -> list[Choice]:
        """Every place that a label of the set stands for, in order of the text."""
        return find_places(self._lexicon_of(labels), labels, self._plan.texts, self._weight)

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
        """Every label that anything speaks for, the likeliest or heaviest first."""
        finds = self._finds(labels)
        learned = self._of_learned(labels)
        if learned is not None and self._sentences:
            return self._weigh_learned(labels, finds, learned)
        scores, by_sentence = finds.weights, finds.by_sentence
        for label, at in self._find_asked(labels, finds.weights):
            scores[label] = scores.get(label, 0.0) + 2.0 * _NEEDED
            if at is not None:
                here = by_sentence.setdefault(label, {})
                here[at] = here.get(at, 0.0) + 2.0 * _NEEDED
        order = {label: at for at, label in enumerate(labels.priority or labels.labels)}
        ranked = sorted(scores, key=lambda label: (-scores[label], order.get(label, len(order))))
        choices = []
        for place, label in enumerate(ranked):
            confidence = _confidence(scores[label])
            if not labels.multi and place == 0 and len(ranked) > 1:
                lead = (scores[label] - scores[ranked[1]]) / scores[label]
                confidence *= 0.5 + 0.5 * min(1.0, 2.0 * lead)
            here = by_sentence.get(label, {})
            decided = max(here, key=lambda at: (here[at], -at), default=None)
            choices.append(
                Choice(
                    label=label,
                    confidence=confidence,
                    quote=self.opening if decided is None else self._sentences[decided][0].text,
                    weight=scores[label],
                    listed=scores[label] >= _NEEDED,
                )
            )
        return choices

    def _of_learned(self, labels: LabelSet) -> LearnedSet | None:
        return None if self._learned is None else self._learned.sets.get(labels.name)

    def _weigh_learned(self, labels: LabelSet, finds: Finds, learned: LearnedSet) -> list[Choice]:
        """Every label by what examples taught; what is asked for comes first."""
        read, rows = self._read_rows(finds)
        place = {at: row for row, at in enumerate(read)}
        by_sentence = {
            label: {place[at]: weight for at, weight in here.items() if at in place}
            for label, here in finds.by_sentence.items()
        }
        default = self._default(labels)
        found = learned.weigh(rows, finds.weights, by_sentence)
        choices = {
            likely.label: Choice(
                label=likely.label,
                confidence=likely.probability,
                quote=self.opening
                if likely.label == default
                else self._sentences[read[likely.sentence]][0].text,
                listed=likely.listed,
            )
            for likely in found
        }
        chances = {label: choice.confidence for label, choice in choices.items()}
        for label, at in self._find_asked(labels, chances):
            choice = choices.pop(label)
            choices = {
                label: replace(
                    choice,
                    confidence=max(choice.confidence, _SURE),
                    listed=True,
                    quote=choice.quote if at is None else self._sentences[at][0].text,
                ),
                **choices,
            }
        return list(choices.values())

    def _read_rows(self, finds: Finds) -> tuple[list[int], Any]:
        """Places of the sentences that are read, and rows of the whole of them and of each."""
        assert self._vectors is not None
        assert self._learned is not None
        weights = [
            len(quote.text) * min(1.0, self._weight(quote.source, quote.start))
            for quote, _ in self._sentences
        ]
        read = [at for at, weight in enumerate(weights) if weight > 0.0]
        read = read or list(range(len(weights)))
        if len(read) > _MOST_READ:
            named = {at for here in finds.by_sentence.values() for at in here}
            distance = {at: min(nth, 2 * (len(read) - nth)) for nth, at in enumerate(read)}
            read.sort(key=lambda at: (at not in named, distance[at], at))
            read = sorted(read[:_MOST_READ])
        vectors = self._vectors.embed([self._sentences[at][0].text for at in read])
        lengths = [max(weights[at], 1e-3) for at in read]
        return read, whole_and_sentences(vectors, lengths, self._learned.middle)

    def _finds(self, labels: LabelSet) -> Finds:
        """What the lexicon finds in the sentences, each phrase and pattern once."""
        lexicon = self._lexicon_of(labels)
        best: dict[tuple[str, str], float] = {}
        by_sentence: dict[str, dict[int, float]] = {}
        for at, (quote, found) in enumerate(self._sentences):
            weight = self._weight(quote.source, quote.start)
            for label, what, counts in weigh_finds(lexicon, quote.text, found):
                weighs = weight * counts
                if label not in labels.labels or weighs == 0.0:
                    continue
                if weighs > best.get((label, what), 0.0):
                    best[label, what] = weighs
                here = by_sentence.setdefault(label, {})
                here[at] = here.get(at, 0.0) + weighs
        weights: dict[str, float] = {}
        for (label, _), weighs in best.items():
            weights[label] = weights.get(label, 0.0) + weighs
        return Finds(weights, by_sentence)

    def _find_asked(
        self, labels: LabelSet, scores: Mapping[str, float]
    ) -> list[tuple[str, int | None]]:
        """Labels that a signal or a sign of danger asks for, with the sentence that says so."""
        signals = self._lexicon_of(labels).labels_of_signals(self._plan.signals)
        asked: list[tuple[str, int | None]] = [
            (label, None) for label in signals if label in labels.labels
        ]
        order = {label: at for at, label in enumerate(labels.priority or labels.labels)}
        for wanted, at in self._plan.signs:
            label = _likeliest([each for each in wanted if each in order], scores, order)
            if label is not None:
                asked.append((label, at))
        return asked

    def _choose_heaviest(self, labels: LabelSet, ranked: Sequence[Choice]) -> Choice:
        """The likeliest of a learned set; of another the heaviest label where one is proven; else
        hints and meaning together; else the default."""
        if self._of_learned(labels) is not None and ranked:
            return ranked[0]
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
            shown = self._vectors.embed([quote.text for quote in quotes])
            table = (shown @ self._vectors.embed(texts).T).tolist()
        near = [sum(column) / len(quotes) for column in zip(*table, strict=True)]
        middle = sum(near) / len(near)
        hints = {choice.label: choice for choice in hinted}
        meaning = _SHARED if self._vectors is None else _MEANING
        totals = [
            (hints[name].weight if name in hints else 0.0)
            + meaning * (near[at] - middle)
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
