"""Sign the head of the log, and hold the log against heads that were signed or kept before.

In      a store with its proofs, keys, the bytes of an anchor
Out     Made: a checkpoint; Verified: the report of `audit verify`
Effects store reads, one write for a checkpoint; whatever a stamper does
Spec    docs/explanation/record.md, "Checkpoints", "What gets which verdict"

An *anchor* is a head that somebody kept outside of the store. A checkpoint inside the store
proves less: whoever can rebuild the log can take it away. So only an anchor makes a record `ok`;
the checkpoints inside must fit all the same.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from assay.errors import InputError, IntegrityError, StoreReadOnlyError
from assay.protocols import CheckpointRow, Clock, Proofs, Store, VerifyReport
from assay.record.checkpoint import Checkpoint, Signer, Verifier, read_note
from assay.record.checkpoint import verify as verify_note
from assay.record.keys import read_signers, read_verifiers
from assay.record.tree import EMPTY_ROOT

Stamper = Callable[[bytes], Awaitable[bytes]]
"""Gets an RFC 3161 response over the bytes of a note."""

StampCheck = Callable[[bytes, bytes], None]
"""Raises IntegrityError unless the response (second) vouches for the note (first)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditKeys:
    """Who signs checkpoints, and whose signatures count."""

    signing: bytes | None = field(default=None, repr=False)
    """A file with secret keys; None signs nothing."""

    trusted: tuple[bytes, ...] = ()
    """Files with public keys; those of `signing` are trusted too."""

    def signers(self, origin: str) -> tuple[Signer, ...]:
        return () if self.signing is None else read_signers(self.signing, origin)

    def verifiers(self, origin: str) -> tuple[Verifier, ...]:
        """Keys without a name go by that of the log."""
        own = () if self.signing is None else (self.signing,)
        return tuple(key for data in (*own, *self.trusted) for key in read_verifiers(data, origin))


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A head, signed when there was a key."""

    origin: str | None
    """None while the log is empty."""

    size: int
    root: str
    keys: tuple[Verifier, ...]
    note: str | None
    """The checkpoint; None when unsigned."""

    token: bytes | None
    kept: bool = False
    """Whether the store keeps it; one that can only be read does not."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "origin": self.origin,
            "size": self.size,
            "root": self.root,
            "signed": self.note is not None,
            "keys": [str(key) for key in self.keys],
            "checkpoint": self.note,
            "timestamp": None if self.token is None else b64encode(self.token).decode(),
            "kept": self.kept,
        }

    def file(self) -> bytes:
        """What to keep elsewhere: the note, or the bare head when it is unsigned."""
        if self.note is not None:
            return self.note.encode("utf-8")
        head = {"origin": self.origin, "size": self.size, "root": self.root, "signed": False}
        return json.dumps(head).encode("utf-8") + b"\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A remembered head, as it was read from a file."""

    size: int
    root: str
    signed_by: tuple[Verifier, ...] = ()
    """Known keys that vouch for it; none for a bare head, which its keeper vouches for."""

    origin: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "origin": self.origin,
            "size": self.size,
            "root": self.root,
            "signed": bool(self.signed_by),
            "keys": [str(key) for key in self.signed_by],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What `audit verify` found, with what it was held against."""

    report: VerifyReport
    anchor: Anchor | None
    checkpoints: int = 0
    """How many heads inside the store were held against the log."""

    known_signatures: int = 0
    """How many of them a known key signed."""

    timestamps: int = 0
    """How many carry a time-stamp."""

    timestamps_verified: int = 0
    """How many of these were checked against the authority's certificate."""

    def to_dict(self) -> dict[str, Any]:
        report = self.report
        anchored = report.anchored_events
        return report.to_dict() | {
            "unanchored_events": report.events - anchored,
            "ranges": {
                "anchored": {"start": 0, "stop": anchored},
                "unanchored": {"start": anchored, "stop": report.events},
            },
            "anchor": None if self.anchor is None else self.anchor.to_dict(),
            "checkpoints": {
                "held": self.checkpoints,
                "signed_by_known_keys": self.known_signatures,
                "timestamps": self.timestamps,
                "timestamps_verified": self.timestamps_verified,
            },
        }


async def make_checkpoint(
    store: Store, proofs: Proofs, keys: AuditKeys, *, clock: Clock, stamper: Stamper | None = None
) -> Made:
    """Sign the head of the log and keep the checkpoint; without a key, only say the head.

    Raises:
        InputError: a key cannot be read, or there is nothing signed to put a time-stamp on.
        ExecutionError: the time-stamping authority cannot be reached; nothing was kept.
        StoreReadOnlyError: events have no place in the log yet, and none can be given.
    """
    head = await store.head()
    size, root = int(head["size"]), str(head["root"])
    origin = await proofs.origin() if size else None
    signers = keys.signers(origin) if origin is not None else ()
    if origin is None or not signers:
        if stamper is not None:
            raise InputError(
                "only a signed checkpoint gets a time-stamp",
                hint="name a key with ASSAY_SIGNING_KEY; assay audit keygen makes one",
            )
        return Made(origin=origin, size=size, root=root, keys=(), note=None, token=None)
    checkpoint = Checkpoint(origin=origin, size=size, root=bytes.fromhex(root.partition(":")[2]))
    note = checkpoint.sign(signers)
    token = None if stamper is None else await stamper(note.encode("utf-8"))
    row = CheckpointRow(size=size, root=root, note=note, token=token, created_at=clock.now())
    kept = token is None and any(other.note == note for other in await proofs.checkpoints())
    if not kept:
        with suppress(StoreReadOnlyError):  # what it proves does not depend on being kept here
            await proofs.put_checkpoint(row)
            kept = True
    named = tuple(signer.verifier for signer in signers)
    return Made(origin=origin, size=size, root=root, keys=named, note=note, token=token, kept=kept)


def read_anchor(data: bytes, keys: AuditKeys) -> Anchor:
    """A head from the bytes of a file: a checkpoint, or the JSON of an unsigned head.

    Raises:
        IntegrityError: it is neither, or it is a checkpoint that no known key signed.
    """
    try:
        text = data.decode("utf-8")
        said = json.loads(text, object_pairs_hook=_count_once) if text.lstrip()[:1] == "{" else None
    except (ValueError, RecursionError) as error:
        raise IntegrityError("the anchor is no checkpoint", hint=_ANCHOR) from error
    if isinstance(said, Mapping):
        note = said.get("checkpoint")
        if note is None:
            return _bare_note(said)
        text = str(note)
    try:
        claimed, _ = read_note(text)
    except InputError as error:
        raise IntegrityError("the anchor is no checkpoint", hint=_ANCHOR) from error
    verifiers = keys.verifiers(claimed.origin)
    if not verifiers:
        raise IntegrityError(
            "no key is known that could vouch for the anchor",
            hint="give the public key with --key, or set ASSAY_CHECKPOINT_KEYS",
        )
    checkpoint, vouching = verify_note(text, verifiers)
    if checkpoint.size == 0 and checkpoint.root != EMPTY_ROOT:
        raise IntegrityError("the anchor is no head of a record", hint=_ANCHOR)
    return Anchor(
        size=checkpoint.size,
        root=_write_note(checkpoint.root),
        signed_by=vouching,
        origin=checkpoint.origin,
    )


async def verify_record(
    store: Store,
    proofs: Proofs,
    keys: AuditKeys,
    *,
    anchor: Anchor | None = None,
    stamp_check: StampCheck | None = None,
) -> Verified:
    """Re-hash the record; hold it against *anchor* and against the checkpoints inside."""
    other = anchor is not None and await _is_of_another_log(anchor, proofs)
    remembered = None if anchor is None else {"size": anchor.size, "root": anchor.root}
    report = await store.verify(None if other else remembered)
    counts = {"known": 0, "stamps": 0, "checked": 0}
    rows: tuple[CheckpointRow, ...] = ()
    if report.status != "broken" and other:
        report = _broken(report, _OTHER_LOG, seq=await _first_seq(store))
    if report.status != "broken":
        try:
            rows = tuple(await proofs.checkpoints())
        except IntegrityError as error:
            report = _broken(report, error.message)
        for row in rows:
            why = await _flaw(proofs, row, keys, stamp_check, counts)
            if why is not None:
                said = f"the checkpoint of {row.size} events in the store: {why}"
                report = _broken(report, said)
                break
    return Verified(
        report=report,
        anchor=anchor,
        checkpoints=len(rows),
        known_signatures=counts["known"],
        timestamps=counts["stamps"],
        timestamps_verified=counts["checked"],
    )


def unreadable_report(why: str, anchor: Anchor | None) -> Verified:
    """The verdict on a store that is too damaged to be opened."""
    report = VerifyReport(
        status="broken",
        events=0,
        first_bad_seq=None,
        first_bad_why=why,
        head=None,
        anchored_to=None,
    )
    return Verified(report=report, anchor=anchor)


async def _is_of_another_log(anchor: Anchor, proofs: Proofs) -> bool:
    """Whether the log has another name than *anchor* gives; its name follows from its beginning."""
    if anchor.origin is None:
        return False
    try:
        origin = await proofs.origin()
    except IntegrityError:  # so damaged that it has no name: verification says where
        return False
    return origin is not None and origin != anchor.origin


async def _first_seq(store: Store) -> int | None:
    async for event in store.events():
        return event.seq
    return None


def _broken(report: VerifyReport, why: str, *, seq: int | None = None) -> VerifyReport:
    return replace(
        report,
        status="broken",
        first_bad_seq=seq,
        first_bad_why=why,
        head=None,
        anchored_to=None,
        anchored_events=0,
    )


async def _flaw(
    proofs: Proofs,
    row: CheckpointRow,
    keys: AuditKeys,
    stamp_check: StampCheck | None,
    counts: dict[str, int],
) -> str | None:
    """What is wrong with a kept checkpoint; counts what is right with it."""
    try:
        checkpoint, signatures = read_note(row.note)
        if (checkpoint.size, _write_note(checkpoint.root)) != (row.size, row.root):
            return "its columns say other than its text"
        root = await proofs.root(row.size)
        if root is None:
            return "it is of a larger log: the tail is cut"
        if root != checkpoint.root:
            return "the log up to there is another one"
        if checkpoint.origin != await proofs.origin():
            return "it is of another log"
        verifiers = keys.verifiers(checkpoint.origin)
        named = {(line.name, line.key_id) for line in signatures}
        if any((key.name, key.key_id) in named for key in verifiers):
            verify_note(row.note, verifiers)
            counts["known"] += 1
        if row.token is not None:
            counts["stamps"] += 1
            if sha256(row.note.encode("utf-8")).digest() not in row.token:
                return "its time-stamp is over something else"
            if stamp_check is not None:
                stamp_check(row.note.encode("utf-8"), row.token)
                counts["checked"] += 1
    except (InputError, IntegrityError) as error:
        return error.message
    return None


def _count_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a name is repeated")
    return dict(pairs)


def _bare_note(said: Mapping[str, Any]) -> Anchor:
    size, root = said.get("size"), said.get("root")
    digits = root.removeprefix("sha256:") if isinstance(root, str) else ""
    whole = isinstance(root, str) and root.startswith("sha256:") and len(digits) == 64
    right = type(size) is int and size >= 0 and whole and not set(digits) - set("0123456789abcdef")
    if not right or (size == 0 and digits != EMPTY_ROOT.hex()):
        raise IntegrityError("the anchor is no head of a record", hint=_ANCHOR)
    origin = said.get("origin")
    assert isinstance(size, int)
    return Anchor(size=size, root=str(root), origin=origin if isinstance(origin, str) else None)


def _write_note(root: bytes) -> str:
    return "sha256:" + root.hex()


_OTHER_LOG = "the anchor is of another log, or this one was rebuilt from its first event on"
_ANCHOR = "give the file that `assay audit checkpoint --output` wrote"
