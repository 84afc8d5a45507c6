"""What of a passage can stand in an answer, each piece with what it is said under.

In      the text of a passage
Out     Quotable: lines copied word for word, and their context
Pure    yes; linear
Spec    008-A1; interfaces.md, "Models" (`extractive`)

A sentence, a list item, a row of a table with the names of its columns, a list with its
introduction. A heading or a question is no answer: it is the context of what follows it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from assay.answers.gate.content_words import content_words
from assay.core.text.lines import Line, fenced_blocks, lines
from assay.core.text.sentences import sentences

_MOST_CHARS: Final = 700
"""Longer pieces are no answer to one question."""

_MOST_ITEMS: Final = 8
_ANSWERED_LINES: Final = 3
"""So many pieces behind a question are said under it."""

_SHORT_ITEM: Final = 4
"""An item of fewer content words is quoted with the list's introduction."""

_TITLE_WORDS: Final = 12
_BULLET = re.compile(r"\s*(?:[-+*•⁃◦▪‣∙·]|\(?(?:\d{1,3}|[a-z]|[ivx]{2,5})[.)])\s*")
_ASKS = re.compile(r"[?？][\s*_\"'”»)]*\Z")
_ENDS = re.compile(r"[.!…。！｡।።։។][\s*_\"'”’»)\]」』]*\Z")
_INTRODUCES = re.compile(r"[:：][\s*_]*\Z")
_LABELLED = re.compile(r"\S[^:：]{0,60}[:：]\s?\S")
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
_CELLS = re.compile(r"\s*\|\s*")
_RULE_CELLS = re.compile(r"[\s|:\-+=]*\Z")
_SEPARATORS: Final = ("\t", ";", ",")
_POINTING = re.compile(
    r"\W*(?:it|its|they|their|this|these|that|those|he|she|his|her|such|both|otherwise"
    r"|es|sie|er|dies|diese[rsmn]?|das|dieselbe|dabei|dafür|darin|dazu|dort|ihr|ihre[rnms]?|sein"
    r"|seine[rnms]?|solche|beide|sonst|andernfalls"
    r"|il|elle|ils|elles|cela|ceci|ce|c'est|cette|ces|leur|sinon"
    r"|ello|ella|ellos|ellas|esto|este|esta|estos|estas|eso|su|sus"
    r"|esso|essa|essi|esse|questo|questa|questi|queste|ciò|suo|sua"
    r"|het|hij|zij|ze|dit|deze|die|daarvoor)(?=[\s,'’])|[これそ][れのち]",
    re.IGNORECASE,
)
"""A sentence that opens so speaks of the one before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotable:
    """A piece of a passage that can stand in an answer."""

    lines: tuple[str, ...]
    """Copied, white space evened; each gets its marker."""

    context: str = ""
    """What it is said under: headings, the question before it, a list's introduction, the sentence
    that it points back to."""

    start: int
    """Where it starts in the passage."""

    lead: str = ""
    """The sentence before it, where it points back: quoted with it."""

    @property
    def text(self) -> str:
        return " ".join(self.lines)


def quotables(text: str) -> list[Quotable]:
    """The pieces of *text* in their order.

    Example:
        >>> [(each.text, each.context) for each in quotables("# Fees\\nIt costs 5 EUR. Pay here!")]
        [('It costs 5 EUR.', 'Fees'), ('Pay here!', 'Fees')]
        >>> [each.text for each in quotables("| Zone | Fee |\\n|--|--|\\n| A | 5 EUR |")]
        ['Zone: A; Fee: 5 EUR.']
    """
    reading = _Reading(text)
    reading.read()
    return [each for each in reading.found if len(each.text) <= _MOST_CHARS]


@dataclass(slots=True)
class _Reading:
    """A passage while it is read."""

    text: str
    found: list[Quotable] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)
    question: str = ""
    answered: int = 0
    intro: str = ""
    items: list[str] = field(default_factory=list)
    intro_at: int = 0
    intro_context: str = ""
    head: tuple[str, ...] = ()
    before: str = ""
    term: str = ""

    def read(self) -> None:
        layout = lines(self.text)
        starts = [line.start for line in layout]
        fenced = {
            place
            for first, last in fenced_blocks(self.text, layout)
            for place in range(first, last + 1)
        }
        rows = _separated(self.text, layout)
        for start, stop in sentences(self.text):
            first = max(0, bisect_right(starts, start) - 1)
            last = max(first, bisect_right(starts, stop - 1) - 1)
            if first in fenced or not layout:
                self._close_list()
                continue
            inside = [place for place in range(first, last + 1) if place in rows]
            if inside:
                self._close_list()
                for place in inside:
                    line = layout[place]
                    if start <= line.start or place == first:
                        self._row(line.start, rows[place], is_head=rows[place] is rows.get(-1))
                continue
            self._piece(layout[first], start, stop, layout, last)
        self._close_list()

    def _piece(self, line: Line, start: int, stop: int, layout: Sequence[Line], last: int) -> None:
        raw = " ".join(self.text[start:stop].split())
        if line.kind == "table" or (line.kind == "heading" and raw.startswith("|")):
            self._close_list()
            self._table_row(start, raw, is_head=line.kind == "heading")
            return
        if line.kind == "rule":
            return
        self.head = ()
        if line.kind == "heading":
            self._heading(raw)
            return
        opens_item = line.kind == "item" and start <= line.start + 1 + _indent(self.text, line)
        if opens_item:
            bullet = _BULLET.match(raw)
            raw = raw[bullet.end() :] if bullet else raw
        elif line.kind == "text" and line.blank_before:
            self._close_list()
        raw = raw.lstrip("> ") if line.kind == "quote" else raw
        if not raw:
            return
        if _ASKS.search(raw):
            self._close_list()
            self.question, self.answered, self.before = raw, 0, ""
            return
        if raw[0] in ":：" and self.term:
            raw, self.term = f"{self.term}: {raw.lstrip(':： ')}", ""
        ends_line = stop >= layout[last].stop - _trailing(self.text, layout[last])
        if line.kind != "item" and _INTRODUCES.search(raw):
            self._close_list()
            self.intro, self.intro_at, self.before = raw, start, ""
            self.intro_context = self._context()
            return
        if line.kind != "item" and self._is_title(raw, line, start, ends_line=ends_line):
            self._close_list()
            self.term = raw
            self._push(7, raw)
            return
        self._add(start, raw, item=line.kind == "item", opens=opens_item)

    def _is_title(self, raw: str, line: Line, start: int, *, ends_line: bool) -> bool:
        """A short line by itself that ends as no sentence does and says nothing of its own."""
        alone = start <= line.start + _indent(self.text, line) and ends_line
        return (
            alone
            and not _ENDS.search(raw)
            and not _LABELLED.match(raw)
            and len(raw.split()) <= _TITLE_WORDS
            and (len(raw) <= 80)
            and not (_UNSPACED.search(raw) and len(raw) > 16)
            and not re.search(r"\d\s?[€$£%]|[€$£]\s?\d|\d", raw)
        )

    def _heading(self, raw: str) -> None:
        self._close_list()
        hashes = len(raw) - len(raw.lstrip("#"))
        bare = raw.strip("#*_= ~-").strip()
        if _ASKS.search(bare):
            self.question, self.answered = bare, 0
        else:
            self.question = ""
        self._push(hashes or 7, bare)
        self.before = self.intro = ""

    def _push(self, level: int, bare: str) -> None:
        self.headings = [each for each in self.headings if each[0] < level]
        if bare:
            self.headings.append((level, bare))
        self.before = ""

    def _context(self, *more: str) -> str:
        parts = [text for _, text in self.headings[-2:]]
        if self.question and self.answered < _ANSWERED_LINES:
            parts.append(self.question)
        parts += [each for each in more if each]
        return " ".join(dict.fromkeys(parts))

    def _add(self, start: int, raw: str, *, item: bool, opens: bool) -> None:
        lead = self.before if self.before and _POINTING.match(raw) else ""
        intro = self.intro if item or self.items else ""
        shown = raw
        if intro and opens and sum(1 for _ in content_words(raw, None)) < _SHORT_ITEM:
            shown = f"{intro} {raw}"
        if item and opens:
            self.items.append(raw)
        elif item and self.items:
            self.items[-1] = f"{self.items[-1]} {raw}"
        if not item and not self.items:
            intro = self.intro
            self.intro = ""
        self.found.append(
            Quotable(lines=(shown,), context=self._context(intro, lead), start=start, lead=lead)
        )
        self.answered += 1
        self.before = "" if item else raw
        self.term = ""

    def _close_list(self) -> None:
        """A list that was introduced can be quoted as a whole."""
        if self.intro and 1 < len(self.items) <= _MOST_ITEMS:
            self.found.append(
                Quotable(
                    lines=(self.intro, *(f"- {item}" for item in self.items)),
                    context=self.intro_context,
                    start=self.intro_at,
                )
            )
        if self.items:
            self.intro = ""
        self.items = []

    def _table_row(self, start: int, raw: str, *, is_head: bool) -> None:
        if _RULE_CELLS.match(raw):
            return
        cells = tuple(cell.strip() for cell in _CELLS.split(raw.strip().strip("|")))
        if is_head or not self.head:
            self.head = cells
            return
        self._row(start, cells, is_head=False)

    def _row(self, start: int, cells: tuple[str, ...], *, is_head: bool) -> None:
        if is_head:
            self.head = cells
            return
        row = row_as_sentence(self.head, cells)
        if row:
            self.found.append(Quotable(lines=(row,), context=self._context(), start=start))


def row_as_sentence(head: Sequence[str], cells: Sequence[str]) -> str:
    """One row of a table with the names of its columns; empty cells are left out.

    Example:
        >>> row_as_sentence(("Zone", "Fee", "Note"), ("A", "5 EUR", ""))
        'Zone: A; Fee: 5 EUR.'
    """
    named = []
    for place, cell in enumerate(cells):
        bare = cell.strip()
        if bare:
            name = head[place].strip().rstrip(":") if place < len(head) else ""
            named.append(f"{name}: {bare}" if name else bare)
    text = "; ".join(named)
    return text if not text or _ENDS.search(text) else f"{text}."


def _indent(text: str, line: Line) -> int:
    raw = text[line.start : line.stop]
    return len(raw) - len(raw.lstrip())


def _trailing(text: str, line: Line) -> int:
    raw = text[line.start : line.stop]
    return len(raw) - len(raw.rstrip())


def _separated(text: str, layout: Sequence[Line]) -> dict[int, tuple[str, ...]]:
    """Lines that are rows of separated values, place -> cells; -1 -> the head.

    Three lines or more, one under the other, with equally many separators, none a sentence.
    """
    for separator in _SEPARATORS:
        least = 2 if separator == "," else 1
        block: list[int] = []
        for place, line in enumerate([*layout, None]):
            raw = "" if line is None else text[line.start : line.stop]
            count = raw.count(separator)
            goes_on = (
                line is not None
                and line.kind == "text"
                and count >= least
                and not _ENDS.search(raw)
                and (not block or count == text[_span(layout[block[0]])].count(separator))
                and (not block or not line.blank_before)
            )
            if goes_on:
                block.append(place)
                continue
            if len(block) > 2 or (len(block) == 2 and separator != ","):
                cells = {
                    at: tuple(
                        cell.strip().strip('"') for cell in text[_span(layout[at])].split(separator)
                    )
                    for at in block
                }
                cells[-1] = cells[block[0]]
                return cells
            block = []
    return {}


def _span(line: Line) -> slice:
    return slice(line.start, line.stop)


def with_lead(piece: Quotable) -> tuple[str, ...]:
    """The lines of a piece, after the sentence that it points back to."""
    return (piece.lead, *piece.lines) if piece.lead else piece.lines
