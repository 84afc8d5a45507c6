"""The text of a Word document (DOCX).

In      the bytes of a DOCX file
Out     DocxText: its paragraphs as lines, hidden text counted and left out; or Unreadable
Pure    no clock, no randomness, no I/O: equal bytes give equal text
Spec    000, sources of evidence (attachments); 004 R2.0 (documents)

A DOCX is a ZIP archive of XML files. They are unpacked only up to a bound, and the XML is read
without entities, external files or unbounded depth.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass

from lxml import etree

from assay.sources.charsets import clean
from assay.sources.reading import MAX_TEXT_CHARS, Unreadable

MAX_UNPACKED_BYTES = 30_000_000
"""Largest of its XML files after unpacking."""

_PARTS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")
_SKIPPED = frozenset({"Fallback", "del", "moveFrom", "instrText", "delText"})
"""Twice-told text boxes, deleted or moved text, field codes."""

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocxText:
    """A Word document as text."""

    text: str
    """One line a paragraph, an empty line between them, cells of a table row joined by tabs."""

    hidden: int
    """Code points of hidden text that were left out."""

    cut: bool
    """The text was longer than MAX_TEXT_CHARS."""


def read_docx(data: bytes) -> DocxText | Unreadable:
    """The text of *data*; never raises."""
    if data.startswith(_OLE):
        return Unreadable(reason="is an encrypted or old Word file")
    reader = _Reader()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
            if _PARTS[0] not in names:
                return Unreadable(reason="is no Word document")
            for name in _PARTS:
                if name not in names:
                    continue
                with archive.open(name) as member:
                    content = member.read(MAX_UNPACKED_BYTES + 1)
                if len(content) > MAX_UNPACKED_BYTES:
                    return Unreadable(reason="unpacks to more than is allowed")
                reader.feed(content)
    except Exception as fault:  # damaged archives and XML raise half a dozen unrelated types
        return Unreadable(reason=f"is a damaged Word document ({type(fault).__name__})")
    text = clean("".join(reader.pieces)).strip("\n")
    if not text.strip():
        return Unreadable(reason="is a Word document without text")
    return DocxText(
        text=text[:MAX_TEXT_CHARS], hidden=reader.hidden, cut=len(text) > MAX_TEXT_CHARS
    )


class _Reader:
    """Collects the text of the XML files one after the other."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.hidden = 0
        self._skipping = 0
        self._cells = 0
        self._vanished = False

    def feed(self, content: bytes) -> None:
        events = etree.iterparse(
            io.BytesIO(content),
            events=("start", "end"),
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
        )
        for event, node in events:
            name = etree.QName(node).localname if isinstance(node.tag, str) else ""
            if event == "start":
                self._start(name, node)
            else:
                self._end(name, node)
                if name in ("p", "tbl"):
                    node.clear()

    def _start(self, name: str, node: etree._Element) -> None:
        if name in _SKIPPED:
            self._skipping += 1
        elif name == "r":
            self._vanished = False
        elif name == "vanish":
            self._vanished = not any(
                value in ("0", "false", "off") for value in node.attrib.values()
            )
        elif name == "tc":
            self._cells += 1

    def _end(self, name: str, node: etree._Element) -> None:
        if name in _SKIPPED:
            self._skipping -= 1
        if self._skipping:
            return
        if name == "t":
            if self._vanished:
                self.hidden += len(node.text or "")
            else:
                self.pieces.append(node.text or "")
        elif name == "tab":
            self.pieces.append("\t")
        elif name in ("br", "cr"):
            self.pieces.append("\n")
        elif name == "p":
            self.pieces.append(" " if self._cells else "\n\n")
        elif name == "tc":
            self._cells -= 1
            self._close("\t")
        elif name == "tr":
            self._close(" " if self._cells else "\n")
        elif name == "tbl" and not self._cells:
            self.pieces.append("\n")

    def _close(self, mark: str) -> None:
        """End a cell or a row with *mark* instead of the blank that its last piece left."""
        while self.pieces and self.pieces[-1] in (" ", "\t", ""):
            self.pieces.pop()
        self.pieces.append(mark)
