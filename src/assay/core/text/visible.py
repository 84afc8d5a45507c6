"""Whether a text says something: letters and digits, and signs that stand for them.

In      a text
Out     yes or no
Pure    yes; linear
Spec    005-A1 (whatever a reader would read as text is judged as text)
"""

from __future__ import annotations

import re
from unicodedata import category, normalize

_PLAIN_WORD = re.compile(r"[^\W_]")
_OTHER = re.compile(r"[^\x00-\x7f]")
_LETTERS_IN_BOXES = re.compile("[\u2800-\u28ff\U0001f100-\U0001f2ff]")
"""Braille, and letters that are squared, circled or halves of flags."""


def says_words(text: str) -> bool:
    """Whether there is anything to read in *text*: punctuation, rules and pictures are not.

    Example:
        >>> says_words("--- * !"), says_words("Ⓝⓞ"), says_words("👍"), says_words("x")
        (False, True, False, True)
    """
    if _PLAIN_WORD.search(text):
        return True
    return any(_is_read(char) for char in set(_OTHER.findall(text)))


def _is_read(char: str) -> bool:
    if _LETTERS_IN_BOXES.match(char):
        return True
    # What has no meaning that we know may have a shape: private use, and the unassigned.
    return category(char) in {"Co", "Cn", "No", "Nl"} or bool(
        _PLAIN_WORD.search(normalize("NFKC", char))
    )
