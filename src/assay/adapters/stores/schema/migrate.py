"""Bring a store's tables to the form that this version of the program knows.

In      a Database
Out     the same, with the tables of this folder
Effects DDL, under a lock, all of it or nothing
Spec    docs/decisions/0006: what is recorded verifies ever after

A store that is current costs one SELECT; Alembic is loaded only when there is work.
"""

from __future__ import annotations

import re
from importlib import resources

from sqlalchemy import Connection, inspect, text

from assay.adapters.stores.database import Database
from assay.adapters.stores.faults import RESTORE
from assay.adapters.stores.read_only import FIRST_RELEASE
from assay.adapters.stores.schema.record import METADATA
from assay.errors import IntegrityError, StoreReadOnlyError, StoreUnavailableError

_LOCK = 0x6173736179  # "assay": the advisory lock of PostgreSQL under which tables change


def known_revisions() -> tuple[str, ...]:
    """All revisions in order; their files are named `NNNN_what.py`."""
    folder = resources.files("assay.adapters.stores.migrations.versions")
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name[:4] for name in names if name[:4].isdigit()))


def migrate(database: Database) -> None:
    """Create or upgrade the tables of *database*; do nothing when they are current.

    Raises:
        StoreUnavailableError: the store was written by a newer version, or cannot be changed.
        IntegrityError: it does not say its version, or says one that its tables do not have.
    """
    known = known_revisions()
    with database.read() as connection:
        if not database.sqlite:
            _check_encoding(connection)
        found = _revision(connection)
    if found == known[-1]:
        return
    _refuse_unknown(found, known)
    if database.read_only and found is not None:
        if found >= FIRST_RELEASE:
            return  # its connections give the tables the form of today
        raise StoreReadOnlyError(
            "the store is read-only, and its tables are those of an older version",
            hint="copy it to where it can be written",
        )
    with database.write() as connection:
        if not database.sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        found = _revision(connection)  # another process may have been faster
        _refuse_unknown(found, known)
        if found is None and set(inspect(connection).get_table_names()) & set(METADATA.tables):
            raise IntegrityError(
                "the record's tables are there, but not the version that they have", hint=RESTORE
            )
        if found != known[-1]:
            _upgrade(connection)


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    rows = connection.execute(text("SELECT version_num FROM alembic_version")).all()
    if len(rows) > 1:
        raise IntegrityError("the record says several versions of its tables", hint=RESTORE)
    return str(rows[0][0]) if rows else None


def _refuse_unknown(found: str | None, known: tuple[str, ...]) -> None:
    if found is None or found in known:
        return
    if re.fullmatch(r"[0-9]{4}", found) and found > known[-1]:
        raise StoreUnavailableError(
            "the store was written by a newer version of assay", hint="upgrade assay"
        )
    raise IntegrityError("the record's version of its tables is none", hint=RESTORE)


def _upgrade(connection: Connection) -> None:
    from alembic.command import upgrade
    from alembic.config import Config

    config = Config()
    with resources.as_file(resources.files("assay.adapters.stores.migrations")) as folder:
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = connection
        upgrade(config, "head")


def _check_encoding(connection: Connection) -> None:
    encoding = connection.execute(text("SHOW server_encoding")).scalar_one()
    if encoding != "UTF8":
        raise StoreUnavailableError(
            "the database does not keep text as UTF-8", hint="createdb --encoding=UTF8 NAME"
        )
