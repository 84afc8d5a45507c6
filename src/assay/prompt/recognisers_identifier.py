"""IBANs, payment cards, national identifiers, UUIDs.

In      a view, regions
Out     ranges of class ID_CODE
Pure    yes, linear: a candidate is judged within a fixed distance
Spec    interfaces.md, "Redaction": identifiers whose check digits hold

A shape alone is not enough, with three exceptions that are unmistakable: the UUID, shapes
that nothing else has (a British insurance number), and a code that its label announces
("passport number: …"). What fails here may still be a NUMBER.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module

from assay.prompt.recognisers import Range, View, compiled
from assay.prompt.recognisers_checks import CHECKS, is_card, is_iban
from assay.prompt.recognisers_table import EVERYWHERE, LABELS, NATIONAL, Shape

_UUID = r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"

_UUIDS = compiled(_UUID)
_IBAN_START = compiled(r"\b[A-Za-z]{2}[0-9]{2}[ -]?[A-Za-z0-9]{4}")
_CARD_RUN = compiled(r"[0-9](?:[ -]?[0-9]){11,}")
_DIGITS = re.compile(r"[0-9]+")
_LABEL = compiled(rf"(?i)\b(?:{LABELS})")
_LABELLED = re.compile(
    r"(?:'s)?[ ]?(?:(?:number|numbers|no\.?|nr\.?|num\.?|nummer|n[°º]|número|numero|numéro|code|"
    r"id|#)[ ]?)?(?:is|was|ist|lautet|es|est|è)?[ ]?[:=#]?\s{0,3}[#(]?"
    r"((?=[A-Z0-9./ -]{0,7}[0-9])[A-Z0-9]{1,20}(?:[-./][A-Z0-9]{1,12}){0,5}"
    r"(?:[ ][0-9]{1,10}[A-Z]?){0,4})",
    re.IGNORECASE,
)
_IBAN_WINDOW = 48
_GLUE = re.compile(r"[\w\x00]")


class IdentifierFinder:
    """The identifiers of some regions."""

    def __init__(self, regions: Sequence[str]) -> None:
        shapes = [*EVERYWHERE, *(shape for cc in regions for shape in NATIONAL.get(cc, ()))]
        self._checks = [(re.compile(shape.pattern), _check(shape)) for shape in shapes]
        union = "|".join(f"(?:{shape.pattern})" for shape in shapes)
        self._starts = compiled(rf"\b(?:{union})")
        self._union = re.compile(union)

    def __call__(self, view: View) -> Iterator[Range]:
        """Identifiers in order; of two that overlap, the longer at the first place."""
        found = [match.span() for match in view.find(_UUIDS)]
        found += _ibans(view)
        found += _cards(view)
        found += self._national(view)
        found += _labelled(view)
        found.sort(key=lambda span: (span[0], -span[1]))
        reached = 0
        for start, stop in found:
            if start >= reached:
                yield start, stop
                reached = stop

    def _national(self, view: View) -> Iterator[Range]:
        text = view.text
        for match in view.find(self._starts):
            start, limit = match.span()
            while True:
                stop = self._judge(text, start)
                if stop:
                    yield start, stop
                    break
                again = self._union.search(text, start + 1, limit)
                if again is None:
                    break
                start = again.start()

    def _judge(self, text: str, start: int) -> int:
        if start and _GLUE.match(text[start - 1]):
            return 0
        for pattern, check in self._checks:
            match = pattern.match(text, start)
            if match and not _GLUE.match(text, match.end()) and check(match[0]):
                return match.end()
        return 0


def _check(shape: Shape) -> Callable[[str], bool]:
    if not shape.check:
        return lambda _: True
    if shape.check in CHECKS:
        return CHECKS[shape.check]
    return partial(_stdnum, import_module(f"stdnum.{shape.check}").is_valid)


def _stdnum(is_valid: Callable[[str], bool], candidate: str) -> bool:
    if len(set(candidate)) < 3:  # zeros that keep a place
        return False
    try:
        return is_valid(candidate)
    except Exception:  # a library fault on odd digits is no proof of an identifier
        return False


def _ibans(view: View) -> Iterator[Range]:
    text = view.text
    reached = 0
    for match in view.find(_IBAN_START):
        start = match.start()
        if start < reached or (start and _GLUE.match(text[start - 1])):
            continue
        stop = is_iban(text[start : start + _IBAN_WINDOW])
        if stop:
            yield start, start + stop
            reached = start + stop


def _cards(view: View) -> Iterator[Range]:
    """Card numbers, also several in a row; grouped ones only where a row of digits begins."""
    text = view.text
    for run in view.find(_CARD_RUN):
        begin, end = run.span()
        digits = text[begin:end]
        groups = [match.span() for match in _DIGITS.finditer(digits)]
        if _GLUE.match(text, end):
            groups.pop()
        glued = begin > 0 and (_GLUE.match(text[begin - 1]) or text[begin - 1] in ".,-/")
        first, fresh = (1, False) if glued else (0, True)
        while first < len(groups):
            count = is_card(digits, groups[first : first + 6])
            if count and (fresh or count == 1):
                yield begin + groups[first][0], begin + groups[first + count - 1][1]
                first += count
                fresh = True
            else:
                first += 1
                fresh = False


def _labelled(view: View) -> Iterator[Range]:
    text = view.text
    for match in view.find(_LABEL):
        end = match.end()
        if text[end - 1].isalnum() and _GLUE.match(text, end):
            continue
        code = _LABELLED.match(text, end)
        if code and _is_code(code[1]) and not _GLUE.match(text, code.end()):
            yield code.span(1)


def _is_code(value: str) -> bool:
    first = value.split(" ", 1)[0]
    begins = (first.isupper() and len(first) <= 3) or any(char.isdigit() for char in first)
    return begins and sum(char.isdigit() for char in value) >= 4
