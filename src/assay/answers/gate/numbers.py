"""Numbers, amounts and percentages, equal however they are written.

In      a text
Out     its quantities, each with its place, its readings and what bounds it
Pure    yes; looks a bounded way around each digit
Spec    004 P2.2; 005-A3; interfaces.md, "Answers" (separators, currency signs, percent)

A quantity is the whole of a number: sign, scale, unit, comparator and range. What digits name
(`covid19`, a time, a telephone number, `5(a)`, a version) is a text, equal only as a whole.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final

from assay.answers.gate.addresses import addresses, phones
from assay.answers.gate.amounts import Amount, Reading, read_amount, read_per
from assay.answers.gate.comparators import EQUAL, bounds_of
from assay.answers.gate.currencies import currencies_of
from assay.answers.gate.dates import Dated
from assay.answers.gate.digits import (
    CJK_NUMERAL,
    CORE,
    Value,
    cjk_value,
    fold_digits,
    language_of,
    roman_value,
    values_of,
)
from assay.answers.gate.labels import (
    LABELS,
    VERSION_LABELS,
    clause_at,
    decade_at,
    fraction_at,
    identifier_at,
    time_at,
    word_before,
    year_pairs,
)
from assay.answers.gate.number_words import AND_HALF, number_words
from assay.answers.gate.parts import parts_in
from assay.answers.gate.quantity import TIMES, Quantity, Weight
from assay.answers.gate.ranges import join_ranges
from assay.answers.gate.scales import scale_of
from assay.answers.gate.units import PERCENT, WORDS, Unit
from assay.core.text.word_sets import word_set

_NAMED = re.compile(r"(?<![\w-])([^\W\d_]{0,40}[A-Z][^\W\d_]{0,40}) \Z")
"""A name before a number: `COVID 19` is `COVID-19`, written apart."""
_ORDINAL = re.compile(r"(?:st|nd|rd|th|er|e|ème|º|ª|\.º)(?!\w)|\.(?=\s+[a-zäöü])")
_ROMAN = re.compile(r"(?<![\w.'-])([MDCLXVI]{1,7})(?![\w'-])")
_NEXT_WORD = re.compile(r"[ -]([^\W\d_]+)")
_PRONOUN_USE = re.compile(
    r" (?:of|others?|more|von|andere[nr]?|weitere[nr]?|de|otros|otras|autres|altri|altre|"
    r"outros|van)"
    r"(?!\w)",
    re.IGNORECASE,
)
_VERB = re.compile("(?:ed|ing)\\Z")
_LAST_WORD = re.compile(r"([^\W\d_]+)[ ]\Z")
_NO_ZERO = re.compile(r"(?<![\w.])\.\Z")
_POWER_OF_TEN = re.compile(r"(?<!\d)10([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2})")
_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_WINDOW: Final = 48
_SMALL: Final = 12
_NO_NOUNS: Final = word_set(
    "of or and to in on at for from with by as are is was were be will have has had can may "
    "must more other others different than that which who times if when but not it they them "
    "per out von der die das den dem und oder zu im in für mit bei als sind ist waren war "
    "wird werden haben hat kann können andere anderen weitere weiteren mal de del y o en para "
    "con por que son es fue fueron otros otras más et ou en pour avec par que qui sont est "
    "autres di e o per con che sono altri van en of voor met zijn is da do na com em são ou "
    "um uma"
)
_DEFINITE: Final = word_set(
    "the these those both its their his her our your my der die das den dem diese diesen "
    "dieser dieses jene beide beiden los las estos estas esos esas ambos ambas les ces leurs "
    "ses i gli le questi queste os as estes estas de deze last first next past every any each"
)


_OR_LATER = re.compile(
    r"\+|,? ?(?:(?:or|and|oder|und|ou|et|o|y|e|of|en|lub|i|или|и) "
    r"(?:later|newer|higher|above|earlier|older|up|neuer|höher|später|älter|supérieure?s?"
    r"|ultérieure?s?|plus récent|posterior|superior|successiv[aeio]|hoger|nieuwer|nowsz"
    r"|выше|новее))",
    re.IGNORECASE,
)
"""What stands behind a release and behind nothing that is measured."""


def quantities(
    text: str, dated: Iterable[Dated] = (), language: str | None = None
) -> Iterator[Quantity]:
    """The quantities of *text* in order, outside the places of *dated*.

    Args:
        text: Any text.
        dated: Its dates.
        language: By whose habits numbers are read; guessed when absent.

    Example:
        >>> found = quantities("€5,300.25, 12 % of B52")
        >>> [[(str(r.value), r.unit and r.unit.dimension) for r in q.readings] for q in found]
        [[('21201/4', 'EUR')], [('12', '%')], [('b52', None)]]
    """
    language = language or language_of(text)
    taken = [(date.start, date.stop) for date in dated]
    taken += [(address.start, address.stop) for address in addresses(text)]
    text = fold_digits(text)
    found = list(_read_names(text, taken))
    taken += [(quantity.start, quantity.stop) for quantity in found]
    for read in (_digits, _words, _cjk_numerals):
        more = list(read(text, sorted(taken), language))
        found += more
        taken += [(quantity.start, quantity.stop) for quantity in more]
    found.sort(key=lambda quantity: (quantity.start, quantity.stop))
    yield from join_ranges(text, found)


def _read_names(text: str, taken: list[tuple[int, int]]) -> Iterator[Quantity]:
    """Telephone numbers, pairs of years, parts in words and Roman numerals."""
    done = sorted(taken)
    for address in phones(text):
        if not _overlaps(done, address.start, address.stop):
            readings = frozenset(Reading(form) for form in address.forms)
            yield Quantity(address.start, address.stop, readings)
    for start, middle, stop, first, last in year_pairs(text):
        if not _overlaps(done, start, stop):
            yield Quantity(start, middle, frozenset({Reading(Fraction(first))}))
            yield Quantity(middle, stop, frozenset({Reading(Fraction(last))}))
    for start, stop, part_readings in parts_in(text):
        bounds, per = bounds_of(text, start, stop), read_per(text, stop)
        once = any(r.value == 1 and r.unit is not None for r in part_readings)
        weight: Weight = "hint" if once else "fact"  # `every two years` is once in two years
        noun = TIMES if once else None
        yield Quantity(start, stop, part_readings, bounds, per, noun=noun, weight=weight)
    for match in _ROMAN.finditer(text):
        value = roman_value(match[1])
        before = word_before(text, match.start())
        if value is None or not before or not _is_numeral(match[1], value, before):
            continue
        yield Quantity(*match.span(), frozenset({Reading(Fraction(value))}))


def _is_numeral(word: str, value: int, before: str) -> bool:
    """`Chapter I`, `Henry VIII`, but not `Plan C` or `the CD`."""
    if before.casefold() in LABELS:
        return value <= 100 or len(word) > 1
    return len(word) > 1 and value < 40 and before[0].isupper()


def _overlaps(taken: list[tuple[int, int]], start: int, stop: int) -> bool:
    place = bisect_right(taken, (start, stop))
    return (place < len(taken) and taken[place][0] < stop) or (
        place > 0 and taken[place - 1][1] > start
    )


def _digits(text: str, taken: list[tuple[int, int]], language: str | None) -> Iterator[Quantity]:
    done = place = 0
    for match in CORE.finditer(text):
        start, stop = match.span()
        while place < len(taken) and taken[place][1] <= start:
            place += 1
        if start < done or (place < len(taken) and taken[place][0] < stop):
            continue
        found = _read_identifier(text, start, stop) or _read_measure(text, match, language)
        done = max(stop, found.stop)
        yield found


def _read_identifier(text: str, start: int, stop: int) -> Quantity | None:
    """What digits name: `B52`, `17:00`, `5(a)`, `1980s`."""
    named = identifier_at(text, start, stop) or clause_at(text, start, stop)
    named = named or decade_at(text, start, stop)
    if named is not None:
        return Quantity(named[0], named[1], frozenset(map(Reading, named[2])))
    time = time_at(text, start)
    if time is not None:
        values, end, duration = time
        readings = frozenset(map(Reading, values))
        if duration is not None:
            readings |= {duration}
        bounds = bounds_of(text, start, end)
        return Quantity(start, end, readings, bounds | EQUAL)
    return None


def _read_measure(text: str, match: re.Match[str], language: str | None) -> Quantity:
    start, stop = match.span()
    core = match[0]
    if core.isdecimal() and _NO_ZERO.search(text, max(0, start - 2), start):
        start, core = start - 1, f"0.{core}"
    power = _POWER_OF_TEN.match(text, start)
    if power is not None:
        exponent = int(power[1].translate(_SUPERSCRIPTS))
        value = frozenset({Fraction(10**exponent)})
        return _quantity(text, read_amount(text, start, power.end(), value, language))
    slash = fraction_at(text, start)
    if slash is not None:
        amount = read_amount(text, start, slash[0], frozenset(slash[1]), language)
        return _quantity(text, amount)
    word = word_before(text, start).casefold()
    written = frozenset({f"#{core}"}) if _is_dotted(core) else frozenset()
    if written and (word in LABELS | VERSION_LABELS or _is_release(text, start, stop)):
        labelled = frozenset({Reading(value) for value in written})
        return Quantity(start, stop, labelled, bounds_of(text, start, stop))
    half = AND_HALF.match(text, stop)

    def read_values(scaled: bool) -> frozenset[Value]:
        values = values_of(core, language, scaled=scaled)
        if half is None:
            return values
        return frozenset(v + Fraction(1, 2) for v in values if isinstance(v, Fraction))

    amount = read_amount(text, start, half.end() if half else stop, read_values, language)
    named = _NAMED.search(text, max(0, start - _WINDOW), start) if core.isdecimal() else None
    readings = amount.readings
    if half is None and amount.scale == 1 and all(r.unit is None for r in readings):
        readings |= {Reading(value) for value in written}
    if named is not None and all(reading.unit is None for reading in readings):
        readings |= {Reading(f"{named[1].casefold()}{core}")}
    ordinal = _ORDINAL.match(text, stop)
    if ordinal is not None and ordinal[0] != "." and amount.stop < ordinal.end():
        amount = amount._replace(stop=ordinal.end())
    found = _quantity(text, amount._replace(readings=readings))
    weight: Weight = "loose" if _is_enumerator(text, start, stop) else "fact"
    return found._replace(ordinal=ordinal is not None, weight=weight)


def _is_release(text: str, start: int, stop: int) -> bool:
    """`Nimbus 2.10 or later`: a number behind a name that others come after."""
    return word_before(text, start)[:1].isupper() and _OR_LATER.match(text, stop) is not None


def _is_enumerator(text: str, start: int, stop: int) -> bool:
    """`you need to 1) write, 2) send`: no number but a place in a list."""
    if text[stop : stop + 2] != ") " or stop - start > 2 or text[start - 1 : start] != " ":
        return False
    head = text[max(0, start - _WINDOW) : start]
    return head.count("(") <= head.count(")")


def _is_dotted(core: str) -> bool:
    """`2.10` may be a version: then it is not 2.1."""
    return "." in core and "," not in core and " " not in core and "'" not in core


def _quantity(text: str, amount: Amount) -> Quantity:
    bare = all(reading.unit is None for reading in amount.readings)
    return Quantity(
        amount.start,
        amount.stop,
        amount.readings,
        _bounds(text, amount, bare=bare),
        amount.per or _rate_of_noun(text, amount.stop),
        amount.scale,
        noun=_noun(text, amount.stop) if bare else None,
    )


def _rate_of_noun(text: str, stop: int) -> Unit | None:
    """`60 requests per minute`: the minute."""
    noun = _NEXT_WORD.match(text, stop, stop + _WINDOW)
    return read_per(text, noun.end()) if noun else None


def _bounds(text: str, amount: Amount, *, bare: bool) -> frozenset[str]:
    bounds = bounds_of(text, amount.start, amount.stop)
    if bare and any(_is_year(reading.value) for reading in amount.readings):
        return bounds | EQUAL  # `until 2020`, `after 2020`
    return bounds


def _is_year(value: Value) -> bool:
    return isinstance(value, Fraction) and value.denominator == 1 and 1000 <= value <= 2100


def _noun(text: str, stop: int) -> str | None:
    """The word behind a number, without its ending."""
    match = _NEXT_WORD.match(text, stop, stop + _WINDOW)
    if match is None or match[1].casefold() in _NO_NOUNS or _VERB.search(match[1]):
        return None
    return stem_of(match[1])


def stem_of(word: str) -> str:
    """*word* without the endings of a plural, roughly: both sides lose the same."""
    folded = word.casefold()
    for ending in ("ren", "ies", "en", "es", "er", "s", "n", "e", "y"):
        if folded.endswith(ending) and len(folded) - len(ending) >= 3:
            return folded[: -len(ending)]
    return folded


def _words(text: str, taken: list[tuple[int, int]], language: str | None) -> Iterator[Quantity]:
    place = 0
    for word in number_words(text, language):
        while place < len(taken) and taken[place][1] <= word.start:
            place += 1
        if place < len(taken) and taken[place][0] < word.stop:
            continue
        values: frozenset[Value] = frozenset({word.value})
        amount = read_amount(text, word.start, word.stop, values, language, worded=True)
        if word.ordinal:
            readings = frozenset({Reading(word.value)})
            noun = _noun(text, word.stop)
            weight: Weight = "hint" if noun else "loose"
            yield Quantity(word.start, word.stop, readings, ordinal=True, noun=noun, weight=weight)
            continue
        last = scale_of(text[word.start : word.stop].rsplit(maxsplit=1)[-1], language)
        found = _quantity(text, amount._replace(scale=amount.scale * (last or 1)))
        yield found._replace(weight=_weight(text, word.value, word.start, found, amount))


def _cjk_numerals(
    text: str, taken: list[tuple[int, int]], language: str | None
) -> Iterator[Quantity]:
    for match in CJK_NUMERAL.finditer(text):
        if not _overlaps(taken, *match.span()):
            value: frozenset[Value] = frozenset({cjk_value(match[0])})
            yield _quantity(text, read_amount(text, *match.span(), value, language, worded=True))


def _weight(text: str, value: Fraction, start: int, found: Quantity, amount: Amount) -> Weight:
    """How far a number word is a number: `two cards`, `the two cards`, `two of them`."""
    counted = any(reading.unit is not None for reading in found.readings) or amount.scale != 1
    if value > _SMALL or value.denominator > 1 or (counted and value > 1):
        return "fact"
    if value == 0 or (not counted and _PRONOUN_USE.match(text, found.stop)):
        return "loose"
    before = _LAST_WORD.search(text, max(0, start - _WINDOW), start)
    definite = before is not None and before[1].casefold() in _DEFINITE
    if value == 1 and found.noun is None and not counted:
        return "loose"
    if value == 1:
        days = any(r.unit is not None and r.unit == Unit("days") for r in found.readings)
        return "hint" if definite or not counted or days else "fact"
    return "hint" if definite else "fact"


def is_unit(word: str) -> bool:
    """Whether *word* is a currency or percent: no name, however it is written."""
    return bool(currencies_of(word)) or PERCENT in WORDS.get(word.casefold(), ())
