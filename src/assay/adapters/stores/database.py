"""One SQL database: how to reach it, its transactions, and what its faults mean.

In      a store URL
Out     Database: read, write and snapshot transactions over pooled connections; Workers: the
        threads to wait for them
Effects opens files or sockets; creates the folder and the file of a new SQLite store; threads
Spec    interfaces.md, "Command line" (`--store`, exit code 40)

SQLite runs with a write-ahead log, a synced commit and zeroed deletions. Its writers take the
write lock when they begin, so that no transaction fails half-way for want of it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError

from assay.adapters.stores.faults import is_busy, translated_faults
from assay.adapters.stores.read_only import ReadOnlyFile
from assay.errors import InputError, StoreReadOnlyError, StoreUnavailableError

T = TypeVar("T")

_WRITE = "assay_write"
_ROUND_MS = 15
_SNAPSHOT = {"isolation_level": "REPEATABLE READ"}
_OPEN_SNAPSHOTS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    " AND pid <> pg_backend_pid() AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)"
)
_OPEN_HINT = "give sqlite:///PATH or postgresql://USER@HOST/DATABASE"


class Database:
    """Connections to one database. Every method blocks; call them in a worker thread."""

    def __init__(self, url: str, *, wait_s: float = 10.0) -> None:
        """Prepare, but do not yet connect.

        Args:
            url: `sqlite:///PATH` or `postgresql://…`.
            wait_s: How long to wait for a lock or a connection before giving up.

        Raises:
            InputError: the URL names no database that a store can live in.
        """
        parsed = _parse(url)
        self.sqlite = parsed.get_backend_name() == "sqlite"
        shown = make_url(url)
        self.url = URL.create(
            shown.drivername, shown.username, None, shown.host, shown.port, shown.database
        ).render_as_string()
        self.path = Path(parsed.database or "") if self.sqlite else None
        self.wait_s = wait_s
        self._read_only = None if self.path is None else ReadOnlyFile.find(self.path)
        if not self.sqlite:
            self._engine = _postgres(parsed, wait_s)
        elif self._read_only is None:
            self._engine = _sqlite(parsed, wait_s)
        else:
            self._engine = _sqlite_read_only(parsed, wait_s, self._read_only)

    @property
    def read_only(self) -> bool:
        """Whether the file of a SQLite store cannot be written. Elsewhere writing tells."""
        return self._read_only is not None

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[Connection]:
        """One transaction: committed when the block ends, rolled back when it raises.

        Args:
            durable: Whether the commit waits until it is on the disk.

        Raises:
            StoreReadOnlyError: the store can only be read.
        """
        if self._read_only is not None:
            raise StoreReadOnlyError(
                "the store is read-only", hint="copy it to where it can be written"
            )
        with (
            translated_faults(),
            self._engine.connect() as connection,
            connection.execution_options(**{_WRITE: "FULL" if durable else "NORMAL"}).begin(),
        ):
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that only reads."""
        with (
            self._unchanged_throughout(),
            translated_faults(),
            self._engine.connect() as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A transaction whose statements all see the same state, for long reads."""
        # A transaction of SQLite always sees one state.
        options: dict[str, Any] = {} if self.sqlite else _SNAPSHOT
        with (
            self._unchanged_throughout(),
            translated_faults(),
            self._engine.connect() as connection,
            connection.execution_options(**options).begin(),
        ):
            if not self.sqlite:
                # Not as an option of the connection: it would be set to "read write" afterwards,
                # whatever the database's own default is.
                connection.exec_driver_sql("SET TRANSACTION READ ONLY")
            yield connection

    def create_file(self) -> None:
        """Make the folder and the file of a new SQLite store, readable by its owner alone."""
        if self.path is None or self._read_only is not None:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if not self.path.exists():
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise StoreUnavailableError(
                f"the store cannot be created: {error.strerror or 'the path is not usable'}",
                hint="check the path, its permissions and the space on the disk",
            ) from error

    def empty_wal(self) -> bool:
        """Fold SQLite's write-ahead log into the database and cut it to nothing.

        Returns:
            False when others read from it for so long that it has to be left to a later time;
            the last one who closes the store empties it in any case.
        """
        if not self.sqlite or self._read_only is not None:
            return True
        with translated_faults(), self._engine.connect() as connection:
            _set_pragma(connection, "busy_timeout", int(self.wait_s * 1000))
            raw: Any = connection.connection.driver_connection
            busy = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        return not busy

    def open_snapshots(self) -> int:
        """How many other transactions of PostgreSQL still see an older state."""
        with self.read() as connection:
            return int(connection.execute(_OPEN_SNAPSHOTS).scalar_one())

    def close(self) -> None:
        self._engine.dispose()
        if self._read_only is not None:
            self._read_only.close()

    @contextmanager
    def _unchanged_throughout(self) -> Iterator[None]:
        """Whatever was found, or not found, while somebody else wrote to the file says nothing."""
        if self._read_only is None:
            yield
            return
        before = self._read_only.state()
        try:
            yield
        finally:
            if self._read_only.state() != before:
                raise StoreUnavailableError(
                    "the store was written to while it was read", hint="run the command again"
                )


class Workers:
    """A thread pool that may be closed while others still ask it."""

    def __init__(self, count: int, name: str) -> None:
        self._lock = Lock()
        self._closed = False
        self._threads = ThreadPoolExecutor(count, thread_name_prefix=name)

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Run *work* as soon as a thread is free.

        Raises:
            StoreUnavailableError: the workers are closed.
        """
        with self._lock:
            if self._closed:
                raise StoreUnavailableError("the store is closed", hint="open it again")
            return self._threads.submit(work)

    def close(self) -> None:
        """Finish what was asked for, then end the threads. Safe to repeat."""
        with self._lock:
            self._closed = True
        self._threads.shutdown(wait=True)


def absent_file(url: str) -> Path | None:
    """The file of the SQLite store at *url* when it is not there, or empty; else None.

    Raises:
        InputError: the URL names no database that a store can live in.
    """
    parsed = _parse(url)
    if parsed.get_backend_name() != "sqlite":
        return None
    path = Path(parsed.database or "")
    try:
        return None if path.stat().st_size else path
    except (FileNotFoundError, NotADirectoryError):
        return path
    except (OSError, ValueError):  # what stands in the way is told when it is opened
        return None


def _parse(url: str) -> URL:
    try:
        parsed = make_url(url)
        backend = parsed.get_backend_name()
    except (ArgumentError, ValueError):
        # What the parser says may quote the URL, and a password with it.
        raise InputError("the store's URL cannot be read", hint=_OPEN_HINT) from None
    if backend == "sqlite":
        if parsed.database in {None, "", ":memory:"} or parsed.host or parsed.query:
            raise InputError(
                "a SQLite store needs a file and takes no options",
                hint="give sqlite:///PATH (four slashes for an absolute path)",
            )
        return parsed.set(drivername="sqlite+pysqlite")
    if backend in {"postgresql", "postgres"}:
        if not parsed.database:
            raise InputError("the store's URL names no database", hint=_OPEN_HINT)
        return parsed.set(drivername="postgresql+psycopg")
    raise InputError(f"there is no store of the kind {backend!r}", hint=_OPEN_HINT)


def _sqlite(url: URL, wait_s: float) -> Engine:
    engine = create_engine(
        url, hide_parameters=True, pool_size=8, max_overflow=0, pool_use_lifo=True
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        # Transactions are begun below, in so many words; the driver begins none by itself.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout={int(wait_s * 1000)}")
        _use_wal(connection, wait_s)
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA secure_delete=ON")
        connection.execute("PRAGMA cache_size=-8000")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        level = connection.get_execution_options().get(_WRITE)
        if level:
            _set_pragma(connection, "synchronous", level)
            _take_write_lock(connection, wait_s)
        else:
            _set_pragma(connection, "busy_timeout", int(wait_s * 1000))
            connection.exec_driver_sql("BEGIN")

    return engine


def _sqlite_read_only(url: URL, wait_s: float, file: ReadOnlyFile) -> Engine:
    engine = create_engine(url, hide_parameters=True, creator=file.connect, pool_size=8)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout={int(wait_s * 1000)}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def _use_wal(connection: sqlite3.Connection, wait_s: float) -> None:
    """Switch the file to a write-ahead log, or wait for whoever stands in the way.

    SQLite answers this switch with "busy" at once, whatever its time-out, when several processes
    open a new store at the same moment.
    """
    give_up = monotonic() + wait_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            busy = str(error.sqlite_errorname).startswith("SQLITE_BUSY")
            if monotonic() >= give_up or not busy:
                raise
            sleep(_ROUND_MS / 1000)
        else:
            return


def _set_pragma(connection: Connection, pragma: str, value: str | int) -> None:
    """Set a pragma where the connection has it not already; a commit costs little more."""
    if connection.info.get(pragma) != value:
        raw: Any = connection.connection.driver_connection
        raw.execute(f"PRAGMA {pragma}={value}")
        connection.info[pragma] = value


def _take_write_lock(connection: Connection, wait_s: float) -> None:
    """Begin to write, or wait for whoever does.

    SQLite itself would sleep longer and longer between its tries, up to a tenth of a second, and
    so starve those who wait longest. Here each round starts with short sleeps again.
    """
    _set_pragma(connection, "busy_timeout", _ROUND_MS)
    raw: Any = connection.connection.driver_connection
    give_up = monotonic() + wait_s
    while True:
        try:
            raw.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            translated = DBAPIError.instance(
                "BEGIN IMMEDIATE", None, error, sqlite3.Error, dialect=connection.dialect
            )
            busy = isinstance(translated, DBAPIError) and is_busy(translated)
            if monotonic() >= give_up or not busy:
                raise translated from error
        else:
            return


def _postgres(url: URL, wait_s: float) -> Engine:
    try:
        engine = create_engine(
            url,
            hide_parameters=True,
            pool_size=8,
            max_overflow=0,
            pool_timeout=wait_s,
            pool_pre_ping=True,
            connect_args={
                "connect_timeout": max(2, int(wait_s)),
                "options": f"-c lock_timeout={int(wait_s * 1000)} -c synchronous_commit=on"
                " -c client_encoding=UTF8 -c timezone=UTC",
            },
        )
    except ImportError as error:
        raise StoreUnavailableError(
            "the PostgreSQL driver is not installed", hint="pip install 'assay[postgres]'"
        ) from error

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if connection.get_execution_options().get(_WRITE) == "NORMAL":
            connection.exec_driver_sql("SET LOCAL synchronous_commit TO off")

    return engine
