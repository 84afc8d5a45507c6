"""Conversations: where each session stands.

Revision 0003, after 0002.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "sessions",
        sa.Column("position", SERIAL, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("run", sa.BigInteger, nullable=False),
        sa.Column("pack", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("turn", sa.BigInteger, nullable=False),
        sa.Column("step", sa.BigInteger, nullable=False),
        sa.Column("stage", sa.Text),
        sa.Column("state_digest", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("updated_at", sa.Text, nullable=False),
        sa.Column("vouched_by", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("position", name="pk_sessions"),
        sa.UniqueConstraint("id", name="uq_sessions_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_sessions_updated_at", "sessions", ["updated_at", "position"])
    op.create_index("ix_sessions_vouched_by", "sessions", ["vouched_by"])
