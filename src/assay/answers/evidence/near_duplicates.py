"""Near-duplicates by shared word 5-grams, without comparing every pair.

In      texts in rank order, a threshold
Out     for each text, whether it nearly repeats one kept before it
Pure    yes; close to linear: an index leads to the texts that share 5-grams at all
Spec    004 R2.2 "Deduplication constraints"; interfaces.md, "Answers" (overlap ratio)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import Final, Protocol

SIZE: Final = 5
_WORD = re.compile(r"\w+")
_ASCII_WORDS = str.maketrans(
    {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}
)
_HEAVY: Final = 24
"""A 5-gram in more kept texts than this leads nowhere by itself: boilerplate."""

_MARGIN: Final = 4
"""Grams; decisions this close to the threshold are made on the words, not on their hashes."""


def words(text: str) -> list[str]:
    """The words of *text*, case folded: runs of letters, digits and underscores."""
    folded = text.casefold()
    # For ASCII, blanking what is no word character and splitting is `\w+` at twice the speed.
    return folded.translate(_ASCII_WORDS).split() if folded.isascii() else _WORD.findall(folded)


def grams(text: str) -> frozenset[tuple[str, ...]]:
    """The word 5-grams of *text*, case folded; its single words if it has fewer than five.

    Example:
        >>> sorted(grams("Two words"))
        [('two',), ('words',)]
        >>> len(grams("one two three four five six"))
        2
    """
    return frozenset(tuples(text))


def ratio(one: str, other: str) -> float:
    """Shared grams over the smaller set; 0 to 1.

    Example:
        >>> ratio("a b c d e f", "A b c d e!")
        1.0
    """
    first, second = grams(one), grams(other)
    return len(first & second) / min(len(first), len(second))


def reaches(threshold: float, common: int, smaller: int, one: str, other: str) -> bool:
    """Whether the ratio of two texts reaches *threshold*.

    Args:
        threshold: From 0 to 1.
        common: How many hashes of grams they share.
        smaller: How many the smaller set has.
        one: A text.
        other: The other; both are only read when the hashes leave it open.
    """
    beyond = common - threshold * smaller
    return beyond > 0 if abs(beyond) > _MARGIN else ratio(one, other) >= threshold


def tuples(text: str) -> Iterable[tuple[str, ...]]:
    """The word 5-grams of *text* as they come; its single words if it has fewer than five."""
    listed = words(text)
    if len(listed) < SIZE:
        return ((word,) for word in listed or (text,))
    return zip(listed, listed[1:], listed[2:], listed[3:], listed[4:], strict=False)


class Keeper(Protocol):
    """Keeps texts that repeat none of those kept before."""

    def keep(self, text: str) -> bool:
        """Keep *text* unless it nearly repeats a kept one; whether it was kept."""
        ...


class Compared:
    """Finds what a text repeats by an index of all grams of the texts kept so far.

    Grams are held as hashes, which differ from process to process; what is decided does not:
    close to the threshold the words themselves are compared.
    """

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._texts: list[str] = []
        self._sizes: list[int] = []
        self._first: dict[int, int] = {}
        """Gram -> the first kept text that has it."""
        self._more: dict[int, list[int]] = {}
        """Gram -> the kept texts that have it, all but the first."""
        self._smallest = 0

    def keep(self, text: str) -> bool:
        """Keep *text* unless it nearly repeats a kept one; whether it was kept."""
        new = frozenset(map(hash, tuples(text)))
        shared = self._first.keys() & new
        if shared and any(
            self._repeats(text, len(new), *at) for at in self._near(shared, len(new))
        ):
            return False
        number = len(self._texts)
        self._texts.append(text)
        self._sizes.append(len(new))
        self._smallest = min(self._smallest, len(new)) if number else len(new)
        for gram in shared:
            self._more.setdefault(gram, []).append(number)
        self._first.update(dict.fromkeys(new - shared if shared else new, number))
        return True

    def _repeats(self, text: str, size: int, number: int, common: int) -> bool:
        other = self._texts[number]
        return reaches(self._threshold, common, min(size, self._sizes[number]), text, other)

    def _near(self, shared: set[int], size: int) -> Iterable[tuple[int, int]]:
        """Kept texts that may share enough, each with how many grams it shares."""
        needed = self._threshold * min(size, self._smallest) - _MARGIN
        if len(shared) < needed:
            return []
        more = self._more
        repeated = more.keys() & shared
        counted = Counter(map(self._first.__getitem__, shared))
        rare = [gram for gram in repeated if len(more[gram]) < _HEAVY]
        counted.update(chain.from_iterable(more[gram] for gram in rare))
        heavy = repeated.difference(rare)
        least = needed - len(heavy)
        if least > 0:
            # Whoever shares enough shares more than what is boilerplate.
            near = [number for number, count in counted.items() if count >= least]
        else:
            near = list({*counted, *chain.from_iterable(more[gram] for gram in heavy)})
        owners = [frozenset(more[gram]) for gram in heavy]
        return [
            (number, counted[number] + sum(number in group for group in owners)) for number in near
        ]
