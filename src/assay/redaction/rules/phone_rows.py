"""Runs of digits parted into rows: groups that may be one telephone number.

In      a folded text, where a run of digits and signs stands in it
Out     rows of digit words, and what they are glued to
Pure    yes, linear in the run
Spec    interfaces.md, "Redaction": PHONE; never a date, decimal or product
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from assay.redaction.rules.phone_regions import Candidate
from assay.redaction.rules.words import PHONE_AFTER, PHONE_BEFORE, PHONE_GLUED
from assay.redaction.view import BARRIER, Range

_WORD = re.compile(r"[^ \r\n\t>]+")
DATE = re.compile(
    r"(?:(?:19|20)[0-9]{2}([-/.])[0-9]{1,2}\1[0-9]{1,2}|[0-9]{1,2}([-/.])[0-9]{1,2}\2"
    r"(?:[0-9]{2}|(?:19|20)[0-9]{2})|(?:19|20)[0-9]{2}[-/](?:19|20)?[0-9]{2}|[0-9]{1,2}\.[0-9]{1,2}\.|"
    r"(?:[0-3]?[0-9][ ]){2}(?:19|20)[0-9]{2}|(?:19|20)[0-9]{2}(?:[ ][0-3]?[0-9]){2})"
)
_DECIMAL = re.compile(r"(?!0[0-9]{2,})[0-9]+\.[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+")
_AREA = re.compile(r"\(?0[ ]?[1-9][0-9]{1,4}\)?")
"""What may stand before a spaced slash: `030 / 12 34 56`."""
_FRENCH_HEAD = re.compile(r"0[1-9]")
_FRENCH_PAIRS = re.compile(r"[0-9]{2}(?:[ ]{0,2}[-/. ][ ]{0,2}[0-9]{2}){3}(?![0-9])")
"""Behind two digits, what makes them the beginning of `06 / 12 34 56 78`."""
_SPACED_SIGN = re.compile(r"[ ]{0,2}[/-][ ]{0,2}")
_LETTERS_BEFORE = re.compile(r"[^\W\d_]+[.:]?$")
_LETTERS_BEHIND = re.compile(r"[^\W\d_]{2,24}(?![\d_@])")
_HEXADECIMAL = re.compile(r"[a-fA-FxX]+")
_GLUE_BEFORE = frozenset("_#$€£¥%&=?*\\@~" + BARRIER)
_GLUE_AFTER = frozenset("_%€$£¥@" + BARRIER)
_LEFT = 48
"""How far back a word may stand that says what a number is."""
GROUP = re.compile(r"[0-9]+")
EXTENSION = re.compile(
    r"[ ,;]{0,2}(?:x|ext\.?|extn\.?|extension|durchwahl|dw\.?|poste|int\.)[ .:]{0,2}[0-9]{1,6}"
    r"(?![\w\x00])",
    re.IGNORECASE,
)
_LONGEST = 12
"""A sign between more groups than this is one of a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Digit words that stand together."""

    words: list[Range]
    glued: bool
    """Whether letters stand directly before or behind: then only a number that exists counts."""


def part_rows(text: str, start: int, stop: int) -> list[Row]:
    """The digit words of a run, parted where a date, a decimal or a wide gap stands."""
    before, after = _glue_before(text, start), _glue_after(text, start, stop)
    if "code" in (before, after) and not any(space in text[start:stop] for space in " \n"):
        return []
    words = [(start + m.start(), start + m.end()) for m in _WORD.finditer(text[start:stop])]
    if before == "code":
        words.pop(0)
    if words and after == "code":
        words.pop()
    rows: list[list[Range]] = []
    row: list[Range] = []
    for begin, end in words:
        word = text[begin:end].strip("().-/[]")
        gap = text[row[-1][1] : begin] if row else " "
        if gap != " " and not _holds_together(text, row, gap, begin):
            rows.append(row)
            row = []
        if word == "" and begin > start:
            continue
        if DATE.fullmatch(word) or _DECIMAL.fullmatch(word) or not GROUP.search(word):
            if row and word:
                rows.append(row)
                row = []
        else:
            row.append((begin, end))
    if row:
        rows.append(row)
    return [
        Row(
            words=words,
            glued=(before == "word" and words[0][0] == start)
            or (after == "word" and words[-1][1] == stop),
        )
        for words in rows
    ]


def _holds_together(text: str, row: list[Range], gap: str, begin: int) -> bool:
    """Whether a gap wider than a space may stand inside of a number."""
    if "\n" in gap or len(row) > _LONGEST:
        return False
    if text[begin] in "(+[" or text[row[-1][1] - 1] in ")]":
        return True
    head = text[row[0][0] : row[-1][1]]
    if gap.strip() == "":
        return len(gap) == 2 and (head[0] in "+(0")
    if not _SPACED_SIGN.fullmatch(gap):
        return False
    international = head.lstrip("(").startswith(("+", "00"))
    if _FRENCH_HEAD.fullmatch(head) and _FRENCH_PAIRS.match(text, begin):
        return True
    return (
        international or _AREA.fullmatch(head) is not None or _SPACED_SIGN.search(head) is not None
    )


def is_wide(words: list[Range], at: int) -> bool:
    """Whether more than a space stands before a word."""
    return words[at][0] - words[at - 1][1] > 1


def digits_before_gap(text: str, words: list[Range]) -> int:
    """How many digits stand before the last wide gap."""
    for at in range(len(words) - 1, 0, -1):
        if is_wide(words, at):
            left = text[words[0][0] : words[at - 1][1]]
            return sum(char.isdigit() for char in left)
    return 0


def candidate_of(text: str, words: list[Range]) -> Candidate:
    """The words as one candidate, without signs at its edges."""
    start, stop = words[0][0], words[-1][1]
    while text[stop - 1] in "(-/. [":
        stop -= 1
    while text[start] in ")-/. ]":
        start += 1
    piece = text[start:stop]
    groups = GROUP.findall(piece)
    return Candidate(
        start=start,
        stop=stop,
        text=piece,
        digits="".join(groups),
        sizes=tuple(len(group) for group in groups),
    )


Glue = Literal["", "word", "code"]
"""What a run is glued to: nothing, a word of a language, or the rest of something longer."""


def _glue_before(text: str, start: int) -> Glue:
    """What the run begins inside of: a code, an amount, a path, or a word that ends there."""
    if start == 0:
        return ""
    char = text[start - 1]
    if char.isalpha():
        if unicodedata.category(char) == "Lo":  # scripts that part no words
            return ""
        word = _LETTERS_BEFORE.search(text, max(0, start - 24), start)
        letters = word[0].lower() if word else ""
        if PHONE_GLUED.search(letters) or (text[start] == "+" and len(letters) > 1):
            return "word" if not PHONE_GLUED.fullmatch(letters) else ""
        natural = len(letters) >= 3 and char.islower() and not _HEXADECIMAL.fullmatch(letters)
        return "word" if natural and text[start] in "0(" else "code"
    if char.isalnum() or char in _GLUE_BEFORE:
        return "code"
    if char not in ",.:-/" or start == 1:
        return ""
    further = text[start - 2]
    if char == "-" and further in ":=([,":  # a negative number
        return "code"
    if char in "-/" and further.isalpha():  # `CLM-2026…` is a code, `Tel/030…` is not
        return "" if PHONE_BEFORE.search(context_before(text, start)) else "code"
    return "code" if further.isdigit() else ""


def _glue_after(text: str, start: int, stop: int) -> Glue:
    if stop >= len(text):
        return ""
    char = text[stop]
    if char.isalpha():
        if unicodedata.category(char) == "Lo" or EXTENSION.match(text, stop):
            return ""
        word = _LETTERS_BEHIND.match(text, stop)
        if word and PHONE_GLUED.fullmatch(word[0].lower()):
            return "word"
        if text[start] == "+" and not text[stop + 1 : stop + 2].isdigit():
            return "word"  # no hash begins so
        return "word" if word and not _HEXADECIMAL.fullmatch(word[0]) else "code"
    if char.isalnum():
        return "" if EXTENSION.match(text, stop) else "code"
    if char in _GLUE_AFTER:
        return "code"
    following = text[stop + 1 : stop + 2]
    if char in ",:.-/" and following.isdigit():
        return "code"
    named = PHONE_AFTER.match(text[stop : stop + 16])
    return "code" if char in "-/" and following.isalpha() and not named else ""


def context_before(text: str, start: int) -> str:
    """What stands before a candidate: its line, and the line above if that ends in a label."""
    before = text[max(0, start - _LEFT) : start]
    before = before[before.rfind(BARRIER) + 1 :]
    lines = before.rsplit("\n", 2)
    return "\n".join(lines[-2:]).lower()
