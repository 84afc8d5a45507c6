"""Turn foreign bytes into text without ever failing, and say what had to be guessed.

In      bytes, and the charset they claim to be in
Out     Decoded: text with LF line ends, the charset that fitted, what was guessed
Pure    no clock, no randomness, no I/O
Spec    000-C3: offsets and digests are of the text on record

Order: a byte order mark, the charset claimed, UTF-8, windows-1252; each strictly. The text that
comes out is what goes on record, so it holds neither NUL nor a lone surrogate.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:+()-]{0,39}")

_NO_CHARSET = ("idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "mbcs")
"""Codecs of Python that are no charset of a mail."""

_SUPERSETS = {
    # What programs write under the smaller name; each decodes the smaller one identically.
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "big5": "cp950",
    "iso2022_jp": "iso2022_jp_ext",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
}

_STATEFUL = ("iso2022", "hz")
"""Seven-bit charsets: their bytes are valid UTF-8 too, so a guess would yield line noise."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_SEQUENCES = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}|\xe0[\xa0-\xbf][\x80-\xbf]"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf4][\x80-\xbf]{3}"
)

_STRANGE = re.compile("[\x00-\x08\x0b\r\x0e-\x1a\x1c-\x1f\ufffd]")
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """Text, and how it was had from the bytes."""

    text: str
    """LF line ends; no NUL, no lone surrogate."""

    charset: str
    """The codec that fitted."""

    guess: str
    """Empty when the claim held; else the code of a note: `charset.unknown` (no such charset),
    `charset.wrong` (the bytes are not in it), `charset.missing` (none claimed, not ASCII),
    `charset.damaged` (some bytes fit nothing and became U+FFFD)."""

    claimed: str
    """The claim, shortened and in printable ASCII, for that note."""


def decode(data: bytes, claimed: str | None = None) -> Decoded:
    """Decode *data* strictly: as *claimed*, as UTF-8, as windows-1252, in this order.

    Text that is UTF-8 but for a few broken places is read as UTF-8 with U+FFFD in these, since
    windows-1252 would spoil every other letter of it.

    Example:
        >>> decode(b"caf\\xc3\\xa9", "bogus").guess
        'charset.unknown'
    """
    shown = _is_printable(claimed or "")
    codec = _codec(claimed)
    for mark, name in _MARKS:
        if data.startswith(mark):
            text = data[len(mark) :].decode(name, "replace")
            return _make_decoded(text, name, "", shown)
    if codec is not None:
        text_or_none = _decode_strictly(data, codec)
        if text_or_none is not None:
            return _make_decoded(text_or_none, codec, "", shown)
        if codec.startswith(_STATEFUL):
            return _make_decoded(data.decode(codec, "replace"), codec, "charset.damaged", shown)
        guess = "charset.wrong"
    elif claimed:
        guess = "charset.unknown"
    else:
        guess = "" if data.isascii() else "charset.missing"
    text_or_none = _decode_strictly(data, "utf-8")
    if text_or_none is not None:
        return _make_decoded(text_or_none, "utf-8", guess, shown)
    if _mostly_utf8(data):
        return _make_decoded(data.decode("utf-8", "replace"), "utf-8", "charset.damaged", shown)
    return _make_decoded(data.decode("cp1252", "replace"), "cp1252", guess, shown)


def clean(text: str) -> str:
    """*text* as it may go on record: LF line ends, NUL and lone surrogates as U+FFFD."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\ufffd")
    return _SURROGATES.sub("\ufffd", text)


def is_binary(text: str) -> bool:
    """Is *text* so full of control and replacement characters that it cannot be one?"""
    sample = text[:8192]
    return len(_STRANGE.findall(sample)) * 10 > len(sample)


def _make_decoded(text: str, charset: str, guess: str, claimed: str) -> Decoded:
    return Decoded(text=clean(text), charset=charset, guess=guess, claimed=claimed)


def _codec(claimed: str | None) -> str | None:
    """The Python codec for a charset name of a mail; None when there is none that may be used."""
    name = (claimed or "").strip().strip("\"'").strip()
    if not _NAME.fullmatch(name):
        return None
    lower = name.lower()
    # Names in use that Python does not know: x-sjis, cp-850, iso-8859-8-i.
    for spelling in (
        lower,
        lower.removeprefix("x-"),
        lower.replace("cp-", "cp", 1),
        lower.removesuffix("-i").removesuffix("-e"),
    ):
        try:
            found = codecs.lookup(spelling).name
            "a".encode(found)  # a LookupError for what turns bytes into bytes, as `hex`
        except (LookupError, UnicodeError, ValueError):
            continue
        return None if found.replace("_", "-") in _NO_CHARSET else found
    return None


def _decode_strictly(data: bytes, codec: str) -> str | None:
    """*data* in *codec*, or in the superset that programs write under its name."""
    names = [codec, _SUPERSETS[codec]] if codec in _SUPERSETS else [codec]
    if codec == "iso8859-1":
        # Its C1 range is what windows-1252 fills with quotes and dashes; nobody mails C1.
        names.reverse()
    for name in names:
        try:
            return data.decode(name)
        except (UnicodeError, ValueError, LookupError):
            continue
    return None


def _mostly_utf8(data: bytes) -> bool:
    """Are most of the non-ASCII bytes parts of valid UTF-8 sequences?"""
    high = sum(1 for byte in data[:65536] if byte >= 0x80)
    valid = sum(len(match) for match in _SEQUENCES.findall(data[:65536]))
    return valid > 2 and valid * 10 >= high * 8


def _is_printable(claimed: str) -> str:
    return "".join(char if " " < char < "\x7f" else "?" for char in claimed[:40])
