"""Tables as sentences: each row stands on its own, with the names of its columns.

In      rows of cells, with what the format says of headers and merged cells
Out     RowsText: one paragraph a row, as `Zone: A; Price: 12 EUR.`; what had no room
Pure    no clock, no randomness, no I/O: equal tables give equal text
Spec    008-S1; docs/decisions/0042

A passage or a sentence quoted out of a table is read without the lines above it. So a row names
its columns, a merged cell is told in each row that it covers, and a row ends as a sentence does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assay.sources.reading import MAX_TEXT_CHARS

MAX_COLUMNS = 200
"""Most columns of a row; what stands to the right of them is left out, with a note."""

MAX_GRID_CELLS = 1_000_000
"""Most cells of one table once its merged cells are spread out."""

MAX_NAME_CHARS = 80
"""Longest name of a column in a row."""

ROW_CHARS = 1_000
"""A row longer than this becomes several sentences, each beginning with its first cell."""

_SPACE = re.compile(r"\s+")
_ENDS = re.compile(r"[.!?…。！？｡؟।][\"'”’»)\]」』]*\Z")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef]\\Z")
_VALUE = re.compile(r"[^\w]*\d[\d.,'’ :/\-–%]*[^\w\d]*(?:[A-Za-z]{1,3}|[%€$£¥])?\.?\Z")
"""A number, a date, an amount: what a body holds and a header seldom does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell as its format wrote it."""

    text: str
    across: int = 1
    """Columns that it covers."""

    down: int = 1
    """Rows that it covers."""

    head: bool = False
    """The format says that it names a column or a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table as its format wrote it."""

    rows: Sequence[Sequence[Cell]]
    header: int | None = None
    """How many rows name the columns; None where the format does not say."""

    named: bool = False
    """The first row names the columns unless it cannot, as is the custom of CSV."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsText:
    """A table as text."""

    rows: tuple[str, ...]
    """A sentence or more for each row; neither line breaks nor white space at the ends."""

    cut: str
    """What had no room, for people; empty when all had."""


@dataclass(slots=True)
class _Grid:
    """A table with its merged cells spread out."""

    rows: list[list[tuple[str, int]]] = field(default_factory=list)
    """For each place its text and the number of the cell that it came from."""

    heads: list[bool] = field(default_factory=list)
    """Whether each row is made of header cells alone."""

    first_is_head: bool = True
    """The first cell of every row is a header cell."""

    cut: str = ""


def row_sentences(table: Table) -> RowsText:
    """The rows of *table* as sentences.

    Example:
        >>> zone = [Cell(text="Zone"), Cell(text="Price")], [Cell(text="A"), Cell(text="12 EUR")]
        >>> row_sentences(Table(rows=zone, header=1)).rows
        ('Zone: A; Price: 12 EUR.',)

    Spec: 008-S1.
    """
    grid = _spread(table.rows)
    count = _header_rows(grid, table)
    width = max((len(row) for row in grid.rows), default=0)
    names = [_name(grid.rows[:count], column) for column in range(width)]
    pairs = (
        not count
        and width == 2
        and not any(len({number for _, number in row}) < 2 for row in grid.rows)
    )
    sentences: list[str] = []
    size, section, cut = 0, "", grid.cut
    total = len(grid.rows) - count
    for done, row in enumerate(grid.rows[count:]):
        if size > MAX_TEXT_CHARS:
            cut = f"a table ends after {done} of {total} rows"
            break
        single = _single(row, width)
        if single:
            section = single if len(single) <= MAX_NAME_CHARS else ""
            sentences.append(end_sentence(single))
        elif pairs and row[0][0] and len(row) > 1 and row[1][0]:
            sentences.append(end_sentence(f"{_bare_name(row[0][0])}: {row[1][0]}"))
        else:
            sentences.extend(_row(row, names, section))
        size += len(sentences[-1]) + 2 if sentences else 0
    if count and not sentences:  # a header with nothing below it is all that the table says
        sentences = [end_sentence("; ".join(name for name in names if name))]
    return RowsText(rows=tuple(each for each in sentences if each), cut=cut)


def end_sentence(text: str) -> str:
    """*text* with a full stop, unless it has one or is empty."""
    if not text or _ENDS.search(text):
        return text
    return text.rstrip(";:, ") + ("。" if _CJK.search(text) else ".")


def squeeze(text: str) -> str:
    """*text* in one line."""
    return _SPACE.sub(" ", text).strip()


def _spread(rows: Sequence[Sequence[Cell]]) -> _Grid:
    """Every place of the table with the text of the cell that covers it."""
    grid = _Grid()
    hanging: dict[int, tuple[str, int, int]] = {}
    cells = number = 0
    for at, row in enumerate(rows):
        if cells > MAX_GRID_CELLS:
            grid.cut = f"a table ends after {at} of {len(rows)} rows"
            break
        placed: list[tuple[str, int]] = []
        todo = iter(row)
        cell = next(todo, None)
        heads = [each.head for each in row]
        below: dict[int, tuple[str, int, int]] = {}
        reach = max(hanging, default=-1)
        while cell is not None or len(placed) <= reach:
            column = len(placed)
            if column >= MAX_COLUMNS:
                grid.cut = grid.cut or f"columns beyond the first {MAX_COLUMNS} of a table"
                break
            if column in hanging:
                text, origin, left = hanging[column]
                placed.append((text, origin))
                if left > 1:
                    below[column] = (text, origin, left - 1)
                continue
            if cell is None:
                placed.append(("", -1))
                continue
            number += 1
            text = squeeze(cell.text)
            for place in range(column, min(column + max(1, cell.across), MAX_COLUMNS)):
                if place in hanging and place > column:
                    break
                placed.append((text, number))
                if cell.down > 1:
                    below[place] = (text, number, cell.down - 1)
            cell = next(todo, None)
        hanging = below
        cells += len(placed) + 1
        if any(text for text, _ in placed):
            grid.rows.append(placed)
            grid.heads.append(bool(heads) and all(heads))
            grid.first_is_head = grid.first_is_head and heads[:1] == [True]
    return grid


def _header_rows(grid: _Grid, table: Table) -> int:
    """How many of the first rows name the columns."""
    if table.header is not None:
        return min(table.header, len(grid.rows))
    marked = 0
    while marked < len(grid.rows) - 1 and grid.heads[marked]:
        marked += 1
    if marked:
        return marked
    if len(grid.rows) < 2 or grid.first_is_head:
        return 0
    first = [text for text, _ in grid.rows[0]]
    body = [[text for text, _ in row] for row in grid.rows[1:50]]
    width = max(len(row) for row in grid.rows)
    filled = [text for text in first if text]
    whole = len(filled) >= max(len(first), width - 1) - 1 and all(first[1:]) and len(first) > 1
    plain = all(len(text) <= MAX_NAME_CHARS and not _VALUE.match(text) for text in filled)
    if not whole or not plain or len({text.casefold() for text in filled}) < len(filled):
        return 0
    if table.named or width > 2:
        return 1
    return int(any(_VALUE.match(row[1]) for row in body if len(row) > 1))


def _name(rows: Sequence[Sequence[tuple[str, int]]], column: int) -> str:
    """What the header rows call *column*; the names of several rows are told one after another."""
    said: list[str] = []
    for row in rows:
        text = _bare_name(row[column][0]) if column < len(row) else ""
        if text and text not in said:
            said.append(text)
    name = " / ".join(said)
    if len(name) <= MAX_NAME_CHARS:
        return name
    return name[: MAX_NAME_CHARS - 1].rsplit(" ", 1)[0].rstrip() + "…"


def _bare_name(text: str) -> str:
    return text.rstrip(":： ") or text


def _single(row: Sequence[tuple[str, int]], width: int) -> str:
    """The text of a row that is one cell over the whole width of its table."""
    origins = {number for text, number in row if text}
    whole = len(row) == width and width > 1
    return row[0][0] if whole and len({number for _, number in row}) == len(origins) == 1 else ""


def _row(row: Sequence[tuple[str, int]], names: Sequence[str], section: str) -> Iterator[str]:
    """The sentences of one row."""
    parts = [section] if section else []
    column = 0
    while column < len(row):
        text, origin = row[column]
        last = column
        while last + 1 < len(row) and row[last + 1][1] == origin and origin >= 0:
            last += 1
        if text:
            called = list(dict.fromkeys(name for name in names[column : last + 1] if name))
            name = ", ".join(called)[: 2 * MAX_NAME_CHARS]
            parts.append(f"{name}: {text}" if name and name != text else text)
        column = last + 1
    for first, last in _portions(parts):
        label = parts[:1] if first and len(parts[0]) <= 2 * MAX_NAME_CHARS else []
        told = [*label, *parts[first:last]]
        yield end_sentence(
            "; ".join(_inner(each) for each in told[:-1]) + "; " + told[-1]
            if len(told) > 1
            else told[0]
        )


def _portions(parts: Sequence[str]) -> Iterator[tuple[int, int]]:
    first = size = 0
    for at, part in enumerate(parts):
        if at > max(first, 1) and size + len(part) > ROW_CHARS:
            yield first, at
            first, size = at, len(parts[0])
        size += len(part) + 2
    if parts:
        yield first, len(parts)


def _inner(part: str) -> str:
    """*part* before a semicolon: without the full stop of a whole sentence."""
    if part.endswith("。") or (
        part.endswith(".") and part.count(" ") > 3 and part[-3:-1].isalpha()
    ):
        return part[:-1]
    return part
