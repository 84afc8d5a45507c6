"""Where two texts differ, word by word, for somebody who reads them side by side.

In      two texts
Out     pieces: the same, removed, added; the sides put together again are the texts
Pure    yes; bounded by comparing words only within few changed lines

Spaces and line ends are pieces as well: nothing of either text is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal

Change = Literal["same", "removed", "added"]

_WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")
_MOST_LINE_PAIRS: Final = 1_000_000
"""Lines of one side times lines of the other, where they differ; beyond it all of them are told
as changed."""

_MOST_WORD_PAIRS: Final = 400_000
"""The same of words within changed lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordPiece:
    """A stretch of one text, or of both."""

    change: Change
    text: str


def compare_words(before: str, after: str) -> tuple[WordPiece, ...]:
    """The pieces of both texts, in order.

    Example:
        >>> [(piece.change, piece.text) for piece in compare_words("a red pipe", "a blue pipe")]
        [('same', 'a '), ('removed', 'red'), ('added', 'blue'), ('same', ' pipe')]
    """
    found: list[WordPiece] = []
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    for same, left, right in _blocks(old, new, _MOST_LINE_PAIRS):
        if same:
            found.append(WordPiece(change="same", text="".join(left)))
        else:
            found += _changed_pieces("".join(left), "".join(right))
    return tuple(_join_alike(found))


def pick_side(pieces: Sequence[WordPiece], side: Literal["before", "after"]) -> list[WordPiece]:
    """What of the pieces stands in one of the texts."""
    other: Change = "added" if side == "before" else "removed"
    return [piece for piece in pieces if piece.change != other]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line that stands in both texts, or lines that take each other's place."""

    before: tuple[WordPiece, ...]
    after: tuple[WordPiece, ...]

    @property
    def same(self) -> bool:
        return self.before == self.after


def align_rows(pieces: Iterable[WordPiece]) -> tuple[Row, ...]:
    """The pieces as rows of two columns, broken where both texts break a line.

    Example:
        >>> [row.same for row in align_rows(compare_words("x\\na b\\n", "x\\na c\\n"))]
        [True, False]
    """
    rows: list[Row] = []
    before: list[WordPiece] = []
    after: list[WordPiece] = []

    def end_row() -> None:
        if before or after:
            rows.append(Row(before=tuple(before), after=tuple(after)))
            before.clear()
            after.clear()

    for piece in pieces:
        if piece.change == "same":
            for line in piece.text.splitlines(keepends=True):
                part = WordPiece(change="same", text=line)
                before.append(part)
                after.append(part)
                if line.splitlines() != [line]:
                    end_row()
        else:
            (before if piece.change == "removed" else after).append(piece)
    end_row()
    return tuple(rows)


def _changed_pieces(before: str, after: str) -> Iterator[WordPiece]:
    for same, left, right in _blocks(_WORD.findall(before), _WORD.findall(after), _MOST_WORD_PAIRS):
        if same:
            yield WordPiece(change="same", text="".join(left))
            continue
        yield WordPiece(change="removed", text="".join(left))
        yield WordPiece(change="added", text="".join(right))


def _blocks(
    before: Sequence[str], after: Sequence[str], most_pairs: int
) -> Iterator[tuple[bool, Sequence[str], Sequence[str]]]:
    """Stretches that are the same or differ; in too much to compare, the middle differs whole."""
    least = min(len(before), len(after))
    start = 0
    while start < least and before[start] == after[start]:
        start += 1
    end = 0
    while end < least - start and before[-1 - end] == after[-1 - end]:
        end += 1
    left, right = before[start : len(before) - end], after[start : len(after) - end]
    yield True, before[:start], after[:start]
    if len(left) * len(right) > most_pairs:
        yield False, left, right
    else:
        matcher = SequenceMatcher(None, left, right, autojunk=False)
        for tag, i, j, k, m in matcher.get_opcodes():
            yield tag == "equal", left[i:j], right[k:m]
    yield True, before[len(before) - end :], after[len(after) - end :]


def _join_alike(pieces: Sequence[WordPiece]) -> Iterator[WordPiece]:
    """Neighbours of one kind as one; of a changed stretch what was removed comes first."""
    removed: list[str] = []
    added: list[str] = []
    same: list[str] = []

    def flush_changes() -> Iterator[WordPiece]:
        if removed:
            yield WordPiece(change="removed", text="".join(removed))
        if added:
            yield WordPiece(change="added", text="".join(added))
        removed.clear()
        added.clear()

    for piece in pieces:
        if not piece.text:
            continue
        if piece.change == "same":
            yield from flush_changes()
            same.append(piece.text)
            continue
        if same:
            yield WordPiece(change="same", text="".join(same))
            same.clear()
        (removed if piece.change == "removed" else added).append(piece.text)
    yield from flush_changes()
    if same:
        yield WordPiece(change="same", text="".join(same))
