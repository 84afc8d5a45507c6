"""Names and acronym expansions, by how they are written.

In      a sentence; the words of a chunk
Out     names and expansions with their places; whether the chunk holds them
Pure    yes; linear
Spec    004 P2.2 (new entities, acronym expansions)

No model and no list of names: what is capitalised within a sentence is a name. In German,
where nouns are, only runs of two and more words count, and the bare word that opens a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from assay.answers.gate.content_words import guess_text_language
from assay.answers.gate.numbers import is_unit
from assay.answers.gate.stop_words import ANY, LIGHT_WORDS, STOP_WORDS
from assay.core.text import abbreviations
from assay.core.text.word_sets import word_set

_NAME_WORD = r"[^\W\d_a-z][\w'’&.-]*"
_SMALL = "of the|of|and|de la|de los|de|del|la|von|van|der|den|y|und|für|al|bin"
_NAME = re.compile(rf"(?<![\w.])(?:{_NAME_WORD})(?:\s(?:(?:{_SMALL})\s)?(?:{_NAME_WORD}))*")
_GERMAN_NAME = re.compile(rf"(?<![\w.])(?:{_NAME_WORD})(?:\s(?:{_NAME_WORD}))+")
_FIRST_WORD = re.compile(r"(?<![\w])[^\W\d_][\w'’-]*")
_EXPANDED = re.compile(r"\(\s*([^\W\d_a-z][\w&.-]{1,9})\s*\)|\(([^()\n]{6,90})\)")
_ACRONYM = re.compile(r"[^\W\d_a-z][\w&-]{1,9}")
_WORDS = re.compile(r"[^\W_][\w'’-]*")
_POSSESSIVE = re.compile(r"['’]s?$")
_NAME_PART = re.compile(r"[^\W_][\w'’&.-]*")
_SMALL_WORDS: Final = word_set("of the and de la los del von van der den y und für al bin")
_ENGLISH_ENDINGS: Final = (
    *(
        "s",
        "ing",
        "ly",
        "ed",
        "tion",
        "sion",
        "ment",
        "ness",
        "ity",
        "ance",
        "ence",
        "ship",
        "ware",
    ),
    *("hood", "ism", "age", "ure", "people", "staff", "work", "data", "ful", "ive", "al", "able"),
    *("ung", "heit", "keit", "schaft"),
)
"""Of words that open a sentence without an article and are no names."""

_GERMAN_ENDINGS: Final = (
    *("ung", "heit", "keit", "schaft", "tion", "nis", "tum", "ismus", "s", "weise", "lich", "ig"),
    *("isch", "los", "bar", "tät", "enz", "anz", "ment"),
)
_SINGULAR = re.compile(
    r"\s+(?:ist|war|hat|hatte|wird|wurde|kann|darf|muss|soll|will|gilt|lag|kam|ging|gab|[a-zäöüß]{2,}t"
    r"|[a-zäöüß]{2,}te)(?![^\W_])"
)
"""A German verb in the singular: the bare word before it is no plural."""

_WINDOW: Final = 160
"""Code points before an acronym in which its long form is looked for."""


class Place(NamedTuple):
    """A name or a long form."""

    start: int
    stop: int
    text: str
    whole: bool
    """It counts only word for word."""

    opens: bool = False
    """It is the word that opens the sentence, and may be a plain noun after all."""


def names_in(body: str, *, german: bool) -> Iterator[Place]:
    """The names of one sentence.

    A word that opens the sentence owes its capital to its place, so alone it is a name only
    where it does not look like another word: no small word, no plural, no form of a verb.

    Example:
        >>> text = "In May the Red Cross of Kenya paid Bob 5 EUR."
        >>> [place.text for place in names_in(text, german=False)]
        ['Red Cross of Kenya', 'Bob']
        >>> [place.text for place in names_in("Ibuprofen treats headaches.", german=False)]
        ['Ibuprofen']
    """
    first = _FIRST_WORD.search(body)
    opening = first.start() if first else 0
    for match in (_GERMAN_NAME if german else _NAME).finditer(body):
        for begin, name in _capitalised_runs(match):
            yield from _read_name(begin, name, opening, german=german)
    if german and first:
        yield from _opening_name(body, first.start(), first[0], german=True)


def _capitalised_runs(match: re.Match[str]) -> Iterator[tuple[int, str]]:
    """The runs of capitalised words of *match*, which takes every letter but a to z for one."""
    words = list(_NAME_PART.finditer(match.string, match.start(), match.end()))
    run: list[re.Match[str]] = []
    for word in [*words, None]:
        if word is not None and (_is_capital(word[0]) or (run and word[0] in _SMALL_WORDS)):
            run.append(word)
            continue
        while run and run[-1][0] in _SMALL_WORDS:
            run.pop()
        if run:
            yield run[0].start(), match.string[run[0].start() : run[-1].end()].rstrip(".'’-&")
        run = []


def _is_capital(word: str) -> bool:
    return word[0].isupper() or word[0].istitle()


def _read_name(begin: int, name: str, opening: int, *, german: bool) -> Iterator[Place]:
    words = name.split()
    if begin == opening and len(words) > 1 and _opens(words[0]):
        # `The Plan B`: the word that opens the sentence owes its capital to its place.
        begin += len(words[0]) + 1
        words = words[1:]
        name = " ".join(words)
    if len(words) == 1 and begin == opening and not german:
        yield from _opening_name(name, begin, name, german=False)
    elif len(words) > 1 or not (begin == opening or german or len(name) < 3 or _no_name(name)):
        yield Place(begin, begin + len(name), name, False)


def _opening_name(body: str, begin: int, word: str, *, german: bool) -> Iterator[Place]:
    """The word that opens a sentence, where nothing but a name looks like it."""
    if german and not _SINGULAR.match(body, begin + len(word)):
        return
    plain = _POSSESSIVE.sub("", word)
    endings = _GERMAN_ENDINGS if german else _ENGLISH_ENDINGS
    if (
        len(plain) > 3
        and _is_capital(plain)
        and not _no_name(plain)
        and plain.casefold() not in ANY
        and not any(plain.casefold() in words for words in LIGHT_WORDS.values())
        and not plain.casefold().endswith(endings)
    ):
        yield Place(begin, begin + len(plain), plain, False, opens=True)


def _opens(word: str) -> bool:
    return word.casefold().replace("’", "'") in abbreviations.OPENERS


def _no_name(word: str) -> bool:
    return _opens(word) or is_unit(word) or word.casefold() in abbreviations.MONTHS


def holds(words: str, place: Place) -> bool:
    """Whether a chunk holds what stands at *place*.

    Args:
        words: The chunk's words, as `join_words` gives them, with a space at each end.
        place: A name counts as held when each of its longer words is, in whatever form; a long
            form only word for word.
    """
    wanted = join_words(place.text)
    if f" {wanted} " in words:
        return True
    if place.whole:
        return False
    parts = [part for part in wanted.split() if len(part) > 2 and part not in abbreviations.OPENERS]
    return bool(parts) and all(_holds_word(words, part) for part in parts)


def _holds_word(words: str, word: str) -> bool:
    stem = word[:-1] if len(word) > 4 and word[-1] in "sne" else word
    if f" {word}-" in words or f"-{word} " in words:
        return True
    return any(f" {stem}{ending} " in words for ending in ("", "s", "es", "n", "en", "e"))


def expansions(body: str) -> Iterator[Place]:
    """The long forms of acronyms: `Long Form (LF)` and `LF (Long Form)`.

    Example:
        >>> [place.text for place in expansions("The Social Security Office (SSO) pays.")]
        ['Social Security Office']
    """
    for match in _EXPANDED.finditer(body):
        span = _expansion(body, match)
        if span is not None:
            yield Place(*span, body[span[0] : span[1]], True)


def _expansion(body: str, match: re.Match[str]) -> tuple[int, int] | None:
    before = list(_WORDS.finditer(body, max(0, match.start() - _WINDOW), match.start()))
    if match[1]:
        letters = _capitals(match[1])
        return _spelled_by(letters[::-1], before[::-1]) if len(letters) > 1 else None
    if not before or not _ACRONYM.fullmatch(before[-1][0]):
        return None
    letters = _capitals(before[-1][0])
    words = list(_WORDS.finditer(body, match.start(2), match.end(2)))
    return _spelled_by(letters, words) if len(letters) > 1 else None


def _capitals(acronym: str) -> str:
    return "".join(char for char in acronym if char.isupper()).casefold()


def _spelled_by(letters: str, words: Sequence[re.Match[str]]) -> tuple[int, int] | None:
    """The run of *words* whose first letters are *letters*; small words may stand between."""
    place = 0
    start, stop = len(words[0].string) if words else 0, 0
    for word in words:
        if place < len(letters) and word[0][0].casefold() == letters[place]:
            place += 1
            start, stop = min(start, word.start()), max(stop, word.end())
        elif not (word[0].islower() and len(word[0]) < 5):
            return None
        if place == len(letters):
            return start, stop
    return None


def join_words(text: str) -> str:
    """The words of *text*, case folded, one space between them."""
    folded = text.casefold().replace("’", "'")
    if "'" not in folded:
        return " ".join(_WORDS.findall(folded))
    return " ".join(_POSSESSIVE.sub("", word) for word in _WORDS.findall(folded))


def is_german(text: str) -> bool:
    """Whether *text* is German, or has so many small words of German that its nouns may be.

    Example:
        >>> is_german("Die Gebühr pro Jahr beträgt 40 EUR."), is_german("The fee is due.")
        (True, False)
    """
    if guess_text_language(text) == "de":
        return True
    words = [word.casefold() for word in _WORDS.findall(text[:2000])]
    german = STOP_WORDS["de"] - STOP_WORDS["en"]
    return sum(word in german for word in words) * 8 > len(words)
