"""Cut a text into passages: stretches that read on their own and can be found again.

In      a text, its pages if it has any
Out     spans of passages in order, each with its page
Pure    no clock, no randomness, no I/O: equal texts give equal passages
Spec    004 R2.0 (chunks with a source reference)
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.core.text.sentences import sentences

MAX_PASSAGE_CHARS = 1_500
"""No passage is longer."""

ENOUGH_CHARS = 400
"""A heading begins a new passage once the one before it has so many code points."""

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
    """Page on which it starts, from 1; None for formats without pages."""


def cut_passages(text: str, pages: Sequence[tuple[int, int]] = ()) -> tuple[Passage, ...]:
    """Cut *text* at paragraphs, long paragraphs at sentence ends, endless sentences at blanks.

    Args:
        text: Any text.
        pages: Span of each page; a passage never goes over the end of one.
    """
    found: list[Passage] = []
    for number, (start, stop) in enumerate(pages or [(0, len(text))]):
        page = number + 1 if pages else None
        for first, last in _gather(text, start, stop):
            found.append(Passage(text=text[first:last], start=first, stop=last, page=page))
    return tuple(found)


def _gather(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Join paragraphs as long as they fit into one passage."""
    first = last = -1
    for piece_start, piece_stop, opens in _pieces(text, start, stop):
        if first >= 0 and (
            piece_stop - first > MAX_PASSAGE_CHARS or (opens and last - first >= ENOUGH_CHARS)
        ):
            yield first, last
            first = -1
        first = piece_start if first < 0 else first
        last = piece_stop
    if first >= 0:
        yield first, last


def _pieces(text: str, start: int, stop: int) -> Iterator[tuple[int, int, bool]]:
    """What is not cut, in order: paragraphs, else sentences; and whether a heading begins it."""
    for match in _PARAGRAPH.finditer(text, start, stop):
        first, last = match.start(), match.start() + len(match.group().rstrip())
        heading = bool(_HEADING.match(text, first, last))
        if last - first <= MAX_PASSAGE_CHARS:
            yield first, last, heading
            continue
        for sentence_start, sentence_stop in sentences(text[first:last]):
            yield from _bound_sentence(text, first + sentence_start, first + sentence_stop)


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
