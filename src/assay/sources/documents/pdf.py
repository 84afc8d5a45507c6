"""The text of a PDF, page by page.

In      the bytes of a PDF
Out     Pages: the text of each page, notes; or Unreadable
Pure    no clock, no randomness, no I/O: equal bytes give equal pages
Spec    000, sources of evidence (attachments); 004 R2.0 (documents)

pypdf reads it. Every bound is a count (bytes unpacked, drawing operations, pages): a file made
to keep a reader busy ends in a note or as Unreadable, and on each machine at the same place.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pypdf
from pypdf.errors import FileNotDecryptedError, LimitReachedError

from assay.sources.charsets import clean
from assay.sources.documents.outline import PAGE_BREAK, bound_metadata, bound_title
from assay.sources.reading import MAX_TEXT_CHARS, Note, Unreadable

MAX_PAGES = 2_000
MAX_OPERATIONS = 500_000
"""Most drawing operations over all pages; a page of dense text has about two thousand."""

MAX_CONTENT_BYTES = 10_000_000
"""Most bytes of drawing instructions over all pages; a page of dense text has a few thousand."""

_INFO = {
    "/Author": "author",
    "/Subject": "subject",
    "/Keywords": "keywords",
    "/CreationDate": "created",
    "/ModDate": "modified",
}
_DATE = re.compile(r"D:([0-9]{4})([0-9]{2})([0-9]{2})")

MAX_FORMS = 500
"""Most different forms (pieces drawn on several pages) whose size is looked up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """A PDF as text."""

    texts: tuple[str, ...]
    """One text a page, LF line ends; empty for a page without text (a scan, a picture)."""

    notes: tuple[Note, ...]

    title: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)


class _EnoughError(Exception):
    """The operations or the text allowed are used up."""


class _Meter:
    """Counts what reading one file has cost so far."""

    def __init__(self) -> None:
        self.operations = 0
        self.content = 0
        self.form_bytes = 0
        self._forms: dict[int, int] = {}

    def page(self, page: pypdf.PageObject) -> None:
        """Charge the instructions of *page* before they are looked at."""
        contents = page.get_contents()
        self.content += len(contents.get_data()) if contents is not None else 0
        self.form_bytes = self._largest(page.get("/Resources"), 0)
        self._check()

    def __call__(self, operator: object, *_rest: Any) -> None:
        """Charge one operation; drawing a form costs as much as the page's largest one."""
        self.operations += 1
        if operator == b"Do":
            self.content += self.form_bytes
        self._check()

    def _check(self) -> None:
        if self.operations > MAX_OPERATIONS or self.content > MAX_CONTENT_BYTES:
            raise _EnoughError

    def _largest(self, resources: Any, depth: int) -> int:
        entries = resources.get_object().get("/XObject") if resources is not None else None
        largest = 0
        for reference in list(entries.get_object().values() if entries else ())[:MAX_FORMS]:
            key = getattr(reference, "idnum", 0)
            if key not in self._forms and len(self._forms) < MAX_FORMS:
                self._forms[key] = 0
                form = reference.get_object()
                if form.get("/Subtype") == "/Form":
                    inner = self._largest(form.get("/Resources"), depth + 1) if depth < 8 else 0
                    self._forms[key] = max(len(form.get_data()), inner)
            largest = max(largest, self._forms.get(key, MAX_CONTENT_BYTES))
        return largest


def read_pdf(data: bytes) -> Pages | Unreadable:
    """The text of each page of *data*; never raises."""
    if b"%PDF-" not in data[:1024]:
        return Unreadable(reason="is no PDF")
    try:
        with pypdf.apply_configuration(
            zlib_maximum_output_length=MAX_CONTENT_BYTES,
            lzw_maximum_output_length=MAX_CONTENT_BYTES,
            run_length_maximum_output_length=MAX_CONTENT_BYTES,
            array_based_stream_maximum_output_length=MAX_CONTENT_BYTES,
            stream_parsing_work_maximum_count=MAX_OPERATIONS,
            xform_maximum_invocations_per_extraction=500,
        ):
            return _read_pages(pypdf.PdfReader(io.BytesIO(data), strict=False))
    except FileNotDecryptedError:
        return Unreadable(reason="is an encrypted PDF")
    except LimitReachedError:
        return Unreadable(reason="is a PDF that unpacks to more than is allowed")
    except Exception as fault:  # a foreign format and a foreign parser: anything may come
        return Unreadable(reason=f"is a damaged PDF ({type(fault).__name__})")


def _read_pages(reader: pypdf.PdfReader) -> Pages | Unreadable:
    if reader.is_encrypted and not reader.decrypt(""):
        return Unreadable(reason="is an encrypted PDF")
    total = len(reader.pages)
    meter = _Meter()
    texts: list[str] = []
    notes: list[Note] = []
    size = 0
    for number in range(min(total, MAX_PAGES)):
        try:
            page = reader.pages[number]
            meter.page(page)
            text = _tidy(page.extract_text(visitor_operand_before=meter))
        except (_EnoughError, LimitReachedError):
            notes.append(
                Note(code="pdf.cut", detail=f"too much drawn: ends before page {number + 1}")
            )
            break
        except Exception as fault:  # one bad page does not spoil the others
            notes.append(Note(code="pdf.page", detail=f"page {number + 1}: {type(fault).__name__}"))
            text = ""
        texts.append(text[: max(0, MAX_TEXT_CHARS - size)])
        size += len(text) + len(PAGE_BREAK)
        if size > MAX_TEXT_CHARS:
            notes.append(Note(code="text.cut", detail=f"ends on page {number + 1} of {total}"))
            break
    if total > MAX_PAGES:
        notes.append(Note(code="pdf.cut", detail=f"{MAX_PAGES} of {total} pages were read"))
    if not any(text.strip() for text in texts):
        return Unreadable(
            reason="is a PDF without text (a scan?)"
            if not notes
            else "is a PDF of which no text could be read"
        )
    empty = [number for number, text in enumerate(texts, start=1) if not text.strip()]
    if empty and not notes:
        shown = ", ".join(map(str, empty[:20])) + (", …" if len(empty) > 20 else "")
        detail = f"pages without text (pictures, or empty): {shown}"
        notes.append(Note(code="picture.unread", detail=detail))
    title, metadata = _read_properties(reader)
    return Pages(texts=tuple(texts), notes=tuple(notes[:20]), title=title, metadata=metadata)


def _read_properties(reader: pypdf.PdfReader) -> tuple[str | None, dict[str, str]]:
    """Title and metadata as the file says them of itself; nothing where that is damaged."""
    try:
        info = {str(key): value.get_object() for key, value in (reader.metadata or {}).items()}
    except Exception:  # a foreign parser: anything may come
        return None, {}
    said = [
        (name, _date(str(info[key])) if "Date" in key else str(info[key]))
        for key, name in _INFO.items()
        if isinstance(info.get(key), str)
    ]
    title = info.get("/Title")
    return bound_title(str(title)) if isinstance(title, str) else None, bound_metadata(said)


def _date(text: str) -> str:
    """`D:20240131…` as 2024-01-31; what is written otherwise as it is."""
    match = _DATE.match(text)
    return "-".join(match.groups()) if match else text


def _tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in clean(text).split("\n")).strip("\n")
