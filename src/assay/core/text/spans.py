"""Spans of texts, and where a quotation lies.

In      source texts and the slices of them that were shown; snippets that claim to quote them
Out     Span, Shown, Located
Pure    yes
Spec    000 (evidence snippets to offsets and digests); interfaces.md, "Evidence"
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, Self
from unicodedata import category

from assay.core.text.folding import REMOVED, WHITE_SPACE, FoldedText, fold, fold_text
from assay.errors import InputError

__all__ = ["Located", "Locator", "Match", "Shown", "Span", "is_evidence", "locate"]

Match = Literal["exact", "folded"]

Location = tuple[str, int, int, Match, int, str]
"""Source, start, stop, match, occurrences, digest: a `Located` before it is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A half-open range of a source text, with the digest of what it covers."""

    start: int
    """First code point covered; 0 is the start of the source."""

    stop: int
    """First code point no longer covered; always greater than `start`."""

    digest: str
    """`sha256:` and 64 hex digits, over the covered text in UTF-8."""

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.stop:
            raise InputError(f"a span is empty or reversed: {self.start}..{self.stop}")

    @classmethod
    def of(cls, text: str, start: int, stop: int) -> Self:
        """The span of `text[start:stop]`. Raises InputError when it is empty or outside."""
        if stop > len(text):
            raise InputError(f"a span ends beyond its text: {stop} of {len(text)}")
        return cls(start=start, stop=stop, digest=_digest(text[start:stop]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What one attempt was shown of one named source: verbatim slices of it, in order."""

    name: str
    """The name of the source, as findings and spans give it: `subject`, `body`, …"""

    original: str
    """The whole text of the source as it stands in the record."""

    segments: tuple[tuple[int, int], ...]
    """What was shown: (start, stop) in code points of `original`, none empty, in order,
    none overlapping. Nothing was shown when there is none."""

    def __post_init__(self) -> None:
        last = 0
        for start, stop in self.segments:
            if not last <= start < stop:
                raise self._misplaced()
            last = stop
        if last > len(self.original):
            raise self._misplaced()

    def _misplaced(self) -> InputError:
        return InputError(f"the segments of source {self.name!r} are not slices of it in order")

    @classmethod
    def of_text(cls, name: str, text: str) -> Self:
        """All of *text* was shown, in one piece."""
        return cls(name=name, original=text, segments=((0, len(text)),) if text else ())

    @property
    def text(self) -> str:
        """The slices, a line break between each two."""
        return "\n".join([self.original[start:stop] for start, stop in self.segments])


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """Where a snippet lies: a span of the full original text of one source."""

    source: str
    """Name of the source."""

    start: int
    """First code point, counted in the full original."""

    stop: int
    """Exclusive."""

    match: Match
    """`exact`: character by character; `folded`: in the folded view (`assay.core.text.folding`)."""

    occurrences: int
    """How often the snippet stands in what was shown of all sources, in this kind of match;
    occurrences may overlap. The span is that of the first."""

    digest: str
    """Over the UTF-8 of the original slice."""


_INVISIBLE = f" {WHITE_SPACE}{REMOVED}"
_INVISIBLES = frozenset(_INVISIBLE)
_SHORT = 256
_SMALL = 30_000
_FEW = 200
_OFTEN = 32


class Locator:
    """Finds snippets in the same sources, folding each segment once, when first needed."""

    __slots__ = ("_folded", "_left", "_searched", "_shown")

    def __init__(self, shown: Sequence[Shown]) -> None:
        self._shown = tuple(shown)
        self._searched = [_prepare_source(source) for source in self._shown]
        self._left = _FEW
        self._folded: dict[int, list[tuple[int, FoldedText]]] = {}

    def place(self, snippet: str) -> Location | None:
        """Where *snippet* lies; None when it is nowhere, or has no visible character."""
        size = len(snippet)
        if not size or (snippet[0] in _INVISIBLES and not snippet.strip(_INVISIBLE)):
            return None
        self._left -= 1
        short = _SHORT if self._left >= 0 else 0
        found: tuple[str, int] | None = None
        times = 0
        for source, rfind, length in self._searched:
            if size > length:
                continue
            if rfind is not None and size <= short:
                first = rfind(snippet)
                if first < 0:
                    continue
                count = 1
                at = rfind(snippet, 0, first + size - 1)
                while at >= 0:
                    first = at
                    count += 1
                    if count > _OFTEN:
                        first, count = _forwards(snippet, source)
                        break
                    at = rfind(snippet, 0, at + size - 1)
            else:
                first, count = _forwards(snippet, source)
                if not count:
                    continue
            if found is None:
                found = source.name, first
            times += count
        if found is None:
            return self._place_folded(snippet)
        name, first = found
        # What was found is the snippet itself, so its digest is the slice's.
        return name, first, first + size, "exact", times, _digest(snippet)

    def locate(self, snippet: str) -> Located | None:
        """As `place`, as a value with names."""
        place = self.place(snippet)
        if place is None:
            return None
        source, start, stop, match, occurrences, digest = place
        return Located(
            source=source,
            start=start,
            stop=stop,
            match=match,
            occurrences=occurrences,
            digest=digest,
        )

    def _place_folded(self, snippet: str) -> Location | None:
        wanted = fold_text(snippet)
        if not wanted or wanted == " ":
            return None
        location: tuple[str, int, int, str] | None = None
        count = 0
        for number, source in enumerate(self._shown):
            views = self._folded.get(number)
            if views is None:
                views = self._folded[number] = [
                    (start, fold(source.original[start:stop])) for start, stop in source.segments
                ]
            for offset, view in views:
                at, times = _occurrences(wanted, view.text, 0, len(view.text))
                if times and location is None:
                    start, stop = view.span(at, at + len(wanted))
                    start, stop = offset + start, offset + stop
                    location = source.name, start, stop, _digest(source.original[start:stop])
                count += times
        if location is None:
            return None
        name, start, stop, digest = location
        return name, start, stop, "folded", count, digest


def locate(snippet: str, shown: Sequence[Shown]) -> Located | None:
    """Find where *snippet* quotes what was shown.

    All sources are searched character by character, in the order given, before any is
    searched in the folded view. A snippet counts only within one segment.

    Args:
        snippet: What the model says it read.
        shown: The sources, in search order.

    Returns:
        The first place, or None: a false quotation is a finding for the gate, no fault of
        the program.

    Example:
        >>> body = Shown.of_text("body", "Claim: a broken pipe.")
        >>> span = locate("broken pipe", [body])
        >>> span.source, span.start, span.stop
        ('body', 9, 20)

    Spec: 000, "mapping evidence snippets to offsets and snippet hashes".
    """
    return Locator(shown).locate(snippet)


def is_evidence(snippet: str) -> bool:
    """Whether *snippet* is enough text to be evidence: two letters, digits or currency signs.

    One letter, digit or ideograph stands somewhere in almost every text, and signs, emoji and
    marks without a letter say nothing that could be read there.

    Example:
        >>> [is_evidence(text) for text in ("ja", "5 €", "a", "5", "…", "水")]
        [True, True, False, False, False, False]

    Spec: 005-G13
    """
    enough = 0
    for char in snippet:
        enough += char.isalnum() or category(char) == "Sc"
        if enough == _ENOUGH:
            return True
    return False


_ENOUGH = 2


def _prepare_source(source: Shown) -> tuple[Shown, Callable[..., int] | None, int]:
    """What a search of *source* needs, and the longest that can lie there. A small source
    that is shown whole is searched from the end, as CPython searches three times as fast in
    that direction. There it has no bound on its worst case, so all others are searched
    forwards, and so are all when there are many snippets."""
    segments, length = source.segments, len(source.original)
    if length <= _SMALL and segments == ((0, length),):
        return source, source.original.rfind, length
    return source, None, length


def _forwards(snippet: str, source: Shown) -> tuple[int, int]:
    """The first place of *snippet* within a segment, and how many there are."""
    first, count = -1, 0
    for start, stop in source.segments:
        at, times = _occurrences(snippet, source.original, start, stop)
        if times and not count:
            first = at
        count += times
    return first, count


def _occurrences(snippet: str, text: str, start: int, stop: int) -> tuple[int, int]:
    """The first place of *snippet* in `text[start:stop]`, and how many there are.

    Where one overlaps the next, the text repeats itself, and as long as it does, so do they:
    in a text of one letter there are as many places as letters, and none is looked at alone.
    """
    find, size = text.find, len(snippet)
    first = at = find(snippet, start, stop)
    count = 0
    while at >= 0:
        count += 1
        after = find(snippet, at + 1, stop)
        if 0 <= after < at + size:
            more = _repeats(snippet[size + at - after :], text, after + size, stop)
            after += more * (after - at)
            count += more
        at = after
    return first, count


def _repeats(unit: str, text: str, at: int, stop: int) -> int:
    """How many times *unit* stands at *at* and again right behind, in steps that double."""
    times, number = 0, 1
    while text.startswith(unit, at, stop):
        at += len(unit)
        times += number
        unit += unit
        number += number
    while number > 1:
        number //= 2
        unit = unit[: len(unit) // 2]
        if text.startswith(unit, at, stop):
            at += len(unit)
            times += number
    return times


def _digest(text: str) -> str:
    # As `canonical.digest`; a lone surrogate cannot be part of parsed JSON or of a source.
    return "sha256:" + sha256(text.encode()).hexdigest()
