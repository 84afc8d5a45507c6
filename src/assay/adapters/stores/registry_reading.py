"""Read the template registry back, each version beside what the record says of it.

In      whatever runs a reading function in a transaction (SqlStore does), what to look for
Out     SqlTemplates, which is a `protocols.TemplateStore`
Effects reads only
Spec    002 "Template Drift Detection": the text is read from the store each time

The digests come from the event that tells of the addition, whose own digest is checked on the
way: an edit of the row, with or without its digest columns, is seen by one SELECT.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import jiter
from sqlalchemy import ColumnElement, Connection, bindparam, func, or_, select

from assay.adapters.stores.reading import stored_event
from assay.adapters.stores.registry_writes import RELEASE_FIELDS
from assay.adapters.stores.schema import events
from assay.adapters.stores.schema_registry import labels, releases, templates
from assay.adapters.stores.statements import Statement
from assay.errors import IntegrityError, NotFoundError
from assay.prompt.registered import Registered, ReleaseRow, TemplateRow, version_id

T = TypeVar("T")

_TEMPLATE_FIELDS = tuple(
    column.name for column in templates.c if column.name not in ("position", "vouched_by")
)


class Reader(Protocol):
    """Runs what only reads, in a transaction of its own."""

    async def read(self, work: Callable[[Connection], T]) -> T: ...


class SqlTemplates:
    """The reading side of the registry in a SQL store."""

    def __init__(self, store: Reader) -> None:
        self._store = store

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

    async def released(self, role: str, name: str, own: int | None = None) -> Sequence[Registered]:
        values = {"of_role": role, "of_name": name, "own": -1 if own is None else own}
        return await self._store.read(
            lambda connection: [_registered(row) for row in _RELEASED.rows(connection, values)]
        )

    async def newest(self, role: str, name: str) -> int:
        statement = select(func.coalesce(func.max(templates.c.version), 0)).where(
            templates.c.role == role, templates.c.name == name
        )
        return await self._store.read(lambda connection: int(connection.scalar(statement) or 0))

    async def label(self, role: str, name: str, label: str) -> int | None:
        statement = select(labels.c.version).where(labels.c.id == f"{role}/{name}@{label}")
        return await self._store.read(lambda connection: connection.scalar(statement))

    async def _select(self, *where: ColumnElement[bool]) -> list[Registered]:
        statement = _JOINED.where(*where).order_by(*_ORDER)
        return await self._store.read(
            lambda connection: [_registered(row) for row in connection.execute(statement)]
        )


def _registered(row: Any) -> Registered:
    values = dict(zip(_TEMPLATE_FIELDS, row, strict=False))
    count = len(_TEMPLATE_FIELDS)
    release = dict(zip(RELEASE_FIELDS, row[count:], strict=False))
    seq, digest, body = row[count + len(RELEASE_FIELDS) :]
    if body is None:
        raise IntegrityError(f"nothing on record tells of template {values['id']}")
    facts = stored_event(seq, digest, body).facts
    if facts.get("id") != values["id"]:
        raise IntegrityError(f"the event beside template {values['id']} tells of another one")
    if not isinstance(values["body"], str):  # SQLite keeps any type in any column
        raise IntegrityError(f"template {values['id']} was edited into something else")
    schema = values["blueprint_schema"]
    try:
        values["variables"] = tuple(
            str(each) for each in jiter.from_json(_raw(values["variables"]))
        )
        values["blueprint_schema"] = None if schema is None else jiter.from_json(_raw(schema))
    except (ValueError, TypeError) as error:
        raise IntegrityError(f"template {values['id']} was edited into something else") from error
    return Registered(
        row=TemplateRow(**values),
        release=ReleaseRow(**release),
        recorded_sha256=facts["sha256"],
        recorded_fields_sha256=facts["fields_sha256"],
    )


def _raw(text: str) -> bytes:
    return text.encode("utf-8")


_JOINED = (
    select(
        *(templates.c[name] for name in _TEMPLATE_FIELDS),
        *(releases.c[name] for name in RELEASE_FIELDS),
        templates.c.vouched_by,
        events.c.digest,
        events.c.body,
    )
    .join(releases, releases.c.id == templates.c.id)
    .join(events, events.c.seq == templates.c.vouched_by, isouter=True)
)
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
