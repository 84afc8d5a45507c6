"""The tables of the record, as SQLAlchemy Core sees them.

In      nothing
Out     METADATA and one Table a name (those of the registry: templates.py); what the
        migrations build, stage by stage
Pure    declarations only
Spec    docs/decisions/0005, docs/decisions/0006; RFC 9162

Times are RFC 3339 text in UTC with microseconds: they sort as they read, and mean the same on
every database. Contents are bytes. No row of `events` or `log` is ever updated or deleted by
this program; nothing in the database forbids it, `verify` finds it.

A row of `sessions` says where a conversation stands; what was said in it is the payload `session`
of the event at `vouched_by`, sealed and erasable like every payload.

No event vouches for a checkpoint: it is about the log, and an event for each would keep the log
from ever being covered whole. What a row says follows from the log and from its signature;
verification holds it against both. That none is lost only copies kept elsewhere can show.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# SQLite numbers rows by itself only in a column of type INTEGER.
SERIAL = BigInteger().with_variant(Integer(), "sqlite")


def _index_beginnings(table: Table) -> None:
    """On PostgreSQL, whose own order of texts finds no beginnings; SQLite's order is of bytes."""
    Index(
        f"ix_{table.name}_id_beginning",
        table.c.id,
        postgresql_ops={"id": "text_pattern_ops"},
    ).ddl_if(dialect="postgresql")


runs = Table(
    "runs",
    METADATA,
    Column("run", BigInteger, primary_key=True, autoincrement=False),  # 1, 2, 3 … no gaps
    Column("kind", Text, nullable=False),
    Column("started_at", Text, nullable=False),
    Column("events", BigInteger, nullable=False),  # how many; the next event's `n`
    Column("head", Text, nullable=False),  # digest of the newest event
)

events = Table(
    "events",
    METADATA,
    Column("seq", SERIAL, primary_key=True),  # grows, never reused
    Column("run", BigInteger, nullable=False),
    Column("n", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("call", Text),
    Column("subject", Text),
    Column("prev", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("body", LargeBinary, nullable=False),  # RFC 8785; what is hashed
    UniqueConstraint("run", "n"),
    sqlite_autoincrement=True,
)
Index("ix_events_call", events.c.call, events.c.seq)
Index("ix_events_kind", events.c.kind, events.c.seq)
Index("ix_events_subject", events.c.subject, events.c.seq)

subjects = Table(
    "subjects",
    METADATA,
    Column("id", SERIAL, primary_key=True),
    Column("subject", Text, nullable=False, unique=True),  # "" for payloads of nobody
    Column("key_id", Text),  # which master key wraps; NULL: contents stand in the clear
    Column("wrapped", LargeBinary),  # the data key; gone with the row when erased
    sqlite_autoincrement=True,
)

payloads = Table(
    "payloads",
    METADATA,
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("name", Text, primary_key=True),
    Column("sealed_by", BigInteger),  # subjects.id when encrypted, else NULL
    Column("erased_by", BigInteger),  # seq of the event that vouches for the erasure
    Column("content", LargeBinary),  # salt and content, perhaps encrypted; NULL when erased
)

calls = Table(
    "calls",
    METADATA,
    Column("position", SERIAL, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("run", BigInteger, nullable=False),
    Column("key", Text, nullable=False),
    Column("contract", Text, nullable=False),
    Column("contract_digest", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("input", Text, nullable=False),
    Column("input_digest", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("settled_at", Text),
    Column("outcome", Text),
    Column("reason", Text),
    Column("decision_digest", Text),
    Column("vouched_by", BigInteger, nullable=False),  # seq of the event that wrote the row last
    Column("kind", Text),  # NULL on rows of the first release
    sqlite_autoincrement=True,
)
Index("ix_calls_key", calls.c.key, calls.c.position)
Index(
    "uq_calls_open_key",
    calls.c.key,
    unique=True,
    sqlite_where=calls.c.status == "open",
    postgresql_where=calls.c.status == "open",
)
Index("ix_calls_created_at", calls.c.created_at, calls.c.position)
for _filter in ("run", "contract", "outcome", "status", "model", "input"):  # a list by each of them
    Index(f"ix_calls_{_filter}", calls.c[_filter], calls.c.created_at, calls.c.position)
Index("ix_calls_vouched_by", calls.c.vouched_by)
_index_beginnings(calls)

reviews = Table(
    "reviews",
    METADATA,
    Column("position", SERIAL, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("run", BigInteger, nullable=False),
    Column("call", Text),
    Column("input", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("opened_at", Text, nullable=False),
    Column("decided_at", Text),
    Column("reviewer", Text),
    Column("vouched_by", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)
Index("ix_reviews_status", reviews.c.status, reviews.c.position)
Index("ix_reviews_reason", reviews.c.reason, reviews.c.position)
Index("ix_reviews_input", reviews.c.input, reviews.c.position)
Index("ix_reviews_vouched_by", reviews.c.vouched_by)
_index_beginnings(reviews)

# --- the Merkle log -------------------------------------------------------------------------

pending = Table(
    "log_pending",
    METADATA,
    Column("id", SERIAL, primary_key=True),
    Column("run", BigInteger, nullable=False),
    Column("first", BigInteger, nullable=False),  # events first <= n < stop wait for a place
    Column("stop", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)

log = Table(
    "log",
    METADATA,
    Column("idx", SERIAL, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, nullable=False, unique=True),
    Column("leaf", LargeBinary, nullable=False),  # RFC 9162 leaf hash of the event's body
)

nodes = Table(
    "log_nodes",
    METADATA,
    Column("level", Integer, primary_key=True, autoincrement=False),  # 8, 16, 24 …
    Column("idx", BigInteger, primary_key=True, autoincrement=False),
    Column("hash", LargeBinary, nullable=False),
)

log_state = Table(
    "log_state",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),  # always 1
    Column("size", BigInteger, nullable=False),
    Column(
        "frontier", LargeBinary, nullable=False
    ),  # roots of the complete subtrees, 32 bytes each
)

checkpoints = Table(
    "checkpoints",
    METADATA,
    Column("position", SERIAL, primary_key=True),
    Column("size", BigInteger, nullable=False),
    Column("root", Text, nullable=False),
    Column("note", Text, nullable=False),  # C2SP tlog-checkpoint, with its signatures
    Column("token", LargeBinary),  # RFC 3161 response over the note, where one was asked for
    Column("created_at", Text, nullable=False),
    sqlite_autoincrement=True,
)

# --- conversations ----------------------------------------------------------------------------

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
_index_beginnings(sessions)
