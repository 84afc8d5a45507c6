"""The text of a Word document (DOCX).

In      the bytes of a DOCX file
Out     Laid: its paragraphs, tables row by row, headings, hidden text left out; or Unreadable
Pure    no clock, no randomness, no I/O: equal bytes give equal text
Spec    000, sources of evidence (attachments); 004 R2.0 (documents); 008-S1
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml import etree

from assay.sources.documents.office import Package, TooLargeError, attribute, is_on, open_package
from assay.sources.documents.outline import Blocks, Laid
from assay.sources.documents.tables import Cell, Table, squeeze
from assay.sources.reading import Unreadable, hidden_note

MAX_NESTING = 50
"""Deepest nesting of tables and text boxes."""

_PARTS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")
_SKIPPED = frozenset({"Fallback", "del", "moveFrom", "instrText", "delText"})
"""Twice-told text boxes, deleted or moved text, field codes."""

_PICTURES = frozenset({"blip", "imagedata", "chart", "relIds"})
"""Pictures, charts, diagrams: what stands in them is in parts that are not read."""
_LEVEL = re.compile(r"heading ([1-9])", re.IGNORECASE)


def read_docx(data: bytes) -> Laid | Unreadable:
    """The text of *data*; never raises. Hidden text is noted as `text.hidden`."""
    try:
        package = open_package(data, "Word")
        if isinstance(package, Unreadable):
            return package
        if _PARTS[0] not in package.names:
            return Unreadable(reason="is no Word document")
        reader = _Reader(_heading_levels(package))
        for name in _PARTS:
            reader.feed(package, name)
        title, metadata = package.properties()
    except TooLargeError:
        return Unreadable(reason="unpacks to more than is allowed")
    except Exception as fault:  # damaged archives and XML raise half a dozen unrelated types
        return Unreadable(reason=f"is a damaged Word document ({type(fault).__name__})")
    blocks = reader.blocks
    if not blocks.size:
        return Unreadable(reason="is a Word document without text")
    for note in hidden_note(reader.hidden, ""):
        blocks.note(note.code, note.detail)
    if reader.pictures:
        blocks.note("picture.unread", f"pictures and charts that were not read: {reader.pictures}")
    return blocks.finish(title=title or reader.title, metadata=metadata)


def _heading_levels(package: Package) -> dict[str, int]:
    """By the id of a style the level of the headings that it makes; 0 for the title's."""
    own: dict[str, int] = {}
    based: dict[str, str] = {}
    style = ""
    for event, tag, node in package.elements("word/styles.xml"):
        if event == "start" and tag == "style":
            style = attribute(node, "styleId") or ""
        elif event != "end":
            continue
        elif tag == "name":
            value = attribute(node, "val") or ""
            match = _LEVEL.fullmatch(value.strip())
            if match:
                own[style] = int(match[1])
            elif value.strip().lower() == "title":
                own[style] = 0
        elif tag == "basedOn":
            based[style] = attribute(node, "val") or ""
        elif tag == "outlineLvl" and style not in own:
            own[style] = _count(node, 9) + 1
    for name in based:
        above, steps = name, 0
        while above in based and above not in own and steps < 20:
            above, steps = based[above], steps + 1
        if own.get(above):
            own.setdefault(name, own[above])
    return {name: level for name, level in own.items() if level < 10}


def _count(node: etree._Element, otherwise: int = 1) -> int:
    value = attribute(node, "val") or ""
    return int(value) if value.isdigit() and value.isascii() and len(value) < 5 else otherwise


@dataclass(slots=True)
class _Paragraph:
    pieces: list[str] = field(default_factory=list)
    style: str = ""
    level: int | None = None


@dataclass(slots=True)
class _Cell:
    pieces: list[str] = field(default_factory=list)
    across: int = 1
    down: int = 1
    continues: bool = False
    column: int = 0


@dataclass(slots=True)
class _Table:
    rows: list[list[_Cell]] = field(default_factory=list)
    header: int = 0
    above: dict[int, _Cell] = field(default_factory=dict)
    column: int = 0
    cell: _Cell | None = None


class _Reader:
    """Collects the text of the parts one after the other."""

    def __init__(self, levels: dict[str, int]) -> None:
        self.blocks = Blocks()
        self.hidden = 0
        self.pictures = 0
        self.title: str | None = None
        self._levels = levels
        self._skipping = 0
        self._vanished = False
        self._paragraphs: list[_Paragraph] = []
        self._tables: list[_Table] = []

    def feed(self, package: Package, name: str) -> None:
        for event, tag, node in package.elements(name):
            if event == "start":
                self._start(tag, node)
                continue
            if tag in _SKIPPED:
                self._skipping -= 1
            elif not self._skipping:
                self._end(tag, node)
            if tag in ("p", "tbl") and self.blocks.full and not self._tables:
                return

    def _start(self, tag: str, node: etree._Element) -> None:
        if tag in _SKIPPED:
            self._skipping += 1
        elif tag == "r":
            self._vanished = False
        elif tag == "vanish":
            self._vanished = is_on(attribute(node, "val"))
        elif self._skipping:
            return
        elif tag == "p":
            self._paragraphs.append(_Paragraph())
        elif tag == "tbl":
            self._tables.append(_Table())
            if len(self._tables) > MAX_NESTING:
                raise ValueError("nested deeper than is allowed")
        elif tag == "tr" and self._tables:
            self._tables[-1].rows.append([])
            self._tables[-1].column = 0
        elif tag == "tc" and self._tables and self._tables[-1].rows:
            self._tables[-1].cell = _Cell(column=self._tables[-1].column)
        elif tag in _PICTURES:
            self.pictures += 1

    def _end(self, tag: str, node: etree._Element) -> None:
        if tag == "t":
            if self._vanished:
                self.hidden += len(node.text or "")
            else:
                self._add(node.text or "")
        elif tag == "tab" and _parent_name(node) == "r":
            self._add("\t")
        elif tag in ("br", "cr"):
            self._add("\n")
        elif tag == "p" and self._paragraphs:
            self._end_paragraph(self._paragraphs.pop())
        elif tag in ("pStyle", "outlineLvl") and self._paragraphs:
            if tag == "pStyle":
                self._paragraphs[-1].style = attribute(node, "val") or ""
            else:
                self._paragraphs[-1].level = _count(node, 9) + 1
        elif self._tables:
            self._end_in_table(tag, node, self._tables[-1])

    def _add(self, text: str) -> None:
        if self._paragraphs:
            self._paragraphs[-1].pieces.append(text)

    def _end_paragraph(self, paragraph: _Paragraph) -> None:
        text = "".join(paragraph.pieces)
        if self._tables and self._tables[-1].cell is not None:
            self._tables[-1].cell.pieces.append(text)
            return
        level = self._levels.get(paragraph.style) if paragraph.level is None else paragraph.level
        if level == 0 and self.title is None:
            self.title = squeeze(text)[:200] or None
        self.blocks.add(text, level=level if level and level < 10 else 0)

    def _end_in_table(self, tag: str, node: etree._Element, table: _Table) -> None:
        cell = table.cell
        if tag == "gridSpan" and cell is not None:
            cell.across = _count(node)
        elif tag == "vMerge" and cell is not None:
            cell.continues = (attribute(node, "val") or "continue") == "continue"
        elif tag == "tblHeader" and is_on(attribute(node, "val")):
            table.header = len(table.rows) if table.header == len(table.rows) - 1 else table.header
        elif tag == "tc" and cell is not None:
            start = table.above.get(cell.column)
            if cell.continues and start is not None:
                start.down += 1
            else:
                table.rows[-1].append(cell)
                table.above[cell.column] = cell
            table.column = cell.column + max(1, cell.across)
            table.cell = None
        elif tag == "tbl":
            self._tables.pop()
            self._end_table(table)

    def _end_table(self, table: _Table) -> None:
        outer = self._tables[-1].cell if self._tables else None
        rows = [
            [Cell(text=" ".join(cell.pieces), across=cell.across, down=cell.down) for cell in row]
            for row in table.rows
        ]
        if outer is not None:
            outer.pieces.extend("; ".join(cell.text for cell in row if cell.text) for row in rows)
        elif len(rows) == 1 or all(len(row) < 2 for row in rows):
            # A frame around text, not a table.
            for row in table.rows:
                for cell in row:
                    for piece in cell.pieces:
                        self.blocks.add(piece)
        else:
            self.blocks.add_table(Table(rows=rows, header=table.header or None))


def _parent_name(node: etree._Element) -> str:
    """The local name of the element around *node*."""
    parent = node.getparent()
    return parent.tag.rpartition("}")[2] if parent is not None else ""
