"""A source text cut into what a page shows: marks over quotes, folds over what is no own word.

In      a text; marks and folds as ranges of code points
Out     blocks of pieces that, put together, are the text again
Pure    yes
Spec    009-D3, 009-D4
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

MOST_LEVELS: Final = 3
"""So many lines are stacked under one place; a fourth is left out there, not in the lists."""

MOST_WORDS: Final = 50_000
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A quote at its place in a text."""

    start: int
    stop: int
    number: int
    """Of the quote, in the page."""

    colour: int
    """Of its label set."""

    tag: str
    """What stands at its beginning: its label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """A range that is not the sender's own word, or that the model was not shown."""

    start: int
    stop: int
    kind: str
    unseen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A run of text under the same marks."""

    text: str
    marks: tuple[Mark, ...] = ()
    begins: frozenset[int] = frozenset()
    """Numbers of the marks whose first piece it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A run of pieces of one kind."""

    pieces: tuple[Piece, ...]
    fold: Fold | None = None
    chars: int = 0

    @property
    def marked(self) -> bool:
        """Whether a quote lies in it, so that it is not folded away."""
        return any(piece.marks for piece in self.pieces)


def cut_text(text: str, marks: Iterable[Mark], folds: Iterable[Fold]) -> tuple[Block, ...]:
    """*text* as blocks and pieces, in order and whole.

    Example:
        >>> mark = Mark(start=2, stop=4, number=1, colour=0, tag="label")
        >>> [piece.text for block in cut_text("abcdef", [mark], []) for piece in block.pieces]
        ['ab', 'cd', 'ef']
    """
    placed = sorted(
        (mark for mark in marks if 0 <= mark.start < mark.stop <= len(text)),
        key=lambda mark: (mark.start, -mark.stop, mark.number),
    )
    blocks = []
    at = 0
    for fold in _separate_folds(folds, text):
        if fold.start > at:
            blocks.append(_block(text, at, fold.start, placed, None))
        blocks.append(_block(text, fold.start, fold.stop, placed, fold))
        at = fold.stop
    if at < len(text) or not blocks:
        blocks.append(_block(text, at, len(text), placed, None))
    return tuple(blocks)


def find_nearest(snippet: str, texts: Sequence[tuple[str, str]]) -> tuple[str, int, int] | None:
    """The place in *texts* (name, text) whose words are most like those of *snippet*.

    Of several with as many of its words, the one with more of them in its order.

    Returns:
        Name, start, stop; None where less than half of the words stand together anywhere.

    Example:
        >>> find_nearest("water in a cellar", [("body", "There is water in the cellar.")])
        ('body', 9, 28)
    """
    wanted = Counter(word.casefold() for word in _WORD.findall(snippet[:2_000]))
    size = sum(wanted.values())
    order = [word.casefold() for word in _WORD.findall(snippet[:2_000])]
    wanted_pairs = set(pairwise(order))
    best: tuple[int, int, int, str, int, int] | None = None
    for name, text in texts if size else ():
        words = list(_WORD.finditer(text))[:MOST_WORDS]
        folded = [match[0].casefold() for match in words]
        within: Counter[str] = Counter()
        same = pairs = 0
        for index, word in enumerate(folded):
            within[word] += 1
            same += within[word] <= wanted[word]
            if index and size > 1:
                pairs += (folded[index - 1], word) in wanted_pairs
            if index >= size:
                gone = folded[index - size]
                if size > 1:
                    pairs -= (gone, folded[index - size + 1]) in wanted_pairs
                same -= within[gone] <= wanted[gone]
                within[gone] -= 1
            first = max(0, index - size + 1)
            if same * 2 < size or (best is not None and same < best[0]):
                continue
            found = (same, pairs, first - index, name, words[first].start(), words[index].end())
            if best is None or found[:3] > best[:3]:
                best = found
    return None if best is None else best[3:]


def _block(text: str, start: int, stop: int, marks: Sequence[Mark], fold: Fold | None) -> Block:
    held = [mark for mark in marks if mark.start < stop and mark.stop > start]
    edges = {start, stop}
    for mark in held:
        edges |= {max(start, mark.start), min(stop, mark.stop)}
    cuts = sorted(edges)
    over: list[list[Mark]] = [[] for _ in cuts[1:]]
    for mark in held:
        for index in range(bisect_right(cuts, mark.start) - 1, len(over)):
            if index >= 0 and mark.start <= cuts[index] < mark.stop:
                over[index].append(mark)
            elif index >= 0 and cuts[index] >= mark.stop:
                break
    pieces = tuple(
        Piece(
            text=text[first:after],
            marks=tuple(there[:MOST_LEVELS]),
            begins=frozenset(mark.number for mark in there[:MOST_LEVELS] if mark.start == first),
        )
        for first, after, there in zip(cuts, cuts[1:], over, strict=False)
    )
    return Block(pieces=pieces, fold=fold, chars=stop - start)


def _separate_folds(folds: Iterable[Fold], text: str) -> list[Fold]:
    """The folds in order, none over another; what was not seen goes before what was."""
    found: list[Fold] = []
    for fold in sorted(folds, key=lambda each: (not each.unseen, each.start)):
        free = [(max(0, fold.start), min(len(text), fold.stop))]
        for other in found:
            free = [
                part
                for start, stop in free
                for part in ((start, min(stop, other.start)), (max(start, other.stop), stop))
                if part[0] < part[1]
            ]
        found += [
            Fold(start=start, stop=stop, kind=fold.kind, unseen=fold.unseen)
            for start, stop in free
            if any(map(str.isalnum, text[start:stop]))
        ]
    return sorted(found, key=lambda each: each.start)
