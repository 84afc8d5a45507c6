"""The terms under which a passage is found by its words.

In      a text
Out     stems of its words in the order of the text, small words left out
Pure    yes
Spec    008-R1

Snowball stems in the languages that have them, pairs of characters where there are no spaces, as
in the gate of answers. A joined name of source code is found by itself and by its parts:
`maxRetryCount`, `max_retry_count` and "retry count" meet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from assay.answers.gate.content_words import (
    content_words,
    guess_text_language,
    likely_languages,
    stem,
)
from assay.answers.gate.stop_words import ANY, STOP_WORDS

_WORD: Final = re.compile(r"[^\W_]+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SMALL: Final = 5
"""Small words are left out up to this length: longer ones (`without`, `before`) help to find."""

_UNSPACED: Final = frozenset({"ja", "zh", "th", "km", "my", "lo"})


def passage_terms(text: str) -> list[str]:
    """The terms of a passage, each as often as it stands there.

    Example:
        >>> passage_terms("The fees for maxRetry are due in 14 days.")
        ['fee', 'maxretri', 'max', 'retri', 'due', '14', 'day']
    """
    return list(_terms(text, guess_text_language(text)))


def question_terms(question: str) -> list[str]:
    """The terms of a question, each once; in every language that it may be in.

    Example:
        >>> question_terms("How are fees paid?")
        ['fee', 'pay']
    """
    found: dict[str, None] = {}
    for language in likely_languages(question) or (None,):
        found |= dict.fromkeys(_terms(question, language))
    return list(found)


def _terms(text: str, language: str | None) -> Iterator[str]:
    if language in _UNSPACED:
        yield from (word.key for word in content_words(text, language) if not word.grammar)
        yield from (match for match in _WORD.findall(text) if match.isdigit())
        return
    small = ANY if language is None else STOP_WORDS.get(language, frozenset())
    for word in _WORD.findall(text):
        if len(word) <= _SMALL and word.casefold() in small:
            continue
        yield stem(word, language)
        parts = _HUMP.split(word)
        if len(parts) > 1:
            yield from (stem(part, language) for part in parts)
