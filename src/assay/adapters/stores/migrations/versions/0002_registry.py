"""The template registry: versions, releases, labels.

Revision 0002, after 0001.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "templates",
        sa.Column("position", SERIAL, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("variables", sa.Text, nullable=False),
        sa.Column("sha256", sa.Text, nullable=False),
        sa.Column("fields_sha256", sa.Text, nullable=False),
        sa.Column("blueprint_schema", sa.Text),
        sa.Column("blueprint_instructions", sa.Text, nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("updated_at", sa.Text, nullable=False),
        sa.Column("signature", sa.Text),
        sa.Column("signer", sa.Text),
        sa.Column("vouched_by", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("position", name="pk_templates"),
        sa.UniqueConstraint("id", name="uq_templates_id"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "uq_templates_role_name_version", "templates", ["role", "name", "version"], unique=True
    )
    op.create_table(
        "template_releases",
        sa.Column("position", SERIAL, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("percent", sa.Integer),
        sa.Column("replaced", sa.BigInteger),
        sa.Column("moves", sa.BigInteger, nullable=False),
        sa.Column("changed_at", sa.Text, nullable=False),
        sa.Column("changed_by", sa.Text, nullable=False),
        sa.Column("vouched_by", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("position", name="pk_template_releases"),
        sa.UniqueConstraint("id", name="uq_template_releases_id"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_template_releases_role_name", "template_releases", ["role", "name", "version"]
    )
    op.create_index("ix_template_releases_vouched_by", "template_releases", ["vouched_by"])
    for state in ("active", "canary"):
        where = sa.text(f"state = '{state}'")
        op.create_index(
            f"uq_template_releases_{state}",
            "template_releases",
            ["role", "name"],
            unique=True,
            sqlite_where=where,
            postgresql_where=where,
        )
    op.create_table(
        "template_labels",
        sa.Column("position", SERIAL, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("changed_at", sa.Text, nullable=False),
        sa.Column("changed_by", sa.Text, nullable=False),
        sa.Column("vouched_by", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("position", name="pk_template_labels"),
        sa.UniqueConstraint("id", name="uq_template_labels_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_template_labels_vouched_by", "template_labels", ["vouched_by"])
