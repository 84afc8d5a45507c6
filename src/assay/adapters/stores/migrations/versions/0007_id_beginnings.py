"""Ids are found by their beginnings: PostgreSQL needs an index for that, SQLite has it.

Revision 0007, after 0006.
"""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    for table in ("calls", "reviews", "sessions"):
        op.create_index(
            f"ix_{table}_id_beginning", table, ["id"], postgresql_ops={"id": "text_pattern_ops"}
        )
