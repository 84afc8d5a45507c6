"""What a database's complaint means to a caller.

In      the exceptions of SQLAlchemy and of the two drivers
Out     StoreUnavailableError; IntegrityError when the record is damaged; InputError for a value
        that no database holds
Pure    yes
Spec    interfaces.md, "Command line" (exit codes 40 and 50)

Messages of drivers quote statements and values, so none of them is handed on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import exc

from assay.errors import (
    AssayError,
    InputError,
    IntegrityError,
    StoreReadOnlyError,
    StoreUnavailableError,
)

NO_DATABASE = "the file is no SQLite database"
"""Said of a wrong path, and of a store whose first bytes were overwritten."""

_SQLITE = {
    "SQLITE_BUSY": (
        "the store is locked by another process",
        "wait for it to end, or stop it; then run the command again",
    ),
    "SQLITE_LOCKED": ("the store is locked", "run the command again"),
    "SQLITE_FULL": ("the disk is full", "make room; nothing of the transaction was kept"),
    "SQLITE_READONLY": (
        "the store is read-only",
        "check the permissions of the file and of its folder",
    ),
    "SQLITE_CANTOPEN": (
        "the store's file cannot be opened",
        "check that the path exists and that it and its folder are writable",
    ),
    "SQLITE_NOTADB": (
        NO_DATABASE,
        "give the path of a store, or of a file that does not exist yet",
    ),
    "SQLITE_CORRUPT": (
        "the database file is damaged",
        "restore it from a backup; `sqlite3 FILE .recover` may save what is left",
    ),
    "SQLITE_IOERR": ("the disk reported an error", "check the disk; then run the command again"),
    "SQLITE_PERM": ("access to the store is denied", "check the permissions of the file"),
}

_POSTGRES = {
    "53100": ("the database's disk is full", "make room; nothing of the transaction was kept"),
    "53300": ("the database takes no more connections", "try again later, or raise its limit"),
    "55P03": ("the store is locked by another process", "run the command again"),
    "40P01": ("two writers blocked each other", "run the command again"),
    "25006": ("the store is read-only", "give the address of the primary server, or another user"),
    "28": ("the database refused the user or the password", "check the store's URL"),
    "3D": ("the database does not exist", "create it first: createdb NAME"),
    "42501": ("the database user may not do this", "grant it the right to create and write tables"),
    "57P": ("the database is shutting down or starting", "run the command again"),
}

_SQLITE_READ_ONLY = "SQLITE_READONLY"
_MAY_NOT_WRITE = frozenset({"25006", "42501"})

MISSHAPEN = "the record's tables are not those that its version has"
RESTORE = "restore it from a backup"
_MISSHAPEN_STATES = frozenset({"42P01", "42703", "42P07", "42701"})
_MISSHAPEN_WORDS = (
    "no such table",
    "no such column",
    "has no column named",
    "already exists",
    "duplicate column name",
)
"""Words, for SQLite has only one code for all of them: SQLITE_ERROR."""


# A failed connection carries no state, only the server's words.
_CONNECTING = {
    "password": "28",
    "role": "28",
    "pg_hba.conf": "28",
    "does not exist": "3D",
    "too many clients": "53300",
    "remaining connection slots": "53300",
    "starting up": "57P",
    "shutting down": "57P",
}


@contextmanager
def translated_faults() -> Iterator[None]:
    """Turn what the database raises inside the block into errors of this package."""
    try:
        yield
    except exc.SQLAlchemyError as error:
        raise translate(error) from error


def translate(error: exc.SQLAlchemyError) -> AssayError:
    """The error to raise instead of *error*."""
    original: Any = getattr(error, "orig", None)
    if isinstance(error, exc.IntegrityError):
        return IntegrityError(
            "the record contradicts itself: a row that must be new stands there already",
            hint="run `assay audit verify`",
        )
    if is_damage(error):
        message, hint = _SQLITE["SQLITE_CORRUPT"]
        return IntegrityError(message, hint=hint)
    if is_misshapen(error):
        return IntegrityError(MISSHAPEN, hint=RESTORE)
    if isinstance(error, exc.DataError):
        return InputError(
            "a value is none that the database can hold, so nothing stands under it",
            hint="give a text without NUL, and numbers of at most 18 digits",
        )
    name = getattr(original, "sqlite_errorname", None)
    if name is not None:
        for prefix, (message, hint) in _SQLITE.items():
            if name.startswith(prefix):
                kind = StoreReadOnlyError if prefix == _SQLITE_READ_ONLY else StoreUnavailableError
                return kind(message, hint=hint)
    state = getattr(original, "sqlstate", None)
    if state:
        for prefix, (message, hint) in _POSTGRES.items():
            if state.startswith(prefix):
                kind = StoreReadOnlyError if prefix in _MAY_NOT_WRITE else StoreUnavailableError
                return kind(message, hint=hint)
    said = str(original).lower()
    for phrase, state in _CONNECTING.items():
        if phrase in said:
            message, hint = _POSTGRES[state]
            return StoreUnavailableError(message, hint=hint)
    if isinstance(error, exc.TimeoutError):
        return StoreUnavailableError("no connection to the store became free", hint="try again")
    if isinstance(error, exc.OperationalError | exc.InterfaceError | exc.DisconnectionError):
        return StoreUnavailableError(
            "the database cannot be reached, or the connection to it was lost",
            hint="check that it runs and that the store's URL is right",
        )
    return StoreUnavailableError(
        "the database refused a statement", hint="run again with --debug to see it"
    )


def is_damage(error: exc.SQLAlchemyError) -> bool:
    """Whether *error* says that the database itself is broken, not merely out of reach."""
    original: Any = getattr(error, "orig", None)
    name = str(getattr(original, "sqlite_errorname", ""))
    state = str(getattr(original, "sqlstate", None) or "")
    return name.startswith("SQLITE_CORRUPT") or state in {"XX001", "XX002"}


def is_misshapen(error: exc.SQLAlchemyError) -> bool:
    """Whether a table or a column is not there, or stands in the way of one to be made."""
    original: Any = getattr(error, "orig", None)
    if str(getattr(original, "sqlstate", None) or "") in _MISSHAPEN_STATES:
        return True
    if getattr(original, "sqlite_errorname", None) != "SQLITE_ERROR":
        return False
    return any(words in str(original) for words in _MISSHAPEN_WORDS)


def is_busy(error: exc.SQLAlchemyError) -> bool:
    """Whether SQLite says that another connection holds the lock."""
    name = str(getattr(getattr(error, "orig", None), "sqlite_errorname", ""))
    return name.startswith("SQLITE_BUSY")


def is_transient(error: exc.SQLAlchemyError) -> bool:
    """Whether the same transaction may succeed when tried again (deadlock, serialisation)."""
    state = str(getattr(getattr(error, "orig", None), "sqlstate", None) or "")
    return state in {"40P01", "40001"}
