"""Find what stands in a text and is no text: PGP messages and signatures, uuencoded files.

In      the text of one part, or its bytes
Out     Bared: the text without them, what was closed, what was not checked; files by name
Pure    no clock, no randomness, no I/O
Spec    005-M8; RFC 9580 6 and 7
"""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass

MAX_FILES = 20
"""Most uuencoded files that are taken out of one text."""

PGP = "is encrypted (PGP)"
SMIME = "is encrypted or signed (S/MIME, written as text)"

_BEGIN = re.compile(r"-----BEGIN (?:PGP|PKCS7|CMS)")
_LINES = re.compile(
    r"^[ \t]{0,8}-----BEGIN (PKCS7|CMS|PGP MESSAGE(?:, PART [0-9/ ]{1,9})?|PGP SIGNED MESSAGE)"
    r"-----[ \t]*$",
    re.M,
)
_SIGNATURE = re.compile(r"^[ \t]{0,8}-----BEGIN PGP SIGNATURE-----[ \t]*$", re.M)
_END = re.compile(r"^[ \t]{0,8}-----END (?:PGP )?[A-Z, 0-9/]{1,40}-----[ \t]*\n?", re.M)
_HASH = re.compile(r"(?:[A-Z][A-Za-z-]{1,30}: [^\n]{0,200}\n){0,10}\n")
_DASHED = re.compile(r"^- ", re.M)
_UU_BEGIN = re.compile(rb"^begin(?:-base64)? [0-7]{3,4} ([^\r\n]{1,200})\r?\n", re.M)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bared:
    """A text without armour."""

    text: str
    closed: str
    """Why what stood in it cannot be read: a PGP message, an S/MIME object as text; or empty."""

    signed: bool
    """A signature was there, and was not checked."""


def strip_armour(text: str) -> Bared:
    """*text* without PGP messages, and without the frame of signed text; never raises.

    Quoted armour (`> -----BEGIN …`) is somebody else's and stays.
    """
    if not _BEGIN.search(text):
        return Bared(text=text, closed="", signed=False)
    pieces: list[str] = []
    closed = ""
    signed = False
    position = 0
    while match := _LINES.search(text, position):
        pieces.append(text[position : match.start()])
        if match[1] != "PGP SIGNED MESSAGE":
            closed = closed or (PGP if match[1].startswith("PGP") else SMIME)
            end = _END.search(text, match.end())
            position = end.end() if end else len(text)
            continue
        signed = True
        start = match.end() + 1
        head = _HASH.match(text, start)
        start = head.end() if head else start
        signature = _SIGNATURE.search(text, start)
        stop = signature.start() if signature else len(text)
        pieces.append(_DASHED.sub("", text[start:stop]))
        end = _END.search(text, stop)
        position = end.end() if end else len(text)
    pieces.append(text[position:])
    return Bared(text="".join(pieces), closed=closed, signed=signed)


def take_uuencoded(data: bytes) -> tuple[bytes, list[tuple[str, bytes]]]:
    """*data* without uuencoded files, and these by name; a block that is none stays."""
    if b"begin" not in data:
        return data, []
    files: list[tuple[str, bytes]] = []
    pieces: list[bytes] = []
    position = 0
    for match in _UU_BEGIN.finditer(data):
        if match.start() < position or len(files) >= MAX_FILES:
            continue
        found = _uu_lines(data, match.end())
        if found is None:
            continue
        content, stop = found
        files.append((match[1].decode("utf-8", "replace").strip(), content))
        pieces.append(data[position : match.start()])
        position = stop
    pieces.append(data[position:])
    return b"".join(pieces), files


def _uu_lines(data: bytes, position: int) -> tuple[bytes, int] | None:
    """The content of a block that starts at *position*, and where it ends; None for no block."""
    content = bytearray()
    while position < len(data):
        stop = data.find(b"\n", position)
        stop = len(data) if stop < 0 else stop
        line = data[position:stop].rstrip(b"\r")
        position = stop + 1
        if line == b"end":
            return (bytes(content), min(position, len(data))) if content else None
        if line in (b"`", b" ", b""):
            continue
        if not 32 < line[0] <= 96 or len(line) > 90:
            return None
        try:
            content += binascii.a2b_uu(line)
        except binascii.Error:
            return None
    return None
