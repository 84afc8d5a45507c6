"""Where the record lives: events, templates, conversations, proofs; what a store needs for it.

In      values of the pure core
Out     Clock, KeyRing; Store, TemplateStore, Sessions, Proofs and the values that they alone give
Pure    declarations only
Spec    interfaces.md, "Command line"; 002 "Data Model"; 003 "State merge"
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Any, Literal, Protocol, Self

from assay.protocols.rows import (
    CallFilter,
    CallRow,
    Changes,
    IdKind,
    ReviewFilter,
    ReviewRow,
    VerifyReport,
)
from assay.record.event import StoredEvent
from assay.templates.version import Registered, Unreadable


class Clock(Protocol):
    """The only source of time."""

    def now(self) -> datetime:
        """Aware, UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds, for measuring only."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class KeyRing(Protocol):
    """Holds master keys; wraps the data keys that encrypt payloads at rest."""

    @property
    def key_id(self) -> str:
        """Which master key wraps now; stored beside what it wrapped."""
        ...

    def wrap(self, data_key: bytes) -> bytes: ...

    def unwrap(self, key_id: str, wrapped: bytes) -> bytes:
        """Raises MasterKeyError for a key it does not hold, IntegrityError for a broken wrap."""
        ...


class Store(Protocol):
    """Where the record lives. All text comes back byte for byte, all times in UTC.

    Every method raises StoreUnavailableError when the database is locked, full or gone.
    """

    @property
    def url(self) -> str:
        """Without a password."""
        ...

    async def start_run(self, kind: str, facts: Mapping[str, Any]) -> int:
        """Open the run with the next consecutive number; its first event is `run.started`."""
        ...

    async def commit(self, changes: Changes) -> tuple[StoredEvent, ...]:
        """Append the events to their run and carry out the writes in one durable transaction."""
        ...

    async def call(self, call_id: str) -> CallRow:
        """Raises NotFoundError."""
        ...

    async def calls(self, which: CallFilter, limit: int = 100) -> Sequence[CallRow]:
        """Newest first."""
        ...

    async def count_calls_by_minute(self, since: datetime) -> Mapping[str, int]:
        """`2026-01-17T08:00`, in UTC -> calls opened in that minute; those with none are absent."""
        ...

    async def find_call(self, key: str) -> CallRow | None:
        """The newest call under this key, settled or open."""
        ...

    def events(
        self, *, run: int | None = None, call: str | None = None, kind: str | None = None
    ) -> AsyncIterator[StoredEvent]:
        """In order of appending, streamed."""
        ...

    async def payload(self, seq: int, name: str) -> bytes | None:
        """What stands beside event *seq*; None when it was erased.

        Raises IntegrityError when the content does not match its commitment.
        """
        ...

    async def payloads(self, name: str, seqs: Collection[int]) -> Mapping[int, bytes | None]:
        """As `payload`, of up to some hundred events at once; one that has none is left out."""
        ...

    async def placed_events(self, first: int, limit: int) -> Sequence[StoredEvent]:
        """Up to *limit* events of all runs by their places in the log, from place *first* on.

        Who follows the record by places misses none: no event gets a place before one that has.
        """
        ...

    async def review(self, review_id: str) -> ReviewRow: ...

    async def reviews(self, which: ReviewFilter, limit: int = 100) -> Sequence[ReviewRow]:
        """Oldest first: the queue."""
        ...

    async def count_reviews(self, which: ReviewFilter) -> int: ...

    async def ids_beginning(self, kind: IdKind, start: str, limit: int) -> Sequence[str]:
        """Up to *limit* ids that begin with *start*, character for character, in order."""
        ...

    async def shorten_ids(
        self, kind: IdKind, ids: Sequence[str], *, least: int = 8
    ) -> Mapping[str, str]:
        """The shortest beginning of each, of *least* characters or more, that no other id has.

        An id that another one begins with stays whole.
        """
        ...

    async def verify(self, anchor: Mapping[str, Any] | None = None) -> VerifyReport:
        """Re-hash everything; name the first bad event; compare with a remembered head."""
        ...

    async def head(self) -> Mapping[str, Any]:
        """What an operator should remember elsewhere: `{"size", "root", …}`."""
        ...

    async def prove(self, seq: int, size: int | None = None) -> Mapping[str, Any]:
        """That event *seq* stands in the log of *size* events, by default of all.

        Returns:
            `index`, `size`, and as 32 bytes each `leaf`, `root` and the parts of `proof`.

        Raises:
            NotFoundError: there is no such event.
            InputError: the log never had that size, or did not hold the event then.
        """
        ...

    async def prove_growth(self, first: int, second: int | None = None) -> Mapping[str, Any]:
        """That the log of *second* events, by default of all, begins with that of *first*.

        Returns:
            `first`, `second`, and as 32 bytes each `first_root`, `second_root` and the parts
            of `proof`.

        Raises:
            InputError: the log never had these sizes.
        """
        ...

    async def erase(self, subject: str, *, reason: str, actor: str) -> int:
        """Destroy the payloads, salts and data keys of *subject*; returns how many payloads.

        The erasure is itself an event in a run of its own. Raises NotFoundError when no event
        is about the subject.
        """
        ...

    async def expire(
        self,
        kinds: Iterable[str],
        before: datetime,
        *,
        reason: str,
        actor: str,
        dry_run: bool = False,
    ) -> int:
        """Destroy the payloads of events of these *kinds* older than *before*; returns how many.

        Itself an event, like an erasure; a dry run only counts.
        """
        ...

    async def pieces_left(self) -> Sequence[str]:
        """After `erase` or `expire`: what the database's files may still hold, and how to finish.

        A sentence each; none when nothing is left.
        """
        ...

    async def aclose(self) -> None: ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class TemplateStore(Protocol):
    """The reading side of the template registry; what changes it goes through `Store.commit`.

    Every method reads the store afresh. A version comes with the digests that its event gives
    it, so that an edit behind the registry's back is seen.
    """

    async def template(self, role: str, name: str, version: int) -> Registered:
        """Raises NotFoundError."""
        ...

    async def templates(
        self, role: str | None = None, name: str | None = None
    ) -> Sequence[Registered]:
        """All versions, in order of role, name, version."""
        ...

    async def released_versions(
        self, role: str, name: str, own: int | None = None
    ) -> Sequence[Registered]:
        """The active version and the canary, where there are; and version *own*, whatever it is."""
        ...

    async def newest(self, role: str, name: str) -> int:
        """The highest number of a version; 0 when there is none."""
        ...

    async def label(self, role: str, name: str, label: str) -> int | None:
        """The version that a label stands at."""
        ...

    async def scan(self) -> Sequence[Registered | Unreadable]:
        """All versions, in the order they were added; one that cannot be read hides no other."""
        ...

    async def recorded_events(
        self, kind: str, after: int
    ) -> Sequence[tuple[int, StoredEvent | None]]:
        """The next events of *kind* with a seq above *after*, in order; none: that was all.

        None stands for an event that was edited, or that the record says otherwise.
        """
        ...

    async def unvouched_rows(self, role: str, name: str) -> Sequence[str]:
        """Names (`TABLE/ID`) of the rows that are not what the record last said of them.

        A version, a release or a label was edited, moved, put back, deleted or made up.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """Where a conversation stands; what was said in it is a payload of its newest event."""

    id: str
    """A UUID, in lower case."""

    run: int
    """All events of a session belong to one run."""

    pack: str
    status: Literal["idle", "turning"]
    """`turning` while a turn is not ended: running, or cut off and to be taken up again."""

    version: int
    """From 1; every write counts it up and names the one before."""

    turn: int
    """Number of the last turn, from 1."""

    step: int
    """How many stages of this turn are stored."""

    stage: str | None
    """What comes next in an unfinished turn."""

    state_digest: str
    """Over the content."""

    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSession:
    """A session as it was read, checked."""

    row: SessionRow
    content: bytes
    """What `assay.flow.state` wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PutSession:
    """Insert the session (version 1), or move it on from the version before; else conflict.

    The last event of the transaction must carry the content as its payload `session`.
    """

    row: SessionRow


class Sessions(Protocol):
    """The reading side of conversations; what changes them goes through `Store.commit`."""

    async def session(self, session_id: str) -> StoredSession | None:
        """None when there is none. Raises IntegrityError when it was edited."""
        ...

    async def sessions(
        self, limit: int = 100, *, before: str | None = None
    ) -> Sequence[SessionRow]:
        """The latest first; *before*, an id: those that stand behind it in that order."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointRow:
    """A signed tree head as it is kept beside the log."""

    size: int
    root: str
    """Digest form, as `Store.head` gives it."""

    note: str
    """The text with its signatures."""

    token: bytes | None
    """RFC 3161 response over the note, where a time-stamp was asked for."""

    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What an event's commitment to a payload was made over."""

    salt: bytes
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """A payload is gone; event *by* vouches for it."""

    by: int


class Proofs(Protocol):
    """What a stranger needs beside the events. Every method reads the store afresh."""

    async def origin(self) -> str | None:
        """The log's own name, which follows from its first entry; None while it is empty."""
        ...

    async def root(self, size: int) -> bytes | None:
        """The root over the first *size* entries; None when the log has not so many."""
        ...

    async def prove(self, seq: int, size: int | None = None) -> Mapping[str, Any]:
        """As `Store.prove`, but of what has its place already: `Store.head` gives places."""
        ...

    async def put_checkpoint(self, row: CheckpointRow) -> None:
        """Keep a signed head."""
        ...

    async def checkpoints(self) -> Sequence[CheckpointRow]:
        """The oldest first."""
        ...

    async def event(self, seq: int) -> StoredEvent:
        """Raises NotFoundError, or IntegrityError when it was edited."""
        ...

    async def opening(self, seq: int, name: str) -> Opening | Erased:
        """Raises IntegrityError when the content does not match its commitment."""
        ...
