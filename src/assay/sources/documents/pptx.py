"""The text of a PowerPoint presentation (PPTX): a page for each slide.

In      the bytes of a PPTX file
Out     Laid: titles, text, tables and notes in the order of the slides; or Unreadable
Pure    no clock, no randomness, no I/O: equal bytes give equal text
Spec    008-S1, 008-S5; ECMA-376 part 1, 19

The number of a page is that of its slide; hidden slides are left out, noted, and counted.
"""

from __future__ import annotations

from lxml import etree

from assay.sources.documents.office import (
    Package,
    TooLargeError,
    attribute,
    is_on,
    local_name,
    open_package,
)
from assay.sources.documents.outline import Blocks, Laid
from assay.sources.documents.tables import Cell, Table
from assay.sources.reading import Unreadable

MAX_SLIDES = 2_000

_MAIN = "ppt/presentation.xml"
_TITLES = frozenset({"title", "ctrTitle"})
_SHAPES = ("sp", "graphicFrame", "pic")
_FURNITURE = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})
"""Dates, footers and numbers that stand on every slide."""


def read_pptx(data: bytes) -> Laid | Unreadable:
    """The text of *data*; never raises."""
    blocks = Blocks()
    try:
        package = open_package(data, "PowerPoint")
        if isinstance(package, Unreadable):
            return package
        if _MAIN not in package.names:
            return Unreadable(reason="is no PowerPoint presentation")
        slides = _slides(package)
        said = _read_slides(package, slides[:MAX_SLIDES], blocks)
        if len(slides) > MAX_SLIDES:
            blocks.note("table.cut", f"{MAX_SLIDES} of {len(slides)} slides were read")
        title, metadata = package.properties()
    except TooLargeError:
        return Unreadable(reason="unpacks to more than is allowed")
    except Exception as fault:  # damaged archives and XML raise half a dozen unrelated types
        return Unreadable(reason=f"is a damaged PowerPoint presentation ({type(fault).__name__})")
    if not said:
        return Unreadable(reason="is a PowerPoint presentation without text (pictures?)")
    return blocks.finish(title=title, metadata=metadata)


def _slides(package: Package) -> list[str]:
    """The parts of the slides, in the order in which they are shown."""
    relations = package.relations(_MAIN)
    return [
        relations.get(attribute(node, "id") or "", ("", ""))[1]
        for event, tag, node in package.elements(_MAIN)
        if event == "end" and tag == "sldId" and attribute(node, "id")
        for node in [_with_relation(node)]
    ]


def _with_relation(node: etree._Element) -> etree._Element:
    """A slide has a number of its own and the id of a relation, both called `id`."""
    for key in list(node.attrib):
        if not str(key).startswith("{"):
            del node.attrib[key]
    return node


def _read_slides(package: Package, slides: list[str], blocks: Blocks) -> bool:
    """Write all slides; whether any holds text."""
    covered: list[int] = []
    silent: list[int] = []
    said = False
    pictures = 0
    for number, part in enumerate(slides, start=1):
        if blocks.full:
            break
        before = blocks.size
        found = _read_slide(package, part, blocks)
        pictures += found or 0
        if found is None:
            covered.append(number)
        elif blocks.size == before:
            silent.append(number)
        said = said or blocks.size > before
        blocks.end_page()
    if covered:
        blocks.note("slide.hidden", f"hidden slides: {_numbers(covered)}")
    if pictures:
        blocks.note("picture.unread", f"pictures and charts that were not read: {pictures}")
    if silent:
        blocks.note("picture.unread", f"slides without text (pictures?): {_numbers(silent)}")
    return said


def _numbers(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers[:20])) + (", …" if len(numbers) > 20 else "")


def _read_slide(package: Package, part: str, blocks: Blocks) -> int | None:
    """Write one slide and its notes; how many pictures it holds, None where it is hidden."""
    shapes: list[tuple[bool, list[str] | Table]] = []
    pictures = told_twice = 0
    for event, tag, node in package.elements(part, ("sp", "graphicFrame")):
        if tag == "sld" and not is_on(node.get("show")):
            return None
        if tag == "Fallback":
            told_twice += 1 if event == "start" else -1
        elif event == "end" and tag in _SHAPES and not told_twice:
            found = _read_shape(node, tag) if tag != "pic" else []
            pictures += tag == "pic" or (tag == "graphicFrame" and not found)
            shapes.extend(found)
    # The title comes first, wherever it stands in the file.
    for is_title, content in sorted(shapes, key=lambda shape: not shape[0]):
        if isinstance(content, Table):
            blocks.add_table(content)
        elif is_title:
            blocks.add(" ".join(content), level=1)
        else:
            for paragraph in content:
                blocks.add(paragraph)
    notes = [part for kind, part in package.relations(part).values() if kind == "notesSlide"]
    for name in notes[:1]:
        for event, tag, node in package.elements(name, ("sp",)):
            if event == "end" and tag == "sp":
                for is_title, content in _read_shape(node, tag):
                    if isinstance(content, list) and not is_title:
                        for paragraph in content:
                            blocks.add(paragraph)
    return pictures


def _read_shape(node: etree._Element, tag: str) -> list[tuple[bool, list[str] | Table]]:
    """What one shape says: whether it is the title, and its paragraphs or its table."""
    kinds = {each.get("type") or "" for each in node.iter("{*}ph")}
    if kinds & _FURNITURE or _is_hidden(node):
        return []
    if tag == "graphicFrame":
        return [(False, _table(each)) for each in node.iter("{*}tbl")]
    paragraphs = [_line(each) for each in node.iter("{*}p")]
    return [(bool(kinds & _TITLES), [each for each in paragraphs if each.strip()])]


def _is_hidden(node: etree._Element) -> bool:
    first = next(node.iter("{*}cNvPr"), None)
    return first is not None and first.get("hidden") is not None and is_on(first.get("hidden"))


def _line(paragraph: etree._Element) -> str:
    pieces: list[str] = []
    for each in paragraph.iter():
        name = local_name(each)
        if name == "t":
            pieces.append(each.text or "")
        elif name == "br":
            pieces.append("\n")
    return "".join(pieces)


def _table(node: etree._Element) -> Table:
    rows: list[list[Cell]] = []
    for row in node.iter("{*}tr"):
        cells = []
        for cell in row.iter("{*}tc"):
            if cell.get("hMerge") or cell.get("vMerge"):
                continue
            text = " ".join(_line(each) for each in cell.iter("{*}p"))
            across, down = (int(cell.get(name) or 1) for name in ("gridSpan", "rowSpan"))
            cells.append(Cell(text=text, across=across, down=down))
        rows.append(cells)
    properties = next(node.iter("{*}tblPr"), None)
    marked = properties is not None and properties.get("firstRow") in ("1", "true")
    return Table(rows=rows, header=1 if marked and len(rows) > 1 else None)
