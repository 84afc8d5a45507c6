"""The text of a Rich Text file, and of the HTML that mail programs wrap into one.

In      the bytes of an RTF file
Out     RtfText: its text, or the markup it wraps; or Unreadable
Pure    no clock, no randomness, no I/O: equal bytes give equal text
Spec    005-M8; Rich Text Format 1.9.1, MS-OXRTFEX (wrapped HTML)

Only what makes text is followed: groups, characters, paragraphs, cells, the charset of a font.
Pictures, objects, styles and field codes are passed over, and hidden text is counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from assay.sources.charsets import charset_of_codepage, clean
from assay.sources.reading import MAX_TEXT_CHARS, Unreadable

MAX_TOKENS = 3_000_000
"""Most pieces of a file that are looked at; a letter of a million characters has fewer."""

MAX_GROUPS = 1_000
"""Deepest nesting of groups that is followed."""

_TOKEN = re.compile(
    rb"\\'([0-9A-Fa-f]{2})|\\([A-Za-z]{1,32})(-?[0-9]{1,9})? ?|\\([^A-Za-z])|([{}])|[\r\n]+"
    rb"|([^\\{}\r\n]+)",
    re.DOTALL,
)
_SKIPPED = frozenset(
    b"fonttbl colortbl stylesheet info pict object fldinst listtable listoverridetable rsidtbl"
    b" generator themedata datastore latentstyles xmlnstbl header footer headerl headerr headerf"
    b" footerl footerr footerf filetbl revtbl bkmkstart bkmkend nonshppict mhtmltag"
    b" panose falt".split()
)
"""Destinations without text for a reader."""

_KEPT = frozenset(b"htmltag shppict shptxt fldrslt footnote".split())
"""Starred destinations that are followed; all others are passed over."""

_MARKS = {
    b"par": "\n",
    b"line": "\n",
    b"sect": "\n",
    b"page": "\n",
    b"row": "\n",
    b"tab": "\t",
    b"cell": "\t",
    b"nestcell": "\t",
    b"nestrow": "\n",
    b"emdash": "—",
    b"endash": "–",
    b"bullet": "•",
    b"lquote": "‘",
    b"rquote": "’",
    b"ldblquote": "“",
    b"rdblquote": "”",
    b"emspace": " ",
    b"enspace": " ",
    b"qmspace": " ",
}
_SYMBOLS = {
    b"~": "\xa0",
    b"_": "-",
    b"-": "",
    b"\\": "\\",
    b"{": "{",
    b"}": "}",
    b"\n": "\n",
    b"\r": "\n",
    b"\t": "\t",
}
_FONT_CHARSETS = {
    77: "mac_roman",
    128: "cp932",
    129: "cp949",
    134: "gb18030",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RtfText:
    """An RTF file as text."""

    text: str
    """What a reader sees, or, where `markup`, the HTML that the file wraps."""

    markup: bool
    """`text` is HTML."""

    hidden: int
    """Code points of hidden text that were left out."""

    cut: bool
    """The text was longer than MAX_TEXT_CHARS."""


def looks_like_rtf(data: bytes) -> bool:
    """Do the bytes start as an RTF file does?"""
    return data[:64].lstrip().startswith(b"{\\rtf")


def read_rtf(data: bytes) -> RtfText | Unreadable:
    """The text of *data*; never raises.

    Example:
        >>> read_rtf(b"{\\\\rtf1\\\\ansi Please cancel.\\\\par}").text
        'Please cancel.\\n'
    """
    if not looks_like_rtf(data):
        return Unreadable(reason="is no Rich Text")
    reader = _Reader(markup=b"\\fromhtml" in data[:2048])
    fault = reader.feed(data)
    if fault:
        return Unreadable(reason=fault)
    # Letters beyond the first plane come as two surrogates.
    joined = "".join(reader.pieces).encode("utf-16-le", "surrogatepass")
    text = clean(joined.decode("utf-16-le", "replace")).lstrip("\n")
    if not text.strip():
        return Unreadable(reason="is Rich Text without text")
    limit = MAX_TEXT_CHARS if not reader.markup else 4 * MAX_TEXT_CHARS
    return RtfText(
        text=text[:limit], markup=reader.markup, hidden=reader.hidden, cut=len(text) > limit
    )


@dataclass(frozen=True, slots=True)
class _State:
    """What holds inside one group."""

    skipping: bool = False
    fonts: bool = False
    tag: bool = False
    plain: bool = False  # inside \htmlrtf: only for readers that show no HTML
    vanished: bool = False
    fallback: int = 1
    charset: str = ""


class _Reader:
    """Collects the text of one file."""

    def __init__(self, *, markup: bool) -> None:
        self.markup = markup
        self.pieces: list[str] = []
        self.hidden = 0
        self._state = _State()
        self._stack: list[_State] = []
        self._charset = "cp1252"
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._pending = bytearray()
        self._pending_charset = ""
        self._ignore = 0
        self._starred = False

    def feed(self, data: bytes) -> str:
        """Read all of *data*; what makes it unreadable, or nothing."""
        position = count = 0
        while match := _TOKEN.search(data, position):
            position = match.end()
            count += 1
            if count > MAX_TOKENS:
                return "is Rich Text of more pieces than are allowed"
            if match[5]:
                if match[5] == b"{":
                    if len(self._stack) >= MAX_GROUPS:
                        return "is Rich Text nested deeper than is allowed"
                    self._stack.append(self._state)
                elif self._stack:
                    self._flush()
                    self._state = self._stack.pop()
                self._ignore = 0
            elif match[2]:
                value = int(match[3]) if match[3] else None
                if match[2] == b"bin" and value:
                    position += max(0, value)
                else:
                    self._word(match[2], value)
            elif match[1]:
                self._add_bytes(bytes([int(match[1], 16)]))
            elif match[4]:
                self._symbol(match[4])
            elif match[6]:
                self._add_bytes(match[6])
            if match[5] or match[4] != b"*":
                self._starred = self._starred and not (match[2] or match[5])
        self._flush()
        return ""

    def _word(self, word: bytes, value: int | None) -> None:
        starred = self._starred
        if word in _SKIPPED or (starred and word not in _KEPT):
            self._state = replace(self._state, skipping=True, fonts=word == b"fonttbl")
        elif word == b"htmltag":
            self._state = replace(self._state, tag=True, plain=False)
        elif word == b"htmlrtf":
            self._state = replace(self._state, plain=value != 0)
        elif word == b"v":
            self._state = replace(self._state, vanished=value != 0)
        elif word == b"plain":
            self._state = replace(self._state, vanished=False)
        elif word == b"uc":
            self._state = replace(self._state, fallback=max(0, min(value or 0, 16)))
        elif word == b"u" and value is not None:
            self._add_unicode(value)
        elif word in (b"f", b"fcharset", b"ansicpg", b"mac", b"pc", b"pca"):
            self._charsets(word, value)
        elif word in _MARKS:
            self._ignore = 0
            self._add(_MARKS[word])

    def _charsets(self, word: bytes, value: int | None) -> None:
        if word == b"ansicpg":
            self._charset = _codepage(value or 1252)
        elif word in (b"mac", b"pc", b"pca"):
            self._charset = {b"mac": "mac_roman", b"pc": "cp437", b"pca": "cp850"}[word]
        elif word == b"f" and self._state.fonts:
            self._font = value or 0
        elif word == b"fcharset" and self._state.fonts:
            self._fonts[self._font] = _FONT_CHARSETS.get(value or 0, "")
        elif word == b"f":
            self._state = replace(self._state, charset=self._fonts.get(value or 0, ""))

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self._starred = True
        else:
            self._add(_SYMBOLS.get(symbol, ""))

    def _add_unicode(self, value: int) -> None:
        number = value + 65536 if value < 0 else value
        if number <= 0x10FFFF:
            self._add(chr(number))
        self._ignore = self._state.fallback

    def _add_bytes(self, data: bytes) -> None:
        if self._ignore:
            taken = min(self._ignore, len(data))
            self._ignore -= taken
            data = data[taken:]
        if not data or self._silent(len(data)):
            return
        charset = self._state.charset or self._charset
        if charset != self._pending_charset:
            self._flush()
            self._pending_charset = charset
        self._pending += data

    def _add(self, text: str) -> None:
        if text and not self._silent(len(text)):
            self._flush()
            self.pieces.append(text)

    def _silent(self, length: int) -> bool:
        state = self._state
        if state.skipping or (self.markup and state.plain and not state.tag):
            return True
        if state.vanished and not state.tag:
            self.hidden += length
            return True
        return False

    def _flush(self) -> None:
        if self._pending:
            self.pieces.append(self._pending.decode(self._pending_charset or "cp1252", "replace"))
            self._pending.clear()


def _codepage(number: int) -> str:
    """The codec of a file's code page; its text is never in UTF-16, though some claim it."""
    name = charset_of_codepage(number)
    try:
        b"".decode(name)
    except LookupError:
        return "cp1252"
    return "cp1252" if name.startswith("utf-16") else name
