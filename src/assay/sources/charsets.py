"""Turn foreign bytes into text without ever failing, and say what had to be guessed.

In      bytes, and the charset they claim to be in
Out     Decoded: text with LF line ends, the charset that fitted, what was guessed
Pure    no clock, no randomness, no I/O
Spec    000-C3: offsets and digests are of the text on record; 005-M8

Order: a byte order mark, the charset claimed, UTF-8, the siblings of the claim and what the
letters look like (`charset_guess`), windows-1252; each strictly. What fits nothing comes out as
`charset.undecodable`, and is no text. The text that comes out is what goes on record, so it
holds neither NUL nor a lone surrogate.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from assay.sources.charset_guess import guess_better, guess_reading, read_escapes, read_wide

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

_CODEPAGES = {
    936: "gb18030",
    1200: "utf-16-le",
    10000: "mac_roman",
    20127: "us-ascii",
    20866: "koi8-r",
    21866: "koi8-u",
    50220: "iso-2022-jp",
    50221: "iso-2022-jp",
    51932: "euc-jp",
    65001: "utf-8",
}
"""Code pages of Windows whose charset is not called after their number."""

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

_WIDE = ("utf-16", "utf-32")
_ONE_BYTE = ("iso8859", "cp125", "ascii", "mac-", "latin", "koi8", "cp866")
"""Charsets in which nearly any bytes are text."""

_BEYOND = re.compile("[^\x00-\x7f]")
_IN_WORDS = re.compile(
    "(?<=[A-Za-z])[^\x00-\xbf]|[^\x00-\xbf](?=[A-Za-z])|[\xa0-\xbf\u2010-\u2122]"
)

_STRANGE = re.compile("[\x00-\x08\x0b\r\x0e-\x1a\x1c-\x1f\ufffd]")
_WORD_OF_LETTERS = re.compile(r"(?<![^\W_])[^\W\d_]{2,}")
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
    `charset.damaged` (some bytes fit nothing and became U+FFFD), `charset.undecodable` (no
    charset gives plausible text: what stands in `text` is a stopgap that nobody may judge)."""

    claimed: str
    """The claim, shortened and in printable ASCII, for that note."""


def decode(data: bytes, claimed: str | None = None) -> Decoded:
    """Decode *data* strictly: as *claimed*, as UTF-8, as what its letters say it is.

    Text that is in a charset but for a few broken places is read with U+FFFD in these, since
    any other charset would spoil every other letter of it.

    Example:
        >>> decode(b"caf\\xc3\\xa9", "bogus").guess
        'charset.unknown'

    Spec: 005-M8.
    """
    shown = _is_printable(claimed or "")
    codec = _codec(claimed)
    for mark, name in _MARKS:
        if data.startswith(mark):
            text = data[len(mark) :].decode(name, "replace")
            return _make_decoded(text, name, "", shown)
    guess = "charset.wrong" if codec else "charset.unknown" if claimed else "charset.missing"
    if codec is not None and not _contradicts(data, codec):
        text_or_none = _decode_strictly(data, codec)
        if text_or_none is not None:
            better = None if _is_unicode(codec) else guess_better(data, codec, text_or_none)
            if better is None:
                return _make_decoded(text_or_none, codec, "", shown)
            return _make_decoded(better.text, better.codec, guess, shown)
    found = read_wide(data) or read_escapes(data)
    if found is not None:
        return _make_decoded(found.text, found.codec, guess, shown)
    if codec is not None and codec.startswith(_STATEFUL) and b"\x1b" in data:
        return _make_decoded(_decode_lines(data, codec), codec, "charset.damaged", shown)
    text_or_none = _decode_strictly(data, "utf-8")
    if text_or_none is not None and not (codec or "").startswith(_STATEFUL + _WIDE):
        guess = "" if guess == "charset.missing" and data.isascii() else guess
        return _make_decoded(text_or_none, "utf-8", guess, shown)
    if text_or_none is not None and "\x1b" not in text_or_none:
        return _make_decoded(text_or_none, "utf-8", guess, shown)
    if _mostly_utf8(data):
        return _make_decoded(data.decode("utf-8", "replace"), "utf-8", "charset.damaged", shown)
    found = guess_reading(data, codec)
    if found is not None:
        return _make_decoded(found.text, found.codec, guess, shown)
    return _decode_damaged(data, codec, guess, shown)


def _decode_lines(data: bytes, codec: str) -> str:
    """*data* line by line: where escapes switch letters, each line stands for itself."""
    lines: list[str] = []
    for line in data.split(b"\n"):
        text = _decode_strictly(line, codec)
        if text is None and b"\x1b" not in line:
            text = _decode_strictly(line, "utf-8")
            found = guess_reading(line, codec) if text is None else None
            text = found.text if found else text
        lines.append(line.decode(codec, "replace") if text is None else text)
    return "\n".join(lines)


def _decode_damaged(data: bytes, codec: str | None, guess: str, shown: str) -> Decoded:
    """*data* that is in no charset as a whole: in one but for a few places, or in none."""
    superset = _SUPERSETS.get(codec or "", codec or "")
    for name in dict.fromkeys((superset, "utf-8")):
        text = data.decode(name, "replace") if name else "\ufffd"
        if text.count("\ufffd") * 20 <= len(text):
            return _make_decoded(text, name, "charset.damaged", shown)
    text = data.decode("cp1252", "replace")
    return _make_decoded(text, "cp1252", guess if _is_latin(text) else "charset.undecodable", shown)


def _contradicts(data: bytes, codec: str) -> bool:
    """Do the bytes show that they are not in *codec*, though they can be decoded with it?"""
    if codec.startswith(_WIDE):
        if b"\x00" in data:
            return False
        found = guess_reading(data, None)
        return _decode_strictly(data, "utf-8") is not None or (
            found is not None and not found.codec.startswith(_WIDE)
        )
    if read_wide(data) or (not codec.startswith(_STATEFUL) and read_escapes(data)):
        return True
    if data.isascii() or not codec.startswith(_ONE_BYTE):
        return False
    several = len(_SEQUENCES.findall(data[:65536])) > 1
    return several and _decode_strictly(data, "utf-8") is not None


def _is_unicode(codec: str) -> bool:
    return codec.startswith(("utf", *_STATEFUL))


def _is_latin(text: str) -> bool:
    """Do the characters beyond ASCII stand where a Latin script has them?"""
    beyond = _BEYOND.findall(text[:65536])
    return len(_IN_WORDS.findall(text[:65536])) * 10 >= len(beyond) * 6


def charset_of_codepage(number: int) -> str:
    """The name of the charset that a code page of Windows is; there may be no such charset.

    Example:
        >>> charset_of_codepage(28592), charset_of_codepage(1250)
        ('iso-8859-2', 'cp1250')
    """
    if 28590 < number < 28606:
        return f"iso-8859-{number - 28590}"
    return _CODEPAGES.get(number, f"cp{number}")


def clean(text: str) -> str:
    """*text* as it may go on record: LF line ends, NUL and lone surrogates as U+FFFD."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\ufffd")
    return _SURROGATES.sub("\ufffd", text)


def is_binary(text: str) -> bool:
    """Is *text* so full of control and replacement characters that it cannot be one?

    A short text may hold more of them: `ok`, a bell and a few words are what somebody typed.
    """
    sample = text[:8192]
    strange = len(_STRANGE.findall(sample))
    if strange * 10 <= len(sample):
        return False
    if len(text) > 300:
        return True
    # Short: binary headers (PNG, ZIP) hold hardly a letter between their control characters.
    letters = sum(1 for char in sample if char.isalnum() or char == " ")
    words = len(_WORD_OF_LETTERS.findall(sample))
    return letters < strange * 1.5 or not words


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
