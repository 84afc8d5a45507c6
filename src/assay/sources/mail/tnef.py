"""Read `winmail.dat`, in which Exchange packs what a mail of Outlook holds.

In      the bytes of a TNEF stream
Out     the mail inside, as a tree of parts; or why there is none
Pure    no clock, no randomness, no I/O: equal bytes give equal mails
Spec    005-M8; MS-OXTNEF
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from email.message import Message as Node

from assay.sources.mail.mapi import (
    BINARY,
    FILE_DATA,
    FILE_NAME,
    OBJECT,
    STRING8,
    SUBJECT,
    UNICODE,
    Item,
    Properties,
    attach_file,
    build_mail,
)

SIGNATURE = b"\x78\x9f\x3e\x22"
MAX_ATTRIBUTES = 20_000
MAX_DEPTH = 10
"""Deepest nesting of mails inside a stream that is followed."""

DAMAGED = "is a damaged winmail.dat"

_SUBJECT, _BODY, _PROPERTIES, _CODEPAGE = 0x8004, 0x800C, 0x9003, 0x9007
_NEW_FILE, _FILE_DATA, _FILE_TITLE, _FILE_PROPERTIES = 0x9002, 0x800F, 0x8010, 0x9005
_SIZES = {2: 4, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 0x0A: 4, 0x0B: 4, 0x14: 8, 0x40: 8, 0x48: 16}
_VARIABLE = (OBJECT, STRING8, UNICODE, BINARY)
_MANY = 0x1000


class _DamagedError(Exception):
    """The stream says more than it holds."""


def read_tnef(data: bytes, depth: int = 0) -> Node | str:
    """The mail in *data*, or why there is none; never raises. What comes before damage is kept."""
    if not data.startswith(SIGNATURE):
        return DAMAGED
    item = Item()
    files: list[Properties] = []
    whole = True
    try:
        for name, value in _attributes(data):
            _take(name, value, item, files)
    except (_DamagedError, struct.error):
        whole = False
    for properties in files:
        properties.codepage = item.properties.codepage
        item.attachments.append(attach_file(properties, _inner_mail(properties, depth)))
    if not whole and not item.attachments and not _speaks(item):
        return DAMAGED
    if not item.attachments and not item.properties.values and not item.body:
        return "is a winmail.dat without a body or a file"
    return build_mail(item)


def _take(name: int, value: bytes, item: Item, files: list[Properties]) -> None:
    if name == _CODEPAGE:
        item.properties.codepage = int.from_bytes(value[:4], "little")
    elif name == _SUBJECT:
        item.properties.values.setdefault(SUBJECT, (STRING8, value))
    elif name == _BODY:
        item.body = value
    elif name == _PROPERTIES:
        item.properties.values.update(_properties(value))
    elif name == _NEW_FILE:
        files.append(Properties())
    elif files and name == _FILE_DATA:
        files[-1].values.setdefault(FILE_DATA, (BINARY, value))
    elif files and name == _FILE_TITLE:
        files[-1].values.setdefault(FILE_NAME, (STRING8, value))
    elif files and name == _FILE_PROPERTIES:
        found = _properties(value)
        if FILE_DATA in found and found[FILE_DATA][0] == BINARY and not found[FILE_DATA][1]:
            del found[FILE_DATA]
        files[-1].values.update(found)


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    position = 6
    for _ in range(MAX_ATTRIBUTES):
        if position + 9 > len(data):
            return
        _, name, length = struct.unpack_from("<BII", data, position)
        position += 9
        if position + length > len(data):
            raise _DamagedError
        yield name & 0xFFFF, data[position : position + length]
        position += length + 2


def _properties(data: bytes) -> dict[int, tuple[int, bytes]]:
    """The properties in *data*; of one with several values the first, of damage what is before."""
    found: dict[int, tuple[int, bytes]] = {}
    (count,) = struct.unpack_from("<I", data)
    position = 4
    for _ in range(min(count, MAX_ATTRIBUTES)):
        if position + 4 > len(data):
            break
        kind, tag = struct.unpack_from("<HH", data, position)
        position += 4
        if tag >= 0x8000:
            position = _skip_name(data, position)
        many = bool(kind & _MANY) and kind & ~_MANY in (*_SIZES, *_VARIABLE)
        kind = kind & ~_MANY if many else kind
        values = 1
        if many or kind in _VARIABLE:
            (values,) = struct.unpack_from("<I", data, position)
            position += 4
        for number in range(min(values, MAX_ATTRIBUTES)):
            if kind in _VARIABLE:
                (length,) = struct.unpack_from("<I", data, position)
                position += 4
                padded = length + -length % 4
            elif kind in _SIZES:
                length = padded = _SIZES[kind]
            else:
                return found  # of an unknown type: its length is unknown too
            if position + length > len(data):
                return found
            if number == 0 and tag < 0x8000:
                found[tag] = (kind, data[position : position + length])
            position += padded
    return found


def _skip_name(data: bytes, position: int) -> int:
    """Where the value of a named property begins."""
    (by,) = struct.unpack_from("<I", data, position + 16)
    position += 20
    if by == 0:
        return position + 4
    length = int(struct.unpack_from("<I", data, position)[0])
    return position + 4 + length + -length % 4


def _inner_mail(properties: Properties, depth: int) -> Callable[[], Node | None]:
    def read() -> Node | None:
        data = properties.raw(FILE_DATA)[16:]
        if depth >= MAX_DEPTH or not data.startswith(SIGNATURE):
            return None
        inner = read_tnef(data, depth + 1)
        return None if isinstance(inner, str) else inner

    return read


def _speaks(item: Item) -> bool:
    return bool(item.body.strip() or len(item.properties.values) > 0)
