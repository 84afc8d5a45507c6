"""The rows that a store keeps beside its events, and what one transaction does.

In      values of the pure core
Out     rows, writes, filters, reports
Pure    declarations only
Spec    interfaces.md, "Command line"
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

from assay.contract.kept import CallKind
from assay.record.event import EventDraft

CallStatus = Literal["open", "settled"]
OutcomeStatus = Literal["accepted", "no_evidence", "needs_review"]
IdKind = Literal["call", "review", "session"]
"""What an id that may be shortened is the id of. Runs have numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRow:
    """The index entry of one call; what happened stands in its events."""

    id: str
    run: int
    kind: CallKind
    """What it asks for; decides which job makes it again."""

    key: str
    """Digest over contract digest, model name and input: equal keys are not sent twice."""

    contract: str
    """`PACK/NAME`."""

    contract_digest: str
    model: str
    input: str
    """Name of the input, for people; that of a file is a surrogate."""

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
    status: Literal["open", "accepted", "rejected", "withdrawn"]
    """`withdrawn`: its call was asked again, and the new one has settled."""

    opened_at: datetime
    decided_at: datetime | None = None
    reviewer: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PutCall:
    """Insert the call, or replace its row by id while that still has the status *over*.

    A store keeps at most one open call under a key. Where either does not hold it raises
    CallTakenError, and the transaction does nothing.
    """

    row: CallRow
    over: CallStatus = "open"
    seen: int | None = None
    """Seq of the call's newest event that the writer knows, for a commit of one event: where
    another came after it, somebody else goes on with the call, and that is CallTakenError too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PutReview:
    """Insert the review, or replace it while it is what the writer saw; else it conflicts."""

    row: ReviewRow
    over: Literal["open", "decided"] = "open"
    """`decided`: a decision is taken back."""


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
    input: str | None = None
    """As the row holds it."""

    before: str | None = None
    """Id of a call: only those that stand behind it in the order, for the next page of a list."""

    order: Literal["contract", "input", "model"] | None = None
    """What the list is in the order of, calls of equal ones by time; None is by time alone."""

    ascending: bool = False
    """The oldest, or what is first in the alphabet, leads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewFilter:
    """Which reviews to list; None leaves a field open."""

    status: str | None = "open"
    reason: str | None = None
    pack: str | None = None
    """Of the review's call; an unreadable input has none."""

    input: str | None = None
    opened_before: datetime | None = None
    after: str | None = None
    """Id of a review: only those that were opened after it, for the next page of a list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyReport:
    """What `audit verify` found; fields as in interfaces.md."""

    status: Literal["ok", "broken", "unanchored"]
    events: int
    """How many hold: all of them, or those before the first flaw."""

    first_bad_seq: int | None
    first_bad_why: str | None
    head: str | None
    """Root of the Merkle log over all events; None when broken, or when events have no place in
    it yet."""

    anchored_to: str | None
    """Root of the anchor; None without one, or when broken."""

    anchored_events: int = 0
    """How many events, from the first, the anchor vouches for; those after it are unanchored."""

    payloads: int = 0
    """How many payloads were re-hashed."""

    erased: int = 0
    """How many payloads are gone, each with an erasure that vouches for it."""

    unchecked: int = 0
    """How many payloads were not re-hashed because they are encrypted and the key is not at hand.
    The status speaks for everything else."""

    unchecked_why: str | None = None

    unsequenced: int = 0
    """How many events have no place in the log yet, because the store could not be written."""

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
            "payloads": "unchecked" if self.unchecked else self.payloads,
            "payloads_checked": self.payloads,
            "payloads_unchecked": self.unchecked,
            "payloads_why": self.unchecked_why,
            "erased": self.erased,
            "unsequenced": self.unsequenced,
        }
