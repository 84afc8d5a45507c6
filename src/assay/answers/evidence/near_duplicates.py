"""Near-duplicates by shared word 5-grams, without comparing every pair.

In      texts in rank order, a threshold
Out     for each text, whether it nearly repeats one kept before it
Pure    yes; close to linear: an index leads to the texts that share 5-grams at all
Spec    004 R2.2 "Deduplication constraints"; interfaces.md, "Answers" (overlap ratio)
"""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, repeat
from math import ceil
from operator import itemgetter
from typing import Final

SIZE: Final = 5
_WORD = re.compile(r"\w+")
_ASCII_WORDS = str.maketrans(
    {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}
)
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
    return frozenset(_list_grams(text))


def ratio(one: str, other: str) -> float:
    """Shared grams over the smaller set; 0 to 1.

    Example:
        >>> ratio("a b c d e f", "A b c d e!")
        1.0
    """
    first, second = grams(one), grams(other)
    return len(first & second) / min(len(first), len(second))


def _list_grams(text: str) -> Iterable[tuple[str, ...]]:
    """The word 5-grams of *text* as they come; its single words if it has fewer than five."""
    listed = words(text)
    if len(listed) < SIZE:
        return ((word,) for word in listed or (text,))
    return zip(listed, listed[1:], listed[2:], listed[3:], listed[4:], strict=False)


class NearDuplicates:
    """Keeps texts that nearly repeat none kept before.

    An index leads from each gram to the kept texts that have it. Where the ratio of two texts
    reaches the threshold, the smaller shares that part of its grams. So a text can repeat only
    what is small itself, or what has one of the rarest grams that it shares; the other shared
    ones are too few by themselves. Only those texts are compared, gram by gram.

    Grams are held as hashes, which differ from process to process. What is decided does not:
    close to the threshold the words themselves are compared.
    """

    def __init__(self, threshold: float) -> None:
        """Start with nothing kept.

        Args:
            threshold: Ratio from which on a text is a near-duplicate; more than 0, at most 1.
        """
        self._threshold = threshold
        self._texts: list[str] = []
        self._grams: list[list[int] | frozenset[int]] = []
        """Of each kept text; a set once it was compared."""
        self._sizes: list[tuple[int, int]] = []
        """How many grams a kept text has, and its number; rising."""
        self._first: dict[int, int] = {}
        """Gram -> the first kept text that has it."""
        self._more: dict[int, list[int]] = {}
        """Gram -> the kept texts that have it, all but the first."""

    def keep(self, text: str) -> bool:
        """Keep *text* unless it nearly repeats a kept one; whether it was kept."""
        number, known = len(self._texts), len(self._first)
        listed = list(map(hash, _list_grams(text)))
        owners = list(map(self._first.setdefault, listed, repeat(number)))
        size = len(self._first) - known
        if owners.count(number) < len(owners):
            grams = frozenset(listed)
            size = len(grams)
            shared = {gram for gram, owner in zip(listed, owners, strict=True) if owner != number}
            if any(self._repeats(text, grams, at) for at in self._find_candidates(size, shared)):
                for gram in grams - shared:
                    del self._first[gram]
                return False
            for gram in shared:
                self._more.setdefault(gram, []).append(number)
        self._texts.append(text)
        self._grams.append(listed)
        insort(self._sizes, (size, number))
        return True

    def _repeats(self, text: str, grams: frozenset[int], number: int) -> bool:
        """Whether the ratio of *text* and a kept one reaches the threshold."""
        other = self._grams[number]
        if not isinstance(other, frozenset):
            other = self._grams[number] = frozenset(other)
        beyond = len(grams & other) - self._threshold * min(len(grams), len(other))
        if abs(beyond) > _MARGIN:
            return beyond > 0
        return ratio(text, self._texts[number]) >= self._threshold

    def _find_candidates(self, size: int, shared: set[int]) -> Iterator[int]:
        """The kept texts that may share enough of the *shared* grams of a text of *size*."""
        first, more, sizes = self._first, self._more, self._sizes
        half = bisect_right(sizes, size // 2, key=_SIZE)
        if half < len(sizes):  # those of more than half the size: all have to share so much
            needed = ceil(self._threshold * min(size, sizes[half][0]) - _MARGIN)
            if needed <= len(shared):
                yield Counter(map(first.__getitem__, shared)).most_common(1)[0][0]
                by_owners = sorted(shared, key=lambda gram: len(more.get(gram, ())))
                rare = by_owners[: len(shared) - max(needed, 1) + 1]
                yield from {
                    *map(first.__getitem__, rare),
                    *chain.from_iterable(more.get(gram, ()) for gram in rare),
                }
        most = (len(shared) + _MARGIN) / self._threshold
        yield from (at for _, at in sizes[: min(half, bisect_right(sizes, most, key=_SIZE))])


_SIZE: Final = itemgetter(0)
