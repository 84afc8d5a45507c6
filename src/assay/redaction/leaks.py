"""Where a value that was hidden in one place still stands in another.

In      a view with its findings blotted out, the findings
Out     ranges of the view, by class
Pure    yes, linear
Spec    002-D4: no value that was detected survives in the redacted view

A value inside a longer word takes the whole word: hiding `Ann Lee` in `Ann Leeds` alone would
show the reader how the hidden name goes on.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence

import re2

from assay.redaction.view import BARRIER, Range, View, compile_wide

_FEW = 200
"""Up to so many values are looked for one by one."""

_MANY = 3000
"""More beginnings than this are not compiled into one pattern."""

_SHORTEST = 3
_PREFIX = 6
_BROKEN = re.compile("[\ud800-\udfff]")
"""Lone surrogates; the view has none."""

_ALWAYS_HIDDEN = re.compile(r"[0-9]{6}")
"""Values with six digits in a row are left over only within a hash: NUMBER takes all other rows."""


def find_leaks(
    view: View, found: Sequence[tuple[int, int, str]]
) -> Iterator[tuple[str, list[Range]]]:
    """For each class, the ranges where its values are left, in order and apart."""
    values = _values(view, found)
    hits = [*_search(view.text, values), *_search_original(view, values)]
    hits.sort(key=lambda hit: (hit[0], -hit[1]))
    chosen: dict[str, list[Range]] = {}
    reached = 0
    for start, stop, cls in hits:
        if start >= reached:
            begin, reached = _whole_words(view.text, start, stop)
            chosen.setdefault(cls, []).append((begin, reached))
    yield from chosen.items()


def _values(view: View, found: Sequence[tuple[int, int, str]]) -> dict[str, str]:
    """Values that may be left, as the view and as the original spell them, with their class."""
    values: dict[str, str] = {}
    mail = "@" in view.text
    hidden = not _ALWAYS_HIDDEN.search(view.text)
    for start, stop, cls in found:
        spelt = view.original[start:stop]
        begin, end = view.folded.locate(start, stop)
        for value in {spelt, view.folded.text[begin:end]}:
            if (
                len(value) >= _SHORTEST
                and (mail or "@" not in value)
                and BARRIER not in value
                and _BROKEN.search(value) is None
                and not (hidden and _ALWAYS_HIDDEN.search(value))
            ):
                values.setdefault(value, cls)
    return values


def _search_original(view: View, values: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Where a value stands in the original though not in the view: a mark behind its last letter
    makes another letter of that."""
    if len(view.folded.starts) < 2:
        return
    for start, stop, cls in _search(_BROKEN.sub("\ufffd", view.original), values):
        begin, end = view.folded.locate(start, stop)
        if begin < end and view.free(begin, end):
            yield begin, end, cls


def _search(text: str, values: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    if len(values) <= _FEW:
        for value, cls in values.items():
            at = text.find(value)
            while at >= 0:
                yield at, at + len(value), cls
                at = text.find(value, at + len(value))
        return
    short = {value: cls for value, cls in values.items() if len(value) < _PREFIX}
    long = {value: cls for value, cls in values.items() if len(value) >= _PREFIX}
    yield from _by_prefix(text, short, _SHORTEST)
    yield from _by_prefix(text, long, _PREFIX)


def _by_prefix(text: str, values: Mapping[str, str], size: int) -> Iterator[tuple[int, int, str]]:
    """Look for many values at once: first for how they begin, then for the whole."""
    lengths: dict[str, set[int]] = {}
    for value in values:
        lengths.setdefault(value[:size], set()).add(len(value))
    for at in _starts(text, lengths.keys(), size):
        for length in lengths.get(text[at : at + size], ()):
            cls = values.get(text[at : at + length])
            if cls:
                yield at, at + length, cls


def _starts(text: str, prefixes: Collection[str], size: int) -> Iterator[int]:
    if not prefixes:
        return
    if len(prefixes) > _MANY:
        yield from (i for i in range(len(text) - size + 1) if text[i : i + size] in prefixes)
        return
    pattern = compile_wide("|".join(re2.escape(prefix) for prefix in sorted(prefixes)))
    for match in pattern.finditer(text):
        yield from range(match.start(), match.end())  # another may begin within this one


def _whole_words(text: str, start: int, stop: int) -> Range:
    while start > 0 and _in_word(text[start - 1]) and _in_word(text[start]):
        start -= 1
    while stop < len(text) and _in_word(text[stop]) and _in_word(text[stop - 1]):
        stop += 1
    return start, stop


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_" or unicodedata.category(char).startswith("M")
