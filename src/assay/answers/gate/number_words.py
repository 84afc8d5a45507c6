"""Numbers written as words: English, German, Spanish.

In      a text
Out     places and values of its number words
Pure    yes; linear: one dictionary look-up a word
Spec    004 P2.2; interfaces.md, "Answers" (numbers equal after normalising)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from types import MappingProxyType
from typing import Final, NamedTuple

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


class Written(NamedTuple):
    """One number in words."""

    start: int
    stop: int
    value: int
    ordinal: bool


def _list(text: str) -> list[str]:
    return text.split()


def _english() -> dict[str, int]:
    low = _list(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen"
    )
    table = {word: value for value, word in enumerate(low)}
    tens = _list("twenty thirty forty fifty sixty seventy eighty ninety")
    for place, word in enumerate(tens, start=2):
        table[word] = place * 10
        table.update({f"{word}-{low[one]}": place * 10 + one for one in range(1, 10)})
    return table


def _german() -> dict[str, int]:
    low = _list(
        "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
        "fünfzehn sechzehn siebzehn achtzehn neunzehn"
    )
    table = {word: value for value, word in enumerate(low)}
    table |= {"zwo": 2}
    ones = ["", "ein", *low[2:10]]
    tens = _list("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
    below = {word: value for word, value in table.items() if value}
    for place, word in enumerate(tens, start=2):
        below[word] = place * 10
        below.update({f"{ones[one]}und{word}": place * 10 + one for one in range(1, 10)})
    table |= below
    hundreds = {f"{ones[place]}hundert": place * 100 for place in range(1, 10)} | {"hundert": 100}
    table |= hundreds
    for (head, many), (joint, (tail, few)) in product(
        hundreds.items(), product(("", "und"), below.items())
    ):
        table[f"{head}{joint}{tail}"] = many + few
    return table


def _spanish() -> dict[str, int]:
    low = _list(
        "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
        "dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés "
        "veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve"
    )
    table = {word: value for value, word in enumerate(low)}
    table |= {"veintiún": 21}
    tens = _list("treinta cuarenta cincuenta sesenta setenta ochenta noventa")
    table |= {word: place * 10 for place, word in enumerate(tens, start=3)}
    hundreds = _list(
        "doscient trescient cuatrocient quinient seiscient setecient ochocient novecient"
    )
    for place, stem in enumerate(hundreds, start=2):
        table |= {f"{stem}os": place * 100, f"{stem}as": place * 100}
    return table | {"cien": 100, "ciento": 100}


def _ordinals() -> dict[str, int]:
    english = _list(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
    )
    german = _list("erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft")
    spanish = _list("primer segund tercer cuart quint sext séptim octav noven décim")
    table = {word: value for value, word in enumerate(english, start=1)}
    for value, stem in enumerate(german, start=1):
        table |= {f"{stem}{ending}": value for ending in ("e", "er", "es", "en", "em")}
    for value, stem in enumerate(spanish, start=1):
        table |= {f"{stem}{ending}": value for ending in ("o", "a", "os", "as")}
    return table | {"primer": 1, "tercer": 3}


CARDINALS: Final[Mapping[str, int]] = MappingProxyType(
    {word.casefold(): value for word, value in (_german() | _spanish() | _english()).items()}
)
"""Number words, case folded (so `ß` is `ss`)."""

ORDINALS: Final[Mapping[str, int]] = MappingProxyType(
    {word.casefold(): value for word, value in _ordinals().items()}
)
SCALES: Final[Mapping[str, int]] = MappingProxyType(
    {
        "hundred": 100,
        "thousand": 1000,
        "tausend": 1000,
        "mil": 1000,
        "million": 10**6,
        "millionen": 10**6,
        "millón": 10**6,
        "millones": 10**6,
    }
)
"""What multiplies the number word before it."""

_GERMAN_THOUSANDS = re.compile(r"([^\W\d_]*?)tausend(?:und)?([^\W\d_]*)")
_GAP = re.compile(r"\s+(?:(and|und|y)\s+)?", re.IGNORECASE)
LARGE: Final = frozenset({"billion", "milliarde", "trillion", "billón"})
"""Scales whose value hangs on the language; who reads the number multiplies."""

_ARTICLE = re.compile(r"(?<!\w)(?<!half )(?<!of )(an?|eine[rn]?|une?|un)[ \u00a0]\Z", re.IGNORECASE)
"""`a million` is one million; `half a million` and `a quarter of a million` are not."""

_ANY = frozenset({*CARDINALS, *SCALES, *ORDINALS, *LARGE})


def number_words(text: str) -> Iterator[Written]:
    """The number words of *text*, those that belong together as one number.

    Example:
        >>> [word.value for word in number_words("two hundred and five, dreißig, treinta y dos")]
        [205, 30, 32]
    """
    run: list[tuple[int, int, int, bool]] = []
    for match in _WORD.finditer(text):
        word = match[0].casefold()
        if word not in _ANY and "tausend" not in word:
            continue
        value = _value(word)
        scale = word in SCALES
        article = None if run or not (scale or word in LARGE) else _article(text, match.start())
        if value is None:
            yield from _whole_number(run)
            run = []
            if article is not None:
                yield Written(*article.span(1), 1, False)
            elif word in ORDINALS:
                yield Written(match.start(), match.end(), ORDINALS[word], True)
            continue
        if article is not None:
            run = [(*article.span(1), 1, False)]
        elif run:
            gap = _GAP.fullmatch(text, run[-1][1], match.start())
            if gap is None or not _joins(run, value, scale, gap[1] is not None):
                yield from _whole_number(run)
                run = []
        if run or not scale or word in {"mil", "tausend"}:
            run.append((match.start(), match.end(), value, scale))
    yield from _whole_number(run)


def _article(text: str, start: int) -> re.Match[str] | None:
    return _ARTICLE.search(text, max(0, start - 12), start)


def _value(word: str) -> int | None:
    value = CARDINALS.get(word)
    if value is None:
        value = SCALES.get(word)
    if value is None and "tausend" in word:
        match = _GERMAN_THOUSANDS.fullmatch(word)
        if match:
            head = 1 if match[1] in {"", "ein"} else CARDINALS.get(match[1])
            tail = 0 if not match[2] else CARDINALS.get(match[2])
            if head is not None and tail is not None:
                return head * 1000 + tail
    return value


def _joins(run: list[tuple[int, int, int, bool]], value: int, scale: bool, joint: bool) -> bool:
    """Whether *value* goes on with the number that *run* has begun."""
    last = run[-1][2]
    if scale:
        return not joint and value > 1 and (last < value or run[-1][3])
    if run[-1][3]:
        return value < last
    return last in range(20, 1000, 10) and 0 < value < (10 if last < 100 else 100)


def _whole_number(run: list[tuple[int, int, int, bool]]) -> Iterator[Written]:
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
    yield Written(run[0][0], run[-1][1], total + part, False)
