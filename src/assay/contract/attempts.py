"""Shorten what an attempt shows: first what others said, then the ends of the longest texts.

In      named texts, and a question "does this fit?"
Out     what is shown of every text: verbatim slices, in order; None when nothing fits
Pure    no clock, no randomness, no I/O: equal texts and answers give equal slices
Spec    000, "Retry policy" (attempt 2: a shortened input) and "Token budgets"

1. Quoted and forwarded mails, signatures and disclaimers go, from every text. A text in which
   the sender says nothing (a mail that is nothing but a forward) keeps what it carries: an
   empty mail would be answered by guessing.
2. If that does not fit, one limit of length is lowered for all texts together, so that the
   longest are cut first. A text is cut where a sentence ends; where that would waste half of
   what is allowed (one endless sentence), at white space; where there is none, in a word.
3. If MIN_SHOWN_CHARS of each text are still too much, texts are left out from the last one on,
   down to the first two. If these do not fit, nothing does: a few words of a mail are no basis
   for a decision.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence

from assay.core.text.sentences import sentences
from assay.core.text.spans import Shown
from assay.sources.mail.quoting import Block, Kind, blocks

Fits = Callable[[tuple[Shown, ...]], bool]
"""Does a prompt that shows this keep the budget? Showing less should never turn yes into no."""

MIN_SHOWN_CHARS = 100
"""A text is cut no shorter than this; shorter texts stay whole."""

MIN_TEXTS = 2
"""So many of the first texts are never left out: subject and body of a mail."""


def shorten(texts: Mapping[str, str], fits: Fits) -> tuple[Shown, ...] | None:
    """What a shortened attempt shows of *texts*.

    Args:
        texts: In search order; any number, of any length.
        fits: Asked for at most some fifty candidates, each shorter than the ones refused.

    Returns:
        One Shown a text, in their order, without segments where nothing is shown; *fits* said
        yes to exactly this. None when it said no to the shortest candidate too.

    Spec: 000, "Attempt 2: … a shortened input"; "Token budgets".
    """
    spoken = [_Spoken(name, text) for name, text in texts.items()]
    shown = tuple(text.whole for text in spoken)
    if fits(shown):
        return shown
    longest = max((text.length for text in spoken), default=0)
    best = _most(lambda limit: tuple(text.shorten(limit) for text in spoken), fits, longest - 1)
    if best is not None:
        return best
    shortest = [text.shorten(MIN_SHOWN_CHARS) for text in spoken]
    return _fit_fewest(shortest, fits)


def omitted_parts(shown: Shown) -> tuple[Block, ...]:
    """The parts of a text that *shown* leaves out, with what they are; white space aside.

    `own` is the sender's text that was cut to fit; in a text in which the sender says nothing, it
    is what the text carries.
    """
    text = shown.original
    gaps: list[tuple[int, int]] = []
    position = 0
    for start, stop in [*shown.segments, (len(text), len(text))]:
        if text[position:start].strip():
            gaps.append((position, start))
        position = stop
    if not gaps:
        return ()
    found: list[Block] = []
    kind: Kind
    spoken, _ = _spoken_blocks(text)
    for block in blocks(text):
        kind = "own" if block.kind in spoken else block.kind
        for start, stop in gaps:
            first, last = _trim_blocks(text, max(start, block.start), min(stop, block.stop))
            if first < last:
                found.append(Block(kind=kind, start=first, stop=last))
    return tuple(found)


class _Spoken:
    """One text without what others said, and where it may be cut."""

    def __init__(self, name: str, text: str) -> None:
        self._segments = spoken_segments(text)
        self.whole = Shown(name=name, original=text, segments=self._segments)
        self.length = sum(stop - start + 1 for start, stop in self._segments)
        self._ends: list[tuple[int, int, int]] | None = None

    def shorten(self, limit: int) -> Shown:
        """At most *limit* code points of it."""
        if self.length <= limit:
            return self.whole
        if self._ends is None:
            self._ends = self._sentence_ends()
        place = bisect_right(self._ends, limit, key=lambda end: end[0])
        length, segment, stop = self._ends[place - 1] if place else (0, 0, 0)
        if length * 2 < limit:
            segment, stop = self._word_end(limit)
        kept = [*self._segments[:segment], (self._segments[segment][0], stop)]
        return Shown(name=self.whole.name, original=self.whole.original, segments=tuple(kept))

    def _sentence_ends(self) -> list[tuple[int, int, int]]:
        """Each place where a sentence ends: length shown up to there, segment, code point."""
        ends: list[tuple[int, int, int]] = []
        before = 0
        for segment, (start, stop) in enumerate(self._segments):
            for _, end in sentences(self.whole.original[start:stop]):
                ends.append((before + end, segment, start + end))
            before += stop - start + 1
        return ends

    def _word_end(self, limit: int) -> tuple[int, int]:
        """The segment and code point where *limit* code points end, at white space if it can be."""
        text = self.whole.original
        left = limit
        place = 0
        while place < len(self._segments) - 1:
            start, stop = self._segments[place]
            if stop - start > left:
                break
            left -= stop - start + 1
            place += 1
        start, stop = self._segments[place]
        edge = min(start + max(1, left), stop)
        words = text[start:edge]
        blank = words.rfind(" ")
        if edge < stop and not text[edge].isspace() and blank * 2 > len(words):
            words = words[:blank]
        return place, start + len(words.rstrip())


def spoken_segments(text: str) -> tuple[tuple[int, int], ...]:
    """The segments of *text* that its sender wrote; what it carries when that is nothing."""
    return _spoken_blocks(text)[1]


def _spoken_blocks(text: str) -> tuple[tuple[str, ...], tuple[tuple[int, int], ...]]:
    """The kinds of blocks in which *text* says what it has to say, and their segments."""
    found = blocks(text)
    for kinds in _SPEAKERS:
        pieces = [_trim_blocks(text, b.start, b.stop) for b in found if b.kind in kinds]
        pieces = [(start, stop) for start, stop in pieces if start < stop]
        if any(char.isalnum() for start, stop in pieces for char in text[start:stop]):
            return kinds, tuple(pieces)
    start, stop = _trim_blocks(text, 0, len(text))
    return ("own",), ((start, stop),) if start < stop else ()


_SPEAKERS = (("own",), ("forwarded", "quoted"), ("signature", "disclaimer"))
"""Whose words count: the sender's; else what they carry; else habit."""


def _trim_blocks(text: str, start: int, stop: int) -> tuple[int, int]:
    piece = text[start:stop]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def _most(
    candidate: Callable[[int], tuple[Shown, ...]], fits: Fits, highest: int
) -> tuple[Shown, ...] | None:
    """The candidate of the highest limit that fits, found by halving."""
    low, high = MIN_SHOWN_CHARS, highest
    best: tuple[Shown, ...] | None = None
    while low <= high:
        middle = (low + high) // 2
        shown = candidate(middle)
        if fits(shown):
            best, low = shown, middle + 1
        else:
            high = middle - 1
    return best


def _fit_fewest(shortest: Sequence[Shown], fits: Fits) -> tuple[Shown, ...] | None:
    """The most of the first texts that fit, each at its shortest."""
    low, high = min(MIN_TEXTS, len(shortest)), len(shortest) - 1
    best: tuple[Shown, ...] | None = None
    while low <= high:
        kept = (low + high) // 2
        shown = tuple(
            view if place < kept else Shown(name=view.name, original=view.original, segments=())
            for place, view in enumerate(shortest)
        )
        if fits(shown):
            best, low = shown, kept + 1
        else:
            high = kept - 1
    return best
