"""Read a file of a document folder and cut it into passages that know where they stood.

In      a file's name and bytes (.md .txt .html .pdf .docx .eml .msg)
Out     Document: the text, and passages with page and code-point span; or Unreadable
Pure    no clock, no randomness, no I/O: equal bytes give equal passages
Spec    004 R2.0 (chunks with a source reference)
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.sources.charsets import decode, is_binary
from assay.sources.documents.docx import read_docx
from assay.sources.documents.html import declared_charset, read_html
from assay.sources.documents.passages import Passage, cut_passages, page_of
from assay.sources.documents.pdf import read_pdf
from assay.sources.mail.message import read_message
from assay.sources.reading import MAX_INPUT_BYTES, MAX_TEXT_CHARS, Note, Unreadable, hidden_note

__all__ = ["SUFFIXES", "Document", "Passage", "Unreadable", "page_of", "read_document"]

SUFFIXES = frozenset({".md", ".markdown", ".txt", ".html", ".htm", ".pdf", ".docx", ".eml", ".msg"})
"""Endings of the names of files that are documents."""

PAGE_BREAK = "\n\f\n"
"""Stands between two pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One file as text. Line ends are LF; neither NUL nor a lone surrogate occurs."""

    name: str
    """The name under which it was read, as the caller gave it."""

    text: str
    """All of its text, pages with PAGE_BREAK between them."""

    pages: tuple[tuple[int, int], ...]
    """Span of each page in `text`; empty for formats without pages."""

    passages: tuple[Passage, ...]
    """In the order of the text; they never overlap, and only white space lies between them."""

    notes: tuple[Note, ...]
    """What had to be guessed, was damaged, or was left out."""


def read_document(name: str, data: bytes) -> Document | Unreadable:
    """Read the file *name* with content *data*; never raises.

    The ending of the name says what the file is; a PDF is known by its first bytes too.

    Example:
        >>> document = read_document("rules.md", b"# Limits\\n\\nThe limit is 40 EUR.\\n")
        >>> [passage.text for passage in document.passages]
        ['# Limits\\n\\nThe limit is 40 EUR.']

    Spec: 004 R2.0.
    """
    if len(data) > MAX_INPUT_BYTES:
        return Unreadable(reason=f"{len(data)} bytes, more than the {MAX_INPUT_BYTES} allowed")
    if not data.strip():
        return Unreadable(reason="empty")
    ending = name.lower().rpartition(".")[2]
    if ending == "pdf" or data.startswith(b"%PDF-"):
        return _pdf(name, data)
    if ending == "docx":
        found = read_docx(data)
        if isinstance(found, Unreadable):
            return found
        return _document(name, found.text, hidden_note(found.hidden, ""))
    if ending in ("eml", "msg"):
        return _mail(name, data)
    return _text(name, data, markup=ending in ("html", "htm"))


def _text(name: str, data: bytes, *, markup: bool) -> Document | Unreadable:
    decoded = decode(data, (declared_charset(data) if markup else None) or "utf-8")
    if is_binary(decoded.text):
        return Unreadable(reason="holds binary data, not text")
    notes: list[Note] = []
    if decoded.guess:
        detail = f"claimed {decoded.claimed or 'nothing'}, read as {decoded.charset}"
        notes.append(Note(code=decoded.guess, detail=detail))
    text = decoded.text
    if markup:
        shown = read_html(text)
        text = shown.text
        notes.extend(hidden_note(shown.hidden, ""))
    return _document(name, text, notes)


def _mail(name: str, data: bytes) -> Document | Unreadable:
    message = read_message(data)
    if isinstance(message, Unreadable):
        return message
    text = "\n\n".join(text.strip("\n") for text in message.texts.values() if text.strip())
    return _document(name, text, list(message.notes))


def _pdf(name: str, data: bytes) -> Document | Unreadable:
    found = read_pdf(data)
    if isinstance(found, Unreadable):
        return found
    pages: list[tuple[int, int]] = []
    position = 0
    for page in found.texts:
        pages.append((position, position + len(page)))
        position += len(page) + len(PAGE_BREAK)
    text = PAGE_BREAK.join(found.texts)
    return _document(name, text, list(found.notes), tuple(pages))


def _document(
    name: str, text: str, notes: list[Note], pages: tuple[tuple[int, int], ...] = ()
) -> Document | Unreadable:
    if not pages and len(text) > MAX_TEXT_CHARS:
        detail = f"{len(text)} code points; the first {MAX_TEXT_CHARS} were kept"
        notes = [*notes, Note(code="text.cut", detail=detail)]
        text = text[:MAX_TEXT_CHARS]
    passages = cut_passages(text, pages)
    if not passages:
        return Unreadable(reason="holds no text")
    return Document(name=name, text=text, pages=pages, passages=passages, notes=tuple(notes))
