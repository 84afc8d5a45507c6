"""Where the record lives.

In      values of the pure core
Out     Store
Pure    declarations only
Spec    interfaces.md, "Command line"
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Protocol, Self

from assay.protocols.rows import CallFilter, CallRow, Changes, ReviewRow, VerifyReport
from assay.record.event import StoredEvent


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
