"""Names of people, by the places where they stand.

In      a view
Out     ranges of class SIMPLE_NAME
Pure    yes, linear
Spec    interfaces.md, "Redaction": two to four capitalised name words after a greeting, before
        or after a signature, after a title or a label

No list of names is kept and no model asked: a name elsewhere in a sentence is not found here
(an external recogniser may find it), but once found it is hidden wherever it stands. A single
word counts only where nothing but a name can stand: after a title, after `my name is`, after
a label such as `Surname:`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from assay.redaction.rules.name_scripts import find_names_without_case
from assay.redaction.rules.words import (
    CONJUNCTIONS,
    GREETINGS,
    INTRODUCTIONS,
    LABELS_FULL,
    LABELS_PART,
    NO_PERSON,
    NOT_NAMES,
    PARTICLES,
    SELF,
    SIGN_OFFS,
    TITLES,
)
from assay.redaction.view import BARRIER, Range, View, compile_narrow

_QUOTE = r"[\"'*_]{0,2}"
_KINDS: Final = (
    ("title", rf"(?:{TITLES})[ ]{{1,2}}", 1),
    ("self", rf"(?i:{SELF})[ ]{{1,2}}", 1),
    ("part", rf"(?i:{LABELS_PART})[\"']?[ ]?[:=][ \t]*\n?[ \t]*{_QUOTE}", 1),
    ("full", rf"(?i:{LABELS_FULL})[\"']?[ ]?[:=][ \t]*\n?[ \t]*{_QUOTE}", 2),
    ("greeting", rf"(?i:{GREETINGS})[ ,]{{1,2}}", 2),
    ("introduction", rf"(?i:{INTRODUCTIONS})[ ]{{1,2}}", 2),
    ("signing", rf"(?i:{SIGN_OFFS})[ ]?(?:[,.!]|\r?\n)[ \t>]*(?:\r?\n[ \t>]*){{0,2}}", 2),
    ("signature", r"--[ ]?\r?\n[ \t]*", 2),
)
"""What stands before a name, and how many words it takes there."""

_BEFORE = compile_narrow(
    "|".join(rf"\b({kind})" if kind[0] != "-" else rf"(?m:^)({kind})" for _, kind, _ in _KINDS)
)
_DELIMITER = compile_narrow(r"\n--[ ]?\r?(?:\n|\z)")
_BESIDE = frozenset(("EMAIL", "PHONE", "ADDRESS_LINE"))
_LINK_REACH = 40
_LINKS: Final = {
    "EMAIL": re.compile(
        r"[ \"']{0,2}(?:<|\(|\[|,[ ]|[ ]?[-|:][ ]|[ ]?\r?\n[ \t>]{0,4}(?:e-?mail[ :]{1,2})?)$", re.I
    ),
    "PHONE": re.compile(
        r"[ ]?(?:\(|,[ ])(?:tel|telefon|phone|mobil|mobile|fax|t|m)?[.: ]{0,3}$", re.I
    ),
    "ADDRESS_LINE": re.compile(
        r"(?:,[ ]{1,2}|[ ]?\(|[ ]?,?[ ]?\r?\n[ \t>]{0,4}|"
        r",?[ ](?:(?:wohnhaft|living|residing|residente|domiciliée?|domicilié|demeurant|woonachtig|"
        r"wohnt|lives|zam\.|zamieszkał[ya]|who[ ]lives|abita|vive|habite|woont)[ ])?"
        r"(?:aus|in|im|from|of|at|desde|de|en|da|di|uit|te|z|w|à|am)[ ](?:der[ ]|dem[ ]|the[ ])?)$"
    ),
}
"""What may stand between a name and what belongs to it, by the class of that."""

_LINE_REACH = 90
"""How far before an address or a signature a name may begin."""

_CAPITALISED = re.compile(r"(?<![^\W_])[^\W\d_a-z][^<>@:;,\n\x00]*$")

_MOST = 4
_FURTHEST = 120
"""Longest stretch of name words looked at."""

_WORD = re.compile(r"[^\W\d_](?:['-]?[^\W\d_])*\.?")
_GAP = re.compile(r" {1,2}(?=[^\W\d_])")
_COMMA = re.compile(r", ?(?=[^\W\d_])")
_ROMAN = re.compile(r"[IVX]{2,5}")
_TITLE = re.compile(rf"(?:{TITLES})\.?")
_PARTICLE = re.compile(PARTICLES)
_CONJUNCTION = re.compile(CONJUNCTIONS)


def find_names(view: View) -> Iterator[Range]:
    """Names in their places, in no order."""
    text = view.text
    for match in view.find(_BEFORE):
        start, stop = match.span()
        start += text[start] in " _-"
        if not text[stop : stop + 1].isupper() or (start and text[start - 1].isalnum()):
            continue
        kind, least = _kind(match)
        name = _name(text, stop, least, listed=kind == "full")
        if name:
            yield name
    yield from _before_marks(view)
    if view.has_other_scripts:
        yield from find_names_without_case(text)


def _before_marks(view: View) -> Iterator[Range]:
    """Names before an address or telephone number, and on the line above a signature."""
    text = view.text
    for at, cls in view.taken.items():
        if cls in _BESIDE:
            yield from _name_beside(text, at, cls)
    for match in view.find(_DELIMITER):
        yield from _ending_at(text, match.start())


def _name_beside(text: str, at: int, cls: str) -> Iterator[Range]:
    """The name that an address belongs to: `Ann Lee, 5 Elm Road`, `Ann Lee (ann@example.com)`."""
    link = _LINKS[cls].search(text, max(0, at - _LINK_REACH), at)
    if link is None:
        return
    begin = link.start()
    line = text[max(0, begin - _LINE_REACH) : begin]
    words = [(m.start(), m[0]) for m in _WORD.finditer(line[line.rfind("\n") + 1 :])]
    offset = begin - len(line) + line.rfind("\n") + 1
    start, count, stop = -1, 0, begin
    for place, word in reversed(words):
        there = offset + place
        if text[there + len(word) : stop].strip(" ") or there + len(word) > stop:
            break
        if _TITLE.fullmatch(word) or word.endswith("."):
            break
        if _PARTICLE.fullmatch(word) and count:
            stop = there
            continue
        if count == _MOST or not (
            _is_name_word(word) and word.rstrip(".").lower() not in NO_PERSON
        ):
            break
        start, stop = there, there
        count += 1
    lone = text[start:begin].isupper() and count < 2
    alone = start >= 0 and not text[offset:start].strip(" \t>*-")
    if count < 2 or lone or ("\n" in link[0] and not alone):
        return
    if start and (text[start - 1].isalnum() or text[start - 1] in "_" + BARRIER):
        return
    yield start, begin


def _ending_at(text: str, at: int) -> Iterator[Range]:
    """The name that fills the end of the line before *at*, quotes and spaces aside."""
    line = text[max(0, at - _LINE_REACH) : at].rstrip(" \"'\r\t")
    words = _CAPITALISED.search(line)
    if words is None:
        return
    begin = at - len(text[max(0, at - _LINE_REACH) : at]) + words.start()
    name = _name(text, begin, 2)
    if name and name[1] == begin + len(words[0]):
        yield name


def _kind(match: Any) -> tuple[str, int]:
    for group, (kind, _, least) in enumerate(_KINDS, 1):
        if match.start(group) >= 0:
            return kind, least
    raise AssertionError("a place of no kind")


def _name(text: str, at: int, least: int, *, listed: bool = False) -> Range | None:
    """The name that begins at *at*: titles in front are left out, and what is no name ends it.

    Args:
        least: How many name words it takes; behind a title one is enough.
        listed: Whether a family name and a comma may stand first.
    """
    limit = min(len(text), at + _FURTHEST)
    start = stop = -1
    count = titles = 0
    joined, product = False, listed
    while match := _WORD.match(text, at, limit):
        word = match[0]
        if match.end() == limit < len(text):
            break
        if count == 0 and titles < _MOST and _TITLE.fullmatch(word):
            titles += 1
            least = 1
        elif _joins_first_names(word, count, joined=joined, listed=product):
            joined = True
        elif not (count and _PARTICLE.fullmatch(word)):
            if count == _MOST or not _is_name_word(word):
                break
            start = at if start < 0 else start
            initial = len(word) == 2 and word[1] == "."
            stop = match.end() - (word.endswith(".") and not initial)
            count += 1
            if stop < match.end():
                break
        gap = _GAP.match(text, match.end(), limit)
        if gap is None and listed and count:
            gap = _COMMA.match(text, match.end(), limit)
            listed = False
        if gap is None:
            break
        at = gap.end()
    if count < least or stop - start < 3 or (joined and count == _MOST):
        return None
    return None if stop < len(text) and text[stop] in ("_" + BARRIER) else (start, stop)


def _joins_first_names(word: str, count: int, *, joined: bool, listed: bool) -> bool:
    """Whether *word* stands between two first names; behind a label, an English one seldom does."""
    if count != 1 or joined or (listed and word == "and"):
        return False
    return _CONJUNCTION.fullmatch(word) is not None


def _is_name_word(word: str) -> bool:
    if _ROMAN.fullmatch(word):
        return False
    return len(word) > 1 and word[0].isupper() and word.rstrip(".").lower() not in NOT_NAMES
