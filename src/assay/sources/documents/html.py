"""HTML as the text that its reader sees, with a count of what the reader does not see.

In      HTML, as text or bytes
Out     HtmlText: the visible text, how many code points were hidden
Pure    no clock, no randomness, no I/O: equal markup gives equal text
Spec    000-C3; 004 P3.2 (planted text); 008-S1, 008-S3

inscriptis lays the text out. Before that, what is invisible is taken away (text that a program
reads and a person does not is the usual place for planted instructions), and tables become
lines: laid out side by side, the sentences of two cells would be mixed line by line, and one
wide cell would widen every row. In a document each row of a table of data becomes a sentence;
in a mail, where most tables are there for the layout, its cells are kept apart by tabs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from inscriptis.css_profiles import STRICT_CSS_PROFILE as STRICT
from inscriptis.html_engine import Inscriptis
from inscriptis.model.config import ParserConfig
from lxml import etree, html

from assay.sources.charsets import clean
from assay.sources.documents.html_tables import CAPTION, CAPTION_END, spell_out_tables
from assay.sources.documents.html_visibility import Backdrop, HiddenRules, backdrop_below, is_hidden
from assay.sources.documents.outline import CAPTION_LEVEL, Heading, bound_metadata, bound_title

MAX_HTML_CHARS = 4_000_000
"""Longest markup that is read."""

MAX_ELEMENTS = 200_000
"""Most elements that are laid out; beyond, the tags are merely taken off."""

MAX_HTML_DEPTH = 150
"""Deepest nesting that is laid out; the layout engine calls itself for every level."""

_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
"""Stand for the start and end of a quotation until the text is laid out (noncharacters)."""

_LEVELS = "\ufdd2\ufdd3\ufdd4\ufdd5\ufdd6\ufdd7"
"""Stand before headings of level 1 to 6, in the same way."""

_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1f\ufdd0\ufdd1\ufffe\uffff]")
_LEVEL = re.compile(f"[{_LEVELS}{CAPTION}{CAPTION_END}][ \t]*")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_SAID = {
    "author": "author",
    "description": "description",
    "keywords": "keywords",
    "date": "date",
    "dc.creator": "author",
    "dc.date": "date",
    "dcterms.modified": "modified",
    "article:published_time": "created",
    "article:modified_time": "modified",
}
_DECLARATION = re.compile(r"<\?xml[^>]{0,200}>", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([A-Za-z0-9._:-]{1,40})", re.IGNORECASE)
_BLANKS = re.compile(r"\n{3,}")
_TABLE = frozenset({"table", "tbody", "thead", "tfoot", "tr", "caption"})
_CELLS = frozenset({"td", "th"})
_BLOCKS = frozenset(
    {"p", "div", "table", "ul", "ol", "br", "blockquote", "pre", "h1", "h2", "h3", "h4", "hr"}
)
_SILENT = frozenset({"script", "style", "template", "title", "iframe", "object", "svg", "math"})
_LAYOUT = ("style", "width", "height", "align", "valign", "class", "id")
_RAISED = (etree.LxmlError, ValueError, TypeError, AttributeError, IndexError, KeyError)


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlText:
    """What a reader sees of an HTML text."""

    text: str
    """LF line ends, no blank at line ends, at most one empty line in a row."""

    hidden: int
    """Code points of text that were there but invisible, and left out."""

    cut: bool
    """The markup was longer than MAX_HTML_CHARS."""

    headings: tuple[Heading, ...] = ()
    title: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    """What of its tables had no room."""


def declared_charset(data: bytes) -> str | None:
    """The charset that the markup itself names, if it does so near its start."""
    match = _META.search(data[:4096])
    return match[1].decode("ascii") if match else None


def read_html(markup: str, *, mark_quotes: bool = False, as_document: bool = False) -> HtmlText:
    """The visible text of *markup*; never raises.

    Args:
        markup: Anything; what is no HTML comes out as it is.
        mark_quotes: Begin each line of a quotation (`blockquote`) with `> `, as in mail.
        as_document: Rows of tables become sentences; headings, title and metadata are told.
    """
    cut = len(markup) > MAX_HTML_CHARS
    source = _DECLARATION.sub("", _CONTROLS.sub("\ufffd", markup[:MAX_HTML_CHARS]), count=1)
    hidden = 0
    text = ""
    laid_out = False
    title: str | None = None
    metadata: dict[str, str] = {}
    notes: list[str] = []
    if source.strip():
        try:
            parser = html.HTMLParser(remove_comments=True, remove_pis=True)
            tree = html.document_fromstring(source, parser=parser)
            depth, count = _measure(tree)
            if depth <= MAX_HTML_DEPTH and count <= MAX_ELEMENTS:
                title, metadata = _read_head(tree) if as_document else (None, {})
                hidden = _hide(tree, mark_quotes=mark_quotes)
                if as_document:
                    notes = spell_out_tables(tree)
                    _mark_headings(tree)
                _flatten_tables(tree)
                text = _prefix_quotations(Inscriptis(tree, ParserConfig(css=STRICT)).get_text())
                laid_out = True
        except (*_RAISED, RecursionError):
            text, hidden = "", 0
        if not laid_out:
            text = _without_tags(source)
    text = _tidy(text)
    headings: tuple[Heading, ...] = ()
    if as_document:
        text, headings = _take_headings(text)
    return HtmlText(
        text=text,
        hidden=hidden,
        cut=cut,
        headings=headings,
        title=title or next((each.title for each in headings if each.title), None),
        metadata=metadata,
        notes=tuple(notes),
    )


def _measure(tree: etree._Element) -> tuple[int, int]:
    depth = deepest = count = 0
    for event, _ in etree.iterwalk(tree, events=("start", "end")):
        depth += 1 if event == "start" else -1
        deepest = max(deepest, depth)
        count += event == "start"
        if count > MAX_ELEMENTS or deepest > MAX_HTML_DEPTH:
            break
    return deepest, count


def _hide(tree: etree._Element, *, mark_quotes: bool) -> int:
    """Take away what is invisible; how much that was."""
    rules = HiddenRules.of("\n".join(node.text or "" for node in tree.iter("style")))
    hidden = 0
    pending: list[tuple[etree._Element, Backdrop]] = [(tree, Backdrop())]
    while pending:
        node, backdrop = pending.pop()
        if not isinstance(node.tag, str):
            continue
        tag = node.tag.rpartition("}")[2].lower()
        if tag in _SILENT:
            _drop(node)
            continue
        if node is not tree and is_hidden(node, rules, backdrop):
            hidden += len(" ".join("".join(node.itertext()).split()))
            _drop(node)
            continue
        below = backdrop_below(node, backdrop)
        pending.extend((child, below) for child in node)
        if tag == "blockquote" and mark_quotes and _is_quotation(node):
            _mark(node)
        for name in _LAYOUT:
            node.attrib.pop(name, None)
    return hidden


def _read_head(tree: etree._Element) -> tuple[str | None, dict[str, str]]:
    """Title and metadata that the markup says of itself."""
    title = next((bound_title("".join(node.itertext())) for node in tree.iter("title")), None)
    said: list[tuple[str, object]] = []
    for node in tree.iter("meta"):
        name = (node.get("name") or node.get("property") or "").strip().lower()
        if name in _SAID:
            said.append((_SAID[name], node.get("content")))
    said.append(("language", next((node.get("lang") for node in tree.iter("html")), None)))
    return title, bound_metadata(said)


def _mark_headings(tree: etree._Element) -> None:
    for node in tree.iter(*_HEADINGS):
        if "".join(node.itertext()).strip():
            node.text = _LEVELS[int(node.tag[1]) - 1] + (node.text or "").lstrip()


def _take_headings(text: str) -> tuple[str, tuple[Heading, ...]]:
    """*text* without the marks of headings, and where these stood."""
    pieces: list[str] = []
    headings: list[Heading] = []
    position = size = 0
    for match in _LEVEL.finditer(text):
        pieces.append(text[position : match.start()])
        size += len(pieces[-1])
        position = match.end()
        title = bound_title(_LEVEL.sub("", text[position : position + 400].partition("\n")[0]))
        mark = match[0][0]
        if title or mark == CAPTION_END:
            level = _LEVELS.index(mark) + 1 if mark in _LEVELS else CAPTION_LEVEL
            title = "" if mark == CAPTION_END else title or ""
            headings.append(Heading(start=size, level=level, title=title))
    pieces.append(text[position:])
    return "".join(pieces), tuple(headings)


def _is_quotation(node: etree._Element) -> bool:
    """Some editors indent the writer's own text with a frameless `blockquote`."""
    style = (node.get("style") or "").replace(" ", "").lower()
    cites = node.get("cite") or (node.get("type") or "").lower() == "cite"
    return bool(cites) or "border:none" not in style


def _mark(node: etree._Element) -> None:
    opening = etree.Element("div")
    opening.text, opening.tail, node.text = _OPEN, node.text, None
    node.insert(0, opening)
    closing = etree.SubElement(node, "div")
    closing.text = _CLOSE
    node.tag = "div"


def _flatten_tables(tree: etree._Element) -> None:
    for row in list(tree.iter("tr")):
        cells = [cell for cell in row if cell.tag in _CELLS]
        upright = any(inner.tag in _BLOCKS for cell in cells for inner in cell.iterdescendants())
        for place, cell in enumerate(cells):
            cell.tag = "div" if upright else "span"
            if place and not upright:
                gap = etree.Element("span")
                gap.set("style", "white-space: pre")
                gap.text, gap.tail, cell.text = "\t", cell.text, None
                cell.insert(0, gap)
    for node in list(tree.iter(*_TABLE, "hr")):
        node.tag = "div"


def _drop(node: etree._Element) -> None:
    """Remove *node* with all in it, but not the text behind it."""
    parent = node.getparent()
    if parent is None:
        return
    before = node.getprevious()
    if node.tail:
        if before is not None:
            before.tail = (before.tail or "") + node.tail
        else:
            parent.text = (parent.text or "") + node.tail
    parent.remove(node)


def _prefix_quotations(text: str) -> str:
    """Replace the marks of quotations by `> ` before each line inside."""
    if _OPEN not in text:
        return text
    lines: list[str] = []
    depth = 0
    fresh = False
    for line in text.split("\n"):
        content = line.strip()
        if content in (_OPEN, _CLOSE):
            depth = depth + 1 if content == _OPEN else max(0, depth - 1)
            fresh = content == _OPEN
            while lines and not lines[-1].strip(">") and not fresh:
                lines.pop()  # empty lines before the end of a quotation
        elif content or not fresh:
            lines.append(">" * min(depth, 8) + (" " if depth and content else "") + line.rstrip())
            fresh = False
    return "\n".join(lines).replace(_OPEN, "").replace(_CLOSE, "")


def _without_tags(source: str) -> str:
    """All text between tags, in one pass; for markup that cannot be laid out."""
    pieces: list[str] = []
    position = 0
    while (start := source.find("<", position)) >= 0:
        stop = source.find(">", start)
        if stop < 0:
            break
        pieces.append(source[position:start])
        pieces.append("\n" if source[start + 1 : start + 2] in "/bphdtlBPHDTL" else " ")
        position = stop + 1
    pieces.append(source[position:])
    return "".join(pieces)


def _tidy(text: str) -> str:
    lines = (
        line.rstrip()
        for line in clean(_CONTROLS.sub("\ufffd", text.replace("\xa0", " "))).split("\n")
    )
    return _BLANKS.sub("\n\n", "\n".join(lines)).strip("\n")
