"""What a source says of itself beside its text: kept where it is short and flat.

In      a JSON-like value, or the metadata object of another library
Out     texts by key, bounded and sorted
Pure    yes; never raises
Spec    008-R7; 004 R2.0A (keys beyond the contract are left out)

Metadata is untrusted as the text is, and goes into no prompt. What is nested or too long is left
out rather than refused: a store may keep whatever it likes beside a passage.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from assay.answers.evidence.sanitize import has_controls

MOST_KEYS: Final = 50
LONGEST_KEY: Final = 100
LONGEST_VALUE: Final = 300


def read_metadata(value: Any) -> dict[str, str]:
    """The short, flat part of *value*, every value as text; empty where it is no mapping.

    Example:
        >>> read_metadata({"page": 3, "final": True, "tags": ["a"], "title": "Fees"})
        {'final': 'true', 'page': '3', 'title': 'Fees'}
    """
    if not isinstance(value, Mapping):
        return {}
    found = {
        key: text
        for key, item in value.items()
        if isinstance(key, str) and 0 < len(key) <= LONGEST_KEY and _is_plain(key)
        if (text := metadata_text(item)) is not None
    }
    return dict(sorted(found.items())[:MOST_KEYS])


def metadata_text(value: Any) -> str | None:
    """One value as text; None for what is nested, empty, too long or no text.

    Example:
        >>> metadata_text(2.0), metadata_text(" a "), metadata_text([1])
        ('2', 'a', None)
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        value = int(value) if value.is_integer() and abs(value) < 2**53 else value
    if callable(as_date := getattr(value, "isoformat", None)):
        value = as_date()
    if not isinstance(value, str | int | float):
        return None
    text = str(value).strip()
    return text if 0 < len(text) <= LONGEST_VALUE and _is_plain(text) else None


def _is_plain(text: str) -> bool:
    if text.isascii() and text.isprintable():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return not has_controls(text)
