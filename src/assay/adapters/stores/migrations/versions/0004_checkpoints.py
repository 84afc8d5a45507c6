"""Checkpoints: signed tree heads and their time-stamps.

Revision 0004, after 0003.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "checkpoints",
        sa.Column("position", SERIAL, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("root", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("token", sa.LargeBinary),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("position", name="pk_checkpoints"),
        sqlite_autoincrement=True,
    )
