"""Read a file of a document folder and cut it into passages that know where they stood.

In      a file's name and bytes (.md .txt .html .pdf .docx .eml)
Out     Document: the text, and passages with page and code-point span
Pure    no clock, no randomness, no I/O: equal bytes give equal passages
Spec    004 R2.0 (chunks with a source reference)
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.sources.reading import MAX_INPUT_BYTES, Note, Unreadable

__all__ = ["Document", "Passage", "Unreadable", "read_document"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A stretch of a document that reads on its own, about 1,500 code points at most."""

    text: str
    """Exactly `document.text[start:stop]`."""

    start: int
    """First code point, in the text of the document."""

    stop: int
    """First code point no longer in the passage."""

    page: int | None
    """Page on which it starts, from 1; None for formats without pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One file as text. Line ends are LF; neither NUL nor a lone surrogate occurs."""

    name: str
    """The name under which it was read, as the caller gave it."""

    text: str
    """All of its text, pages joined by a form feed line."""

    pages: tuple[tuple[int, int], ...]
    """Span of each page in `text`; empty for formats without pages."""

    passages: tuple[Passage, ...]
    """In the order of the text; they never overlap."""

    notes: tuple[Note, ...]
    """What had to be guessed, was damaged, or was left out."""


def read_document(name: str, data: bytes) -> Document | Unreadable:
    """Read the file *name* with content *data*; never raises."""
    if len(data) > MAX_INPUT_BYTES:
        return Unreadable(reason=f"{len(data)} bytes, more than the {MAX_INPUT_BYTES} allowed")
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    if not text.strip():
        return Unreadable(reason="holds no text")
    passage = Passage(text=text, start=0, stop=len(text), page=None)
    return Document(name=name, text=text, pages=(), passages=(passage,), notes=())
