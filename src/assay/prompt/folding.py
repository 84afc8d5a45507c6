"""The folded view on which personal data is looked for, and the way back.

In      original text
Out     Folded: view text, every code point of which leads back to original ones
Pure    yes, linear
Spec    interfaces.md, "Redaction": NFKC, zero-width characters removed, full-width and
        non-breaking forms, offsets that lead back to the original

Beyond NFKC, decimal digits of every script become ASCII digits, dashes become `-`, exotic
spaces become a space: what a reader takes for a digit, a dash or a space is one here.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass, field

BARRIER = "\uffff"
"""Stands, once for each original code point, where a surrogate is: no rule matches it."""

_REMOVED = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"


def _one_to_one() -> dict[int, str]:
    table = dict.fromkeys((*range(8208, 8214), 8259, 8722, 65112, 65123), "-")
    table |= dict.fromkeys((160, 5760, *range(8192, 8203), 8239, 8287), " ")
    table |= {0x3000: " "} | {point: chr(point - 0xFEE0) for point in range(0xFF01, 0xFF5F)}
    table |= dict.fromkeys(range(55296, 57344), "�")
    for point in range(0x80, 0x20000):
        value = unicodedata.decimal(chr(point), -1)
        if value >= 0:
            table[point] = chr(48 + value)
    return table


_ONE_TO_ONE = _one_to_one()
"""Code points that become one other, whatever stands beside them."""

_EXCHANGED = re.compile("[" + "".join(map(chr, _ONE_TO_ONE)) + "]")
_GONE = re.compile(f"[{_REMOVED}]")
_ASCII = re.compile(r"[\x00-\x7f]+")

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

    def whole(self, start: int, stop: int) -> tuple[int, int]:
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
    if _EXCHANGED.search(text):
        text = text.translate(_ONE_TO_ONE)
    if _plain(text):
        return Folded(text=text)
    runs = _Runs()
    at = 0
    for line in text.splitlines(keepends=True):
        if _plain(line):
            runs.equal(line, at)
        else:
            _fold_line(line, at, runs)
        at += len(line)
    return runs.folded()


class _Runs:
    """Collects the runs of a view, in order."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._views: list[int] = []
        self._origins: list[int] = []
        self._counts: list[int] = []
        self._at = 0

    def equal(self, part: str, origin: int) -> None:
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


def _fold_line(line: str, at: int, runs: _Runs) -> None:
    begin, length = 0, len(line)
    while begin < length:
        run = _ASCII.match(line, begin)
        # The last character of an ASCII run may carry the marks that follow it.
        stop = begin if run is None else run.end() - (run.end() < length)
        if stop > begin:
            runs.equal(line[begin:stop], at + begin)
            begin = stop
            continue
        stop = begin + 1
        last = min(length, begin + _LONGEST_CLUSTER)
        while stop < last and _continues(line[stop]):
            stop += 1
        runs.cluster(_fold_cluster(line[begin:stop]), at + begin, stop - begin)
        begin = stop


def _plain(text: str) -> bool:
    return text.isascii() or (
        _GONE.search(text) is None and unicodedata.is_normalized("NFKC", text)
    )


def _continues(char: str) -> bool:
    """Whether *char* is part of what stands before it."""
    if char < "\u0300":
        return char == "\u00ad"
    return (
        unicodedata.category(char) in {"Mn", "Mc"}
        or "\u1160" <= char <= "\u11ff"
        or _GONE.match(char) is not None
    )


def _fold_cluster(cluster: str) -> str:
    if len(cluster) == 1 and cluster < "\x80":
        return cluster
    folded = unicodedata.normalize("NFKC", _GONE.sub("", cluster))
    if len(folded) > _LARGEST_GROWTH * len(cluster):
        return cluster
    return folded.translate(_ONE_TO_ONE)
