"""Which lines of a text belong together.

In      text with line breaks of any kind
Out     runs of lines: spans within which a line break is nothing but white space
Pure    yes; linear in the text
Spec    interfaces.md, "Answers" (lists and headings)

A blank line, a list item, a heading, a table row and a rule each start a run. Between two
plain lines the break stays a break unless the text was wrapped there: the next line goes on
in lower case, the line ends in a comma or a dash, or the lines are about as long as each
other and the next word opens no sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from assay.core.text import abbreviations as words

BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""Characters that end a line."""

CLOSING_QUOTES = "”’»›“‘«‹」』》〉】〕）］｝〗〙〛｣＂＇〞〟❞❜"
"""Marks that close a quotation or an aside, where they stand right behind a full stop; two of them
open one elsewhere."""

ALWAYS_ENDS = (
    "。！？｡︒؟۔؝؞।॥։።፧፨။។៕"
    "\u0700\u0701\u0702\u07f9\u0837\u0839\u0f0d\u0f0e\u1803\u1809\u1944\u1945"
    "\u1b5a\u1b5b\u1b5e\u1b5f\u1c3b\u1c3c\u1c7e\u1c7f\u2047\u2e2e\u2e3c\ua4ff\ua60e\ua60f"
    "\ua6f3\ua6f7\ua8ce\ua8cf\ua9c8\ua9c9\uaa5d-\uaa5f\uabeb\U00011141-\U00011143"
)
"""Full stops that are nothing else: of Chinese, Japanese, Arabic, Urdu, Hindi, Armenian, Ethiopic,
Burmese, Khmer, Syriac, Tibetan, Mongolian and other scripts."""

_LINE = re.compile(f"[^{BREAKS}]+")
_BLANK = re.compile(f"\r\n|[{BREAKS}]")
_ITEM = re.compile(
    r"[-+*•◦▪‣∙·]\s|[•⁃▪‣]|\(?(?:\d{1,3}|[a-z]|[ivx]{2,5})\)\s|(?:\d{1,3}|[a-z])(?:\[C\d{1,4}\])*\.\s"
)
_HEADING = re.compile(r"#{1,6}(?:\s|\Z)|([-=~#])\1{1,40}\s.{1,200}\s\1{2}")
_BOLD = re.compile(r"(\*\*|__)(?!\s)[^*_]+(?<!\s)\1:?\Z")
# A long run of underscores is a blank to be filled in, not a rule.
_RULE = re.compile(r"(?:[-*=~] ?){3,}\Z|(?:_ ?){3,19}\Z|\|?(?: ?:?-{2,}:? ?\|)+(?: ?:?-{2,}:?)?\Z")
_OPENING = re.compile(r"[ \t]*(`{3,}(?=[^`]*\Z)|~{3,})(.*)\Z", re.DOTALL)
_FENCE = re.compile(r"```|~~~")
_END = re.compile(
    rf"[.!?…‽{ALWAYS_ENDS}][\"'{CLOSING_QUOTES})\]}}*_`´]*(?:\s*\[[^\[\]]{{1,12}}\])*\s*\Z"
)
_FIRST_WORD = re.compile(r"[^\w]*([^\W_][\w'’]*)")
_LAST_WORD = re.compile(r"([^\W\d_][\w'’]*)\W*\Z")
_WRAPPED_FROM = 60
"""Lines shorter than this were hardly wrapped."""

_WRAPPED_SHARE = 0.75
"""Nor were lines of less than this share of the longest."""

_LOOK = 160
"""How far into a line its first and last words are looked for."""


class Line(NamedTuple):
    """One line that holds more than white space."""

    start: int
    stop: int
    kind: str
    """`text`, `item`, `heading`, `rule`, `table` or `quote`."""

    blank_before: bool


def lines(text: str) -> list[Line]:
    """The lines of *text* with what each is.

    Example:
        >>> [line.kind for line in lines("# Fees\\n\\nThese:\\n- one\\n---")]
        ['heading', 'text', 'item', 'rule']
    """
    found: list[Line] = []
    last = 0
    for match in _LINE.finditer(text):
        if match[0].isspace():
            continue
        gap = text[last : match.start()]
        blank = not found or len(_BLANK.findall(gap)) > 1
        last = match.end()
        found.append(Line(match.start(), match.end(), _kind(match[0].strip()), blank))
    return _setext(text, found)


def _kind(line: str) -> str:
    """What a line is; *line* without white space at its ends."""
    if _RULE.match(line) or _FENCE.match(line):
        return "rule"
    if _HEADING.match(line) or _BOLD.match(line):
        return "heading"
    if _ITEM.match(line):
        return "item"
    first = line[0]
    return "table" if first == "|" else "quote" if first == ">" else "text"


def _setext(text: str, found: list[Line]) -> list[Line]:
    """A line underlined by `===` is a heading; a table's first row above its rule is one too."""
    for at in range(1, len(found)):
        line, above = found[at], found[at - 1]
        if line.kind != "rule" or line.blank_before:
            continue
        sign = text[line.start : line.stop].strip()[0]
        if (above.kind == "text" and sign == "=") or (above.kind == "table" and sign == "|"):
            found[at - 1] = above._replace(kind="heading")
    return found


def fenced_blocks(text: str, found: Sequence[Line]) -> list[tuple[int, int]]:
    """Fenced blocks among the lines *found*: the places of the lines that open and close each.

    A fence that nothing closes opens no block.
    """
    fences = [_OPENING.match(text, line.start, line.stop) for line in found]
    closable = _longest_closings(fences)
    blocks: list[tuple[int, int]] = []
    at = 0
    while at < len(found):
        fence = fences[at]
        if fence is not None and closable[at][fence[1][0]] >= len(fence[1]):
            first = at
            at += 1
            while not _closes(fences[at], fence[1]):
                at += 1
            blocks.append((first, at))
        at += 1
    return blocks


def _longest_closings(fences: Sequence[re.Match[str] | None]) -> list[dict[str, int]]:
    """For each line, how long the longest closing fence of either sign behind it is."""
    longest = {"`": 0, "~": 0}
    behind: list[dict[str, int]] = []
    for fence in reversed(fences):
        behind.append(longest)
        if fence is not None and not fence[2].strip():
            sign = fence[1][0]
            longest = {**longest, sign: max(longest[sign], len(fence[1]))}
    behind.reverse()
    return behind


def _closes(fence: re.Match[str] | None, opening: str) -> bool:
    return (
        fence is not None
        and not fence[2].strip()
        and fence[1][0] == opening[0]
        and len(fence[1]) >= len(opening)
    )


def runs(text: str) -> list[tuple[int, int]]:
    """Spans of lines that read as one, in order."""
    found = lines(text)
    joined: list[tuple[int, int]] = []
    at = 0
    while at < len(found):
        block = at + 1
        while block < len(found) and not found[block].blank_before:
            block += 1
        _block(text, found[at:block], joined)
        at = block
    return joined


def _block(text: str, block: list[Line], joined: list[tuple[int, int]]) -> None:
    """Join the lines between two blank lines."""
    widest = max(line.stop - line.start for line in block)
    ended = any(_END.search(text, max(line.start, line.stop - _LOOK), line.stop) for line in block)
    start = block[0].start
    for line, following in pairwise(block):
        if not _joins(text, line, following, widest, ended):
            joined.append((start, line.stop))
            start = following.start
    joined.append((start, block[-1].stop))


def _joins(text: str, line: Line, following: Line, widest: int, ended: bool) -> bool:
    here = text[max(line.start, line.stop - _LOOK) : line.stop].rstrip()
    there = text[following.start : min(following.stop, following.start + _LOOK)].lstrip()
    if line.kind in {"rule", "heading", "table"} or following.kind in {"rule", "heading", "table"}:
        return False
    if following.kind == "item" and not _ordinal(here, there):
        return False
    if (line.kind == "quote") != (following.kind == "quote"):
        return False
    if _END.search(here):
        # Left to the marks: `Dr.` at the end of a line does not end the sentence.
        return here.endswith(".")
    if here.endswith((":", "：")):
        return False
    word = _FIRST_WORD.match(there)
    if word is None:
        return True
    if word[1][0].islower():
        return ended
    if here.endswith((",", ";", "-", "–", "—", "(", "/")):
        return True
    last = _LAST_WORD.search(here)
    if last and (
        last[1].casefold() in words.GOES_ON
        or (len(last[1]) > 2 and last[1].isupper() and _caps(word[1]))
    ):
        return True
    length = line.stop - line.start
    wrapped = length >= _WRAPPED_FROM and length >= _WRAPPED_SHARE * widest
    plain = there[0].isalnum() or there[0] in "\"'“„«("
    return wrapped and plain and word[1].casefold() not in words.OPENERS


def _caps(word: str) -> bool:
    return len(word) > 2 and word.isupper()


def _ordinal(here: str, there: str) -> bool:
    """`am` at the end of a line and `5. Mai` on the next are no list item."""
    word = re.match(r"\s*\d{1,2}\.\s+([^\W\d_]+)", there)
    return bool(word and word[1].casefold() in words.ORDINAL_NOUNS and not here.endswith(":"))
