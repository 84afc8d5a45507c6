"""At most one open call under a key: two processes do not make the same call.

Revision 0005, after 0004.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    still_open = sa.text("status = 'open'")
    op.create_index(
        "uq_calls_open_key",
        "calls",
        ["key"],
        unique=True,
        sqlite_where=still_open,
        postgresql_where=still_open,
    )
