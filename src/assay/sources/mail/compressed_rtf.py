"""Unpack the compressed RTF in which Outlook keeps the body of a mail.

In      the bytes of the property PidTagRtfCompressed
Out     the RTF, or None when it is damaged
Pure    no clock, no randomness, no I/O
Spec    005-M8; MS-OXRTFCP
"""

from __future__ import annotations

import struct

MAX_RAW_BYTES = 20_000_000
"""Largest RTF that is unpacked; a run of two bytes gives at most seventeen."""

_DICTIONARY = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript "
    rb"\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)
_COMPRESSED, _STORED = b"LZFu", b"MELA"


def unpack_rtf(data: bytes) -> bytes | None:
    """The RTF in *data*; never raises. The checksum is not looked at: what is there is read."""
    if len(data) < 16:
        return None
    _, raw_size = struct.unpack_from("<II", data)
    kind = data[8:12]
    if kind == _STORED:
        return data[16 : 16 + raw_size]
    if kind != _COMPRESSED or raw_size > MAX_RAW_BYTES:
        return None
    return _unpack_runs(data, raw_size)


def _unpack_runs(data: bytes, raw_size: int) -> bytes | None:
    window = bytearray(4096)
    window[: len(_DICTIONARY)] = _DICTIONARY
    write = len(_DICTIONARY)
    out = bytearray()
    position, end = 16, len(data)
    while position < end and len(out) <= raw_size:
        flags = data[position]
        position += 1
        for bit in range(8):
            if position >= end:
                break
            if not flags >> bit & 1:
                byte = data[position]
                position += 1
                out.append(byte)
                window[write] = byte
                write = (write + 1) & 4095
                continue
            if position + 1 >= end:
                return bytes(out) or None
            reference = data[position] << 8 | data[position + 1]
            position += 2
            offset, length = reference >> 4, (reference & 15) + 2
            if offset == write:
                return bytes(out)
            for place in range(offset, offset + length):
                byte = window[place & 4095]
                out.append(byte)
                window[write] = byte
                write = (write + 1) & 4095
    return bytes(out) or None
