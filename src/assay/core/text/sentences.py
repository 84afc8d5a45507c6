"""Where sentences end.

In      text of any length: prose, lists, Markdown; English, German or Spanish, and the full stops
        of other scripts
Out     spans in code points, trimmed, in order, that together hold all but white space
Pure    yes; linear in the text
Spec    004 P4.1, R5 ("every factual sentence"); 005-A6; interfaces.md, "Answers"

Lines are weighed first (`assay.core.text.lines`: what is a list item, what is wrapped prose), then
each mark within a run of lines. An end that is not one cuts a sentence in two and makes an
uncited fragment of its first half, so doubt goes against an end; what follows a doubtful full
stop decides: `etc. The` ends, `etc. Weber` does not.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from assay.core.text import abbreviations as words
from assay.core.text.full_stops import (
    TITLES,
    WORD,
    WORD_BEFORE,
    ends_sentence,
    has_vowel,
    is_abbreviation,
    last_word,
    read_stop_context,
)
from assay.core.text.lines import ALWAYS_ENDS, BREAKS, CLOSING_QUOTES, runs

REFERENCE = (
    r"(?:\[\s?[Cc]?[\s\d,;–-]{0,20}\d[\s\d,;Cc–-]{0,40}\]"
    r"|[［【][CcＣｃ]?[\s\d,;:–-]{1,8}(?:†\w{1,12})?[］】])"
)
"""A marker such as `[C0]` or `[3, 4]`: behind a full stop it belongs to the sentence before."""

_CLOSERS = CLOSING_QUOTES + "\"')\\]}*_`´"
_OPENERS = "\"'“„«‹‘([{*_`>"
_MARK = re.compile(
    r"(?P<skip>[\[(](?:…|\.\.\.|\. \. \.)[\])])"
    r"|(?P<spaced>\.(?:[ \u00a0]\.)+)"
    rf"|(?P<always>[{ALWAYS_ENDS}]+)"
    rf"|(?P<bare>(?<=[\u0e01-\u0eff])[ \u00a0]{{0,3}}{REFERENCE})"
    r"|(?P<mark>[.!?…‽]+)"
)
_TAIL = re.compile(
    rf"(?:[{_CLOSERS}.!?…{ALWAYS_ENDS}]|[ \u00a0\u202f][»›](?=\s|\Z|[\[.,])"
    rf"|[ \t\u00a0]*{REFERENCE})*"
)
_CJK_CLOSER = re.compile('[」』”’》〉】〕）］｣»"]')
_GOES_ON = re.compile(
    "[、，,；;：:]|と|って|という|など|の|を|が|は|に|も|で|だ|から|より|へ|や|か|的|地|得|"
    "[^\\s。！？，、]{0,4}(?:说|說|表示|问|問|答|称|稱|写道|寫道|指出)"
)
"""Behind a quotation in Japanese or Chinese: the sentence around it is not over."""

_SPACED_SCRIPT = re.compile("[\u0e01-\u0eff]")
"""Thai and Lao end a sentence by a space, as they do a phrase; a marker makes the end certain."""

_PLAIN_ENDS = {
    0x2024: ".",
    0xA4F8: ".",
    0xFE52: ".",
    0xFF0E: ".",
    0xFE56: "?",
    0xFE57: "!",
    0x1C3: "!",
}
"""Marks that look like those of ASCII."""

_REFERENCE = re.compile(REFERENCE)
_REFERENCE_BEFORE = re.compile(rf"{REFERENCE}[{_CLOSERS}]*\Z")
_GAP = re.compile(r"\s*")
_OPENING = re.compile(rf"[{re.escape(_OPENERS)}]*")
_ENUMERATOR = re.compile(r"[•⁃◦▪‣∙·*+>#\-\s]*\(?(\d{1,3}|[a-zA-Z]|[ivx]{2,5})\Z")
_INLINE = re.compile(r"(?:(?<=\s)|\A)([•⁃◦▪‣∙]?\s?)(\d{1,3}|[a-z])(\.\)|\)|\.)(?=\s+[^\W\d_a-z])")
_GLUED_LEFT = re.compile(r"(?:[^\W\d_]*[^\W\d_A-Z]{2}|\d[\d.,]*)\Z")
_GLUED_RIGHT = re.compile(r"[A-ZÄÖÜÁÉÍÓÚÑ][a-zäöüßáéíóúñ]*(?=[\s.,;:!?'’]|\Z)")
_LETTER = re.compile(r"[^\W\d_]")
_CAPITAL = re.compile(r"[.!?][\s\"'”“»(]{1,4}[A-ZÄÖÜÁÉÍÓÚÑ]")
_LOOK_BACK = 48


def sentences(text: str, lang: str | None = None) -> tuple[tuple[int, int], ...]:
    """Find the sentences of *text*.

    Args:
        text: As it stands; nothing is mended.
        lang: Two letters, where the language is known. German reading of `3. Platz` as an
            ordinal is left out for `en` and `es`; otherwise all three languages are read at
            once.

    Returns:
        Half-open spans in code points, in order, without white space at their ends. List
        items and headings are sentences of their own. White space lies between them, and
        nothing else.

    Example:
        >>> text = "See p. 5 of Dr. Weber's note. It costs 3.50 EUR [C0]. Bye. [C1]"
        >>> [text[start:stop] for start, stop in sentences(text)]
        ["See p. 5 of Dr. Weber's note.", 'It costs 3.50 EUR [C0].', 'Bye. [C1]']

    Spec: 004 P4.1; interfaces.md, "Answers".
    """
    found: list[tuple[int, int]] = []
    text = text if text.isascii() else text.translate(_PLAIN_ENDS)
    style = _Style(ordinals=lang in (None, "de"), lower=_is_lower(text))
    for start, stop in runs(text):
        first = start
        for end in _ends(text, start, stop, style):
            _add(found, text, first, end)
            first = end
        _add(found, text, first, stop)
    return tuple(found)


class _Style(NamedTuple):
    """How a text is written."""

    ordinals: bool
    """`25.` before a noun may be an ordinal."""

    lower: bool
    """Its sentences start in lower case."""


def _is_lower(text: str) -> bool:
    first = _LETTER.search(text)
    return first is not None and first[0].islower() and not _CAPITAL.search(text)


def _add(found: list[tuple[int, int]], text: str, start: int, stop: int) -> None:
    while start < stop and text[start].isspace():
        start += 1
    while stop > start and text[stop - 1].isspace():
        stop -= 1
    if start == stop:
        return
    # A piece that is nothing but markers belongs to the sentence before it.
    if found and _REFERENCE.match(text, start) and not _REFERENCE.sub("", text[start:stop]).strip():
        found[-1] = (found[-1][0], stop)
    else:
        found.append((start, stop))


def _ends(text: str, start: int, stop: int, style: _Style) -> list[int]:
    """Ends within one run of lines, the run's own stop left out."""
    ends: list[int] = []
    forced = _inline_list(text, start, stop)
    first, counted = start, 0
    at = start
    while (match := _MARK.search(text, at, stop)) is not None:
        while forced and forced[0] <= match.start():
            first = forced.pop(0)
            if not ends or ends[-1] < first:
                ends.append(first)
        at = match.end()
        if match["skip"]:
            continue
        tail = _TAIL.match(text, at, stop)
        at = tail.end() if tail else at
        if match["mark"] == "." and _enumerates(text, first, match.start(), at, counted):
            counted += 1
            continue
        end = _end_at(text, first, match, at, stop, style)
        if 0 < end < stop:
            ends.append(end)
            first = at = end
    ends.extend(end for end in forced if not ends or end > ends[-1])
    return ends


def _enumerates(text: str, first: int, begin: int, end: int, counted: int) -> bool:
    """Whether the full stop belongs to `1.` or `b.)` at the start of what would be a sentence."""
    if (
        begin - first > 16
        or text[begin:end] not in {".", ".)"}
        or not text[end : end + 1].isspace()
        or text[end] in BREAKS
    ):
        return False
    found = _ENUMERATOR.match(text, first, begin)
    return found is not None and (counted == 0 or not found[1].isdigit() or int(found[1]) > counted)


def _end_at(text: str, first: int, match: re.Match[str], end: int, stop: int, style: _Style) -> int:
    """Where the sentence from *first* ends at this mark, whose tail ends at *end*; 0: nowhere."""
    begin, after = match.span()
    gap = _GAP.match(text, end, stop)
    next_at = gap.end() if gap else end
    if match["always"]:
        quoted = next_at == end and _CJK_CLOSER.search(text, after, end)
        return 0 if quoted and _GOES_ON.match(text, end, stop) else end
    if match["bare"]:
        return end if next_at > end and _SPACED_SCRIPT.match(text, next_at, stop) else 0
    if next_at >= stop:
        return stop
    opening = _OPENING.match(text, next_at, stop)
    word_at = opening.end() if opening else next_at
    follows = text[word_at] if word_at < stop else ""
    if match["spaced"]:
        return _after_spaced(text, begin, after, end, follows)
    mark = match["mark"]
    referenced = bool(_REFERENCE.search(text, after, end))
    back = text[max(first, begin - _LOOK_BACK) : begin]
    cited = bool(_REFERENCE_BEFORE.search(back))
    if next_at == end:
        return end if _ends_glued(text, back, mark, end, stop, marked=referenced or cited) else 0
    if cited:
        return end
    if follows.islower() and not style.lower:
        broken = referenced or (mark == "." and "\n" in text[end:next_at])
        closed = end > after and not referenced
        new = (broken and not is_abbreviation(back)) or (
            not closed and _starts_anew(text, back, mark, word_at)
        )
        return end if new else 0
    if mark != ".":
        # ` ... ` and ` … ` between spaces is a pause; everything else ends.
        pause = mark[0] in ".…" and (not back or back[-1].isspace()) and len(mark) < 4
        return 0 if pause else end
    there = read_stop_context(text, back, end, next_at, word_at, referenced=referenced)
    return end if ends_sentence(text, there, stop, first, ordinals=style.ordinals) else 0


def _starts_anew(text: str, back: str, mark: str, word_at: int) -> bool:
    """Whether a word in lower case starts a sentence all the same: `Is it? yes`, `… fee. it is`."""
    token = last_word(back)
    plain = token.isalpha() and len(token) > 2 and has_vowel(token) and not is_abbreviation(back)
    if mark[-1] == "?":
        return token.isalnum()
    word = WORD.match(text, word_at)
    return plain and mark in {".", "!"} and word is not None and word[0] in words.SUBJECTS


def _after_spaced(text: str, begin: int, after: int, end: int, follows: str) -> int:
    """`. . . .`: the first dot may be the full stop of the sentence before."""
    if follows.islower():
        return 0
    dots = text.count(".", begin, after)
    attached = begin > 0 and not text[begin - 1].isspace()
    if attached and dots > 3:
        return begin + 1
    return end if attached or dots > 3 else 0


def _ends_glued(text: str, back: str, mark: str, end: int, stop: int, *, marked: bool) -> bool:
    """Whether a mark without white space behind it ends a sentence."""
    follows = text[end] if end < stop else ""
    if follows in "¿¡":
        return True
    if marked:
        return follows.isupper()
    token = last_word(back)
    if any(sign in token for sign in "/@=:&%"):
        return False
    right = _GLUED_RIGHT.match(text, end, stop)
    if right is None or not _GLUED_LEFT.search(token) or "." in token.rstrip("."):
        return False
    word = right[0].casefold()
    if mark != ".":
        return word not in words.FILE_ENDINGS
    known = token.casefold() in words.NEVER or token.casefold() in words.BEFORE_NUMBER
    return not known and (word in words.OPENERS or word in TITLES)


def _inline_list(text: str, start: int, stop: int) -> list[int]:
    """Starts of the second and later items of a list written in one line."""
    head = _INLINE.match(text, start, stop)
    if head is None:
        return []
    starts: list[int] = []
    value, style = head[2], head[3]
    for item in _INLINE.finditer(text, head.end(), stop):
        if item[3] != style or item[2] != _next_value(value):
            continue
        lead = WORD_BEFORE.search(text, max(start, item.start() - _LOOK_BACK), item.start())
        word = WORD.search(text, item.end(), stop)
        ordinal = style == "." and (
            (lead and lead[1].casefold() in words.ORDINAL_LEADS | words.BEFORE_NUMBER)
            or (word and word[0].casefold() in words.ORDINAL_NOUNS)
        )
        if not ordinal:
            starts.append(item.start())
            value = item[2]
    return starts if len(starts) > (0 if head[2].isdigit() else 1) else []


def _next_value(value: str) -> str:
    return str(int(value) + 1) if value.isdigit() else chr(ord(value) + 1)
