"""Whether a line without a marker claims nothing that could be false.

In      a heading, a bold line, a table head or a list's introduction; the words it may use
Out     yes or no
Pure    yes; linear
Spec    005-A1; interfaces.md, "Answers"

A caption may be told in the words of the question or of what its section cites, and in words that
only speak of the answer's own form. It may hold no negation, number, date or comparator, may be no
sentence of its own, and may not leave out the negation of what it repeats.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from unicodedata import category, normalize

from assay.answers.gate import caption_tables as tables
from assay.answers.gate.clause import ABSOLUTE
from assay.answers.gate.comparators import has_bound
from assay.answers.gate.content_words import (
    STEMMERS,
    likely_languages,
    plain_words,
    stem,
)
from assay.answers.gate.dates import dates
from assay.answers.gate.marked_words import NE, Word, read_words
from assay.answers.gate.number_words import number_words
from assay.answers.gate.scales import SCALE_WORDS
from assay.answers.gate.unspaced_words import UNSPACED, denies_unspaced, unspaced_poles
from assay.core.text.sentences import sentences
from assay.sources.language import guess_language

_ENUMERATOR = re.compile(
    r"[\W_]*(?:(?:step|schritt|paso|étape|passo|etapa|stap|part|teil|phase|option|шаг)\s+)?"
    r"(?:\d{1,2}(?:\.\d{1,2}){0,2}|[a-z]|[ivx]{1,5})(?:[.):：]|\s+[-–—])\s*[.)\s]*",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d[\d.,'’]*")
_QUESTION = re.compile(r"[?？؟]\W*\Z")
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9]{0,15}\s*/?>|<!--|-->|&(?:nbsp|amp|#160);")
_UNSPACED_FORM = re.compile("|".join(map(re.escape, sorted(tables.FORM[""]))))
_PARTICLE = re.compile(
    "(?<=[\u30a0-\u30ff\u4e00-\u9fff])[のはがをにとでもへや](?=[\u30a0-\u30ff\u4e00-\u9fff]|\\s|\\Z)|\\A[のはがを]"
)
_LANGUAGES: Final = ("en",)
_SHORTEST_SCALE: Final = 5
"""A shorter one is often another word or a name: `Mill Street`."""

_MOST_CHARS: Final = 400
"""A longer line is no caption."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptionWords:
    """What captions may take their words from."""

    question: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Anchor -> text of the chunk."""

    languages: tuple[str, ...] = _LANGUAGES
    """Whose endings are taken off."""

    _sources: dict[str, _Source] = field(default_factory=dict, init=False, repr=False)

    def claims_nothing(self, caption: str, anchors: Iterable[str], items: int = 0) -> bool:
        """Whether *caption* may stand without a marker.

        Args:
            caption: The line, without markers.
            anchors: What its section cites.
            items: How many list items follow; that number may be told.
        """
        plain = bare_caption(caption)
        if len(plain) > _MOST_CHARS or any(dates(plain)) or has_bound(plain):
            return False
        if _turns(plain, (*self.languages, *likely_languages(plain))):
            return False
        if not items and self._states(plain):
            return False
        uncounted = self._without_count(plain, items)
        if uncounted is None:
            return False
        sources = [self._source(anchor) for anchor in dict.fromkeys(anchors)]
        return any(self._is_covered(uncounted, code, sources) for code in self.languages)

    def _is_covered(self, plain: str, code: str, sources: Sequence[_Source]) -> bool:
        plain = _PARTICLE.sub(" ", _UNSPACED_FORM.sub(" ", plain))
        form = tables.words_of(tables.FORM, [code])
        stems = _stems((word for word in plain_words(plain) if word not in form), code)
        asked = _stems(plain_words(self.question), code) if stems else frozenset()
        held = [source.places(code) for source in sources]
        if not all(key in asked or any(key in places for places in held) for key in stems):
            return False
        return len(stems) < 2 or not _is_denied(stems, sources, code)

    def _without_count(self, plain: str, items: int) -> str | None:
        """*plain* without the number of its items; None where it tells another."""
        for digits in _DIGITS.findall(plain):
            if not items or digits.rstrip(".,'’") != str(items):
                return None
        if any(
            sign.isnumeric() and not sign.isdecimal() and category(sign) != "Lo" for sign in plain
        ):
            return None
        scales = SCALE_WORDS.intersection(_WORD.findall(plain.casefold()))
        if any(len(word) >= _SHORTEST_SCALE for word in scales):
            return None
        chars = list(plain)
        for code in self.languages:
            for told in number_words(plain, code):
                if told.value == 1 and not told.ordinal:
                    continue
                if not items or told.ordinal or told.value != items:
                    return None
                chars[told.start : told.stop] = " " * (told.stop - told.start)
        return "".join(chars)

    def _states(self, plain: str) -> bool:
        """Whether *plain* has a finite verb and does not ask."""
        found = _WORD.findall(plain.casefold())
        asking = tables.words_of(tables.ASKING, self.languages)
        if not found or found[0] in asking or _QUESTION.search(plain):
            return False
        return not tables.words_of(tables.VERBS, self.languages).isdisjoint(found)

    def _source(self, anchor: str) -> _Source:
        if anchor not in self._sources:
            self._sources[anchor] = _Source(self.texts.get(anchor, ""), self.languages)
        return self._sources[anchor]


class _Source:
    """One chunk: where its stems stand, sentence by sentence, as bits of a number."""

    __slots__ = ("_denied", "_languages", "_pieces", "_places")

    def __init__(self, text: str, languages: Sequence[str]) -> None:
        self._languages = tuple(dict.fromkeys((*languages, *likely_languages(text))))
        self._pieces = [text[start:stop] for start, stop in sentences(text)]
        self._places: dict[str, dict[str, int]] = {}
        self._denied: dict[str, dict[str, int]] = {}

    def places(self, code: str) -> Mapping[str, int]:
        """Stem -> the sentences that hold it."""
        if code not in self._places:
            held = [(_stems(plain_words(piece), code), at) for at, piece in enumerate(self._pieces)]
            self._places[code] = _index(held)
        return self._places[code]

    def denials(self, code: str) -> Mapping[str, int]:
        """Stem -> the sentences that deny it; under the empty one those that deny all they say."""
        if code not in self._denied:
            held = [
                (_find_denied_stems(piece, code, self._languages), at)
                for at, piece in enumerate(self._pieces)
            ]
            self._denied[code] = _index(held)
        return self._denied[code]


def _find_denied_stems(piece: str, code: str, languages: Iterable[str]) -> frozenset[str]:
    """The stems of *piece* next to which a denial stands: behind it, or else before it."""
    denied: set[str] = set()
    for language in languages:
        if language in UNSPACED:
            if denies_unspaced(piece, language):
                return frozenset({""})
            continue
        words = read_words(piece, language)
        for at, word in enumerate(words):
            if word.denies or word.excepts:
                near = _word_stems(words[at + 1 : at + 3], code)
                denied |= near or _word_stems(words[max(at - 3, 0) : at], code)
    return frozenset(denied)


def _word_stems(words: Iterable[Word], code: str) -> frozenset[str]:
    return _stems((part for word in words for part in plain_words(word.text)), code)


def _stems(words: Iterable[str], code: str) -> frozenset[str]:
    """The stems of *words* but those that a language needs for its grammar."""
    grammar = tables.GRAMMAR.get(code, frozenset())
    return frozenset(stem(word, code) for word in words if word not in grammar)


def _index(held: Iterable[tuple[frozenset[str], int]]) -> dict[str, int]:
    places: dict[str, list[int]] = {}
    for stems, at in held:
        for key in stems:
            places.setdefault(key, []).append(at)
    return {key: _bits(at) for key, at in places.items()}


def _bits(places: Sequence[int]) -> int:
    """The numbers of *places* as the bits of one."""
    held = bytearray(places[-1] // 8 + 1)
    for place in places:
        held[place // 8] |= 1 << place % 8
    return int.from_bytes(held, "little")


def _is_denied(stems: Iterable[str], sources: Sequence[_Source], code: str) -> bool:
    """Whether what holds all *stems* in one sentence does nothing but deny one of them."""
    found = False
    for source in sources:
        places, denials = source.places(code), source.denials(code)
        together, denied = -1, denials.get("", 0)
        for key in stems:
            together &= places.get(key, 0)
            denied |= denials.get(key, 0)
        if together & ~denied:
            return False
        found = found or together != 0
    return found


def caption_words(question: str, texts: Mapping[str, str], answer: str) -> CaptionWords:
    """What the captions of *answer* may take their words from."""
    guesses = [guess_language(text) for text in (answer, question, *texts.values())]
    known = tuple(code for code in dict.fromkeys(guesses) if code in STEMMERS)
    return CaptionWords(question=question, texts=texts, languages=known or _LANGUAGES)


def bare_caption(caption: str) -> str:
    """*caption* without tags, decoration, its number, and list markers."""
    plain = _TAG.sub(" ", normalize("NFKC", caption)).strip(" \t\n#*_>|=-•:`~")
    match = _ENUMERATOR.match(plain)
    return plain[match.end() :] if match else plain


def _turns(text: str, languages: Iterable[str]) -> bool:
    """Whether a word of *text* denies, excepts, limits, or speaks of all."""
    for code in dict.fromkeys(languages):
        if code in UNSPACED:
            if denies_unspaced(text, code) or not ABSOLUTE.isdisjoint(unspaced_poles(text, code)):
                return True
        elif any(map(_is_turning, read_words(text, code))):
            return True
    return False


def _is_turning(word: Word) -> bool:
    speaks_of_all = word.turn is not None and word.turn[:2] in ABSOLUTE
    return word.denies or word.excepts or word.limits or speaks_of_all or word.text in NE
