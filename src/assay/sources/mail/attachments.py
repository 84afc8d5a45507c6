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

from assay.sources.mail.body import BodyText, read_body
from assay.sources.mail.headers import read_header
from assay.sources.mail.leaves import Part
from assay.sources.mail.mime import Mail, Nested
from assay.sources.mail.parts import read_part
from assay.sources.reading import MAX_TEXT_CHARS, Note, UnreadPart

MAX_READ = 200
"""Most attachments of one mail that are read, those of mails inside it included."""

MAX_ALL_CHARS = 3 * MAX_TEXT_CHARS
"""Most code points of all attachments of a mail together."""

EMPTY = "holds no text"
"""Why a file gave none that could be read and holds none."""

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
_SIGNATURES = (
    "application/pkcs7-signature",
    "application/x-pkcs7-signature",
    "application/pgp-signature",
    "application/pgp-keys",
)
"""Files without a text for anybody: that they gave none is no news."""

_SHOWN_FIELDS = ("From", "To", "Cc", "Date", "Subject")


@dataclass(slots=True)
class Carried:
    """What was found in the attachments of one mail."""

    texts: dict[str, str] = field(default_factory=dict)
    """By name without the prefix `attachment:`, in the order of the mail."""

    facts: list[dict[str, object]] = field(default_factory=list)
    """`name`, `media`, `bytes` and `read` of each attachment."""

    notes: list[Note] = field(default_factory=list)
    unread: list[UnreadPart] = field(default_factory=list)
    """Attachments that gave no text, or not all of it."""

    closed: str = ""
    """Why the first container among them that should have held the body is closed."""


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
            _leave_unread([item, *reversed(pending)], used, carried)
            break
        name = _unique_name(_safe_name(item), used)
        where = f"attachment:{name}"
        if isinstance(item, Nested):
            media, size = "message/rfc822", 0
            text = _carried_mail(item.mail, where, carried)
            pending.extend(reversed(item.mail.attachments))
        else:
            media, size = item.media, len(item.data)
            text = _carried_file(item, where, carried)
        if len(text) > room:
            why = f"all attachments together are longer than {MAX_ALL_CHARS} characters"
            carried.unread.append(UnreadPart(part=where, why=why))
        text = text[:room]
        room -= len(text)
        carried.facts.append({"name": name, "media": media, "bytes": size, "read": bool(text)})
        if text.strip():
            carried.texts[name] = text
    return carried


def _carried_mail(mail: Mail, where: str, carried: Carried) -> str:
    text, body = mail_text(mail, where)
    carried.notes.extend(Note(code=n.code, detail=n.detail, where=where) for n in mail.notes)
    carried.notes.extend(body.notes)
    why = body.why_closed
    reasons = [why, *body.unread] if why else body.unread
    carried.unread.extend(UnreadPart(part=where, why=each) for each in dict.fromkeys(reasons))
    return text


def _carried_file(part: Part, where: str, carried: Carried) -> str:
    read = read_part(part, where)
    carried.notes.extend(read.notes)
    why = read.why or ("" if read.text.strip() else EMPTY)
    if why and part.media not in _SIGNATURES:
        carried.unread.append(UnreadPart(part=where, why=why))
    if part.closed and not carried.closed:
        carried.closed = part.closed
    return read.text


def _leave_unread(items: Sequence[Part | Nested], used: set[str], carried: Carried) -> None:
    """Name the attachments beyond the limit, as many as were read."""
    for item in items[:MAX_READ]:
        where = f"attachment:{_unique_name(_safe_name(item), used)}"
        why = f"only the first {MAX_READ} attachments are read"
        carried.unread.append(UnreadPart(part=where, why=why))


def mail_text(mail: Mail, where: str) -> tuple[str, BodyText]:
    """A carried mail as one text: the fields that people look at, then its body in its forms."""
    lines = []
    for name in _SHOWN_FIELDS:
        value = mail.header.get(name)
        if value is not None:
            lines.append(f"{name}: {read_header(value).text}")
    body = read_body(mail.body, where)
    said = body.text
    for other in body.others.values():
        said = f"{said.rstrip()}\n\n{other}"
    said = said[: MAX_TEXT_CHARS + 1]
    return ("\n".join([*lines, "", said]) if lines else said), body


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
