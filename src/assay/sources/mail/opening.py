"""Mend the first lines of a mail, so that what a transport put there does not end its header.

In      the bytes of a mail as they were stored
Out     the same mail with a header that a parser can read
Pure    no clock, no randomness, no I/O
Spec    005-M9: a broken header stays a header

A parser takes the first line that is no field for the end of the header: all fields behind it
become text, the transfer encoding stays on, and the body is lost. A line that is none, with
fields that only mail has right behind it, is left out; a blank before a colon goes.
"""

from __future__ import annotations

import codecs
import re

from assay.sources.mail.mbox import looks_like_message

MAX_HEAD_BYTES = 262_144
"""So far is a header looked at."""

MAX_STRAY = 4
"""Most lines of a header that may be none of its fields, unless programs' fields follow."""

MOST_STRAY = 20
"""Most such lines before fields that only programs write."""

_STRAY_CR = re.compile(rb"\r(?!\n)")
"""Inside a header whose lines end otherwise: for the parser it would end the header."""

_END = re.compile(rb"\r?\n\r?\n")
_LINE = re.compile(rb"[^\n]*\n?")
_FIELD = re.compile(rb"[!-9;-~]{1,200}:")
_SPACED = re.compile(rb"([A-Za-z][A-Za-z0-9-]{0,60})[ \t]{1,10}:")
_KNOWN = re.compile(
    rb"[ \t]{0,10}(?:from|to|cc|subject|date|sender|reply-to|message-id|received|return-path"
    rb"|mime-version|content-type|content-transfer-encoding|delivered-to|envelope-to"
    rb"|x-original-to|in-reply-to|references|dkim-signature|arc-seal)[ \t]{0,10}:",
    re.IGNORECASE,
)
_MACHINE = re.compile(
    rb"(?:received|mime-version|content-|message-id|return-path|delivered-to)", re.IGNORECASE
)
_FRAME = re.compile(rb"[ \t>]{0,10}[-_=*~#.]{2}|[^\n]{0,200}:[ \t]{0,10}\r?\n?\Z")
"""A line above the fields of a forwarded mail: `-----`, `____`, `Begin forwarded message:`."""

_MARKS = (
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def mend_opening(data: bytes) -> bytes:
    """*data* as the parser wants it; a mail whose header is whole comes out as it is."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            data = data[len(mark) :].decode(name, "replace").encode("utf-8")
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    blank = data[:4096].lstrip(b"\x00 \t\r\n")
    if looks_like_message(blank[:4096]):
        data = data.lstrip(b"\x00 \t\r\n")
    end = _END.search(data, 0, MAX_HEAD_BYTES)
    stop = end.start() if end else min(len(data), MAX_HEAD_BYTES)
    return _mend_head(_STRAY_CR.sub(b" ", data[:stop])) + data[stop:]


def _mend_head(head: bytes) -> bytes:
    lines = _LINE.findall(head)[:-1]
    parts = next((n for n, line in enumerate(lines) if line.startswith(b"--")), None)
    if parts == 0:
        return head  # the frame of a forwarded mail, or of a part
    rest = lines[parts:] if parts else []
    lines = lines[:parts]
    return b"".join([*(_mend_lines(lines) or lines), *rest])


def _mend_lines(lines: list[bytes]) -> list[bytes] | None:
    """*lines* as fields; None where it is not sure that they are."""
    lines = list(lines)
    fields = [bool(_FIELD.match(line) or line[:1] in (b" ", b"\t")) for line in lines]
    if lines and lines[0].startswith(b"From "):
        fields[0] = True
    elif lines and lines[0][:1] in (b" ", b"\t"):
        fields[0] = False  # folded, but there is nothing that it could belong to
    stray = [place for place, field in enumerate(fields) if not field]
    spaced = {place for place in stray if _SPACED.match(lines[place].lstrip())}
    for place in spaced:
        lines[place] = _SPACED.sub(rb"\1:", lines[place].lstrip(), count=1)
    stray = [place for place in stray if place not in spaced]
    if spaced and not _are_fields(lines, sure=True):
        return None
    if not stray:
        return lines
    framed = bool(_FRAME.match(lines[0])) or stray[-1] > 0
    many = len(stray) > MAX_STRAY
    behind = lines[stray[-1] + 1 :]
    if len(stray) > MOST_STRAY or not _are_fields(behind, sure=not (framed or many)):
        return None
    first = next(n for n in range(len(lines) + 1) if n not in stray)
    return [
        _mend_line(line, leading=n < first) if n in stray else line for n, line in enumerate(lines)
    ]


def _mend_line(line: bytes, *, leading: bool) -> bytes:
    """A line that is no field: gone at the very start, else a part of the field before it."""
    bare = line.lstrip(b" \t>")
    if _KNOWN.match(bare):
        return bare  # `>From: …`, ` Subject: …`
    return b"" if leading else b" " + line


def _are_fields(lines: list[bytes], *, sure: bool) -> bool:
    """Are among *lines* two fields that mail has, or one that only programs write?

    Args:
        sure: People write the former too, above a mail that they forward; here they did not.
    """
    known = [line for line in lines if _KNOWN.match(line)]
    return (sure and len(known) > 1) or any(_MACHINE.match(line) for line in known)
