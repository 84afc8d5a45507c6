"""Calls and reviews are found by their input.

Revision 0010, after 0009.
"""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_calls_input", "calls", ["input", "created_at", "position"])
    op.create_index("ix_reviews_input", "reviews", ["input", "position"])
