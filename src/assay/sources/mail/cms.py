"""Open what S/MIME wraps around a mail, without trusting its signature.

In      the bytes of a CMS object (`smime.p7m`), in DER, BER, PEM or base64
Out     Opened: the content inside and what was not checked; or why there is none
Pure    no clock, no randomness, no I/O: equal bytes give equal content
Spec    005-M8; RFC 5652, RFC 3274, RFC 8551

A signature vouches for nothing here: no certificate is looked at, the content is read like any
other mail, and a note says so. What is encrypted stays closed.
"""

from __future__ import annotations

import binascii
import re
import zlib
from dataclasses import dataclass

from asn1crypto import cms

from assay.sources.reading import MAX_INPUT_BYTES

MAX_LAYERS = 8
"""Most wrappers inside one another that are taken off."""

_OIDS = {
    b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02": "signed",
    b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03": "encrypted",
    b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x04": "encrypted",
    b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x06": "encrypted",
    b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x17": "encrypted",
    b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x09": "compressed",
}
_HEAD = re.compile(
    rb"\x30(?:\x80|[\x00-\x7f]|[\x81-\x84][\x00-\xff]{1,4}?)\x06([\x09\x0b])", re.DOTALL
)
_PEM = re.compile(
    rb"\s{0,64}-----BEGIN (?:PKCS7|CMS|PKCS #7 SIGNED DATA)-----(.{1,70000000}?)-----END", re.DOTALL
)
_BASE64 = re.compile(rb"[A-Za-z0-9+/\s]{16,}={0,2}")

ENCRYPTED = "is encrypted (S/MIME)"
DAMAGED = "is a damaged S/MIME object"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The content of a CMS object."""

    data: bytes
    signed: bool
    """A signature was there, and was not checked."""


def kind_of_cms(data: bytes) -> str:
    """`signed`, `encrypted` or `compressed` by the first bytes; empty when it is no CMS."""
    match = _HEAD.match(data[:16])
    if not match:
        return ""
    length = match[1][0]
    return _OIDS.get(data[match.end() : match.end() + length], "")


def open_cms(data: bytes) -> Opened | str:
    """The content of *data*, through all its signatures; else why there is none. Never raises."""
    signed = False
    for _ in range(MAX_LAYERS):
        data = _binary(data)
        kind = kind_of_cms(data)
        if kind == "encrypted":
            return ENCRYPTED
        if not kind:
            return Opened(data=data, signed=signed) if signed else DAMAGED
        content = _content(data, kind)
        if isinstance(content, str):
            return content
        signed = signed or kind == "signed"
        data = content
        if kind_of_cms(data) == "":
            return Opened(data=data, signed=signed)
    return "is wrapped in more signatures than are followed"


def _content(data: bytes, kind: str) -> bytes | str:
    try:
        info = cms.ContentInfo.load(data)
        inner = info["content"]["encap_content_info"]
        raw = inner["content"]
        content = b"" if raw is None else raw.native
        if raw is not None and not isinstance(content, bytes):
            content = raw.parsed.dump() if hasattr(raw, "parsed") else raw.contents
        if kind == "compressed":
            unpacker = zlib.decompressobj()
            content = unpacker.decompress(content or b"", MAX_INPUT_BYTES + 1)
            if len(content) > MAX_INPUT_BYTES:
                return "unpacks to more than is allowed"
    except Exception:  # damaged objects raise half a dozen unrelated types
        return DAMAGED
    if not content:
        return "holds signatures or certificates without the text that was signed"
    return bytes(content)


def _binary(data: bytes) -> bytes:
    """*data* without PEM lines or a second base64, in which some programs write it."""
    match = _PEM.match(data)
    text = match[1] if match else data if data[:1] == b"M" else b""
    if not _BASE64.fullmatch(text.rstrip()):
        return data
    try:
        return binascii.a2b_base64(text)
    except binascii.Error:
        return data
