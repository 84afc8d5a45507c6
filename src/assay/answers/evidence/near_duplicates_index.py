"""Near-duplicates among many long texts: candidates first, the ratio only for them.

In      texts in rank order, a threshold
Out     a Keeper that decides as comparing 5-grams does
Pure    yes; linear: a few microseconds a text that repeats nothing
Spec    004-S4; 004 R2.2 "Deduplication constraints"

From each text some pieces of a few letters are taken, those behind rare letters, wherever they
stand in it: as many as the shortest text of the bundle needs to have some twenty. A word that is
changed costs a text five of its 5-grams but only the pieces that touch it, so a text that
keeps four in five of its grams keeps more than half of its pieces. What shares a fifth of
its pieces with a kept text is compared with it gram by gram; what does not repeats nothing.
Texts too short to have pieces are held against all others by a word that a repeat must have. A
long one without pieces (columns of figures, another script), and one most of whose pieces stand
in many texts, make all be compared gram by gram from there on.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from math import ceil
from typing import Final

from assay.answers.evidence.near_duplicates import Compared, Keeper, reaches, tuples, words

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

_PIECE: Final = 14
"""Bytes of a piece, its mark included."""

_SMALL_PIECE: Final = 10
"""The same where marks stand so near that longer pieces would be too few."""

_SHARE: Final = 1 / 5
_DENSE: Final = 0.08
"""Share of all letters behind which pieces are taken, at most."""

_SPARSE: Final = 0.016
"""The same, at least."""

_NEAR: Final = 0.03
"""Share of all letters from which on they do."""

_ENOUGH: Final = 24
"""Pieces that the shortest text should have."""

_HEAVY: Final = 24
"""A piece in more kept texts than this leads nowhere by itself: boilerplate."""

_SIGNS: Final = bytes(code for code in range(128) if not chr(code).isalnum())
"""What does not count: ASCII white space and signs."""

_UPPER: Final = bytes(range(ord("A"), ord("Z") + 1))

_MARK: Final = ord("\n")
"""Stands for each letter behind which pieces are taken."""

_FEW: Final = 3
"""Pieces; a long text with fewer is not told from others by them."""

Grams = frozenset[int]


def keeper(texts: Sequence[str], threshold: float) -> Keeper:
    """What finds repeats among *texts*, which must then be given to it in this order."""
    if len(texts) < FEWEST or threshold < LOWEST:
        return Compared(threshold)
    short = [_is_short(text) for text in texts]
    if sum(short) > MOST_SHORT:
        return Compared(threshold)
    sizes = (len(text) for text, is_short in zip(texts, short, strict=True) if not is_short)
    shortest = min(sizes, default=1)
    rate = min(_DENSE, max(_SPARSE, _ENOUGH / shortest))
    return Pieced(threshold, texts[:: len(texts) // FEWEST], rate=rate)


class Pieced:
    """Finds what a text repeats by the pieces that both have."""

    def __init__(self, threshold: float, sample: Sequence[str], *, rate: float = _DENSE) -> None:
        self._threshold = threshold
        self._table, self._piece = _taking(
            b"".join(_compact(text[:_LOOK]) for text in sample), rate
        )
        self._texts: list[str] = []
        self._pieces: list[int] = []
        self._fewest = 2**31
        self._first: dict[bytes, int] = {}
        self._more: dict[bytes, list[int]] = {}
        self._short: list[tuple[int, str]] = []
        self._compared: Compared | None = None
        """Decides from the first text on of which pieces say too little."""
        self._grams: dict[int, Grams] = {}

    def keep(self, text: str) -> bool:
        """Keep *text* unless it nearly repeats a kept one; whether it was kept."""
        if self._compared is not None:
            return self._compared.keep(text)
        encoded = text.encode() if text.isascii() else text.casefold().encode()
        pieces = set(self._piece(encoded.translate(self._table, _SIGNS)))
        short = _is_short(text)
        if len(pieces) < _FEW and not short:
            return self._all_compared(text)
        shared = self._first.keys() & pieces
        if len(shared) > 1 and 2 * self._boilerplate(shared) >= len(pieces):
            return self._all_compared(text)
        grams: Grams | None = None
        if shared or short or self._short:
            folded = text.casefold()
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

    def _all_compared(self, text: str) -> bool:
        """As `keep`; from here on pieces are not gone by."""
        self._compared = Compared(self._threshold)
        for kept in self._texts:
            self._compared.keep(kept)
        return self._compared.keep(text)

    def _boilerplate(self, shared: set[bytes]) -> int:
        more = self._more
        return sum(len(more[piece]) >= _HEAVY for piece in more.keys() & shared)

    def _candidates(
        self, text: str, folded: str, pieces: set[bytes], shared: set[bytes], *, short: bool
    ) -> Iterator[int]:
        yield from (number for number, word in self._short if word in folded)
        if short:
            word = _needed_word(text, self._threshold)
            yield from (
                number for number, other in enumerate(self._texts) if word in other.casefold()
            )
        if shared:
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
    """Whether *text* has too few words for pieces; most texts show early that they do not."""
    return (
        text.count(" ", 0, _LOOK // 2) < _SHORT
        and text.count(" ", 0, _LOOK) < _SHORT
        and len(words(text)) <= _SHORT
    )


def _obvious(one: str, other: str, threshold: float) -> bool:
    """Whether two texts are the same but for one place so small that the ratio must be reached.

    What differs touches at most every second character's word and one at each end, and a word
    is part of five grams; a text has at least as many grams as different words, less four.
    """
    shorter = min(len(one), len(other))
    head = _common_start(one, other, shorter)
    tail = _common_end(one, other, shorter - head)
    touched = (len(one) - head - tail) // 2 + 7
    if touched > (1 - threshold) * len(one) / 4:
        return False
    # A beginning may have enough different words; its last may be half of one.
    beginning = one[: int(touched / (1 - threshold)) * _WORD_CHARS]
    return touched <= (1 - threshold) * (len(set(words(beginning))) - 5) or (
        touched <= (1 - threshold) * (len(set(words(one))) - 4)
    )


_WORD_CHARS: Final = 10


def _common_start(one: str, other: str, most: int) -> int:
    """How many leading characters two texts share, up to *most*."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_end(one: str, other: str, most: int) -> int:
    """How many trailing characters two texts share, up to *most*."""
    low, high = 0, most
    size, sized = len(one), len(other)
    while low < high:
        middle = (low + high + 1) // 2
        if one[size - middle : size - low] == other[sized - middle : sized - low]:
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


def _taking(sample: bytes, rate: float) -> tuple[bytes, Callable[[bytes], list[bytes]]]:
    """How pieces are taken: a table that marks the rarest letters of *sample*, and what finds
    the pieces in a marked text.

    Where even one letter is more frequent than *rate*, only what a share of letters follows
    begins a piece.
    """
    # Figures are no such letters: what stands behind them (`40 EUR`) stands in many texts.
    letters = set(range(256)) - set(_SIGNS) - set(b"0123456789") - set(_UPPER)
    seen = {code: sample.count(code) for code in letters}
    codes = sorted(letters, key=lambda code: (seen[code], code))
    table = bytearray(range(256))
    marked = 0
    for code in codes:
        marked += seen[code]
        table[code] = _MARK
        if marked >= rate * len(sample):
            break
    for code in _UPPER:
        table[code] = table[code + 32]
    chosen = bytearray()
    if marked > 1.5 * rate * len(sample):
        wanted = rate * len(sample) * len(sample) / marked
        for code in codes:
            if wanted > 0 and table[code] == code:
                chosen.append(code)
                wanted -= seen[code]
    followed = b"[" + re.escape(bytes(chosen)) + b"]" if chosen else b"[^\n]"
    size = _PIECE if marked <= _NEAR * len(sample) or chosen else _SMALL_PIECE
    # No mark is in a piece, so that whether one begins here hangs on nothing before it.
    piece = re.compile(b"\n" + followed + b"[^\n]{%d}" % (size - 2))
    return bytes(table), piece.findall
