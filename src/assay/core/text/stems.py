"""What a text speaks of: its content words, without their endings.

In      a text, its language where it is known
Out     stems; pairs of characters where a script has no spaces between words
Pure    yes; linear
Spec    interfaces.md, "Answers" (content words are stems)

Left out are words that a language needs for its grammar and numbers in digits. Words that turn
a claim round (not, never, without, only, before) are no grammar: they stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final
from unicodedata import normalize

import Stemmer

from assay.core.text.folding import REMOVED, marks_in_order

ALGORITHMS: Final = {
    "ar": "arabic",
    "ca": "catalan",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hi": "hindi",
    "hu": "hungarian",
    "it": "italian",
    "lt": "lithuanian",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "tr": "turkish",
}
"""ISO 639-1 code -> Snowball algorithm. In other languages a word is its own stem."""

_STOP: Final = {
    "en": "a an the this that these those it its he she they them their his her i me my we us our "
    "you your who whom whose which what where when why how is are was were be been being am do "
    "does did done have has had having will would shall of to in on at by for from with as into "
    "onto about and or if so than then there here such s t d ll ve re m also each any other some",
    "de": "der die das den dem des ein eine einen einem einer eines dieser diese dieses diesen "
    "diesem er sie es ihn ihm ihr ihre ihren ihrem ihrer ihres sein seine seinen seinem seiner "
    "ich mich mir mein meine wir uns unser unsere du dich dir man sich wer was wo wann warum wie "
    "welche welcher welches ist sind war waren bin bist wird werden wurde wurden worden geworden "
    "hat haben hatte hatten habe zu zur zum in im an am auf aus bei beim von vom für mit nach um "
    "durch als und oder wenn so dass da dann auch hier dort etwa",
    "es": "el la los las lo un una unos unas este esta esto estos estas ese esa eso esos esas él "
    "ella ellos ellas su sus se le les me mi mis te tu tus nos nuestro nuestra yo usted ustedes "
    "que qué quien quién cual cuál cuando cuándo donde dónde como cómo porque es son era eran fue "
    "fueron ser sido está están estar ha han haber hay había de del a al en por para con y e o u "
    "si así también",
    "fr": "le la les l un une des d du de ce cet cette ces c il elle ils elles on se s son sa ses "
    "leur leurs je j me m mon ma mes te t tu ton ta tes nous notre nos vous votre vos lui y en qui "
    "que qu quoi dont où quand comment pourquoi quel quelle quels quelles est sont était étaient "
    "être été a ont avoir avait à au aux dans par pour avec chez et ou si ainsi comme aussi",
    "it": "il lo la l i gli le un uno una d di del dello della dell dei degli delle questo questa "
    "questi queste quello quella quelli quelle egli lui lei loro essi si suo sua suoi sue mi mio "
    "mia ti tu tuo tua ci noi nostro nostra voi vostro vostra io che chi cui quale quali quando "
    "dove come perché è sono era erano essere stato stata stati ha hanno avere aveva a al allo "
    "alla all ai agli alle da dal dalla dall dai dagli dalle in nel nello nella nell nei negli "
    "nelle su sul sulla sull per con e ed o se così anche",
    "pt": "o a os as um uma uns umas este esta isto estes estas esse essa isso ele ela eles elas "
    "se seu sua seus suas lhe lhes me meu minha te tu teu tua nos nosso nossa eu você vocês que "
    "quem qual quais quando onde como porque é são era eram foi foram ser sido está estão estar "
    "tem têm ter há de do da dos das em no na nos nas por pelo pela pelos pelas para com ao à aos "
    "às e ou assim também",
    "nl": "de het een dit dat deze die hij zij ze hem haar hun zijn er ik me mij mijn wij we ons "
    "onze jij je jou jouw u uw men zich wie wat waar wanneer waarom hoe welke welk is was waren "
    "ben bent wordt worden werd werden geworden heeft hebben had hadden heb te in op aan bij van "
    "voor met uit om naar als en of dan dus daar hier ook",
}
_STOP_SETS: Final = {code: frozenset(words.split()) for code, words in _STOP.items()}
_NONE: Final[frozenset[str]] = frozenset()

_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_MARKS_IN_WORDS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u0900-\u0963\u0966-\u096f\u0971-\u0df3"  # the scripts of India but their full stops
)
"""Marks of letters are no letters to `\\w`; a vowel sign must not cut its word in two."""

_WORD = re.compile(rf"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])[^\W_]|[{_MARKS_IN_WORDS}])+")
_UNSPACED_RUN = re.compile(rf"[{_UNSPACED}]+\Z")
_REMOVED = re.compile(f"[{REMOVED}]")
_ACCENTS = re.compile("[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670]")


def content_stems(text: str, language: str | None = None) -> frozenset[str]:
    """The stems of the content words of *text*.

    Args:
        text: Any; markers and markup are better taken out before.
        language: ISO 639-1. None, or a language without a stemmer: words as they are, in lower
            case, and no word is taken for grammar.

    Example:
        >>> sorted(content_stems("The refunds are paid in 14 days.", "en"))
        ['day', 'paid', 'refund']
        >>> sorted(content_stems("払い戻し"))
        ['い戻', '戻し', '払い']
    """
    stop = _STOP_SETS.get(language or "", _NONE)
    found = (word for word in content_words(text) if word not in stop)
    algorithm = ALGORITHMS.get(language or "")
    if algorithm is None:
        return frozenset(_without_accents(word) for word in found)
    return frozenset(map(_without_accents, _stemmer(algorithm).stemWords(list(found))))


def content_words(text: str) -> Iterator[str]:
    """The words of *text* in order, case folded; pairs of characters where there are no spaces.

    Numbers in digits are no words.
    """
    plain = normalize("NFKC", marks_in_order(_REMOVED.sub("", text))).casefold()
    for match in _WORD.finditer(plain):
        word = match[0]
        if _UNSPACED_RUN.match(word):
            yield from (word[at : at + 2] for at in range(max(len(word) - 1, 1)))
        elif not word.isnumeric():
            yield word


def is_grammar(word: str, language: str) -> bool:
    """Whether *word*, case folded, is one that *language* needs for its grammar."""
    return word in _STOP_SETS.get(language, _NONE)


def _without_accents(stem: str) -> str:
    """*stem* without accents: `política` and `politica` are one word."""
    if stem.isascii():
        return stem
    return normalize("NFC", _ACCENTS.sub("", normalize("NFD", stem)))


@cache
def _stemmer(algorithm: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(algorithm)
