"""What a lexicon finds: weighed for one sentence, or place by place for texts.

In      Lexicon; a sentence with its words, or named texts
Out     (label, phrase or pattern, weight); choices
Pure    yes
Spec    interfaces.md, "Packs" (`lexicon.yaml`); 008-L3

Of finds within each other the longest counts. A phrase counts 1, a pattern 2. A phrase right after
a negation does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from assay.adapters.models.extractive.choice import Choice
from assay.adapters.models.extractive.lexicon import Hit, Lexicon, Word
from assay.contract.decoding.plan import QUOTE_CHARS
from assay.gate.labels import LabelSet

_NEGATIONS: Final = ("kein", "ohne", "no", "without")


class Finds(NamedTuple):
    """What the lexicon found for the labels of one set."""

    weights: dict[str, float]
    """Label -> all of it, each phrase and pattern where it weighs most."""

    by_sentence: dict[str, dict[int, float]]
    """Label -> place of the sentence -> what stands there."""


def weigh_finds(
    lexicon: Lexicon, text: str, found: Sequence[Word]
) -> Iterator[tuple[str, str, float]]:
    """(label, phrase or pattern, 1 or 2) for each find in one sentence.

    Args:
        found: The words of *text*.
    """
    for hit in _drop_nested_hits(_not_negated(lexicon, text, found)):
        yield hit.label, hit.what, 2.0 if hit.proof else 1.0


def _not_negated(lexicon: Lexicon, text: str, found: Sequence[Word]) -> Iterator[Hit]:
    """Patterns, and the phrases that no negation stands right before."""
    before = {word.start: found[at - 1].folded for at, word in enumerate(found) if at}
    for hit in lexicon.phrase_hits(found):
        previous = before.get(hit.start, "")
        if not (previous.startswith("kein") or previous in _NEGATIONS):
            yield hit
    yield from lexicon.pattern_hits(text)


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


def find_places(
    lexicon: Lexicon,
    labels: LabelSet,
    texts: Mapping[str, str],
    weight: Callable[[str, int], float],
) -> list[Choice]:
    """Every place that a label of the set stands for, in order of the texts.

    Where finds overlap the longest counts, then the label that stands first in the set.

    Args:
        weight: Of a place, by the text's name and the code point; 0 for what does not count.
    """
    order = {label: at for at, label in enumerate(labels.labels)}
    first: dict[tuple[str, str | None], Choice] = {}
    for name, text in texts.items():
        hits = [
            hit
            for hit in lexicon.hits(text)
            if hit.stop - hit.start <= QUOTE_CHARS and weight(name, hit.start) > 0.0
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
            choice = Choice(
                label=hit.label,
                confidence=0.9 if hit.proof else 0.75,
                quote=match,
                value=hit.value or match,
            )
            first.setdefault((choice.label, choice.value), choice)
    return list(first.values())
