"""A document as DOCX (Office Open XML), through python-docx.

In      Document
Out     bytes; equal documents give equal bytes under one version of the library
Pure    but for the library's template file
Spec    002-N4

Headings and lists carry the styles of the format, so that readers, tables of contents and
screen readers know them. All times are one fixed time: a document says nothing of when or
where it was made.
"""

from __future__ import annotations

from datetime import datetime
from io import BytesIO
from typing import TYPE_CHECKING, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from assay.adapters.documents.document import Document, Section

if TYPE_CHECKING:
    from docx.document import Document as Word

MADE: Final = datetime(2000, 1, 1)  # noqa: DTZ001 - the format has no zones
_ENTRY: Final = (2000, 1, 1, 0, 0, 0)
_LONGEST_TITLE: Final = 255


def render_docx(document: Document) -> bytes:
    """Write *document*."""
    import docx as library

    word = library.Document()
    about = word.core_properties
    about.title = document.title[:_LONGEST_TITLE]
    about.author = about.last_modified_by = about.comments = about.subject = ""
    about.keywords = about.category = ""
    about.created = about.modified = MADE
    about.revision = 1
    word.add_heading(document.title, level=0)
    for section in document.sections:
        _section(word, section, 1)
    written = BytesIO()
    word.save(written)
    return _without_dates(written.getvalue())


def _section(word: Word, section: Section, level: int) -> None:
    word.add_heading(section.title, level=level)
    for block in section.blocks:
        style = "List Bullet" if block.kind == "list" else None
        for text in block.text:
            word.add_paragraph(text, style=style)
    for inner in section.sections:
        _section(word, inner, level + 1)


def _without_dates(archive: bytes) -> bytes:
    """The same archive with one fixed time on every entry."""
    written = BytesIO()
    with (
        ZipFile(BytesIO(archive)) as old,
        ZipFile(written, "w", compression=ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            entry = ZipInfo(name, date_time=_ENTRY)
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = 0o600 << 16
            new.writestr(entry, old.read(name))
    return written.getvalue()
