"""What is removed from retrieved text before it may be evidence, and nothing more.

In      chunk text, ids, source references, a question
Out     the same without control characters and with even white space
Pure    yes; linear
Spec    004 R2.3 (safe_normalize_v1), PB2; interfaces.md, "Answers"
"""

from __future__ import annotations

import re
from typing import Final

REMOVED: Final = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # C0 and C1 but tab, line feed, carriage return
    "\u00ad\u200b\u2060\ufeff"  # soft hyphen, zero-width space, word joiner, byte order mark
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidi controls
)
"""Characters that `safe_normalize_v1` removes. U+200C and U+200D stay: they carry meaning."""

_REMOVE = re.compile(f"[{REMOVED}]+")
_SPACES = re.compile(r"[ \t]{2,}|\t")
_NEWLINES = re.compile(r"\n{3,}")
_CONTROLS = re.compile(f"[{REMOVED}\t\n\r\u2028\u2029]")
_UNSAFE_REFERENCE = re.compile(f"[{REMOVED}\t\n\r\u2028\u2029\\[\\]|]")
_QUESTION_BREAKS = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")

MAX_REFERENCE_CHARS: Final = 400
"""A source reference is cut here: a title must not eat the evidence's budget."""


def safe_normalize_v1(text: str) -> str:
    """Remove what cannot be seen and even out white space; keep every word.

    CRLF and CR become LF; controls and bidi marks go; runs of spaces and tabs become one
    space, three or more line feeds two; the ends are trimmed. Doing it twice changes nothing.

    Example:
        >>> safe_normalize_v1("a\\x00b\\tc\\r\\n\\r\\n\\r\\nd ")
        'ab c\\n\\nd'

    Spec: 004 R2.3.
    """
    if not (text.replace("\n", "") if "\n" in text else text).isprintable():
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        text = _REMOVE.sub("", text).replace("\t", " ")
    return fold_blanks(text)


def fold_blanks(text: str) -> str:
    """What `safe_normalize_v1` does to a text that holds nothing to be removed and no tab."""
    # CPython looks for two characters faster from the end.
    if text.rfind("  ") >= 0:
        text = _SPACES.sub(" ", text)
    if "\n" in text and "\n\n\n" in text:
        text = _NEWLINES.sub("\n\n", text)
    return text.strip()


def has_controls(text: str) -> bool:
    """Whether *text* holds a line break, a control character or one that cannot be seen."""
    return _CONTROLS.search(text) is not None


def source_reference(value: str | None) -> str:
    """What stands as `source=` in an evidence header: one line without `[`, `]` and `|`."""
    if value is None or not value.strip():
        return "unknown"
    flat = _UNSAFE_REFERENCE.sub("_", value)
    return flat if len(flat) <= MAX_REFERENCE_CHARS else flat[: MAX_REFERENCE_CHARS - 1] + "…"


def normalize_question(question: str) -> str:
    """A question as received, but for its white space.

    Line breaks of every kind become LF, runs of spaces and tabs one space, three or more line
    feeds two; the ends are trimmed. Nothing else changes.

    Spec: 004 PB2.
    """
    text = _QUESTION_BREAKS.sub("\n", question)
    return _NEWLINES.sub("\n\n", _SPACES.sub(" ", text)).strip()
