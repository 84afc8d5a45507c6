"""The table of conversations.

In      nothing
Out     sessions, beside the tables of the record
Pure    declarations only
Spec    003 "State merge"; interfaces.md, "Sessions"

A row says where a session stands; what was said in it is the payload `session` of the event at
`vouched_by`, sealed and erasable like every payload. The row is vouched for like a call's.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Table, Text

from assay.adapters.stores.schema.record import METADATA, SERIAL

sessions = Table(
    "sessions",
    METADATA,
    Column("position", SERIAL, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("run", BigInteger, nullable=False),
    Column("pack", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("version", BigInteger, nullable=False),  # grows with every write: optimistic
    Column("turn", BigInteger, nullable=False),
    Column("step", BigInteger, nullable=False),
    Column("stage", Text),  # the stage that comes next; NULL between turns
    Column("state_digest", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    Column("vouched_by", BigInteger, nullable=False),  # seq of the event that wrote it last
    sqlite_autoincrement=True,
)
Index("ix_sessions_updated_at", sessions.c.updated_at, sessions.c.position)
Index("ix_sessions_vouched_by", sessions.c.vouched_by)
