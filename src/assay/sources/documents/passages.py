"""Cut a text into passages: stretches that read on their own and can be found again.

In      a text, its pages, headings and blocks if it has any
Out     spans of passages in order, each with its page and the headings above it
Pure    no clock, no randomness, no I/O: equal texts give equal passages
Spec    004 R2.0 (chunks with a source reference); 008-S2, 008-S3
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from assay.core.text.sentences import sentences
from assay.sources.documents.outline import Heading, paths_of

MAX_PASSAGE_CHARS = 1_500
"""No passage is longer."""

ENOUGH_CHARS = 400
"""A heading begins a new passage once the one before it has so many code points."""

ENOUGH_CODE_CHARS = 100
"""A block of source code with so many code points is a passage of its own."""

_PARAGRAPH = re.compile(r"\S(?:.*\S)?(?:\n[ \t]*\S.*)*")
_HEADING = re.compile(r"#{1,6} |[^\n]{1,80}\n[=-]{3,}(?:\n|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A stretch of a document that reads on its own."""

    text: str
    """Exactly `document.text[start:stop]`; 1 to MAX_PASSAGE_CHARS code points, none of them
    white space at its ends."""

    start: int
    """First code point, in the text of the document."""

    stop: int
    """First code point no longer in the passage."""

    page: int | None
    """Page on which it starts, from 1, or number of the slide; None for formats without pages."""

    heading: str = ""
    """The headings under which all of it stands, as `Fees > Parking`: titles, the name of a
    sheet or a slide, of source code the qualified name. Empty where there is none."""

    line: int | None = None
    """Line of the file on which it starts, from 1; None where its text is not the file's own."""


def cut_passages(
    text: str,
    pages: Sequence[tuple[int, int]] = (),
    headings: Sequence[Heading] = (),
    *,
    blocks: Sequence[int] = (),
    count_lines: bool = False,
) -> tuple[Passage, ...]:
    """Cut *text* at paragraphs, long paragraphs at sentence ends, endless sentences at blanks.

    Args:
        text: Any text.
        pages: Span of each page; a passage never goes over the end of one.
        headings: In the order of the text.
        blocks: Where the blocks of source code begin; it is cut there, long blocks at empty
            lines, then at line ends.
        count_lines: The lines of *text* are those of the file.
    """
    spans: list[tuple[int, int, int | None]] = []
    opening = frozenset(heading.start for heading in headings)
    for number, (start, stop) in enumerate(pages or [(0, len(text))]):
        if blocks:
            found_spans = _gather_code(_code_pieces(text, start, stop, blocks))
        else:
            found_spans = _gather(_pieces(text, start, stop, opening))
        page = number + 1 if pages else None
        spans.extend((first, last, page) for first, last in found_spans)
    mark = "." if blocks else " > "
    paths = paths_of(headings, [(first, last) for first, last, _ in spans], mark)
    found: list[Passage] = []
    line, counted = 1, 0
    for (first, last, page), path in zip(spans, paths, strict=True):
        if count_lines:
            line += text.count("\n", counted, first)
            counted = first
        found.append(
            Passage(
                text=text[first:last],
                start=first,
                stop=last,
                page=page,
                heading=path,
                line=line if count_lines else None,
            )
        )
    return tuple(found)


def _gather_code(pieces: Iterator[tuple[int, int, bool]]) -> Iterator[tuple[int, int]]:
    """Join blocks too short to stand alone, and the rest of a block with its beginning."""
    first = last = -1
    joins = True
    for piece_start, piece_stop, opens in pieces:
        short = piece_stop - piece_start < ENOUGH_CODE_CHARS
        if first >= 0 and (
            piece_stop - first > MAX_PASSAGE_CHARS or (opens and not (short and joins))
        ):
            yield first, last
            first = -1
        first = piece_start if first < 0 else first
        last = piece_stop
        joins = last - first < ENOUGH_CODE_CHARS
    if first >= 0:
        yield first, last


def _gather(pieces: Iterator[tuple[int, int, bool]]) -> Iterator[tuple[int, int]]:
    """Join pieces as long as they fit into one passage."""
    first = last = -1
    for piece_start, piece_stop, opens in pieces:
        if first >= 0 and (
            piece_stop - first > MAX_PASSAGE_CHARS or (opens and last - first >= ENOUGH_CHARS)
        ):
            yield first, last
            first = -1
        first = piece_start if first < 0 else first
        last = piece_stop
    if first >= 0:
        yield first, last


def _pieces(
    text: str, start: int, stop: int, opening: frozenset[int]
) -> Iterator[tuple[int, int, bool]]:
    """What is not cut, in order: paragraphs, else sentences; and whether a heading begins it."""
    for match in _PARAGRAPH.finditer(text, start, stop):
        first, last = match.start(), match.start() + len(match.group().rstrip())
        heading = first in opening or bool(_HEADING.match(text, first, last))
        if last - first <= MAX_PASSAGE_CHARS:
            yield first, last, heading
            continue
        for sentence_start, sentence_stop in sentences(text[first:last]):
            yield from _bound_sentence(text, first + sentence_start, first + sentence_stop)


def _code_pieces(
    text: str, start: int, stop: int, blocks: Sequence[int]
) -> Iterator[tuple[int, int, bool]]:
    """Blocks of source code, long ones cut at empty lines, else at line ends."""
    edges = sorted({start, *(edge for edge in blocks if start < edge < stop), stop})
    for first, last in pairwise(edges):
        kept = text[first:last]
        left, right = first + len(kept) - len(kept.lstrip()), first + len(kept.rstrip())
        if left < right <= left + MAX_PASSAGE_CHARS:
            yield left, right, True
            continue
        opens = True
        for match in _PARAGRAPH.finditer(text, left, right):
            begin, end = match.start(), match.start() + len(match.group().rstrip())
            while end - begin > MAX_PASSAGE_CHARS:
                edge = text.rfind("\n", begin, begin + MAX_PASSAGE_CHARS)
                edge = edge if edge > begin else begin + MAX_PASSAGE_CHARS
                yield from _bound_sentence(text, begin, begin + len(text[begin:edge].rstrip()))
                begin = edge + len(text[edge:end]) - len(text[edge:end].lstrip())
                opens = False
            if begin < end:
                yield begin, end, opens
            opens = False


def _bound_sentence(text: str, start: int, stop: int) -> Iterator[tuple[int, int, bool]]:
    """A sentence, cut at its last blank before the bound while it is too long."""
    while stop - start > MAX_PASSAGE_CHARS:
        edge = start + MAX_PASSAGE_CHARS
        blank = max(text.rfind(" ", start, edge), text.rfind("\n", start, edge))
        edge = blank if blank > start + MAX_PASSAGE_CHARS // 2 else edge
        kept = text[start:edge].rstrip()
        yield start, start + len(kept), False
        start = edge + len(text[edge:stop]) - len(text[edge:stop].lstrip())
    if start < stop:
        yield start, stop, False


def page_of(pages: Sequence[tuple[int, int]], offset: int) -> int | None:
    """The page, from 1, on which code point *offset* lies; None without pages."""
    return bisect_right([start for start, _ in pages], offset) or None
