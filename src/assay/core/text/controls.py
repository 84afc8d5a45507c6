"""Characters that control a reader or that nobody sees, made visible.

In      a text from outside
Out     the text to be shown
Pure    yes; linear
Spec    007-F4; 009-P3

A mark of direction turns a sentence round before the reader's eyes, and a model reads it as it
stands. A terminal obeys what it is sent. Whoever shows a foreign text shows it by one of these.
"""

from __future__ import annotations

import re
from typing import Final

# C0 but tab and line feed, DEL, C1, marks of direction, separators of lines and paragraphs, lone
# surrogates, what is no character, interlinear annotation, tags.
_CONTROLS: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufdd0-\ufdef\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f"
)
# They have no width; the joiner of emoji is none of them, for it is seen in what it joins.
_WIDTHLESS: Final = "\u200b\u200c\u2060-\u2065\u206a-\u206f\ufeff"

CONTROLS: Final = re.compile(f"[{_CONTROLS}]")
"""One character that controls who reads it, or that cannot stand in a document."""

UNSEEN: Final = re.compile(f"[{_CONTROLS}{_WIDTHLESS}]")
"""One character that controls who reads it, or that has no width."""

_DELETE: Final = 0x7F


def replace_controls(text: str) -> str:
    """*text* with `·` for each control; its length stays, so that offsets into it still fit.

    Example:
        >>> replace_controls("a\\u202eb\\x1b[31m")
        'a·b·[31m'
    """
    return CONTROLS.sub("·", text)


def show_unseen(text: str) -> str:
    """*text* with controls and what has no width written out, for who has to know all of it.

    Example:
        >>> show_unseen("a\\u202eb\\x1b[31m")
        'a⟨U+202E⟩b␛[31m'
    """
    return UNSEEN.sub(_write_out, text)


def _write_out(match: re.Match[str]) -> str:
    sign = match[0]
    code = ord(sign)
    if code < ord(" "):
        return chr(0x2400 + code)
    if code == _DELETE:
        return "\u2421"
    return f"\u27e8U+{code:04X}\u27e9"
