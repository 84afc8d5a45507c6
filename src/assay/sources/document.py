"""Read a file of a document folder and cut it into passages that know where they stood.

In      a file's name and bytes (SUFFIXES says of which kinds)
Out     Document: the text, title, metadata, and passages with page, headings and code-point span;
        or Unreadable
Pure    no clock, no randomness, no I/O: equal bytes give equal passages
Spec    004 R2.0 (chunks with a source reference); 008-S1 to 008-S6; docs/decisions/0042
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from assay.sources.charsets import Decoded, decode, is_binary
from assay.sources.documents.code import LANGUAGES, read_code
from assay.sources.documents.delimited import read_delimited
from assay.sources.documents.docx import read_docx
from assay.sources.documents.html import declared_charset, read_html
from assay.sources.documents.markdown import read_markdown
from assay.sources.documents.notebook import read_notebook
from assay.sources.documents.outline import PAGE_BREAK, Laid, bound_metadata, bound_title
from assay.sources.documents.passages import Passage, cut_passages, page_of
from assay.sources.documents.pdf import read_pdf
from assay.sources.documents.pptx import read_pptx
from assay.sources.documents.rst import read_rst
from assay.sources.documents.rtf import looks_like_rtf, read_rtf
from assay.sources.documents.xlsx import read_xlsx
from assay.sources.mail.message import read_message
from assay.sources.reading import (
    MAX_INPUT_BYTES,
    MAX_TEXT_CHARS,
    Note,
    Unreadable,
    cut_note,
    hidden_note,
)
from assay.sources.wanted import UNREAD_SUFFIXES

__all__ = [
    "PROSE_SUFFIXES",
    "SUFFIXES",
    "Document",
    "Passage",
    "Unreadable",
    "page_of",
    "read_document",
]

_PACKAGES = {
    "docx": read_docx,
    "docm": read_docx,
    "xlsx": read_xlsx,
    "xlsm": read_xlsx,
    "pptx": read_pptx,
    "pptm": read_pptx,
}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

PROSE_SUFFIXES = frozenset(
    {".md", ".markdown", ".txt", ".rst", ".rtf", ".html", ".htm", ".pdf", ".eml", ".msg", ".csv"}
    | {".tsv"}
    | {f".{ending}" for ending in _PACKAGES}
)
"""Endings of the names of files that were written for readers who are no programmers."""

SUFFIXES = PROSE_SUFFIXES | {".ipynb"} | {f".{ending}" for ending in LANGUAGES}
"""Endings of the names of files that are documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One file as text. Line ends are LF; neither NUL nor a lone surrogate occurs."""

    name: str
    """The name under which it was read, as the caller gave it."""

    text: str
    """All of its text, pages with PAGE_BREAK between them. Plain text and source code are the
    file itself; so is Markdown and reStructuredText, but for tables: each row of a table stands
    on its own, whatever the format."""

    pages: tuple[tuple[int, int], ...]
    """Span of each page in `text`; empty for formats without pages."""

    passages: tuple[Passage, ...]
    """In the order of the text; they never overlap, and only white space lies between them."""

    notes: tuple[Note, ...]
    """What had to be guessed, was damaged, or was left out (`LEFT_OUT_CODES`)."""

    title: str | None = None
    """One line; None where the file has none."""

    metadata: Mapping[str, str] = field(default_factory=dict)
    """What the file says of itself, as `author`, `created`, `from`; bounded, sorted by key."""


def read_document(name: str, data: bytes) -> Document | Unreadable:
    """Read the file *name* with content *data*; never raises.

    The ending of the name says what the file is; a PDF is known by its first bytes too.

    Example:
        >>> document = read_document("rules.md", b"# Limits\\n\\nThe limit is 40 EUR.\\n")
        >>> [passage.text for passage in document.passages]
        ['# Limits\\n\\nThe limit is 40 EUR.']

    Spec: 004 R2.0; 008-S1.
    """
    if len(data) > MAX_INPUT_BYTES:
        return Unreadable(reason=f"{len(data)} bytes, more than the {MAX_INPUT_BYTES} allowed")
    if not data.strip():
        return Unreadable(reason="empty")
    ending = name.lower().rpartition(".")[2] if "." in name else ""
    if ending == "pdf" or data.startswith(b"%PDF-"):
        laid = _pdf(data)
    elif ending in _PACKAGES:
        laid = _PACKAGES[ending](data)
    elif ending in ("eml", "msg"):
        laid = _mail(data)
    elif looks_like_rtf(data) and ending in ("rtf", "doc", "txt"):
        laid = _rtf(data)
    elif f".{ending}" in UNREAD_SUFFIXES and (data.startswith((_OLE, b"PK")) or b"\0" in data):
        laid = Unreadable(reason=UNREAD_SUFFIXES[f".{ending}"])
    else:
        laid = _text(ending, data)
    if isinstance(laid, Unreadable):
        return laid
    own = ending == "txt" or bool(laid.blocks)
    return _document(name, laid, count_lines=own)


def _text(ending: str, data: bytes) -> Laid | Unreadable:
    markup = ending in ("html", "htm")
    decoded = decode(data, (declared_charset(data) if markup else None) or "utf-8")
    if is_binary(decoded.text):
        return Unreadable(reason="holds binary data, not text")
    laid: Laid | Unreadable
    if markup:
        laid = _html(decoded.text)
    elif ending in ("md", "markdown", "rst"):
        # What has no room is not looked at, so that rows spelled out need no more than this.
        whole = len(decoded.text)
        reader = read_rst if ending == "rst" else read_markdown
        laid = reader(decoded.text[:MAX_TEXT_CHARS])
        if whole > MAX_TEXT_CHARS:
            laid = replace(laid, notes=(*laid.notes, cut_note(whole)))
    elif ending in ("csv", "tsv"):
        laid = read_delimited(decoded.text)
    elif ending == "ipynb":
        laid = read_notebook(decoded.text)
    elif ending in LANGUAGES:
        laid = read_code(decoded.text, ending)
    else:
        laid = Laid(text=decoded.text)
    if isinstance(laid, Unreadable):
        return laid
    return replace(laid, notes=(*_charset_note(decoded), *laid.notes))


def _charset_note(decoded: Decoded) -> list[Note]:
    if not decoded.guess:
        return []
    detail = f"claimed {decoded.claimed or 'nothing'}, read as {decoded.charset}"
    return [Note(code=decoded.guess, detail=detail)]


def _html(markup: str) -> Laid:
    shown = read_html(markup, as_document=True)
    notes = [*hidden_note(shown.hidden, "")]
    notes += [Note(code="table.cut", detail=detail) for detail in shown.notes]
    if shown.cut:
        notes.append(Note(code="text.cut", detail="only the beginning of its markup was read"))
    return Laid(
        text=shown.text,
        headings=shown.headings,
        title=shown.title,
        metadata=shown.metadata,
        notes=tuple(notes),
    )


def _rtf(data: bytes) -> Laid | Unreadable:
    found = read_rtf(data)
    if isinstance(found, Unreadable):
        return found
    notes = [*hidden_note(found.hidden, ""), *([cut_note()] if found.cut else [])]
    if found.markup:
        laid = _html(found.text)
        return replace(laid, notes=(*notes, *laid.notes))
    return Laid(text=found.text, notes=tuple(notes))


def _mail(data: bytes) -> Laid | Unreadable:
    message = read_message(data)
    if isinstance(message, Unreadable):
        return message
    facts = message.facts
    sender = " ".join(
        str(facts[key]) if key == "from_name" else f"<{facts[key]}>"
        for key in ("from_name", "from")
        if facts.get(key)
    )
    said = [
        ("from", sender),
        ("to", ", ".join(map(str, facts.get("to") or []))),
        ("date", facts.get("date_iso") or facts.get("date")),
        ("language", facts.get("language")),
    ]
    return Laid(
        text="\n\n".join(text.strip("\n") for text in message.texts.values() if text.strip()),
        title=bound_title(message.texts.get("subject")),
        metadata=bound_metadata(said),
        notes=tuple(message.notes),
    )


def _pdf(data: bytes) -> Laid | Unreadable:
    found = read_pdf(data)
    if isinstance(found, Unreadable):
        return found
    pages: list[tuple[int, int]] = []
    position = 0
    for page in found.texts:
        pages.append((position, position + len(page)))
        position += len(page) + len(PAGE_BREAK)
    return Laid(
        text=PAGE_BREAK.join(found.texts),
        pages=tuple(pages),
        title=found.title,
        metadata=found.metadata,
        notes=found.notes,
    )


def _document(name: str, laid: Laid, *, count_lines: bool) -> Document | Unreadable:
    text, notes = laid.text, laid.notes
    if not laid.pages and len(text) > MAX_TEXT_CHARS:
        if not any(note.code == "text.cut" for note in notes):
            notes = (*notes, cut_note(len(text)))
        text = text[:MAX_TEXT_CHARS]
    passages = cut_passages(
        text, laid.pages, laid.headings, blocks=laid.blocks, count_lines=count_lines
    )
    if not passages:
        return Unreadable(reason="holds no text")
    return Document(
        name=name,
        text=text,
        pages=laid.pages,
        passages=passages,
        notes=notes,
        title=laid.title,
        metadata=laid.metadata,
    )
