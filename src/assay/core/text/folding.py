"""Views of a text that forgive how it is written, and the way back to the text.

In      text; a table that says what is forgiven
Out     FoldedText: the view, and for every range of it the range of the text it stands for
Pure    yes; linear
Spec    interfaces.md, "Evidence" (the folded view) and "Redaction" (offsets that lead back)

The table for evidence stands here, that for personal data in `assay.redaction.view`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal
from unicodedata import category, combining, is_normalized, normalize

SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u2039\u203a"
DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u301d\u301e\u301f"
DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d"
WHITE_SPACE = "".join(char for char in map(chr, range(0x3001)) if char.isspace() and char != " ")
"""All of `str.isspace` but the space itself."""

REMOVED = (
    "\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\u206a\u206b\u206c\u206d\u206e\u206f"
    "\ufeff\u034f\u17b4\u17b5\u2065\u180b\u180c\u180d\u180f"
) + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
"""What has no width: soft hyphen, joiners, directions, and which picture a character has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folding:
    """A table: what a view forgives."""

    form: Literal["NFC", "NFKC"]
    """The normal form of the view. Under NFC what the form composes is one part; under NFKC a
    letter is with all that is attached to it: marks, vowel signs, what is removed."""

    replaced: Mapping[int, str]
    """Code points that become one other, whatever stands beside them."""

    removed: frozenset[str]
    """What is left out."""

    joins_spaces: bool
    """Each run of spaces is one space."""

    exchanged: frozenset[str] = field(init=False, repr=False, compare=False)
    """The characters of `replaced`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "exchanged", frozenset(map(chr, self.replaced)))


EVIDENCE: Final = Folding(
    form="NFC",
    replaced=str.maketrans(
        {
            **dict.fromkeys(WHITE_SPACE, " "),
            **dict.fromkeys(SINGLE_QUOTES, "'"),
            **dict.fromkeys(DOUBLE_QUOTES, '"'),
            **dict.fromkeys(DASHES, "-"),
        }
    ),
    removed=frozenset(REMOVED),
    joins_spaces=True,
)
"""Typography is forgiven: NFC; each run of white space is one space; typographic quotes and
dashes are ASCII; characters without width and soft hyphens are removed. Case is kept."""

# Runs of spaces, with or without removed characters among them, and removed characters by
# themselves: what is not one to one where nothing is composed.
_RUN = re.compile(f" [ {REMOVED}]++|[{REMOVED}][ {REMOVED}]*+")
_SPACES = re.compile("  +")
# No character below U+0300 changes under NFC, and none composes with what stands before it.
_COMPOSABLE = re.compile(
    "  ++| *+[^ ]?[\u00ad\u0300-\U0010ffff](?: *+[\u00ad\u0300-\U0010ffff])*+ *+"
)
# So many characters of such kind may be as many marks on one letter.
_MARKED = re.compile("[\u0300-\U0010ffff]{64,}")
_LINEAR: Final = -1
_FEW: Final = 40
"""Up to so many different characters are exchanged one by one, which is quicker."""

_LONGEST_PART: Final = 32
"""Longer runs of marks are no writing, and sorting them would take its time."""

_LARGEST_GROWTH: Final = 4
"""A character that stands for more than four (a ligature of a whole phrase) is left alone."""

BARRIER: Final = "\x00"
"""Nothing is attached to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedText:
    """A view and its map, which is cut into runs. Make it with `fold`."""

    text: str
    """The view."""

    starts: tuple[int, ...]
    """Where each run begins in `text`; the first is 0."""

    begins: tuple[int, ...]
    """Where that run begins in the original."""

    ends: tuple[int, ...]
    """-1: the run maps code point to code point. Else: where the run ends in the original,
    and every code point of it stands for all of that."""

    def span(self, start: int, stop: int) -> tuple[int, int]:
        """The range of the original that `text[start:stop]` stands for.

        Args:
            start: First code point of the view.
            stop: Exclusive; greater than *start*.

        Returns:
            Start and stop in the original; what was removed at either edge is left out, unless
            it is attached to what stands before it.
        """
        first = bisect_right(self.starts, start) - 1
        last = bisect_right(self.starts, stop - 1) - 1
        begin = self.begins[first]
        if self.ends[first] == _LINEAR:
            begin += start - self.starts[first]
        end = self.ends[last]
        if end == _LINEAR:
            end = self.begins[last] + stop - self.starts[last]
        return begin, end

    def locate(self, start: int, stop: int) -> tuple[int, int]:
        """The range of the view that stands for a range of the original; maybe empty."""
        return self._place(start), self._place(stop - 1, end=True)

    def _place(self, at: int, *, end: bool = False) -> int:
        run = max(bisect_right(self.begins, at) - 1, 0)
        following = self._stop(run)
        if self.ends[run] == _LINEAR:
            return min(self.starts[run] + at - self.begins[run] + end, following)
        return following if end or at >= self.ends[run] else self.starts[run]

    def widen(self, start: int, stop: int) -> tuple[int, int]:
        """The range of the view widened until it cuts no part in two."""
        first = bisect_right(self.starts, start) - 1
        last = bisect_right(self.starts, stop - 1) - 1
        return (
            start if self.ends[first] == _LINEAR else self.starts[first],
            stop if self.ends[last] == _LINEAR else self._stop(last),
        )

    def _stop(self, run: int) -> int:
        return self.starts[run + 1] if run + 1 < len(self.starts) else len(self.text)


def fold(text: str, folding: Folding = EVIDENCE) -> FoldedText:
    """The view of *text* under a table.

    Example:
        >>> view = fold("the\\u00a0 \\u201cbroken\\u201d pipe")
        >>> view.text
        'the "broken" pipe'
        >>> view.span(4, 12)
        (5, 13)
    """
    plain, present = _replace(text, folding)
    runs = _Runs()
    at = 0
    for start, stop, piece, begin, end in _changed_parts(plain, present, folding):
        if start > at:
            runs.copy(plain[at:start], at)
        runs.add(piece, begin, end, joins=folding.joins_spaces)
        at = stop
    runs.copy(plain[at:], at)
    return runs.finish()


def fold_text(text: str) -> str:
    """`fold(text).text`, without the map."""
    plain, present = _replace(text, EVIDENCE)
    plain = _remove(plain, present & EVIDENCE.removed)
    if not _is_composed(plain):
        plain = _compose(plain)
    return _SPACES.sub(" ", plain) if "  " in plain else plain


def _replace(text: str, folding: Folding) -> tuple[str, set[str]]:
    """*text* with what becomes exactly one other replaced; and the characters that are left, where
    not all of them are ASCII. Of ASCII only white space is ever replaced."""
    if text.isascii():
        # Asking for each character by itself is a fast scan in C; few are ever there.
        for old in _ASCII_SPACES if folding.joins_spaces else "":
            if old in text:
                text = text.replace(old, " ")
        return text, set()
    replaced = folding.replaced
    present = set(text)
    exchanged = present & folding.exchanged
    if len(exchanged) > _FEW:
        text = text.translate(replaced)
    else:
        for char in exchanged:
            text = text.replace(char, replaced[ord(char)])
    return text, present - exchanged


_ASCII_SPACES: Final = "".join(filter(str.isascii, WHITE_SPACE))


_Part = tuple[int, int, str, int, int]
"""A part of the text that becomes something else: where it starts and stops, what it becomes
(empty where it is removed), and the range that this stands for, which is the part without removed
edges. Between two parts nothing changes."""


def _changed_parts(plain: str, present: set[str], folding: Folding) -> Iterator[_Part]:
    """What of *plain* is not one to one, in order."""
    if folding.form == "NFKC":
        yield from _attached_parts(plain, present, folding)
        return
    removed = present & folding.removed
    if not _is_composed(_remove(plain, removed)):
        yield from _composed_parts(plain, folding.removed)
        return
    for run in (_RUN if removed else _SPACES).finditer(plain):
        start, stop = run.span()
        first = plain.find(" ", start, stop) if removed else start
        if first < 0:
            yield (start, stop, "", start, stop)
        else:
            yield (start, stop, " ", first, plain.rfind(" ", start, stop) + 1)


def _composed_parts(plain: str, removed: frozenset[str]) -> Iterator[_Part]:
    """The smallest parts that the normal form treats by themselves, where it changes something."""
    for region in _COMPOSABLE.finditer(plain):
        at = region.start()
        places = [place for place in range(*region.span()) if plain[place] not in removed]
        bare = "".join([plain[place] for place in places])
        for piece, first, last in _clusters(bare):
            stop = places[last] + 1
            yield (at, stop, piece, places[first], stop)
            at = stop
        if at < region.end():
            yield (at, region.end(), "", at, at)


def _clusters(bare: str) -> Iterator[tuple[str, int, int]]:
    """Composed parts of *bare*, each with its first and last place."""
    begin = 0
    for at in range(1, len(bare)):
        char = bare[at]
        if bare[begin] == " ":
            yield " ", begin, at - 1
            begin = at
            continue
        alone = normalize("NFC", char)
        if combining(char) or combining(alone[0]):
            continue  # it belongs to what stands before it
        composed = _compose(bare[begin:at])
        if _compose(bare[begin : at + 1]) == composed + alone:
            yield composed, begin, at - 1
            begin = at
    if bare:
        yield _compose(bare[begin:]), begin, len(bare) - 1


def _attached_parts(plain: str, present: set[str], folding: Folding) -> Iterator[_Part]:
    """Letters with what is attached to them, and characters that stand for others."""
    removed = folding.removed
    special = {
        char
        for char in present
        if char > "\x7f" and (_is_attached(char, removed) or normalize("NFKC", char) != char)
    }
    if not special or (special.isdisjoint(removed) and is_normalized("NFKC", plain)):
        return
    at = 0
    for match in re.finditer(f"[{re.escape(''.join(special))}]", plain):
        start = match.start()
        if start < at:
            continue
        if start > at and _is_attached(match[0], removed) and plain[start - 1] != BARRIER:
            start -= 1
        at, last = match.start() + 1, min(len(plain), start + _LONGEST_PART)
        while at < last and _is_attached(plain[at], removed):
            at += 1
        yield (start, at, _fold_part(plain[start:at], folding), start, at)


def _is_attached(char: str, removed: frozenset[str]) -> bool:
    """Whether *char* is part of what stands before it."""
    if char < "\u0300":
        return char == "\u00ad"
    return category(char) in {"Mn", "Mc"} or "\u1160" <= char <= "\u11ff" or char in removed


def _fold_part(part: str, folding: Folding) -> str:
    kept = "".join([char for char in part if char not in folding.removed])
    folded = normalize("NFKC", kept)
    if len(folded) > _LARGEST_GROWTH * len(part):
        return part
    return folded.translate(folding.replaced)


class _Runs:
    """Collects the pieces of a view and its map."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._starts: list[int] = []
        self._begins: list[int] = []
        self._ends: list[int] = []

    def copy(self, piece: str, begin: int) -> None:
        """A piece that stands in the view as in the original."""
        if not piece:
            return
        ends = self._ends
        moved = begin - self._length
        goes_on = (
            bool(ends) and ends[-1] == _LINEAR and moved == self._begins[-1] - self._starts[-1]
        )
        self._add(piece, begin, _LINEAR, goes_on=goes_on)

    def add(self, piece: str, begin: int, end: int, *, joins: bool) -> None:
        """A part that became something else; where spaces are joined, next to one more of them."""
        if joins and piece == " ":
            goes_on = bool(self._pieces) and self._pieces[-1] == " "
            if goes_on:
                self._ends[-1] = end
            else:
                self._add(piece, begin, end, goes_on=False)
        elif len(piece) == end - begin == 1:
            self.copy(piece, begin)
        elif piece:
            self._add(piece, begin, end, goes_on=False)

    def _add(self, piece: str, begin: int, end: int, *, goes_on: bool) -> None:
        if not goes_on:
            self._starts.append(self._length)
            self._begins.append(begin)
            self._ends.append(end)
        self._pieces.append(piece)
        self._length += len(piece)

    def finish(self) -> FoldedText:
        """The view."""
        return FoldedText(
            text="".join(self._pieces),
            starts=tuple(self._starts) or (0,),
            begins=tuple(self._begins) or (0,),
            ends=tuple(self._ends) or (_LINEAR,),
        )


def _remove(text: str, chars: set[str]) -> str:
    for char in chars:
        text = text.replace(char, "")
    return text


def _is_composed(text: str) -> bool:
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        return is_normalized("NFC", text)
    return True


def _compose(text: str) -> str:
    """*text* in NFC."""
    return normalize("NFC", marks_in_order(text))


def marks_in_order(text: str) -> str:
    """*text* as it is, or an equivalent of it that any normal form takes in linear time.

    `normalize` alone takes the square of the number of marks on one letter that are out of order.
    """
    return _MARKED.sub(lambda run: _in_order(run[0]), text)


def _in_order(run: str) -> str:
    """*run* decomposed, its marks in canonical order, so that nothing is left to sort."""
    ordered: list[str] = []
    start = 0
    for char in run:
        for part in normalize("NFD", char):
            if combining(part) == 0:
                ordered[start:] = sorted(ordered[start:], key=combining)
                start = len(ordered)
            ordered.append(part)
    ordered[start:] = sorted(ordered[start:], key=combining)
    return "".join(ordered)
