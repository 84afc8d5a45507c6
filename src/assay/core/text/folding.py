"""A view of a text that forgives typography, and the way back to the text.

In      text
Out     Folded: the view, and for every range of it the range of the text that it stands for
Pure    yes
Spec    interfaces.md, "Evidence" (the folded view)

What is folded: NFC; each run of white space is one space; typographic quotes and dashes are
ASCII; characters without width and soft hyphens are removed. Case is kept.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from unicodedata import combining, is_normalized, normalize

SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u2039\u203a"
DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u301d\u301e\u301f"
DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d"
WHITE_SPACE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006"
    "\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""All of `str.isspace` but the space itself."""

REMOVED = (
    "\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\u206a\u206b\u206c\u206d\u206e\u206f"
    "\ufeff"
)
"""Soft hyphen, zero-width spaces and joiners, direction marks and other invisible format."""

_REPLACED = {
    **dict.fromkeys(WHITE_SPACE, " "),
    **dict.fromkeys(SINGLE_QUOTES, "'"),
    **dict.fromkeys(DOUBLE_QUOTES, '"'),
    **dict.fromkeys(DASHES, "-"),
}
_SPECIAL = frozenset((*_REPLACED, *REMOVED))
_ASCII_REPLACED = tuple((old, new) for old, new in _REPLACED.items() if old.isascii())
# What is not one to one: runs of spaces, with or without removed characters among them, and
# removed characters by themselves.
_RUN = re.compile(f" [ {REMOVED}]++|[{REMOVED}][ {REMOVED}]*+")
_SPACES = re.compile("  +")
_PIECES = re.compile(" +|[^ ]+(?: [^ ]+)*")
# No character below U+0300 changes under NFC, and none composes with what stands before it.
_COMPOSABLE = re.compile("(?s).[\u0300-\U0010ffff]+|^[\u0300-\U0010ffff]+")
# So many characters of such kind may be as many marks on one letter.
_MARKED = re.compile("[\u0300-\U0010ffff]{64,}")
_LINEAR = -1
_SHORT = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """The view and its map. Make it with `fold`."""

    text: str
    """The folded text."""

    starts: tuple[int, ...]
    """Where each run of the map begins in `text`; the first is 0."""

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
            Start and stop in the original; what was removed at either edge is left out.
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


def fold(text: str) -> Folded:
    """Fold *text*.

    Example:
        >>> view = fold("the\\u00a0 \\u201cbroken\\u201d pipe")
        >>> view.text
        'the "broken" pipe'
        >>> view.span(4, 12)
        (5, 13)
    """
    plain, gone = _one_to_one(text)
    if not _is_composed(_remove_characters(plain, gone)):
        return _fold_composing(plain, gone)
    if not gone:
        return _fold_spaces(plain)
    builder = _Builder()
    at = 0
    for run in _RUN.finditer(plain):
        start, stop = run.span()
        builder.linear(plain[at:start], at)
        builder.run(plain, start, stop)
        at = stop
    builder.linear(plain[at:], at)
    return builder.done()


def fold_text(text: str) -> str:
    """`fold(text).text`, without the map."""
    plain, gone = _one_to_one(text)
    plain = _remove_characters(plain, gone)
    if not _is_composed(plain):
        plain = _compose(plain)
    return _SPACES.sub(" ", plain) if "  " in plain else plain


def _one_to_one(text: str) -> tuple[str, str]:
    """Replace what is replaced by exactly one character; name what is to be removed."""
    if len(text) < _SHORT and _SPECIAL.isdisjoint(text):
        return text, ""
    # Asking for each character by itself is a fast scan in C; few are ever there.
    if text.isascii():
        for old, new in _ASCII_REPLACED:
            if old in text:
                text = text.replace(old, new)
        return text, ""
    for old, new in _REPLACED.items():
        if old in text:
            text = text.replace(old, new)
    return text, "".join([char for char in REMOVED if char in text])


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


def _remove_characters(text: str, gone: str) -> str:
    for char in gone:
        text = text.replace(char, "")
    return text


def _fold_spaces(plain: str) -> Folded:
    """Fold a text in which only runs of spaces are left: the commonest case."""
    starts: list[int] = []
    begins: list[int] = []
    ends: list[int] = []
    at = dropped = 0
    start = plain.find("  ")
    while start >= 0:
        stop = _run_end(plain, start)
        if start > at:
            starts.append(at - dropped)
            begins.append(at)
            ends.append(_LINEAR)
        starts.append(start - dropped)
        begins.append(start)
        ends.append(stop)
        dropped += stop - start - 1
        at = stop
        start = plain.find("  ", stop)
    if at < len(plain) or not starts:
        starts.append(at - dropped)
        begins.append(at)
        ends.append(_LINEAR)
    view = _SPACES.sub(" ", plain) if dropped else plain
    return Folded(text=view, starts=tuple(starts), begins=tuple(begins), ends=tuple(ends))


def _run_end(plain: str, start: int) -> int:
    run = _SPACES.match(plain, start)
    return start if run is None else run.end()


class _Builder:
    """Collects the pieces of a view and their map."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.length = 0
        self.starts: list[int] = []
        self.begins: list[int] = []
        self.ends: list[int] = []

    def linear(self, piece: str, begin: int) -> None:
        if piece:
            self._add(piece, begin, _LINEAR)

    def cluster(self, piece: str, begin: int, end: int) -> None:
        """One part of the original; spaces next to each other become one."""
        if piece == " " and self.pieces and self.pieces[-1] == " ":
            self.ends[-1] = end
        else:
            self._add(piece, begin, end)

    def run(self, plain: str, start: int, stop: int) -> None:
        """A run of spaces and removed characters: one space, or nothing."""
        first = plain.find(" ", start, stop)
        if first >= 0:
            self._add(" ", first, plain.rfind(" ", start, stop) + 1)

    def _add(self, piece: str, begin: int, end: int) -> None:
        self.starts.append(self.length)
        self.begins.append(begin)
        self.ends.append(end)
        self.pieces.append(piece)
        self.length += len(piece)

    def done(self) -> Folded:
        return Folded(
            text="".join(self.pieces),
            starts=tuple(self.starts) or (0,),
            begins=tuple(self.begins) or (0,),
            ends=tuple(self.ends) or (_LINEAR,),
        )


def _fold_composing(plain: str, gone: str) -> Folded:
    """Fold a text in which NFC changes something."""
    # `bare` is the text without what is removed; `origin` says where each of it came from.
    origin = [at for at, char in enumerate(plain) if char not in gone]
    bare = _remove_characters(plain, gone)
    builder = _Builder()
    at = 0
    for match in _COMPOSABLE.finditer(bare):
        start, stop = match.span()
        _copy_range(builder, bare, at, start, origin)
        for piece, begin, end in _clusters(bare, start, stop):
            builder.cluster(piece, origin[begin], origin[end - 1] + 1)
        at = stop
    _copy_range(builder, bare, at, len(bare), origin)
    return builder.done()


def _copy_range(builder: _Builder, bare: str, start: int, stop: int, origin: list[int]) -> None:
    """Hand over a range that NFC leaves alone: in one piece where it maps one to one."""
    for match in _PIECES.finditer(bare, start, stop):
        begin, end = match.span()
        if bare[begin] != " " and origin[end - 1] - origin[begin] == end - 1 - begin:
            builder.linear(bare[begin:end], origin[begin])
        else:
            for at in range(begin, end):
                builder.cluster(bare[at], origin[at], origin[at] + 1)


def _clusters(bare: str, start: int, stop: int) -> list[tuple[str, int, int]]:
    """Cut a range into the smallest parts that NFC treats by themselves, composed."""
    found: list[tuple[str, int, int]] = []
    begin = start
    for at in range(start + 1, stop):
        char = bare[at]
        if at == begin + 1 and bare[begin] == " ":
            found.append((" ", begin, at))
            begin = at
            continue
        alone = normalize("NFC", char)
        if combining(char) or combining(alone[0]):
            continue  # it belongs to what stands before it
        composed = _compose(bare[begin:at])
        if _compose(bare[begin : at + 1]) == composed + alone:
            found.append((composed, begin, at))
            begin = at
    found.append((_compose(bare[begin:stop]), begin, stop))
    return found
