"""Whether one full stop ends a sentence.

In      the text around a full stop that has white space behind it
Out     yes or no
Pure    yes; looks a bounded way back
Spec    interfaces.md, "Answers" (abbreviations, decimals, dates and initials end no sentence)
"""

from __future__ import annotations

import re
from typing import NamedTuple

from assay.core.text import abbreviations as words

WORD = re.compile(r"[^\W_][\w'’]*")
WORD_BEFORE = re.compile(r"([^\W\d_]+)[^\w]*\Z")
TITLES = frozenset({"mr", "mrs", "ms", "dr", "prof", "herr", "frau", "sr", "sra", "srta"})

_TOKEN = re.compile(r"[^\s(\[{\"'’“„«‹‘¿¡–—*_]*\Z")
_CHAIN = re.compile(r"(?<![^\W_])(?:[^\W\d_]{1,2}\.[ \u00a0]?)+[^\W\d_]{1,3}\Z")
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])+\Z")
_NUMBER = re.compile(r"\d{1,3}|[IVX]{2,6}")
_ROMAN = re.compile(r"[IVXLC]+\b")
_DOUBLED = re.compile(r"([A-Z])\1")
_DATE = re.compile(r"\d{1,2}\.|\d{4}\b")
_VOWELS = re.compile(
    r"[aeiouyäöüáéíóúàèìòùâêîôûãõåæøœąęıőűаеёиоуыэюяіїєαεηιουωάέήίόύώ]", re.IGNORECASE
)
_ALPHABET = re.compile("[A-Za-z\u00c0-\u024f\u0370-\u052f]")
"""Latin, Greek and Cyrillic letters."""


class StopContext(NamedTuple):
    """What stands around one full stop."""

    token: str
    """The word before it, without opening marks."""

    chain: str
    """`z.B` of `z. B`, `J.K` of `J. K.`; empty when the token stands alone."""

    before: str
    """Text before the token, a bounded way back."""

    next_at: int
    """Where the first word after it starts, opening marks skipped; the run's stop if none."""

    opened: bool
    """Opening marks stand before that word."""

    new_line: bool
    referenced: bool
    """A marker stands between the full stop and what follows."""


def read_stop_context(
    text: str, back: str, end: int, next_at: int, word_at: int, *, referenced: bool
) -> StopContext:
    """What stands around the full stop that ends *back* at `text[:end]`."""
    token = last_word(back)
    chain, cut = _chain(back)
    return StopContext(
        token=token.lstrip("-,;:#§$€&"),
        chain=chain,
        before=back[:cut] if chain else back[: len(back) - len(token)],
        next_at=word_at,
        opened=word_at > next_at,
        new_line="\n" in text[end:next_at],
        referenced=referenced,
    )


def has_vowel(word: str) -> bool:
    """Whether *word* can be spoken; what cannot is an abbreviation.

    Scripts that write no vowels, or write syllables, are not asked.
    """
    return _VOWELS.search(word) is not None or _ALPHABET.search(word) is None


def last_word(back: str) -> str:
    """What stands at the end of *back* after white space and opening marks."""
    match = _TOKEN.search(back)
    return match[0] if match else ""


def _chain(back: str) -> tuple[str, int]:
    """The abbreviation of several parts at the end of *back*, and where it starts."""
    match = _CHAIN.search(back)
    if match is None:
        return "", len(back)
    parts = match[0].split(".")
    at = match.start()
    for first in range(len(parts) - 1):
        chain = ".".join(part.strip() for part in parts[first:])
        lower = chain.casefold()
        if _INITIALS.match(chain) or lower in words.NEVER or lower in words.MAY_END:
            return chain, at
        at += len(parts[first]) + 1
    return "", len(back)


def is_abbreviation(back: str) -> bool:
    """Whether *back* ends in something that often carries a full stop of its own."""
    token = last_word(back).casefold()
    return (
        len(token) < 2
        or bool(_chain(back)[0])
        or token in words.NEVER
        or (token in words.BEFORE_NUMBER and token not in words.ORDINARY)
        or token in words.MAY_END
    )


def ends_sentence(text: str, around: StopContext, stop: int, first: int, *, ordinals: bool) -> bool:
    """Whether a single full stop with white space behind it ends the sentence."""
    follows = text[around.next_at] if around.next_at < stop else ""
    next_match = WORD.match(text, around.next_at, stop)
    next_word = next_match[0].replace("’", "'").casefold() if next_match else ""
    opener = (next_word in words.OPENERS and not around.opened) or follows in "¿¡"
    token, lower = around.token, around.token.casefold()
    chain = around.chain.casefold()
    loose = opener or around.new_line or around.referenced

    if chain:
        return _chain_stops(text, around, chain, next_word, loose, first)
    if not token:
        return not follows.isdigit() or loose
    if follows in "-–—+/=":
        known = is_abbreviation(token) or token.isdigit()
        beyond = WORD.search(text, around.next_at, min(stop, around.next_at + 8))
        return not known and bool(beyond and beyond[0][0].isupper())
    if _DOUBLED.fullmatch(token) and _DOUBLED.fullmatch(next_word.upper()):
        return False  # Spanish plurals: `EE. UU.`
    if _NUMBER.fullmatch(token):
        return _number_stops(text, around, next_word, opener, stop, ordinals=ordinals)
    if len(token) == 1 and _ALPHABET.match(token):
        return _letter_stops(around, next_word, opener)
    if lower in words.NEVER:
        return False
    if lower in words.BEFORE_NUMBER and (follows.isdigit() or _ROMAN.match(text, around.next_at)):
        return next_word in words.OPENERS
    if lower in words.BEFORE_NUMBER and not (follows.isalpha() or around.opened or opener):
        return False
    if lower in words.MAY_END:
        return loose
    if lower in words.BEFORE_NUMBER:
        return loose or lower in words.ORDINARY
    if len(token) <= 4 and token.isalpha() and not token.isupper() and not has_vowel(token):
        return loose
    return True


def _chain_stops(
    text: str, around: StopContext, chain: str, next_word: str, loose: bool, first: int
) -> bool:
    """After `z. B.`, `U.S.`, `5 p.m.`, `J. K.`."""
    if chain in words.NEVER:
        return False
    if chain in {"a.m", "p.m"} and next_word in TITLES and not loose:
        # `At 5 a.m. Mr. Weber left` has begun; `He left the bank at 5 p.m. Mr. Weber …` is over.
        return len(text[max(first, around.next_at - 80) : around.next_at].split()) > 5
    letters = chain.split(".")
    if letters[0].isdigit() or text[around.next_at].isdigit():
        return False
    if len(next_word) == 1 and text[around.next_at + 1 : around.next_at + 2] == ".":
        return False
    return loose


def _number_stops(
    text: str, around: StopContext, next_word: str, opener: bool, stop: int, *, ordinals: bool
) -> bool:
    """After `24.`: an ordinal, part of a date, or a plain number at the end."""
    if next_word in words.ORDINAL_NOUNS:
        return False
    if _DATE.match(text, around.next_at, stop):
        return False
    if opener or not ordinals:
        return True
    lead = WORD_BEFORE.search(around.before)
    return not (lead and lead[1].casefold() in words.ORDINAL_LEADS)


def _letter_stops(around: StopContext, next_word: str, opener: bool) -> bool:
    """After a single letter: an initial, `vitamin C.`, or the English pronoun."""
    if not opener:
        return False
    if around.token.islower():
        return next_word not in words.SURNAME_LIKE
    lead = WORD_BEFORE.search(around.before)
    named = bool(lead and lead[1][0].isupper())
    return not named or next_word not in words.SURNAME_LIKE
