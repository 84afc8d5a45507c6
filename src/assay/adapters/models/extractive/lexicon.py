"""Find a pack's words, phrases and patterns in texts.

In      LexiconEntry by label; texts
Out     hits: which label, which phrase or pattern, where, what was matched
Pure    yes
Spec    interfaces.md, "Models" (`extractive`), "Packs" (`lexicon.yaml`)

How a phrase is compared, so that one list serves inflected English and compounded German:
both sides are folded (case, umlauts, ß, accents), and each word of the phrase must *begin* a
word of the text: `kündig` is found in "Kündigungsfrist", `neu adress` in "neue Adresse". A
word with a star before it may stand anywhere in a word: `*schaden` in "Wasserschaden". The
phrase `*` alone marks the label that holds where nothing else is found. Patterns are RE2 on
the text as it is; where one has a group, the group is the match, and a named group gives its
name as the value: `(?P<DOC_INVOICE>rechnung|invoice)`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import re2

from assay.errors import PackError
from assay.gate.labels import LexiconEntry

_KEPT: Final = 64
"""Prepared lexicons kept; more than any pack has label sets."""

DEFAULT: Final = "*"
"""The phrase of the label that holds where nothing else is found."""

_WORD: Final = re.compile(r"[^\W_]+")
_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})


@dataclass(frozen=True, slots=True)
class Hit:
    """One find."""

    label: str

    what: str
    """The phrase or pattern, as the pack wrote it."""

    proof: bool
    """A pattern, which is meant to decide; a phrase only hints."""

    start: int
    """First code point of the match."""

    stop: int
    """After its last; of a phrase, the end of its last word."""

    chars: int
    """How much was named: letters of the phrase, length of what the pattern matched."""

    value: str | None = None
    """What the find stands for, where the pattern names it; else its own text."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text, folded, and where it stands."""

    folded: str
    start: int
    stop: int


def fold(word: str) -> str:
    """Case, umlauts, ß and accents made equal; Latin words only lose what writers leave out.

    Example:
        >>> fold("Schäden"), fold("SCHAEDEN"), fold("Größe"), fold("café")
        ('schaeden', 'schaeden', 'groesse', 'cafe')
    """
    plain = unicodedata.normalize("NFC", word).casefold()
    if plain.isascii():
        return plain
    spread = unicodedata.normalize("NFD", plain.translate(_UMLAUTS))
    return "".join(char for char in spread if not unicodedata.combining(char))


def words(text: str) -> list[Word]:
    """The words of *text*: runs of letters and digits."""
    return [Word(fold(m.group()), m.start(), m.end()) for m in _WORD.finditer(text)]


class Lexicon:
    """The entries of one label set, ready to be looked for."""

    def __init__(self, name: str, entries: Mapping[str, LexiconEntry]) -> None:
        """
        Raises:
            PackError: a pattern is no RE2, names no label set but the set itself.
        """
        self.name = name
        self.default: str | None = None
        self._starts: dict[str, list[_Phrase]] = {}
        self._insides: dict[str, list[_Phrase]] = {}
        self._patterns: list[tuple[str, str, Any]] = []
        self._signals: list[tuple[str, str]] = []
        self._longest = 0
        for label, entry in entries.items():
            for phrase in entry.phrases:
                self._add(label, phrase)
            for pattern in entry.patterns:
                self._patterns.append((label, pattern, _compile_words(name, label, pattern)))
            self._signals += [(label, signal.casefold()) for signal in entry.signals]

    def _add(self, label: str, phrase: str) -> None:
        if phrase.strip() == DEFAULT:
            self.default = self.default or label
            return
        parts = []
        for raw in phrase.split():
            inside = raw.startswith("*")
            parts += [
                (inside and not at, fold(m.group())) for at, m in enumerate(_WORD.finditer(raw))
            ]
        if not parts:
            return
        inside, first = parts[0]
        table = self._insides if inside else self._starts
        table.setdefault(first, []).append(
            _Phrase(label, phrase, tuple(parts[1:]), sum(len(part) for _, part in parts))
        )
        self._longest = max(self._longest, len(first))

    def hits(self, text: str) -> Iterator[Hit]:
        """Every phrase and pattern found in *text*; phrases first, in order of the text."""
        yield from self.phrase_hits(words(text))
        yield from self.pattern_hits(text)

    def phrase_hits(self, found: Sequence[Word]) -> Iterator[Hit]:
        """Phrases among the words of a text."""
        for at, word in enumerate(found):
            for phrase in self._opening(word.folded):
                stop = phrase.stop(found, at)
                if stop is not None:
                    yield Hit(phrase.label, phrase.text, False, word.start, stop, phrase.chars)

    def _opening(self, word: str) -> Iterator[_Phrase]:
        for stop in range(1, min(len(word), self._longest) + 1):
            yield from self._starts.get(word[:stop], ())
        if self._insides:
            seen: set[str] = set()
            for start in range(len(word)):
                for stop in range(start + 1, min(len(word), start + self._longest) + 1):
                    part = word[start:stop]
                    if part in self._insides and part not in seen:
                        seen.add(part)
                        yield from self._insides[part]

    def pattern_hits(self, text: str) -> Iterator[Hit]:
        """Patterns in *text*; of a pattern with a group, the group."""
        for label, source, pattern in self._patterns:
            names = {number: name for name, number in pattern.groupindex.items()}
            for match in pattern.finditer(text):
                group = match.lastindex or 0
                start, stop = match.span(group)
                if start < stop:
                    length = stop - start
                    yield Hit(label, source, True, start, stop, length, names.get(group))

    def labels_of_signals(self, signals: Sequence[str]) -> tuple[str, ...]:
        """Labels for which one of *signals* decides: equal to, or beginning with, the entry's;
        an entry `*` takes any."""
        there = [signal.casefold() for signal in signals]
        labels = [
            label
            for label, wanted in self._signals
            if there and (wanted == "*" or any(signal.startswith(wanted) for signal in there))
        ]
        return tuple(dict.fromkeys(labels))


@dataclass(frozen=True, slots=True)
class _Phrase:
    label: str
    text: str
    rest: tuple[tuple[bool, str], ...]
    chars: int

    def stop(self, found: Sequence[Word], at: int) -> int | None:
        """Where the phrase ends if its remaining words follow the one at *at*."""
        for step, (inside, part) in enumerate(self.rest, start=at + 1):
            if step >= len(found):
                return None
            word = found[step].folded
            if not (part in word if inside else word.startswith(part)):
                return None
        return found[at + len(self.rest)].stop


def _compile_words(set_name: str, label: str, pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        raise PackError(
            f"lexicon: {set_name} / {label}: {pattern!r} is no RE2 pattern",
            hint="RE2 has no look-around and no back-references",
        ) from error


FindLexicon = Callable[[str, Mapping[str, LexiconEntry]], Lexicon]
"""The prepared lexicon of a label set."""


class Lexicons:
    """Prepared lexicons, kept from call to call."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, tuple[tuple[str, LexiconEntry], ...]], Lexicon] = {}

    def find(self, name: str, entries: Mapping[str, LexiconEntry]) -> Lexicon:
        """That of *entries*; made when it is first asked for."""
        key = (name, tuple(entries.items()))
        if key not in self._made:
            if len(self._made) >= _KEPT:
                self._made.clear()
            self._made[key] = Lexicon(name, entries)
        return self._made[key]
