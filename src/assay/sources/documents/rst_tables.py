"""The three ways to draw a table in reStructuredText.

In      the lines of one table
Out     Table: its cells; or None where the lines are none
Pure    no clock, no randomness, no I/O
Spec    008-S1
"""

from __future__ import annotations

import re

from assay.sources.documents.tables import Cell, Table

_COLUMN = re.compile(r"=+")
_BAR = re.compile(r"[+|]")
_ITEM = re.compile(r"([ \t]*)\*[ \t]+-(?:[ \t]+(.*))?")
_CELL = re.compile(r"[ \t]*-(?:[ \t]+(.*))?")


def read_grid(lines: list[str], header: int | None = None) -> Table | None:
    """A table drawn with `+---+`, `|` and, below its header, `+===+`."""
    indent = len(lines[0]) - len(lines[0].lstrip())
    bodies = [line[indent:].rstrip() for line in lines]
    edges = [match.start() for match in _BAR.finditer(bodies[0])]
    rows: list[list[Cell]] = []
    open_cells: dict[int, list[str]] = {}
    spans: dict[int, int] = {}
    heights: dict[int, int] = {}
    starts: dict[int, tuple[int, int]] = {}
    header = 0
    found: list[list[list[object]]] = []
    current: list[list[object]] = []
    for line in bodies[1:]:
        line = line.ljust(edges[-1] + 1)  # noqa: PLW2901  short lines are padded
        if line[0] == "+" or (line[0] == "|" and re.search(r"\+[-=]+\+", line)):
            for first in list(open_cells):
                last = first + spans[first]
                segment = line[edges[first] + 1 : edges[last]]
                if not segment.strip("-=+"):
                    row, place = starts[first]
                    found[row][place][0] = " ".join(open_cells.pop(first))
                    found[row][place][2] = heights[first]
                else:
                    open_cells[first].append(segment.strip())
                    heights[first] += 1
            current = []
            if line[0] == "+" and "=" in line and not header:
                header = len(found)
            continue
        if not current:
            found.append([])
            current = found[-1]
            column = 0
            while column < len(edges) - 1:
                if column in open_cells:
                    column += spans[column]
                    continue
                last = column + 1
                while last < len(edges) - 1 and line[edges[last]] not in "|+":
                    last += 1
                open_cells[column], spans[column], heights[column] = [], last - column, 1
                starts[column] = (len(found) - 1, len(current))
                current.append(["", last - column, 1])
                column = last
            current = current or [[]]
        for first, pieces in open_cells.items():
            pieces.append(line[edges[first] + 1 : edges[first + spans[first]]].strip())
    for cells in found:
        rows.append(
            [
                Cell(text=str(cell[0]), across=int(str(cell[1])), down=int(str(cell[2])))
                for cell in cells
            ]
        )
    return Table(rows=rows, header=header) if rows else None


def read_simple(lines: list[str], header: int | None = None) -> Table | None:
    """A table drawn with `===` above and below, and below its header."""
    spans = [match.span() for match in _COLUMN.finditer(lines[0])]
    rows: list[list[str]] = []
    header = 0
    fresh = True
    for line in lines[1:]:
        if not line.strip(" \t=-"):
            if "=" in line and not header and rows:
                header = len(rows)
            fresh = True
            continue
        cells = [
            line[start : (spans[place + 1][0] if place + 1 < len(spans) else len(line))].strip()
            for place, (start, _) in enumerate(spans)
        ]
        if fresh or cells[0]:
            rows.append([cell.replace("\\", "") if cell == "\\" else cell for cell in cells])
        else:
            rows[-1] = [f"{old} {new}".strip() for old, new in zip(rows[-1], cells, strict=True)]
        fresh = False
    if header == len(rows):
        header = 0
    table = [[Cell(text=cell) for cell in row] for row in rows]
    return Table(rows=table, header=header) if rows else None


def read_list_table(lines: list[str], header: int | None = None) -> Table | None:
    """The list of lists below a `list-table`."""
    rows: list[list[str]] = []
    for line in lines:
        item, cell = _ITEM.fullmatch(line), _CELL.fullmatch(line)
        if item:
            rows.append([item[2] or ""])
        elif cell and rows:
            rows[-1].append(cell[1] or "")
        elif rows and line.strip():
            rows[-1][-1] += f" {line.strip()}"
    return Table(rows=[[Cell(text=text) for text in row] for row in rows], header=header or 0)
