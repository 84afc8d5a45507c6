"""Digits that name something: identifiers, clauses, times, versions, decades, pairs of years.

In      a folded text and the place of a number's digits
Out     what they name, as texts that are equal only as a whole
Pure    yes; looks a bounded way to both sides
Spec    005-A3 (versions, paragraphs and times are read as what they are)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from assay.answers.gate.amounts import Reading
from assay.answers.gate.currencies import SIGNS, currencies_of
from assay.answers.gate.scales import LETTERS, MONEY_LETTERS, scale_of
from assay.answers.gate.units import SYMBOLS, WORDS, Unit
from assay.core.text.word_sets import word_set

LABELS: Final = word_set(
    "chapter chapters kapitel capítulo chapitre capitolo hoofdstuk rozdział part parts teil "
    "parte partie deel title titel título titre titolo section sections abschnitt sección "
    "seção sezione annex anhang anexo annexe allegato appendix volume band vol book buch "
    "libro livre phase fase type typ tipo class klasse clase grade stage stufe level article "
    "articles artikel artículo articolo artigo art act akt acto world war weltkrieg guerra "
    "guerre table tabelle tabla tableau tabella figure abbildung abb fig figura schedule "
    "category kategorie categoría tier group gruppe grupo paragraph paragraphs par para "
    "absatz abs nr no number ziffer ziff clause rule regel item step § §§ sec ch глава часть "
    "статья раздел"
)
"""Words before a number that names a part of something; `Section 2.10` is not 2.1."""

VERSION_LABELS: Final = word_set(
    "version versions ver v release rel versión versão versione wersja версия python java php "
    "node release build firmware ubuntu debian django kernel linux android ios macos windows "
    "postgres postgresql mysql ruby rust go swift kotlin perl chrome firefox"
)
_WINDOW: Final = 40
_LETTER = "A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff"
_HEAD = re.compile(
    rf"(?<![{_LETTER}\d_-])[{_LETTER}\d]{{0,30}}[{_LETTER}][{_LETTER}\d]{{0,30}}[-–]?\Z"
)
_GLUED_TAIL = re.compile(rf"[{_LETTER}\d]{{0,60}}(?:-[{_LETTER}\d]{{1,60}}){{0,8}}")
_CLAUSE = re.compile(r" ?((?:\([a-z0-9]{1,4}\) ?){1,4})")
_SUBSECTION = re.compile(
    r",? (?:abs\.?|absatz|para\.|paragraph|apartado|alinéa|comma|par\.) ?(\d{1,3}[a-z]?)"
    r"(?:,? (?:nr\.|no\.|satz|lit\.|buchst\.|buchstabe|point|letra) ?([a-z0-9]{1,3})(?![\w]))?",
    re.IGNORECASE,
)
_LETTERED = re.compile(rf"([{_LETTER}]{{1,20}})(?![\w'])")
_DECADE = re.compile(r"(?:'?s|er|ern)(?![\w])")
_TIME = re.compile(
    r"([01]?\d|2[0-4])"
    r"(?:(?:[:.]([0-5]\d))?[ ]?(a\.?m\b\.?|p\.?m\b\.?|uhr\b|uur\b|horas?\b|heures?\b|ore\b"
    r"|o['’]clock\b|h\b)"
    r"| ?h ?([0-5]\d)(?!\d)|:([0-5]\d)(?::([0-5]\d))?(?!\d)"
    r"|時(?:([0-5]?\d)分)?|点(?:([0-5]?\d)分)?)",
    re.IGNORECASE,
)
_FRACTION = re.compile(r"(?:(\d{1,2}) )?(\d{1,3})/(\d{1,3})(?![\d/])(?!\.\d)")
_PAIR = re.compile(r"(?<![\d/.,-])((?:1[5-9]|20)\d\d)([/–-])(\d\d)(?![\d/.,–-]*\d)")
_ORDINALS: Final = frozenset({"st", "nd", "rd", "th", "er", "e", "ème", "re", "ª", "º"})

Named = tuple[int, int, frozenset[str]]


def identifier_at(text: str, start: int, stop: int) -> Named | None:
    """`COVID-19`, `I-130`, `B52`, `12a`; currencies, units and words (`under-18`) are none."""
    if start == 0 or not (text[start - 1].isalpha() or text[start - 1] in "-–"):
        return _read_lettered(text, start, stop)
    head = _HEAD.search(text, max(0, start - _WINDOW), start)
    if head is None:
        return None
    letters = head[0].rstrip("-–0123456789")
    if _is_money(letters) or (head[0][-1] in "-–" and letters.islower()):
        return None
    if letters.casefold() in VERSION_LABELS and head[0].isalpha() and "." in text[start:stop]:
        return head.start(), stop, frozenset({f"#{text[start:stop]}"})
    tail = _GLUED_TAIL.match(text, stop)
    end = tail.end() if tail else stop
    word = text[head.start() : end].replace("-", "").replace("–", "").casefold()
    return head.start(), end, frozenset({word})


def _is_money(letters: str) -> bool:
    if letters.casefold() in {"euro", "eur", "usd", "chf", "gbp", "rs", "kr"}:
        return True
    code = letters[1:] if len(letters) == 4 and letters[0] in "TkM" else letters
    return code.isupper() and len(code) == 3 and bool(currencies_of(code))


def _read_lettered(text: str, start: int, stop: int) -> Named | None:
    """`12a` is not 12b; `5km`, `5M` and `3rd` are numbers."""
    match = _LETTERED.match(text, stop, stop + _WINDOW)
    if match is None or not text[start:stop].isdecimal():
        return None
    word = match[1]
    folded = word.casefold()
    known = (
        (word in SYMBOLS and word != "B")
        or word in LETTERS
        or (word in MONEY_LETTERS and _beside_money(text, start))
        or folded in WORDS
        or folded in _ORDINALS
        or folded in {"am", "pm", "h", "uhr", "x", "s"}
        or scale_of(word, None) is not None
        or bool(currencies_of(word))
        or (len(word) == 4 and bool(currencies_of(word[1:])))
    )
    return (
        None if known else (start, match.end(), frozenset({text[start : match.end()].casefold()}))
    )


def _beside_money(text: str, start: int) -> bool:
    return bool(re.search(rf"(?:[{SIGNS}]|[A-Z]{{3}}) ?\Z", text[max(0, start - 5) : start]))


def clause_at(text: str, start: int, stop: int) -> Named | None:
    """`5(a)`, `§ 5 (2)`: the whole path is the name."""
    below = _SUBSECTION.match(text, stop, stop + _WINDOW)
    if below is not None:
        path = "".join(f"({part.casefold()})" for part in below.groups() if part)
        return start, below.end(), frozenset({f"{text[start:stop]}{path}"})
    match = _CLAUSE.match(text, stop, stop + _WINDOW)
    if match is None or (text[stop : stop + 1] == " " and not _is_labelled(text, start)):
        return None
    path = match[1].replace(" ", "")
    if text[stop : stop + 1] != " " and text[start:stop].count(".") > 3:
        return None
    return start, match.start(1) + len(match[1].rstrip()), frozenset({f"{text[start:stop]}{path}"})


def _is_labelled(text: str, start: int) -> bool:
    return word_before(text, start).casefold() in LABELS


def word_before(text: str, start: int) -> str:
    """The word or paragraph sign in front of a number; of `Section no. 5` the first."""
    head = text[max(0, start - _WINDOW) : start]
    while True:
        if head.removesuffix(" ").endswith("§"):
            return "§"
        words = head.removesuffix(" ").removesuffix(".").rsplit(maxsplit=1) or [""]
        word = words[-1] if head.removesuffix(" ")[-1:].strip() else ""
        word = word.lstrip("([\"'„“")
        if word.casefold() not in {"no", "nr", "number"} or len(words) < 2:
            return word if word.isalpha() else ""
        head = f"{words[0]} "


def decade_at(text: str, start: int, stop: int) -> Named | None:
    """`1980s` and `1980er`."""
    core = text[start:stop]
    if not (core.isdecimal() and core[-1] == "0" and len(core) in {2, 4}):
        return None
    match = _DECADE.match(text, stop)
    if match is None or (len(core) == 2 and match[0] == "s" and text[stop : stop + 1] == " "):
        return None
    return start, match.end(), frozenset({f"{core}s"})


def time_at(text: str, start: int) -> tuple[frozenset[str], int, Reading | None] | None:
    """A time of the day; `5 h` is five hours as well."""
    match = _TIME.match(text, start)
    if match is None or (start and text[start - 1] in ":.,"):
        return None
    hour = int(match[1])
    minute = int(next((each for each in match.group(2, 4, 5, 7, 8) if each), 0))
    half = (match[3] or "").lower()[:1]
    if half == "p":
        hours = [hour % 12 + 12]
    elif half == "a":
        hours = [hour % 12]
    elif half in {"u", "h"} or hour > 12 or match[4]:
        hours = [hour]
    else:
        hours = [hour % 12, hour % 12 + 12]
    duration = None
    if (half == "h" or (match[3] or "").lower() in {"uur", "ore"}) and not match[2]:
        duration = Reading(Fraction(hour), Unit("days", Fraction(1, 24)))
    seconds = f":{match[6]}" if match[6] else ""
    named = frozenset(f"{each % 24}:{minute:02d}{seconds}" for each in hours)
    return named, match.end(), duration


def fraction_at(text: str, start: int) -> tuple[int, tuple[Fraction | str, ...]] | None:
    """`1/2` and `2 1/2`, as a value and as it is written (`24/7`)."""
    match = _FRACTION.match(text, start)
    if match is None or not int(match[3]) or (start and text[start - 1] in "/.,"):
        return None
    part = Fraction(int(match[2]), int(match[3]))
    if match[1] and part >= 1:
        return None
    return match.end(), (int(match[1] or 0) + part, f"#{match[0]}")


def year_pairs(text: str) -> Iterator[tuple[int, int, int, int, int]]:
    """`2023/24` as two years: start, middle, stop and both values."""
    for match in _PAIR.finditer(text):
        first, last = int(match[1]), int(match[3])
        if last == (first + 1) % 100 or (match[2] != "-" and last > first % 100) or last > 12:
            whole = first // 100 * 100 + last + (100 if last <= first % 100 else 0)
            if whole - first <= 60:
                yield match.start(), match.start(2), match.end(), first, whole
