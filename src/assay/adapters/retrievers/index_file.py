"""The file of an index: made, and opened only when it is whole and of this make.

In      a path; what fixes the vectors
Out     PassageIndex
Effects one SQLite file
Spec    004 R2.0; interfaces.md, "Command line" (`assay ask --docs`)
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from assay.adapters.retrievers.index import PassageIndex
from assay.core.json.canonical import digest_json
from assay.errors import StoreUnavailableError

FORMAT: Final = 5
"""Counts up whenever passages, words or tables change their make."""

WAIT_S: Final = 60.0
"""How long another process may hold the file."""

_CHECKED_BYTES: Final = 64 << 20
"""A larger file is not read through before each question; its damage shows when it is met."""

_TABLES: Final = """
CREATE TABLE meta (
    make TEXT NOT NULL, born TEXT NOT NULL, changes INTEGER NOT NULL, general BLOB
);
CREATE TABLE files (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, size INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL, seen_ns INTEGER NOT NULL, digest TEXT NOT NULL,
    unreadable TEXT, cut TEXT NOT NULL, title TEXT, metadata TEXT NOT NULL
);
CREATE TABLE passages (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, number INTEGER NOT NULL,
    start INTEGER NOT NULL, stop INTEGER NOT NULL, page INTEGER, line INTEGER,
    heading TEXT NOT NULL, text TEXT NOT NULL
);
CREATE INDEX passages_of_file ON passages (file);
CREATE TABLE vectors (passage INTEGER PRIMARY KEY, numbers BLOB NOT NULL);
CREATE VIRTUAL TABLE words USING fts5 (stems, tokenize = "unicode61 remove_diacritics 0");
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, 'row');
"""


@contextmanager
def open_index(path: Path, identity: Mapping[str, Any]) -> Iterator[PassageIndex]:
    """Open the index at *path*, made anew unless it is whole and of this make.

    Args:
        identity: What fixes the vectors.

    Raises:
        StoreUnavailableError: the file cannot be made or written, or stays locked.
    """
    make = digest_json({"format": FORMAT, **identity})
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not _is_of_make(path, make):
            path.unlink(missing_ok=True)
            _create(path, make)
        with closing(_connect(path)) as connection:
            yield PassageIndex(connection, make, path)
    except (sqlite3.DatabaseError, OSError) as error:
        if type(error) is sqlite3.DatabaseError:  # damaged, and a cache: the next question makes it
            path.unlink(missing_ok=True)
        raise StoreUnavailableError(
            f"the index {path.name} cannot be used ({type(error).__name__})",
            hint="check permissions and free space of the folder .assay",
        ) from error


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=WAIT_S, isolation_level=None)


def _is_of_make(path: Path, make: str) -> bool:
    if not path.exists():
        return False
    try:
        with closing(_connect(path)) as connection:
            row = connection.execute("SELECT make FROM meta").fetchone()
            if row != (make,):
                return False
            if path.stat().st_size > _CHECKED_BYTES:
                return True
            whole: list[tuple[str]] = connection.execute("PRAGMA quick_check").fetchall()
            return whole == [("ok",)]
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
            raise
        return False


def _create(path: Path, make: str) -> None:
    with closing(_connect(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("SELECT name FROM sqlite_master WHERE name = 'meta'").fetchone():
            connection.execute("ROLLBACK")  # another process was first
            return
        for statement in _TABLES.strip().split(";\n"):
            if statement.strip():
                connection.execute(statement)
        connection.execute(
            "INSERT INTO meta (make, born, changes) VALUES (?, ?, 0)", (make, uuid4().hex)
        )
        connection.execute("COMMIT")
