"""Lists of calls and reviews are read in their order by each of their filters.

Revision 0009, after 0008.
"""

from __future__ import annotations

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("ix_calls_run", table_name="calls")
    for name in ("run", "contract", "outcome", "status", "model"):
        op.create_index(f"ix_calls_{name}", "calls", [name, "created_at", "position"])
    op.create_index("ix_reviews_reason", "reviews", ["reason", "position"])
