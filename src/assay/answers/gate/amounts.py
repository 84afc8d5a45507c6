"""A number with what belongs to it: sign, scale word, unit or currency, the unit it is per.

In      a folded text and the place of a number's digits or words in it
Out     the whole amount: its place and every way to read it
Pure    yes; looks a bounded way to both sides
Spec    005-A3; interfaces.md, "Answers"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Final, NamedTuple

from assay.answers.gate.currencies import CODES, NAMES, SIGNS, currencies_of
from assay.answers.gate.digits import Value
from assay.answers.gate.scales import (
    CJK_SCALES,
    LETTERS,
    MONEY_LETTERS,
    MONEY_PREFIXES,
    SCALE_WORDS,
    scale_of,
)
from assay.answers.gate.units import OWN_LANGUAGE, SYMBOLS, WORDS, Unit
from assay.core.text.word_sets import word_set


class Reading(NamedTuple):
    """One way to read a number."""

    value: Value
    """With its scale, without its unit's factor."""

    unit: Unit | None = None


class Amount(NamedTuple):
    """A number with all that belongs to it."""

    start: int
    stop: int
    readings: frozenset[Reading]
    per: Unit | None
    """`EUR per month`: the month."""

    scale: Fraction
    """What its scale words multiply by."""


class _Units(NamedTuple):
    """Units beside a number, where they end, and what a letter before them multiplies by."""

    stop: int
    units: tuple[Unit, ...]
    factor: int = 1


class _Tail(NamedTuple):
    stop: int
    scale: Fraction
    units: tuple[Unit | None, ...]
    letter: str
    """A letter that is a scale beside a currency, and else the symbol of `units`."""


_WINDOW: Final = 48
_SYMBOL_WORD = r"°[ ]?[CF](?![^\W\d_])|°|℃|℉|[%‰″㎏㎞㎜㎝㎡]"
_EMPTY_CENTS = re.compile(r"[.,](?:[-–—]{1,2}|=)")
_POWER = re.compile(r" ?[×x·*] ?10(?:\^|\*\*)?([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}|(?<=[\^*])\d{1,2})")
_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SIGN = re.compile(rf"[ -]?({_SYMBOL_WORD}|(?:[A-Z]{{1,3}}|k|m|Mio|Mrd)?[{SIGNS}])")
_WORD = re.compile(
    r"[ -]?((?:[^\W\d_]|[\u0900-\u097f])+(?:[²³]|['/](?=[^\W\d_])[^\W\d_]{1,8}|[23](?!\w))?)"
)
_PREFIX = re.compile(
    rf"(?<![^\W_])((?:Mio|Mrd|[A-Za-z]{{1,3}})?[{SIGNS}]|[^\W\d_]{{1,5}}\.?|[{SIGNS}]) ?([-–]?)\Z"
)
_BARE_SIGN = re.compile(r"(?:\A|[ \n(\[:])((?:[-–]|[Mm]inus ))\Z")
_PREFIX_WORDS: Final = word_set(
    "rs rs. kr kr. r$ sfr sfr. fr. euro zł kč ft lei tl руб. nis ₽ pesos"
)
_PER = re.compile(
    r" ?(?:/ ?|(?:per|pro|je|par|por|al|alla|all'|an?|im|each|every|od|на|в|за|pr\.?|à l'|"
    r"por cada|cada|la|le|za) )([^\W\d_]+(?: [^\W\d_]+)?)",
    re.IGNORECASE,
)
_PER_ANNUM = re.compile(r" ?p\. ?a\b|,? per annum\b| im Jahr\b", re.IGNORECASE)
_ADVERBS: Final = {
    **dict.fromkeys(("hourly", "stündlich"), "hour"),
    **dict.fromkeys(("daily", "täglich", "diario", "diaria", "diarios", "quotidien"), "day"),
    **dict.fromkeys(("weekly", "wöchentlich", "semanal", "semanales", "hebdomadaire"), "week"),
    **dict.fromkeys(
        ("monthly", "monatlich", "mensual", "mensuales", "mensuel", "mensuels", "mensile"), "month"
    ),
    **dict.fromkeys(
        ("yearly", "annually", "jährlich", "anual", "anuales", "annuel", "annuels", "annuale"),
        "year",
    ),
}
_MOST_WORDS: Final = 3
_ONE_YEAR: Final = Unit("months", Fraction(12))
_YEARS: Final = range(1000, 2101)
_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0e7f]")
_CJK_UNITS: Final = {
    word: (*WORDS.get(word, ()), *NAMES.get(word, ()))
    for word in {*WORDS, *NAMES}
    if _CJK.match(word)
}
_CJK_LONGEST: Final = 4
_ARTICLE_DE = re.compile(r" (?:de|di|d'|of|от) ?", re.IGNORECASE)


def read_amount(
    text: str,
    start: int,
    stop: int,
    values: Callable[[bool], frozenset[Value]] | frozenset[Value],
    language: str | None,
    *,
    worded: bool = False,
) -> Amount:
    """The amount whose digits are `text[start:stop]`.

    Args:
        text: Folded.
        start: Where its digits or words start.
        stop: Where they stop.
        values: What they may stand for, or how to say so, given whether a scale word follows.
        language: Of the text around them.
        worded: Whether they are words: no sign or code stands before them.
    """
    first, sign, prefixes, factor = (start, 1, (), Fraction(1)) if worded else _prefix(text, start)
    tail = _tail(text, stop, language)
    units, scale, letter = tail.units, tail.scale * factor, tail.letter
    if letter and (prefixes or _money_follows(text, tail.stop)):
        scale *= MONEY_LETTERS[letter]
        after = _units(text, tail.stop, language)
        tail = tail._replace(stop=after.stop) if after else tail
        units = after.units if after else ()
    readings = set()
    for value in values if isinstance(values, frozenset) else values(scale != 1):
        whole = value * scale * sign if isinstance(value, Fraction) else value
        if isinstance(value, str) and (scale != 1 or sign != 1):
            whole = f"{'-' if sign < 0 else ''}{value}*{scale}"
        both = _shared_units(prefixes, units)
        readings |= {Reading(whole, unit) for unit in both or (None,)}
    if not worded and _is_year(text[start:stop], text[stop : stop + 2], units):
        readings = {Reading(reading.value) for reading in readings}
        tail = _Tail(stop, Fraction(1), (), "")
    return Amount(first, tail.stop, frozenset(readings), read_per(text, tail.stop), scale)


def _shared_units(
    before: tuple[Unit, ...], behind: tuple[Unit | None, ...]
) -> tuple[Unit | None, ...]:
    """The units that stand on both sides of a number: `$5 US`, `A$5 Australian dollars`."""
    if not before:
        return behind
    shared = tuple(unit for unit in before if unit in behind)
    return shared or before


def _is_year(core: str, behind: str, units: tuple[Unit | None, ...]) -> bool:
    """`2024年`, `2024 г.`: the year itself."""
    year = len(core) == 4 and core.isdecimal() and int(core) in _YEARS
    of_years = any(unit is not None and unit == _ONE_YEAR for unit in units)
    return year and (of_years or behind.strip()[:1] == "г")


def _prefix(text: str, start: int) -> tuple[int, int, tuple[Unit, ...], Fraction]:
    """Where the amount starts, its sign, the currencies before it and their scale."""
    low = max(0, start - _WINDOW)
    head = text[low:start]
    match = _PREFIX.search(head)
    if match is not None and not (match[1][-1] == "." and match[1].casefold() not in _PREFIX_WORDS):
        units, factor = _prefixed_units(match[1])
        if units:
            sign = -1 if match[2] else 1
            return low + match.start(), sign, units, Fraction(factor)
    bare = _BARE_SIGN.search(head)
    if bare is not None and not _number_before(head[: bare.start(1)]):
        return low + bare.start(1), -1, (), Fraction(1)
    signed = re.search(rf"([-–]) ?([{SIGNS}]|[A-Z]{{3}}) ?\Z", head)
    if signed is not None:
        units = currencies_of(signed[2])
        if units:
            return low + signed.start(), -1, units, Fraction(1)
    return start, 1, (), Fraction(1)


def _number_before(head: str) -> bool:
    """`10 - 20` is a range: its hyphen is no sign."""
    return head[-2:-1].isdecimal() and head.endswith(" ")


def _prefixed_units(word: str) -> tuple[tuple[Unit, ...], int]:
    if word[-1] in SIGNS or word in CODES or word.casefold() in _PREFIX_WORDS:
        units = currencies_of(word)
        if units:
            return units, 1
    if word[-1] in SIGNS and len(word) > 1:
        rest, sign = word[:-1], word[-1]
        if rest in MONEY_PREFIXES:
            return currencies_of(sign), MONEY_PREFIXES[rest]
        return (Unit(word.upper()),), 1
    if len(word) == 4 and word[0] in MONEY_PREFIXES and word[1:] in CODES:
        return CODES[word[1:]], MONEY_PREFIXES[word[0]]
    if word.casefold() in {"eur", "usd", "gbp", "chf"}:
        return currencies_of(word), 1
    return (), 1


def _tail(text: str, stop: int, language: str | None) -> _Tail:
    empty = _EMPTY_CENTS.match(text, stop)
    place = empty.end() if empty else stop
    scale, letter = Fraction(1), ""
    power = _POWER.match(text, place)
    if power is not None:
        scale *= 10 ** int(power[1].translate(_SUPERSCRIPTS))
        place = power.end()
    scaled = _scale(text, place, language)
    while scaled is not None:
        scale, place = scale * scaled[1], scaled[0]
        scaled = _scale(text, place, language) if scale < 10**15 else None
    if scale == 1:
        word = _WORD.match(text, place, place + _WINDOW)
        if word is not None and word[1] in LETTERS and word[0][0] != " ":
            scale, place = scale * LETTERS[word[1]], word.end()
        elif word is not None and word[1] in MONEY_LETTERS:
            letter = word[1]
    else:
        joint = _ARTICLE_DE.match(text, place)
        if joint is not None and _units(text, joint.end(), language) is not None:
            place = joint.end() - (1 if text[joint.end() - 1] == " " else 0)
    units = _units(text, place, language)
    if units is None and (joint := _ARTICLE_DE.match(text, place)) is not None:
        units = _units(text, joint.end() - 1, language)  # `30 de zile`
    if units is None:
        end = _WORD.match(text, place, place + _WINDOW) if letter else None
        return _Tail(end.end() if end else place, scale, (), letter)
    return _Tail(units.stop, scale * units.factor, units.units, letter)


def _scale(text: str, place: int, language: str | None) -> tuple[int, Fraction] | None:
    for end, word in _phrases(text, place):
        if word.casefold() in SCALE_WORDS:
            value = scale_of(word, language)
            if word.casefold() == "mil" and language == "en":
                value = 10**6
            if value is not None:
                dotted = end + 1 if text[end : end + 1] == "." and len(word) < 5 else end
                return dotted, Fraction(value)
    for length in range(3, 0, -1):
        word = text[place : place + length]
        if word in CJK_SCALES:
            return place + len(word), Fraction(CJK_SCALES[word])
    return None


def _units(text: str, place: int, language: str | None) -> _Units | None:
    """The units at *place*, and where they end."""
    sign = _SIGN.match(text, place)
    if sign is not None:
        units = SYMBOLS.get(sign[1].replace(" ", "")) or WORDS.get(sign[1].casefold())
        if units:
            return _Units(sign.end(), units)
        if sign[1][-1] in SIGNS and not text[sign.end() : sign.end() + 1].isdecimal():
            return _Units(sign.end(), *_prefixed_units(sign[1]))
    for end, word in _phrases(text, place):
        units = _units_of(word, language)
        if units:
            return _Units(end, units)
        if len(word) == 4 and word[0] in MONEY_PREFIXES and word[1:] in CODES:
            return _Units(end, *_prefixed_units(word))
    start = place + text[place : place + 1].isspace()
    for length in range(_CJK_LONGEST, 0, -1):
        word = text[start : start + length]
        units = _CJK_UNITS.get(word)
        if units:
            return _Units(start + len(word), units)
    return None


def _units_of(word: str, language: str | None) -> tuple[Unit, ...]:
    exact = SYMBOLS.get(word) or CODES.get(word)
    if exact:
        return exact
    folded = word.casefold()
    own = OWN_LANGUAGE.get(folded)
    if own is not None and own != language:
        return ()
    return (*WORDS.get(folded, ()), *NAMES.get(folded, ()))


def _phrases(text: str, place: int) -> Iterator[tuple[int, str]]:
    """The next words at *place*, the longest run first, each with its end."""
    ends = []
    words: list[str] = []
    at = place
    for _ in range(_MOST_WORDS):
        match = _WORD.match(text, at, place + _WINDOW)
        if match is None:
            break
        words.append(match[1])
        at = match.end()
        ends.append(at)
    for number in range(len(words), 0, -1):
        phrase = " ".join(words[:number])
        end = ends[number - 1]
        if text[end : end + 1] == "." and f"{phrase}.".casefold() in _DOTTED:
            yield end + 1, f"{phrase}."
        yield end, phrase
        if number == 1 and "/" in phrase:
            head = phrase.split("/")[0]
            yield end - len(phrase) + len(head), head


_DOTTED: Final = frozenset(word for word in {*WORDS, *NAMES, *SCALE_WORDS} if word[-1] == ".")


def _money_follows(text: str, place: int) -> bool:
    found = _units(text, place, None)
    return found is not None and any(unit.is_money for unit in found.units)


def read_per(text: str, place: int) -> Unit | None:
    """The unit that an amount is per: `5 EUR per month`, `10 €/kWh`, `5 EUR monthly`."""
    word = _WORD.match(text, place, place + _WINDOW)
    if word is not None and word[1].casefold() in _ADVERBS:
        return WORDS[_ADVERBS[word[1].casefold()]][0]
    if _PER_ANNUM.match(text, place):
        return _ONE_YEAR
    match = _PER.match(text, place, place + _WINDOW)
    if match is None:
        return None
    words = match[1].split()
    for phrase in (match[1], words[0]):
        units = SYMBOLS.get(phrase) or WORDS.get(phrase.casefold())
        if units:
            return units[0]
    return None
