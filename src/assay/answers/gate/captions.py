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

from assay.answers.gate import claim_words as words
from assay.answers.gate.dates import dates
from assay.core.text.sentences import sentences
from assay.core.text.stems import ALGORITHMS, content_stems, content_words
from assay.sources.language import guess_language

_ENUMERATOR = re.compile(
    r"[\W_]*(?:(?:step|schritt|paso|étape|passo|etapa|stap|part|teil|phase|option|шаг)\s+)?"
    r"(?:\d{1,2}(?:\.\d{1,2}){0,2}|[a-z]|[ivx]{1,5})(?:[.):：]|\s+[-–—])\s*[.)\s]*",
    re.IGNORECASE,
)
_APOSTROPHES = re.compile(r"(?<=\w)['’](?=\w)")
_NOT_SHORT = re.compile(r"n['’]t\b")
_WORD = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d[\d.,'’]*")
_QUESTION = re.compile(r"[?？؟]\W*\Z")
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9]{0,15}\s*/?>|<!--|-->|&(?:nbsp|amp|#160);")
_UNSPACED_FORM = re.compile("|".join(map(re.escape, sorted(words.FORM[""]))))
_PARTICLE = re.compile(
    "(?<=[\u30a0-\u30ff\u4e00-\u9fff])[のはがをにとでもへや](?=[\u30a0-\u30ff\u4e00-\u9fff]|\\s|\\Z)|\\A[のはがを]"
)
_LANGUAGES: Final = ("en",)
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
        if len(plain) > _MOST_CHARS or any(dates(plain)) or words.COMPARATORS.search(plain):
            return False
        if _negates(plain, self.languages) or self._counts(plain, items):
            return False
        if not items and self._states(plain):
            return False
        sources = [self._source(anchor) for anchor in dict.fromkeys(anchors)]
        return any(self._is_covered(plain, code, sources) for code in self.languages)

    def _is_covered(self, plain: str, code: str, sources: Sequence[_Source]) -> bool:
        plain = _PARTICLE.sub(" ", _UNSPACED_FORM.sub(" ", plain))
        form = words.words_of(words.FORM, [code])
        numbers = words.words_of(words.NUMBER_WORDS, [code])
        stems = {
            stem
            for word in content_words(plain)
            if word not in form and word not in numbers
            for stem in content_stems(word, code)
        }
        asked = content_stems(self.question, code) if stems else frozenset()
        held = [source.places(code) for source in sources]
        if not all(stem in asked or any(stem in places for places in held) for stem in stems):
            return False
        return len(stems) < 2 or not _is_denied(stems, sources, code)

    def _counts(self, plain: str, items: int) -> bool:
        """Whether *plain* tells a number other than that of its items."""
        for digits in _DIGITS.findall(plain):
            if not items or digits.rstrip(".,'’") != str(items):
                return True
        if any(
            sign.isnumeric() and not sign.isdecimal() and category(sign) != "Lo" for sign in plain
        ):
            return True
        numbers = words.words_of(words.NUMBER_WORDS, self.languages)
        told = [word for word in _WORD.findall(plain.casefold()) if word in numbers]
        return any(not items or words.COUNTS.get(word) != items for word in told)

    def _states(self, plain: str) -> bool:
        """Whether *plain* has a finite verb and does not ask."""
        found = _WORD.findall(plain.casefold())
        asking = words.words_of(words.ASKING, self.languages)
        if not found or found[0] in asking or _QUESTION.search(plain):
            return False
        return not words.words_of(words.VERBS, self.languages).isdisjoint(found)

    def _source(self, anchor: str) -> _Source:
        if anchor not in self._sources:
            self._sources[anchor] = _Source(self.texts.get(anchor, ""), self.languages)
        return self._sources[anchor]


class _Source:
    """One chunk: where its stems stand, sentence by sentence, as bits of a number."""

    __slots__ = ("_denied", "_languages", "_pieces", "_places")

    def __init__(self, text: str, languages: Sequence[str]) -> None:
        self._languages = languages
        self._pieces = [text[start:stop] for start, stop in sentences(text)]
        self._places: dict[str, dict[str, int]] = {}
        self._denied: dict[str, dict[str, int]] = {}

    def places(self, code: str) -> Mapping[str, int]:
        """Stem -> the sentences that hold it."""
        if code not in self._places:
            held = [(content_stems(piece, code), at) for at, piece in enumerate(self._pieces)]
            self._places[code] = _index(held)
        return self._places[code]

    def denials(self, code: str) -> Mapping[str, int]:
        """Stem -> the sentences that deny it; under the empty one those that deny all they say."""
        if code not in self._denied:
            negations = words.words_of(words.NEGATIONS, self._languages)
            held = [
                (_find_denied_stems(piece, code, negations), at)
                for at, piece in enumerate(self._pieces)
            ]
            self._denied[code] = _index(held)
        return self._denied[code]


def _find_denied_stems(piece: str, code: str, negations: frozenset[str]) -> frozenset[str]:
    """The stems of *piece* next to which a negation stands: behind it, or else before it."""
    plain = _APOSTROPHES.sub("", piece.casefold())
    found = _WORD.findall(plain)
    if words.NEGATED.search(_NOT_SHORT.sub("", piece.casefold())):
        return frozenset({""})
    denied: set[str] = set()
    for at, word in enumerate(found):
        if word in negations:
            near = content_stems(" ".join(found[at + 1 : at + 3]), code)
            denied |= near or content_stems(" ".join(found[max(at - 3, 0) : at]), code)
    return frozenset(denied)


def _index(held: Iterable[tuple[frozenset[str], int]]) -> dict[str, int]:
    places: dict[str, list[int]] = {}
    for stems, at in held:
        for stem in stems:
            places.setdefault(stem, []).append(at)
    return {stem: _bits(at) for stem, at in places.items()}


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
        for stem in stems:
            together &= places.get(stem, 0)
            denied |= denials.get(stem, 0)
        if together & ~denied:
            return False
        found = found or together != 0
    return found


def caption_words(question: str, texts: Mapping[str, str], answer: str) -> CaptionWords:
    """What the captions of *answer* may take their words from."""
    guesses = [guess_language(text) for text in (answer, question, *texts.values())]
    known = [code for code in dict.fromkeys(guesses) if code in ALGORITHMS]
    return CaptionWords(question=question, texts=texts, languages=tuple(known) or _LANGUAGES)


def bare_caption(caption: str) -> str:
    """*caption* without tags, decoration, its number, and list markers."""
    plain = _TAG.sub(" ", normalize("NFKC", caption)).strip(" \t\n#*_>|=-•:`~")
    match = _ENUMERATOR.match(plain)
    return plain[match.end() :] if match else plain


def _negates(text: str, languages: Iterable[str]) -> bool:
    folded = text.casefold()
    if words.NEGATED.search(folded):
        return True
    found = set(_WORD.findall(folded)) | set(_WORD.findall(_APOSTROPHES.sub("", folded)))
    return not found.isdisjoint(words.words_of(words.NEGATIONS, languages))
