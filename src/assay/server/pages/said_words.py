"""Sentences of the library that a page shows in its own language.

In      a sentence as the library says it, in English
Out     the same of the catalogue; None where it is none of a fixed set
Pure    yes
Spec    009-D6

The English catalogue holds the sentences as the library says them; the other languages say the
same under the same key. Numbers are `#`, in their order; what stands in brackets at the end stays.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from assay.server.pages.words import Words, words_of

_BEFORE: Final = "said."
_NUMBER: Final = re.compile(r"\d+")
_WHOLE: Final = (
    ("The input could not be read: ", ".", "desk.unread_because"),
    ("its HTML form: ", "", "desk.unread_form"),
)
_FAULT: Final = re.compile(r"(.*) (\([\w.]+\))", re.DOTALL)


def tell_known(words: Words, sentence: str) -> str | None:
    """What *sentence* says, in these words; None where nobody knows it.

    Example:
        >>> tell_known(words_of("de"), "is a damaged PDF (PdfReadError)")
        'ist ein beschädigtes PDF (PdfReadError)'
    """
    for start, end, key in _WHOLE:
        if sentence.startswith(start) and sentence.endswith(end):
            why = tell_known(words, sentence[len(start) : len(sentence) - len(end)])
            return None if why is None else words(key, why=why)
    found = _tell_exactly(words, sentence)
    if found is None and (cut := _FAULT.fullmatch(sentence)):
        known = _tell_exactly(words, cut[1])
        found = None if known is None else f"{known} {cut[2]}"
    return found


def known_sentences(words: Words) -> Mapping[str, str]:
    """Sentences without numbers by how the library says them, for the page's script."""
    if words.language == "en":
        return {}
    return {said: words.sentences[key] for said, key in _keys().items() if "#" not in said}


def _tell_exactly(words: Words, sentence: str) -> str | None:
    keys = _keys()
    if sentence in keys:
        return words.sentences[keys[sentence]]
    key = keys.get(_NUMBER.sub("#", sentence))
    if key is None:
        return None
    told = words.sentences[key]
    for number in _NUMBER.findall(sentence):
        told = told.replace("#", number, 1)
    return told


@cache
def _keys() -> Mapping[str, str]:
    english = words_of("en").sentences
    return {said: key for key, said in english.items() if key.startswith(_BEFORE)}
