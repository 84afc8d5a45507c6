"""The rows of the template registry that one transaction writes beside its events.

In      PutTemplate, PutRelease, PutSignature, PutLabel
Out     RowWrite: name, digest for the event that vouches for it, SQL
Effects on the connection given
Spec    002-V1, 002-V2, 002-T5; docs/decisions/0004

The text of a version is vouched for by the facts of its event, not row by row: an edit is drift,
which has its own report, and the record still verifies. Releases and labels are vouched for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, bindparam, insert, update
from sqlalchemy.exc import IntegrityError as UniqueViolation

from assay.adapters.stores.rows import (
    LABEL_FIELDS,
    RELEASE_FIELDS,
    Handler,
    RowWrite,
    Upsert,
    row_document,
)
from assay.adapters.stores.schema.templates import labels, releases, templates
from assay.core.json.canonical import canonical, digest_json
from assay.errors import ConflictError
from assay.templates.version import PutLabel, PutRelease, PutSignature, PutTemplate

_AGAIN = "read it again: assay templates list"


def put_template(write: PutTemplate) -> RowWrite:
    """Insert the version and its release. Applying raises ConflictError when it stands there."""
    row = write.row
    schema = row.blueprint_schema
    values = asdict(row) | {
        "variables": _json(list(row.variables)),
        "blueprint_schema": None if schema is None else _json(dict(schema)),
    }
    plain_release = row_document(write.release, RELEASE_FIELDS)

    def apply(connection: Connection, vouched_by: int) -> None:
        with _conflict(f"template {row.id} was added, or another version released, meanwhile"):
            connection.execute(insert(templates), values | {"vouched_by": vouched_by})
            connection.execute(insert(releases), plain_release | {"vouched_by": vouched_by})

    return RowWrite(
        name=f"template_releases/{row.id}", digest=digest_json(plain_release), apply=apply
    )


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

    return RowWrite(
        name=f"template_releases/{write.row.id}", digest=digest_json(values), apply=apply
    )


def put_signature(write: PutSignature) -> RowWrite:
    """Set the signature of a version; what it is worth is judged when the version is used."""

    def apply(connection: Connection, vouched_by: int) -> None:  # noqa: ARG001
        values = {"signature": write.signature, "signer": write.signer}
        statement = update(templates).where(templates.c.id == write.id)
        connection.execute(statement.values(**values, updated_at=write.updated_at))

    return RowWrite(name=f"templates/{write.id}", digest=None, apply=apply)


def put_label(write: PutLabel) -> RowWrite:
    """Set a label, or move it."""
    values = row_document(write.row, LABEL_FIELDS)

    def apply(connection: Connection, vouched_by: int) -> None:
        _UPSERT_LABEL(connection, values | {"vouched_by": vouched_by})

    return RowWrite(name=f"template_labels/{write.row.id}", digest=digest_json(values), apply=apply)


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
