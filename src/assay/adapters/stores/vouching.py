"""What events say of the rows of the template registry, and whether the rows still say it.

In      bodies of events, rows as their columns hold them, a connection
Out     the rows that an event vouches for; names of rows that are not what was said of them last
Effects reads only; remembers what events said, which never changes
Spec    docs/decisions/0006; 005-R18

Events of the first release vouch for a row of `templates` by their facts: the digests of its
text, its author, and through the first row of its release the time. Its signature is then held
against the event that tells of it, and against the key that it names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from threading import Lock
from typing import Any, Final

import jiter
from sqlalchemy import Connection, Table, and_, select

from assay.adapters.stores.rows import (
    LABEL_FIELDS,
    RELEASE_FIELDS,
    TEMPLATE_FIELDS,
    blob,
    digest_row,
    row_document,
)
from assay.adapters.stores.schema.record import events
from assay.adapters.stores.schema.templates import labels, releases, templates
from assay.core.json.canonical import digest_json
from assay.errors import AssayError
from assay.record.chain import read_body
from assay.templates.signing import holds
from assay.templates.version import Registered, ReleaseRow, TemplateRow

ADDED: Final = "template.added"
SIGNED: Final = "template.signed"
_KINDS = (
    ADDED,
    SIGNED,
    "template.promoted",
    "template.canary",
    "template.rolled_back",
    "template.retired",
    "template.labelled",
)
"""The events that write rows of the registry."""

BY_FACTS: Final = "facts"
"""Stands for the digest of a row that an event of the first release vouches for."""

_TABLES: Mapping[str, tuple[Table, tuple[str, ...]]] = {
    "templates": (templates, TEMPLATE_FIELDS),
    "template_releases": (releases, RELEASE_FIELDS),
    "template_labels": (labels, LABEL_FIELDS),
}
_UNREADABLE = (AssayError, TypeError, ValueError, KeyError, AttributeError, OverflowError)


def vouched_rows(said: Mapping[str, Any]) -> Mapping[str, str]:
    """The rows that the event with the body *said* vouches for: digest by `TABLE/ID`."""
    rows: Mapping[str, str] = said.get("rows") or {}
    if said["kind"] != ADDED or "id" not in said["facts"]:
        return rows
    name = f"templates/{said['facts']['id']}"
    known = name in rows or f"template_releases/{said['facts']['id']}" not in rows
    return rows if known else {**rows, name: BY_FACTS}


def template_row(values: Mapping[str, Any]) -> TemplateRow:
    """A version from its columns. Raises ValueError, TypeError: they hold something else."""
    schema = values["blueprint_schema"]
    variables = jiter.from_json(values["variables"].encode("utf-8"))
    return TemplateRow(
        **{
            **values,
            "variables": tuple(str(each) for each in variables),
            "blueprint_schema": None if schema is None else jiter.from_json(schema.encode("utf-8")),
        }
    )


def is_told(
    values: Mapping[str, Any], digest: str, said: Mapping[str, Any], signed: Mapping[str, Any]
) -> bool:
    """Whether a row is what its event vouched for.

    Args:
        values: Its columns.
        digest: What the event vouches with: a digest, or BY_FACTS.
        said: The body of the event.
        signed: What the last event of the first release said of the version's signature; empty
            where none did.
    """
    try:
        if digest != BY_FACTS:
            return digest_row(values) == digest
        return _is_told_by_facts(values, said, signed)
    except _UNREADABLE:  # SQLite keeps any type in any column
        return False


def _is_told_by_facts(
    values: Mapping[str, Any], said: Mapping[str, Any], signed: Mapping[str, Any]
) -> bool:
    facts, row = said["facts"], template_row(values)
    names = ("id", "role", "name", "version", "author", "sha256", "fields_sha256")
    if any(values[name] != facts[name] for name in names):
        return False
    first = ReleaseRow(
        **{name: facts[name] for name in ("id", "role", "name", "version", "state")},
        percent=None,
        replaced=None,
        moves=0,
        changed_at=row.created_at,
        changed_by=row.author,
    )
    released = digest_json(row_document(first, RELEASE_FIELDS))
    if released != said["rows"][f"template_releases/{row.id}"]:
        return False
    found = Registered(
        row=row,
        release=first,
        recorded_sha256=facts["sha256"],
        recorded_fields_sha256=facts["fields_sha256"],
    )
    if found.drifted:
        return False
    if not signed:
        return (row.signature, row.signer, row.updated_at) == (None, None, row.created_at)
    named = signed["facts"]["signer"]
    in_time = row.created_at <= row.updated_at <= signed["at"]
    return in_time and row.signer == named and holds(found, (named,))


def signatures_of_first_release(connection: Connection) -> Mapping[str, Mapping[str, Any]]:
    """The last event about the signature of each version that names no row, by the version's id."""
    found = {}
    for _, said in _events(connection, (SIGNED,), 0):
        if said is not None and not said.get("rows"):
            found[str(said["facts"].get("id"))] = said
    return found


class RegistryRecord:
    """What the record last said of each row; it follows the record as that grows."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._forget()

    def unvouched(self, connection: Connection, role: str, name: str) -> list[str]:
        """Names (`TABLE/ID`) of rows that are not what was last said of them, each once.

        Args:
            connection: Its statements must all see the same state.
        """
        with self._lock:
            self._follow(connection)
            wrong = self._compare(connection, role, name)
            if wrong:  # perhaps an event with a lower number was committed later than others
                self._forget()
                self._follow(connection)
                wrong = self._compare(connection, role, name)
        return sorted(wrong)

    def _forget(self) -> None:
        self._seq = 0
        self._rows: dict[str, dict[str, tuple[int, str, Mapping[str, Any]]]] = defaultdict(dict)
        self._signed: dict[str, Mapping[str, Any]] = {}

    def _follow(self, connection: Connection) -> None:
        for seq, said in _events(connection, _KINDS, self._seq):
            self._seq = seq
            if said is None:
                continue  # edited: what it vouched for stands without it
            if said["kind"] == SIGNED and not said.get("rows"):
                self._signed[str(said["facts"].get("id"))] = said
            for row, digest in vouched_rows(said).items():
                table, _, own = row.partition("/")
                if table in _TABLES:
                    beside = said if digest == BY_FACTS else {}
                    self._rows[own.rpartition("@")[0]][row] = seq, digest, beside

    def _compare(self, connection: Connection, role: str, name: str) -> set[str]:
        told = dict(self._rows.get(f"{role}/{name}", {}))
        wrong = set()
        for table, (columns, fields) in _TABLES.items():
            statement = select(columns.c.vouched_by, *(columns.c[field] for field in fields)).where(
                and_(columns.c.role == role, columns.c.name == name)
            )
            for row in connection.execute(statement):
                values = dict(zip(fields, row[1:], strict=True))
                own = str(values["id"])
                seq, digest, said = told.pop(f"{table}/{own}", (None, "", {}))
                signed = self._signed.get(own, {})
                if seq != row[0] or not is_told(values, digest, said, signed):
                    wrong.add(f"{table}/{own}")
        return wrong | set(told)


def _events(
    connection: Connection, kinds: tuple[str, ...], after: int
) -> Iterator[tuple[int, Mapping[str, Any] | None]]:
    """Seq and body of events in order; None for one that was edited."""
    statement = (
        select(events.c.seq, events.c.digest, events.c.body)
        .where(events.c.kind.in_(kinds), events.c.seq > after)
        .order_by(events.c.seq)
    )
    for seq, digest, body in connection.execute(statement):
        try:
            said = read_body(blob(body), digest)
            whole = said is not None and isinstance(said["facts"], dict) and "kind" in said
        except (TypeError, KeyError):
            whole = False
        yield seq, said if whole else None
