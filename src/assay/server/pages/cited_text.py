"""An answer and its passages cut where citations stand, so that each leads to the other.

In      a text, citations with their markers and spans in code points
Out     pieces of text, some of which are marks with an address on the page
Pure    yes: the pieces put together are the text
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPiece:
    """A stretch of a passage."""

    text: str
    marked: bool = False
    """It carries a sentence of the answer."""

    id: str = ""
    """Address on the page, of the first piece of a span."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPiece:
    """A stretch of an answer; or a marker, which leads to a passage."""

    text: str
    number: int | None = None
    to: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPassage:
    """One passage that an answer cites."""

    number: int
    pieces: tuple[TextPiece, ...]
    facts: Mapping[str, Any]
    markers: tuple[str, ...]
    """Addresses of the markers that cite it."""


def cut_answer(text: str, citations: Sequence[Mapping[str, Any]]) -> tuple[AnswerPiece, ...]:
    """The answer, its markers numbered in the order of the citations."""
    markers = sorted(
        (marker["start"], marker["stop"], number, marker["span"])
        for number, citation in enumerate(citations, 1)
        for marker in (_read_marker(each) for each in citation["markers"])
    )
    pieces: list[AnswerPiece] = []
    done = 0
    for count, (start, stop, number, span) in enumerate(markers, 1):
        if start < done:
            continue
        if start > done:
            pieces.append(AnswerPiece(text=text[done:start]))
        to = f"p{number}" if span is None else f"p{number}-{span[0]}"
        pieces.append(AnswerPiece(text=text[start:stop], number=number, to=to, id=f"m{count}"))
        done = stop
    if done < len(text):
        pieces.append(AnswerPiece(text=text[done:]))
    return tuple(pieces)


def cut_passages(
    citations: Sequence[Mapping[str, Any]], answer: Sequence[AnswerPiece]
) -> tuple[CitedPassage, ...]:
    """The passages, marked where they carry the answer."""
    found = []
    for number, citation in enumerate(citations, 1):
        spans = {
            (marker["span"]["start"], marker["span"]["stop"])
            for marker in citation["markers"]
            if marker["span"] is not None
        }
        found.append(
            CitedPassage(
                number=number,
                pieces=cut_spans(citation["text"], spans, f"p{number}"),
                facts=citation,
                markers=tuple(piece.id for piece in answer if piece.number == number),
            )
        )
    return tuple(found)


def cut_spans(text: str, spans: set[tuple[int, int]], name: str) -> tuple[TextPiece, ...]:
    """The text, marked where a span lies; where one begins there is an address `NAME-START`.

    Example:
        >>> [(each.text, each.id) for each in cut_spans("a b c", {(2, 3)}, "p1")]
        [('a ', ''), ('b', 'p1-2'), (' c', '')]
    """
    starts = {start for start, _ in spans}
    edges = sorted({0, len(text)} | {edge for span in spans for edge in span})
    return tuple(
        TextPiece(
            text=text[start:stop],
            marked=(marked := any(one <= start and stop <= other for one, other in spans)),
            id=f"{name}-{start}" if marked and start in starts else "",
        )
        for start, stop in itertools.pairwise(edges)
        if start < stop
    )


def _read_marker(marker: Mapping[str, Any]) -> dict[str, Any]:
    span = marker["span"]
    return {**marker, "span": None if span is None else (span["start"], span["stop"])}
