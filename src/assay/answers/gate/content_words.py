"""What a text is about: its content words as stems, its language, and whether another holds them.

In      a text, the language that it is in
Out     content words with their places; an index to look them up in
Pure    yes; linear
Spec    005-A2; interfaces.md, "Answers" (content words)

A content word is no stop word, number or single sign. Where a language has a Snowball stemmer
its stem counts; where a script has no spaces, pairs of neighbouring characters do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple
from unicodedata import combining, normalize

import Stemmer

from assay.answers.gate.irregular_words import IRREGULAR
from assay.answers.gate.stop_words import ANY, LIGHT_WORDS, STOP_WORDS
from assay.answers.gate.turning_words import NOT_TURNING, TURNS
from assay.core.text.folding import REMOVED, marks_in_order

STEMMERS: Final = {
    **{"en": "english", "de": "german", "fr": "french", "es": "spanish", "it": "italian"},
    **{"pt": "portuguese", "nl": "dutch", "pl": "polish", "sv": "swedish", "da": "danish"},
    **{"cs": "czech", "tr": "turkish", "ru": "russian", "el": "greek", "hi": "hindi"},
    **{"ar": "arabic", "fa": "persian", "no": "norwegian", "fi": "finnish", "hu": "hungarian"},
    **{"ro": "romanian", "ta": "tamil", "hy": "armenian", "sr": "serbian", "ne": "nepali"},
}
"""ISO 639-1 code -> Snowball algorithm."""

_NO_SPACES: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, kana, Han; Hangul too, whose particles are glued to the word."""

MARKS: Final = (
    "[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963"
    "\u0966-\u0dff\u200c\u200d]"
)
"""What is written onto the letters of a word, and the scripts that write so."""

_TOKEN = re.compile(
    rf"(?P<run>[{_NO_SPACES}々]+)"
    rf"|(?P<word>(?:(?![{_NO_SPACES}])[^\W_]|{MARKS}"
    r"|(?<=[^\W_])[-‐‑_'’.](?=[^\W_]))+)"
)
_JOINT = re.compile(r"[-‐‑_'’.]")
_REMOVED = re.compile(f"[{REMOVED}]")
_PARTS = re.compile(rf"{_JOINT.pattern}|(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÞÄÖÜ])")
_KANA = re.compile("[\u3040-\u309f]+")
_SCRIPTS: Final = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u3400-\u9fff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("km", re.compile("[\u1780-\u17ff]")),
    ("my", re.compile("[\u1000-\u109f]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("hy", re.compile("[\u0530-\u058f]")),
    ("ta", re.compile("[\u0b80-\u0bff]")),
)
_FAMILIES: Final = (
    ("ar fa", re.compile("[\u0600-\u06ff]")),
    ("ru uk", re.compile("[\u0400-\u04ff]")),
    ("en de fr es it pt nl pl sv da cs tr", re.compile("[a-zß-öø-ÿĀ-ž]")),
)
"""Languages that share a script, told apart by their small words and letters."""

_OWN_LETTERS: Final = {
    **{"de": "äöüß", "fr": "àâæçéèêëîïôœùûü", "es": "áéíñóúü¿¡", "it": "àèéìòù"},
    **{"pt": "áâãàçéêíóôõú", "nl": "ëéï", "pl": "ąćęłńóśźż", "sv": "åäö", "da": "æøå"},
    **{"cs": "áčďéěíňóřšťúůýž", "tr": "çğıöşü", "uk": "іїєґ", "ru": "ыэъё", "fa": "پچژگک"},
}
_MOST_READ: Final = 4000
"""Code points that are read to guess a language."""

_JOINTS: Final = ("s", "es", "n", "en", "er")
_COMPOUNDING: Final = frozenset({"de", "nl", "sv", "da", "no", "fi", "hu"})
_SURE: Final = 2
"""By how much more must speak for one language than for another."""

_BY_SCRIPT: Final = 9
_MOST_LIKELY: Final = 4
"""Languages that a text is read in when it may be any of them."""

_SPOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
"""Words; `l'entrée` is told by its `l`, `isn't` as a whole."""

_PLAIN = re.compile("[a-zа-яء-ي]")
_SHORTEST_PART: Final = 4
_LONGEST: Final = 48
"""Of a word; longer ones are no words of a language and count as they stand."""


class ContentWord(NamedTuple):
    """One word that says what a text is about."""

    start: int
    stop: int
    key: str
    """Its stem."""

    parts: tuple[str, ...] = ()
    """The stems of its parts, where it is written in parts: `fine-tuning`, `maxTokens`; the
    axis that it stands on: `~open`."""

    light: bool = False
    """A word that any text may be put with: `uses`, `amounts`."""

    grammar: bool = False
    """A pair of characters that hardly tells anything."""


def guess_text_language(text: str) -> str | None:
    """The language of *text* by script, small words and letters; None when in doubt.

    Works on one sentence, where a guess from the commonest words of a long text gives up.

    Example:
        >>> guess_text_language("The fee is due."), guess_text_language("Die Gebühr ist fällig.")
        ('en', 'de')
    """
    return _best(_language_scores(text[:_MOST_READ]))


def likely_languages(text: str) -> tuple[str, ...]:
    """The languages that most speaks for, several where they cannot be told apart.

    Example:
        >>> likely_languages("La tassa non viene rimborsata.")
        ('it',)
    """
    scores = _language_scores(text[:_MOST_READ])
    best = max(scores.values(), default=0)
    return tuple(code for code, score in scores.items() if score == best > 0)[:_MOST_LIKELY]


def is_other_language(text: str, language: str | None) -> bool:
    """Whether *text* is surely not in *language*; in doubt it is.

    Example:
        >>> is_other_language("The fee is due.", "de"), is_other_language("Fee: 5 EUR", "de")
        (True, False)
    """
    scores = _language_scores(text[:_MOST_READ])
    if language is None or not scores:
        return False
    return max(scores.values()) - scores.get(language, 0) >= _SURE


def _best(scores: Mapping[str, int]) -> str | None:
    ranked = sorted(scores.items(), key=lambda item: -item[1])
    if not ranked or ranked[0][1] <= 0:
        return None
    return None if len(ranked) > 1 and ranked[0][1] == ranked[1][1] else ranked[0][0]


@lru_cache(maxsize=256)
def _language_scores(text: str) -> Mapping[str, int]:
    """Each language that *text* may be in, with what speaks for it."""
    sample = normalize("NFC", text).casefold()
    letters = sum(map(str.isalpha, sample))
    for code, script in _SCRIPTS:
        if len(script.findall(sample)) * (20 if code == "ja" else 3) > letters:
            return {code: _BY_SCRIPT}
    for codes, script in _FAMILIES:
        if len(script.findall(sample)) * 2 > letters:
            return _score_small_words(sample, codes.split())
    return {}


def _score_small_words(sample: str, codes: Sequence[str]) -> Mapping[str, int]:
    words = _SPOKEN.findall(sample.replace("’", "'"))
    special = {char for char in sample if char.isalpha() and not _PLAIN.match(char)}
    scores: dict[str, int] = {}
    for code in codes:
        own = set(_OWN_LETTERS.get(code, ""))
        small = STOP_WORDS[code]
        scores[code] = sum(
            word in small or ("'" in word and any(part in small for part in word.split("'")[:-1]))
            for word in words
        )
        scores[code] += bool(special & own) - 2 * bool(special - own)
    return scores


@cache
def poles_by_stem(language: str) -> Mapping[str, tuple[str, str]]:
    """Stem -> (axis, pole) of the words that turn a claim."""
    found: dict[str, tuple[str, str]] = {}
    for phrase, place in TURNS.get(language, {}).items():
        if len(phrase) == 1 and len(phrase[0]) >= _SHORTEST_PART:
            found.setdefault(stem(phrase[0], language), place)
    return MappingProxyType(found)


def _axis(word: str, key: str, language: str | None) -> tuple[str, ...]:
    """The axis that a word stands on, as a part of it: whoever says `open` speaks of `closed`."""
    known = language or "en"
    if word in NOT_TURNING.get(known, ()):
        return ()
    exact = TURNS.get(known, {}).get((word,))
    found = exact or (poles_by_stem(known).get(key) if key and len(word) > 3 else None)
    return (f"~{found[0]}",) if found else ()


@cache
def _stemmer(language: str | None) -> Stemmer.Stemmer | None:
    name = STEMMERS.get(language or "en")
    return None if name is None else Stemmer.Stemmer(name, 0)


@lru_cache(maxsize=16384)
def stem(word: str, language: str | None) -> str:
    """The stem of *word*, without marks and spellings that say nothing of its meaning.

    Example:
        >>> stem("Gebühren", "de") == stem("Gebuehr", "de"), stem("organise", "en")
        (True, 'organis')
    """
    folded = normalize("NFKC", word).casefold()
    if len(folded) > _LONGEST or any(map(str.isdigit, folded)):
        return folded
    folded = IRREGULAR.get(language or "en", {}).get(folded, folded)
    stemmer = _stemmer(language)
    if stemmer is not None:
        folded = stemmer.stemWord(folded)
    elif language is not None and len(folded) > 5:
        folded = folded[: max(4, len(folded) - 2)]
    plain = folded if folded.isascii() else _without_marks(folded)
    if language == "de":
        return _german(plain)
    if language in ("en", None):
        plain = plain.replace("iz", "is").replace("our", "or").replace("yz", "ys")
    return plain


def _without_marks(text: str) -> str:
    if any("\u0900" <= char <= "\u0dff" for char in text):
        return text
    return "".join(char for char in normalize("NFKD", text) if not combining(char))


def _german(plain: str) -> str:
    """Umlauts written as two letters; `gezahlt` and `zahlt` as `zahlen`."""
    plain = plain.replace("ae", "a").replace("oe", "o").replace("ue", "u")
    if plain.startswith("ge") and plain.endswith("t") and len(plain) > 6:
        plain = plain[2:]
    return plain[:-1] if plain.endswith("t") and len(plain) > 4 else plain


def content_words(text: str, language: str | None, *, axes: bool = False) -> Iterator[ContentWord]:
    """The content words of *text* in their order.

    Args:
        text: Without markers.
        language: As `guess_text_language` gives it; None stems as English and leaves out the
            small words of all languages.
        axes: Small words that turn a claim stand for their axis: `must` speaks of what is
            `required`.

    Example:
        >>> [word.key for word in content_words("The fees are due in May 2024.", "en")]
        ['fee', 'due']
    """
    small = ANY if language is None else STOP_WORDS.get(language, frozenset())
    light = LIGHT_WORDS.get(language or "en", frozenset())
    for match in _TOKEN.finditer(text):
        start, stop = match.span()
        if match["run"]:
            yield from _pairs(text, start, stop)
            continue
        token = match["word"]
        folded = token.casefold().replace("’", "'")
        if not any(map(str.isalpha, token)):
            continue
        if folded in small and not _is_letter_name(text, token, start):
            axis = _axis(folded, "", language) if axes else ()
            if axis:
                yield ContentWord(start, stop, axis[0])
            continue
        parts = [part for part in _PARTS.split(token) if part]
        if len(parts) > 1:
            kept = tuple(
                stem(part, language) for part in parts if len(part) > 1 or not part.isalpha()
            )
            if all(part.casefold() in small for part in parts):
                continue
            bare = _possessive(token)
            yield ContentWord(start, stop, stem(bare, language), kept)
        elif len(token) > 1 or (token.isupper() and start > 0):
            key = stem(token, language)
            yield ContentWord(start, stop, key, _axis(folded, key, language), folded in light)


def plain_words(text: str) -> Iterator[str]:
    """All words of *text* in order, case folded; pairs of characters where there are no spaces.

    What stands between joints is a word; numbers in digits are none.

    Example:
        >>> [*plain_words("The 14-day fee, 払い戻し")]
        ['the', 'day', 'fee', '払い', 'い戻', '戻し']
    """
    plain = normalize("NFKC", marks_in_order(_REMOVED.sub("", text))).casefold()
    for match in _TOKEN.finditer(plain):
        if match["run"]:
            yield from (pair.key for pair in _pairs(plain, *match.span()))
        else:
            yield from (part for part in _JOINT.split(match["word"]) if not part.isnumeric())


def _is_letter_name(text: str, word: str, start: int) -> bool:
    """`Plan A`: a capital by itself, not first in its sentence, is a name and no article."""
    if len(word) > 1 or not word.isupper() or word == "I":
        return False
    before = text[:start].rstrip()[-1:]
    return before.isalnum()


def _possessive(token: str) -> str:
    head, sign, tail = token.replace("’", "'").rpartition("'")
    if sign and tail.casefold() in {"s", ""}:
        return head
    if sign and len(head) < 3:
        return tail
    return _JOINT.sub("", token)


def _pairs(text: str, start: int, stop: int) -> Iterator[ContentWord]:
    """Neighbouring characters; those of hiragana alone are grammar."""
    size = min(2, stop - start)
    for at in range(start, stop - size + 1):
        pair = text[at : at + size]
        yield ContentWord(at, at + size, pair, grammar=_KANA.fullmatch(pair) is not None)


class WordIndex:
    """The content words of some texts, ready to be looked up."""

    def __init__(self, texts: Iterable[str], language: str | None) -> None:
        self._language = language
        self._stems: set[str] = set()
        self._heads: set[str] = set()
        self._tails: set[str] = set()
        for text in texts:
            for word in content_words(text, language, axes=True):
                self._add(word.key)
                for part in word.parts:
                    self._add(part)

    def _add(self, key: str) -> None:
        if key in self._stems:
            return
        self._stems.add(key)
        if self._language in _COMPOUNDING and 8 <= len(key) <= _LONGEST:
            for size in range(_SHORTEST_PART, len(key) - 2):
                self._heads.add(key[:size])
                self._tails.add(key[-size:])

    def __contains__(self, word: ContentWord) -> bool:
        """Whether the texts hold *word*, whole, in its parts, or within a compound."""
        if word.key in self._stems:
            return True
        if word.parts and all(part in self._stems for part in word.parts):
            return True
        return self._language in _COMPOUNDING and self._compound(word.key)

    def _compound(self, key: str) -> bool:
        if len(key) < _SHORTEST_PART or len(key) > _LONGEST:
            return False
        if key in self._heads or key in self._tails:
            return True
        for at in range(_SHORTEST_PART, len(key) - 2):
            if self._is_part(key[:at]) and self._is_part(key[at:]):
                return True
        return False

    def _is_part(self, part: str) -> bool:
        """A part of a compound, with or without what joins it: `Jahres-`, `Seiten-`."""
        return part in self._stems or any(
            part.endswith(joint) and part[: -len(joint)] in self._stems for joint in _JOINTS
        )
