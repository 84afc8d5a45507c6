"""Words and signs that make a number a bound: at most, at least, more than, less than.

In      a folded text and the place of a number in it
Out     the relations to the number that the text may state
Pure    data and look-ups; looks a bounded way to both sides
Spec    005-A3; interfaces.md, "Answers" (`at most` is not `at least`)

`at most` is another claim than the number alone, in both directions. A word of place or time
(`within`, `until`, `from`) is often left out or put in by a right answer: it states the number
and the bound. So does a number beside a noun that is a bound (`a limit of 20 EUR`). What is no
exact statement anyway (`about 20`) is read as the number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from assay.core.text.word_sets import word_set

EQUAL: Final = frozenset("=")
LOW: Final = frozenset({">="})
HIGH: Final = frozenset({"<="})

_BEFORE: Final = {
    "<=": "at most; as much as; as many as; at or below; at or under; no more than; not more "
    "than; not exceed; not "
    "exceeding; not to exceed; "
    "no greater than; no longer than; no later than; not later than; not over; not above; a "
    "maximum of; maximum of; maximum; max; up to; upto; less than or equal to; capped at; ≤; <=; "
    "=<; bis zu; höchstens; maximal; maximum von; nicht mehr als; nicht länger als; nicht über; "
    "nicht höher als; max.; bis maximal; nicht später als; "
    "jusqu'à; au plus; au maximum; au maximum de; pas plus de; n'excédant pas; "
    "hasta; como máximo; máximo; máximo de; a lo sumo; no más de; no superior a; hasta un máximo "
    "de; un máximo de; "
    "fino a; al massimo; al più; massimo; massimo di; non più di; non oltre; un massimo di; "
    "até; no máximo; máximo de; não mais de; não mais do que; não superior a; um máximo de; "
    "maximaal; hoogstens; ten hoogste; niet meer dan; "
    "co najwyżej; maksymalnie; nie więcej niż; do; "
    "не более; не больше; не более чем; максимум; högst; upp till; höjst; højst; op til; inntil; "
    "最多; 至多; 最大; 不超过; 최대",
    ">=": "at least; as little as; as few as; at or above; at or over; no less than; no fewer "
    "than; not less than; not "
    "fewer than; not under; not "
    "below; a minimum of; minimum of; minimum; min; min.; greater than or equal to; more than or "
    "equal to; ≥; >=; =>; "
    "mindestens; wenigstens; zumindest; minimal; mind.; mind; nicht weniger als; nicht unter; "
    "minimum von; au moins; au minimum; au minimum de; minimum de; pas moins de; "
    "al menos; como mínimo; mínimo; mínimo de; por lo menos; no menos de; no inferior a; un "
    "mínimo de; cuando menos; "
    "almeno; minimo; minimo di; non meno di; un minimo di; "
    "pelo menos; no mínimo; mínimo de; ao menos; não menos de; um mínimo de; "
    "minstens; ten minste; tenminste; minimaal; niet minder dan; "
    "co najmniej; przynajmniej; nie mniej niż; не менее; не меньше; не менее чем; минимум; minst; "
    "mindst; 至少; 最少; 不少于; 최소",
    "<": "less than; fewer than; under; below; lower than; smaller than; lighter than; younger "
    "than; shorter "
    "than; cheaper than; <; weniger als; unter; kleiner als; jünger als; kürzer als; niedriger "
    "als; unterhalb von; geringer als; moins de; inférieur à; inférieure à; en dessous de; "
    "en-dessous de; menos de; inferior a; por debajo de; menor de; menor que; menores "
    "de; de moins de; minori di; menores que; "
    "meno di; inferiore a; al di sotto di; sotto i; sotto; "
    "abaixo de; inferior a; menos que; minder dan; onder; lager dan; jonger dan; "
    "mniej niż; poniżej; менее; меньше; ниже; менее чем; mindre än; under; mindre enn; 少于; 低于",
    ">": "more than; over; above; larger than; bigger than; heavier than; greater than; higher "
    "than; exceeding; exceeds; exceed; exceeded; "
    "überschreitet; überschreiten; übersteigt; übersteigen; dépasse; dépasser; dépassent; excède; "
    "supera; superar; superan; supere; excede; exceder; supera i; supera gli; superano; superano "
    "i; superare; superare i; ultrapassa; ultrapassar; passar de; exceda; overschrijdt; "
    "overschrijden; przekracza; przekraczać; превышает; превышать; "
    "older than; longer than; upwards of; in excess of; beyond; >; mehr als; über; größer als; "
    "höher als; älter als; länger als; oberhalb von; "
    "plus de; supérieur à; supérieure à; au-delà de; más de; superior a; por encima de; mayor "
    "de; mayores de; maiores de; maggiori di; de plus de; mayores que; "
    "mayor que; più di; oltre; superiore a; al di sopra di; mais de; mais que; mais do que; acima "
    "de; "
    "meer dan; boven; hoger dan; ouder dan; więcej niż; ponad; powyżej; более; больше; свыше; "
    "более чем; mer än; över; mere end; 超过; 多于; 高于",
}
_WEAK_BEFORE: Final = {
    "<=": "within; by; until; till; before; prior to; in under; innerhalb von; innerhalb; binnen; "
    "bis; vor; spätestens; spätestens am; avant; dans les; dans un délai de; antes de; "
    "dentro de; en un plazo de; entro; prima di; em até; tot; binnen; w ciągu; до; в течение",
    ">=": "after; from; since; starting at; starting from; beginning at; ab; nach; seit; après; "
    "à partir de; depuis; después de; a partir de; desde; dopo; a partire da; depois de; após; "
    "vanaf; na; od; от; после",
}
_AFTER: Final = {
    "<=": "or less; or earlier; and earlier; oder früher; o anterior; or fewer; or under; or "
    "below; or younger; and under; and below; or lower; "
    "at most; at the most; maximum; max; oder weniger; oder jünger; und jünger; höchstens; "
    "ou moins; au plus; au maximum; o menos; como máximo; o meno; al massimo; ou menos; no máximo; "
    "of minder; lub mniej; или менее; 以下; 以内; 이하",
    ">=": "or more; or later; or newer; and later; and newer; oder neuer; oder später; o "
    "posterior; "
    "or older; or over; or above; or higher; or greater; or longer; and over; and "
    "older; and above; and up; at least; at the least; minimum; oder mehr; oder älter; oder "
    "höher; oder länger; und älter; und mehr; mindestens; "
    "ou plus; et plus; au moins; minimum; o más; y más; o mayor; o mayores; como mínimo; al menos; "
    "o più; ou mais; no mínimo; of meer; of ouder; lub więcej; и более; и старше; 以上; 이상",
    "<": "未満; 미만",
    ">": "超; 초과",
}
_FILLERS: Final = word_set(
    "about around approximately approx roughly some nearly almost circa ca ca. etwa rund "
    "ungefähr zirka fast knapp environ près unos unas cerca circa about: a an the of to den "
    "die das der dem les des los las i gli le o os as exactly just only genau nur total "
    "insgesamt ~ ≈ ± alrededor aproximadamente ongeveer około około"
)
_NOUNS: Final = {
    "maxim": ("<=",),
    "máxim": ("<=",),
    "massim": ("<=",),
    "höchst": ("<=",),
    "highest": ("<=",),
    "ceiling": ("<=",),
    "obergrenze": ("<=",),
    "deadline": ("<=",),
    "frist": ("<=",),
    "minim": (">=",),
    "mínim": (">=",),
    "mindest": (">=",),
    "lowest": (">=",),
    "untergrenze": (">=",),
    "limit": ("<=",),
    "límite": ("<=",),
    "grenz": ("<=",),
    "threshold": ("<=", ">=", "<", ">"),
    "schwelle": ("<=", ">=", "<", ">"),
    "plafond": ("<=",),
    "seuil": (">=", ">", "<", "<="),
    "cap ": ("<=",),
    "capped": ("<=",),
    "allow": ("<=",),
    "erlaubt": ("<=",),
}
_ALLOWED = re.compile(
    r"(?<!\w)(?:may|can|darf|dürfen|peut|peuvent|puede|pueden|può|possono|pode|podem|mag|mogen"
    r"|można|может|могут|можно)(?: [^\W\d_]{1,20}){0,3} \Z",
    re.IGNORECASE,
)
"""Whoever may send 600 may send no more."""

_NOUN = re.compile("|".join(map(re.escape, sorted(_NOUNS))))


def _rows(table: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    for sign, words in table.items():
        yield from ((word.strip(), sign) for word in words.split(";"))


_SIGN_BEFORE: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {word: frozenset({sign, "="}) for word, sign in _rows(_WEAK_BEFORE)}
    | {word: frozenset({sign}) for word, sign in _rows(_BEFORE)}
    | {word: frozenset({"<=", "="}) for word in ("do", "до")}
)
_SIGN_AFTER: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {word: frozenset({sign}) for word, sign in _rows(_AFTER)}
)

_SENTENCE_END = re.compile(r"[.!?;]\s|\n")
_LAST_WORDS = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*|[<>≤≥=~≈±]+")
_CJK = re.compile("[\u4e00-\u9fff\uac00-\ud7af]")
_CJK_AFTER = re.compile(
    "[\u4e00-\u9fff\uac00-\ud7af]{0,2}?(以上|以下|以内|未満|超(?!市)|이상|이하|미만|초과)"
)
_NEXT_WORDS = re.compile(r"\s?([^\W\d_]+)(?:\s([^\W\d_]+)(?:\s([^\W\d_]+))?)?")
_CONJUNCTIONS: Final = word_set("or and oder und ou et o y e of lub и или")
_WINDOW: Final = 48
_REACH_OF_DENIAL: Final = 4
"""Words between a denial and the bound that it turns: `do not take more than`."""

_DENIALS: Final = word_set(
    "not don't doesn't can't cannot mustn't shouldn't won't never nicht nie kein keine keinen "
    "keinesfalls pas jamais no nunca non mai não niet nooit geen nie не"
)
_PLACES: Final = word_set(
    "under over above below beyond unter über unterhalb oberhalb en au sous sotto al oltre por "
    "abaixo acima onder boven poniżej powyżej ponad ниже выше свыше younger older jünger älter "
    "mayor mayores menor menores maiores minori maggiori"
)
"""A denial does not turn these from further off: who gives nothing to those under 12 gives
nothing to those under 12."""

_DENIED_SIGN: Final = {
    frozenset(">"): frozenset({"<="}),
    frozenset("<"): frozenset({">="}),
}
_LATEST: Final = word_set("spätestens frühestens")
_EXTREME = re.compile(
    r"(?:m[aáà](?:x|ss|ks)im\w{0,4}|m[ií]nim\w{0,4}|max|min|mind|максимум|минимум)\.?\Z"
    r"|最[大小]|최[대소]"
)
"""Single words that are nouns, or stand by themselves before one: `Maximum dose`."""

_NOUN_WINDOW: Final = 72
_MOST_WORDS: Final = 5
_UP: Final = frozenset({">", ">="})
_DOWN: Final = frozenset({"<", "<="})


def _bounds_alone() -> re.Pattern[str]:
    """Phrases that bound without a number too: no single nouns (`Maximum`), places or times."""
    found = {
        word
        for word, signs in (*_SIGN_BEFORE.items(), *_SIGN_AFTER.items())
        if "=" not in signs and not (_EXTREME.match(word) or word in _PLACES)
    } | _LATEST
    by_sign = [word for word in found if not word.isascii() and _CJK.match(word)]
    by_sign += [word for word in found if not any(map(str.isalnum, word))]
    words = map(re.escape, sorted(found.difference(by_sign), key=len, reverse=True))
    signs = "|".join(map(re.escape, sorted(by_sign)))
    return re.compile(rf"[±≈]|{signs}|(?<!\w)(?:{'|'.join(words)})(?!\w)", re.IGNORECASE)


_BOUND: Final = _bounds_alone()


def bounds_of(text: str, start: int, stop: int) -> frozenset[str]:
    """How the number at `text[start:stop]` is bounded; `=` where it is stated as such.

    Example:
        >>> text = "at least 20 EUR"
        >>> bounds_of(text, 9, 15)
        frozenset({'>='})
    """
    found = _bounds_behind(text, stop) or _bounds_before(text, start)
    before = _SENTENCE_END.split(text[max(0, start - _NOUN_WINDOW) : start])[-1]
    signs = bounds_by_noun(before)
    if signs:
        return frozenset({*(found or ()), "=", *(signs if not found else ())})
    if found is None and _ALLOWED.search(before):
        return EQUAL | HIGH
    return found or EQUAL


def has_bound(text: str) -> bool:
    """Whether *text* bounds something, though it may hold no number: `up to a limit`.

    Example:
        >>> has_bound("Fees up to a limit"), has_bound("Maximum fee under the contract")
        (True, False)
    """
    return _BOUND.search(text) is not None


def bounds_by_noun(text: str) -> frozenset[str]:
    """The bounds that the nouns of *text* are: `limit`, `Höchstbetrag`.

    Example:
        >>> bounds_by_noun("Daily limit"), bounds_by_noun("Price")
        (frozenset({'<='}), frozenset())
    """
    return frozenset(sign for noun in _NOUN.findall(text.casefold()) for sign in _NOUNS[noun])


def _bounds_behind(text: str, stop: int) -> frozenset[str] | None:
    if text[stop : stop + 1] == "+" and not text[stop + 1 : stop + 2].isdecimal():
        return LOW
    cjk = _CJK_AFTER.match(text, stop)
    if cjk is not None:
        return _SIGN_AFTER[cjk[1]]
    match = _NEXT_WORDS.match(text, stop, stop + _WINDOW)
    words = [word.casefold() for word in match.groups() if word] if match else []
    for number in range(len(words), 0, -1):
        sign = _SIGN_AFTER.get(" ".join(words[:number]))
        if sign is not None and not (number == 1 and words[0] in _SIGN_BEFORE and len(words) > 1):
            return sign
    # `18 years or older`: the noun stands between.
    for number in range(len(words), 2, -1):
        sign = _SIGN_AFTER.get(" ".join(words[1:number]))
        if sign is not None and words[1] in _CONJUNCTIONS:
            return sign
    return None


def _bounds_before(text: str, start: int) -> frozenset[str] | None:
    head = text[max(0, start - _WINDOW) : start]
    stretch = re.split(r"[.,;:!?()\n](?!\w)", head)[-1]
    words = [word.casefold() for word in _LAST_WORDS.findall(stretch)]
    if not stretch.endswith((" ", "<", ">", "≤", "≥", "=", "~", "≈", "'", "-", "(")) and not (
        words and words[-1] in {"最多", "至多", "最大", "至少", "最少", "최대", "최소"}
    ):
        return None
    while words and words[-1] in _FILLERS:
        sign = _longest_phrase(words)
        if sign is not None:
            return sign
        words.pop()
    return _longest_phrase(words)


def _longest_phrase(words: list[str]) -> frozenset[str] | None:
    for number in range(min(_MOST_WORDS, len(words)), 0, -1):
        sign = _SIGN_BEFORE.get(" ".join(words[-number:]))
        if sign is not None:
            before = words[:-number][-_REACH_OF_DENIAL:]
            if words[-number] in _PLACES or _DENIALS.isdisjoint(before):
                return sign
            return _DENIED_SIGN.get(sign, sign)
    return None


def is_implied(answer: frozenset[str], evidence: frozenset[str]) -> bool:
    """Whether a number bounded as in *answer* follows from one bounded as in *evidence*.

    Example:
        >>> is_implied(HIGH, LOW), is_implied(LOW, frozenset(">")), is_implied(EQUAL, HIGH)
        (False, True, False)
    """
    if _is_turned(answer, evidence):
        return False
    wider = {f"{sign}=" for sign in evidence if sign in "<>"}
    return not answer.isdisjoint(evidence | wider)


def _is_turned(one: frozenset[str], other: frozenset[str]) -> bool:
    up, down = bool(one & _UP), bool(one & _DOWN)
    rises, falls = bool(other & _UP), bool(other & _DOWN)
    return (up and not down and falls and not rises) or (down and not up and rises and not falls)
