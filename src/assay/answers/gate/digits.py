"""What a run of digits may stand for, in the writing of any locale.

In      a text; the written core of a number and the decimal mark of its language
Out     the text with its digits, spaces and signs folded; values
Pure    yes; linear, and every number of more than thirty digits is a name
Spec    004 P2.2; 005-A3; interfaces.md, "Answers" (equal after normalising separators)

`1.234` may be a thousand or a decimal. The language of the text decides where its decimal mark
is fixed (English, German). Elsewhere it is a thousand, and the decimal that it may be is equal
only to the same digits, parted at the same place: `$5,000` is not `$5`.
"""

from __future__ import annotations

import re
from fractions import Fraction
from types import MappingProxyType
from typing import Final
from unicodedata import numeric

from assay.sources.language import guess_language

Value = Fraction | str
"""An exact value, or a text where digits name something (`covid19`, a time, a version)."""

_ZEROS: Final = (
    *(0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6),
    *(0x0D66, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x17E0, 0x1810, 0x2080, 0xFF10),
)
"""The zero of each script whose ten digits follow one another."""

_SIGNS: Final = {
    " ": "\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000",
    "-": "\u2010\u2011\u2212\uff0d",
    "–": "\u301c\uff5e",
    "'": "\u2018\u2019\u02bc\uff07\u00b4\u066c",
    ",": "\uff0c",
    ".": "\uff0e",
    ":": "\uff1a",
    "/": "\uff0f\u2044\u2215",
    "%": "\uff05\u066a\ufe6a",
    "$": "\uff04\ufe69",
    "£": "\uffe1\u20a4",
    "¥": "\uffe5",
    "(": "\uff08",
    ")": "\uff09",
    "<": "\uff1c",
    ">": "\uff1e",
    "+": "\uff0b",
    "μ": "\u00b5",
    "×": "\u2715\u2a2f",
}
_FOLD: Final = MappingProxyType(
    {zero + place: str(place) for zero in _ZEROS for place in range(10)}
    | {code: chr(code - 0xFEE0) for code in (*range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))}
    | {ord(each): sign for sign, written in _SIGNS.items() for each in written}
)

_FRACTIONS: Final = "¼½¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
CORE: Final = re.compile(
    rf"\d{{1,3}}(?:(?: \d{{3}})+|(?:'\d{{3}})+)(?!\d)(?:[.,\u066b]\d+)?"
    rf"|\d+(?:[.,'\u066b]\d+)*[{_FRACTIONS}]?|[{_FRACTIONS}]"
)
"""The digits of one number, in a folded text."""

_INDIAN = re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}")
_PARTED = re.compile("[.,\u066b]")
_MOST_DIGITS: Final = 30
_DECIMAL_MARKS: Final = {"en": ".", "de": ","}
_MARKERS: Final = {
    "en": "the of is are was were per a an and to for with by has have it its at most least limit",
    "de": "der die das den dem des ist sind beträgt kostet und von im ein eine für je pro bis zu",
    "es": "el la los las es son de del y por un una cuesta hasta que en al",
    "fr": "le la les est sont de des du et par un une pour dans coûte au",
    "it": "il lo la gli le è sono di del della e per un una costa che",
    "pt": "o os as é são de do da e por um uma custa que até no",
    "nl": "het de een is zijn van en per voor met kost tot dat",
}
_MARKER_SETS: Final = {code: frozenset(words.split()) for code, words in _MARKERS.items()}
_WORD = re.compile(r"[^\W\d_]+")
_LOOKED_AT: Final = 4_000


def fold_digits(text: str) -> str:
    """*text* with ASCII digits, spaces and signs, each code point in its place.

    Example:
        >>> fold_digits("٥٠٠０ H₂O")
        '5000 H2O'
    """
    return text.translate(_FOLD)


def language_of(text: str) -> str | None:
    """The language by whose habits numbers are read; short texts are judged by few words.

    Example:
        >>> language_of("The rate is 1.234 EUR per kWh."), language_of("is 1.234")
        ('en', None)
    """
    known = guess_language(text)
    if known is not None:
        return known
    words = _WORD.findall(text[:_LOOKED_AT].casefold())
    counts = sorted(
        ((sum(word in markers for word in words), code) for code, markers in _MARKER_SETS.items()),
        reverse=True,
    )
    return counts[0][1] if counts[0][0] >= 2 and counts[0][0] > counts[1][0] else None


def values_of(core: str, language: str | None = None, *, scaled: bool = False) -> frozenset[Value]:
    """What the folded digits *core* may stand for.

    Args:
        core: What `CORE` matched.
        language: Of the text around it; decides between the two readings of `1.234`.
        scaled: Whether a scale word follows: `1.234 million` is read as a decimal too.

    Example:
        >>> sorted(map(str, values_of("1.234"))), sorted(map(str, values_of("1.234,5")))
        (['1234', '1|234'], ['2469/2'])
    """
    if core[-1] in _FRACTIONS:
        ones = Fraction(core[:-1]) if core[:-1].isdecimal() and len(core) < 30 else Fraction(0)
        return frozenset({ones + Fraction(numeric(core[-1])).limit_denominator(10)})
    plain = core.replace(" ", "").replace("'", "")
    if sum(map(str.isdecimal, plain)) > _MOST_DIGITS or not _quotes_group(core):
        return frozenset({f"#{core}"})
    if "\u066b" in plain:
        parts = plain.split("\u066b")
        return _decimal(parts[0], parts[1]) if len(parts) == 2 else frozenset({f"#{plain}"})
    signs = [sign for sign in plain if sign in ".,"]
    if not signs:
        return frozenset({Fraction(plain)})
    parts = _PARTED.split(plain)
    if len(signs) == 1:
        if plain == core and len(parts[1]) == 3 and len(parts[0]) <= 3 and parts[0].strip("0"):
            return _read_ambiguous(parts[0], parts[1], signs[0], language, scaled=scaled)
        return _decimal(parts[0], parts[1])
    whole = plain if len(set(signs)) == 1 else plain[: -len(parts[-1]) - 1]
    if signs[-1] in signs[:-1] and whole is not plain:
        return frozenset({f"#{plain}"})
    groups = _PARTED.split(whole)
    if len(set(signs[: len(groups) - 1])) > 1 or not _is_grouped(whole, groups):
        return frozenset({f"#{plain}"})
    return _decimal("".join(groups), "" if whole is plain else parts[-1])


def _quotes_group(core: str) -> bool:
    """Whether apostrophes part thousands; `12'5` is no number."""
    parts = re.split("['.,\u066b]", core) if "'" in core else []
    return all(len(part) == 3 for part in parts[1 : core.count("'") + 1])


def _is_grouped(whole: str, groups: list[str]) -> bool:
    thousands = len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])
    return thousands or _INDIAN.fullmatch(whole) is not None


def _decimal(whole: str, part: str) -> frozenset[Value]:
    return frozenset({Fraction(f"{whole.replace(',', '').replace('.', '')}.{part or 0}")})


def _read_ambiguous(
    whole: str, part: str, sign: str, language: str | None, *, scaled: bool
) -> frozenset[Value]:
    """A thousand or a decimal; the text is for the same digits with either sign."""
    decimal, thousand = Fraction(f"{whole}.{part}"), Fraction(whole + part)
    written = f"{whole}|{part}"
    mark = _DECIMAL_MARKS.get(language or "")
    if scaled and mark is None:
        return frozenset({decimal, thousand, written})
    # Nobody writes three decimals of zero: `10.000 EUR` is a thousand in an English text too.
    return frozenset({decimal if sign == mark and part != "000" else thousand, written})


_ROMAN = re.compile(r"(?=[MDCLXVI])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_ROMAN_DIGITS: Final = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def roman_value(word: str) -> int | None:
    """What a Roman numeral stands for; None for any other word.

    Example:
        >>> roman_value("XIV"), roman_value("IIX")
        (14, None)
    """
    if not _ROMAN.fullmatch(word):
        return None
    digits = [_ROMAN_DIGITS[letter] for letter in word]
    return sum(
        -digit if digit < following else digit
        for digit, following in zip(digits, [*digits[1:], 0], strict=True)
    )


_CJK_DIGITS: Final = {
    **{digit: place for place, digit in enumerate("〇一二三四五六七八九")},
    **{"零": 0, "两": 2, "兩": 2, "壱": 1, "弐": 2, "参": 3},
}
_CJK_TENS: Final = {"十": 10, "百": 100, "千": 1000}
_CJK_POWERS: Final = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
CJK_NUMERAL: Final = re.compile(
    "[〇零一二三四五六七八九两兩壱弐参十百千万萬亿億兆]{1,16}"
    "(?=[円元年月日天人名个個か歳岁歲件回次枚本台分秒時时小週周ヶカ点%％倍米克])"
)
"""A numeral in Chinese characters that counts something; in other places they are words."""


def cjk_value(numeral: str) -> Fraction:
    """What a numeral in Chinese characters stands for.

    Example:
        >>> str(cjk_value("二万五千")), str(cjk_value("二〇二四"))
        ('25000', '2024')
    """
    if all(char in _CJK_DIGITS for char in numeral):
        return Fraction("".join(str(_CJK_DIGITS[char]) for char in numeral))
    total = part = digit = 0
    for char in numeral:
        if char in _CJK_DIGITS:
            digit = _CJK_DIGITS[char]
        elif char in _CJK_TENS:
            part += (digit or 1) * _CJK_TENS[char]
            digit = 0
        else:
            total += (part + digit or 1) * _CJK_POWERS[char]
            part = digit = 0
    return Fraction(total + part + digit)
