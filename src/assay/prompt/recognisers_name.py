"""Names of people, by the places where they stand.

In      a view
Out     ranges of class SIMPLE_NAME
Pure    yes, linear
Spec    interfaces.md, "Redaction": two to four capitalised name words after a greeting, before
        or after a signature, after a title or a label

No list of names is kept and no model asked: a name elsewhere in a sentence is not found here
(an external recogniser may find it), but once found it is hidden wherever it stands. A single
word counts only where nothing but a name can stand: after a title, after `my name is`, after
a label such as `Surname:`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from assay.prompt.folding import BARRIER
from assay.prompt.recognisers import Range, View, compiled
from assay.prompt.recognisers_words import (
    GREETINGS,
    INTRODUCTIONS,
    LABELS_FULL,
    LABELS_PART,
    NOT_NAMES,
    PARTICLES,
    SELF,
    SIGN_OFFS,
    TITLES,
)

_WORD = (
    r"(?:\p{Lu}\.|\p{Lu}[\p{L}\p{M}'’]+(?:-\p{Lu}?[\p{L}\p{M}]+)*|\p{Lu}['’]\p{Lu}[\p{L}\p{M}]+)"
)
_NAME = rf"{_WORD}(?:[ ]{{1,2}}(?:(?:{PARTICLES})[ ])*{_WORD})*"
_LISTED = rf"{_WORD}(?:[ ]{_WORD})?,[ ]{_WORD}(?:[ ]{_WORD})?"
_START = r"(?:^|[^\p{L}\p{N}_])"


def _place(before: str, name: str = _NAME, after: str = "") -> Any:
    return compiled(rf"(?m){_START}{before}({name}){after}")


_PLACES: Final = (
    (_place(rf"(?:{TITLES})[ ]{{1,2}}(?:(?:{TITLES})[ ])*"), 1),
    (_place(rf"(?i:{SELF})[ ]{{1,2}}"), 1),
    (_place(rf"(?i:{LABELS_PART})[\"']?[ ]?[:=][ \t]*\n?[ \t]*[\"'*_]{{0,2}}"), 1),
    (_place(rf"(?i:{LABELS_FULL})[\"']?[ ]?[:=][ \t]*\n?[ \t]*[\"'*_]{{0,2}}"), 2),
    (_place(rf"(?i:{LABELS_FULL})[\"']?[ ]?[:=][ \t]*[\"']?", _LISTED), 2),
    (_place(rf"(?i:{GREETINGS})[ ,]{{1,2}}"), 2),
    (_place(rf"(?i:{INTRODUCTIONS})[ ]"), 2),
    (_place(rf"(?i:{SIGN_OFFS})[ ]?(?:[,.!]|\r?\n)[ \t>]*(?:\r?\n[ \t>]*){{0,2}}"), 2),
    (compiled(rf"(?m)^--[ ]?\r?\n[ \t]*({_NAME})[ \t,]*\r?$"), 2),
    (compiled(rf"(?m)^[ \t]*({_NAME})[ \t]*\r?\n--[ ]?\r?$"), 2),
    (compiled(rf"({_NAME})[\"']?[ ]{{0,2}}<{BARRIER}"), 2),
)
"""Where names stand, and how many words it takes there."""

_MOST = 4
_PIECE = re.compile(r"[^ ,]+")
_TITLE = re.compile(rf"(?:{TITLES})\.?")
_PARTICLE = re.compile(PARTICLES)


def find_names(view: View) -> Iterator[Range]:
    """Names in their places, in order."""
    found = [
        name
        for place, least in _PLACES
        for match in place.finditer(view.text)
        if (name := _name(view.text, match.span(1), least))
    ]
    found.sort(key=lambda span: (span[0], -span[1]))
    reached = 0
    for start, stop in found:
        if start >= reached:
            yield start, stop
            reached = stop


def _name(text: str, span: Range, least: int) -> Range | None:
    """The name words of *span*: titles in front and whatever is no name behind are left out."""
    words = [(span[0] + m.start(), span[0] + m.end()) for m in _PIECE.finditer(text[slice(*span)])]
    while words and _TITLE.fullmatch(text[slice(*words[0])]):
        words.pop(0)
    kept: list[Range] = []
    count = 0
    for begin, end in words:
        word = text[begin:end]
        if not _PARTICLE.fullmatch(word):
            if count == _MOST or word.rstrip(".").lower() in NOT_NAMES:
                break
            count += 1
        kept.append((begin, end))
    while kept and _PARTICLE.fullmatch(text[slice(*kept[-1])]):
        kept.pop()
    if count < least or not kept:
        return None
    start, stop = kept[0][0], kept[-1][1]
    if text[stop - 1] in "'’-":
        stop -= 1
    if stop - start < 3 or (stop < len(text) and text[stop] in ("_" + BARRIER)):
        return None
    return start, stop
