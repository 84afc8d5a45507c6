"""One audit event: what it says, how it is chained, what it commits to.

In      EventDraft: kind, facts, payloads
Out     canonical bytes, digest and salted commitments of the event as it will stand
Pure    yes: time, numbers and salts are given
Spec    000-B2 "logged in audit events"; 002-J1 to 002-J7; RFC 8785

Facts are free of personal data; everything that may hold some is a payload, which stands
beside the event and can be erased while the event's commitment to it stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.core.json.canonical import canonical, digest

GENESIS = "sha256:" + "0" * 64
"""What the first event of a run names as the one before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventDraft:
    """An event before a store gives it its place."""

    kind: str
    """Dotted: `prompt.built`, `output.judged`, `call.settled` …"""

    facts: Mapping[str, Any] = field(default_factory=dict)
    """JSON without personal data."""

    payloads: Mapping[str, bytes] = field(default_factory=dict)
    """Content by name; only a salted commitment to each enters the event."""

    call: str | None = None
    subject: str | None = None
    """Pseudonym of whom the payloads are about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvent:
    """An event in its place."""

    seq: int
    """Position in the store; grows, never reused."""

    run: int
    n: int
    """Place within the run, from 0, without gaps."""

    kind: str
    at: str
    """RFC 3339, UTC, microseconds: `2026-01-17T08:00:11.000000Z`."""

    prev: str
    """Digest of the event before it in its run; GENESIS for the first."""

    digest: str
    """Over `body`."""

    body: bytes
    """The canonical JSON that is hashed."""

    call: str | None
    subject: str | None
    facts: Mapping[str, Any]
    commitments: Mapping[str, str]


def commitment(salt: bytes, content: bytes) -> str:
    """The digest by which an event vouches for *content* without giving it away.

    The salt (32 random bytes) keeps short contents from being guessed once both are erased.
    """
    return digest(len(salt).to_bytes(2, "big") + salt + content)


def seal(
    draft: EventDraft,
    *,
    run: int,
    n: int,
    at: str,
    prev: str,
    commitments: Mapping[str, str],
    rows: Mapping[str, str] | None = None,
    facts: bytes | None = None,
) -> tuple[bytes, str]:
    """The canonical bytes of *draft* in its place, and their digest.

    Args:
        draft: What happened.
        run: Number of the run.
        n: Place within the run.
        at: RFC 3339, UTC, microseconds.
        prev: Digest of the event before it in the run.
        commitments: Salted commitment by name of payload.
        rows: Digest by name of each index row that the same transaction wrote; the event
            vouches for them. The key is absent from the body when there is none.
        facts: The canonical bytes of `draft.facts`, where the caller has them already:
            encoding costs most of the time, and a store does it before it takes any lock.
    """
    # The members stand in canonical order; a test holds this against `canonical`.
    body = b"".join(
        (
            b'{"at":',
            _text(at),
            b',"call":',
            _text(draft.call),
            b',"facts":',
            canonical(dict(draft.facts)) if facts is None else facts,
            b',"kind":',
            _text(draft.kind),
            b',"n":%d,"payloads":' % n,
            canonical(dict(commitments)) if commitments else b"{}",
            b',"prev":',
            _text(prev),
            b',"rows":%b' % canonical(dict(rows)) if rows else b"",
            b',"run":%d,"subject":' % run,
            _text(draft.subject),
            b',"v":1}',
        )
    )
    return body, digest(body)


def _text(value: str | None) -> bytes:
    if value is None:
        return b"null"
    if value.isascii() and value.isprintable() and '"' not in value and "\\" not in value:
        return b'"%b"' % value.encode("ascii")
    return canonical(value)
