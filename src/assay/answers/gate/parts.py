"""Parts of a whole in words: half, a quarter, two thirds, half a million, half an hour.

In      a folded text
Out     places and readings of such parts
Pure    yes; linear
Spec    005-A3 (small number words count)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from assay.answers.gate.amounts import Reading
from assay.answers.gate.scales import SCALE_WORDS, scale_of
from assay.answers.gate.units import PERCENT, WORDS

_SHARES: Final = {
    "1/2": "half of; half the; half their; half its; one half; the half; die hälfte; der hälfte; "
    "zur hälfte; la mitad; la moitié; la metà; a metade; metade; de helft; połowa; половина",
    "1/4": "a quarter of; by a quarter; one quarter; a fourth of; one fourth; ein viertel; un "
    "cuarto de; una cuarta parte; la cuarta parte; un quart de; un quart des; un quarto di; um "
    "quarto de; een kwart",
    "3/4": "three quarters; three-quarters; three fourths; drei viertel; dreiviertel; tres "
    "cuartos; tres cuartas partes; trois quarts; tre quarti; três quartos; driekwart",
    "1/3": "a third of; by a third; one third; one-third; ein drittel; un tercio; la tercera "
    "parte; un tiers; un terzo; um terço; een derde",
    "2/3": "two thirds; two-thirds; zwei drittel; dos tercios; deux tiers; due terzi; dois terços; "
    "twee derde",
    "1/5": "one fifth; one-fifth; a fifth of; ein fünftel; un quinto; un cinquième",
    "1/10": "one tenth; one-tenth; a tenth of; ein zehntel; un décimo; un dixième",
}
_TABLE: Final = {
    word.strip(): Fraction(share) for share, words in _SHARES.items() for word in words.split(";")
}
_SHARE = re.compile(
    rf"(?<![\w-])({'|'.join(map(re.escape, sorted(_TABLE, key=len, reverse=True)))})(?!\w)",
    re.IGNORECASE,
)
_HALF_OF_UNIT = re.compile(
    r"(?<![\w-])(?:half (?:an? )?|a half |half-|eine[rnm]? halbe[nrms]? |ein halbe[sr] |"
    r"halbe[snr]? |medi[oa] |une? demi-|demi-|"
    r"mezz'|mezz[oa] |meia |meio |een half |een halve |pół )"
    r"([^\W\d_]{1,24})",
    re.IGNORECASE,
)

_AND = re.compile(r"\b(?:and|y|et|e)(?: an?| one)? \Z", re.IGNORECASE)


_TIMES: Final = {
    **dict.fromkeys(("once", "einmal"), 1),
    **dict.fromkeys(("twice", "zweimal"), 2),
    **dict.fromkeys(("thrice", "dreimal"), 3),
    **{"viermal": 4, "fünfmal": 5, "sechsmal": 6, "zehnmal": 10},
}
_OFTEN = re.compile(
    rf"(?<![\w-])({'|'.join(_TIMES)})"
    r"(?= (?:an?|per|every|each|daily|weekly|monthly|yearly|annually|pro|am|im|in der|täglich|"
    r"wöchentlich|monatlich|jährlich)(?!\w))",
    re.IGNORECASE,
)


def parts_in(text: str) -> Iterator[tuple[int, int, frozenset[Reading]]]:
    """The parts in words of *text*.

    Example:
        >>> [text for *_, text in parts_in("half a million")]
        [frozenset({Reading(value=Fraction(500000, 1), unit=None)})]
    """
    done = 0
    for match in _HALF_OF_UNIT.finditer(text):
        if _AND.search(text, max(0, match.start() - 8), match.start()):
            continue  # `two and a half hours`: the half belongs to the two
        word = match[1].casefold()
        if word in SCALE_WORDS:
            value = Fraction(scale_of(match[1], None) or 1, 2)
            yield match.start(), match.end(), frozenset({Reading(value)})
            done = match.end()
        elif word in WORDS:
            readings = {Reading(Fraction(1, 2), unit) for unit in WORDS[word]}
            yield match.start(), match.end(), frozenset(readings)
            done = match.end()
    for match in _OFTEN.finditer(text):
        number = Fraction(_TIMES[match[1].casefold()])
        yield match.start(), match.end(), frozenset({Reading(number, WORDS["times"][0])})
    for match in _SHARE.finditer(text):
        if match.start() >= done or not done:
            share = _TABLE[match[1].casefold()]
            readings = {Reading(share), Reading(share * 100, PERCENT)}
            yield match.start(), match.end(), frozenset(readings)
