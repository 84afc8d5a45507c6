"""The mail that Outlook keeps as properties, as the tree of parts that mail is made of.

In      properties by number, attachments
Out     a tree of MIME nodes with the same subject, sender, body in its forms, and files
Pure    no clock, no randomness, no I/O
Spec    005-M8; MS-OXPROPS, MS-OXCMSG
"""

from __future__ import annotations

import base64
import email.utils
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import Message as Node
from email.parser import HeaderParser

from assay.sources.charsets import charset_of_codepage, clean, decode
from assay.sources.mail.compressed_rtf import unpack_rtf

MAX_ATTACHMENTS = 500
"""Most attachments of one item that are looked at."""

SUBJECT, HEADERS, MESSAGE_ID = 0x0037, 0x007D, 0x1035
SENT, SENDER_NAME, SENDER_ADDRESS, SENDER_SMTP = 0x0039, 0x0C1A, 0x0C1F, 0x5D01
SHOWN_TO, SHOWN_CC = 0x0E04, 0x0E03
BODY, RTF, HTML = 0x1000, 0x1009, 0x1013
CODEPAGE, INTERNET_CODEPAGE = 0x3FFD, 0x3FDE
FILE_DATA, FILE_NAME, LONG_FILE_NAME, MEDIA = 0x3701, 0x3704, 0x3707, 0x370E

INTEGER, TIME, OBJECT, STRING8, UNICODE, BINARY = 0x0003, 0x0040, 0x000D, 0x001E, 0x001F, 0x0102

_MEDIA = re.compile(r"[A-Za-z0-9.+-]{1,60}/[A-Za-z0-9.+-]{1,80}")
_ODD = re.compile("[\x00-\x1f\x7f]+")
_FILETIME_EPOCH = 11_644_473_600
_MAX_SECONDS = 253_402_300_799


@dataclass(slots=True)
class Properties:
    """The properties of one item or attachment, by number: their type and raw value."""

    values: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    codepage: int = 0

    def number(self, tag: int) -> int:
        """An integer; 0 when it is absent."""
        kind, raw = self.values.get(tag, (0, b""))
        return int.from_bytes(raw[:4], "little") if kind == INTEGER else 0

    def raw(self, tag: int) -> bytes:
        """The bytes of a property; empty when it is absent."""
        return self.values.get(tag, (0, b""))[1]

    def text(self, tag: int) -> str:
        """A string property, without what ends it."""
        kind, raw = self.values.get(tag, (0, b""))
        if kind == UNICODE:
            return clean(raw[: len(raw) & ~1].decode("utf-16-le", "replace").rstrip("\x00"))
        return decode(raw.rstrip(b"\x00"), self.charset()).text if kind == STRING8 else ""

    def charset(self, tag: int = CODEPAGE) -> str | None:
        """The charset that a code page number stands for."""
        number = self.number(tag) or self.number(CODEPAGE) or self.codepage
        return charset_of_codepage(number) if number else None


@dataclass(slots=True)
class Item:
    """A mail, an appointment or a note, as Outlook keeps it."""

    properties: Properties = field(default_factory=Properties)
    attachments: list[Node] = field(default_factory=list)
    body: bytes = b""
    """The body as TNEF alone has it, beside the properties."""


def build_mail(item: Item) -> Node:
    """*item* as a mail: its header, one body in as many forms as it has, its attachments."""
    node = _make_node("multipart/mixed")
    _set_header(node, item.properties)
    forms = _forms(item)
    if forms:
        several = _make_node("multipart/alternative")
        for form in forms:
            several.attach(form)
        node.attach(several)
    for attachment in item.attachments[:MAX_ATTACHMENTS]:
        node.attach(attachment)
    if not node.get_payload():
        node.attach(make_leaf("text/plain", b""))
    return node


def make_leaf(
    media: str, data: bytes, *, charset: str | None = None, name: str = "", shown: bool = True
) -> Node:
    """One part with *data*, as if it had come in a mail."""
    node = _make_node(media)
    if charset:
        node.set_param("charset", charset)
    node.set_payload(data.decode("ascii", "surrogateescape"))
    if not shown:
        node["Content-Disposition"] = "attachment"
        if name:
            node.set_param("filename", _encode_words(name), "Content-Disposition")
    return node


def attach_file(properties: Properties, nested: Callable[[], Node | None]) -> Node:
    """An attachment as a part; *nested* gives the mail that it is, if it is one."""
    name = properties.text(LONG_FILE_NAME) or properties.text(FILE_NAME)
    kind, data = properties.values.get(FILE_DATA, (0, b""))
    if kind == OBJECT or not data:
        inner = nested()
        if inner is not None:
            carrier = _make_node("message/rfc822")
            carrier["Content-Disposition"] = "attachment"
            if name:
                carrier.set_param("filename", _encode_words(name), "Content-Disposition")
            carrier.set_payload([inner])
            return carrier
    media = properties.text(MEDIA).strip()
    if not _MEDIA.fullmatch(media) or media.startswith(("multipart/", "message/")):
        media = "application/octet-stream"
    return make_leaf(media, data, name=name or "file", shown=False)


def _forms(item: Item) -> list[Node]:
    properties = item.properties
    forms: list[Node] = []
    text = properties.text(BODY)
    if text.strip():
        forms.append(make_leaf("text/plain", text.encode("utf-8"), charset="utf-8"))
    elif item.body.strip(b"\x00 \r\n"):
        charset = properties.charset()
        forms.append(make_leaf("text/plain", item.body.rstrip(b"\x00"), charset=charset))
    markup = properties.text(HTML)
    if markup.strip():
        forms.append(make_leaf("text/html", markup.encode("utf-8"), charset="utf-8"))
    elif properties.raw(HTML).strip():
        charset = properties.charset(INTERNET_CODEPAGE)
        forms.append(make_leaf("text/html", properties.raw(HTML), charset=charset))
    packed = properties.raw(RTF)
    if packed and not any(form.get_content_type() == "text/html" for form in forms):
        rtf = unpack_rtf(packed)
        forms.append(make_leaf("text/rtf", b"damaged" if rtf is None else rtf))
    return forms


def _set_header(node: Node, properties: Properties) -> None:
    kept = HeaderParser().parsestr(properties.text(HEADERS)[:200_000], headersonly=True)
    for name, value in kept.raw_items():
        if not name.lower().startswith("content-"):
            node[name] = value
    address = properties.text(SENDER_SMTP) or properties.text(SENDER_ADDRESS)
    sender = properties.text(SENDER_NAME)
    shown = {
        "From": f'"{sender}" <{address}>' if sender and "@" in address else address or sender,
        "To": properties.text(SHOWN_TO).replace(";", ","),
        "Cc": properties.text(SHOWN_CC).replace(";", ","),
        "Message-ID": properties.text(MESSAGE_ID),
        "Date": _date(properties),
    }
    if properties.text(SUBJECT):
        del node["Subject"]
        node["Subject"] = _encode_words(properties.text(SUBJECT))
    for name, value in shown.items():
        if value.strip() and name not in node:
            node[name] = _encode_words(value)


def _date(properties: Properties) -> str:
    kind, raw = properties.values.get(SENT, (0, b""))
    if kind != TIME or len(raw) < 8:
        return ""
    seconds = struct.unpack("<q", raw[:8])[0] // 10_000_000 - _FILETIME_EPOCH
    return email.utils.formatdate(seconds) if 0 < seconds < _MAX_SECONDS else ""


def _encode_words(text: str) -> str:
    """*text* as it may stand in a header: plain, or in encoded words of a bearable length."""
    text = _ODD.sub(" ", text[:8_000])
    if text.isascii():
        return text
    pieces = (text[start : start + 300] for start in range(0, len(text), 300))
    return " ".join(
        f"=?utf-8?b?{base64.b64encode(piece.encode('utf-8', 'replace')).decode()}?="
        for piece in pieces
    )


def _make_node(media: str) -> Node:
    node = Node()
    node["Content-Type"] = media
    return node
