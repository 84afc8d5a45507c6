"""The record: runs, events, payloads, calls, reviews, and the Merkle log over the events.

Revision 0001, the first.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "runs",
        sa.Column("run", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("started_at", sa.Text, nullable=False),
        sa.Column("events", sa.BigInteger, nullable=False),
        sa.Column("head", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("run", name="pk_runs"),
    )
    op.create_table(
        "events",
        sa.Column("seq", SERIAL, nullable=False),
        sa.Column("run", sa.BigInteger, nullable=False),
        sa.Column("n", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("call", sa.Text),
        sa.Column("subject", sa.Text),
        sa.Column("prev", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_events"),
        sa.UniqueConstraint("run", "n", name="uq_events_run_n"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_call", "events", ["call", "seq"])
    op.create_index("ix_events_kind", "events", ["kind", "seq"])
    op.create_index("ix_events_subject", "events", ["subject", "seq"])
    op.create_table(
        "subjects",
        sa.Column("id", SERIAL, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("key_id", sa.Text),
        sa.Column("wrapped", sa.LargeBinary),
        sa.PrimaryKeyConstraint("id", name="pk_subjects"),
        sa.UniqueConstraint("subject", name="uq_subjects_subject"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "payloads",
        sa.Column("seq", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("sealed_by", sa.BigInteger),
        sa.Column("erased_by", sa.BigInteger),
        sa.Column("content", sa.LargeBinary),
        sa.PrimaryKeyConstraint("seq", "name", name="pk_payloads"),
    )
    op.create_table(
        "calls",
        sa.Column("position", SERIAL, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("run", sa.BigInteger, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("contract", sa.Text, nullable=False),
        sa.Column("contract_digest", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("input", sa.Text, nullable=False),
        sa.Column("input_digest", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("settled_at", sa.Text),
        sa.Column("outcome", sa.Text),
        sa.Column("reason", sa.Text),
        sa.Column("decision_digest", sa.Text),
        sa.Column("vouched_by", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("position", name="pk_calls"),
        sa.UniqueConstraint("id", name="uq_calls_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_calls_key", "calls", ["key", "position"])
    op.create_index("ix_calls_run", "calls", ["run", "position"])
    op.create_index("ix_calls_created_at", "calls", ["created_at", "position"])
    op.create_index("ix_calls_vouched_by", "calls", ["vouched_by"])
    op.create_table(
        "reviews",
        sa.Column("position", SERIAL, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("run", sa.BigInteger, nullable=False),
        sa.Column("call", sa.Text),
        sa.Column("input", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("opened_at", sa.Text, nullable=False),
        sa.Column("decided_at", sa.Text),
        sa.Column("reviewer", sa.Text),
        sa.Column("vouched_by", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("position", name="pk_reviews"),
        sa.UniqueConstraint("id", name="uq_reviews_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_reviews_status", "reviews", ["status", "position"])
    op.create_index("ix_reviews_vouched_by", "reviews", ["vouched_by"])
    op.create_table(
        "log_pending",
        sa.Column("id", SERIAL, nullable=False),
        sa.Column("run", sa.BigInteger, nullable=False),
        sa.Column("first", sa.BigInteger, nullable=False),
        sa.Column("stop", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_log_pending"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "log",
        sa.Column("idx", SERIAL, autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("leaf", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("idx", name="pk_log"),
        sa.UniqueConstraint("seq", name="uq_log_seq"),
    )
    op.create_table(
        "log_nodes",
        sa.Column("level", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("idx", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("level", "idx", name="pk_log_nodes"),
    )
    state = op.create_table(
        "log_state",
        sa.Column("id", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("frontier", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_log_state"),
    )
    op.bulk_insert(state, [{"id": 1, "size": 0, "frontier": b""}])
