"""Read one mail into named texts, whatever state its bytes are in.

In      the bytes of a mail
Out     Message: subject, body and attachments as named texts, facts, notes, signs of a machine
Pure    no clock, no randomness, no I/O: equal bytes give equal messages
Spec    000, sources of evidence (`subject`, `body`, `attachment:NAME`); 005-M8, 005-M9

The structure is taken apart in `mime`, bytes become text in `charsets`, HTML in `html`, files in
`attachments`; `automatic` looks for the signs of a machine.
"""

from __future__ import annotations

import email.utils
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from assay.sources.language import guess_language
from assay.sources.mail.attachments import EMPTY, MAX_READ, Carried, read_attachments
from assay.sources.mail.automatic import signs_of_a_machine
from assay.sources.mail.body import IMAGE, BodyText, read_body, unread_parts
from assay.sources.mail.endings import is_device_line
from assay.sources.mail.headers import read_addresses, read_date, read_header
from assay.sources.mail.leaves import Part
from assay.sources.mail.mbox import looks_like_message, split_mbox
from assay.sources.mail.mime import Mail, Nested, take_apart
from assay.sources.mail.opening import mend_opening
from assay.sources.mail.outlook import OLE, looks_like_outlook, read_outlook
from assay.sources.mail.quoting import Block, blocks
from assay.sources.mail.stubs import says_nothing
from assay.sources.reading import MAX_INPUT_BYTES, Note, Unreadable, UnreadPart

__all__ = ["Message", "Note", "Unreadable", "looks_like_message", "read_message", "split_mbox"]

MAX_NOTES = 50

OTHER_FORM = "body:"
"""How the names of further forms of the body begin among the texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A mail as the rest of the program sees it.

    Line ends are LF, and neither NUL nor a lone surrogate occurs; these are the texts that go
    on record, and spans count their code points.
    """

    texts: Mapping[str, str]
    """In the order in which evidence is searched: `subject`, `body`, `body:html` or `body:plain`
    where the forms of the body say different things, then `attachment:NAME`."""

    facts: Mapping[str, Any]
    """JSON values from the header; what is absent there is absent here:
    `from` (address), `from_name`, `to`, `cc`, `reply_to` (lists of addresses), `date` (as
    written), `date_iso` (RFC 3339), `message_id`, `in_reply_to`, `language` (a guess),
    `attachments` (list of `name`, `media`, `bytes`, `read`)."""

    notes: tuple[Note, ...]
    """What had to be guessed, was damaged, or was left out."""

    automatic: tuple[str, ...]
    """Deterministic signs that a machine wrote it; not empty means an answer could loop."""

    unread: tuple[UnreadPart, ...] = ()
    """Parts that gave no text, in the order of the mail."""


def read_message(data: bytes) -> Message | Unreadable:
    """Read *data* as one mail; never raises.

    Example:
        >>> read_message(b"Subject: Storm\\n\\nThe roof leaks.\\n").texts["body"]
        'The roof leaks.\\n'

    Spec: 000, "mapping evidence snippets to offsets".
    """
    if len(data) > MAX_INPUT_BYTES:
        return Unreadable(reason=f"{len(data)} bytes, more than the {MAX_INPUT_BYTES} allowed")
    if not data.strip():
        return Unreadable(reason="empty")
    if data.startswith(OLE):
        return _outlook(data)
    first, *others = _mails(data)
    mail = take_apart(first)
    if isinstance(mail, Unreadable):
        return mail
    carried = [_carry_message(number, rest) for number, rest in enumerate(others, start=2)]
    return _message(mail, carried)


def _outlook(data: bytes) -> Message | Unreadable:
    if not looks_like_outlook(data):
        return Unreadable(reason="holds no text, only other data")
    node = read_outlook(data)
    if isinstance(node, str):
        return Unreadable(reason=node)
    mail = take_apart(node)
    return mail if isinstance(mail, Unreadable) else _message(mail, [])


def _message(mail: Mail, others: list[Part | Nested]) -> Message | Unreadable:
    notes: list[Note] = []
    fields = _fields(mail)
    subject = read_header(fields.get("subject", [""])[0])
    for code, claimed in subject.guesses:
        detail = f"claimed {claimed or 'nothing'}"
        notes.append(Note(code=code, detail=detail, where="subject"))
    read = read_body(mail.body, "body")
    body = read.text
    notes.extend(Note(code=note.code, detail=note.detail, where="body") for note in mail.notes)
    notes.extend(read.notes)
    carried = read_attachments([*mail.attachments, *others])
    notes.extend(carried.notes)
    unread = [*unread_parts(read, "body"), *carried.unread]
    if mail.left_out:
        detail = f"{mail.left_out} parts beyond the bound were left out"
        notes.append(Note(code="mime.too_many_parts", detail=detail))
        unread.append(UnreadPart(part="body", why=detail))
    texts = {"subject": subject.text, "body": body}
    texts |= {f"{OTHER_FORM}{name}": text for name, text in read.others.items()}
    texts |= {f"attachment:{name}": text for name, text in carried.texts.items()}
    parts = blocks(body)
    why = _why_unreadable(mail, read, parts, carried, subject.text)
    if why:
        return Unreadable(reason=why)
    facts = _facts(fields)
    language = guess_language(f"{subject.text}\n{body}")
    if language:
        facts["language"] = language
    if carried.facts:
        facts["attachments"] = carried.facts
    words = "".join(
        body[block.start : block.stop]
        for block in parts
        if block.kind not in ("quoted", "forwarded")
    )
    return Message(
        texts=texts,
        facts=facts,
        notes=tuple(notes[:MAX_NOTES]),
        automatic=signs_of_a_machine(
            fields, mail.media, subject.text, str(facts.get("from", "")), words
        ),
        unread=tuple(unread),
    )


def _why_unreadable(
    mail: Mail, body: BodyText, parts: Sequence[Block], carried: Carried, subject: str
) -> str:
    """Why nobody may judge what was read; empty when it may be judged.

    A subject says what its sender's program or habit wrote there: it is never all there is.
    """
    why = body.why_closed
    if why:
        return f"the body {why}" if why.startswith(("is ", "holds ")) else why
    silent = says_nothing(body.text)
    ending = not silent and _is_only_ending(body.text, parts)
    if not (silent or ending) or any(text.strip() for text in body.others.values()):
        return ""
    if carried.closed:
        return f"the body is in a part that cannot be read: it {carried.closed}"
    if carried.texts:
        return ""
    images = [m for m in mail.media if m.startswith("image/")]
    shown = [p for p in mail.attachments if isinstance(p, Part) and p.media.startswith("image/")]
    if images and len(shown) == len(mail.attachments):
        return IMAGE
    reason = "holds no text but its subject" if subject.strip() else "holds no text"
    if ending:
        reason += " and a signature"
    whys = [each.why for each in carried.unread if each.why != EMPTY]
    return f"{reason}; a file beside it {whys[0]}" if whys else reason


def _is_only_ending(text: str, parts: Sequence[Block]) -> bool:
    """Is *text*, which *parts* tile, nothing but what stands under every mail of its sender?"""
    kinds = {block.kind for block in parts}
    return kinds <= {"signature", "disclaimer"} or is_device_line(text)


def _fields(mail: Mail) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    for name, value in mail.header.raw_items():
        fields.setdefault(str(name).lower(), []).append(str(value))
    return fields


def _facts(fields: Mapping[str, list[str]]) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if "from" in fields:
        shown = read_header(fields["from"][0]).text
        addresses = read_addresses(fields["from"][0], limit=1)
        facts["from"] = addresses[0] if addresses else shown
        name = _display_name(shown)
        if name and name != facts["from"]:
            facts["from_name"] = name
    for name, key in (("to", "to"), ("cc", "cc"), ("reply-to", "reply_to")):
        if name in fields:
            facts[key] = list(read_addresses(fields[name][0]))
    for name in ("date", "message-id", "in-reply-to"):
        value = read_header(fields[name][0]).text if name in fields else ""
        if value:
            facts[name.replace("-", "_")] = value
    written = read_date(facts["date"]) if "date" in facts else None
    if written:
        facts["date_iso"] = written
    return facts


def _display_name(shown: str) -> str:
    try:
        return email.utils.parseaddr(shown)[0]
    except (ValueError, IndexError, TypeError, RecursionError):
        return ""


def _mails(data: bytes) -> list[bytes]:
    """*data* as the parser wants it, and the further mails of a mailbox given as one mail."""
    data = mend_opening(data)
    if not data.startswith(b"From "):
        return [data]
    return list(islice(split_mbox(data), MAX_READ + 1))


def _carry_message(number: int, data: bytes) -> Part | Nested:
    """A further mail of a mailbox: carried by the first one, so that it is not lost."""
    name = f"mail-{number}.eml"
    mail = take_apart(data)
    if isinstance(mail, Unreadable):
        return Part(media="text/plain", charset=None, name=name, data=data, damaged=True)
    return Nested(name=name, mail=mail)
