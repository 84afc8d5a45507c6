"""Every sentence that pages and pictures of the record say, in one place.

In      nothing
Out     words by name
Pure    yes
Spec    007-F1

Another language is another such module; what stands on record (names, codes) is not translated.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

STATUS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "accepted": "accepted",
        "no_evidence": "no evidence",
        "needs_review": "needs review",
        "rejected": "rejected",
        "open": "not settled",
    }
)
SHAPE: Final[Mapping[str, str]] = MappingProxyType(
    {"accepted": "✓", "no_evidence": "○", "needs_review": "!", "rejected": "✕", "open": "…"}
)
"""Status -> the sign that stands with its word."""

YES, NO, NOTHING = "yes", "no", "nothing"
FINDINGS = "Findings"
NO_FINDINGS = "No findings."
NOTE = "note"
RESULT = "Result"
EVIDENCE = "Evidence"
NOT_MARKED = "Not marked"
NOT_A_SOURCE = "is none of the texts shown here"
NOT_IN_TEXT = "lies outside the text"


def left_out(chars: int) -> str:
    """What stands where a text was cut."""
    return f"… {count(chars, 'character')} left out …"


def and_more(number: int, what: str) -> str:
    """What stands where a list was cut."""
    return f"and {count(number, what)} more"


def count(number: int, what: str) -> str:
    """A number with its noun.

    Example:
        >>> count(1, "call"), count(12000, "call")
        ('1 call', '12,000 calls')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
