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
from dataclasses import dataclass, field, replace
from email.message import Message as Node

from assay.sources.charsets import decode, is_binary
from assay.sources.mail.armour import take_uuencoded
from assay.sources.mail.containers import Inside, open_container
from assay.sources.mail.forms import Forms, add_form, join_forms, speaks
from assay.sources.mail.headers import MAX_HEADER_CHARS
from assay.sources.mail.leaves import (
    RAISED,
    Part,
    children_of,
    decode_leaf,
    file_name_of,
    media_of,
    read_leaf,
    transfer_encoding_of,
)
from assay.sources.mail.placing import ELSEWHERE, close_part, is_offered, is_shown, why_closed
from assay.sources.reading import Note, Unreadable

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
_READ = ("application/rtf", "application/xhtml+xml", "application/ics")
"""Kinds that are read as what they are."""

_STRAY_BOUNDARY = re.compile(
    rb"\s{0,200}(?:[^\n]{0,200}\n){0,3}?--([^\s\"]{1,70})[ \t]{0,10}\r?\n(?=content-)",
    re.IGNORECASE,
)
_MAILS = ("message/rfc822", "message/global", "message/news", "message/partial")
_FIELDS = re.compile(
    r"from|to|b?cc|subject|date|sender|reply-to|message-id|received|return-path|mime-version"
    r"|content-(?:type|transfer-encoding|disposition)|delivered-to|envelope-to|x-original-to"
    r"|in-reply-to|references|auto-submitted"
)
"""A file whose first lines name none of these has no header: it is all body."""


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
class Nested:
    """A mail carried inside another one."""

    name: str
    mail: Mail


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """A mail taken apart; nested mails are Mails too."""

    header: Node

    body: tuple[Part | Forms, ...]
    """What a reader sees at once, in order; closed parts that stand there too."""

    attachments: tuple[Part | Nested, ...]

    media: tuple[str, ...]
    """Media type of every node that belongs to this mail itself, outermost first."""

    left_out: int
    """Parts beyond MAX_PARTS, in this mail and those it carries."""

    notes: tuple[Note, ...] = ()
    """What was opened and not checked."""


@dataclass(slots=True)
class _Found:
    body: list[Part | Forms] = field(default_factory=list)
    attachments: list[Part | Nested] = field(default_factory=list)
    packed: list[Part | Forms] = field(default_factory=list)
    """The body as a container has it: another form of the one beside it."""

    offered: list[Part] = field(default_factory=list)
    """Attachments that are the body where nothing else is."""

    notes: list[Note] = field(default_factory=list)

    def add(self, other: _Found) -> None:
        """Add what *other* has beside its body."""
        self.attachments.extend(other.attachments)
        self.packed.extend(other.packed)
        self.offered.extend(other.offered)
        self.notes.extend(other.notes)


def take_apart(data: bytes | Node) -> Mail | Unreadable:
    """Find the structure of *data*, or of a mail that is parsed already; never raises."""
    try:
        return _Walk().mail(_parse(data) if isinstance(data, bytes) else data, 0)
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
    except RAISED:
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
        body = _complete_body(found)
        return Mail(
            header=node,
            body=tuple(body),
            attachments=tuple(found.attachments),
            media=tuple(media),
            left_out=self.left_out - before,
            notes=tuple(dict.fromkeys(found.notes)),
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
            kind = media_of(node)
            media.append(kind)
            below = children_of(node)
            if not below and (below := _find_parts(node, kind, root=len(media) == 1)):
                kind = "multipart/mixed"
            why = why_closed(node, kind, root=len(media) == 1)
            if why:
                (found.attachments if kind == ELSEWHERE else found.body).append(
                    close_part(node, kind, why)
                )
            elif kind == "multipart/alternative" and below:
                self.choose(below, found, media, depth + 1)
            elif kind.startswith("multipart/") and below:
                self.sort(below, kind[10:], found, media, depth + 1)
            elif (inner := _inner(node, kind)) is not None:
                nested = self.mail(inner, depth + 1)
                found.attachments.append(Nested(name=file_name_of(node), mail=nested))
            else:
                shown = is_shown(node, kind, parent, place)
                offered = not shown and is_offered(node, kind, parent, place)
                part = read_leaf(node, kind)
                self.leaf(part, "body" if shown else "offered" if offered else "", found, depth)

    def leaf(self, part: Part, role: str, found: _Found, depth: int) -> None:
        """Put one file where it belongs, and open it first if it is a container."""
        inside = open_container(part) if depth <= MAX_DEPTH else None
        if inside is None:
            if role == "body":
                part = _take_files(part, found)
                found.body.append(part)
                return
            found.attachments.append(part)
            if role == "offered":
                found.offered.append(part)
            return
        if inside.note:
            found.notes.append(inside.note)
        if inside.closed:
            closed = replace(part, closed=inside.closed)
            (found.body if inside.in_body else found.attachments).append(closed)
        elif inside.file is not None:
            self.leaf(inside.file, role, found, depth + 1)
        elif inside.mail is not None:
            self.open(inside.mail, inside, part.name, found, depth + 1)

    def open(
        self, mail: bytes | Node, inside: Inside, name: str, found: _Found, depth: int
    ) -> None:
        """Go on with the mail that a container holds."""
        node = _parse(mail) if isinstance(mail, bytes) else mail
        if not inside.whole:
            found.attachments.append(Nested(name=name, mail=self.mail(node, depth)))
            return
        below = _Found()
        self.sort([node], "mixed", below, [], depth)
        found.add(below)
        (found.body if inside.in_body else found.packed).extend(below.body)

    def choose(self, nodes: list[Node], found: _Found, media: list[str], depth: int) -> None:
        """Sort each form of one text for itself, and keep those that say anything."""
        forms: list[_Found] = []
        for node in nodes:
            forms.append(_Found())
            self.sort([node], "alternative", forms[-1], media, depth)
            found.add(forms[-1])
        found.body.extend(join_forms([form.body for form in forms]))


def _find_parts(node: Node, kind: str, *, root: bool) -> list[Node]:
    """The parts of a node whose boundary is absent or another than the one in use."""
    if not (kind.startswith("multipart/") or (root and "content-type" not in node)):
        return []
    if transfer_encoding_of(node) in ("base64", "quoted-printable") or node.is_multipart():
        return []
    data = node.get_payload(decode=True)
    if not isinstance(data, bytes) or (match := _STRAY_BOUNDARY.match(data)) is None:
        return []
    head = b'Content-Type: multipart/mixed; boundary="' + match[1] + b'"\n\n'
    return children_of(_parse(head + data))


def _complete_body(found: _Found) -> list[Part | Forms]:
    """The body, from wherever it is: the parts shown, a container, the first file."""
    body = found.body
    if speaks(found.packed):
        return add_form(body, found.packed) if speaks(body) else found.packed
    offered = [
        part
        for part in found.offered
        if part.media.startswith("text/") or part.media in _READ or _is_text(part.data)
    ]
    if not speaks(body) and offered:
        part = offered[0]
        found.attachments[:] = [other for other in found.attachments if other is not part]
        known = part.media.startswith("text/") or part.media in _READ
        return [part if known else replace(part, media="text/plain")]
    return body


def _is_text(data: bytes) -> bool:
    """Are the bytes of a file of an unknown kind a text?"""
    if data[:1024].startswith(b"%PDF-") or b"\x00" in data[:4096]:
        return False
    decoded = decode(data[:4096])
    return decoded.charset == "utf-8" and not is_binary(decoded.text)


def _take_files(part: Part, found: _Found) -> Part:
    """*part* without the uuencoded files in it, which become attachments."""
    if part.media != "text/plain":
        return part
    data, files = take_uuencoded(part.data)
    for name, content in files:
        found.attachments.append(
            Part(
                media="application/octet-stream",
                charset=None,
                name=name,
                data=content,
                damaged=False,
            )
        )
    return replace(part, data=data) if files else part


def _inner(node: Node, kind: str) -> Node | None:
    """The mail that *node* carries, also one in base64, which no mail may be but some are."""
    if kind not in _MAILS:
        return None
    below = children_of(node)
    encoding = transfer_encoding_of(node)
    if not below:
        return _parse(decode_leaf(node)[0])
    if encoding in ("base64", "quoted-printable") and not below[0].keys():
        return _parse(decode_leaf(below[0], encoding)[0])
    return below[0]
