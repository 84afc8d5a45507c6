"""Read a mail that Outlook saved as a file (`.msg`).

In      the bytes of an OLE compound file
Out     the mail inside, as a tree of parts; or why there is none
Pure    no clock, no randomness, nothing but bytes in memory: equal bytes give equal mails
Spec    005-M8; MS-OXMSG, MS-CFB
"""

from __future__ import annotations

import io
import re
from collections import defaultdict
from email.message import Message as Node

import olefile

from assay.sources.mail.mapi import (
    FILE_DATA,
    INTEGER,
    OBJECT,
    TIME,
    Item,
    Properties,
    attach_file,
    build_mail,
)
from assay.sources.reading import MAX_INPUT_BYTES

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How every compound file begins: `.msg`, and the old Word, Excel and PowerPoint files."""

MAX_STREAMS = 20_000
"""Most streams of one file; a mail with two hundred files has some six thousand."""

MAX_DEPTH = 10
"""Deepest nesting of mails inside the file that is followed."""

DAMAGED = "is a damaged Outlook file"

_STREAM = re.compile(r"__substg1\.0_([0-9A-F]{4})([0-9A-F]{4})", re.IGNORECASE)
_FILE = re.compile(r"__attach_version1\.0_#[0-9A-F]{1,8}", re.IGNORECASE)
_FIXED = "__properties_version1.0"
_INNER = f"__substg1.0_{FILE_DATA:04X}{OBJECT:04X}"
_TOP_HEADER, _INNER_HEADER, _FILE_HEADER = 32, 24, 8
_NAME_BYTES = _FIXED.encode("utf-16-le")


def looks_like_outlook(data: bytes) -> bool:
    """Is *data* a compound file that holds a mail?"""
    return data.startswith(OLE) and _NAME_BYTES in data


def read_outlook(data: bytes) -> Node | str:
    """The mail in *data*, or why there is none; never raises."""
    if not looks_like_outlook(data):
        return DAMAGED
    try:
        with olefile.OleFileIO(io.BytesIO(data), raise_defects=olefile.DEFECT_INCORRECT) as ole:
            return build_mail(_Folder(ole).item((), _TOP_HEADER, 0))
    except Exception:  # damaged files raise half a dozen unrelated types
        return DAMAGED


class _Folder:
    """The streams of one file by the storage that they lie in."""

    def __init__(self, ole: olefile.OleFileIO) -> None:
        self._ole = ole
        self._room = 2 * MAX_INPUT_BYTES
        self._below: dict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
        for number, path in enumerate(ole.listdir(streams=True, storages=True)):
            if number >= MAX_STREAMS:
                break
            self._below[tuple(part.lower() for part in path[:-1])][path[-1].lower()] = path[-1]

    def item(self, folder: tuple[str, ...], header: int, depth: int) -> Item:
        """The mail whose properties lie in *folder*."""
        item = Item(properties=self._properties(folder, header))
        for name in sorted(self._below.get(folder, {})):
            if _FILE.fullmatch(name):
                item.attachments.append(self._file((*folder, name), depth))
        return item

    def _file(self, folder: tuple[str, ...], depth: int) -> Node:
        def read() -> Node | None:
            inner = (*folder, _INNER.lower())
            if depth >= MAX_DEPTH or _FIXED not in self._below.get(inner, {}):
                return None
            return build_mail(self.item(inner, _INNER_HEADER, depth + 1))

        return attach_file(self._properties(folder, _FILE_HEADER), read)

    def _properties(self, folder: tuple[str, ...], header: int) -> Properties:
        found = Properties()
        for name in self._below.get(folder, {}):
            match = _STREAM.fullmatch(name)
            if match and int(match[2], 16) != OBJECT:
                found.values[int(match[1], 16)] = (int(match[2], 16), self._read((*folder, name)))
        fixed = self._read((*folder, _FIXED)) if _FIXED in self._below.get(folder, {}) else b""
        for start in range(header, len(fixed) - 15, 16):
            kind = int.from_bytes(fixed[start : start + 2], "little")
            tag = int.from_bytes(fixed[start + 2 : start + 4], "little")
            if kind in (INTEGER, TIME):
                found.values.setdefault(tag, (kind, fixed[start + 8 : start + 16]))
        return found

    def _read(self, path: tuple[str, ...]) -> bytes:
        size = self._ole.get_size(list(path))
        self._room -= size
        if self._room < 0:  # streams that lie over each other would be read again and again
            return b""
        with self._ole.openstream(list(path)) as stream:
            return bytes(stream.read())
