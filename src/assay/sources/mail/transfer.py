"""Take the transfer encoding off a part, also where what is claimed and what is there differ.

In      the raw content of a leaf, and the encoding claimed
Out     its bytes, and whether something had to be guessed
Pure    no clock, no randomness, no I/O
Spec    005-M8; RFC 2045 6
"""

from __future__ import annotations

import binascii
import quopri
import re

_BASE64_LINE = re.compile(rb"[A-Za-z0-9+/]+={0,2}")
_ALL = re.compile(rb"[A-Za-z0-9+/=\s]*")
_LONG_LINE = re.compile(rb"[A-Za-z0-9+/]{56,}={0,2}")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")
_SPACED_LINE = re.compile(rb"[^\s][ \t]{1,20}[^\s]")
_ESCAPE = re.compile(rb"=(?:[0-9A-F]{2}|\r?\n)")
_SOFT = re.compile(rb"=[ \t]{0,20}\r?\n")
_NOT_ESCAPE = re.compile(rb"=(?![0-9A-Fa-f]{2}|[ \t]{0,20}\r?\n)")
_WORDS = re.compile(rb"[A-Za-z]{1,30}[ ,.!?]{1,3}[A-Za-z]")


def decode_base64(raw: bytes, *, text: bool) -> tuple[bytes, bool]:
    """The content of *raw*, which claims to be base64; whether it was damaged or is none.

    Args:
        text: It is to be a text; a picture is taken as far as it goes.

    A list or a scanner often writes its footer behind the last line: from the first line that
    cannot be base64, the rest is kept as it stands.
    """
    if not text:
        return _strictly(b"".join(raw.split())) if _ALL.fullmatch(raw) else (_lenient(raw), True)
    if _SPACED_LINE.search(raw) and _ALL.fullmatch(raw):
        data, damaged = _strictly(b"".join(raw.split()))
        if not damaged and _reads_as_text(data):
            return data, False  # blanks within the lines mean nothing, as RFC 2045 has it
    lines = raw.splitlines()
    stop = 0
    while stop < len(lines) and (
        not lines[stop].strip() or _BASE64_LINE.fullmatch(lines[stop].strip())
    ):
        stop += 1
    # A single word is base64 too; so a footer's last words do not count as its first line.
    rest = b"\n".join(lines[stop:]).strip()
    data, damaged = _strictly(b"".join(line.strip() for line in lines[:stop]))
    if not rest:
        if damaged and not _LONG_LINE.search(raw) and not _reads_as_text(data):
            return raw, True  # a word or two
        return data, damaged
    if not any(len(line.strip()) >= 4 for line in lines[:stop]):
        return (raw if _WORDS.search(raw[:4096]) else _lenient(raw)), True
    if _WORDS.search(rest[:4096]):
        return data + b"\n\n" + rest, True
    return _lenient(raw), True


def guess_encoding(raw: bytes, *, text: bool) -> tuple[bytes, str]:
    """The content of a text part that claims no encoding, and the one that it plainly has.

    Whole lines of nothing but base64, or soft breaks together with escapes, are no writing of
    a person.
    """
    if not text or not raw.isascii():
        return raw, ""
    lines = [line.strip() for line in raw.splitlines() if line.strip()]
    if lines and all(_BASE64_LINE.fullmatch(line) for line in lines):
        longest = max(len(line) for line in lines)
        whole = sum(len(line) for line in lines) % 4 == 0
        if whole and (len(lines) > 1 or longest >= 40) and _LONG_LINE.fullmatch(lines[0]):
            data, damaged = _strictly(b"".join(lines))
            if not damaged and _reads_as_text(data):
                return data, "base64"
    if _SOFT.search(raw) and len(_ESCAPE.findall(raw)) > 2 and not _NOT_ESCAPE.search(raw):
        data = quopri.decodestring(raw)
        if _reads_as_text(data):
            return data, "quoted-printable"
    return raw, ""


def _strictly(joined: bytes) -> tuple[bytes, bool]:
    """*joined* decoded; whether its padding was missing, wrong, or in the middle."""
    chunks = [chunk for chunk in joined.split(b"=") if chunk]
    ends = len(joined) - len(joined.rstrip(b"="))
    damaged = len(chunks) > 1 or (bool(chunks) and ends != -len(chunks[0]) % 4)
    return b"".join(map(_lenient, chunks)), damaged


def _lenient(raw: bytes) -> bytes:
    kept = _NOT_BASE64.sub(b"", raw)
    kept = kept[:-1] if len(kept) % 4 == 1 else kept
    try:
        return binascii.a2b_base64(kept + b"=" * (-len(kept) % 4))
    except binascii.Error:
        return raw


def _reads_as_text(data: bytes) -> bool:
    try:
        text = data.decode("utf-8")
    except UnicodeError:
        return False
    return all(char.isprintable() or char in "\t\r\n" for char in text[:8192])
