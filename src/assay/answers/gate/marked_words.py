"""The words of a text, and what each of them does: turns, denies, excepts, limits, compares.

In      a text, its language, which puts spaces between words
Out     words with what they are
Pure    yes; linear
Spec    005-A4
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final
from unicodedata import normalize

from assay.answers.gate.clause import Turn
from assay.answers.gate.content_words import MARKS, content_words, poles_by_stem, stem
from assay.answers.gate.negation_words import (
    COMPARED,
    CONTRASTS,
    EXCEPTIONS,
    LIMITS,
    NEGATIONS,
    Phrases,
)
from assay.answers.gate.turning_words import NOT_TURNING, TURNS
from assay.core.text.word_sets import word_set

_LETTER = rf"(?:[^\W_]|{MARKS})"
_WORD = re.compile(rf"{_LETTER}+(?:-{_LETTER}+)*['’]?|[,;:()–—.!?|।。]")
_CONTRACTED = re.compile(r"(?P<verb>[a-z]+?)n['’]t\b", re.I)
_IRREGULAR: Final = {"ca": "can", "wo": "will", "sha": "shall"}
_NUMBER_SIGN = re.compile(r"\bno\.\s?(?=\d)", re.I)
_LONGEST_PHRASE: Final = 4
_STEM_FROM: Final = 4
"""A shorter word of a table stands for itself alone."""

NAMED: Final = "~~"
"""Before a capital that is a name by itself."""

REACH: Final = 4
"""Words between a denial and the pole that it moves."""

COMPARING: Final = word_set(
    "more less fewer greater exceed exceeding mehr weniger plus moins más menos più meno mais"
    " meer minder więcej mniej"
)
"""First words of bounds that a denial moves from further off: `do not take more than`."""

NE: Final = frozenset({"ne", "n'", "n’"})
"""What announces a denial in French."""
_ONLY_WITH_NE: Final = frozenset({"personne", "plus", "rien"})


@dataclass(slots=True)
class Word:
    """One word while its clause is read."""

    text: str
    part: int
    """Number of the stretch between commas and links."""

    key: str | None = None
    turn: Turn | None = None
    denies: bool = False
    excepts: bool = False
    limits: bool = False
    compares: bool = False
    spent: bool = False
    """The denial has moved a pole."""


@cache
def _starters(language: str) -> frozenset[str]:
    """First words of all phrases of more than one word."""
    tables = (TURNS.get(language, {}), *(t.get(language, ()) for t in _TABLES))
    return frozenset(phrase[0] for table in tables for phrase in table if len(phrase) > 1)


_TABLES: Final[tuple[Phrases, ...]] = (NEGATIONS, LIMITS, EXCEPTIONS, CONTRASTS)


def read_words(text: str, language: str) -> list[Word]:
    """The words of *text* without its signs, marked; what denies within a phrase denies too.

    Example:
        >>> [word.text for word in read_words("Never without a receipt", "en") if word.denies]
        ['never', 'without']
    """
    words = [Word(word, 0) for word in split_words(text) if not is_sign(word)]
    mark_words(words, language)
    for at, word in enumerate(words):
        word.denies = word.denies or _is_denial(words, at, language)
    return words


def is_sign(word: str) -> bool:
    """Whether a word of `split_words` is none but a comma or a stop."""
    return not (word[0].isalnum() or word.startswith(NAMED))


def split_words(text: str) -> list[str]:
    """Words, case folded, and the signs between them; `can't` as two."""
    plain = normalize("NFC", text)
    plain = _NUMBER_SIGN.sub("nr ", plain)
    plain = _CONTRACTED.sub(lambda m: f"{_IRREGULAR.get(m['verb'].lower(), m['verb'])} not", plain)
    plain = re.sub(r"\bcannot\b", "can not", plain, flags=re.I)
    return [
        f"{NAMED}{match[0]}" if _is_name(match) else match[0].casefold().replace("’", "'")
        for match in _WORD.finditer(plain)
    ]


def _is_name(match: re.Match[str]) -> bool:
    """`Plan A`: a capital by itself behind another word."""
    word = match[0]
    return len(word) == 1 and word.isupper() and word != "I" and match.start() > 0


def mark_words(words: list[Word], language: str) -> None:
    """Say of each word what it is; a word of a phrase is what the phrase is."""
    starters = _starters(language)
    turns, stems = TURNS.get(language, {}), poles_by_stem(language)
    still = NOT_TURNING.get(language, frozenset())
    at = 0
    while at < len(words):
        size = 1
        if words[at].text in starters:
            longest = min(_LONGEST_PHRASE, len(words) - at)
            size = next((n for n in range(longest, 1, -1) if _is_known(words, at, n, language)), 1)
        phrase = tuple(word.text for word in words[at : at + size])
        word = words[at]
        word.denies = _is_denial(words, at, language, size)
        word.limits = phrase in LIMITS.get(language, ())
        word.compares = phrase in COMPARED.get(language, ())
        word.excepts = phrase in EXCEPTIONS.get(language, ())
        found = turns.get(phrase)
        if found and (size > 1 or word.denies or phrase[0] not in _ONLY_WITH_NE):
            word.turn = _beside_number(words, at, Turn(*found))
        elif size == 1 and not (word.denies or word.limits or word.excepts):
            content = next(content_words(word.text, language), None)
            key = content.key if content else None
            is_form = len(word.text) >= _STEM_FROM and word.text not in still
            found = stems.get(stem(word.text, language)) if is_form else None
            word.turn = Turn(*found) if found else None
            if word.text.startswith(NAMED):
                key = word.text
            word.key = None if word.turn else key or _digits(word.text)
        at += size


def _beside_number(words: Sequence[Word], at: int, turn: Turn) -> Turn:
    """`8 % more than in May` compares and bounds nothing."""
    if turn.axis != "bound" or words[at].text not in COMPARING or not at:
        return turn
    if not any(map(str.isdigit, words[at - 1].text)):
        return turn
    return Turn("rank", "more" if turn.pole == "over" else "less")


def _is_known(words: Sequence[Word], at: int, size: int, language: str) -> bool:
    phrase = tuple(word.text for word in words[at : at + size])
    return phrase in TURNS.get(language, {}) or any(
        phrase in table.get(language, ()) for table in _TABLES
    )


def _is_denial(words: Sequence[Word], at: int, language: str, size: int = 1) -> bool:
    """Whether a phrase denies; French `personne`, `plus` and `rien` only beside `ne`."""
    phrase = tuple(word.text for word in words[at : at + size])
    if phrase not in NEGATIONS.get(language, ()):
        return False
    near = words[max(0, at - REACH) : at + REACH]
    return words[at].text not in _ONLY_WITH_NE or any(word.text in NE for word in near)


def _digits(word: str) -> str | None:
    return word if any(map(str.isdigit, word)) else None
