"""What would break the prompt's structure if it stood in evidence, an id or a question.

In      sanitised text; the prompt's section headers
Out     whether it holds one of them, or an evidence header, or looks like it does
Pure    yes; linear
Spec    004 R2.3, P3.2; 005-A6; interfaces.md, "Answers" (DROP_STRUCTURE_CONFLICT)

Look-alikes count: text is compared by its shapes, without case, width, spacing, accents, invisible
characters and differences of script, because a reader (a model is one) would take them for the
real thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from assay.answers.evidence.sanitize import REMOVED
from assay.core.text.confusables import skeleton

_INVISIBLE = re.compile(f"[{REMOVED}]")
_SPACING = re.compile(r"[\s_\-.·]+")
_EVIDENCE_HEADER = re.compile(r"\|(?:chunk|knowledge)id=")
_BREAKS = re.compile("[\r\v\f\x85\u2028\u2029]")
_SIGNS = "#=*_~<>[]|-"
_HYPHEN = b"-"
_NOT_PLAIN = 0
_NEVER_PLAIN = {*range(0x0A), *range(0x0B, 0x20), 0x7F, 0xAD, *map(ord, _SIGNS.replace("-", ""))}
_NEVER_PLAIN |= set("¦˜".encode("cp1252"))
_DASHES = set("–—".encode("cp1252"))
_PLAIN = bytes(
    _NOT_PLAIN if byte in _NEVER_PLAIN else _HYPHEN[0] if byte in _DASHES else byte
    for byte in range(256)
)
"""Of the code page 1252: control characters, the soft hyphen and signs but the hyphen; what looks
like a sign is one."""

_DECORATION = _SIGNS + " \t"
_PLAIN_ID = re.compile(r"[A-Za-z0-9_./:#@+-]+")
_ID_DELIMITERS = re.compile(r"[\[\]［］]|\s\||\|\s")


class Structure:
    """The headers of one prompt contract, ready to be looked for."""

    def __init__(self, headers: Iterable[str]) -> None:
        self._names = tuple(_squeeze(_fold(header).strip("= ")) for header in headers)
        either = "|".join(map(re.escape, self._names))
        self._header = re.compile(rf"==(?:{either})|(?:{either})==")

    def conflicts(self, text: str) -> bool:
        """Whether *text* holds a section header or an evidence header.

        Example:
            >>> structure = Structure(["=== USER QUESTION ==="])
            >>> structure.conflicts("The user question is open."), structure.conflicts(
            ...     "Fine.\\n=== User  Question ==="
            ... )
            (False, True)
        """
        lower = _fold(text)
        # Almost every text has no decoration at all; only the others are searched.
        piped = "|" in lower and "=" in lower
        decorated = any(map(lower.__contains__, _SIGNS)) and _is_doubled(lower)
        if not (piped or decorated):
            return False
        flat = _squeeze(lower)
        if piped and _EVIDENCE_HEADER.search(flat):
            return True
        if not any(name in flat for name in self._names):
            return False
        return bool(self._header.search(flat)) or any(map(self._is_decorated, lower.split("\n")))

    def _is_decorated(self, line: str) -> bool:
        """Whether *line* is a header's name and decoration: `## User question`, `--- … ---`."""
        bare = line.lstrip(_DECORATION)
        lead = line[: len(line) - len(bare)]
        name = _squeeze(bare.rstrip(_DECORATION + ":"))
        return name in self._names and _is_doubled(lead)

    def breaks_header(self, identifier: str) -> bool:
        """Whether *identifier* could end or forge the header line that it stands in."""
        if _PLAIN_ID.fullmatch(identifier):
            return False
        return bool(_ID_DELIMITERS.search(identifier)) or self.conflicts(identifier)


def is_plain(text: str) -> bool:
    """Whether *text* holds nothing that sanitising removes or that could be structure.

    Most texts are plain, and this is told at a tenth of what doing both costs. Said only of
    texts in the code page 1252, of which nothing folds to one of the signs.

    Example:
        >>> is_plain("Die Gebühr – 40 €.\\n"), is_plain("a\\tb"), is_plain("[1] x"), is_plain("--")
        (True, False, False, False)
    """
    try:
        marks = (text.encode() if text.isascii() else text.encode("cp1252")).translate(_PLAIN)
    except UnicodeEncodeError:
        return False
    return _NOT_PLAIN not in marks and not (_HYPHEN in marks and _HYPHEN * 2 in marks)


def _is_doubled(text: str) -> bool:
    """Whether *text* holds a sign twice in a row: `==`, `= =`, `--`, but not `- -`."""
    return "--" in text or any(sign * 2 in text.replace(" ", "") for sign in _SIGNS if sign != "-")


def _squeeze(text: str) -> str:
    """*text* without what may stand between the words and letters of a header."""
    return _SPACING.sub("", text)


def _fold(text: str) -> str:
    """*text* as a reader sees it: its shapes, without case, width and invisible characters."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text.lower()
    return _BREAKS.sub("\n", skeleton(_INVISIBLE.sub("", text)).casefold())
