"""The text of one part of a mail, whatever kind of file it is.

In      Part
Out     ReadPart: its text, notes on what was guessed or left out, why it gave none
Pure    no clock, no randomness, no I/O: equal parts give equal texts
Spec    000, sources of evidence; 005-M8 (tried as what its bytes are)
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from assay.sources.charsets import decode, is_binary
from assay.sources.documents.docx import read_docx
from assay.sources.documents.html import declared_charset, read_html
from assay.sources.documents.pdf import read_pdf
from assay.sources.documents.rtf import looks_like_rtf, read_rtf
from assay.sources.mail.armour import PGP, strip_armour
from assay.sources.mail.flowed import unflow
from assay.sources.mail.leaves import Part
from assay.sources.mail.simple_markup import read_calendar, read_enriched
from assay.sources.reading import MAX_TEXT_CHARS, Note, Unreadable, hidden_note

_TEXT_MEDIA = re.compile(
    r"text/.*|message/.*|application/(?:json|xml|csv|x-csv|yaml|ld\+json|ics|.*\+xml|.*\+json)"
)
_TEXT_NAME = re.compile(r".*\.(?:txt|text|csv|tsv|md|json|xml|log|ics|vcf|yaml|yml|eml)", re.DOTALL)
_HTML_NAME = re.compile(r".*\.x?html?", re.DOTALL)
_PGP_NAME = re.compile(r".*\.(?:pgp|gpg)", re.DOTALL)
_MARKUP = ("text/html", "application/xhtml+xml", "text/x-amp-html")
_RTF = ("text/rtf", "application/rtf", "application/x-rtf", "text/richtext+rtf")
_IMAGE = re.compile(r"<(?:img|image|picture|svg|v:imagedata)\b", re.IGNORECASE)
_KINDS = {"image": "is an image", "audio": "is a sound", "video": "is a film"}

SIGNED = Note(
    code="pgp.signature_not_checked",
    detail="the text was signed (PGP); the signature was taken off and not checked",
)
CUT = f"only its first {MAX_TEXT_CHARS} characters were read"
UNDECODABLE = "holds no text, only bytes that fit no charset that was tried"


@dataclass(slots=True)
class ReadPart:
    """What came out of one part."""

    text: str = ""
    notes: list[Note] = field(default_factory=list)
    why: str = ""
    """Why it gave no text, or not all of it; empty when it is read, or holds nothing."""

    image: bool = False
    """It shows an image."""


def read_part(part: Part, where: str, *, quotes: bool = False) -> ReadPart:
    """The text of *part*; empty with the reason when it has none.

    Args:
        where: The name of the text, for notes.
        quotes: Begin each line of a quotation in HTML with `> `, as in a body.
    """
    if part.closed:
        return ReadPart(why=part.closed, notes=[_note("part.unreadable", part.closed, where)])
    name = part.name.lower()
    head = part.data[:1024]
    if part.media == "application/pdf" or name.endswith(".pdf") or head.startswith(b"%PDF-"):
        return _pdf(part.data, where)
    if name.endswith(".docx") or "wordprocessingml.document" in part.media:
        return _docx(part.data, where)
    if _PGP_NAME.fullmatch(name) or part.media == "application/pgp-encrypted":
        return _without_text(part, where, PGP)
    if looks_like_rtf(part.data):
        return _rtf(part, where, quotes=quotes)
    if part.media in _RTF and part.data.strip():
        return _without_text(part, where, "is no Rich Text, though it is called so")
    markup = part.media in _MARKUP or bool(_HTML_NAME.fullmatch(name))
    unnamed = part.media == "application/octet-stream" and not name
    if not (markup or unnamed or _TEXT_MEDIA.fullmatch(part.media) or _TEXT_NAME.fullmatch(name)):
        return _without_text(part, where, _kind(part))
    return _text(part, where, markup=markup, quotes=quotes)


def cut_text(text: str, read: ReadPart, where: str) -> str:
    """*text* up to MAX_TEXT_CHARS; says so in *read* if that leaves something out."""
    if len(text) > MAX_TEXT_CHARS:
        detail = f"{len(text)} code points; the first {MAX_TEXT_CHARS} were kept"
        read.notes.append(_note("text.cut", detail, where))
        read.why = CUT
    return text[:MAX_TEXT_CHARS]


def _text(part: Part, where: str, *, markup: bool, quotes: bool) -> ReadPart:
    claimed = part.charset or (declared_charset(part.data) if markup else None)
    decoded = decode(part.data, claimed)
    if decoded.guess == "charset.undecodable":
        return _without_text(part, where, UNDECODABLE)
    if is_binary(decoded.text):
        return _without_text(part, where, "holds no text, only other data")
    read = ReadPart()
    if part.damaged:
        detail = "the transfer encoding is broken; read as far as it goes"
        read.notes.append(_note("transfer.damaged", detail, where))
    if decoded.guess:
        detail = f"claimed {decoded.claimed or 'nothing'}, read as {decoded.charset}"
        read.notes.append(_note(decoded.guess, detail, where))
    text = decoded.text
    if markup:
        return _markup(text, read, where, quotes=quotes)
    if part.media in ("text/enriched", "text/richtext"):
        text = read_enriched(text)
    elif quotes and part.media in ("text/calendar", "application/ics"):
        text = read_calendar(text)
    if part.flowed:
        text = unflow(text, delete_space=part.flowed == "delsp")
    read.text = cut_text(_strip_armour(text, read, where), read, where)
    return read


def _strip_armour(text: str, read: ReadPart, where: str) -> str:
    bared = strip_armour(text)
    if bared.signed:
        read.notes.append(_note(SIGNED.code, SIGNED.detail, where))
    if bared.closed:
        read.notes.append(_note("part.unreadable", bared.closed, where))
        read.why = bared.closed
    return bared.text


def _markup(markup: str, read: ReadPart, where: str, *, quotes: bool) -> ReadPart:
    shown = read_html(markup, mark_quotes=quotes)
    read.notes.extend(hidden_note(shown.hidden, where))
    read.image = bool(_IMAGE.search(markup))
    read.text = cut_text(_strip_armour(shown.text, read, where), read, where)
    if shown.cut:
        read.why = "only its beginning was read: it is longer than is allowed"
    if not shown.text.strip() and shown.hidden:
        read.why = "holds only text that is invisible to a reader"
    return read


def _pdf(data: bytes, where: str) -> ReadPart:
    pages = read_pdf(data)
    if isinstance(pages, Unreadable):
        return ReadPart(why=pages.reason, notes=[_note("part.unreadable", pages.reason, where)])
    found = [note for note in pages.notes if note.code != "picture.unread"]
    read = ReadPart(notes=[_note(note.code, note.detail, where) for note in found])
    if read.notes:
        read.why = "not all its pages were read"
    read.text = cut_text("\n\f\n".join(pages.texts), read, where)
    return read


def _docx(data: bytes, where: str) -> ReadPart:
    found = read_docx(data)
    if isinstance(found, Unreadable):
        return ReadPart(why=found.reason, notes=[_note("part.unreadable", found.reason, where)])
    notes = [_note(each.code, each.detail, where) for each in found.notes]
    hidden = [note for note in notes if note.code == "text.hidden"]
    cut = any(note.code in ("text.cut", "table.cut") for note in notes)
    return ReadPart(text=found.text, notes=hidden, why=CUT if cut else "")


def _rtf(part: Part, where: str, *, quotes: bool) -> ReadPart:
    found = read_rtf(part.data)
    if isinstance(found, Unreadable):
        return ReadPart(why=found.reason, notes=[_note("part.unreadable", found.reason, where)])
    read = ReadPart(notes=hidden_note(found.hidden, where))
    if found.markup:
        return _markup(found.text, read, where, quotes=quotes)
    read.text = found.text
    if found.cut:
        read.why = CUT
    return read


def _without_text(part: Part, where: str, why: str) -> ReadPart:
    detail = f"{part.media[:60]}, {len(part.data)} bytes"
    image = part.media.startswith("image/")
    return ReadPart(why=why, notes=[_note("part.not_text", detail, where)], image=image)


def _kind(part: Part) -> str:
    """What a file that is no text is, in plain words."""
    return _KINDS.get(part.media.partition("/")[0], "is of a kind that is not read")


def _note(code: str, detail: str, where: str) -> Note:
    return Note(code=code, detail=detail, where=where)
