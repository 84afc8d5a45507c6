"""Telephone numbers, and digits in a row.

In      a view, regions
Out     ranges of class PHONE and of class NUMBER
Pure    yes, linear: a row of digit groups is judged in bounded steps
Spec    interfaces.md, "Redaction": international, or national for a region in a form that
        people write, never a date, decimal or product

`phonenumbers` is asked only about candidates that already look like one; as a scanner it is
slow. Digits that no rule here takes are NUMBER when there are six or more in a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assay.redaction.rules.phone_regions import Candidate, begins_abroad, exists, fits, region
from assay.redaction.rules.words import (
    AMOUNT_AFTER,
    PHONE_AFTER,
    PHONE_BEFORE,
    PHONE_NEVER,
    PHONE_NOT,
    PHONE_OWN,
)
from assay.redaction.view import BARRIER, Range, View, compile_narrow

_RUN = compile_narrow(r"(?:\(?\+[ ]?)?\(?[0-9](?:[ ().\-/]{0,4}[0-9]){5,}")
_SIX = compile_narrow(r"[0-9]{6,}")
_WORD = re.compile(r"[^ ]+")
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
        for run in view.find(_RUN):
            yield from self._row(text, *run.span())

    def _row(self, text: str, start: int, stop: int) -> Iterator[Range]:
        """The telephone numbers in one row of digit words."""
        for words in _rows(text, start, stop):
            for begin, end in self._best(text, words):
                extension = _EXTENSION.match(text, end)
                yield begin, extension.end() if extension else end

    def _best(self, text: str, words: list[Range]) -> list[Range]:
        whole = _candidate(text, words)
        if len(words) <= _LONGEST_ROW and self._is_phone(text, whole):
            return [(whole.start, whole.stop)]
        if len(words) == 1:
            return []
        taken: list[Range] = []
        at = 0
        while at < len(words):
            size = self._from(text, words, at)
            if size:
                taken.append((words[at][0], words[at + size - 1][1]))
            at += size or 1
        return taken

    def _from(self, text: str, words: list[Range], at: int) -> int:
        """How many words from *at* on are a number by themselves; 0 if none are."""
        marked = text[words[at][0]] in "+("
        most = min(len(words) - at, 6) if marked else 1
        if marked:
            for size in range(1, most):
                if text[words[at + size][0]] in "+(":
                    most = size
                    break
        for size in range(most, 0, -1):
            candidate = _candidate(text, words[at : at + size])
            if self._is_phone(text, candidate):
                return size
        return 0

    def _is_phone(self, text: str, c: Candidate) -> bool:
        count = len(c.digits)
        if not 6 <= count <= 17 or len(c.sizes) > 8:
            return False
        if _DATE.fullmatch(c.text) or _is_address_of_host(c):
            return False
        before = _context(text, c.start)
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
        announced = PHONE_BEFORE.search(before) or (count >= 7 and PHONE_OWN.search(before))
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


def find_numbers(view: View) -> Iterator[Range]:
    """Six or more digits in a row."""
    for match in view.find(_SIX):
        yield match.span()


def _rows(text: str, start: int, stop: int) -> Iterator[list[Range]]:
    """The digit words of a run, parted where a date, a decimal or a wide gap stands."""
    glued_before, glued_after = _glued_before(text, start), _glued_after(text, stop)
    if (glued_before or glued_after) and " " not in text[start:stop]:
        return
    words = [(start + m.start(), start + m.end()) for m in _WORD.finditer(text[start:stop])]
    if glued_before:
        words.pop(0)
    if words and glued_after:
        words.pop()
    row: list[Range] = []
    for begin, end in words:
        word = text[begin:end].strip("().-/")
        gap = text[row[-1][1] : begin] if row else " "
        if gap != " " and not (
            text[begin] in "(+"
            or text[row[-1][1] - 1] == ")"
            or (gap in {" / ", " - "} and _AREA.fullmatch(text[row[0][0] : row[-1][1]]))
        ):
            yield row
            row = []
        if word == "" and begin > start:
            continue
        if _DATE.fullmatch(word) or _DECIMAL.fullmatch(word) or not _GROUP.search(word):
            if row and word:
                yield row
                row = []
        else:
            row.append((begin, end))
    if row:
        yield row


def _candidate(text: str, words: list[Range]) -> Candidate:
    start, stop = words[0][0], words[-1][1]
    while text[stop - 1] in "(-/. ":
        stop -= 1
    while text[start] in ")-/. ":
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


def _glued_before(text: str, start: int) -> bool:
    """Whether the run begins inside something longer: a code, an amount, a path."""
    if start == 0:
        return False
    char = text[start - 1]
    if char.isalnum() or char in _GLUE_BEFORE:
        return True
    if char not in ",.:-/" or start == 1:
        return False
    further = text[start - 2]
    if char == "-" and further in ":=([,":  # a negative number
        return True
    if char in "-/" and further.isalpha():  # `CLM-2026…` is a code, `Tel/030…` is not
        return not PHONE_BEFORE.search(_context(text, start))
    return further.isdigit()


def _glued_after(text: str, stop: int) -> bool:
    if stop >= len(text):
        return False
    char = text[stop]
    if char.isalnum():
        return _EXTENSION.match(text, stop) is None
    if char in _GLUE_AFTER:
        return True
    following = text[stop + 1 : stop + 2]
    if char in ",:.-/" and following.isdigit():
        return True
    return char in "-/" and following.isalpha() and not PHONE_AFTER.match(text[stop : stop + 16])


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
