"""Read header fields as people see them, however broken their encoding is.

In      a header value as the `email` package keeps it (ASCII, other bytes as surrogates)
Out     text, addresses
Pure    no clock, no randomness, no I/O
Spec    000, sources of evidence (`subject`); RFC 2047, RFC 5322 as far as mail obeys them
"""

from __future__ import annotations

import binascii
import email.utils
import re
from dataclasses import dataclass

from assay.sources.charsets import clean, decode

MAX_HEADER_CHARS = 16_384
"""Longest header value looked at: parsing some of them takes time quadratic in their length."""

_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?(.{0,2000}?)\?=", re.DOTALL)
_FOLD = re.compile(r"[\r\n]+[ \t]*")
_ADDRESS = re.compile(r"[^\s<>,;:\"()\[\]]{1,128}@[^\s<>,;:\"()\[\]]{1,255}")
_HEX = re.compile(rb"=([0-9A-Fa-f]{2})")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")
_CONTROLS = re.compile("[\x01-\x08\x0b-\x1f\x7f\x80-\x9f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderText:
    """A header value as text."""

    text: str
    """One line; no control character."""

    guesses: tuple[tuple[str, str], ...]
    """Codes of notes with the charset claimed (`charset.unknown`, `bogus`), without repeats."""


def read_header(value: object) -> HeaderText:
    """Unfold *value* and decode its encoded words; never raises.

    Words that stand side by side are joined as bytes first, since many programs cut them
    inside a letter. What is no encoded word but holds bytes is read as UTF-8 or windows-1252.
    """
    raw = _FOLD.sub(" ", str(value)[:MAX_HEADER_CHARS])
    pieces: list[str] = []
    guesses: dict[tuple[str, str], None] = {}
    pending = b""
    charset = ""

    def flush() -> None:
        nonlocal pending
        if pending:
            _append(pieces, guesses, pending, charset)
        pending = b""

    position = 0
    for match in _WORD.finditer(raw):
        between = raw[position : match.start()]
        claimed = match[1].partition("*")[0]
        adjacent = position > 0 and not between.strip()
        if not adjacent or claimed.lower() != charset.lower():
            flush()
        if between and not adjacent:
            _append(pieces, guesses, _bytes(between), "")
        charset = claimed
        pending += _word_bytes(match[2], _bytes(match[3]))
        position = match.end()
    flush()
    if position < len(raw):
        _append(pieces, guesses, _bytes(raw[position:]), "")
    text = _CONTROLS.sub(" ", "".join(pieces).replace("\n", " ")).strip()
    return HeaderText(text=text, guesses=tuple(guesses))


def read_addresses(value: object, *, limit: int = 50) -> tuple[str, ...]:
    """The addresses of a header value as written, at most *limit*; never raises."""
    raw = _FOLD.sub(" ", str(value)[:MAX_HEADER_CHARS])
    try:
        pairs = email.utils.getaddresses([raw])
    except (ValueError, IndexError, TypeError, RecursionError):
        pairs = []
    found = [address for _, address in pairs if "@" in address and " " not in address]
    if not found:
        found = [match.group() for match in _ADDRESS.finditer(read_header(raw).text)]
    return tuple(dict.fromkeys(clean(decode(_bytes(address)).text) for address in found))[:limit]


def read_date(value: object) -> str | None:
    """A Date header as RFC 3339 with its own offset; None when it is no date of a mail."""
    try:
        return email.utils.parsedate_to_datetime(str(value)[:200]).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _append(
    pieces: list[str], guesses: dict[tuple[str, str], None], data: bytes, charset: str
) -> None:
    decoded = decode(data, charset or None)
    if decoded.guess:
        guesses[decoded.guess, decoded.claimed] = None
    pieces.append(decoded.text)


def _bytes(text: str) -> bytes:
    """Back to the bytes that the parser saw."""
    return text.encode("utf-8", "surrogateescape" if _escape_bytes(text) else "replace")


def _escape_bytes(text: str) -> bool:
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeError:
        return False
    return True


def _word_bytes(encoding: str, data: bytes) -> bytes:
    """The bytes that an encoded word stands for; what is damaged is taken as far as it goes."""
    if encoding in "qQ":
        plain = data.replace(b"_", b" ")
        return _HEX.sub(lambda match: bytes([int(match[1], 16)]), plain)
    kept = _NOT_BASE64.sub(b"", data)
    kept = kept[:-1] if len(kept) % 4 == 1 else kept
    try:
        return binascii.a2b_base64(kept + b"=" * (-len(kept) % 4))
    except binascii.Error:
        return data
