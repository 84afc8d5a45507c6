"""Take a mail apart into the texts a reader sees and the files it carries.

In      the bytes of a mail
Out     Mail: header, parts that form the body, attachments, nested mails
Pure    no clock, no randomness, no I/O: equal bytes give equal parts
Spec    000, sources of evidence; RFC 8621 4.1.4 (which parts form the body)

The structure is found by the standard `email` package. Around it stand the bounds that it lacks
and repairs for what makes it raise.
"""

from __future__ import annotations

import email
import email.message
import email.policy
import re
from dataclasses import dataclass, field
from email.message import Message as Node

from assay.sources.mail.headers import MAX_HEADER_CHARS, read_header
from assay.sources.reading import Unreadable

MAX_DEPTH = 100
"""Deepest nesting that is followed."""

MAX_PARTS = 1_000
"""Most parts that are looked at."""

MAX_WORK = 30_000_000
"""Most line comparisons: the parser tests each line against the boundary of each open level."""

_BOUNDARY = re.compile(rb"boundary[ \t]*[=*]", re.IGNORECASE)
_MESSAGE = re.compile(rb"^content-type:[ \t]*message/", re.IGNORECASE | re.MULTILINE)
MAX_LINES = 1_000_000
"""Most lines of one mail; fifty megabytes of attachments have two thirds of that."""

_FOLD = re.compile(r"[\r\n]+[ \t]*")
_HUGE_INDEX = re.compile(r"\*[0-9]{3,}")
_TOKEN = re.compile(r"[a-z0-9][a-z0-9-]*")
_INLINE_MEDIA = ("image/", "audio/", "video/")
_MAILS = ("message/rfc822", "message/global", "message/news", "message/partial")
_FIELDS = re.compile(
    r"from|to|b?cc|subject|date|sender|reply-to|message-id|received|return-path|mime-version"
    r"|content-(?:type|transfer-encoding|disposition)|delivered-to|envelope-to|x-original-to"
    r"|in-reply-to|references|auto-submitted"
)
"""A file whose first lines name none of these has no header: it is all body."""

_RAISED = (ValueError, LookupError, TypeError, AttributeError, AssertionError)
"""What the package raises on headers that it cannot stomach."""


class _TooComplexError(Exception):
    """The structure goes beyond the bounds."""


class _Bounded(email.policy.Compat32):
    """The parser's forgiving policy, with header values cut to a bearable length."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        value = _HUGE_INDEX.sub("*99", value[:MAX_HEADER_CHARS])
        return name, _FOLD.sub(" ", value)


_POLICY = _Bounded()


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
    """Its transfer encoding was broken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nested:
    """A mail carried inside another one."""

    name: str
    mail: Mail


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """A mail taken apart; nested mails are Mails too."""

    header: Node

    body: tuple[Part, ...]
    """What a reader sees at once: text/plain and text/html parts, in order."""

    attachments: tuple[Part | Nested, ...]

    media: tuple[str, ...]
    """Media type of every node that belongs to this mail itself, outermost first."""

    left_out: int
    """Parts beyond MAX_PARTS, in this mail and those it carries."""


@dataclass(slots=True)
class _Found:
    body: list[Part] = field(default_factory=list)
    attachments: list[Part | Nested] = field(default_factory=list)


def take_apart(data: bytes) -> Mail | Unreadable:
    """Find the structure of *data*; never raises."""
    try:
        return _Walk().mail(_parse(data), 0)
    except _TooComplexError as fault:
        return Unreadable(reason=str(fault))


def _parse(data: bytes) -> Node:
    levels = len(_BOUNDARY.findall(data)) + len(_MESSAGE.findall(data))
    lines = max(data.count(b"\n"), data.count(b"\r"))
    if lines > MAX_LINES:
        raise _TooComplexError(f"{lines} lines, more than the {MAX_LINES} allowed")
    if lines * min(levels, 2 * MAX_DEPTH) > MAX_WORK:
        raise _TooComplexError(f"{levels} boundaries in {lines} lines are too many to follow")
    try:
        node = email.message_from_bytes(data, policy=_POLICY)
    except RecursionError:
        raise _TooComplexError(f"parts lie deeper than {MAX_DEPTH} levels") from None
    except _RAISED:
        return _all_body(data)
    known = any(_FIELDS.fullmatch(name.lower()) for name in set(node.keys()))
    return node if known else _all_body(data)


def _all_body(data: bytes) -> Node:
    bare = Node(policy=_POLICY)
    bare.set_payload(data.decode("ascii", "surrogateescape"))
    return bare


class _Walk:
    """One walk over one mail and those it carries; counts their parts together."""

    def __init__(self) -> None:
        self.parts = 0
        self.left_out = 0

    def mail(self, node: Node, depth: int) -> Mail:
        media: list[str] = []
        found = _Found()
        before = self.left_out
        self.sort([node], "mixed", found, media, depth)
        return Mail(
            header=node,
            body=tuple(found.body),
            attachments=tuple(found.attachments),
            media=tuple(media),
            left_out=self.left_out - before,
        )

    def sort(
        self, nodes: list[Node], parent: str, found: _Found, media: list[str], depth: int
    ) -> None:
        """Put each leaf where a mail program would show it."""
        if depth > MAX_DEPTH:
            raise _TooComplexError(f"parts lie deeper than {MAX_DEPTH} levels")
        for place, node in enumerate(nodes):
            self.parts += 1
            if self.parts > MAX_PARTS:
                self.left_out += 1
                continue
            kind = _media(node)
            media.append(kind)
            below = _children(node)
            if kind == "multipart/alternative" and below:
                self.choose(below, found, media, depth + 1)
            elif kind.startswith("multipart/") and below:
                self.sort(below, kind[10:], found, media, depth + 1)
            elif (inner := _inner(node, kind)) is not None:
                nested = self.mail(inner, depth + 1)
                found.attachments.append(Nested(name=_file_name(node), mail=nested))
            elif _is_shown(node, kind, parent, place):
                found.body.append(_part(node, kind))
            else:
                found.attachments.append(_part(node, kind))

    def choose(self, nodes: list[Node], found: _Found, media: list[str], depth: int) -> None:
        """Of several forms of one text take the plain ones that say anything, else the HTML."""
        forms: list[_Found] = []
        for node in nodes:
            forms.append(_Found())
            self.sort([node], "alternative", forms[-1], media, depth)
        speaking = [form for form in forms if any(part.data.strip() for part in form.body)]
        plain = [form for form in speaking if all(p.media != "text/html" for p in form.body)]
        for form in plain or speaking[-1:]:
            found.body.extend(form.body)
        for form in forms:
            found.attachments.extend(form.attachments)


def _children(node: Node) -> list[Node]:
    if not node.is_multipart():
        return []  # and never ask for the payload: asked as text, the package may raise
    return [child for child in node.get_payload() if isinstance(child, Node)]


def _is_shown(node: Node, kind: str, parent: str, place: int) -> bool:
    """Would a mail program show this leaf as part of the text?"""
    if _disposition(node) == "attachment":
        return False
    if kind.startswith("multipart/"):
        return True  # declared to have parts and has none: what there is, is text
    if kind not in ("text/plain", "text/html"):
        return False
    return place == 0 or (parent != "related" and not _file_name(node))


def _media(node: Node) -> str:
    try:
        return node.get_content_type()
    except _RAISED:
        return "application/octet-stream"


def _disposition(node: Node) -> str:
    match = _TOKEN.match(str(node.get("content-disposition", "")).strip().lower())
    return match.group() if match else ""


def _transfer_encoding(node: Node) -> str:
    match = _TOKEN.match(str(node.get("content-transfer-encoding", "")).strip().lower())
    return match.group() if match else ""


def _file_name(node: Node) -> str:
    try:
        name = node.get_filename()
    except _RAISED:
        return ""
    return read_header(name).text if name else ""


def _charset(node: Node) -> str | None:
    try:
        value = node.get_param("charset")
    except _RAISED:
        return None
    return str(value[2] if isinstance(value, tuple) else value) if value else None


def _part(node: Node, kind: str) -> Part:
    below = _children(node)
    if below:
        data, damaged = b"\n".join(_fields(child) for child in below), False
    else:
        data, damaged = _decode_leaf(node)
    return Part(
        media="text/plain" if kind.startswith("multipart/") else kind,
        charset=_charset(node),
        name=_file_name(node),
        data=data,
        damaged=damaged,
    )


def _decode_leaf(node: Node, encoding: str | None = None) -> tuple[bytes, bool]:
    """The content of a leaf without its transfer encoding, and whether that was broken."""
    encoding = _transfer_encoding(node) if encoding is None else encoding
    del node["content-transfer-encoding"]
    node["content-transfer-encoding"] = encoding  # without what some programs write behind it
    try:
        data = node.get_payload(decode=True)
        broken = any("Base64" in type(defect).__name__ for defect in node.defects)
    except _RAISED:
        del node["content-transfer-encoding"]
        data, broken = node.get_payload(decode=True), True
    return (data if isinstance(data, bytes) else b""), broken


def _fields(node: Node) -> bytes:
    """A block of fields, as delivery reports hold them, with any text behind it."""
    lines = [f"{name}: {value}" for name, value in node.raw_items()]
    head = "\n".join(lines).encode("utf-8", "surrogateescape")
    rest = b"" if node.is_multipart() else _decode_leaf(node)[0]
    return head + (b"\n\n" + rest if rest.strip() else b"\n")


def _inner(node: Node, kind: str) -> Node | None:
    """The mail that *node* carries, also one in base64, which no mail may be but some are."""
    if kind not in _MAILS:
        return None
    below = _children(node)
    encoding = _transfer_encoding(node)
    if not below:
        return _parse(_decode_leaf(node)[0])
    if encoding in ("base64", "quoted-printable") and not below[0].keys():
        return _parse(_decode_leaf(below[0], encoding)[0])
    return below[0]
