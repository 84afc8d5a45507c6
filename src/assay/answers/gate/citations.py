"""Markers, sentences and what each sentence cites.

In      an answer, the anchors that were offered
Out     markers, malformed look-alikes, sentences with their markers; findings
Pure    yes; linear in the answer
Spec    004 P4, R5; interfaces.md, "Answers" (marker grammar, sentence rule)
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from unicodedata import digit, normalize

from assay.core.text.lines import Line, lines
from assay.core.text.sentences import sentences
from assay.gate.gate import Finding

MARKER: Final = re.compile(r"\[(C(?:0|[1-9][0-9]*))\]")
"""The only form of a citation."""

_ALIKE = re.compile(
    r"\[[-\s,;&/+]*(?:\d[-\d\s,;&/+]*[-\s,;&/+])?c[-c\d\s,;&/+]*[\])]"
    r"|\([-\s,;&/+]*c[-c\d\s,;&/+]*[\])]"
)
_HALF = re.compile(r"\[c\d+(?=\s*(?:[.,;:!?\n]|\Z))|(?<![\w\[(])c\d+\]")
_DIGIT = re.compile(r"\d")
_OTHER = re.compile(r"[^\x00-\x7f]")
_NO_SENTENCE = re.compile(r"\W*(?:(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)])?\W*\Z")
_DECORATION = " \t\n*_`\"'”»)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """One well-formed citation."""

    anchor: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence of an answer."""

    start: int
    stop: int
    anchors: tuple[str, ...]
    """Those of its markers, each once, in order; offered or not."""

    kind: Literal["factual", "list_intro", "heading"]
    items: int = 0
    """For a list intro: how many items follow."""


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
_ALIKE_LETTERS: Final = dict.fromkeys("СсϹϲⅭⅽＣｃ", "c")
_ALIKE_SIGNS: Final = {
    **dict.fromkeys("【〔〖⟦「〚", "["),
    **dict.fromkeys("】〕〗⟧」〛", "]"),
    **dict.fromkeys("‐‑‒–—−", "-"),
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f", " "),
    **dict.fromkeys("，、؛；", ","),
}


def _one(char: str) -> str:
    """One code point for one, however it folds."""
    if char in _ALIKE_LETTERS or char in _ALIKE_SIGNS:
        return _ALIKE_LETTERS.get(char) or _ALIKE_SIGNS[char]
    if char.isspace():
        return " "
    value = digit(char, None)
    if value is not None:
        return str(value)
    plain = normalize("NFKC", char)
    lower = plain.lower()
    return lower if len(lower) == 1 else char


def read_sentences(text: str, found: Sequence[Marker]) -> tuple[Sentence, ...]:
    """Cut *text* into sentences and say what each cites.

    Rules and bare list numbers are no sentences. Every sentence is factual but a line that
    introduces a list (it ends in a colon and list items follow) and a heading line.

    Spec: 004 P4.1; interfaces.md, "Answers".
    """
    read: list[Sentence] = []
    layout = lines(text)
    starts = [line.start for line in layout]
    at = 0
    for start, stop in sentences(text):
        anchors: dict[str, None] = {}
        while at < len(found) and found[at].start < stop:
            anchors[found[at].anchor] = None
            at += 1
        place = bisect_right(starts, start) - 1
        body = MARKER.sub("", text[start:stop])
        if not anchors and (layout[place].kind == "rule" or _NO_SENTENCE.match(body)):
            continue
        last = bisect_right(starts, stop - 1) - 1
        kind, items = _kind(text, layout, place, last, (start, stop), body)
        read.append(
            Sentence(start=start, stop=stop, anchors=tuple(anchors), kind=kind, items=items)
        )
    return tuple(read)


def _kind(
    text: str, layout: Sequence[Line], first: int, last: int, span: tuple[int, int], body: str
) -> tuple[Literal["factual", "list_intro", "heading"], int]:
    line = layout[last]
    plain = body.rstrip(_DECORATION)
    ends_line = not text[span[1] : line.stop].strip(_DECORATION)
    if line.kind == "heading" and first == last:
        whole = ends_line and not text[line.start : span[0]].strip(_DECORATION)
        if whole and not plain.endswith((".", "!", "。")):
            return "heading", 0
    if plain.endswith((":", "：")) and ends_line:
        items = _items(layout, last + 1)
        if items:
            return "list_intro", items
    return "factual", 0


def _items(layout: Sequence[Line], at: int) -> int:
    """How many list items follow, one after another."""
    number = 0
    while at < len(layout) and layout[at].kind == "item":
        number += 1
        at += 1
    return number


def check_citations(
    text: str,
    found: Sequence[Marker],
    read: Sequence[Sentence],
    offered: Collection[str],
) -> Iterator[Finding]:
    """Malformed and unknown markers, and sentences without any.

    Args:
        text: The answer.
        found: Its markers.
        read: Its sentences.
        offered: The anchors of the assembly.

    An anchor without brackets is no marker: what it should support is uncited.

    Spec: 004 P4; interfaces.md, "Answers".
    """
    for start, stop in look_alikes(text):
        yield Finding(
            code="citation.malformed",
            start=start,
            stop=stop,
            message="reads like a marker and is none",
        )
    for marker in found:
        if marker.anchor not in offered:
            yield Finding(
                code="citation.unknown_anchor",
                start=marker.start,
                stop=marker.stop,
                message=f"[{marker.anchor}] was not offered",
            )
    for number, sentence in enumerate(read, start=1):
        if sentence.kind == "factual" and not sentence.anchors:
            yield Finding(
                code="sentence.uncited",
                start=sentence.start,
                stop=sentence.stop,
                message=f"sentence {number} cites nothing",
            )
