"""Read the template registry back, each version beside what the record says of it.

In      whatever runs a reading function in a transaction (SqlStore does), what to look for
Out     SqlTemplates, which is a `protocols.TemplateStore`
Effects reads only
Spec    002 "Template Drift Detection": the text is read from the store each time

The digests come from the event that vouches for the row, whose own digest is checked on the
way: an edit of the row, with or without its digest columns, is seen by one SELECT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from sqlalchemy import ColumnElement, Connection, Row, Select, bindparam, func, or_, select
from sqlalchemy.exc import DBAPIError

from assay.adapters.stores.events.read import stored_event
from assay.adapters.stores.rows import RELEASE_FIELDS, TEMPLATE_FIELDS
from assay.adapters.stores.schema.record import events
from assay.adapters.stores.schema.templates import labels, releases, templates
from assay.adapters.stores.statements import Statement
from assay.adapters.stores.vouching import RegistryRecord, template_row
from assay.errors import IntegrityError, NotFoundError
from assay.record.event import StoredEvent
from assay.templates.version import Registered, ReleaseRow, Unreadable, version_id

T = TypeVar("T")

_NUMBERS = frozenset({"version", "percent", "replaced", "moves"})
_MAY_LACK = frozenset({"blueprint_schema", "signature", "signer", "percent", "replaced"})
_PAGE = 512
_NAMES = ("id", "role", "name", "version")
_NAME_LIMIT = 300


class Reader(Protocol):
    """Runs what only reads, in a transaction of its own."""

    async def read(self, work: Callable[[Connection], T], *, snapshot: bool = False) -> T: ...


class SqlTemplates:
    """The reading side of the registry in a SQL store."""

    def __init__(self, store: Reader) -> None:
        self._store = store
        self._record = RegistryRecord()

    async def template(self, role: str, name: str, version: int) -> Registered:
        found = await self._select(templates.c.id == version_id(role, name, version))
        if not found:
            wanted = version_id(role, name, version)
            raise NotFoundError(f"there is no template {wanted}", hint="assay templates list")
        return found[0]

    async def templates(
        self, role: str | None = None, name: str | None = None
    ) -> Sequence[Registered]:
        where = [
            column == value
            for column, value in ((templates.c.role, role), (templates.c.name, name))
            if value is not None
        ]
        return await self._select(*where)

    async def released_versions(
        self, role: str, name: str, own: int | None = None
    ) -> Sequence[Registered]:
        values = {"of_role": role, "of_name": name, "own": -1 if own is None else own}
        return await self._store.read(
            lambda connection: [_read_version(row) for row in _RELEASED.rows(connection, values)]
        )

    async def newest(self, role: str, name: str) -> int:
        statement = select(func.coalesce(func.max(templates.c.version), 0)).where(
            templates.c.role == role, templates.c.name == name
        )
        return await self._store.read(lambda connection: int(connection.scalar(statement) or 0))

    async def label(self, role: str, name: str, label: str) -> int | None:
        statement = select(labels.c.version).where(labels.c.id == f"{role}/{name}@{label}")
        return await self._store.read(lambda connection: connection.scalar(statement))

    async def scan(self) -> Sequence[Registered | Unreadable]:
        return await self._store.read(
            lambda connection: [
                _scan_row(connection, row) for row in _each_row(connection, _SCANNED, _POSITION)
            ]
        )

    async def recorded_events(
        self, kind: str, after: int
    ) -> Sequence[tuple[int, StoredEvent | None]]:
        seq = events.c.seq
        page = (
            select(seq, events.c.digest, events.c.body)
            .where(events.c.kind == kind, seq > after)
            .order_by(seq)
            .limit(_PAGE)
        )
        return await self._store.read(
            lambda connection: [_event(row, kind) for row in _each_row(connection, page, seq)]
        )

    async def unvouched_rows(self, role: str, name: str) -> Sequence[str]:
        return await self._store.read(
            lambda connection: self._record.unvouched(connection, role, name), snapshot=True
        )

    async def _select(self, *where: ColumnElement[bool]) -> list[Registered]:
        statement = _JOINED.where(*where).order_by(*_ORDER)
        return await self._store.read(
            lambda connection: [_read_version(row) for row in connection.execute(statement)]
        )


def _read_version(row: Any) -> Registered:
    values = dict(zip(TEMPLATE_FIELDS, row, strict=False))
    count = len(TEMPLATE_FIELDS)
    release = dict(zip(RELEASE_FIELDS, row[count:], strict=False))
    seq, digest, body = row[count + len(RELEASE_FIELDS) :]
    if body is None:
        raise IntegrityError(f"nothing on record tells of template {values['id']}")
    facts = stored_event(seq, digest, body).facts
    if facts.get("id") != values["id"]:
        raise IntegrityError(f"the event beside template {values['id']} tells of another one")
    _check_types(values, f"template {values['id']}")
    _check_types(release, f"the release of template {values['id']}")
    try:
        version = template_row(values)
    except (ValueError, TypeError) as error:
        raise IntegrityError(f"template {values['id']} was edited into something else") from error
    return Registered(
        row=version,
        release=ReleaseRow(**release),
        recorded_sha256=facts["sha256"],
        recorded_fields_sha256=facts["fields_sha256"],
    )


def _check_types(values: Mapping[str, Any], what: str) -> None:
    """SQLite keeps any type in any column; what is none of ours was put there by others."""
    for name, value in values.items():
        kind = int if name in _NUMBERS else str
        if not (isinstance(value, kind) or (value is None and name in _MAY_LACK)):
            raise IntegrityError(f"{what} was edited into something else")


# --- whatever is left, whatever was done to it ------------------------------------------------


def _each_row(
    connection: Connection, statement: Select[Any], key: ColumnElement[int]
) -> Iterator[Row[Any]]:
    """The rows of *statement*, one by one where the driver cannot decode one of them.

    Such a row is given with nothing but its key, which is the first column.
    """
    try:
        yield from connection.execute(statement).all()
    except DBAPIError as error:
        if not _is_undecodable(connection, error):
            raise
    else:
        return
    for found in connection.execute(statement.with_only_columns(key)).all():
        try:
            yield connection.execute(statement.where(key == found[0])).one()
        except DBAPIError as error:
            if not _is_undecodable(connection, error):
                raise
            yield found


def _is_undecodable(connection: Connection, error: DBAPIError) -> bool:
    """SQLite's driver found text that is no UTF-8: a complaint of its own, without a code."""
    name = getattr(error.orig, "sqlite_errorname", None)
    return connection.dialect.name == "sqlite" and name is None


def _scan_row(connection: Connection, row: Row[Any]) -> Registered | Unreadable:
    if len(row) == 1:
        return _rows_left({name: _column(connection, row[0], name) for name in _NAMES})
    try:
        return _read_version(row[1:])
    except (IntegrityError, KeyError, TypeError, ValueError, AttributeError):
        return _rows_left(dict(zip(TEMPLATE_FIELDS, row[1:], strict=False)))


def _column(connection: Connection, position: int, name: str) -> Any:
    statement = select(templates.c[name]).where(_POSITION.in_([position]))
    try:
        return connection.scalar(statement)
    except DBAPIError as error:
        if not _is_undecodable(connection, error):
            raise
        return None


def _rows_left(told: Mapping[str, Any]) -> Unreadable:
    role, name, own = (_read_release(told[key]) for key in ("role", "name", "id"))
    version = told["version"] if isinstance(told["version"], int) else None
    if role is not None and name is not None and version is not None:
        own = version_id(role, name, version)
    return Unreadable(id=own, role=role, name=name, version=version)


def _read_release(value: Any) -> str | None:
    return value if isinstance(value, str) and len(value) <= _NAME_LIMIT else None


def _event(row: Sequence[Any], kind: str) -> tuple[int, StoredEvent | None]:
    if len(row) == 1:
        return row[0], None
    try:
        event = stored_event(*tuple(row))
    except (IntegrityError, TypeError, ValueError, AttributeError):
        return row[0], None
    return event.seq, event if event.kind == kind else None


_JOINED = (
    select(
        *(templates.c[name] for name in TEMPLATE_FIELDS),
        *(releases.c[name] for name in RELEASE_FIELDS),
        templates.c.vouched_by,
        events.c.digest,
        events.c.body,
    )
    .join(releases, releases.c.id == templates.c.id)
    .join(events, events.c.seq == templates.c.vouched_by, isouter=True)
)
_POSITION = templates.c.position
_SCANNED = (
    select(_POSITION, *_JOINED.selected_columns)
    .select_from(templates)
    .join(releases, releases.c.id == templates.c.id, isouter=True)
    .join(events, events.c.seq == templates.c.vouched_by, isouter=True)
    .order_by(_POSITION)
)
"""With outer joins: a version whose release is gone is not passed over."""
_ORDER = (templates.c.role, templates.c.name, templates.c.version)
_RELEASED = Statement(
    _JOINED.where(
        releases.c.role == bindparam("of_role"),
        releases.c.name == bindparam("of_name"),
        or_(
            releases.c.state == "active",
            releases.c.state == "canary",
            releases.c.version == bindparam("own"),
        ),
    ).order_by(*_ORDER)
)
