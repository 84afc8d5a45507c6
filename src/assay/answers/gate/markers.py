"""Markers of an answer, and what reads like one and is none.

In      an answer
Out     places of markers and of look-alikes; the answer without either
Pure    yes; linear
Spec    004 P4; 005-A6; interfaces.md, "Answers" (marker grammar)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from unicodedata import digit

from assay.core.text.confusables import look_alike

MARKER: Final = re.compile(r"\[(C(?:0|[1-9][0-9]*))\]")
"""The only form of a citation."""

_ALIKE = re.compile(
    r"\[[-\s,;&/+]*(?:\d[-\d\s,;&/+]*[-\s,;&/+])?c[-c\d\s,;&/+]*[\])]"
    r"|\([-\s,;&/+]*c[-c\d\s,;&/+]*[\])]"
)
_HALF = re.compile(r"\[c\d+(?=\s*(?:[.,;:!?\n]|\Z))|(?<![\w\[(])c\d+\]")
_DIGIT = re.compile(r"\d")
_OTHER = re.compile(r"[^\x00-\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """One well-formed citation."""

    anchor: str
    start: int
    stop: int


def markers(text: str) -> tuple[Marker, ...]:
    """All well-formed citations of *text*.

    Example:
        >>> [marker.anchor for marker in markers("One [C0]. Two [C01][C12].")]
        ['C0', 'C12']
    """
    return tuple(
        Marker(anchor=match[1], start=match.start(), stop=match.end())
        for match in MARKER.finditer(text)
    )


def look_alikes(text: str) -> Iterator[tuple[int, int]]:
    """Places that read as a citation and are none: `[C01]`, `[c1]`, `[C0, C1]`, `(C1)`.

    Example:
        >>> [text[a:b] for text in ["x [C1 ] y (c 2) z (2020)"] for a, b in look_alikes(text)]
        ['[C1 ]', '(c 2)']
    """
    folded = fold(text)
    last = 0
    for match in _ALIKE.finditer(folded):
        exact = MARKER.fullmatch(text, match.start(), match.end())
        if exact is None and _DIGIT.search(match[0]):
            yield from _halves(folded, last, match.start())
            yield match.span()
            last = match.end()
    yield from _halves(folded, last, len(folded))


def _halves(folded: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _HALF.finditer(folded, start, stop))


def without_markers(text: str) -> str:
    """*text* with markers and their look-alikes blanked; equally long."""
    parts: list[str] = []
    last = 0
    spans = sorted({*look_alikes(text), *(match.span() for match in MARKER.finditer(text))})
    for start, stop in spans:
        parts += (text[last:start], " " * (stop - max(start, last)))
        last = max(last, stop)
    return "".join((*parts, text[last:]))


def fold(text: str) -> str:
    """*text* with case, width, digits, brackets and dashes as in ASCII; equally long."""
    if text.isascii():
        return text.lower()
    return _OTHER.sub(lambda match: _one(match[0]), text).translate(_LOWER)


_LOWER: Final = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_COMMAS: Final = frozenset("，、،؛；")


def _one(char: str) -> str:
    """One code point for one, however it folds."""
    if char.isspace():
        return " "
    if char in _COMMAS:
        return ","
    value = digit(char, None)
    return look_alike(char) if value is None else str(value)
