"""Learn labels from example sentences, and prove on examples held out how well.

In      label sets with example sentences; vectors; what the lexicon finds in a sentence
Out     Learned
Pure    yes, given the vectors: equal examples teach the same
Spec    interfaces.md, "Packs" (`examples.yaml`); 008-L2 to 008-L6

A ridge classifier in closed form, one column a label, over centred vectors; leaving one example
out has a closed form as well. How scores become probabilities is learnt from small texts that
are put together here: an example, as if it had not been learnt from, among sentences that carry
no label. Their labels are those of the example. So a confidence is a share of held-out texts.

A set with a default label, or one that allows none, borrows from the other sets the sentences
in which its lexicon finds nothing: they are what most texts say about it, which is nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from assay.adapters.models.extractive.learned import (
    FORMAT,
    Agreement,
    Learned,
    LearnedSet,
    extend,
    feature_table,
    likelihoods,
    whole_and_sentences,
)
from assay.core.json.canonical import digest_json
from assay.gate.labels import NO_LABEL, LabelSet, LexiconEntry, SetExamples

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RIDGE: Final = 6.0
"""How much the weights are held small."""

_USUAL: Final = (1.0, 5.0, 2.5, 0.0)
"""The factors of a set that says nothing about them, as where its lexicon finds nothing among its
examples."""

_HELD: Final = 1.0
"""How much the factors are held to the usual ones."""

_BORROWED: Final = 4
"""Every so many-th sentence of the other sets that could be borrowed is."""

_ROUNDS: Final = 60
_LEAST: Final = 4
"""Examples that a set needs, and labels that need one, before anything is learnt from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """One label set with what is to be learnt about it."""

    labels: LabelSet
    default: str | None
    examples: SetExamples
    finds: Callable[[str], Mapping[str, float]]
    """What the lexicon finds in a sentence, by label."""


def lesson_key(
    examples: Mapping[str, SetExamples],
    sets: Mapping[str, LabelSet],
    lexicon: Mapping[str, Mapping[str, LexiconEntry]],
    weights: str,
) -> str:
    """Names everything that what is learnt depends on.

    Args:
        weights: Digest of what gives the vectors.
    """
    facts = {
        "format": FORMAT,
        "weights": weights,
        "sets": {
            name: {
                "labels": list(sets[name].labels),
                "multi": sets[name].multi,
                "default": sets[name].default,
                "examples": {label: list(texts) for label, texts in examples[name].items()},
                "lexicon": {
                    label: [list(entry.phrases), list(entry.patterns)]
                    for label, entry in lexicon.get(name, {}).items()
                },
            }
            for name in sorted(examples)
            if name in sets
        },
    }
    return digest_json(facts)


def can_learn(examples: SetExamples) -> bool:
    """Whether there is enough to learn from: at least two labels, or one and its absence."""
    filled = [texts for texts in examples.values() if texts]
    return len(filled) > 1 and sum(map(len, filled)) >= _LEAST


def learn(
    lessons: Sequence[Lesson], embed: Callable[[Sequence[str]], NDArray[np.float32]]
) -> Learned:
    """Learn every set of one contract; a set of which nothing can be learnt is left out.

    Args:
        embed: Vectors of sentences, each of length 1.
    """
    import numpy as np

    usable = [lesson for lesson in lessons if can_learn(lesson.examples)]
    if not usable:
        return Learned(middle=np.zeros(0), sets={})
    texts = list(dict.fromkeys(text for lesson in usable for text in _texts(lesson)))
    vectors = np.asarray(embed(texts), dtype=np.float64)
    middle = vectors.mean(axis=0).astype(np.float32).astype(np.float64)
    of_text = dict(zip(texts, vectors, strict=True))
    neutral = _neutral(usable)
    sets = {
        lesson.labels.name: _Class(lesson, usable, neutral, of_text, middle).learn()
        for lesson in usable
    }
    return Learned(middle=middle, sets=sets)


def _texts(lesson: Lesson) -> Iterator[str]:
    for texts in lesson.examples.values():
        yield from texts


def _neutral(lessons: Sequence[Lesson]) -> list[str]:
    """Sentences that carry no label of the first set that has such: what surrounds any label."""
    lists = (lesson.examples.get(NO_LABEL, ()) for lesson in lessons)
    return list(next((texts for texts in lists if texts), ()))


class _Class:
    """One set while it is learnt."""

    def __init__(
        self,
        lesson: Lesson,
        lessons: Sequence[Lesson],
        neutral: Sequence[str],
        vectors: Mapping[str, Floats],
        middle: Floats,
    ) -> None:
        import numpy as np

        self._lesson = lesson
        self._labels = tuple(lesson.labels.labels)
        self._multi = lesson.labels.multi
        self._middle = middle
        examples = {label: list(texts) for label, texts in lesson.examples.items()}
        if not self._multi and lesson.default is not None:  # one label is the absence of others
            examples.setdefault(lesson.default, []).extend(examples.pop(NO_LABEL, ()))
        borrower = lesson.default or (NO_LABEL if self._multi else None)
        if borrower is not None and (lesson.default is None or not self._multi):
            examples.setdefault(borrower, []).extend(_borrow(lesson, lessons))
        self._texts = list(dict.fromkeys(text for texts in examples.values() for text in texts))
        place = {text: at for at, text in enumerate(self._texts)}
        self._truth = np.zeros((len(self._texts), len(self._labels)), dtype=bool)
        for label, texts in examples.items():
            for text in texts if label in self._labels else ():
                self._truth[place[text], self._labels.index(label)] = True
        self._vectors = np.array([vectors[text] for text in self._texts])
        own = lesson.examples.get(NO_LABEL, ()) if self._multi else ()
        self._neutral = list(own or neutral)
        self._around = [vectors[text] for text in self._neutral]
        self._finds = {
            text: lesson.finds(text) for text in dict.fromkeys([*self._texts, *self._neutral])
        }

    def learn(self) -> LearnedSet:
        import numpy as np

        rows = extend(whole_and_sentences(self._vectors, [1.0] * len(self._texts), self._middle))
        self._rows = rows[1:]
        held = RIDGE * np.eye(self._rows.shape[1])
        held[-1, -1] = RIDGE / 100
        self._inverse = np.linalg.inv(self._rows.T @ self._rows + held)
        targets = np.where(self._truth, 1.0, -1.0)
        weights = self._inverse @ self._rows.T @ targets
        self._missed = targets - self._rows @ weights
        self._pull = np.einsum("ij,jk,ik->i", self._rows, self._inverse, self._rows)
        weights = weights.astype(np.float32).astype(np.float64)
        built = [
            (members, self._features(members, around, weights))
            for members, around in self._small_texts()
        ]
        features = np.array([each for _, each in built])
        truth = np.array([self._truth[members].any(axis=0) for members, _ in built])
        default = self._place_of_default
        factors = _fit_factors(features, truth, multi=self._multi, default=default)
        chances = likelihoods(features.copy(), factors, multi=self._multi, default=default)
        return LearnedSet(
            labels=self._labels,
            default=self._lesson.default,
            multi=self._multi,
            weights=weights,
            factors=factors,
            thresholds=tuple(
                _threshold(chances[:, at], truth[:, at]) if self._multi else 1.0
                for at in range(len(self._labels))
            ),
            agreement=self._agreement(built, chances),
        )

    @property
    def _place_of_default(self) -> int | None:
        default = self._lesson.default
        return self._labels.index(default) if default in self._labels else None

    def _small_texts(self) -> Iterator[tuple[list[int], list[int]]]:
        """(examples, sentences around them), chosen by their places alone."""
        count, around = len(self._texts), len(self._neutral)
        left_out = set() if self._multi else self._surplus()
        for at in range(count):
            if at in left_out:
                continue
            near = [(7 * at + 3 * k * k + k) % around for k in range(3 + at % 6)] if around else []
            yield [at], near
            other = (31 * at + 17) % count
            if self._multi and at % 2 == 0 and other != at:
                yield [at, other], near

    def _surplus(self) -> set[int]:
        """Examples without a label, and of the default's what is more than all others: which label
        a text carries is no foregone conclusion."""
        default = self._place_of_default
        of_default = [
            at for at in range(len(self._texts)) if default is not None and self._truth[at, default]
        ]
        without = {at for at in range(len(self._texts)) if not self._truth[at].any()}
        others = len(self._texts) - len(of_default) - len(without)
        kept = of_default[:: max(1, round(len(of_default) / max(others, 1)))]
        return without | (set(of_default) - set(kept))

    def _features(self, members: Sequence[int], around: Sequence[int], weights: Floats) -> Floats:
        """Of one small text, its examples held out one after the other."""
        import numpy as np

        vectors = np.array(
            [self._vectors[at] for at in members] + [self._around[at] for at in around]
        )
        texts = [self._texts[at] for at in members] + [self._neutral[at] for at in around]
        rows = extend(whole_and_sentences(vectors, [len(text) for text in texts], self._middle))
        scores = rows @ weights
        for at in members:
            pulled = rows @ (self._inverse @ self._rows[at])
            scores = scores - np.outer(pulled, self._missed[at] / (1.0 - self._pull[at]))
        finds: dict[str, float] = {}
        for text in texts:
            for label, weight in self._finds[text].items():
                finds[label] = finds.get(label, 0.0) + weight
        return feature_table(scores, [finds.get(label, 0.0) for label in self._labels])

    def _agreement(self, built: Sequence[tuple[list[int], Floats]], chances: Floats) -> Agreement:
        """Of texts about one example of the pack's: was its label the likeliest?"""
        own = {text for label, texts in self._lesson.examples.items() for text in texts}
        counts = {label: [0, 0] for label in self._labels}
        for (members, _), chance in zip(built, chances, strict=True):
            truth = self._truth[members[0]]
            if len(members) > 1 or not truth.any() or self._texts[members[0]] not in own:
                continue
            likeliest = int(chance.argmax())
            label = self._labels[likeliest if truth[likeliest] else int(truth.argmax())]
            counts[label][0] += 1
            counts[label][1] += bool(truth[likeliest])
        return Agreement(
            examples=sum(count for count, _ in counts.values()),
            found=sum(found for _, found in counts.values()),
            by_label={label: (a, b) for label, (a, b) in counts.items() if a},
        )


def _borrow(lesson: Lesson, lessons: Sequence[Lesson]) -> list[str]:
    """Sentences of other sets that say nothing about this one, as far as its lexicon can tell."""
    own = set(_texts(lesson))
    other = dict.fromkeys(text for each in lessons if each is not lesson for text in _texts(each))
    silent = [
        text
        for text in other
        if text not in own
        and not any(w for label, w in lesson.finds(text).items() if label != lesson.default)
    ]
    return silent[::_BORROWED]


def _threshold(chances: Floats, truth: NDArray[np.bool_]) -> float:
    """Where listing a label agrees best with the held-out texts; between 0.40 and 0.65."""
    best = max(
        (round(0.40 + 0.01 * step, 2) for step in range(26)),
        key=lambda at: (int(((chances >= at) == truth).sum()), -abs(at - 0.5)),
    )
    return best


def _fit_factors(
    features: Floats, truth: NDArray[np.bool_], *, multi: bool, default: int | None
) -> tuple[float, float, float, float]:
    """Logistic regression of four numbers, by Newton's method with halved steps.

    With several labels each pair of text and label is one case; with one label a text is one
    case with as many ways to end. The factor of the default stands in the last place.
    """
    import numpy as np

    texts, labels, _ = features.shape
    marks = np.zeros((texts, labels, 1))
    if multi:
        marks[:] = 1.0
    elif default is not None:
        marks[:, default] = 1.0
    table = np.concatenate([features, marks], axis=2)
    wanted = truth.astype(np.float64)
    if not multi:
        wanted /= np.maximum(wanted.sum(axis=1, keepdims=True), 1.0)

    def slope(factors: Floats) -> tuple[float, Floats, Floats]:
        sums = table @ factors
        if multi:
            chances = 1.0 / (1.0 + np.exp(-np.clip(sums, -60.0, 60.0)))
            loss = float(np.logaddexp(0.0, sums).sum() - (wanted * sums).sum())
            spread = np.einsum("nl,nlj,nlk->jk", chances * (1.0 - chances), table, table)
        else:
            top = sums.max(axis=1, keepdims=True)
            raised = np.exp(sums - top)
            chances = raised / raised.sum(axis=1, keepdims=True)
            ways = top[:, 0] + np.log(raised.sum(axis=1))
            loss = float((ways - (wanted * sums).sum(axis=1)).sum())
            middle = np.einsum("nl,nlk->nk", chances, table)
            spread = np.einsum("nl,nlj,nlk->jk", chances, table, table) - middle.T @ middle
        away = factors - np.array(_USUAL)
        rise = np.einsum("nl,nlk->k", wanted - chances, table) - _HELD * away
        return loss + _HELD / 2 * float(away @ away), rise, spread + _HELD * np.eye(4)

    factors = np.array(_USUAL)
    loss, rise, spread = slope(factors)
    for _ in range(_ROUNDS):
        step = np.linalg.solve(spread, rise)
        length = 1.0
        while length > 1e-6:
            after = slope(factors + length * step)
            if after[0] <= loss:
                break
            length /= 2
        else:
            break
        settled = loss - after[0] < 1e-9
        factors = factors + length * step
        loss, rise, spread = after
        if settled:
            break
    # What speaks for a label must not count against it, however the examples fell.
    a, b, c, d = (round(float(one), 4) for one in factors)
    return max(a, 0.0), max(b, 0.0), max(c, 0.0), d
