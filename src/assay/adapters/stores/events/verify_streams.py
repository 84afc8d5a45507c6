"""Rows that are read side by side in one pass over the record, and how they must fit together.

In      a connection inside a snapshot
Out     RowsBySeq: rows taken along by seq; LogWalk: the Merkle log rebuilt leaf by leaf
Effects reads only; a bounded number of rows in memory
Spec    RFC 9162, 2.1; docs/decisions/0005 and 0006
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from secrets import token_hex
from typing import Any, Self

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import DBAPIError

from assay.adapters.stores.events.sequence import STRIDE
from assay.adapters.stores.rows import blob
from assay.adapters.stores.schema import record
from assay.errors import IntegrityError
from assay.record.tree import EMPTY_ROOT, Frontier

END = sys.maxsize
"""Greater than every seq: where a stream stands that has no more rows."""

_ROWS = 1000
_ROWS_LARGE = 16
_ROWS_SMALL = 64
"""Where rows may be large and those before were not: still few, should they become so."""
_LARGE_BYTES = 1 << 20
_AHEAD = 200_000
_AHEAD_NOTED = 2_000_000
_LOG = "SELECT idx, seq, leaf FROM log ORDER BY idx"


class Flaw(IntegrityError):  # noqa: N818 - weighed by verify, which reports it
    """The first thing that does not hold, and the event it was found at."""

    def __init__(self, seq: int | None, why: str) -> None:
        super().__init__(why)
        self.seq = seq
        self.why = why


class Streams:
    """Opens streams of rows within one snapshot, and closes all of them in the end.

    The drivers' own cursors are read: SQLAlchemy's rows cost as much as all hashing together.
    One left open would hold the snapshot beyond its transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._cursors: list[Any] = []
        self._ahead = ThreadPoolExecutor(1, thread_name_prefix="assay-fetch")

    def open(self, sql: str, *, large: int | None = None) -> Iterator[Any]:
        """The rows of *sql* as plain tuples.

        Args:
            sql: What to read.
            large: The column that may be large: fewer rows are then held at a time.
        """
        raw: Any = self.connection.connection.driver_connection
        driver: Any = self.connection.dialect.loaded_dbapi
        try:
            if self.connection.dialect.name == "sqlite":
                cursor = raw.cursor()
                self._cursors.append(cursor)
                cursor.execute(sql)
                while batch := cursor.fetchmany(_ROWS if large is None else _ROWS_LARGE):
                    yield from batch
            else:  # a named cursor stays in the server; others would fetch everything
                cursor = raw.cursor(name=f"assay_{token_hex(8)}")
                self._cursors.append(cursor)
                cursor.execute(sql, binary=True)
                yield from self._from_server(cursor, large)
        except driver.Error as error:
            raise DBAPIError.instance(
                sql, None, error, driver.Error, hide_parameters=True
            ) from error

    def _from_server(self, cursor: Any, large: int | None) -> Iterator[Any]:
        """The server sends the next rows while these are looked at; drivers lock connections."""
        rows = _ROWS if large is None else _ROWS_LARGE
        coming = self._ahead.submit(cursor.fetchmany, rows)
        while batch := coming.result():
            if large is not None:
                size = sum(len(row[large] or b"") for row in batch)
                rows = _ROWS_LARGE if size > _LARGE_BYTES else _ROWS_SMALL
            coming = self._ahead.submit(cursor.fetchmany, rows)
            yield from batch

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ahead.shutdown(wait=True)
        driver: Any = self.connection.dialect.loaded_dbapi
        for cursor in self._cursors:
            with suppress(driver.Error):  # the transaction may have failed already
                cursor.close()


class RowsBySeq:
    """Rows whose first column is the seq of the event beside which they stand."""

    def __init__(self, rows: Iterator[Any], what: str) -> None:
        self._rows = rows
        self._what = what
        self._next: Any = None
        self.at = 0
        """The seq of the next row; END when there is none."""
        self._step()

    def take(self, seq: int) -> list[Any]:
        """All rows beside event *seq*; rows before it stand beside no event."""
        taken = []
        while self.at <= seq:
            if self.at < seq:
                raise Flaw(self.at, f"{self._what} stands beside no event")
            taken.append(self._next)
            self._step()
        return taken

    def finish(self) -> None:
        """After the last event: nothing may be left."""
        if self.at != END:
            raise Flaw(self.at, f"{self._what} stands beside no event")

    def _step(self) -> None:
        self._next = next(self._rows, None)
        self.at = END if self._next is None else self._next[0]


class LogWalk:
    """Walks through the log while the events pass by in order of seq.

    The two orders differ only where writers overtook each other, so few events wait here.
    """

    def __init__(self, streams: Streams, anchor: tuple[int, bytes] | None) -> None:
        self._connection = connection = streams.connection
        self._rows = streams.open(_LOG)
        self._anchor_size, self._anchor_root = anchor or (0, EMPTY_ROOT)
        self._edge = Frontier()
        self._kept = 0
        self._waiting: dict[int, tuple[bytes, int, int]] = {}
        self._notes = [tuple(row) for row in connection.execute(_NOTES)]
        noted = sum(stop - first for _, first, stop in self._notes)
        self._ahead = _AHEAD + min(noted, _AHEAD_NOTED)
        self._row: Any = None
        self.due = 0
        """The seq of the event that holds the next place; END when no place is left."""
        self._step()

    @property
    def size(self) -> int:
        return self._edge.size

    @property
    def unplaced(self) -> int:
        """How many events that passed by have no place yet."""
        return len(self._waiting)

    def root(self) -> bytes:
        return self._edge.root()

    def missing(self) -> Flaw:
        """What to say when an event passed by that stands behind the one that is due."""
        return Flaw(self.due, f"it is missing: the log holds it at place {self._row[0]}")

    def pass_event(self, seq: int, leaf: bytes, run: int, n: int) -> None:
        """The event *seq* with its leaf hash; never called while `due` is smaller."""
        if seq != self.due:
            self._waiting[seq] = leaf, run, n
            if len(self._waiting) > self._ahead:
                raise Flaw(next(iter(self._waiting)), "it has no place in the log")
            return
        edge = self._edge
        while True:
            place, _, recorded = self._row
            if place != edge.size:
                raise Flaw(seq, f"place {edge.size} of the log is missing before it")
            if recorded != leaf:
                raise Flaw(seq, "its place in the log holds another event")
            completed = edge.append(leaf)
            if len(completed) >= STRIDE:
                self._check_kept(seq, completed)
            if edge.size == self._anchor_size and edge.root() != self._anchor_root:
                raise Flaw(seq, "the log up to here is not the one that the anchor remembers")
            self._row = row = next(self._rows, None)
            self.due = seq = END if row is None else row[1]
            if seq not in self._waiting:
                return
            leaf = self._waiting.pop(seq)[0]

    def finish(self, last: int) -> None:
        """After the last event, whose seq was *last*: everything must have come out even."""
        if self.due != END:
            raise self.missing()
        self._check_notes(last)
        state = self._connection.execute(_STATE).one_or_none()
        if state is None or (state.size, blob(state.frontier)) != (
            self._edge.size,
            self._edge.to_bytes(),
        ):
            raise Flaw(
                last or None, "the recorded state of the log does not follow from its leaves"
            )
        if self._connection.execute(_KEPT).scalar_one() != self._kept:
            raise Flaw(last or None, "the log keeps nodes that do not follow from its leaves")
        if self._anchor_size > self._edge.size:
            raise Flaw(
                last + 1,
                f"the tail is cut: the anchor covers {self._anchor_size} events, "
                f"the log holds {self._edge.size}",
            )

    def _check_notes(self, last: int) -> None:
        """Events without a place are just those for which the sequencer has a note."""
        notes = sorted(self._notes)
        for seq, (_, run, n) in sorted(self._waiting.items()):
            of, first, stop = notes[bisect_right(notes, (run, n, END)) - 1] if notes else (0, 0, 0)
            if run != of or not first <= n < stop:
                raise Flaw(seq, "it has no place in the log")
        if sum(stop - first for _, first, stop in self._notes) != len(self._waiting):
            raise Flaw(last or None, "notes of the sequencer do not fit the events without a place")

    def _check_kept(self, seq: int, completed: list[tuple[int, int, bytes]]) -> None:
        nodes = record.nodes
        for level, index, value in completed:
            if level % STRIDE:
                continue
            kept = self._connection.execute(
                select(nodes.c.hash).where(nodes.c.level == level, nodes.c.idx == index)
            ).scalar_one_or_none()
            if kept is None or blob(kept) != value:
                raise Flaw(seq, "a kept node of the log does not follow from its leaves")
            self._kept += 1

    def _step(self) -> None:
        self._row = next(self._rows, None)
        self.due = END if self._row is None else self._row[1]


_NOTES = select(record.pending.c.run, record.pending.c.first, record.pending.c.stop)
_STATE = select(record.log_state.c.size, record.log_state.c.frontier).where(
    record.log_state.c.id == 1
)
_KEPT = select(func.count()).select_from(record.nodes)
