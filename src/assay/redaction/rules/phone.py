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
from collections.abc import Iterator, Sequence

from assay.redaction.rules.extension import find_extensions
from assay.redaction.rules.phone_regions import Candidate, begins_abroad, exists, fits, region
from assay.redaction.rules.phone_rows import (
    DATE,
    EXTENSION,
    GROUP,
    Row,
    candidate_of,
    context_before,
    digits_before_gap,
    is_wide,
    part_rows,
)
from assay.redaction.rules.words import (
    AMOUNT_AFTER,
    PHONE_AFTER,
    PHONE_BEFORE,
    PHONE_CHAIN,
    PHONE_NEVER,
    PHONE_NOT,
    PHONE_OWN,
)
from assay.redaction.view import Range, View, compile_narrow

_RUN = compile_narrow(
    r"(?:\(?\+[ ]?)?\(?[0-9](?:(?:[ ().\-/\[\]]{0,5}|[ ().\-/]{0,2}\r?\n[ \t>]{0,4}\(?)[0-9]){5,}"
)
_ENCODED = compile_narrow(r"%2[Bb][1-9](?:(?:%20|%2[DdFf89]|[-. +()]){0,3}[0-9]){6,14}")
"""An international number as the address of a page has it."""
_LETTER = re.compile(r"[^\W\d_]")
_PARENTHESISED = re.compile(
    r"(?:\+?[0-9]{1,3}[ -]?)?\((?!(?:19|20)[0-9]{2}\))[0-9]{2,5}\)[ -]{0,3}"
    r"[0-9]{2,}(?:[ .\-/]{1,3}[0-9]{2,})*"
)
_LINE_END = re.compile(r"[ \t]{0,2}\r?\n[ \t>]{0,4}")
_NO_SIGNS = {ord(sign): None for sign in "+()[] -./\t\r\n>"}
_ENOUGH = 7
"""With so many digits before a wide gap, what follows is more likely another number."""

_LONGEST_ROW = 12
"""Digit groups looked at together; more are a table."""


class PhoneFinder:
    """Telephone numbers of some regions, and international ones."""

    def __init__(self, regions: Sequence[str]) -> None:
        self._regions = tuple(region(code) for code in regions)

    def __call__(self, view: View) -> Iterator[Range]:
        previous = -1
        for run in view.find(_RUN):
            for start, stop in self._row(view.text, run.start(), run.end(), previous):
                yield start, stop
                previous = stop
        for match in view.find(_ENCODED):
            yield match.span()
        yield from find_extensions(view)

    def _row(self, text: str, start: int, stop: int, previous: int) -> Iterator[Range]:
        """The telephone numbers in one run of digit words.

        Args:
            previous: Where the number before it ended; -1 if there was none.
        """
        rows = part_rows(text, start, stop)
        at = 0
        while at < len(rows):
            row = rows[at]
            chained = previous >= 0 and PHONE_CHAIN.fullmatch(text, previous, row.words[0][0])
            taken = self._best(text, row, chained=bool(chained))
            over = at + 1 < len(rows) and self._over_line_end(text, row, rows[at + 1], taken)
            if over:
                taken, at = [over], at + 1
            for begin, end in taken:
                extension = EXTENSION.match(text, end)
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
        if not _LINE_END.fullmatch(gap) or head not in "+(0":
            return None
        candidate = candidate_of(text, [*row.words, *following.words])
        if not 7 <= len(candidate.digits) <= 15 or "." in candidate.text:
            return None
        if AMOUNT_AFTER.match(text, candidate.stop) or PHONE_NEVER.search(
            context_before(text, row.words[0][0])
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
        whole = candidate_of(text, words)
        if len(words) <= _LONGEST_ROW and self._takes(
            text, words, glued=row.glued, chained=chained
        ):
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

    def _takes(self, text: str, words: list[Range], *, glued: bool, chained: bool = False) -> bool:
        """Whether these words are one number. A wide gap is crossed only inside of one."""
        candidate = candidate_of(text, words)
        wide = digits_before_gap(text, words)
        if wide >= _ENOUGH and not self._is_one(text, words, candidate):
            return False
        if glued and not self._is_valid(candidate):
            return False
        return self._is_phone(text, candidate, chained=chained)

    def _is_one(self, text: str, words: list[Range], c: Candidate) -> bool:
        """Whether digits behind a wide gap still belong to the number before it."""
        last = next(at for at in range(len(words) - 1, 0, -1) if is_wide(words, at))
        behind = "".join(GROUP.findall(text[words[last][0] : words[-1][1]]))
        if text[words[last][0]] in "+(":
            return False
        if behind.startswith("0") and behind != "0":
            gap = text[words[last - 1][1] : words[last][0]]
            parted_so = gap in text[words[0][0] : words[last - 1][1]]
            return parted_so and len(behind) <= 4 and self._is_valid(c)
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
            if self._takes(text, words[at : at + size], glued=row.glued):
                return size
        return 0

    def _is_phone(self, text: str, c: Candidate, *, chained: bool) -> bool:
        count = len(c.digits)
        if not 6 <= count <= 17 or len(c.sizes) > 8:
            return False
        before = context_before(text, c.start)
        if DATE.fullmatch(c.text) or (_is_address_of_host(c) and not PHONE_BEFORE.search(before)):
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
            spaced = any(sign in c.text for sign in " (")
            return len(c.sizes) > 1 and spaced and self._national(c)
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


def _without_trunk(c: Candidate) -> str:
    """The digits without a `(0)` that is dialled inland only."""
    return re.sub(r"[(\[]0[)\]]", "", c.text).translate(_NO_SIGNS)


def _is_address_of_host(c: Candidate) -> bool:
    groups = c.text.split(".") if c.text.count(".") == 3 else ()
    return len(groups) == 4 and all(
        group.isdigit() and int(group) < 256 and str(int(group)) == group for group in groups
    )
