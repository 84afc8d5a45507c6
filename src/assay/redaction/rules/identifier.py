"""IBANs, payment cards, national identifiers, UUIDs.

In      a view, regions
Out     ranges of class ID_CODE
Pure    yes, linear: a candidate is judged within a fixed distance
Spec    interfaces.md, "Redaction": identifiers whose check digits hold

A shape alone is not enough, with exceptions that are unmistakable: the UUID, shapes that
nothing else has (a British insurance number), a code that its label announces ("passport
number: …"), and a bank's code beside an IBAN. What fails here may still be a NUMBER.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module

from assay.redaction.rules.birth import find_birth_dates
from assay.redaction.rules.check_digits import CHECKS, IBAN_COUNTRIES, is_bic, is_card, is_iban
from assay.redaction.rules.identifier_table import EVERYWHERE, LABELS, NATIONAL, Shape
from assay.redaction.rules.network import find_hosts
from assay.redaction.rules.plate import find_plates
from assay.redaction.rules.secret import find_secrets
from assay.redaction.view import Range, View, compile_narrow

_UUID = r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"

_UUIDS = compile_narrow(_UUID)
_IBAN_START = compile_narrow(
    rf"(?i:{'|'.join(IBAN_COUNTRIES)})"
    r"[ ._-]{0,2}[0-9][ ._-]?[0-9](?:[ \t./_-]{0,3}|[ ]?\r?\n[ >]{0,4})[A-Za-z0-9]"
)
_CARD_RUN = compile_narrow(r"[0-9](?:(?:[ ./_-]{0,3}|[ ]?\r?\n[ >]{0,4})[0-9]){11,}")
_DIGITS = re.compile(r"[0-9]+")
_LABEL = compile_narrow(rf"(?i)\b(?:{LABELS})")
_LABELLED = re.compile(
    r"(?:'s)?[ ]?(?:(?:number|numbers|no\.?|nr\.?|num\.?|nummer|n[°º]|número|numero|numéro|code|"
    r"id|#)[ ]?)?(?:is|was|ist|lautet|es|est|è)?[ ]?[:=#]?\s{0,3}[#(]?"
    r"((?=[A-Z0-9./ -]{0,7}[0-9])[A-Z0-9]{1,20}(?:[-./][A-Z0-9]{1,12}){0,5}"
    r"(?:[ ][0-9]{1,10}[A-Z]?){0,4})",
    re.IGNORECASE,
)
_BANK_LABELS = ("bic", "swift")
_BIC_SHAPE = r"[A-Z]{4}[ ]?[A-Z]{2}[ ]?[A-Z0-9]{2}(?:[ ]?[A-Z0-9]{3})?(?![\w\x00])"
_BIC_LOWER = r"[a-z]{6}[a-z0-9]{2}(?:[a-z0-9]{3})?(?![\w\x00])"
_BIC_LABELLED = re.compile(
    r"(?i:(?:[ ]?[-/(][ ]?|[ ])?(?:bic|swift|code|nr\.?|number|nummer|adresse?|address|código|"
    r"codice)(?!\w)\)?){0,3}(?:[ ]?\))?[ ]?(?i:(?:is|ist|lautet|es|est|è)(?!\w))?"
    rf"(?:[ ]?[:=]?\s{{0,3}}[(\"']?({_BIC_SHAPE})|[ ]?[:=]\s{{0,3}}[(\"']?({_BIC_LOWER}))"
)
_BIC_BEFORE = re.compile(
    r"(?<!\w)([A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?)[ ]?[,;:/|()-]?\s{0,2}(?:IBAN[ ]?:?[ ]?)?\(?$"
)
_BIC_BEHIND = re.compile(rf"[ ]?[,;:/|()-]?\s{{0,2}}\(?({_BIC_SHAPE})")
_BIC_REACH = 24
_IBAN_WINDOW = 100
_GLUE = re.compile(r"[\w\x00]")
_LABEL_BEFORE = re.compile(
    r"(?:visa|master(?:card)?|amex|maestro|discover|diners|card|cc|pan|karte|kartennummer|nr|no|"
    r"number|nummer|carte|tarjeta|carta|kaart|karta|[_=])$",
    re.IGNORECASE,
)
_LABEL_AFTER = re.compile(r"(?:cv[cv]2?|exp|valid|gültig|bis)", re.IGNORECASE)
"""What stands glued to a card number and is no part of a longer code."""


class IdentifierFinder:
    """The identifiers of some regions."""

    def __init__(self, regions: Sequence[str]) -> None:
        shapes = [*EVERYWHERE, *(shape for cc in regions for shape in NATIONAL.get(cc, ()))]
        self._checks = [(re.compile(shape.pattern), _check(shape)) for shape in shapes]
        union = "|".join(f"(?:{shape.pattern})" for shape in shapes)
        self._starts = compile_narrow(rf"\b(?:{union})")
        self._union = re.compile(union)

    def __call__(self, view: View) -> Iterator[Range]:
        """Identifiers, in no order."""
        for match in view.find(_UUIDS):
            yield match.span()
        ibans = list(_ibans(view))
        yield from ibans
        yield from _bank_codes(view, ibans)
        yield from _cards(view)
        yield from self._national(view)
        yield from _labelled_codes(view)
        yield from find_plates(view)
        yield from find_secrets(view)
        yield from find_hosts(view)
        yield from find_birth_dates(view)

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
        # Two letters before the check digits; a label may stand glued in front of them.
        start = match.start()
        if start < reached or not _begins_iban(text, start):
            continue
        stop = is_iban(text[start : start + _IBAN_WINDOW])
        if stop:
            yield start, start + stop
            reached = start + stop


def _begins_iban(text: str, start: int) -> bool:
    before = text[max(0, start - 8) : start]
    if not before or not _GLUE.match(before[-1]):
        return True
    if before[-1] == "_" or before.lower().endswith("iban"):
        return True
    return before[-1].islower() and text[start].isupper()


def _bank_codes(view: View, ibans: Sequence[Range]) -> Iterator[Range]:
    """BICs that stand beside an IBAN without a label."""
    text = view.text
    for start, stop in ibans:
        begin = max(0, start - _BIC_REACH)
        before = _BIC_BEFORE.search(text[begin:start])
        if before and is_bic(before[1]):
            yield begin + before.start(1), begin + before.end(1)
        behind = _BIC_BEHIND.match(text, stop)
        if behind and is_bic(behind[1]):
            yield behind.span(1)


def _cards(view: View) -> Iterator[Range]:
    """Card numbers, also several in a row; grouped ones only where a row of digits begins."""
    text = view.text
    for run in view.find(_CARD_RUN):
        begin, end = run.span()
        digits = text[begin:end]
        groups = [match.span() for match in _DIGITS.finditer(digits)]
        if _GLUE.match(text, end) and not _LABEL_AFTER.match(text, end):
            groups.pop()
        glued = begin > 0 and (_GLUE.match(text[begin - 1]) or text[begin - 1] in ".,-/")
        if glued and _LABEL_BEFORE.search(text[max(0, begin - 16) : begin]):
            glued = False
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


def _labelled_codes(view: View) -> Iterator[Range]:
    text = view.text
    for match in view.find(_LABEL):
        end = match.end()
        if text[end - 1].isalnum() and _GLUE.match(text, end):
            continue
        if text[match.start() : end].lower().startswith(_BANK_LABELS):
            code = _BIC_LABELLED.match(text, end)
            if code and is_bic(code[code.lastindex or 0]):
                yield code.span(code.lastindex or 0)
                continue
        code = _LABELLED.match(text, end)
        if code and _is_code(code[1]) and not _GLUE.match(text, code.end()):
            yield code.span(1)


def _is_code(value: str) -> bool:
    first = value.split(" ", 1)[0]
    letters = first.replace("-", "")  # `HH-AB 1234` is a number plate
    short = len(letters) <= (5 if "-" in first else 3)
    begins = (first.isupper() and short) or any(char.isdigit() for char in first)
    return begins and sum(char.isdigit() for char in value) >= 4
