"""The folded view on which personal data is looked for, and the way back.

In      original text
Out     Folded: view text, every code point of which leads back to original ones
Pure    yes, linear
Spec    interfaces.md, "Redaction": NFKC, zero-width characters removed, full-width and
        non-breaking forms, offsets that lead back to the original

Beyond NFKC, decimal digits of every script become ASCII digits, dashes become `-`, exotic
spaces become a space, typographic quotes plain ones: what a reader takes for a digit, a dash,
a space or a quote is one here.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass, field

BARRIER = "\x00"
"""Stands, once for each original code point, where a surrogate is: no rule matches it."""

_REMOVED = frozenset(
    map(
        chr,
        (
            *(0xAD, 0x34F, 0x61C, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F)),
            *(*range(0x2060, 0x2065), *range(0x2066, 0x2070), *range(0xFE00, 0xFE10), 0xFEFF),
        ),
    )
)
"""Zero-width characters, soft hyphens, direction marks, variation selectors."""


def _one_to_one() -> dict[int, str]:
    dashes = (*range(0x2010, 0x2016), 0x2043, 0x2212, 0xFE58, 0xFE63)
    spaces = (0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)
    table = dict.fromkeys(dashes, "-") | dict.fromkeys(spaces, " ")
    table |= dict.fromkeys((0x2018, 0x2019, 0x201B, 0x02BC), "'")
    table |= dict.fromkeys((0x201C, 0x201D, 0x201E, 0x201F), '"')
    table |= {point: chr(point - 0xFEE0) for point in range(0xFF01, 0xFF5F)}
    table |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
    for point in range(0x80, 0x20000):
        value = unicodedata.decimal(chr(point), -1)
        if value >= 0:
            table[point] = chr(48 + value)
    return table


_ONE_TO_ONE = _one_to_one()
"""Code points that become one other, whatever stands beside them."""

_FEW = 40
"""Up to so many different characters are exchanged one by one, which is quicker."""

_LONGEST_CLUSTER = 32
"""Longer runs of combining marks are no writing, and sorting them would take its time."""

_LARGEST_GROWTH = 4
"""A character that stands for more than four (a ligature of a whole phrase) is left alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """A view and, where it differs from the original, the map back.

    The view is cut into runs. In an even run code points correspond one to one; an odd run
    (`counts` says how many originals) is one cluster that became something else.
    """

    text: str
    """What rules are matched on."""

    views: list[int] = field(default_factory=lambda: [0])
    """Where each run begins in the view, rising."""

    origins: list[int] = field(default_factory=lambda: [0])
    """Where it begins in the original."""

    counts: list[int] = field(default_factory=lambda: [0])
    """0 for a run of equals; else how many originals the whole run stands for."""

    def origin(self, start: int, stop: int) -> tuple[int, int]:
        """The original range of a non-empty range of the view."""
        first = bisect_right(self.views, start) - 1
        last = bisect_right(self.views, stop - 1) - 1
        begin = self.origins[first]
        if not self.counts[first]:
            begin += start - self.views[first]
        end = self.origins[last]
        end += self.counts[last] or stop - self.views[last]
        return begin, end

    def locate(self, start: int, stop: int) -> tuple[int, int]:
        """The range of the view that stands for a range of the original; maybe empty."""
        return self._seen(start), self._seen(stop - 1, end=True)

    def _seen(self, at: int, *, end: bool = False) -> int:
        run = max(bisect_right(self.origins, at) - 1, 0)
        view, count = self.views[run], self.counts[run]
        following = self.views[run + 1] if run + 1 < len(self.views) else len(self.text)
        if count:
            return following if end or at >= self.origins[run] + count else view
        return min(view + at - self.origins[run] + end, following)

    def widen(self, start: int, stop: int) -> tuple[int, int]:
        """The range of the view widened until it cuts no cluster in two."""
        first = bisect_right(self.views, start) - 1
        if self.counts[first]:
            start = self.views[first]
        last = bisect_right(self.views, stop - 1) - 1
        if self.counts[last]:
            stop = self.views[last + 1] if last + 1 < len(self.views) else len(self.text)
        return start, stop


def fold(text: str) -> Folded:
    """The folded view of *text*.

    Example:
        >>> view = fold("tel ０３０\u200b１2")
        >>> view.text, view.origin(4, 9)
        ('tel 03012', (4, 10))
    """
    if text.isascii():
        return Folded(text=text)
    present = {char for char in set(text) if char > "\x7f"}
    text = _exchange(text, {char for char in present if ord(char) in _ONE_TO_ONE})
    special = {char for char in present if ord(char) not in _ONE_TO_ONE and _is_special(char)}
    if not special or (special.isdisjoint(_REMOVED) and unicodedata.is_normalized("NFKC", text)):
        return Folded(text=text)
    runs = _Runs()
    at = 0
    for match in re.finditer(f"[{re.escape(''.join(special))}]", text):
        begin = match.start()
        if begin < at:
            continue
        if begin > at and _continues(match[0]) and text[begin - 1] != BARRIER:
            begin -= 1
        runs.equal(text[at:begin], at)
        at = begin + 1
        last = min(len(text), begin + _LONGEST_CLUSTER)
        while at < last and _continues(text[at]):
            at += 1
        runs.cluster(_fold_cluster(text[begin:at]), begin, at - begin)
    runs.equal(text[at:], at)
    return runs.folded()


def _exchange(text: str, chars: set[str]) -> str:
    if len(chars) > _FEW:
        return text.translate(_ONE_TO_ONE)
    for char in chars:
        text = text.replace(char, _ONE_TO_ONE[ord(char)])
    return text


def _is_special(char: str) -> bool:
    """Whether *char* may become something else, alone or with its neighbour."""
    return _continues(char) or unicodedata.normalize("NFKC", char) != char


class _Runs:
    """Collects the runs of a view, in order."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._views: list[int] = []
        self._origins: list[int] = []
        self._counts: list[int] = []
        self._at = 0

    def equal(self, part: str, origin: int) -> None:
        if part:
            self._begin_run(part, origin, 0)

    def cluster(self, part: str, origin: int, count: int) -> None:
        if len(part) == count == 1:
            self._begin_run(part, origin, 0)
        elif part:
            self._begin_run(part, origin, count)

    def _begin_run(self, part: str, origin: int, count: int) -> None:
        goes_on = (
            not count
            and self._counts
            and not self._counts[-1]
            and origin - self._origins[-1] == self._at - self._views[-1]
        )
        if not goes_on:
            self._views.append(self._at)
            self._origins.append(origin)
            self._counts.append(count)
        self._parts.append(part)
        self._at += len(part)

    def folded(self) -> Folded:
        return Folded(
            text="".join(self._parts),
            views=self._views or [0],
            origins=self._origins or [0],
            counts=self._counts or [0],
        )


def _continues(char: str) -> bool:
    """Whether *char* is part of what stands before it."""
    if char < "\u0300":
        return char == "\u00ad"
    return (
        unicodedata.category(char) in {"Mn", "Mc"}
        or "\u1160" <= char <= "\u11ff"
        or char in _REMOVED
    )


def _fold_cluster(cluster: str) -> str:
    if len(cluster) == 1 and cluster < "\x80":
        return cluster
    kept = "".join(char for char in cluster if char not in _REMOVED)
    folded = unicodedata.normalize("NFKC", kept)
    if len(folded) > _LARGEST_GROWTH * len(cluster):
        return cluster
    return folded.translate(_ONE_TO_ONE)
