"""Spans of texts, and where a quotation lies.

In      source texts and the slices of them that were shown; snippets that claim to quote them
Out     Span, Shown, Located
Pure    yes
Spec    000 (evidence snippets to offsets and digests); interfaces.md, "Evidence"
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A half-open range of a source text, with the digest of what it covers."""

    start: int
    stop: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What one attempt was shown of one named source: verbatim slices of it, in order."""

    name: str
    original: str
    segments: tuple[tuple[int, int], ...]

    @classmethod
    def whole(cls, name: str, text: str) -> Self:
        return cls(name=name, original=text, segments=((0, len(text)),) if text else ())

    @property
    def text(self) -> str:
        return "\n".join(self.original[start:stop] for start, stop in self.segments)


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """Where a snippet lies: a span of the full original text of one source."""

    source: str
    start: int
    stop: int
    match: Literal["exact", "folded"]
    occurrences: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """A view of a text that forgives typography, and the way back to the text."""

    text: str


def fold(text: str) -> Folded:
    raise NotImplementedError


def locate(snippet: str, shown: Sequence[Shown]) -> Located | None:
    raise NotImplementedError
