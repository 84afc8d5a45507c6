"""Tell the sender's own words in a mail text from what the sender merely carries along.

In      the text of a mail
Out     blocks (own, quoted, forwarded, signature, disclaimer) that tile the text
Pure    no clock, no randomness, no I/O: equal texts give equal blocks
Spec    000, "Retry policy" (the shortened input of attempt 2)

Works line by line. Everything behind a separator, a block of mail fields or an attribution
("On … wrote:") is carried, unless the carried lines are marked with `>`: then only these are, so
that answers written between or below them stay the sender's own. When in doubt a line is own:
showing too much costs tokens, showing too little loses what somebody said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from assay.errors import InputError
from assay.sources.mail import quoting_words as words
from assay.sources.mail.endings import mark_endings

Kind = Literal["own", "quoted", "forwarded", "signature", "disclaimer"]

MAX_LINE_CHARS = 1_000
"""How much of a line the patterns look at."""

_QUOTED = re.compile(r"[ \t\ufeff]{0,4}(?:>|&gt;)")
_ESCAPED_FROM = re.compile(r">From ")
_RULE = re.compile(r"\s*[-_=*—–]{5,}\s*")
_COLON_OR_RULE = re.compile(r"[:：]|^\s*[-_=*—–]")
_HEAD_LINES = 4
"""Most lines of an attribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A run of a text that is all of one kind."""

    kind: Kind
    """Who speaks here: the sender (`own`), an earlier mail (`quoted`, `forwarded`), habit."""

    start: int
    """First code point."""

    stop: int
    """First code point no longer in the block; greater than `start`."""

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.stop:
            raise InputError(f"block: is empty or reversed: {self.start}..{self.stop}")


def blocks(text: str) -> tuple[Block, ...]:
    """Cut *text* into blocks that touch each other and cover it; none for the empty text.

    Blocks end where lines end. Neighbours are of different kinds; empty lines belong to the
    block before them.

    Example:
        >>> [block.kind for block in blocks("Yes.\\n\\nOn 3 May 2026, Ann wrote:\\n> Is it?\\n")]
        ['own', 'quoted']
    """
    if not text:
        return ()
    lines = text.split("\n")
    kinds = _kinds([line[:MAX_LINE_CHARS] for line in lines])
    starts = [0]
    for line in lines[:-1]:
        starts.append(starts[-1] + len(line) + 1)
    edges = [
        number for number in range(len(lines)) if not number or kinds[number] != kinds[number - 1]
    ]
    found = []
    for first, after in pairwise([*edges, len(lines)]):
        stop = starts[after] if after < len(lines) else len(text)
        if stop > starts[first]:
            found.append(Block(kind=kinds[first], start=starts[first], stop=stop))
    return tuple(found)


def _kinds(lines: list[str]) -> list[Kind]:
    """The kind of each line."""
    marks: list[Kind | None] = [None if line.strip() else "own" for line in lines]
    marked = [
        bool(_QUOTED.match(line)) and not _is_escaped(lines, n) for n, line in enumerate(lines)
    ]
    # No head is without a colon or a rule, and most lines of a mail are.
    ruled = [bool(_COLON_OR_RULE.search(line)) for line in lines]
    opening = _next_spoken(lines, 0)
    number = 0
    while number < len(lines):
        if marked[number]:
            stop = _behind_marked(lines, marked, number)
            marks[number:stop] = [_kind_of_marked(lines, number)] * (stop - number)
            number = stop
            continue
        spoken = lines[number].strip() and any(ruled[number : number + _HEAD_LINES])
        head = _head(lines, number) if spoken else None
        if head is None:
            number += 1
            continue
        follows = _next_spoken(lines, head.behind)
        stop = len(lines)
        if follows < len(lines) and marked[follows]:
            stop = _behind_marked(lines, marked, follows)
        elif not head.final:
            number += 1
            continue
        forwards = number <= opening if head.forwards is None else head.forwards
        kind: Kind = "forwarded" if forwards else "quoted"
        marks[number:stop] = [kind] * (stop - number)
        number = stop
    return _settle(lines, marks)


def _settle(lines: list[str], marks: list[Kind | None]) -> list[Kind]:
    """Find endings in each run of own lines, and give empty lines to the block before them."""
    kinds: list[Kind] = [mark or "own" for mark in marks]
    spoken = _next_spoken(lines, 0)
    first = 0
    while first < len(lines):
        after = first
        while after < len(lines) and kinds[after] == "own":
            after += 1
        if after > first:
            kinds[first:after] = mark_endings(lines[first:after], opening=first <= spoken)
            first = after
        else:
            first += 1
    for number in range(1, len(lines)):
        if not lines[number].strip():
            kinds[number] = kinds[number - 1]
    if 0 < spoken < len(lines):
        kinds[:spoken] = [kinds[spoken]] * spoken
    return kinds


@dataclass(frozen=True, slots=True)
class _Head:
    """What stands over a carried mail."""

    behind: int
    """The first line behind it."""

    forwards: bool | None = None
    """Does it say that the mail is forwarded? None: it says nothing, so what comes first in a
    text counts as forwarded and what comes below other words as quoted."""

    final: bool = True
    """All that follows is carried, even if it is not marked with `>`."""


def _head(lines: list[str], number: int) -> _Head | None:
    """What begins a carried mail at line *number*."""
    line = lines[number]
    if words.BEGINS.fullmatch(line):
        return _Head(_behind_fields(lines, number + 1), forwards=True)
    ruled = words.RULED.match(line)
    if ruled and _rule_separates(ruled["phrase"], lines, number, ruled.end()):
        forwards = not words.ORIGINAL.search(ruled["phrase"])
        return _Head(_behind_fields(lines, number + 1), forwards=forwards)
    if _RULE.fullmatch(line):
        follows = _next_spoken(lines, number + 1)
        if follows - number <= 3 and _is_field_block(lines, follows, needed=2):
            return _Head(_behind_fields(lines, follows))
    if _is_field_block(lines, number, needed=3):
        return _Head(_behind_fields(lines, number))
    return _attribution(lines, number)


def _behind_marked(lines: list[str], marked: list[bool], number: int) -> int:
    """The first line behind the lines marked with `>` and the empty ones among them."""
    while number < len(lines) and (marked[number] or not lines[number].strip()):
        number += 1
    return number


def _kind_of_marked(lines: list[str], number: int) -> Kind:
    ruled = words.RULED.match(lines[number].lstrip(" >"))
    forwards = ruled and words.FORWARDED.search(ruled["phrase"])
    return "forwarded" if forwards or words.BEGINS.fullmatch(lines[number]) else "quoted"


def _rule_separates(phrase: str, lines: list[str], number: int, end: int) -> bool:
    """Is the phrase between rules one of a mail program?

    In any language, fields stand behind it on the line or right below.
    """
    if words.ORIGINAL.search(phrase):
        return True
    rest = lines[number][end:]
    if words.LABEL.match(rest) and "@" in rest:
        return True
    needed = 1 if words.FORWARDED.search(phrase) else 2
    return _is_field_block(lines, _next_spoken(lines, number + 1), needed=needed)


def _is_field_block(lines: list[str], number: int, *, needed: int) -> bool:
    """Do fields of a mail stand at line *number*: *needed* of from, to, date and subject?

    A subject or an address must be among them: `From: Vienna / To: Graz / Date: 3 May` may be
    the sender's own.
    """
    roles: set[str] = set()
    address = False
    empty = 0
    for line in lines[number : number + 16]:
        match = words.LABEL.match(line)
        if match is None:
            if not line.strip(" \t>") and roles and empty < 1:
                empty += 1
                continue
            if roles and line[:1] in (" ", "\t") and line.strip():
                continue  # a folded value
            break
        empty = 0
        if not roles and match["to"] and not match["value"].strip():
            return False
        roles.add(next(role for role in ("from", "date", "subject", "to", "other") if match[role]))
        address = address or "@" in match["value"]
    main = roles & {"from", "to", "date", "subject"}
    return (
        len(main) >= needed and bool(main & {"from", "subject"}) and ("subject" in main or address)
    )


def _behind_fields(lines: list[str], number: int) -> int:
    """The first line behind fields, or *number* where none stand."""
    stop = number
    place = number
    while place < len(lines) and place < number + 40:
        line = lines[place]
        if words.LABEL.match(line):
            stop = place + 1
        elif line.strip(" \t>") and not (place == stop and line[:1] in (" ", "\t")):
            break
        elif line.strip(" \t>"):
            stop = place + 1
        place += 1
    return stop


def _attribution(lines: list[str], number: int) -> _Head | None:
    """Lines that name who wrote what follows, if the attribution begins at *number*."""
    for place in range(number, min(number + _HEAD_LINES, len(lines))):
        line = lines[place].strip()
        if not line:
            break
        if not line.endswith((":", "：", ":>", ": >")):
            continue
        joined = " ".join(each.strip() for each in lines[number : place + 1])
        if len(joined) > 500:
            break
        final = bool(words.EXACTLY_WHEN.search(joined))
        said = words.WROTE.search(joined) and words.WHEN.search(joined)
        if said and _may_begin(lines[number], alone=place == number):
            return _Head(place + 1, forwards=False, final=final)
        if words.NAMED.search(joined) and re.search(r"\d", joined) and place == number:
            return _Head(place + 1, forwards=False, final=final)
        break
    return None


def _may_begin(line: str, *, alone: bool) -> bool:
    """Can an attribution begin with *line*? One that fills several lines must look like it."""
    bare = line.strip(" \t>\ufeff")
    if alone:
        return len(bare) <= 300
    return bool(words.STARTS.match(line) or bare[:1].isdigit() or "<" in bare or "@" in bare)


def _is_escaped(lines: list[str], number: int) -> bool:
    """`>From ` is how mailboxes write an own line that begins with `From `."""
    if not _ESCAPED_FROM.match(lines[number]):
        return False
    around = [lines[place] for place in (number - 1, number + 1) if 0 <= place < len(lines)]
    return not any(_QUOTED.match(line) for line in around)


def _next_spoken(lines: list[str], number: int) -> int:
    while number < len(lines) and not lines[number].strip(" \t\ufeff\u200b"):
        number += 1
    return number
