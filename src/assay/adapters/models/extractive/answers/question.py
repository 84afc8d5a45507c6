"""What a question asks for, and the words that it cannot do without.

In      a question in any language
Out     Asked: content words, names and numbers, the kind of answer
Pure    yes; linear
Spec    008-A2, 008-A3

The kinds are told by question words of English, German, French, Spanish, Italian, Dutch,
Portuguese, Japanese and Chinese; a question without one asks for no kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from assay.answers.gate.content_words import (
    ContentWord,
    content_words,
    guess_text_language,
    plain_words,
)
from assay.answers.gate.dates import dates
from assay.answers.gate.names import names_in
from assay.answers.gate.numbers import quantities

Kind = Literal["time", "number", "contact", "person", "place"]

_PATTERNS: Final[tuple[tuple[Kind, str], ...]] = (
    (
        "contact",
        r"\b(?:phone|telephone|fax|e-?mail|telefon\w*|téléphone|teléfono|telefono|correo|web ?site"
        r"|courriel|telefoon\w*|hotline)\b|電話|メール|电话|邮箱",
    ),
    (
        "time",
        r"\b(?:when|what (?:time|date|day|year|month)|which (?:date|day|year|month)|wann|um wie"
        r" ?viel uhr|an welche[mn] tage?n?|bis zu welchem|quand|quelle heure|quel(?:le)?s? "
        r"(?:jours?|date|année)|cuándo|qué (?:hora|día|fecha|días|año)|quando|che ora|quali? "
        r"(?:giorn[oi]|data)|wanneer|hoe laat|welke dag\w*|quais dias|que horas|opening hours"
        r"|öffnungszeiten|horaires?|horarios?|orari|openingstijden)\b|いつ|何時|何日|何月|何曜"
        r"|什么时候|何时|几点|哪天",
    ),
    (
        "number",
        r"\b(?:how (?:much|many|long|often|old|high|large|big|far|expensive|fast|tall|heavy|soon"
        r"|early|late)|(?:what|which) (?:is|are|was|were) the (?:\w+ ){0,2}(?:price|cost|fee|rate"
        r"|amount|number|limit|maximum|minimum|size|age|deposit|share|percentage)\w*|what (?:fee|"
        r"rate|percentage|price|amount)|(?:does|do|did|will|would)(?= .{1,60}\bcosts?\b)|costs?"
        r"|wie ?(?:viel\w*|hoch|lange?|oft|teuer|alt|groß|weit|schnell)|was koste[tn]|combien"
        r"|quel (?:est le )?(?:prix|montant|tarif|délai)"
        r"|cuánt[oa]s?|qué (?:precio|importe|plazo)|cuál es el (?:precio|importe|plazo|límite)"
        r"|quant[oaie]|qual è il (?:prezzo|costo|limite)|hoe ?(?:veel|lang|vaak|duur|hoog|groot"
        r"|oud)|wat kost|quantos|quantas)\b|いくら|いくつ|何(?:[人個円回台本枚歳分]|日間|時間|か月"
        r"|ヶ月|年間)|どのくらい|どれくらい|多少|几[个天次年月人]|多久|多长|多大",
    ),
    (
        "person",
        r"\b(?:who|whom|wer|wem|wen|quién(?:es)?|chi|quem)\b|\bqui (?!est-ce qu)|誰|だれ|谁",
    ),
    (
        "place",
        r"\b(?:where|wo|wohin|woher|dónde|adónde|dove|waar|onde)\b|\boù\b|どこ|何処|哪里|哪儿|在哪",
    ),
)
_KINDS: Final = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS)
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
_ANDS = re.compile(r"\b(?:and|und|et|y|e|en)\b", re.IGNORECASE)
_BEFORE: Final = 3
_BEHIND: Final = 2
"""So many words stand before or from a question word on that asks."""

_UNSPACED_FRAMES = re.compile(
    "什么时候|什么|怎么样?|如何|为什么|是否|可以|多少钱?|多[久长大]|几[个天次点年月]|哪[里儿个些天]|[吗呢请问]"
    "|いつ|どこ|だれ|誰|なぜ|どう(?:すれば|やって)?|どの(?:くらい|ような)?|どれ(?:くらい)?|いくら|いくつ"
    "|何(?:時|日|月|曜日?|人|円|回|歳|分|か月|ヶ月|年間?|ですか)?"
    "|(?:でしょう|です|ます|ません|ました)か|ください|教えて"
)
"""What only asks, where no space tells it from what it asks about."""

_CLOCK = re.compile(
    r"\b\d{1,2}(?:[:.h]\d{2}|\s?(?:a\.?m|p\.?m|uhr|h\b|heures|uur|時|点))|\b(?:noon|midnight|mittags?"
    r"|midi|minuit)\b|\b(?:at|um|ab|until|till|from|bis|von|à|alle|a las?|om) (?:half past |halb )?"
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|eins?|zwei|drei|vier|fünf|sechs"
    r"|sieben|acht|neun|zehn|elf|zwölf|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|dos|tres|cuatro"
    r"|cinco|seis|siete|ocho|nueve|diez|doce|tre|quattro|cinque|sei|sette|otto|nove|dieci|een|twee|drie"
    r"|vijf|zes|zeven|negen|tien|twaalf)\b|\d{1,2}\s?[-–]\s?\d{1,2}\s?(?:uhr|h\b|時)",
    re.IGNORECASE,
)
_DAYS = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:mon|diens|donners|frei|sams|sonn)tags?\b"
    r"|\bmittwochs?\b|\b(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)s?\b"
    r"|\b(?:lunes|martes|miércoles|jueves|viernes|sábados?|domingos?)\b"
    r"|\b(?:luned|marted|mercoled|gioved|venerd)ì\b|\b(?:sabato|domenica)\b"
    r"|\b(?:maan|dins|woens|donder|vrij|zater|zon)dag\b|[月火水木金土日]曜|星期|周[一二三四五六日]"
    r"|\b(?:daily|täglich|jederzeit|always|immer|tous les jours|every|jede[nrsm]|within|innerhalb"
    r"|before|after|vor|nach|until|bis|years?|jahre?n?|days?|tage?n?|weeks?|wochen?|months?|monate?n?)\b",
    re.IGNORECASE,
)
_CONTACT = re.compile(r"\S@\S|https?://|www\.|(?:\d[\s/()+.-]{0,3}){5,}")
_DIGIT = re.compile(r"\d")
_NUMBERS = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, read."""

    language: str | None
    words: tuple[ContentWord, ...]
    """Its content words, each stem once."""

    marks: tuple[str, ...]
    """Names, numbers and codes, case folded: an answer to a question about `A17` names it."""

    names: frozenset[str]
    """The stems of those words that are such marks."""

    kinds: frozenset[Kind]

    def fits(self, text: str) -> float:
        """1 where *text* holds what is asked for, -1 where it does not, 0 where nothing tells."""
        told = [_holds_kind(kind, text) for kind in self.kinds]
        known = [each for each in told if each is not None]
        return 0.0 if not known else 1.0 if any(known) else -1.0


def read_question(question: str) -> Asked:
    """Read a question.

    Example:
        >>> asked = read_question("How much is the fee in zone B12?")
        >>> [word.key for word in asked.words], asked.marks, sorted(asked.kinds)
        (['fee', 'zone', 'b12'], ('b12', '12'), ['number'])
        >>> asked.fits("The fee is 5 EUR."), asked.fits("The fee is due.")
        (1.0, -1.0)
    """
    language = guess_text_language(question)
    framing = [
        (kind, *match.span())
        for kind, pattern in _KINDS
        for match in pattern.finditer(question)
        if _is_asking(question, match.start())
    ]
    plain = _UNSPACED_FRAMES.sub(lambda match: " " * len(match[0]), question)
    words: dict[str, ContentWord] = {}
    for word in content_words(plain, language):
        frames = any(start < word.stop and word.start < stop for _, start, stop in framing)
        words.setdefault(word.key, word._replace(light=word.light or frames))
    telling = [word for word in words.values() if not word.grammar]
    marks = tuple(dict.fromkeys(_marks(question, language)))
    return Asked(
        language=language,
        words=tuple(telling or words.values()),
        marks=marks,
        names=frozenset(
            word.key
            for word in words.values()
            if question[word.start : word.stop].casefold() in marks
        ),
        kinds=frozenset(kind for kind, _, _ in framing),
    )


def _is_asking(question: str, at: int) -> bool:
    """Whether what stands at *at* asks: near the start, behind an `and`, or near the end.

    `When` in `How do I see it when it is hidden?` asks for no time.
    """
    if _UNSPACED.match(question, at):
        return True
    before = _ANDS.split(question[:at])[-1]
    return len(before.split()) <= _BEFORE or len(question[at:].split()) <= _BEHIND


def _marks(question: str, language: str | None) -> list[str]:
    """The words of names, and what has a digit in it."""
    named = [
        word
        for place in names_in(question, german=language == "de")
        if not place.opens
        for word in plain_words(place.text)
    ]
    return named + [word for word in mark_words(question) if _DIGIT.search(word)]


def mark_words(text: str) -> Iterator[str]:
    """Words and numbers of *text*, case folded, as names and codes are looked up."""
    yield from plain_words(text)
    yield from _NUMBERS.findall(text)


def _holds_kind(kind: Kind, text: str) -> bool | None:
    if kind == "contact":
        return _CONTACT.search(text) is not None
    if kind == "time":
        return bool(_CLOCK.search(text) or _DAYS.search(text) or next(iter(dates(text)), None))
    if kind == "number":
        return _DIGIT.search(text) is not None or any(
            each.weight != "loose" for each in quantities(text)
        )
    named = any(not place.opens for place in names_in(text, german=False))
    return True if named else None
