"""The rules of an unbroken record, put to one event after another.

In      the columns of an event as a store keeps them; what the store says of each run
Out     what is wrong with an event, in words; nothing when all is well
Pure    yes
Spec    docs/decisions/0005, docs/decisions/0006

Events come in order of `seq`. Memory grows with the runs that are open side by side, never with
the events: a run is forgotten when its last recorded event has passed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import jiter

from assay.record.event import GENESIS

COLUMNS = ("run", "n", "kind", "at", "call", "subject", "prev")
"""The columns that repeat what the body says."""

ERASED = "subject.erased"
"""Kind of the event that vouches for payloads that are gone: those of its own subject."""

EXPIRED = "payloads.expired"
"""Kind of the event that vouches for payloads that are gone by age: its facts name the kinds of
event (`kinds`) and the time (`before`)."""


UNLINKED = "it does not follow the event before it in run {}"
"""What is said of an event that names another digest than that of the one before it. Which of the
two was changed, the one after it tells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEntry:
    """What a store says of one run."""

    run: int
    kind: str
    started_at: str
    events: int
    """How many events it has."""

    head: str
    """Digest of its newest event."""


def read_event(
    body: bytes, digest: str, columns: tuple[Any, ...]
) -> tuple[Mapping[str, Any], str | None]:
    """What *body* says, and what is wrong with it.

    Args:
        body: The canonical JSON.
        digest: What is recorded as its digest.
        columns: The values beside it, in the order of COLUMNS.
    """
    said = read_body(body, digest)
    if said is None:
        return {}, "it was edited: its body has not the recorded digest, or is no event"
    try:
        repeated = (  # in the order of COLUMNS
            said["run"],
            said["n"],
            said["kind"],
            said["at"],
            said["call"],
            said["subject"],
            said["prev"],
        )
    except KeyError:
        return {}, "its body is no event"
    if repeated == columns:
        return said, None
    different = [name for name, value in zip(COLUMNS, columns, strict=True) if said[name] != value]
    return said, f"its column {different[0]!r} says other than its body"


def read_body(body: bytes, digest: str) -> dict[str, Any] | None:
    """What *body* says; None when it has another digest, or is no JSON object."""
    if "sha256:" + sha256(body).hexdigest() != digest:
        return None
    try:
        said = jiter.from_json(body)
    except ValueError:
        return None
    return said if isinstance(said, dict) else None


class Chains:
    """Follows all runs at once."""

    def __init__(self) -> None:
        self._open: dict[int, tuple[int, str, RunEntry]] = {}
        self.last_run = 0
        """The newest run that was seen to begin."""

    def follow(self, said: Mapping[str, Any], digest: str, entry: RunEntry | None) -> str | None:
        """Put the next event to the rules.

        Args:
            said: Its body.
            digest: Its digest.
            entry: For the first event of a run (`n` 0), what the store says of the run.

        Returns:
            What is wrong, or None.
        """
        run, n, prev = said["run"], said["n"], said["prev"]
        known = self._open.get(run)
        if known is None:
            flaw = self._begin(said, entry)
            if flaw is not None or entry is None:
                return flaw
            known = 0, GENESIS, entry
        due, before, entry = known
        if n != due:
            missing = f"event {due} of run {run} is missing before it"
            return missing if n > due else f"it repeats place {n} of run {run}"
        if prev != before:
            return UNLINKED.format(run)
        if n + 1 < entry.events:
            self._open[run] = n + 1, digest, entry
            return None
        self._open.pop(run, None)
        if n + 1 > entry.events:
            return f"run {run} is recorded with {entry.events} events"
        if digest != entry.head:
            return f"it is not the head that is recorded for run {run}"
        return None

    def unfinished_run(self) -> str | None:
        """After the last event: the first run whose recorded events did not all come."""
        for run in sorted(self._open):
            due, _, entry = self._open[run]
            return f"the tail of run {run} is cut: {due} of {entry.events} events are there"
        return None

    def _begin(self, said: Mapping[str, Any], entry: RunEntry | None) -> str | None:
        run = said["run"]
        if run <= self.last_run:
            return f"it stands after the recorded end of run {run}"
        if run != self.last_run + 1:
            return f"run {self.last_run + 1} is missing before it"
        if said["n"] != 0:
            return f"event 0 of run {run} is missing before it"
        if entry is None:
            return f"run {run} is not among the recorded runs"
        facts = said["facts"]
        if (entry.kind, entry.started_at) != (facts.get("kind"), said["at"]):
            return f"what is recorded of run {run} differs from its first event"
        self.last_run = run
        return None


def vouches(erasure: Mapping[str, Any], erased: Mapping[str, Any]) -> bool:
    """Whether the body *erasure* tells of the erasure of the payloads of the body *erased*."""
    kind = erasure.get("kind")
    if kind == ERASED:
        return erasure.get("subject") is not None and erasure["subject"] == erased["subject"]
    if kind == EXPIRED:
        facts = erasure.get("facts", {})
        return erased["kind"] in facts.get("kinds", ()) and erased["at"] < facts.get("before", "")
    return False
