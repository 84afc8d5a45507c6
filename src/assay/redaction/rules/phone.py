"""Telephone numbers.

In      a view, regions
Out     ranges of class PHONE
Pure    yes, linear: a row of digit groups is judged in bounded steps
Spec    interfaces.md, "Redaction": international, or national for a region in a form that
        people write, never a date, decimal or product

`phonenumbers` is asked only about candidates that already look like one; as a scanner it is
slow.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from assay.redaction.rules.extension import find_extensions

from assay.redaction.rules.phone_regions import Candidate, begins_abroad, exists, fits, region
from assay.redaction.rules.words import (
    AMOUNT_AFTER,
    PHONE_AFTER,
    PHONE_BEFORE,
    PHONE_CHAIN,
    PHONE_GLUED,
    PHONE_NEVER,
    PHONE_NOT,
    PHONE_OWN,
)
from assay.redaction.view import BARRIER, Range, View, compile_narrow

_RUN = compile_narrow(
    r"(?:\(?\+[ ]?)?\(?[0-9](?:(?:[ ().\-/\[\]]{0,5}|[ ().\-/]{0,2}\r?\n[ \t>]{0,4}\(?)[0-9]){5,}"
)
_ENCODED = compile_narrow(r"%2[Bb][1-9](?:(?:%20|%2[DdFf89]|[-. +()]){0,3}[0-9]){6,14}")
"""An international number as the address of a page has it."""
_WORD = re.compile(r"[^ \r\n\t>]+")
_LETTER = re.compile(r"[^\W\d_]")
_GROUP = re.compile(r"[0-9]+")
_EXTENSION = re.compile(
    r"[ ,;]{0,2}(?:x|ext\.?|extn\.?|extension|durchwahl|dw\.?|poste|int\.)[ .:]{0,2}[0-9]{1,6}"
    r"(?![\w\x00])",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"(?:(?:19|20)[0-9]{2}([-/.])[0-9]{1,2}\1[0-9]{1,2}|[0-9]{1,2}([-/.])[0-9]{1,2}\2"
    r"(?:[0-9]{2}|(?:19|20)[0-9]{2})|(?:19|20)[0-9]{2}[-/](?:19|20)?[0-9]{2}|[0-9]{1,2}\.[0-9]{1,2}\.)"
)
_DECIMAL = re.compile(r"(?!0[0-9]{2,})[0-9]+\.[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+")
_PARENTHESISED = re.compile(
    r"(?:\+?[0-9]{1,3}[ -]?)?\((?!(?:19|20)[0-9]{2}\))[0-9]{2,5}\)[ -]{0,3}"
    r"[0-9]{2,}(?:[ .\-/]{1,3}[0-9]{2,})*"
)
_AREA = re.compile(r"\(?0[ ]?[1-9][0-9]{1,4}\)?")
"""What may stand before a spaced slash: `030 / 12 34 56`."""

_SPACED_SIGN = re.compile(r"[ ]{0,2}[/-][ ]{0,2}")
_LINE_END = re.compile(r"[ \t]{0,2}\r?\n[ \t>]{0,4}")
_LETTERS_BEFORE = re.compile(r"[^\W\d_]+[.:]?$")
_LETTERS_BEHIND = re.compile(r"[^\W\d_]{2,24}(?![\d_@])")
_HEXADECIMAL = re.compile(r"[a-fA-FxX]+")
_NO_SIGNS = {ord(sign): None for sign in "+()[] -./\t\r\n>"}
_ENOUGH = 7
"""With so many digits before a wide gap, what follows is more likely another number."""

_GLUE_BEFORE = frozenset("_#$€£¥%&=?*\\@~" + BARRIER)
_GLUE_AFTER = frozenset("_%€$£¥@" + BARRIER)
_LEFT = 48
"""How far back a word may stand that says what a number is."""

_LONGEST_ROW = 12
"""Digit groups looked at together; more are a table."""


class PhoneFinder:
    """Telephone numbers of some regions, and international ones."""

    def __init__(self, regions: Sequence[str]) -> None:
        self._regions = tuple(region(code) for code in regions)

    def __call__(self, view: View) -> Iterator[Range]:
        text = view.text
        found: list[Range] = []
        for run in view.find(_RUN):
            found += self._row(text, *run.span(), found[-1][1] if found else -1)
        found += [match.span() for match in view.find(_ENCODED)]
        found += find_extensions(view)
        found.sort()
        reached = 0
        for start, stop in found:
            if start >= reached:
                yield start, stop
                reached = stop

    def _row(self, text: str, start: int, stop: int, previous: int) -> Iterator[Range]:
        """The telephone numbers in one run of digit words.

        Args:
            previous: Where the number before it ended; -1 if there was none.
        """
        rows = _rows(text, start, stop)
        at = 0
        while at < len(rows):
            row = rows[at]
            named = 0 <= previous and PHONE_CHAIN.fullmatch(text, previous, row.words[0][0])
            taken = self._best(text, row, chained=named is not None and bool(named))
            over = at + 1 < len(rows) and self._over_line_end(text, row, rows[at + 1], taken)
            if over:
                taken, at = [over], at + 1
            for begin, end in taken:
                extension = _EXTENSION.match(text, end)
                previous = extension.end() if extension else end
                yield begin, previous
            at += 1

    def _over_line_end(
        self, text: str, row: Row, following: Row, taken: list[Range]
    ) -> Range | None:
        """One number whose first half ends a line and whose second begins the next."""
        if taken or row.glued or following.glued:
            return None
        gap = text[row.words[-1][1] : following.words[0][0]]
        head = text[row.words[0][0]]
        if not _LINE_END.fullmatch(gap) or not (head in "+(0"):
            return None
        candidate = _candidate(text, [*row.words, *following.words])
        if not 7 <= len(candidate.digits) <= 15 or "." in candidate.text:
            return None
        if AMOUNT_AFTER.match(text, candidate.stop) or PHONE_NEVER.search(
            _context(text, row.words[0][0])
        ):
            return None
        if self._is_valid(candidate):
            return candidate.start, candidate.stop
        return None

    def _is_valid(self, c: Candidate) -> bool:
        """Whether such a number exists, whatever says so beside it."""
        if c.text.lstrip("([").startswith("+"):
            return exists("+" + c.digits, None) or exists("+" + _without_trunk(c), None)
        if c.digits.startswith("00"):
            return self._dialled_abroad(c.digits[2:])
        return self._national(c)

    def _best(self, text: str, row: Row, *, chained: bool) -> list[Range]:
        words = row.words
        whole = _candidate(text, words)
        if len(words) <= _LONGEST_ROW and self._takes(text, words, row.glued, chained=chained):
            return [(whole.start, whole.stop)]
        if len(words) == 1:
            return []
        taken: list[Range] = []
        at = 0
        while at < len(words):
            size = self._from(text, row, at)
            if size:
                taken.append((words[at][0], words[at + size - 1][1]))
            at += size or 1
        return taken

    def _takes(
        self, text: str, words: list[Range], glued: bool = False, *, chained: bool = False
    ) -> bool:
        """Whether these words are one number. A wide gap is crossed only inside of one."""
        candidate = _candidate(text, words)
        wide = _widest_left(text, words)
        if wide >= _ENOUGH and not self._is_one(text, words, candidate):
            return False
        if glued and not self._is_valid(candidate):
            return False
        return self._is_phone(text, candidate, chained=chained)

    def _is_one(self, text: str, words: list[Range], c: Candidate) -> bool:
        """Whether digits behind a wide gap still belong to the number before it."""
        last = next(at for at in range(len(words) - 1, 0, -1) if _is_wide(text, words, at))
        behind = "".join(_GROUP.findall(text[words[last][0] : words[-1][1]]))
        if behind.startswith("0") or text[words[last][0]] in "+(":
            return False
        return len(behind) <= 4 or self._is_valid(c)

    def _from(self, text: str, row: Row, at: int) -> int:
        """How many words from *at* on are a number by themselves; 0 if none are."""
        words = row.words
        marked = text[words[at][0]] in "+(" or text.startswith("00", words[at][0])
        most = min(len(words) - at, 8) if marked else 1
        if marked:
            for size in range(1, most):
                begins = text[words[at + size][0]]
                if begins == "+" or (begins == "(" and text[words[at + size][0] + 1] != "0"):
                    most = size
                    break
        for size in range(most, 0, -1):
            if self._takes(text, words[at : at + size], row.glued):
                return size
        return 0

    def _is_phone(self, text: str, c: Candidate, *, chained: bool) -> bool:
        count = len(c.digits)
        if not 6 <= count <= 17 or len(c.sizes) > 8:
            return False
        before = _context(text, c.start)
        if _DATE.fullmatch(c.text) or (_is_address_of_host(c) and not PHONE_BEFORE.search(before)):
            return False
        after = text[c.stop : c.stop + 16]
        if AMOUNT_AFTER.match(after) or PHONE_NEVER.search(before):
            return False
        if c.text.lstrip("(").startswith("+"):
            return 7 <= count <= 17 and begins_abroad(c.digits)
        named = len(c.sizes) > 1 and PHONE_AFTER.match(after) is not None
        if _LETTER.search(before) is None:
            return named or self._unannounced(c)
        if PHONE_NOT.search(before):
            return len(c.sizes) > 1 and self._national(c)
        announced = (
            (chained and count >= 7)
            or PHONE_BEFORE.search(before)
            or (count >= 7 and PHONE_OWN.search(before))
        )
        if named or announced:
            return count <= 15 and not ("." in c.text and min(c.sizes) < 2)
        return self._unannounced(c)

    def _unannounced(self, c: Candidate) -> bool:
        if c.digits.startswith("00") and len(c.digits) >= 10:
            return self._dialled_abroad(c.digits[2:])
        if _PARENTHESISED.fullmatch(c.text) and 7 <= len(c.digits) <= 14:
            return True
        return self._national(c)

    def _dialled_abroad(self, digits: str) -> bool:
        return begins_abroad(digits) and exists("+" + digits, None)

    def _national(self, c: Candidate) -> bool:
        return any(fits(c, one) and exists(c.digits, one.code) for one in self._regions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Digit words that stand together."""

    words: list[Range]
    glued: bool
    """Whether letters stand directly before or behind: then only a number that exists counts."""


def _rows(text: str, start: int, stop: int) -> list[Row]:
    """The digit words of a run, parted where a date, a decimal or a wide gap stands."""
    before, after = _glue_before(text, start), _glue_after(text, stop)
    if "code" in (before, after) and not any(space in text[start:stop] for space in " \n"):
        return []
    words = [(start + m.start(), start + m.end()) for m in _WORD.finditer(text[start:stop])]
    if before == "code":
        words.pop(0)
    if words and after == "code":
        words.pop()
    rows: list[Row] = []
    row: list[Range] = []
    for begin, end in words:
        word = text[begin:end].strip("().-/[]")
        gap = text[row[-1][1] : begin] if row else " "
        if gap != " " and not _holds_together(text, row, gap, begin):
            rows.append(Row(words=row, glued=False))
            row = []
        if word == "" and begin > start:
            continue
        if _DATE.fullmatch(word) or _DECIMAL.fullmatch(word) or not _GROUP.search(word):
            if row and word:
                rows.append(Row(words=row, glued=False))
                row = []
        else:
            row.append((begin, end))
    if row:
        rows.append(Row(words=row, glued=False))
    return [
        replace(
            each,
            glued=(before == "word" and each.words[0][0] == start)
            or (after == "word" and each.words[-1][1] == stop),
        )
        for each in rows
    ]


def _holds_together(text: str, row: list[Range], gap: str, begin: int) -> bool:
    """Whether a gap wider than a space may stand inside of a number."""
    if "\n" in gap:
        return False
    if text[begin] in "(+[" or text[row[-1][1] - 1] in ")]":
        return True
    head = text[row[0][0] : row[-1][1]]
    if gap.strip() == "":
        return len(gap) == 2 and (head[0] in "+(0")
    if not _SPACED_SIGN.fullmatch(gap):
        return False
    international = head.lstrip("(").startswith(("+", "00"))
    return (
        international or _AREA.fullmatch(head) is not None or _SPACED_SIGN.search(head) is not None
    )


def _is_wide(text: str, words: list[Range], at: int) -> bool:
    return words[at][0] - words[at - 1][1] > 1


def _widest_left(text: str, words: list[Range]) -> int:
    """How many digits stand before the last wide gap."""
    for at in range(len(words) - 1, 0, -1):
        if _is_wide(text, words, at):
            left = text[words[0][0] : words[at - 1][1]]
            return sum(char.isdigit() for char in left)
    return 0


def _without_trunk(c: Candidate) -> str:
    """The digits without a `(0)` that is dialled inland only."""
    return re.sub(r"[(\[]0[)\]]", "", c.text).translate(_NO_SIGNS)


def _candidate(text: str, words: list[Range]) -> Candidate:
    start, stop = words[0][0], words[-1][1]
    while text[stop - 1] in "(-/. [":
        stop -= 1
    while text[start] in ")-/. ]":
        start += 1
    piece = text[start:stop]
    groups = _GROUP.findall(piece)
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
        return "" if PHONE_BEFORE.search(_context(text, start)) else "code"
    return "code" if further.isdigit() else ""


def _glue_after(text: str, stop: int) -> Glue:
    if stop >= len(text):
        return ""
    char = text[stop]
    if char.isalpha():
        if unicodedata.category(char) == "Lo" or _EXTENSION.match(text, stop):
            return ""
        word = _LETTERS_BEHIND.match(text, stop)
        return "word" if word and not _HEXADECIMAL.fullmatch(word[0]) else "code"
    if char.isalnum():
        return "" if _EXTENSION.match(text, stop) else "code"
    if char in _GLUE_AFTER:
        return "code"
    following = text[stop + 1 : stop + 2]
    if char in ",:.-/" and following.isdigit():
        return "code"
    named = PHONE_AFTER.match(text[stop : stop + 16])
    return "code" if char in "-/" and following.isalpha() and not named else ""


def _context(text: str, start: int) -> str:
    """What stands before a candidate: its line, and the line above if that ends in a label."""
    before = text[max(0, start - _LEFT) : start]
    before = before[before.rfind(BARRIER) + 1 :]
    lines = before.rsplit("\n", 2)
    return "\n".join(lines[-2:]).lower()


def _is_address_of_host(c: Candidate) -> bool:
    groups = c.text.split(".") if c.text.count(".") == 3 else ()
    return len(groups) == 4 and all(
        group.isdigit() and int(group) < 256 and str(int(group)) == group for group in groups
    )
