"""Slices of a source with personal data replaced, for results and screens.

In      source texts and their redactions; values that are personal by type
Out     text of a slice in which every covered character has become part of a surrogate
Pure    yes
Spec    000 (snippets in results); interfaces.md, "Redaction", `snippet_redacted`

A value that only half lies in a slice is replaced all the same: what is left out of a
surrogate is left out of the text too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.redaction.redactor import Redactor


@dataclass(frozen=True, slots=True, kw_only=True)
class Mask:
    """A range of a text, in code points, and what stands in its place."""

    start: int
    stop: int
    surrogate: str


def masks_of_texts(
    texts: Mapping[str, str], names: Iterable[str], redactor: Redactor
) -> dict[str, tuple[Mask, ...]]:
    """What redaction finds in the named source texts."""
    return {
        name: tuple(
            Mask(start=span.start, stop=span.stop, surrogate=span.surrogate)
            for span in redactor.redact(texts[name]).spans
        )
        for name in dict.fromkeys(names)
        if name in texts
    }


def spelling_pattern(value: str) -> re.Pattern[str] | None:
    """A pattern for *value* however it is spaced and punctuated; None when nothing is to find.

    One letter or digit alone is no value to look for: it would blot out half a text. Values
    of two or three are looked for as whole words only.
    """
    signs = [char for char in value if char.isalnum()]
    if len(signs) < 2:
        return None
    body = r"[\W_]*".join(re.escape(char) for char in signs)
    return re.compile(body if len(signs) > 3 else rf"(?<!\w){body}(?!\w)", re.IGNORECASE)


def mask_slice(
    text: str,
    start: int,
    stop: int,
    masks: Sequence[Mask],
    values: Iterable[tuple[re.Pattern[str], str]] = (),
) -> str:
    """The slice of *text* from *start* to *stop* with all masks applied.

    Args:
        masks: Of the whole text, in any order.
        values: Patterns of values that are personal by type, each with its surrogate; they
            are looked for inside the slice and win over the masks that they cover.

    Example:
        >>> mask_slice("Call Ann now", 5, 12, [Mask(start=5, stop=8, surrogate="[NAME]")])
        '[NAME] now'
    """
    own = [
        Mask(start=match.start(), stop=match.end(), surrogate=surrogate)
        for pattern, surrogate in values
        for match in pattern.finditer(text, start, stop)
    ]
    cut = [
        Mask(start=max(mask.start, start), stop=min(mask.stop, stop), surrogate=mask.surrogate)
        for mask in masks
        if mask.start < stop and mask.stop > start
    ]
    parts: list[str] = []
    at = start
    for mask in _melt_overlaps([*own, *cut]):
        parts += [text[at : mask.start], mask.surrogate]
        at = mask.stop
    return "".join([*parts, text[at:stop]])


def _melt_overlaps(masks: list[Mask]) -> list[Mask]:
    """Merge masks that overlap; the merged one carries the surrogate of the longest."""
    melted: list[Mask] = []
    longest = 0
    for mask in sorted(masks, key=lambda mask: (mask.start, -mask.stop)):
        length = mask.stop - mask.start
        if melted and mask.start < melted[-1].stop:
            last = melted[-1]
            surrogate = mask.surrogate if length > longest else last.surrogate
            longest = max(longest, length)
            melted[-1] = Mask(start=last.start, stop=max(last.stop, mask.stop), surrogate=surrogate)
        else:
            melted.append(mask)
            longest = length
    return melted
