"""Tell mail from other files by its first lines, and mailbox files into mails.

In      the head of a file; the bytes of a mailbox file
Out     does it start like a mail; its mails one by one
Pure    no clock, no randomness, no I/O
Spec    interfaces.md, "Command line" (`assay run` over a folder); RFC 4155
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_FIELD = re.compile(rb"([A-Za-z][A-Za-z0-9-]{0,60})[ \t]*:")
_POSTMARK = rb"From (?:-|\S{0,200}@|[^\r\n]{0,200}?\d{1,2}:\d{2})[^\r\n]{0,200}"
_FIRST = re.compile(_POSTMARK)
_SEPARATOR = re.compile(
    rb"(?:\A|(?<=\n\n)|(?<=\n\r\n)|(?<=\r\r))" + _POSTMARK + rb"(?:\r\n|\n|\r)"
    rb"(?=(?:from|to|cc|date|subject|sender|reply-to|return-path|received|message-id|status"
    rb"|mime-version|content-type|delivered-to|envelope-to|x-[a-z0-9-]{1,60})[ \t]*:)",
    re.IGNORECASE,
)
_ESCAPED = re.compile(rb"(?m)^>(>*From )")

_TRACES = frozenset(
    (b"return-path", b"received", b"message-id", b"mime-version", b"content-type", b"delivered-to")
)
"""Fields that only mail programs write: one of them is enough."""

_COMMON = frozenset((b"from", b"to", b"cc", b"subject", b"date", b"sender", b"reply-to"))
"""Fields that other texts may begin with: they need company, or an empty line right behind."""


def looks_like_message(head: bytes) -> bool:
    """Does a file that begins with *head* (4 KiB will do) start like a mail?

    Example:
        >>> looks_like_message(b"Subject: Storm\\nFrom: a@example.org\\n\\nHello")
        True
        >>> looks_like_message(b"# Subject: how to write mail\\n")
        False
    """
    lines = head.removeprefix(b"\xef\xbb\xbf").lstrip().splitlines()
    if lines and _FIRST.fullmatch(lines[0]):
        lines = lines[1:]
    names: set[bytes] = set()
    ended = False
    for line in lines:
        match = _FIELD.match(line)
        if match:
            names.add(match[1].lower())
        elif not names or line[:1] not in (b" ", b"\t"):
            ended = not line
            break
        if b"\x00" in line:
            return False
    common = len(names & _COMMON)
    return bool(names & _TRACES) or (common > 0 and (len(names) > 1 or ended))


def split_mbox(data: bytes) -> Iterator[bytes]:
    """Yield each mail of a mailbox file, in order, without its `From ` line.

    A file without such lines is one mail. `>From ` inside a mail of a mailbox is unescaped.
    """
    starts = list(_SEPARATOR.finditer(data))
    if not starts or data[: starts[0].start()].strip():
        yield data
        return
    for place, match in enumerate(starts):
        stop = starts[place + 1].start() if place + 1 < len(starts) else len(data)
        yield _ESCAPED.sub(rb"\1", data[match.end() : stop])
