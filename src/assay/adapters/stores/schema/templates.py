"""The tables of the template registry.

In      nothing
Out     templates, template_releases, template_labels, beside those of the record
Pure    declarations only
Spec    002 "Data Model", 002-T5, 002-V2; docs/decisions/0004

`templates` holds text that never changes; the event at `vouched_by` holds its digests, so that an
edit is drift. All three are vouched for row by row, like calls. That at most one version of a
name and role is active, or a canary, is the database's own promise: two partial indexes.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, Table, Text

from assay.adapters.stores.schema.record import METADATA, SERIAL

templates = Table(
    "templates",
    METADATA,
    Column("position", SERIAL, primary_key=True),
    Column("id", Text, nullable=False, unique=True),  # ROLE/NAME@VERSION
    Column("role", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("body", Text, nullable=False),
    Column("variables", Text, nullable=False),  # JSON list, in the order declared
    Column("sha256", Text, nullable=False),
    Column("fields_sha256", Text, nullable=False),
    Column("blueprint_schema", Text),  # JSON
    Column("blueprint_instructions", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    Column("signature", Text),
    Column("signer", Text),
    Column(
        "vouched_by", BigInteger, nullable=False
    ),  # seq of `template.added` or `template.signed`
    sqlite_autoincrement=True,
)
Index(
    "uq_templates_role_name_version",
    templates.c.role,
    templates.c.name,
    templates.c.version,
    unique=True,
)

releases = Table(
    "template_releases",
    METADATA,
    Column("position", SERIAL, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("role", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("percent", Integer),
    Column("replaced", BigInteger),
    Column("moves", BigInteger, nullable=False),
    Column("changed_at", Text, nullable=False),
    Column("changed_by", Text, nullable=False),
    Column("vouched_by", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)
Index("ix_template_releases_role_name", releases.c.role, releases.c.name, releases.c.version)
Index("ix_template_releases_vouched_by", releases.c.vouched_by)
for _state in ("active", "canary"):
    _where = releases.c.state == _state
    Index(
        f"uq_template_releases_{_state}",
        releases.c.role,
        releases.c.name,
        unique=True,
        sqlite_where=_where,
        postgresql_where=_where,
    )

labels = Table(
    "template_labels",
    METADATA,
    Column("position", SERIAL, primary_key=True),
    Column("id", Text, nullable=False, unique=True),  # ROLE/NAME@LABEL
    Column("role", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("label", Text, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("changed_at", Text, nullable=False),
    Column("changed_by", Text, nullable=False),
    Column("vouched_by", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)
Index("ix_template_labels_vouched_by", labels.c.vouched_by)
