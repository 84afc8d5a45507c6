"""reStructuredText: the file's own text, its tables spelled out row by row.

In      the text of an RST file
Out     Laid: the text, its headings, title and the fields at its start
Pure    no clock, no randomness, no I/O: equal text gives equal text
Spec    008-S1, 008-S3

docutils would read all of it, but is large, runs directives that include files, and gives a tree
that no longer says where a word stood in the file. What passages need is where sections begin
and what the tables say; a file without tables comes out as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from assay.sources.documents.delimited import read_delimited
from assay.sources.documents.outline import Heading, Laid, bound_metadata, bound_title
from assay.sources.documents.rst_tables import read_grid, read_list_table, read_simple
from assay.sources.documents.tables import Table, row_sentences
from assay.sources.reading import Note

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1+[ \t]*")
_GRID = re.compile(r"[ \t]*\+(?:-+\+)+[ \t]*")
_SIMPLE = re.compile(r"[ \t]*=+(?:[ \t]+=+)+[ \t]*")
_DIRECTIVE = re.compile(r"([ \t]*)\.\. (csv-table|list-table|table)::[ \t]*(.*)")
_OPTION = re.compile(r"[ \t]+:([\w-]+):[ \t]*(.*)")
_FIELD = re.compile(r":([A-Za-z][\w .-]{0,39}):[ \t]+(\S.*)")
_LITERAL = re.compile(
    r"[ \t]*\.\. (?:code|code-block|sourcecode|parsed-literal|literalinclude)::.*"
)
_HEAD_LINES = 40

_TableReader = Callable[[list[str], int | None], Table | None]


class _Reader:
    """One pass over the lines of a file."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.pieces: list[str] = []
        self.headings: list[Heading] = []
        self.notes: list[Note] = []
        self._styles: list[str] = []
        self._size = 0
        self._at = 0
        self._literal = -1

    def read(self) -> None:
        while self._at < len(self.lines):
            line = self.lines[self._at]
            before = self.lines[self._at - 1] if self._at else ""
            opens = before.rstrip().endswith("::") or _LITERAL.fullmatch(line)
            if opens and self._literal != self._at:
                self._copy_literal(line, before)
            elif _GRID.fullmatch(line):
                self._replace(self._block_end(self._at), read_grid, None)
            elif _SIMPLE.fullmatch(line):
                self._replace(self._simple_end(), read_simple, None)
            elif match := _DIRECTIVE.fullmatch(line):
                self._directive(match)
            elif not self._heading():
                self._append(line)
                self._at += 1

    def _append(self, line: str) -> None:
        self.pieces.append(line)
        self._size += len(line) + 1

    def _copy_literal(self, line: str, before: str) -> None:
        """A literal block stays as it is, whatever it looks like."""
        self._literal = self._at
        if _LITERAL.fullmatch(line):
            before = line
            self._append(line)
            self._at += 1
        while self._at < len(self.lines):
            line = self.lines[self._at]
            if line.strip() and _indent(line) <= _indent(before):
                break
            self._append(line)
            self._at += 1

    def _heading(self) -> bool:
        """Copy a heading with its lines, if one stands here."""
        lines, at = self.lines, self._at
        over = _ADORNMENT.fullmatch(lines[at]) is not None and at + 2 < len(lines)
        if over and lines[at + 1].strip() and lines[at + 2].rstrip() == lines[at].rstrip():
            title, style, count = lines[at + 1], lines[at][0] * 2, 3
        elif at + 1 < len(lines) and lines[at].strip() and not lines[at][0].isspace():
            title, style, count = lines[at], lines[at + 1][:1], 2
            under = _ADORNMENT.fullmatch(lines[at + 1])
            if not under or len(lines[at + 1].rstrip()) < min(4, len(title.rstrip())):
                return False
            if (at and lines[at - 1].strip()) or _ADORNMENT.fullmatch(title):
                return False
        else:
            return False
        found = bound_title(title)
        if not found or len(title) > 200:
            return False
        if style not in self._styles:
            self._styles.append(style)
        level = self._styles.index(style) + 1
        self.headings.append(Heading(start=self._size, level=level, title=found))
        for line in lines[at : at + count]:
            self._append(line)
        self._at += count
        return True

    def _block_end(self, at: int) -> int:
        while at < len(self.lines) and self.lines[at].strip():
            at += 1
        return at

    def _simple_end(self) -> int:
        """Behind the last border: the second, or the third where there is a header."""
        at, borders = self._at + 1, 1
        while at < len(self.lines):
            if _SIMPLE.fullmatch(self.lines[at]):
                borders += 1
                following = self.lines[at + 1] if at + 1 < len(self.lines) else ""
                if borders == 3 or not following.strip():
                    return at + 1
            at += 1
        return self._at + 1

    def _directive(self, match: re.Match[str]) -> None:
        """A table that a directive holds; its other lines are copied."""
        start, kind, indent = self._at, match[2], len(match[1])
        stop = start + 1
        while stop < len(self.lines) and (
            not self.lines[stop].strip() or _indent(self.lines[stop]) > indent
        ):
            stop += 1
        options: dict[str, str] = {}
        at = start + 1
        while at < stop and (option := _OPTION.fullmatch(self.lines[at])):
            options[option[1]] = option[2].strip()
            at += 1
        if match[3].strip():
            self._append(match[3].strip())
            self._append("")
        self._at = at
        if kind == "table" or "file" in options or "url" in options:
            return
        if kind == "list-table":
            count = options.get("header-rows", "0")
            header = int(count) if count.isascii() and count.isdigit() and len(count) < 4 else 0
            self._replace(stop, read_list_table, header)
            return
        body = [line.strip() for line in self.lines[at:stop] if line.strip()]
        named = [options["header"]] if "header" in options else []
        self._write(read_delimited("\n".join([*named, *body]).strip("\n")).text.split("\n"))
        self._at = stop

    def _replace(self, stop: int, reader: _TableReader, header: int | None) -> None:
        """Write the table between here and *stop* as its rows; as it stands, if it is none."""
        lines = self.lines[self._at : stop]
        table = reader(lines, header) if lines else None
        found = row_sentences(table) if table is not None else None
        if found is None or not found.rows:
            for line in lines:
                self._append(line)
            self._at = stop
            return
        if found.cut:
            self.notes.append(Note(code="table.cut", detail=found.cut))
        self._write([line for row in found.rows for line in (row, "")][:-1])
        self._at = stop

    def _write(self, rows: list[str]) -> None:
        if self.pieces and self.pieces[-1].strip():
            self._append("")
        for row in rows:
            self._append(row)
        self._append("")


def read_rst(text: str) -> Laid:
    """Read *text*.

    Example:
        >>> read_rst("====  =====\\nZone  Price\\n====  =====\\nA     5 EUR\\n====  =====\\n").text
        'Zone: A; Price: 5 EUR.\\n\\n'
    """
    reader = _Reader(text.split("\n"))
    reader.read()
    said = [
        (match[1], match[2])
        for line in reader.lines[:_HEAD_LINES]
        if (match := _FIELD.fullmatch(line.rstrip()))
    ]
    return Laid(
        text="\n".join(reader.pieces),
        headings=tuple(reader.headings),
        title=next((each.title for each in reader.headings), None),
        metadata=bound_metadata(said),
        notes=tuple(reader.notes[:20]),
    )


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
