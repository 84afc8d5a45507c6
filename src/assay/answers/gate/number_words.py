"""Numbers written as words, those that belong together as one number.

In      a text
Out     places and values of its number words
Pure    yes; linear: one dictionary look-up a word
Spec    004 P2.2; interfaces.md, "Answers" (numbers equal after normalising)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final, NamedTuple

from assay.answers.gate.number_tables import (
    AMBIGUOUS,
    CARDINALS,
    CONTINUING,
    HALVES,
    NO_NUMBERS,
    ORDINALS,
    SCALES,
)
from assay.answers.gate.scales import SCALE_WORDS

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


class Written(NamedTuple):
    """One number in words."""

    start: int
    stop: int
    value: Fraction
    ordinal: bool


class _Part(NamedTuple):
    start: int
    stop: int
    value: int
    scale: bool


_THOUSANDS = re.compile(r"([^\W\d_]{0,40}?)(?:tausend(?:und)?|duizend|mila)([^\W\d_]{0,40})")
_THOUSAND = re.compile("tausend|duizend|mila")
_GAP = re.compile(r"\s{1,3}(?:(and|und|y|et|e|en)\s+)?", re.IGNORECASE)
AND_HALF: Final = re.compile(
    r"\s(?:and\s(?:a|one)[\s-]half|y\smedi[oa]|et\sdemie?|e\smezz[oa]|e\smei[oa])(?!\w)",
    re.IGNORECASE,
)
"""What adds a half to the number before it: `two and a half`."""

_ARTICLE = re.compile(r"(?<!\w)(?<!half )(?<!of )(an?|eine[rn]?|une?|un)[ \u00a0]\Z", re.IGNORECASE)
"""`a million` is one million; `half a million` and `a quarter of a million` are not."""

_LARGE: Final = SCALE_WORDS - SCALES.keys() - CARDINALS.keys()
"""Scales whose value hangs on the language; who reads the number multiplies."""

_ANY: Final = frozenset({*CARDINALS, *SCALES, *ORDINALS, *HALVES, *_LARGE, *CONTINUING})
_OWN_SCALES: Final = {"mille": frozenset({"fr", "it"}), "cent": frozenset({"fr"})}


def number_words(text: str, language: str | None = None) -> Iterator[Written]:
    """The number words of *text*, those that belong together as one number.

    Args:
        text: Any text.
        language: Its language; words that are others elsewhere are read only in their own.

    Example:
        >>> [str(word.value) for word in number_words("two hundred and five, dreißig, eineinhalb")]
        ['205', '30', '3/2']
    """
    run: list[_Part] = []
    for match in _WORD.finditer(text):
        word = match[0].casefold()
        end = match.end()
        if "-" in word and word not in _ANY and word.split("-")[0] in CARDINALS:
            word = word.split("-")[0]  # `a two-year term`
            end = match.start() + len(word)
        if (word not in _ANY and not _THOUSAND.search(word)) or not _is_of(word, language):
            continue
        value = _value(word) if word not in CONTINUING else CONTINUING[word] if run else None
        scale = word in SCALES
        article = None if run or not (scale or word in _LARGE) else _article(text, match.start())
        if value is None:
            yield from _whole_number(text, run)
            run = []
            if article is not None:
                yield Written(*article.span(1), Fraction(1), False)
            elif word in ORDINALS:
                yield Written(match.start(), match.end(), Fraction(ORDINALS[word]), True)
            elif word in HALVES:
                yield Written(match.start(), match.end(), HALVES[word], False)
            continue
        if article is not None:
            run = [_Part(*article.span(1), 1, False)]
        elif run:
            gap = _GAP.fullmatch(text, run[-1].stop, match.start())
            if gap is None or not _joins(run, value, scale, gap[1]):
                yield from _whole_number(text, run)
                run = []
                if word in CONTINUING:
                    continue
        if run or not scale or word in {"mil", "tausend", "mille", "cent", "duizend"}:
            run.append(_Part(match.start(), end, value, scale))
    yield from _whole_number(text, run)


def _is_of(word: str, language: str | None) -> bool:
    languages = AMBIGUOUS.get(word) or _OWN_SCALES.get(word)
    if languages is None:
        return language not in NO_NUMBERS.get(word, ())
    return language in languages


def _article(text: str, start: int) -> re.Match[str] | None:
    return _ARTICLE.search(text, max(0, start - 12), start)


def _value(word: str) -> int | None:
    value = CARDINALS.get(word)
    if value is None:
        value = SCALES.get(word)
    if value is None and _THOUSAND.search(word):
        match = _THOUSANDS.fullmatch(word)
        if match:
            head = 1 if match[1] in {"", "ein", "een"} else CARDINALS.get(match[1])
            tail = 0 if not match[2] else CARDINALS.get(match[2])
            if head is not None and tail is not None:
                return head * 1000 + tail
    return value


def _joins(run: list[_Part], value: int, scale: bool, joint: str | None) -> bool:
    """Whether *value* goes on with the number that *run* has begun."""
    last = run[-1].value
    if scale:
        return not joint and value > 1 and (last < value or run[-1].scale)
    if run[-1].scale:
        return value < last
    return last in range(20, 1000, 10) and 0 < value < (10 if last < 100 else 100)


def _whole_number(text: str, run: list[_Part]) -> Iterator[Written]:
    if not run:
        return
    total = part = largest = 0
    for _, _, value, scale in run:
        if not scale:
            part += value
        elif value == 100:
            part = max(part, 1) * 100
        elif total and value > largest:  # `dos mil quinientos millones`
            total, part = (total + part) * value, 0
        else:
            total += max(part, 1) * value
            part = 0
        largest = max(largest, value if scale else 0)
    half = AND_HALF.match(text, run[-1].stop)
    exact = Fraction(total + part) + (Fraction(1, 2) if half else 0)
    yield Written(run[0].start, half.end() if half else run[-1].stop, exact, False)
