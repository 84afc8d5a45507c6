"""The store on a SQL database: the async face of the blocking functions beside it.

In      a store URL, a clock, perhaps a key ring
Out     SqlStore, which is a `protocols.Store`
Effects files or sockets, worker threads
Spec    docs/decisions/0005, docs/decisions/0006

There is one implementation, blocking; the methods here hand it to a few threads and wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from types import TracebackType
from typing import Any, Self, TypeVar

from sqlalchemy import Connection

from assay.adapters.stores.database import Database, Workers
from assay.adapters.stores.events import erasure, read, sequence, verify
from assay.adapters.stores.events.append import Prepared, append, open_run, prepare, prepare_event
from assay.adapters.stores.events.group_commit import Writer
from assay.adapters.stores.events.sealing import Keys
from assay.adapters.stores.gathering import Batch, Gathering
from assay.adapters.stores.ids import ids_beginning, shorten_ids
from assay.adapters.stores.rows import Handler
from assay.adapters.stores.schema.migrate import migrate
from assay.errors import AssayError, IntegrityError
from assay.protocols import (
    CallFilter,
    CallRow,
    Changes,
    Clock,
    Erased,
    IdKind,
    KeyRing,
    Opening,
    ReviewFilter,
    ReviewRow,
    VerifyReport,
)
from assay.record.event import EventDraft, StoredEvent

T = TypeVar("T")
Reading = Callable[[Connection], Any]
_PAGE = 200
_READERS = 3
_SEQUENCE_EVERY = 512
_BESIDE_A_READER = (
    "another process reads the store, so its file and its write-ahead log (-wal) still hold pieces "
    "of what was erased: end that reader, then run the same command again"
)
_UNTIL_VACUUM = (
    "PostgreSQL keeps the old rows until they are vacuumed: run `VACUUM payloads, subjects` in the "
    "database once no older transaction is open"
)


class SqlStore:
    """A record in SQLite or PostgreSQL. Made by `open_store`."""

    def __init__(
        self,
        url: str,
        *,
        clock: Clock,
        keyring: KeyRing | None,
        handlers: Mapping[type, Handler],
        wait_s: float,
    ) -> None:
        self._database = Database(url, wait_s=wait_s)
        self._clock = clock
        self._handlers = handlers
        self._keys = Keys(keyring)
        self._unlogged = 0
        self._pieces_left: tuple[str, ...] = ()
        self._readers = Workers(_READERS, "assay-read")
        self._checker = Workers(1, "assay-check")
        self._writer = Writer(
            self._database, keys=self._keys, clock=clock, after=self._after_commit
        )
        self._commits: Gathering[Prepared] = Gathering(self._writer.commit)
        self._reads: Gathering[Reading] = Gathering(self._read_soon)

    async def prepare(self) -> None:
        """Create the file and the tables where they are missing."""

        def make() -> None:
            self._database.create_file()
            migrate(self._database)

        await asyncio.wrap_future(self._writer.run(make))

    @property
    def url(self) -> str:
        return self._database.url

    async def start_run(self, kind: str, facts: Mapping[str, Any]) -> int:
        first = prepare_event(EventDraft(kind="run.started", facts={**facts, "kind": kind}))

        def start() -> int:
            with self._database.write() as connection:
                at = self._clock.now()
                run = open_run(connection, kind, at)
                whole = Prepared(run=run, events=(first,), writes=(), rows={})
                append(connection, [whole], keys=self._keys, now=lambda: at)
            return run

        return await asyncio.wrap_future(self._writer.run(start))

    async def commit(self, changes: Changes) -> tuple[StoredEvent, ...]:
        done: tuple[StoredEvent, ...] = await self._commits.ask(prepare(changes, self._handlers))
        return done

    async def call(self, call_id: str) -> CallRow:
        return await self.read(lambda connection: read.call(connection, call_id))

    async def calls(self, which: CallFilter, limit: int = 100) -> Sequence[CallRow]:
        return await self.read(lambda connection: read.calls(connection, which, limit))

    async def count_calls_by_minute(self, since: datetime) -> Mapping[str, int]:
        return await self.read(lambda connection: read.count_calls_by_minute(connection, since))

    async def find_call(self, key: str) -> CallRow | None:
        return await self.read(lambda connection: read.find_call(connection, key))

    async def events(
        self, *, run: int | None = None, call: str | None = None, kind: str | None = None
    ) -> AsyncIterator[StoredEvent]:
        after: StoredEvent | None = None
        while True:
            page = await self.read(
                lambda connection, after=after: read.events_page(  # type: ignore[misc]
                    connection, after=after, limit=_PAGE, run=run, call=call, kind=kind
                )
            )
            for event in page:
                yield event
            if len(page) < _PAGE:
                return
            after = page[-1]

    async def placed_events(self, first: int, limit: int) -> Sequence[StoredEvent]:
        return await self.read(lambda connection: read.placed_events(connection, first, limit))

    async def payload(self, seq: int, name: str) -> bytes | None:
        return await self.read(lambda connection: read.payload(connection, self._keys, seq, name))

    async def payloads(self, name: str, seqs: Collection[int]) -> Mapping[int, bytes | None]:
        return await self.read(
            lambda connection: read.read_payloads(connection, self._keys, name, seqs)
        )

    async def opening(self, seq: int, name: str) -> Opening | Erased:
        """As `payload`, with the salt; or the event that vouches for the erasure."""
        return await self.read(
            lambda connection: read.read_payload(connection, self._keys, seq, name)
        )

    async def review(self, review_id: str) -> ReviewRow:
        return await self.read(lambda connection: read.review(connection, review_id))

    async def reviews(self, which: ReviewFilter, limit: int = 100) -> Sequence[ReviewRow]:
        return await self.read(lambda connection: read.reviews(connection, which, limit))

    async def count_reviews(self, which: ReviewFilter) -> int:
        return await self.read(lambda connection: read.count_reviews(connection, which))

    async def ids_beginning(self, kind: IdKind, start: str, limit: int) -> Sequence[str]:
        return await self.read(lambda connection: ids_beginning(connection, kind, start, limit))

    async def shorten_ids(
        self, kind: IdKind, ids: Sequence[str], *, least: int = 8
    ) -> Mapping[str, str]:
        return await self.read(lambda connection: shorten_ids(connection, kind, ids, least))

    async def verify(self, anchor: Mapping[str, Any] | None = None) -> VerifyReport:
        # Without it a store that cannot be written to could not be verified either.
        with suppress(AssayError):
            await asyncio.wrap_future(self._writer.run(self._sequence_all))

        def check() -> VerifyReport:
            with self._database.snapshot() as connection:
                return verify.verify(connection, keys=self._keys, anchor=anchor)

        def look_at_pages() -> str | None:
            with self._database.read() as connection:
                return verify.damaged_table(connection)

        # SQLite checks its pages on the side; it does not need Python for that.
        on_the_side = self._checker.submit(look_at_pages) if self._database.sqlite else None
        try:
            report = await asyncio.wrap_future(self._readers.submit(check))
        finally:
            table = None if on_the_side is None else await asyncio.wrap_future(on_the_side)
        if table is not None and report.status != "broken":
            why = f"the database file is damaged in the table {table}"
            return verify.broken(report.events, None, why)
        return report

    async def head(self) -> Mapping[str, Any]:
        await asyncio.wrap_future(self._writer.run(self._sequence_all))
        size, root = await self.read(sequence.read_head)
        return {"size": size, "root": verify.written_digest(root)}

    async def prove(self, seq: int, size: int | None = None) -> Mapping[str, Any]:
        await asyncio.wrap_future(self._writer.run(self._sequence_all))
        return await self.read(lambda connection: sequence.prove(connection, seq, size))

    async def prove_growth(self, first: int, second: int | None = None) -> Mapping[str, Any]:
        await asyncio.wrap_future(self._writer.run(self._sequence_all))
        return await self.read(lambda connection: sequence.prove_growth(connection, first, second))

    async def erase(self, subject: str, *, reason: str, actor: str) -> int:
        return await self._destroy(
            lambda connection, at: erasure.erase(
                connection, subject, reason=reason, actor=actor, keys=self._keys, at=at
            )
        )

    async def expire(
        self,
        kinds: Iterable[str],
        before: datetime,
        *,
        reason: str,
        actor: str,
        dry_run: bool = False,
    ) -> int:
        return await self._destroy(
            lambda connection, at: erasure.expire(
                connection,
                kinds,
                before,
                reason=reason,
                actor=actor,
                keys=self._keys,
                at=at,
                dry_run=dry_run,
            )
        )

    async def pieces_left(self) -> Sequence[str]:
        return self._pieces_left

    async def place_own(self) -> None:
        """Give what this process committed its place in the log, if nobody stands in the way.

        For the end of a process: a store that is put away whole can be proved from where it
        cannot be written.
        """

        def place() -> None:
            while self._unlogged:
                with self._database.write() as connection:
                    if not sequence.give_places(connection, wait=False):
                        return

        with suppress(AssayError):
            await asyncio.wrap_future(self._writer.run(place))

    async def aclose(self) -> None:
        for asked in (self._commits, self._reads):
            asked.hand_over(asyncio.get_running_loop())

        def close() -> None:
            self._writer.close()
            self._readers.close()
            self._checker.close()
            self._database.close()

        await asyncio.get_running_loop().run_in_executor(None, close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def read(self, work: Callable[[Connection], T], *, snapshot: bool = False) -> T:
        """Run *work*, which only reads, on a reading thread; for further tables beside these.

        Args:
            work: What to do.
            snapshot: All its statements see the same state.
        """
        if snapshot:
            return await asyncio.wrap_future(
                self._readers.submit(lambda: _read_together(self._database.snapshot, [work])[0])
            )
        found: T = await self._reads.ask(work)
        return found

    def _read_soon(self, batch: Batch[Reading]) -> None:
        self._readers.submit(lambda: self._read_batch(batch))

    def _read_batch(self, batch: Batch[Reading]) -> None:
        """On a reading thread, in one transaction; where one of them fails, each in its own."""
        batch = [pair for pair in batch if pair[1].set_running_or_notify_cancel()]
        if len(batch) > 1:
            with suppress(Exception):  # whose fault it was is seen below
                found = _read_together(self._database.read, [work for work, _ in batch])
                for (_, answer), each in zip(batch, found, strict=True):
                    answer.set_result(each)
                return
        for work, answer in batch:
            try:
                (alone,) = _read_together(self._database.read, [work])
            except BaseException as error:
                answer.set_exception(error)
            else:
                answer.set_result(alone)

    async def write(self, work: Callable[[Connection], Any]) -> None:
        """Run *work* in a durable transaction on a writing thread; for rows without events."""

        def transaction() -> None:
            with self._database.write() as connection:
                work(connection)

        await asyncio.wrap_future(self._writer.run(transaction))

    async def _destroy(self, work: Callable[[Connection, datetime], int]) -> int:
        def destroy() -> int:
            with self._database.write() as connection:
                count = work(connection, self._clock.now())
            self._pieces_left = self._look_for_pieces()
            return count

        return await asyncio.wrap_future(self._writer.run(destroy))

    def _look_for_pieces(self) -> tuple[str, ...]:
        """On a writing thread, after an erasure: clear away what can be; say what cannot."""
        if self._database.sqlite:
            return () if self._database.empty_wal() else (_BESIDE_A_READER,)
        count = self._database.open_snapshots()
        busy = f"; {count} transactions that may see them are open now" if count else ""
        return (f"{_UNTIL_VACUUM}{busy}",)

    def _after_commit(self, count: int) -> None:
        """On a writing thread: keep the log close behind the events, a batch at a time."""
        self._unlogged += count
        if self._unlogged >= _SEQUENCE_EVERY:
            self._unlogged = 0
            with suppress(AssayError), self._database.write() as connection:
                sequence.give_places(connection, wait=False)

    def _sequence_all(self) -> None:
        """Give every event its place; nothing is written where all have one.

        Raises:
            StoreReadOnlyError: events wait for a place, and the store can only be read.
        """
        while True:
            with self._database.read() as connection:
                if not sequence.is_waiting(connection):
                    return
            with self._database.write() as connection:
                if not sequence.give_places(connection):
                    return


def _read_together(
    begin: Callable[[], AbstractContextManager[Connection]], works: Sequence[Reading]
) -> list[Any]:
    """What *works* find in one transaction."""
    with begin() as connection:
        try:
            return [work(connection) for work in works]
        except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
            raise IntegrityError(  # a value of a type that this program never writes
                "what is recorded cannot be read", hint="run `assay audit verify`"
            ) from error
