"""Words and letters that multiply the number before them.

In      a word as it stands behind a number; the language around it
Out     the powers of ten that it may stand for
Pure    data and look-ups
Spec    005-A3; interfaces.md, "Answers" (a scale word belongs to its number)

A billion is a thousand million in English and a million million in German or French: the
language of the text decides, and the short scale where it is not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_LONG_SCALE: Final = frozenset({"de", "fr", "es", "it", "pt", "nl", "pl"})

_WORDS: Final = {
    10**2: "hundred hundreds hundert",
    10**3: "thousand thousands tausend tsd tsd. td mil mille mila millar millares milhar milhares "
    "duizend tys tys. tysiąc tysiące tysięcy tusen тыс тыс. тысяча тысячи тысяч тис хиляди "
    "χιλιάδες χιλ tisíc tis hazar ezer हजार हज़ार ألف آلاف هزار",
    10**5: "lakh lakhs lac lacs लाख",
    10**6: "million millions mio mio. mill mill. mln mln. mn millionen millón millones milhão "
    "milhões milhao milhoes milione milioni miljoen milj miljoner miljon milion miliony milionów "
    "miliona milioner milionu milionů milioane миллион миллиона миллионов млн млн. мільйон "
    "мільйонів "
    "милиона εκατομμύρια εκατομμύριο εκατ εκατ. milyon millió miljoonaa miljonit मिलियन "
    "مليون ملايين میلیون",
    10**7: "crore crores cr करोड़",
    10**9: "bn bln milliard milliards milliarde milliarden mrd mrd. mia mia. md mds miliardo "
    "miliardi mld mld. miljard miljarder miliard miliardy miliardów miliarda "
    "miliarder millardo millardos миллиард миллиарда миллиардов млрд млрд. мільярд мільярдів "
    "милиарда δισεκατομμύρια δισ δισ. "
    "bilhão bilhões milyar milliárd miliarde miliard مليار میلیارد अरब",
    10**12: "tn trn billionen billón billones biljoen bilión bilhao trilhão trilhões bilione "
    "bilioni bilionów biliony biljoner триллион триллиона триллионов трлн трлн. trilyon",
    10**15: "quadrillion quadrillions billiarde billiarden billiard billiards",
}
_LONG_OR_SHORT: Final = {
    "billion": (10**9, 10**12),
    "billions": (10**9, 10**12),
    "trillion": (10**12, 10**18),
    "trillions": (10**12, 10**18),
}
_PHRASES: Final = {
    "mil millones": 10**9,
    "mil millón": 10**9,
    "mil milhões": 10**9,
    "mille milliards": 10**12,
    "hundred thousand": 10**5,
    "hundred million": 10**8,
    "hundred billion": 10**11,
    "thousand million": 10**9,
    "lakh crore": 10**12,
}
_TABLE: Final[Mapping[str, int]] = MappingProxyType(
    {word: power for power, words in _WORDS.items() for word in words.split()} | _PHRASES
)

CJK_SCALES: Final[Mapping[str, int]] = MappingProxyType(
    {
        **dict.fromkeys("千仟천", 10**3),
        **dict.fromkeys("万萬만", 10**4),
        **dict.fromkeys("亿億억", 10**8),
        **dict.fromkeys("兆조", 10**12),
        "百万": 10**6,
        "百萬": 10**6,
        "百": 10**2,
        "十": 10,
        "千万": 10**7,
        "千萬": 10**7,
        "천만": 10**7,
        "백만": 10**6,
        "十亿": 10**9,
        "十億": 10**9,
        "ล้าน": 10**6,
        "พัน": 10**3,
        "แสน": 10**5,
        "หมื่น": 10**4,
    }
)
"""Scales of scripts that write no space between a number and its scale."""

LETTERS: Final[Mapping[str, int]] = MappingProxyType({"k": 10**3, "K": 10**3, "M": 10**6})
"""Letters that are a scale behind any number: `3k users`, `5M`."""

MONEY_LETTERS: Final[Mapping[str, int]] = MappingProxyType(
    {
        **{"m": 10**6, "MM": 10**6, "mm": 10**6, "Mn": 10**6, "MN": 10**6, "b": 10**9, "B": 10**9},
        **{"t": 10**12, "T": 10**12, "Bn": 10**9, "BN": 10**9, "G": 10**9, "Cr": 10**7},
    }
)
"""Letters that are a scale beside a currency, and a unit elsewhere: `$5m`, `5 m`."""

MONEY_PREFIXES: Final[Mapping[str, int]] = MappingProxyType(
    {"T": 10**3, "k": 10**3, "K": 10**3, "M": 10**6, "m": 10**6, "Mio": 10**6, "Mrd": 10**9}
)
"""Letters before a currency that multiply it: `TEUR`, `k€`, `M$`."""


def scale_of(word: str, language: str | None) -> int | None:
    """What *word* multiplies by; None for one that is no scale.

    Example:
        >>> scale_of("Mio.", "de"), scale_of("billion", "en"), scale_of("billion", "fr")
        (1000000, 1000000000, 1000000000000)
    """
    folded = word.casefold()
    both = _LONG_OR_SHORT.get(folded)
    if both is not None:
        return both[1] if language in _LONG_SCALE else both[0]
    return _TABLE.get(folded)


SCALE_WORDS: Final = frozenset({*_TABLE, *_LONG_OR_SHORT})
"""Every scale that is a word, case folded."""
