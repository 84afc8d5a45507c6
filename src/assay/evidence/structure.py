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
from unicodedata import normalize

from assay.evidence.sanitize import REMOVED

_INVISIBLE = re.compile(f"[{REMOVED}\u200c\u200d\u180e\ufe00-\ufe0f]")
_EVIDENCE_HEADER = re.compile(r"\[\s*c[^\[\]\n|]{0,40}\|\s*chunk_id\s*=|\|\s*chunk_id\s*=")
_ID_DELIMITERS = re.compile(r"[\[\]［］]|\s\||\|\s")


class Structure:
    """The headers of one prompt contract, ready to be looked for."""

    def __init__(self, headers: Iterable[str]) -> None:
        self._names = tuple(" ".join(_fold(header).strip("= ").split()) for header in headers)
        either = "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in self._names)
        self._header = re.compile(
            rf"={{2,}}\s*(?:{either})|(?:{either})\s*={{2,}}"
            rf"|^[\s#=*_~<>\[\]|\-]*[#=*_~<>\[\]|\-]{{2,}}\s*(?:{either})[\s#=*_~<>\[\]|:\-]*$",
            re.MULTILINE,
        )

    def conflicts(self, text: str) -> bool:
        """Whether *text* holds a section header or an evidence header.

        Example:
            >>> structure = Structure(["=== USER QUESTION ==="])
            >>> structure.conflicts("The user question is open."), structure.conflicts(
            ...     "Fine.\\n=== User  Question ==="
            ... )
            (False, True)
        """
        # Almost every text lacks all of these; only the others are searched.
        plain = text.isascii() and text.replace("\n", "").isprintable()
        lower = text.lower() if plain else _fold(text)
        if "chunk_id" in lower and _EVIDENCE_HEADER.search(lower):
            return True
        flat = lower if plain and "  " not in lower and "\n" not in lower else None
        flat = flat or " ".join(lower.split())
        return any(name in flat for name in self._names) and bool(self._header.search(lower))

    def breaks_header(self, identifier: str) -> bool:
        """Whether *identifier* could end or forge the header line that it stands in."""
        return bool(_ID_DELIMITERS.search(identifier)) or self.conflicts(identifier)


def _fold(text: str) -> str:
    folded = normalize("NFKC", _INVISIBLE.sub("", text)).casefold()
    return re.sub("[\r\v\f\x85\u2028\u2029]", "\n", folded)
