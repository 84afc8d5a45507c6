"""The rows of the template registry that one transaction writes beside its events.

In      PutTemplate, PutRelease, PutSignature, PutLabel
Out     RowWrite: digests for the event that vouches for the rows, by their names; the SQL
Effects on the connection given
Spec    002-V1, 002-V2, 002-T5; docs/decisions/0004

Every row is vouched for by the event of its transaction. A signature changes the row of its
version, so its event vouches for the whole row anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, bindparam, insert, update
from sqlalchemy.exc import IntegrityError as UniqueViolation

from assay.adapters.stores.rows import (
    LABEL_FIELDS,
    RELEASE_FIELDS,
    TEMPLATE_FIELDS,
    Handler,
    RowWrite,
    Upsert,
    row_document,
)
from assay.adapters.stores.schema.templates import labels, releases, templates
from assay.core.json.canonical import canonical, digest_json
from assay.errors import ConflictError
from assay.templates.version import (
    PutLabel,
    PutRelease,
    PutSignature,
    PutTemplate,
    TemplateRow,
)

_AGAIN = "read it again: assay templates list"


def put_template(write: PutTemplate) -> RowWrite:
    """Insert the version and its release. Applying raises ConflictError when it stands there."""
    row = write.row
    values = template_values(row)
    plain_release = row_document(write.release, RELEASE_FIELDS)

    def apply(connection: Connection, vouched_by: int) -> None:
        with _conflict(f"template {row.id} was added, or another version released, meanwhile"):
            connection.execute(insert(templates), values | {"vouched_by": vouched_by})
            connection.execute(insert(releases), plain_release | {"vouched_by": vouched_by})

    rows = {
        f"templates/{row.id}": digest_json(values),
        f"template_releases/{row.id}": digest_json(plain_release),
    }
    return RowWrite(rows=rows, apply=apply)


def put_release(write: PutRelease) -> RowWrite:
    """Move a release. Applying raises ConflictError when somebody else moved first."""
    values = row_document(write.row, RELEASE_FIELDS)

    def apply(connection: Connection, vouched_by: int) -> None:
        changed = values | {"vouched_by": vouched_by}
        with _conflict(f"another version of {write.row.role}/{write.row.name} was released first"):
            found = connection.execute(
                _MOVE, {"of": write.row.id, "expected": write.expected, **_prefix_names(changed)}
            )
        if found.rowcount != 1:
            raise ConflictError(f"the release of {write.row.id} was moved meanwhile", hint=_AGAIN)

    return RowWrite(rows={f"template_releases/{write.row.id}": digest_json(values)}, apply=apply)


def put_signature(write: PutSignature) -> RowWrite:
    """Set the signature of a version; what it is worth is judged when the version is used.

    Applying raises ConflictError when the version is gone.
    """
    row = write.row
    values = template_values(row)

    def apply(connection: Connection, vouched_by: int) -> None:
        changed = {name: values[name] for name in ("signature", "signer", "updated_at")}
        statement = update(templates).where(templates.c.id == row.id)
        found = connection.execute(statement.values(**changed, vouched_by=vouched_by))
        if found.rowcount != 1:
            raise ConflictError(f"template {row.id} is gone", hint=_AGAIN)

    return RowWrite(rows={f"templates/{row.id}": digest_json(values)}, apply=apply)


def put_label(write: PutLabel) -> RowWrite:
    """Set a label, or move it."""
    values = row_document(write.row, LABEL_FIELDS)

    def apply(connection: Connection, vouched_by: int) -> None:
        _UPSERT_LABEL(connection, values | {"vouched_by": vouched_by})

    return RowWrite(rows={f"template_labels/{write.row.id}": digest_json(values)}, apply=apply)


def template_values(row: TemplateRow) -> dict[str, Any]:
    """The row as its columns hold it."""
    schema = row.blueprint_schema
    return row_document(row, TEMPLATE_FIELDS) | {
        "variables": _json(list(row.variables)),
        "blueprint_schema": None if schema is None else _json(dict(schema)),
    }


@contextmanager
def _conflict(message: str) -> Iterator[None]:
    try:
        yield
    except UniqueViolation as error:
        raise ConflictError(message, hint=_AGAIN) from error


def _json(value: Any) -> str:
    return canonical(value).decode("utf-8")


def _prefix_names(values: Mapping[str, Any]) -> dict[str, Any]:
    return {f"to_{name}": value for name, value in values.items()}


_MOVE = (
    update(releases)
    .where(releases.c.id == bindparam("of"), releases.c.moves == bindparam("expected"))
    .values({name: bindparam(f"to_{name}") for name in (*RELEASE_FIELDS, "vouched_by")})
)
_UPSERT_LABEL = Upsert(labels, (*LABEL_FIELDS, "vouched_by"))

REGISTRY_HANDLERS: Mapping[type, Handler] = {
    PutTemplate: put_template,
    PutRelease: put_release,
    PutSignature: put_signature,
    PutLabel: put_label,
}
"""What a store does for each kind of write to the registry."""
