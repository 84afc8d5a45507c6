"""The service: access keys, sessions of the pages, assignments of reviews, kept answers.

Revision 0008, after 0007.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "access_keys",
        sa.Column("position", SERIAL, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("secret_digest", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("per_minute", sa.Integer),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("created_by", sa.Text, nullable=False),
        sa.Column("expires_at", sa.Text),
        sa.Column("revoked_at", sa.Text),
        sa.PrimaryKeyConstraint("position", name="pk_access_keys"),
        sa.UniqueConstraint("id", name="uq_access_keys_id"),
        sa.UniqueConstraint("secret_digest", name="uq_access_keys_secret_digest"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "web_sessions",
        sa.Column("secret_digest", sa.Text, nullable=False),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("form_token", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("expires_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("secret_digest", name="pk_web_sessions"),
    )
    op.create_index("ix_web_sessions_expires_at", "web_sessions", ["expires_at"])
    op.create_table(
        "review_assignments",
        sa.Column("review", sa.Text, nullable=False),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("until", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("review", name="pk_review_assignments"),
    )
    op.create_table(
        "idempotent_requests",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("request_digest", sa.Text, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("seen_at", sa.Text, nullable=False),
        sa.Column("status", sa.Integer),
        sa.Column("answer", sa.LargeBinary),
        sa.PrimaryKeyConstraint("id", name="pk_idempotent_requests"),
    )
    op.create_index("ix_idempotent_requests_seen_at", "idempotent_requests", ["seen_at"])
    op.create_table(
        "followers",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("seen_at", sa.Text, nullable=False),
        sa.Column("position", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_followers"),
    )
