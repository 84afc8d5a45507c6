"""What every rule is given and gives: a view of a text, ranges, compiled patterns.

In      a folded text; a pattern
Out     View, Range; patterns of RE2
Pure    yes
Spec    interfaces.md, "Redaction"
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import re2

from assay.errors import InputError
from assay.redaction.view import BARRIER, Folded

Range = tuple[int, int]
"""Start and stop in the view."""


@dataclass(slots=True, kw_only=True)
class View:
    """A folded text on its way through the rules."""

    text: str
    """The view, with BARRIER where something was taken already."""

    original: str
    folded: Folded
    _narrow: tuple[str, bytes] = ("", b"")

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
        begin, end = self.folded.origin(start, stop)
        return self.original[begin:end]

    def free(self, start: int, stop: int) -> bool:
        """Whether nothing of the range is taken."""
        return self.text.find(BARRIER, start, stop) < 0


def compile_narrow(pattern: str) -> Any:
    """A built-in pattern, for `View.find`: RE2 over Latin-1."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    return re2.compile(pattern.encode("latin-1"), options)


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
