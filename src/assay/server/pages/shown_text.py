"""Characters that nobody sees, made visible: who signs a text must know all that stands in it.

In      a text from outside
Out     the text to be shown
Pure    yes

A mark of direction turns a sentence round before the reader's eyes, and a model reads it as it
stands. So it is written out; what is not shown otherwise is, too.
"""

from __future__ import annotations

import re
from typing import Final

_DELETE: Final = 0x7F
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200c\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def show_unseen(text: str) -> str:
    """The text with its invisible characters written out.

    Example:
        >>> show_unseen("a\\u202eb\\x1b[31m")
        'a⟨U+202E⟩b␛[31m'
    """
    return _UNSEEN.sub(_write_out, text)


def _write_out(match: re.Match[str]) -> str:
    sign = match[0]
    code = ord(sign)
    if code < ord(" "):
        return chr(0x2400 + code)
    if code == _DELETE:
        return "\u2421"
    return f"\u27e8U+{code:04X}\u27e9"
