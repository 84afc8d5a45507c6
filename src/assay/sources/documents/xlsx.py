"""The text of an Excel workbook (XLSX): its sheets, row by row.

In      the bytes of an XLSX file
Out     Laid: a heading for each sheet, a sentence for each row; or Unreadable
Pure    no clock, no randomness, no I/O: equal bytes give equal text
Spec    008-S1, 008-S5; ECMA-376 part 1, 18

Values are told as the cells show them; formulas by the value that was stored with them. Hidden
sheets, rows and columns are left out and noted. Rows apart from each other by an empty one are
tables of their own; a line alone above a table is its caption.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lxml import etree

from assay.sources.documents.number_formats import BUILT_IN, format_number
from assay.sources.documents.office import (
    Package,
    TooLargeError,
    attribute,
    is_on,
    open_package,
)
from assay.sources.documents.outline import Blocks, Laid
from assay.sources.documents.tables import MAX_COLUMNS, Cell, Table, squeeze
from assay.sources.reading import MAX_TEXT_CHARS, Unreadable, hidden_note

MAX_SHEETS = 500
MAX_MERGES = 5_000
MAX_COVERED = 100_000
"""Most places of a table that merged cells cover; what else is merged is read as it is stored."""

MAX_STRINGS_CHARS = 20_000_000
"""Most code points of texts that a workbook shares between its cells."""

_REFERENCE = re.compile(r"([A-Za-z]{1,3})([0-9]{1,7})")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


@dataclass(frozen=True, slots=True)
class _Book:
    """What the sheets of a workbook refer to."""

    strings: list[str]
    patterns: list[str]
    from_1904: bool


@dataclass(slots=True)
class _Sheet:
    """One sheet while it is read."""

    rows: dict[int, dict[int, str]] = field(default_factory=dict)
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)
    merges: list[tuple[int, int, int, int]] = field(default_factory=list)
    """First row, first column, last row, last column."""

    hidden: int = 0
    formulas: int = 0
    size: int = 0
    last_row: int = 0
    wide: bool = False
    cut: bool = False


def read_xlsx(data: bytes) -> Laid | Unreadable:
    """The text of *data*; never raises."""
    blocks = Blocks()
    hidden = drawn = 0
    try:
        package = open_package(data, "Excel")
        if isinstance(package, Unreadable):
            return package
        main = _main_part(package)
        if main is None:
            return Unreadable(reason="is no Excel workbook")
        book, sheets = _open_book(package, main)
        covered = [name for name, _, seen in sheets if not seen]
        if covered:
            blocks.note("sheet.hidden", f"{len(covered)} of {len(sheets)} sheets are hidden")
        if len(sheets) > MAX_SHEETS:
            blocks.note("table.cut", f"{MAX_SHEETS} of {len(sheets)} sheets were read")
        for name, part, seen in sheets[:MAX_SHEETS]:
            if not seen or blocks.full:
                continue
            sheet = _read_sheet(package, part, book)
            hidden += sheet.hidden
            drawn += any(kind == "drawing" for kind, _ in package.relations(part).values())
            _lay(blocks, name, sheet)
        title, metadata = package.properties()
    except TooLargeError:
        return Unreadable(reason="unpacks to more than is allowed")
    except Exception as fault:  # damaged archives and XML raise half a dozen unrelated types
        return Unreadable(reason=f"is a damaged Excel workbook ({type(fault).__name__})")
    if drawn:
        blocks.note("picture.unread", f"sheets with pictures or charts: {drawn}")
    for note in hidden_note(hidden, ""):
        blocks.note(note.code, note.detail)
    if not blocks.size:
        return Unreadable(reason="is an Excel workbook without text that is seen")
    return blocks.finish(title=title, metadata=metadata)


def _main_part(package: Package) -> str | None:
    for kind, part in package.relations("").values():
        if kind == "officeDocument" and part in package.names:
            return part if part.endswith("workbook.xml") or part.startswith("xl/") else None
    return "xl/workbook.xml" if "xl/workbook.xml" in package.names else None


def _open_book(package: Package, main: str) -> tuple[_Book, list[tuple[str, str, bool]]]:
    """What the sheets share; name, part and visibility of each sheet."""
    relations = package.relations(main)
    sheets: list[tuple[str, str, bool]] = []
    from_1904 = False
    for event, tag, node in package.elements(main):
        if event == "end" and tag == "sheet":
            kind, part = relations.get(attribute(node, "id") or "", ("", ""))
            if kind == "worksheet":
                seen = (node.get("state") or "visible") == "visible"
                sheets.append((node.get("name") or "", part, seen))
        elif event == "end" and tag == "workbookPr":
            from_1904 = node.get("date1904") is not None and is_on(node.get("date1904"))
    parts = dict(relations.values())
    return (
        _Book(
            _read_strings(package, parts.get("sharedStrings", "")),
            _read_patterns(package, parts.get("styles", "")),
            from_1904,
        ),
        sheets,
    )


def _read_strings(package: Package, part: str) -> list[str]:
    found: list[str] = []
    size = 0
    for event, tag, node in package.elements(part, ("si",)):
        if event == "end" and tag == "si":
            found.append(_text_of(node))
            size += len(found[-1])
            if size > MAX_STRINGS_CHARS:
                raise TooLargeError
    return found


def _text_of(node: etree._Element) -> str:
    """The runs of a text, without the readings (furigana) that stand above it."""
    pieces = [
        part.text or ""
        for part in node.iter("{*}t")
        if not any(above.tag.endswith("}rPh") for above in part.iterancestors())
    ]
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), "".join(pieces))


def _read_patterns(package: Package, part: str) -> list[str]:
    """The number format of each style of a cell."""
    own: dict[int, str] = {}
    found: list[str] = []
    inside = False
    for event, tag, node in package.elements(part):
        if tag == "cellXfs":
            inside = event == "start"
        elif event == "end" and tag == "numFmt":
            own[_number(node.get("numFmtId"))] = node.get("formatCode") or ""
        elif event == "end" and tag == "xf" and inside:
            number = _number(node.get("numFmtId"))
            found.append(own.get(number) or BUILT_IN.get(number, "General"))
    return found


def _read_sheet(package: Package, part: str, book: _Book) -> _Sheet:
    """The cells of one sheet, as far as there is room for them."""
    sheet = _Sheet()
    try:
        row = column = 0
        for event, tag, node in package.elements(part, ("c",)):
            if event == "start":
                if tag == "row":
                    row, column = _number(node.get("r")) or row + 1, 0
                continue
            if tag == "c":
                column = _column_of(node.get("r")) or column + 1
                _take(sheet, row, column, node, book)
            elif tag == "row":
                if node.get("hidden") is not None and is_on(node.get("hidden")):
                    sheet.hidden += sum(map(len, sheet.rows.pop(row, {}).values()))
                sheet.last_row = row
                if sheet.size > MAX_TEXT_CHARS:
                    sheet.cut = True
                    break
            elif tag == "col" and node.get("hidden") is not None and is_on(node.get("hidden")):
                sheet.hidden_columns.append((_number(node.get("min")), _number(node.get("max"))))
            elif tag == "mergeCell" and len(sheet.merges) < MAX_MERGES:
                area = _area(node.get("ref") or "")
                sheet.merges.extend([area] if area else [])
    except TooLargeError:
        if not sheet.rows:
            raise
        sheet.cut = True
    return sheet


def _take(sheet: _Sheet, row: int, column: int, node: etree._Element, book: _Book) -> None:
    """Put one cell into its place."""
    text = squeeze(_value(node, book))
    if not text:
        sheet.formulas += any(child.tag.endswith("}f") for child in node)
        return
    if any(first <= column <= last for first, last in sheet.hidden_columns):
        sheet.hidden += len(text)
        return
    cells = sheet.rows.setdefault(row, {})
    if len(cells) >= MAX_COLUMNS:
        sheet.wide = True
        return
    cells[column] = text
    sheet.size += len(text) + 2


def _value(node: etree._Element, book: _Book) -> str:
    kind = node.get("t") or "n"
    if kind == "inlineStr":
        return _text_of(node)
    stored = next((child.text or "" for child in node if child.tag.endswith("}v")), "")
    if not stored:
        return ""
    if kind == "s":
        number = _number(stored)
        return book.strings[number] if number < len(book.strings) else ""
    if kind == "b":
        return "TRUE" if stored.strip() == "1" else "FALSE"
    if kind in ("str", "e", "d"):
        return stored.removesuffix("T00:00:00") if kind == "d" else stored
    style = _number(node.get("s"))
    pattern = book.patterns[style] if style < len(book.patterns) else "General"
    return format_number(stored, pattern, from_1904=book.from_1904)


def _lay(blocks: Blocks, name: str, sheet: _Sheet) -> None:
    """Write one sheet: its name, then each of its tables."""
    if sheet.rows:
        blocks.add(name, level=1)
    for rows in _regions(sheet):
        wide = [row for row, cells in rows.items() if len(cells) > 1]
        first = min(wide) if wide else max(rows) + 1
        captions = [next(iter(rows[row].values())) for row in rows if row < first]
        if wide:
            below = {row: cells for row, cells in rows.items() if row >= first}
            blocks.add_table(_table(below, sheet), captions)
        else:
            for line in captions:
                blocks.add(line)
    if sheet.cut:
        blocks.note("table.cut", f"a sheet ends after its row {sheet.last_row}")
    if sheet.wide:
        blocks.note("table.cut", f"columns beyond the first {MAX_COLUMNS} of a sheet")
    if sheet.formulas:
        blocks.note("sheet.formula", f"{sheet.formulas} formulas without a stored value")


def _regions(sheet: _Sheet) -> Iterator[dict[int, dict[int, str]]]:
    """Rows that follow one another without an empty one between them, hidden ones aside."""
    spanned = sorted((top, bottom) for top, _, bottom, _ in sheet.merges if bottom > top)
    region: dict[int, dict[int, str]] = {}
    before = reach = 0
    at = 0
    for row in sorted(sheet.rows):
        if not sheet.rows[row]:
            continue
        while at < len(spanned) and spanned[at][0] <= row:
            reach = max(reach, spanned[at][1])
            at += 1
        if region and row > before + 1 and reach < row - 1:
            yield region
            region = {}
        region[row] = sheet.rows[row]
        before = row
    if region:
        yield region


def _table(rows: Mapping[int, Mapping[int, str]], sheet: _Sheet) -> Table:
    """The rows of one region as a table; merged cells cover those beside and below them."""
    used = sorted({column for cells in rows.values() for column in cells})
    first_row, last_row = min(rows), max(rows)
    order = sorted(rows)
    spans = {
        (top, left): (bottom, right)
        for top, left, bottom, right in sheet.merges
        if first_row <= top <= last_row
    }
    table: list[list[Cell]] = []
    covered: set[tuple[int, int]] = set()
    for row in order:
        cells: list[Cell] = []
        for column in used:
            if (row, column) in covered:
                continue
            text = rows[row].get(column, "")
            if (row, column) not in spans:
                cells.append(Cell(text=text))
                continue
            bottom, right = spans[row, column]
            across = [each for each in used if column <= each <= right]
            down = [each for each in order if row <= each <= bottom]
            places = {(r, c) for r in down for c in across} - {(row, column)}
            if any(rows[r].get(c) for r, c in places) or len(covered) > MAX_COVERED:
                cells.append(Cell(text=text))  # a cell that says something is covered by none
                continue
            covered |= places
            cells.append(Cell(text=text, across=len(across), down=len(down)))
        table.append(cells)
    return Table(rows=table, named=len(used) > 2)


def _area(reference: str) -> tuple[int, int, int, int] | None:
    ends = [_REFERENCE.fullmatch(each) for each in reference.replace("$", "").split(":")]
    if len(ends) != 2 or ends[0] is None or ends[1] is None:
        return None
    return int(ends[0][2]), _letters(ends[0][1]), int(ends[1][2]), _letters(ends[1][1])


def _column_of(reference: str | None) -> int:
    match = _REFERENCE.fullmatch(reference or "")
    return _letters(match[1]) if match else 0


def _letters(name: str) -> int:
    number = 0
    for letter in name.upper():
        number = number * 26 + ord(letter) - 64
    return number


def _number(text: str | None) -> int:
    """A count or an index; 0 for what is none."""
    return int(text) if text and text.isascii() and text.strip().isdigit() and len(text) < 10 else 0
