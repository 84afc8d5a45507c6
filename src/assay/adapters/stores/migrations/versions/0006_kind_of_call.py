"""What a call asks for stands on its row: a contract, a stage, an answer.

Revision 0006, after 0005. Rows of the first release keep NULL: their digest is on record.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("calls", sa.Column("kind", sa.Text))
