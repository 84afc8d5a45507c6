"""What would break the prompt's structure if it stood in evidence, an id or a question.

In      sanitised text; the prompt's section headers
Out     whether it holds one of them, or an evidence header, or looks like it does
Pure    yes; linear
Spec    004 R2.3, P3.2; interfaces.md, "Answers" (DROP_STRUCTURE_CONFLICT)

Look-alikes count: text is compared without case, width, invisible characters and accents of
decoration, because a reader (a model is one) would take them for the real thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import is_normalized, normalize

from assay.answers.evidence.sanitize import REMOVED
from assay.core.text.folding import marks_in_order

_INVISIBLE = re.compile(f"[{REMOVED}\u200c\u200d\u180e\ufe00-\ufe0f]")
_EVIDENCE_HEADER = re.compile(r"\[\s*c[^\[\]\n|]{0,40}\|\s*chunk_id\s*=|\|\s*chunk_id\s*=")
_BREAKS = re.compile("[\r\v\f\x85\u2028\u2029]")
_SIGNS = "#=*_~<>[]|-"
_HYPHEN = b"-"
_NOT_PLAIN = 0
_NEVER_PLAIN = {*range(0x0A), *range(0x0B, 0x20), 0x7F, 0xAD, *map(ord, _SIGNS.replace("-", ""))}
_PLAIN = bytes(_NOT_PLAIN if byte in _NEVER_PLAIN else byte for byte in range(256))
"""Of the code page 1252: control characters, the soft hyphen and signs but the hyphen."""
_DECORATION = _SIGNS + " \t"
_PLAIN_ID = re.compile(r"[A-Za-z0-9_./:#@+-]+")
_ID_DELIMITERS = re.compile(r"[\[\]［］]|\s\||\|\s")


class Structure:
    """The headers of one prompt contract, ready to be looked for."""

    def __init__(self, headers: Iterable[str]) -> None:
        self._names = tuple(" ".join(_fold(header).strip("= ").split()) for header in headers)
        either = "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in self._names)
        self._header = re.compile(rf"==\s*(?:{either})|(?:{either})\s*==")

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
        if "|" in lower and "chunk_id" in lower and _EVIDENCE_HEADER.search(lower):
            return True
        # Almost every text has no decoration at all; only the others are searched.
        if not any(sign * 2 in lower for sign in filter(lower.__contains__, _SIGNS)):
            return False
        flat = " ".join(lower.split())
        if not any(name in flat for name in self._names):
            return False
        return bool(self._header.search(lower)) or any(map(self._decorated, lower.split("\n")))

    def _decorated(self, line: str) -> bool:
        """Whether *line* is a header's name and decoration: `## User question`, `--- … ---`."""
        bare = line.lstrip(_DECORATION)
        lead = line[: len(line) - len(bare)]
        name = " ".join(bare.rstrip(_DECORATION + ":").split())
        return name in self._names and any(sign * 2 in lead for sign in _SIGNS)

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


def _fold(text: str) -> str:
    """*text* as a reader sees it: without case, width and invisible characters."""
    if text.isascii():
        if text.replace("\n", "").isprintable():
            return text.lower()
    elif is_normalized("NFKC", text) and not _INVISIBLE.search(text):
        return _BREAKS.sub("\n", text.casefold())
    return _BREAKS.sub("\n", normalize("NFKC", marks_in_order(_INVISIBLE.sub("", text))).casefold())
