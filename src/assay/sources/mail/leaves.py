"""One node of a mail's structure: what its header says of it, and its content as bytes.

In      a node as the `email` package parsed it
Out     media type, name, charset, disposition; Part: a leaf without its transfer encoding
Pure    no clock, no randomness, no I/O
Spec    000, sources of evidence; 005-M8 (damaged and wrong transfer encodings)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.message import Message as Node

from assay.sources.mail.headers import read_header
from assay.sources.mail.transfer import decode_base64, guess_encoding

RAISED = (ValueError, LookupError, TypeError, AttributeError, AssertionError)
"""What the package raises on headers that it cannot stomach."""

_TOKEN = re.compile(r"[a-z0-9][a-z0-9-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One leaf of the structure, with its transfer encoding taken off."""

    media: str
    """Media type in lower case, as `text/plain`."""

    charset: str | None
    """The charset claimed, as written."""

    name: str
    """File name given to it; empty when none is."""

    data: bytes

    damaged: bool
    """Its transfer encoding was broken, or another one than it claimed."""

    flowed: str = ""
    """`flowed` where its lines are to be joined, `delsp` where the blanks between them go too."""

    closed: str = ""
    """Why no text can be had of it, where that is known; it should have given one."""


def media_of(node: Node) -> str:
    """The media type of *node*, in lower case."""
    try:
        return node.get_content_type()
    except RAISED:
        return "application/octet-stream"


def children_of(node: Node) -> list[Node]:
    """The nodes below *node*."""
    if not node.is_multipart():
        return []  # and never ask for the payload: asked as text, the package may raise
    return [child for child in node.get_payload() if isinstance(child, Node)]


def disposition_of(node: Node) -> str:
    """`attachment`, `inline`, or nothing."""
    match = _TOKEN.match(str(node.get("content-disposition", "")).strip().lower())
    return match.group() if match else ""


def transfer_encoding_of(node: Node) -> str:
    """The transfer encoding claimed, without what some programs write behind it."""
    match = _TOKEN.match(str(node.get("content-transfer-encoding", "")).strip().lower())
    return match.group() if match else ""


def file_name_of(node: Node) -> str:
    """The name given to the part, as people see it."""
    try:
        name = node.get_filename()
    except RAISED:
        return ""
    return read_header(name).text if name else ""


def parameter_of(node: Node, name: str) -> str:
    """A parameter of the media type; empty when it is absent."""
    try:
        value = node.get_param(name)
    except RAISED:
        return ""
    return str(value[2] if isinstance(value, tuple) else value) if value else ""


def read_leaf(node: Node, kind: str) -> Part:
    """The content of *node*; of a node with others below it, the blocks of fields below."""
    below = children_of(node)
    if below:
        data, damaged = b"\n".join(_fields(child) for child in below), False
    else:
        data, damaged = decode_leaf(node)
    flowed = ""
    if kind == "text/plain" and parameter_of(node, "format").strip().lower() == "flowed":
        delsp = parameter_of(node, "delsp").strip().lower() == "yes"
        flowed = "delsp" if delsp else "flowed"
    return Part(
        media="text/plain" if kind.startswith("multipart/") else kind,
        charset=parameter_of(node, "charset") or None,
        name=file_name_of(node),
        data=data,
        damaged=damaged,
        flowed=flowed,
    )


def decode_leaf(node: Node, encoding: str | None = None) -> tuple[bytes, bool]:
    """The content of a leaf without its transfer encoding, and whether that was broken."""
    encoding = transfer_encoding_of(node) if encoding is None else encoding
    text = media_of(node).startswith(("text/", "multipart/", "message/"))
    data, broken = _payload(node, "" if encoding == "base64" else encoding), False
    if encoding == "quoted-printable":
        raw, guessed = guess_encoding(_payload(node, ""), text=text)
        if guessed == "base64":
            return raw, True
    elif encoding == "base64":
        data, broken = decode_base64(data, text=text)
    data, guessed = guess_encoding(data, text=text)
    return data, broken or bool(guessed)


def _payload(node: Node, encoding: str) -> bytes:
    del node["content-transfer-encoding"]
    node["content-transfer-encoding"] = encoding
    try:
        data = node.get_payload(decode=True)
    except RAISED:
        del node["content-transfer-encoding"]
        data = node.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _fields(node: Node) -> bytes:
    """A block of fields, as delivery reports hold them, with any text behind it."""
    lines = [f"{name}: {value}" for name, value in node.raw_items()]
    head = "\n".join(lines).encode("utf-8", "surrogateescape")
    rest = b"" if node.is_multipart() else decode_leaf(node)[0]
    return head + (b"\n\n" + rest if rest.strip() else b"\n")
