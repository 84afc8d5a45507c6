"""Texts out of what a mail carries: files and other mails.

In      the attachments of a mail taken apart
Out     texts by unique name, facts about each attachment, notes on what is no text
Pure    no clock, no randomness, no I/O: equal attachments give equal texts
Spec    000, sources of evidence (`attachment:NAME`)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.sources.charsets import decode, is_binary
from assay.sources.documents.docx import read_docx
from assay.sources.documents.html import declared_charset, read_html
from assay.sources.documents.pdf import read_pdf
from assay.sources.mail.headers import read_header
from assay.sources.mail.mime import Mail, Nested, Part
from assay.sources.reading import MAX_TEXT_CHARS, Note, Unreadable, hidden_note

MAX_READ = 200
"""Most attachments of one mail that are read, those of mails inside it included."""

MAX_ALL_CHARS = 3 * MAX_TEXT_CHARS
"""Most code points of all attachments of a mail together."""

_TEXT_MEDIA = re.compile(
    r"text/.*|message/.*|application/(?:json|xml|csv|x-csv|yaml|ld\+json|.*\+xml|.*\+json)"
)
_TEXT_NAME = re.compile(r".*\.(?:txt|text|csv|tsv|md|json|xml|log|ics|vcf|yaml|yml|eml)", re.DOTALL)
_HTML_NAME = re.compile(r".*\.x?html?", re.DOTALL)
_UNNAMABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff/\\\\:|]+")
_NAMES = {
    "message/delivery-status": "delivery-status.txt",
    "message/disposition-notification": "disposition-notification.txt",
    "message/feedback-report": "feedback-report.txt",
    "text/rfc822-headers": "headers.txt",
    "text/html": "text.html",
    "text/calendar": "event.ics",
    "application/pdf": "file.pdf",
}
_SHOWN_FIELDS = ("From", "To", "Cc", "Date", "Subject")


@dataclass(slots=True)
class Carried:
    """What was found in the attachments of one mail."""

    texts: dict[str, str] = field(default_factory=dict)
    """By name without the prefix `attachment:`, in the order of the mail."""

    facts: list[dict[str, object]] = field(default_factory=list)
    """`name`, `media`, `bytes` and `read` of each attachment."""

    notes: list[Note] = field(default_factory=list)


def read_attachments(attachments: Sequence[Part | Nested]) -> Carried:
    """Read *attachments* and those of mails among them, outermost first; never raises."""
    carried = Carried()
    used: set[str] = set()
    pending: list[Part | Nested] = list(reversed(attachments))
    room = MAX_ALL_CHARS
    while pending:
        item = pending.pop()
        if len(carried.facts) >= MAX_READ:
            detail = f"the first {MAX_READ} attachments were read"
            carried.notes.append(Note(code="attachment.too_many", detail=detail))
            break
        name = _unique_name(_safe_name(item), used)
        where = f"attachment:{name}"
        if isinstance(item, Nested):
            media, size = "message/rfc822", 0
            text, notes = mail_text(item.mail, where)
            pending.extend(reversed(item.mail.attachments))
        else:
            media, size = item.media, len(item.data)
            text, notes = _part_text(item, where)
        carried.notes.extend(notes)
        text = text[:room]
        room -= len(text)
        carried.facts.append({"name": name, "media": media, "bytes": size, "read": bool(text)})
        if text.strip():
            carried.texts[name] = text
    return carried


def mail_text(mail: Mail, where: str) -> tuple[str, list[Note]]:
    """A carried mail as one text: the fields that people look at, then its body."""
    lines = []
    for name in _SHOWN_FIELDS:
        value = mail.header.get(name)
        if value is not None:
            lines.append(f"{name}: {read_header(value).text}")
    body, notes = body_text(mail.body, where)
    return "\n".join([*lines, "", body]) if lines else body, notes


def body_text(parts: Sequence[Part], where: str) -> tuple[str, list[Note]]:
    """The parts that form a body as one text."""
    pieces: list[str] = []
    notes: list[Note] = []
    for part in parts:
        text, found = _part_text(part, where, quotes=True)
        notes.extend(found)
        if text:
            pieces.append(text)
    if len(pieces) < 2:
        return "".join(pieces), notes
    joined = "\n\n".join(piece.strip("\n") for piece in pieces)
    return cut_text(joined, where, notes), notes


def cut_text(text: str, where: str, notes: list[Note]) -> str:
    """*text* up to MAX_TEXT_CHARS; adds a note if that leaves something out."""
    if len(text) > MAX_TEXT_CHARS:
        detail = f"{len(text)} code points; the first {MAX_TEXT_CHARS} were kept"
        notes.append(Note(code="text.cut", detail=detail, where=where))
    return text[:MAX_TEXT_CHARS]


def _part_text(part: Part, where: str, *, quotes: bool = False) -> tuple[str, list[Note]]:
    """The text of one file; empty with a note when it has none."""
    name = part.name.lower()
    head = part.data[:1024]
    if part.media == "application/pdf" or name.endswith(".pdf") or head.startswith(b"%PDF-"):
        return _pdf(part.data, where)
    if name.endswith(".docx") or "wordprocessingml.document" in part.media:
        return _docx(part.data, where)
    notes: list[Note] = []
    markup = part.media in ("text/html", "application/xhtml+xml") or bool(
        _HTML_NAME.fullmatch(name)
    )
    unnamed = part.media == "application/octet-stream" and not name
    if not (markup or unnamed or _TEXT_MEDIA.fullmatch(part.media) or _TEXT_NAME.fullmatch(name)):
        return "", [Note(code="part.not_text", detail=_describe_part(part), where=where)]
    claimed = part.charset or (declared_charset(part.data) if markup else None)
    decoded = decode(part.data, claimed)
    if is_binary(decoded.text):
        return "", [Note(code="part.not_text", detail=_describe_part(part), where=where)]
    if part.damaged:
        detail = "the transfer encoding is broken; read as far as it goes"
        notes.append(Note(code="transfer.damaged", detail=detail, where=where))
    if decoded.guess:
        detail = f"claimed {decoded.claimed or 'nothing'}, read as {decoded.charset}"
        notes.append(Note(code=decoded.guess, detail=detail, where=where))
    text = decoded.text
    if markup:
        shown = read_html(text, mark_quotes=quotes)
        text = shown.text
        notes.extend(hidden_note(shown.hidden, where))
    return cut_text(text, where, notes), notes


def _pdf(data: bytes, where: str) -> tuple[str, list[Note]]:
    pages = read_pdf(data)
    if isinstance(pages, Unreadable):
        return "", [Note(code="part.unreadable", detail=pages.reason, where=where)]
    notes = [Note(code=note.code, detail=note.detail, where=where) for note in pages.notes]
    return cut_text("\n\f\n".join(pages.texts), where, notes), notes


def _docx(data: bytes, where: str) -> tuple[str, list[Note]]:
    found = read_docx(data)
    if isinstance(found, Unreadable):
        return "", [Note(code="part.unreadable", detail=found.reason, where=where)]
    return found.text, hidden_note(found.hidden, where)


def _describe_part(part: Part) -> str:
    return f"{part.media[:60]}, {len(part.data)} bytes"


def _safe_name(item: Part | Nested) -> str:
    """The name given, as one short line without separators; else one after the media type."""
    given = " ".join(_UNNAMABLE.sub("_", item.name).split())[:120].strip()
    if given:
        return given
    if isinstance(item, Nested):
        return "message.eml"
    media = item.media
    return _NAMES.get(media, "text.txt" if media.startswith("text/") else "file")


def _unique_name(name: str, used: set[str]) -> str:
    stem, dot, ending = name.rpartition(".")
    if not stem:
        stem, dot, ending = name, "", ""
    number = 1
    unique = name
    while unique in used:
        number += 1
        unique = f"{stem} ({number}){dot}{ending}"
    used.add(unique)
    return unique
