"""Group commit: what many tasks and threads want written goes into few durable transactions.

In      Prepared changes, each with its Future
Out     the Futures, resolved once the transaction that holds the changes is on disk
Effects worker threads; transactions on the database
Spec    docs/decisions/0005: no writer waits for the log

A batch is all that waits when a worker comes free. Where the batch before had several members,
their writers are about to come back: the worker waits for them for a moment, or each would find
the disk busy with the first of them. A writer on its own never waits for anybody.

If one member of a batch fails, the batch is rolled back and every member is tried alone, so that
only the faulty one fails.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from threading import Condition
from time import sleep
from typing import TypeVar

from sqlalchemy.exc import SQLAlchemyError

from assay.adapters.stores.database import Database, Workers
from assay.adapters.stores.events.append import Prepared, append, is_on_record
from assay.adapters.stores.events.sealing import Keys
from assay.adapters.stores.faults import is_transient
from assay.errors import StoreUnavailableError
from assay.protocols import Clock
from assay.record.event import StoredEvent

T = TypeVar("T")
_BATCH = 128
_TRIES = 5
_THREADS = 4
_PAUSE_S = 0.1
_GATHER_S = 0.001
"""How long a worker waits for the writers of the batch before: less than a sync of the disk."""

Done = tuple[StoredEvent, ...]


class Writer:
    """Carries out all that writes, on threads of its own.

    SQLite has one writer at a time anyway and gets one thread; PostgreSQL gets several.
    """

    def __init__(
        self,
        database: Database,
        *,
        keys: Keys,
        clock: Clock,
        after: Callable[[int], None],
    ) -> None:
        """*after* is told, on a worker thread, how many events were just made durable."""
        self._database = database
        self._keys = keys
        self._clock = clock
        self._after = after
        self._lock = Condition()
        self._waiting: deque[tuple[Prepared, Future[Done]]] = deque()
        self._coming = 0  # workers that are called and have not looked yet
        self._before = 0  # members of the batch that was written last
        self._threads = Workers(1 if database.sqlite else _THREADS, "assay-write")

    def commit(self, batch: Iterable[tuple[Prepared, Future[Done]]]) -> None:
        """Queue *batch*; each Future resolves when its changes are durable."""
        with self._lock:
            if not self._coming:
                self._threads.submit(self._drain)  # first: it refuses when closed
                self._coming += 1
            self._waiting.extend(batch)
            self._lock.notify()

    def run(self, work: Callable[[], T]) -> Future[T]:
        """Run *work*, a transaction of its own, on a writing thread."""
        return self._threads.submit(work)

    def close(self) -> None:
        """Finish what waits, then end the threads."""
        self._threads.close()

    def _drain(self) -> None:
        while True:
            batch = self._take()
            if batch:
                self._write(batch)
            with self._lock:
                if not self._waiting or self._coming:
                    return
                self._coming += 1  # more than one batch was waiting

    def _take(self) -> list[tuple[Prepared, Future[Done]]]:
        """What waits, and a moment later comes; those who gave up meanwhile are left out."""
        with self._lock:
            self._lock.wait_for(
                lambda: len(self._waiting) >= min(self._before, _BATCH), timeout=_GATHER_S
            )
            self._coming -= 1
            count = min(len(self._waiting), _BATCH)
            self._before = count
            batch = [self._waiting.popleft() for _ in range(count)]
        return [pair for pair in batch if pair[1].set_running_or_notify_cancel()]

    def _write(self, batch: list[tuple[Prepared, Future[Done]]]) -> None:
        # One order of locking for all writers, or two batches could wait for each other.
        batch.sort(key=lambda pair: pair[0].run)
        try:
            done = self._transact([prepared for prepared, _ in batch])
        except StoreUnavailableError as error:  # nobody alone would fare better
            for _, future in batch:
                again = StoreUnavailableError(error.message, hint=error.hint)
                again.__cause__ = error.__cause__
                future.set_exception(again)
            return
        except BaseException as error:
            if len(batch) == 1:
                batch[0][1].set_exception(error)
            else:
                self._each_alone(batch)
            return
        for (_, future), events in zip(batch, done, strict=True):
            future.set_result(events)
        self._after(sum(map(len, done)))

    def _each_alone(self, batch: list[tuple[Prepared, Future[Done]]]) -> None:
        for prepared, future in batch:
            try:
                (events,) = self._transact([prepared])
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(events)
                self._after(len(events))

    def _transact(self, batch: list[Prepared]) -> list[Done]:
        durable = any(prepared.durable for prepared in batch)
        for left in reversed(range(_TRIES)):
            done: list[Done] | None = None
            try:
                with self._database.write(durable=durable) as connection:
                    done = append(connection, batch, keys=self._keys, now=self._clock.now)
            except StoreUnavailableError as error:
                if done is not None:  # the commit itself failed: perhaps only its answer was lost
                    if self._was_kept(done, error):
                        return done
                    raise
                cause = error.__cause__
                if not (left and isinstance(cause, SQLAlchemyError) and is_transient(cause)):
                    raise
            else:
                return done
        raise AssertionError("unreachable")

    def _was_kept(self, done: list[Done], error: StoreUnavailableError) -> bool:
        """Whether the transaction whose commit raised *error* was kept after all.

        The chain tells: its newest event is in the database, or nothing of it is.

        Raises:
            StoreUnavailableError: that cannot be found out either.
        """
        events = [event for part in done for event in part]
        if not events:
            return False
        for _ in range(1 + int(self._database.wait_s / _PAUSE_S)):
            try:
                with self._database.write() as connection:
                    return is_on_record(connection, events[-1])
            except StoreUnavailableError:
                sleep(_PAUSE_S)
        raise StoreUnavailableError(
            "the connection was lost while committing; whether it was kept is unknown",
            hint="run again when the database is back: what is settled stays settled",
        ) from error
