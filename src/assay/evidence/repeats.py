"""Near-duplicates among many long texts: candidates first, the ratio only for them.

In      texts in rank order, a threshold
Out     a Keeper that decides as comparing 5-grams does
Pure    yes; linear: a few microseconds a text that repeats nothing
Spec    004 R2.2 "Deduplication constraints"; issue on grounded answers, "Speed and memory"

A text is cut at rare letters into pieces of some three words, wherever they stand in it. A word
that is changed costs the text five of its 5-grams but only the pieces around it, so a text
that keeps four in five of its grams keeps more than half of its pieces. What shares a seventh
of its pieces with a kept text is compared with it gram by gram; what does not repeats nothing.
Texts too short to have pieces are held against all others by a word that a repeat must have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from math import ceil
from typing import Final

from assay.evidence.overlap import Compared, Keeper, reaches, tuples, words

FEWEST: Final = 16
"""Texts; fewer are compared gram by gram from the start."""

LOWEST: Final = 0.7
"""Threshold; below it a repeat may have lost too many pieces."""

MOST_SHORT: Final = 16
"""Short texts; more are compared gram by gram from the start."""

_SHORT: Final = 28
"""Words; a text of more has pieces."""

_LOOK: Final = 512
"""Code points within which a text shows whether it is short."""

_PIECE: Final = 6
"""Bytes; shorter pieces say too little."""

_SHARE: Final = 1 / 7
_RARE: Final = 0.06
"""Share of all letters at which texts are cut: about one in seventeen."""

_HEAVY: Final = 24
"""A piece in more kept texts than this leads nowhere by itself: boilerplate."""

_SIGNS: Final = bytes(code for code in range(128) if not chr(code).isalnum())
"""What does not count: ASCII white space and signs."""

_CUT: Final = b"\n"

Grams = frozenset[int]


def keeper(texts: Sequence[str], threshold: float) -> Keeper:
    """What finds repeats among *texts*, which must then be given to it in this order."""
    short = sum(_is_short(text) for text in texts)
    if len(texts) < FEWEST or threshold < LOWEST or short > MOST_SHORT:
        return Compared(threshold)
    return Pieced(threshold, texts[:8])


class Pieced:
    """Finds what a text repeats by the pieces that both have."""

    def __init__(self, threshold: float, sample: Sequence[str]) -> None:
        self._threshold = threshold
        self._table = _cutting(b"".join(_compact(text) for text in sample))
        self._texts: list[str] = []
        self._pieces: list[int] = []
        self._fewest = 2**31
        self._first: dict[bytes, int] = {}
        self._more: dict[bytes, list[int]] = {}
        self._short: list[tuple[int, str]] = []
        self._grams: dict[int, Grams] = {}

    def keep(self, text: str) -> bool:
        """Keep *text* unless it nearly repeats a kept one; whether it was kept."""
        folded = text.casefold()
        short = _is_short(text)
        cut = folded.encode().translate(self._table, _SIGNS).split(_CUT)
        pieces = {piece for piece in cut if len(piece) >= _PIECE}
        shared = self._first.keys() & pieces
        grams: Grams | None = None
        for number in self._candidates(text, folded, pieces, shared, short=short):
            if _obvious(folded, self._texts[number].casefold(), self._threshold):
                return False
            grams = _hashes(text) if grams is None else grams
            if self._repeats(text, grams, number):
                return False
        number = len(self._texts)
        self._texts.append(text)
        self._pieces.append(len(pieces))
        self._fewest = min(self._fewest, len(pieces))
        if grams is not None:
            self._grams[number] = grams
        if short:
            self._short.append((number, _needed_word(text, self._threshold)))
        for piece in shared:
            self._more.setdefault(piece, []).append(number)
        self._first.update(dict.fromkeys(pieces - shared if shared else pieces, number))
        return True

    def _candidates(
        self, text: str, folded: str, pieces: set[bytes], shared: set[bytes], *, short: bool
    ) -> Iterator[int]:
        yield from (number for number, word in self._short if word in folded)
        if short:
            word = _needed_word(text, self._threshold)
            yield from (
                number for number, other in enumerate(self._texts) if word in other.casefold()
            )
        elif shared:
            yield from self._near(pieces, shared)

    def _near(self, pieces: set[bytes], shared: set[bytes]) -> Iterator[int]:
        """Kept texts that share enough pieces."""
        if len(shared) < int(_SHARE * min(len(pieces), self._fewest)):
            return
        more = self._more
        counted = Counter(map(self._first.__getitem__, shared))
        heavy = 0
        for piece in more.keys() & shared:
            owners = more[piece]
            if len(owners) < _HEAVY:
                counted.update(owners)
            else:
                heavy += 1
        for number, count in counted.items():
            fewest = min(len(pieces), self._pieces[number])
            if count + heavy >= max(1, int(_SHARE * fewest)):
                yield number

    def _repeats(self, text: str, grams: Grams, number: int) -> bool:
        kept = self._texts[number]
        other = self._grams.get(number)
        if other is None:
            other = self._grams[number] = _hashes(kept)
        smaller = min(len(grams), len(other))
        return reaches(self._threshold, len(grams & other), smaller, text, kept)


def _is_short(text: str) -> bool:
    return text.count(" ", 0, _LOOK) < _SHORT


def _obvious(one: str, other: str, threshold: float) -> bool:
    """Whether two texts are the same but for one place so small that the ratio must be reached.

    What differs touches at most every second character's word and one at each end, and a word
    is part of five grams; a text has at least as many grams as different words, less four.
    """
    shorter = min(len(one), len(other))
    head = _common(one, other, shorter)
    tail = _common(one[::-1], other[::-1], shorter - head)
    touched = (len(one) - head - tail) // 2 + 7
    if touched > (1 - threshold) * len(one) / 4:
        return False
    return touched <= (1 - threshold) * (len(set(words(one))) - 4)


def _common(one: str, other: str, most: int) -> int:
    """How many leading characters two texts share, up to *most*."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _hashes(text: str) -> Grams:
    return frozenset(map(hash, tuples(text)))


def _needed_word(text: str, threshold: float) -> str:
    """A word without which no text reaches the ratio with *text*; empty if there is none."""
    grams = frozenset(tuples(text))
    lost = len(grams) - ceil(threshold * len(grams) - 1e-9)
    counted = Counter(chain.from_iterable(map(set, grams)))
    needed = [word for word, count in counted.items() if count > lost and words(word) == [word]]
    return max(needed, key=lambda word: (len(word), word), default="")


def _compact(text: str) -> bytes:
    return text.casefold().encode().translate(None, _SIGNS)


def _cutting(sample: bytes) -> bytes:
    """A table that turns the rarest bytes of *sample* into cuts."""
    codes = sorted(set(range(256)) - set(_SIGNS), key=lambda code: (sample.count(code), code))
    table = bytearray(range(256))
    left = _RARE * len(sample)
    for code in codes:
        left -= sample.count(code)
        table[code] = _CUT[0]
        if left <= 0:
            break
    return bytes(table)
