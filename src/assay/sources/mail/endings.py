"""Find what ends a mail out of habit: signatures, disclaimers, footers of lists.

In      the lines of a run of a text that nobody else wrote
Out     the kind of each line: own, signature or disclaimer
Pure    no clock, no randomness, no I/O
Spec    000, "Retry policy" (the shortened input of attempt 2)
"""

from __future__ import annotations

import re
from typing import Literal

from assay.sources.mail import ending_words as words

Ending = Literal["own", "signature", "disclaimer"]

MAX_SIGNATURE_LINES = 15
"""Longest signature behind a delimiter line; what is longer is a text with a line in it."""

MAX_CLOSED_LINES = 10
"""Most lines behind a closing formula."""

_DELIMITER = re.compile(r"\s{0,3}(?:--|__|—|– ?–)\s*")
_LIST_RULE = re.compile(r"[_-]{20,}\s*")
_DASHED_NAME = re.compile(r"\s{0,3}[-–—~] ?[^\W\d_][\w.'’-]{0,30}(?: [\w.'’-]{1,30}){0,3}\s*")
_POSTSCRIPT = re.compile(r"\s*(?:p\.? ?p?\.?s\b|nb\b|n\.b\.)", re.IGNORECASE)
_SENTENCE = re.compile(r"[^\W\d_]{2,}[.!?]\s|[?!]\s*$")


def mark_endings(lines: list[str], *, opening: bool = True) -> list[Ending]:
    """The kind of each of *lines*.

    Args:
        lines: A run of a text; some of them are not empty.
        opening: The run begins the text. What begins a later run may be a signature as a whole.
    """
    kinds: list[Ending] = ["own"] * len(lines)
    inside = False
    for first, stop in _paragraphs(lines):
        said = _says("\n".join(lines[first:stop])[:4000])
        # Behind a disclaimer, paragraphs that say one of its things belong to it.
        inside = said >= 3 or (inside and said >= 1)
        if inside:
            kinds[first:stop] = ["disclaimer"] * (stop - first)
    own = [n for n, line in enumerate(lines) if line.strip() and kinds[n] == "own"]
    while own and (len(own) > 1 or not opening) and words.SENT_FROM.fullmatch(lines[own[-1]]):
        kinds[own.pop()] = "signature"
    for _ in range(3):  # a signature, above it a name, above that nothing more
        place = _signature(lines, own, opening=opening)
        for number in own[place:]:
            kinds[number] = "signature"
        del own[place:]
    return kinds


def _signature(lines: list[str], own: list[int], *, opening: bool) -> int:
    """Where in *own*, the numbers of the lines in question, the signature begins."""
    for place in range(len(own) - 1, max(-1, len(own) - MAX_SIGNATURE_LINES - 2), -1):
        line = lines[own[place]]
        below = [lines[number] for number in own[place + 1 :]]
        first = opening and place == 0
        if _DELIMITER.fullmatch(line) and below:
            return place
        if _LIST_RULE.fullmatch(line) and any(map(words.LIST_FOOTER.search, below)):
            return place
        # "Thanks!" may be all that somebody answers; "Regards" never is.
        spoken = first and words.THANKS.match(line)
        if words.CLOSING.fullmatch(line) and not spoken and _is_card(below):
            return place
        alone = not first and own[place] > 0 and not lines[own[place] - 1].strip()
        if _DASHED_NAME.fullmatch(line) and not below and alone:
            return place
    return len(own)


def _is_card(below: list[str]) -> bool:
    """Are the lines behind a closing formula names and addresses rather than sentences?"""
    if len(below) > MAX_CLOSED_LINES:
        return False
    return not any(
        len(line) > 80 or _POSTSCRIPT.match(line) or (len(line) > 40 and _SENTENCE.search(line))
        for line in below
    )


def _says(paragraph: str) -> int:
    """How many of the things a disclaimer says *paragraph* says; 3 and more make one."""
    paragraph = paragraph.encode("utf-8", "replace").decode("utf-8")  # RE2 takes no lone surrogate
    if words.DISCLAIMER_ALONE.search(paragraph):
        return 3
    said = sum(bool(sign.search(paragraph)) for sign in words.DISCLAIMS)
    return said if len(paragraph) > 60 else min(said, 2)


def _paragraphs(lines: list[str]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    first: int | None = None
    for number, line in enumerate([*lines, ""]):
        if line.strip() and first is None:
            first = number
        elif not line.strip() and first is not None:
            found.append((first, number))
            first = None
    return found
