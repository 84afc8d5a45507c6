"""Lead a place in the text of the prompt back to the text as it was retrieved.

In      a chunk's text as retrieved and as it stood in the prompt
Out     SourceMap, or None where the one does not follow from the other by `safe_normalize_v1`
Pure    yes; linear
Spec    008-A5; 004 R2.3
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.answers.evidence.sanitize import REMOVED, safe_normalize_v1

_REMOVED = re.compile(f"[{REMOVED}]")
_MOST_NEWLINES = 2


@dataclass(frozen=True, slots=True)
class SourceMap:
    """Where each code point of a chunk in the prompt stood before it was sanitised."""

    origins: Sequence[int]

    def span(self, start: int, stop: int) -> tuple[int, int] | None:
        """The span of the retrieved text that became [start, stop); None for an empty one."""
        if not 0 <= start < stop <= len(self.origins):
            return None
        return self.origins[start], self.origins[stop - 1] + 1


def map_to_source(retrieved: str, shown: str) -> SourceMap | None:
    """Lead *shown* back to *retrieved*.

    Args:
        retrieved: The text of a chunk as retrieval gave it.
        shown: What stood in the prompt: that text sanitised, whole or its beginning.

    Example:
        >>> found = map_to_source("a\\r\\n\\x00fee  of 5", "a\\nfee of 5")
        >>> found.span(2, 5)
        (4, 7)
    """
    if not safe_normalize_v1(retrieved).startswith(shown):
        return None
    if retrieved.startswith(shown):
        return SourceMap(range(len(shown)))
    kept = _strip_blanks(_evened(_visible(retrieved)))[: len(shown)]
    if "".join(char for char, _ in kept) != shown:
        return None
    return SourceMap([origin for _, origin in kept])


def _visible(text: str) -> Iterable[tuple[str, int]]:
    """Line ends as LF, tabs as spaces, nothing that cannot be seen; each with its place."""
    for at, char in enumerate(text):
        if char == "\r":
            if text[at + 1 : at + 2] != "\n":
                yield "\n", at
        elif char == "\t":
            yield " ", at
        elif not _REMOVED.match(char):
            yield char, at


def _evened(chars: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """One space of a run, two line feeds of a longer one: the first of each stay."""
    kept: list[tuple[str, int]] = []
    for char, at in chars:
        if char == " " and kept and kept[-1][0] == " ":
            continue
        if char == "\n" and [each for each, _ in kept[-_MOST_NEWLINES:]] == ["\n"] * _MOST_NEWLINES:
            continue
        kept.append((char, at))
    return kept


def _strip_blanks(chars: list[tuple[str, int]]) -> list[tuple[str, int]]:
    start, stop = 0, len(chars)
    while start < stop and chars[start][0].isspace():
        start += 1
    while stop > start and chars[stop - 1][0].isspace():
        stop -= 1
    return chars[start:stop]
