"""All that can be plugged in, and the values that cross these seams.

In      values of the pure core
Out     protocols: Model, Store, Clock, KeyRing, Engine, Retriever; the rows a store keeps
Pure    declarations only
Spec    interfaces.md, "Models"; 004 R3; architecture.md, "The one way data flows"

Any object with these methods will do; `assay.testing` holds the suites that prove it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Any, Literal, Protocol, Self

from assay.contract.decoding import DecodingPlan
from assay.prompt.registered import Registered
from assay.record.event import EventDraft, StoredEvent

# --- models ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """What a model is told beside the prompt. Part of the record and of the recorded key."""

    temperature: float
    """0.0 asks for the most likely answer."""

    max_output_tokens: int
    """Upper limit of the answer, in model tokens; always 1 or more."""

    seed: int | None = None
    """Handed on where the provider knows a seed."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "temperature": self.temperature,
            "max_output_tokens": self.max_output_tokens,
            "seed": self.seed,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One exchange as it is sent; equal bytes for every retry (004 R3)."""

    prompt: str
    """The whole prompt; what is sent is its UTF-8."""

    prompt_sha256: str
    """Digest of these bytes."""

    parameters: Parameters

    plan: DecodingPlan | None = None
    """For models that decode under constraints (`embedded`) or that are no language model
    (`extractive`). Derived from contract and input alone, so it adds nothing to the prompt."""

    prefix_chars: int = 0
    """How many leading code points are the same for every call: cacheable where supported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """What came back, untouched."""

    text: str | bytes
    finish_reason: str | None
    input_tokens: int | None = None
    output_tokens: int | None = None
    model: str = ""
    """The name the provider itself reported, where it did."""

    details: Mapping[str, Any] = field(default_factory=dict)
    """JSON facts for the record: cache mode, weights digest, request id."""


class ModelFault(Exception):  # noqa: N818 - a fault is weighed by the execution wrapper, not shown
    """A reply did not come. `transient` faults are retried with the same bytes."""

    def __init__(
        self,
        kind: Literal[
            "timeout", "rate_limit", "server", "bad_request", "auth", "exhausted", "crash"
        ],
        *,
        transient: bool,
        retry_after_s: float | None = None,
        hint: str = "",
    ) -> None:
        super().__init__(kind)
        self.kind = kind
        self.transient = transient
        self.retry_after_s = retry_after_s
        self.hint = hint


class Model(Protocol):
    """Something that answers a prompt."""

    @property
    def name(self) -> str:
        """`provider:name`, as given to `--model`."""
        ...

    @property
    def identity(self) -> Mapping[str, Any]:
        """JSON facts that fix what answers: weights digest, kind, library version."""
        ...

    @property
    def needs_plan(self) -> bool:
        """Does it read `ModelRequest.plan`? Deriving one takes time that others need not spend."""
        ...

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Send *request* once. Raises ModelFault; never retries, never edits."""
        ...

    async def aclose(self) -> None:
        """Release processes and connections."""
        ...


# --- time, keys -----------------------------------------------------------------------------


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
        """Raises IntegrityError for an unknown key or a broken wrap."""
        ...


# --- the store ------------------------------------------------------------------------------

CallStatus = Literal["open", "settled"]
OutcomeStatus = Literal["accepted", "no_evidence", "needs_review"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRow:
    """The index entry of one call; what happened stands in its events."""

    id: str
    run: int
    key: str
    """Digest over contract digest, model name and input: equal keys are not sent twice."""

    contract: str
    """`PACK/NAME`."""

    contract_digest: str
    model: str
    input: str
    """Name of the input, for people."""

    input_digest: str
    subject: str
    """Pseudonym of whom the input is about; what `audit erase` takes."""

    status: CallStatus
    attempts: int
    created_at: datetime
    settled_at: datetime | None = None
    outcome: OutcomeStatus | None = None
    reason: str | None = None
    decision_digest: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRow:
    """A doubtful case that waits for, or has, a person's decision."""

    id: str
    run: int
    call: str | None
    input: str
    reason: str
    status: Literal["open", "accepted", "rejected"]
    opened_at: datetime
    decided_at: datetime | None = None
    reviewer: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PutCall:
    """Insert the call or replace its row by id."""

    row: CallRow


@dataclass(frozen=True, slots=True, kw_only=True)
class PutReview:
    """Insert the review or replace it; replacing one that is already decided conflicts."""

    row: ReviewRow


class Write(Protocol):
    """One change beside the events of a transaction. Stores dispatch on the type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What one transaction does: all of it or nothing."""

    run: int
    events: tuple[EventDraft, ...] = ()
    writes: tuple[Write, ...] = ()

    durable: bool = True
    """False does not wait for the disk: what is written survives the death of every process, but
    a power failure may take it until the next durable transaction. Never for an outcome."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFilter:
    """Which calls to list; None leaves a field open."""

    contract: str | None = None
    outcome: str | None = None
    status: str | None = None
    run: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyReport:
    """What `audit verify` found; fields as in interfaces.md."""

    status: Literal["ok", "broken", "unanchored"]
    events: int
    """How many hold: all of them, or those before the first flaw."""

    first_bad_seq: int | None
    first_bad_why: str | None
    head: str | None
    """Root of the Merkle log over all events; None when broken."""

    anchored_to: str | None
    """Root of the anchor; None without one, or when broken."""

    anchored_events: int = 0
    """How many events, from the first, the anchor vouches for; those after it are unanchored."""

    payloads: int = 0
    """How many payloads were re-hashed."""

    erased: int = 0
    """How many payloads are gone, each with an erasure that vouches for it."""

    def to_dict(self) -> dict[str, Any]:
        bad = (
            None
            if self.first_bad_why is None
            else {"seq": self.first_bad_seq, "why": self.first_bad_why}
        )
        return {
            "status": self.status,
            "events": self.events,
            "first_bad": bad,
            "head": self.head,
            "anchored_to": self.anchored_to,
            "anchored_events": self.anchored_events,
            "payloads": self.payloads,
            "erased": self.erased,
        }


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

    async def review(self, review_id: str) -> ReviewRow: ...

    async def reviews(
        self, status: str | None = "open", limit: int = 100
    ) -> Sequence[ReviewRow]: ...

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

    Every method reads the store afresh. A version comes with the digests that its event of
    addition gives it, so that an edit behind the registry's back is seen.
    """

    async def template(self, role: str, name: str, version: int) -> Registered:
        """Raises NotFoundError."""
        ...

    async def templates(
        self, role: str | None = None, name: str | None = None
    ) -> Sequence[Registered]:
        """All versions, in order of role, name, version."""
        ...

    async def released(self, role: str, name: str, own: int | None = None) -> Sequence[Registered]:
        """The active version and the canary, where there are; and version *own*, whatever it is."""
        ...

    async def newest(self, role: str, name: str) -> int:
        """The highest number of a version; 0 when there is none."""
        ...

    async def label(self, role: str, name: str, label: str) -> int | None:
        """The version that a label stands at."""
        ...


# --- proofs for strangers -------------------------------------------------------------------


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


# --- conversations --------------------------------------------------------------------------


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

    async def sessions(self, limit: int = 100) -> Sequence[SessionRow]:
        """The latest first."""
        ...
