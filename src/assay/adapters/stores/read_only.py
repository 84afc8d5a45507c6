"""A SQLite store that cannot be written: how its file is read all the same.

In      the path of a store
Out     ReadOnlyFile: connections that never write; None when the store can be written
Effects looks at files and permissions; a private copy in a temporary folder where nothing else
        will do, gone when the store is closed
Spec    005-R20

SQLite reads a file with a write-ahead log only beside its index, which it cannot make on such
media. Where the log is empty the file holds everything and is read as immutable; where it is not,
or where a transaction was cut off, only a copy can be brought into order.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock
from typing import Literal
from urllib.parse import quote

from assay.errors import StoreUnavailableError

FIRST_RELEASE = "0005"
"""The tables of the first release; younger and older ones differ by no more than `_SHAPE`."""

_SHAPE = "CREATE TEMP VIEW calls AS SELECT *, NULL AS kind FROM main.calls"
_WAL_MODE = b"\x02\x02"
_VERSIONS_AT = slice(18, 20)
Way = Literal["mode=ro", "mode=ro&immutable=1", "copy"]


class ReadOnlyFile:
    """One store that is only read."""

    def __init__(self, path: Path, way: Way) -> None:
        self._path = path
        self._way = way
        self._lock = Lock()
        self._folder: Path | None = None

    @classmethod
    def find(cls, path: Path) -> ReadOnlyFile | None:
        """The store at *path*, when it is there and cannot be written."""
        beside = [_file_beside(path, ending) for ending in ("-wal", "-shm")]
        try:
            if not path.is_file() or not os.access(path, os.R_OK):
                return None  # what stands in the way is told when it is opened
            indexed = all(os.access(file, os.W_OK) for file in beside)
            if os.access(path, os.W_OK) and (os.access(path.parent, os.W_OK) or indexed):
                return None
            return cls(path, _way(path, *beside))
        except (OSError, ValueError):
            return None

    def connect(self) -> sqlite3.Connection:
        """A connection that writes nothing.

        Raises:
            sqlite3.Error: the file cannot be opened.
            StoreUnavailableError: a copy is needed and cannot be made.
        """
        copied = self._way == "copy"
        path, query = (self._copy(), "mode=rw") if copied else (self._path, str(self._way))
        name = quote(str(path.absolute()))
        connection = sqlite3.connect(f"file:{name}?{query}", uri=True, check_same_thread=False)
        try:
            connection.execute("PRAGMA temp_store=MEMORY")
            columns = {row[1] for row in connection.execute("PRAGMA main.table_info(calls)")}
            if columns and "kind" not in columns:
                connection.execute(_SHAPE)
            connection.execute("PRAGMA query_only=ON")
        except BaseException:
            connection.close()
            raise
        return connection

    def state(self) -> tuple[int, ...]:
        """Differs when somebody wrote to a file that is read as one that never changes."""
        if self._way != "mode=ro&immutable=1":
            return ()
        try:
            found = self._path.stat()
            log = _file_beside(self._path, "-wal")
            waiting = log.stat().st_size if log.exists() else 0
        except OSError:
            return (-1,)
        return found.st_mtime_ns, found.st_size, found.st_ino, waiting

    def close(self) -> None:
        """Take a copy away."""
        with self._lock:
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)
                self._folder = None

    def _copy(self) -> Path:
        with self._lock:
            if self._folder is None:
                folder = Path(mkdtemp(prefix="assay-read-"))
                try:
                    for ending in ("", "-wal", "-journal"):
                        file = _file_beside(self._path, ending)
                        if file.exists():
                            # Not its mode: it has to be writable here.
                            shutil.copyfile(file, folder / f"store{ending}")
                except OSError as error:
                    shutil.rmtree(folder, ignore_errors=True)
                    raise StoreUnavailableError(
                        "the store cannot be written, and its write-ahead log was never folded in",
                        hint="copy the store with its -wal file to where it can be written",
                    ) from error
                self._folder = folder
            return self._folder / "store"


def _way(path: Path, log: Path, index: Path) -> Way:
    with path.open("rb") as file:
        in_wal_mode = file.read(_VERSIONS_AT.stop)[_VERSIONS_AT] == _WAL_MODE
    if not in_wal_mode:
        journal = _file_beside(path, "-journal")
        return "copy" if journal.exists() and journal.stat().st_size else "mode=ro"
    if os.access(log, os.R_OK) and os.access(index, os.R_OK):
        return "mode=ro"
    return "copy" if log.exists() and log.stat().st_size else "mode=ro&immutable=1"


def _file_beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)
