"""Tables of data in HTML become paragraphs, one for each row.

In      the elements of a document, what is invisible taken away
Out     the same with tables of data spelled out; what of them had no room
Pure    no clock, no randomness, no I/O
Spec    008-S1

A table that is there for the layout stays: it holds other tables, is said to be one, or has
neither header cells nor a caption and long texts or headings in its cells.
"""

from __future__ import annotations

from lxml import etree

from assay.sources.documents.tables import Cell, Table, row_sentences, squeeze

CAPTION, CAPTION_END = "\ufdd8", "\ufdd9"
"""Stand before a caption and behind the rows below it until the text is laid out."""

MAX_PLAIN_CHARS = 300
"""Longest cell of a table of data without header cells."""

_CELLS = frozenset({"td", "th"})
_BREAKING = frozenset({"p", "div", "br", "li", "ul", "ol", "dt", "dd", "pre", "blockquote", "hr"})
_STRUCTURE = ("h1", "h2", "h3", "h4", "form", "article", "section", "nav", "blockquote")


def spell_out_tables(tree: etree._Element) -> list[str]:
    """Put paragraphs in the place of each table of data in *tree*."""
    notes: list[str] = []
    for node in list(tree.iter("table")):
        if next(node.iterdescendants("table"), None) is not None:
            continue
        rows = [[cell for cell in row if cell.tag in _CELLS] for row in node.iter("tr")]
        if not _holds_data(node, rows):
            continue
        caption = next((squeeze(_text(each)) for each in node.iter("caption")), "")
        found = row_sentences(_table(node, rows))
        if found.cut:
            notes.append(found.cut)
        tail = node.tail
        node.clear()
        node.tag, node.tail = "div", tail
        shown = list(found.rows)
        if caption and shown:
            shown = [CAPTION + caption, *shown[:-1], shown[-1] + CAPTION_END]
        for row in shown:
            etree.SubElement(node, "p").text = row
    return list(dict.fromkeys(notes))


def _holds_data(node: etree._Element, rows: list[list[etree._Element]]) -> bool:
    if (node.get("role") or "").strip().lower() in ("presentation", "none"):
        return False
    if len(rows) < 2 or max(map(len, rows)) < 2:
        return False
    if next(node.iter("th", "caption"), None) is not None:
        return True
    return all(
        len(_text(cell)) <= MAX_PLAIN_CHARS and next(cell.iter(*_STRUCTURE), None) is None
        for row in rows
        for cell in row
    )


def _table(node: etree._Element, rows: list[list[etree._Element]]) -> Table:
    head = sum(1 for row in node.iter("tr") if row.getparent().tag == "thead")
    return Table(
        rows=[
            [
                Cell(
                    text=_text(cell),
                    across=_count(cell.get("colspan")),
                    down=_count(cell.get("rowspan")),
                    head=cell.tag == "th",
                )
                for cell in row
            ]
            for row in rows
        ],
        header=head if 0 < head < len(rows) else None,
    )


def _text(cell: etree._Element) -> str:
    """The text of a cell; what stands on lines of its own is kept apart."""
    pieces: list[str] = []
    for event, node in etree.iterwalk(cell, events=("start", "end")):
        if node.tag in _BREAKING:
            pieces.append(" ")
        if event == "start":
            pieces.append(node.text or "")
        elif node is not cell:
            pieces.append(node.tail or "")
    return "".join(pieces).strip()


def _count(value: str | None) -> int:
    value = (value or "").strip()
    return int(value) if value.isascii() and value.isdigit() and 0 < len(value) < 6 else 1
