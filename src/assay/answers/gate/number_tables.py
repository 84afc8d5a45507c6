"""Number words and what each stands for, in seven languages.

In      nothing
Out     cardinals, ordinals, parts and scales by word, case folded
Pure    data only
Spec    004 P2.2; 005-A3 (small number words count)
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from types import MappingProxyType
from typing import Final


def _number(words: str, first: int = 0, step: int = 1) -> dict[str, int]:
    return {word: first + place * step for place, word in enumerate(words.split())}


def _english() -> dict[str, int]:
    table = _number(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen"
    )
    low = list(table)
    tens = _number("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10)
    table |= tens
    for (word, value), one in product(tens.items(), range(1, 10)):
        table[f"{word}-{low[one]}"] = value + one
    return table


def _german() -> dict[str, int]:
    table = _number(
        "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
        "fünfzehn sechzehn siebzehn achtzehn neunzehn"
    )
    low = list(table)
    table |= {"zwo": 2}
    ones = ["", "ein", *low[2:10]]
    below = {word: value for word, value in table.items() if value}
    tens = _number("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig", 20, 10)
    for word, value in tens.items():
        below[word] = value
        below.update({f"{ones[one]}und{word}": value + one for one in range(1, 10)})
    table |= below
    hundreds = {f"{ones[place]}hundert": place * 100 for place in range(1, 10)} | {"hundert": 100}
    table |= hundreds
    for (head, many), (joint, (tail, few)) in product(
        hundreds.items(), product(("", "und"), below.items())
    ):
        table[f"{head}{joint}{tail}"] = many + few
    return table


def _spanish() -> dict[str, int]:
    table = _number(
        "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
        "dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés "
        "veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve"
    )
    table |= {"veintiún": 21}
    table |= _number("treinta cuarenta cincuenta sesenta setenta ochenta noventa", 30, 10)
    stems = "doscient trescient cuatrocient quinient seiscient setecient ochocient novecient"
    for stem, value in _number(stems, 200, 100).items():
        table |= {f"{stem}os": value, f"{stem}as": value}
    return table | {"cien": 100, "ciento": 100}


def _french() -> dict[str, int]:
    low = _number(
        "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze "
        "seize dix-sept dix-huit dix-neuf"
    )
    names = list(low)
    table = {word: value for word, value in low.items() if word != "un"}
    for word, value in _number("vingt trente quarante cinquante soixante", 20, 10).items():
        table[word] = value
        table |= {f"{word}-{names[one]}": value + one for one in range(2, 10)}
        table[f"{word}-et-un"] = value + 1
    table |= {f"soixante-{names[one]}": 60 + one for one in range(10, 20)}
    table |= {f"quatre-vingt-{names[one]}": 80 + one for one in range(1, 20)}
    return table | {
        "quatre-vingts": 80,
        "septante": 70,
        "huitante": 80,
        "nonante": 90,
        "cents": 100,
    }


def _italian() -> dict[str, int]:
    table = _number(
        "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici "
        "quattordici quindici sedici diciassette diciotto diciannove"
    )
    low = list(table)
    for word, value in _number(
        "venti trenta quaranta cinquanta sessanta settanta ottanta novanta", 20, 10
    ).items():
        table[word] = value
        for one in range(1, 10):
            stem = word[:-1] if one in {1, 8} else word
            table[f"{stem}{low[one]}"] = value + one
    table |= {f"{low[one]}cento": one * 100 for one in range(2, 10)}
    return table | {"cento": 100, "duemila": 2000, "tremila": 3000, "cinquemila": 5000}


def _portuguese() -> dict[str, int]:
    table = _number(
        "zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze "
        "dezesseis dezessete dezoito dezenove"
    )
    del table["um"]
    table |= {"duas": 2, "quatorze": 14, "dezasseis": 16, "dezassete": 17, "dezanove": 19}
    table |= _number("vinte trinta quarenta cinquenta sessenta setenta oitenta noventa", 20, 10)
    hundreds = "duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos"
    return table | _number(hundreds, 200, 100) | {"cem": 100, "cento": 100, "novecentos": 900}


def _dutch() -> dict[str, int]:
    table = _number(
        "nul één twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien "
        "vijftien zestien zeventien achttien negentien"
    )
    low = ["", "een", *list(table)[2:10]]
    for word, value in _number(
        "twintig dertig veertig vijftig zestig zeventig tachtig negentig", 20, 10
    ).items():
        table[word] = value
        for one in range(1, 10):
            joint = "ën" if low[one].endswith("e") else "en"
            table[f"{low[one]}{joint}{word}"] = value + one
    return table | {"honderd": 100, "tweehonderd": 200}


def _slavic() -> dict[str, int]:
    polish = _number(
        "jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście", 1
    )
    russian = _number(
        "один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать", 1
    )
    del polish["jeden"], russian["один"]
    tens = {"dwadzieścia": 20, "trzydzieści": 30, "двадцать": 20, "тридцать": 30, "сорок": 40}
    return polish | russian | tens | {"dwie": 2, "две": 2, "dwóch": 2, "двух": 2, "трёх": 3}


ENGLISH_ORDINALS: Final = _number(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
    1,
)
GERMAN_ORDINALS: Final = _number(
    "erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft dreizehnt "
    "vierzehnt fünfzehnt sechzehnt siebzehnt achtzehnt neunzehnt zwanzigst",
    1,
)
"""Without their endings."""


def _ordinals() -> dict[str, int]:
    spanish = "primer segund tercer cuart quint sext séptim octav noven décim"
    french = "premier deuxième troisième quatrième cinquième sixième septième huitième neuvième"
    table = ENGLISH_ORDINALS | _number(french, 1) | {"dixième": 10, "première": 1}
    for stem, value in GERMAN_ORDINALS.items():
        table |= {f"{stem}{ending}": value for ending in ("e", "er", "es", "en", "em")}
    for stem, value in _number(spanish, 1).items():
        table |= {f"{stem}{ending}": value for ending in ("o", "a", "os", "as")}
    for stem, value in _number(
        "prim second terz quart quint sest settim ottav non decim", 1
    ).items():
        table |= {f"{stem}o": value, f"{stem}a": value} if stem != "non" else {"nono": 9, "nona": 9}
    return table | {"primer": 1, "tercer": 3, "primeiro": 1, "primeira": 1, "terceiro": 3}


def _halves() -> dict[str, Fraction]:
    ones = _number("ein zwei drei vier fünf sechs sieben acht neun zehn", 1)
    table = {f"{word}einhalb": value + Fraction(1, 2) for word, value in ones.items()}
    for ending in ("", "e", "en", "er", "es"):
        table[f"anderthalb{ending}"] = Fraction(3, 2)
    return table


CARDINALS_OF: Final[Mapping[str, Mapping[str, int]]] = {
    "en": _english(),
    "de": _german(),
    "es": _spanish(),
    "fr": _french(),
    "it": _italian(),
    "pt": _portuguese(),
    "nl": _dutch(),
}
AMBIGUOUS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        word: frozenset(languages.split())
        for word, languages in {
            "once": "es fr pt",
            "elf": "de nl",
            "due": "it",
            "sei": "it",
            "otto": "it",
            "dix": "fr",
            "sept": "fr",
            "cents": "fr",
            "dez": "pt",
            "cem": "pt",
            "nona": "it",
            "nono": "it",
            "prima": "it",
            "primo": "it",
            "prime": "it",
            "secondo": "it",
            "seconda": "it",
            "quarto": "it",
            "quinta": "it es",
            "quarta": "it",
            "premier": "fr",
            "sexta": "es",
            "segunda": "es",
            "tercera": "es",
            "quinto": "es it",
            "uno": "es it",
        }.items()
    }
)
"""Words that are others elsewhere (`once a year`, `is due`): only in a text of these languages."""

NO_NUMBERS: Final[Mapping[str, frozenset[str]]] = MappingProxyType({"dos": frozenset({"pt", "fr"})})
"""Number words that are none in these languages: `os direitos dos segurados`."""

CARDINALS: Final[Mapping[str, int]] = MappingProxyType(
    {
        word.casefold(): value
        for table in (_slavic(), *(CARDINALS_OF[code] for code in reversed(tuple(CARDINALS_OF))))
        for word, value in table.items()
    }
)
"""Number words, case folded (so `ß` is `ss`)."""

ORDINALS: Final[Mapping[str, int]] = MappingProxyType(
    {word.casefold(): value for word, value in _ordinals().items()}
)
CONTINUING: Final[Mapping[str, int]] = MappingProxyType(
    {"um": 1, "uma": 1, "un": 1, "una": 1, "une": 1, "ein": 1}
)
"""Articles that go on with a number: `vinte e um`."""

HALVES: Final[Mapping[str, Fraction]] = MappingProxyType(_halves())
"""Numbers and a half in one word."""

SCALES: Final[Mapping[str, int]] = MappingProxyType(
    {
        "hundred": 100,
        "thousand": 1000,
        "tausend": 1000,
        "mil": 1000,
        "mille": 1000,
        "cent": 100,
        "duizend": 1000,
        "million": 10**6,
        "millionen": 10**6,
        "millón": 10**6,
        "millones": 10**6,
    }
)
"""What multiplies the number word before it."""
