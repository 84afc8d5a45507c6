"""What comes from outside, as a page shows it among words of ours.

In      a name, a line, a source text
Out     markup: the text escaped, apart from what stands around it, what nobody sees written out
Pure    yes; linear
Spec    009-P3, 009-D9

A mark of direction acts until something ends it. Here each stands alone in an element that ends it
at once, with its code before it; so the text keeps every character, and marks over quotes and what
is selected count and give back what stands in the source. Texts written from right to left are
read as they are: the direction of each paragraph is that of its own first letter.
"""

from __future__ import annotations

import re
from typing import Any, Final

from markupsafe import Markup, escape

from assay.core.text.controls import UNSEEN, show_unseen
from assay.server.pages.words import Words

_JOINER: Final = "\u200c"
_JOINS: Final = re.compile(r"[\u0600-\u07ff\u08a0-\u08ff]")
_NUL, _RETURN, _NO_CHARACTER = "\x00", "\r", "\ufffd"


def isolate_text(value: Any) -> Markup:
    """A foreign text within a line of ours: it turns nothing round, and hides nothing.

    Example:
        >>> isolate_text("<b>\\u202egnp")
        Markup('<bdi>&lt;b&gt;⟨U+202E⟩gnp</bdi>')
    """
    text = show_unseen(str(value))
    return Markup("<bdi>{}</bdi>").format(text) if text else Markup()


def tell_foreign(words: Words, key: str, **values: Any) -> Markup:
    """A sentence of the catalogue with foreign texts in it."""
    sentence = escape(words.find(key) or key)
    return sentence.format(**{name: isolate_text(value) for name, value in values.items()})


def show_source(text: str) -> Markup:
    """A source text with every character that stands in it; what nobody sees has its code before.

    Example:
        >>> show_source("a\\u200bb")
        Markup('a<bdi class="ctl" data-code="⟨U+200B⟩">\\u200b</bdi>b')
    """
    pieces: list[str] = []
    at = 0
    for match in UNSEEN.finditer(text):
        start, stop = match.span()
        if match[0] == _JOINER and _joins_letters(text, start):
            continue
        code, sign = show_unseen(match[0]), _write_character(match[0])
        pieces.append(escape(text[at:start]))
        pieces.append(f'<bdi class="ctl" data-code="{code}">{sign}</bdi>')
        at = stop
    pieces.append(escape(text[at:]))
    return Markup("").join(map(Markup, pieces))


def _joins_letters(text: str, at: int) -> bool:
    """Whether it stands between letters of a script that joins them, where it is spelling."""
    around = (text[max(0, at - 1) : at], text[at + 1 : at + 2])
    return all(_JOINS.fullmatch(letter) for letter in around)


def _write_character(sign: str) -> str:
    """As a parser of HTML keeps it: one character for each."""
    if sign == _RETURN:
        return "&#13;"
    if sign == _NUL or "\ud800" <= sign <= "\udfff":
        return _NO_CHARACTER
    return sign
