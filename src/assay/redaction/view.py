"""The view of a text on which personal data is looked for, and how rules look at it.

In      a text; a pattern
Out     the table that folds it; View, Range; patterns of RE2
Pure    yes, linear
Spec    interfaces.md, "Redaction": NFKC, zero-width characters removed, full-width and
        non-breaking forms, offsets that lead back to the original

Beyond NFKC, decimal digits of every script become ASCII digits, dashes become `-`, exotic
spaces become a space, typographic quotes plain ones: what a reader takes for a digit, a dash,
a space or a quote is one here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import re2

from assay.core.text.folding import BARRIER, FoldedText, Folding
from assay.errors import InputError

__all__ = ["BARRIER", "PERSONAL_DATA", "Range", "View", "compile_narrow", "compile_wide"]


def _list_replaced() -> dict[int, str]:
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


PERSONAL_DATA: Final = Folding(
    form="NFKC",
    replaced=_list_replaced(),
    # Zero-width characters, soft hyphens, direction marks, variation selectors.
    removed=frozenset(
        map(
            chr,
            (
                *(0xAD, 0x34F, 0x61C, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F)),
                *(*range(0x2060, 0x2065), *range(0x2066, 0x2070), *range(0xFE00, 0xFE10), 0xFEFF),
            ),
        )
    ),
    joins_spaces=False,
)
"""What is forgiven where personal data is looked for.

Example:
    >>> from assay.core.text.folding import fold
    >>> view = fold("tel ０３０\u200b１2", PERSONAL_DATA)
    >>> view.text, view.span(4, 9)
    ('tel 03012', (4, 10))
"""

Range = tuple[int, int]
"""Start and stop in the view."""


@dataclass(slots=True, kw_only=True)
class View:
    """A folded text on its way through the rules."""

    text: str
    """The view, with BARRIER where something was taken already."""

    original: str
    folded: FoldedText
    taken: dict[int, str] = field(default_factory=dict)
    """Where in the view something was taken, or stood replaced from the start: its class."""

    has_other_scripts: bool = field(init=False)
    """Whether letters beyond the Latin ones may be in it."""

    _narrow: tuple[str, bytes] = ("", b"")

    def __post_init__(self) -> None:
        self.has_other_scripts = not self.text.isascii() and max(self.text) >= "\u0370"

    def find(self, pattern: Any) -> Iterator[Any]:
        """Matches of a pattern made by `compile_narrow`; their offsets are those of the view.

        RE2 is three times as quick on one byte a character, and every character beyond
        Latin-1 is a `?` to it: patterns say where to look, what they found is read in `text`.
        """
        if self._narrow[0] is not self.text:
            self._narrow = (self.text, self.text.encode("latin-1", "replace"))
        matches: Iterator[Any] = pattern.finditer(self._narrow[1])
        return matches

    def source(self, start: int, stop: int) -> str:
        """The original characters of a range of the view."""
        begin, end = self.folded.span(start, stop)
        return self.original[begin:end]

    def free(self, start: int, stop: int) -> bool:
        """Whether nothing of the range is taken."""
        return self.text.find(BARRIER, start, stop) < 0


def compile_narrow(pattern: str) -> Any:
    """A built-in pattern, for `View.find`: RE2 over Latin-1, where all other letters are `?`."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    narrow = "".join(char if char <= "\xff" else r"\?" for char in pattern)
    return re2.compile(narrow.encode("latin-1"), options)


def compile_wide(pattern: str) -> Any:
    """A pattern over all of Unicode, for text as it is.

    Raises:
        InputError: it is no RE2 pattern.
    """
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        raise InputError(
            "a redaction pattern is no RE2 pattern",
            hint="RE2 has no look-around and no back references",
        ) from error
