"""Rank passages by words and by meaning, and say how likely each one answers.

In      ranks by words, ranks by meaning; what of a question's words a passage holds, its nearness
Out     one order; a similarity from 0 to 1
Pure    yes
Spec    004 R2.2 (gates); 008-R2, 008-R3

The two orders are put together by reciprocal ranks, which asks nothing of the scale of their
scores. The similarity is another matter: the gates of the policy hold it against 0.50 and 0.30,
so it is a probability, fitted once on labelled questions (decision 0045), of the nearness
in meaning and of the share of the question's words that the passage holds, rare ones more.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Final, TypeVar

RANK_OFFSET: Final = 20
"""Added to each rank before it is turned over: how much more the first places count. Found on
labelled questions, where 10 to 60 differ by one question in a hundred."""

FEWEST_COVERED: Final = 0.15
"""Share of the question's words that a passage must hold to count as found by its words. Between
languages a chance word is all that is shared, and would lead astray."""

EVEN: Final = 0.5
"""As likely as not to answer."""

_Item = TypeVar("_Item")

MEANING_FACTOR: Final = 10.0
WORDS_FACTOR: Final = 4.0
OFFSET: Final = -2.2
"""Of the probability: factors of the centred cosine and of the covered words, and what is added.
The last one stands where 96 of 100 answerable questions pass."""

OTHER_LANGUAGE: Final = 1.5
"""What stands in for the covered words of a passage in another language than the question."""

SIZE_FACTOR: Final = 0.5
MOST_COUNTED: Final = 2_000
"""The best of many is nearer than the best of few, by chance alone: SIZE_FACTOR for each time that
the passages are e times as many, up to MOST_COUNTED, beyond which nothing was measured."""

FAR: Final = 0.16
FAR_BETWEEN_LANGUAGES: Final = 0.24
FAR_FACTOR: Final = 25.0
"""Whatever words they share, a passage not nearer than FAR in meaning does not answer."""

WORDS_ONLY_FACTOR: Final = 9.0
WORDS_ONLY_OFFSET: Final = -3.6
"""The same where there are no vectors."""


def fuse(*orders: Sequence[int]) -> list[int]:
    """One order of all that stands in *orders*, best first; ties by number.

    Example:
        >>> fuse([1, 2, 3], [3, 1])
        [1, 3, 2]
    """
    scores: dict[int, float] = {}
    for order in orders:
        for rank, item in enumerate(order):
            scores[item] = scores.get(item, 0.0) + 1.0 / (RANK_OFFSET + rank + 1)
    return sorted(scores, key=lambda item: (-round(scores[item], 12), item))


def put_likely_first(items: Sequence[_Item], likely: Sequence[float]) -> list[_Item]:
    """The order as it is, unless its first is unlikely to answer: then the likeliest comes first.

    The gate of the policy looks at the first place. What reciprocal ranks put there may be the
    second best of both ways, with the best of one behind it.

    Example:
        >>> put_likely_first("abc", [0.2, 0.1, 0.7]), put_likely_first("ab", [0.6, 0.9])
        (['c', 'a', 'b'], ['a', 'b'])
    """
    order = list(items)
    if order and likely[0] < EVEN:
        order.insert(0, order.pop(max(range(len(order)), key=lambda at: (likely[at], -at))))
    return order


def rarity(holders: Mapping[str, int], passages: int) -> dict[str, float]:
    """How much each word of a question counts.

    Args:
        holders: Word -> passages of the index that hold it.
        passages: All passages of the index.

    Example:
        >>> weights = rarity({"fee": 9, "sextant": 0}, 9)
        >>> weights["sextant"] > weights["fee"] > 0
        True
    """
    return {
        word: math.log(1.0 + (passages + 1.0) / (1.0 + holding))
        for word, holding in holders.items()
    }


def coverage(weights: Mapping[str, float], words: Collection[str]) -> float:
    """The weighted share of the question's words that stand among *words*."""
    total = sum(weights.values())
    if total <= 0.0:
        return 0.0
    return sum(weight for word, weight in weights.items() if word in words) / total


def similarity(
    covered: float, cosine: float | None, *, other_language: bool = False, passages: int = 1
) -> float:
    """How likely a passage answers, with six decimals; by its words where there are no vectors.

    Args:
        covered: As `coverage` gives it.
        cosine: Of question and passage, both seen from the middle of the index.
        other_language: Question and passage are surely in two languages.
        passages: All passages of the index.

    Example:
        >>> similarity(1.0, 0.6) > 0.9 > 0.3 > similarity(0.0, 0.1)
        True
    """
    if cosine is None:
        logit = WORDS_ONLY_FACTOR * covered + WORDS_ONLY_OFFSET
    else:
        words = max(WORDS_FACTOR * covered, OTHER_LANGUAGE if other_language else 0.0)
        size = SIZE_FACTOR * math.log(min(max(passages, 1), MOST_COUNTED))
        logit = MEANING_FACTOR * cosine + words - size + OFFSET
        far = FAR_BETWEEN_LANGUAGES if other_language else FAR
        logit = min(logit, FAR_FACTOR * (cosine - far))
    return round(1.0 / (1.0 + math.exp(-logit)), 6)
