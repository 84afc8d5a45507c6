"""The tables of the service: who may call it, who is signed in, who works on what.

In      nothing
Out     access_keys, web_sessions, review_assignments, idempotent_requests, followers
Pure    declarations only
Spec    009-A1, 009-A3, 009-H5

None of them is part of what a decision rests on, so no event vouches for a row: making and
revoking a key, handing a review on and deciding it are events of their own. Keys and sessions
stand here as digests of a random secret; the secret itself is stored nowhere.
"""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, LargeBinary, Table, Text

from assay.adapters.stores.schema.record import METADATA, SERIAL

access_keys = Table(
    "access_keys",
    METADATA,
    Column("position", SERIAL, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("secret_digest", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("per_minute", Integer),  # NULL: the service's own quota
    Column("created_at", Text, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("expires_at", Text),
    Column("revoked_at", Text),
    sqlite_autoincrement=True,
)

web_sessions = Table(
    "web_sessions",
    METADATA,
    Column("secret_digest", Text, primary_key=True),
    Column("person", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("form_token", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("expires_at", Text, nullable=False),
)
Index("ix_web_sessions_expires_at", web_sessions.c.expires_at)

review_assignments = Table(
    "review_assignments",
    METADATA,
    Column("review", Text, primary_key=True),
    Column("person", Text, nullable=False),
    Column("until", Text, nullable=False),
)

idempotent_requests = Table(
    "idempotent_requests",
    METADATA,
    Column("id", Text, primary_key=True),  # digest over caller and key
    Column("request_digest", Text, nullable=False),
    Column("owner", Text, nullable=False),  # of the process that answers it
    Column("seen_at", Text, nullable=False),  # when that process last said that it works on it
    Column("status", Integer),  # NULL while it is being answered
    Column("answer", LargeBinary),
)
Index("ix_idempotent_requests_seen_at", idempotent_requests.c.seen_at)

followers = Table(
    "followers",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("owner", Text, nullable=False),  # of the process that follows now
    Column("seen_at", Text, nullable=False),
    Column("position", Text, nullable=False),  # up to where it has followed
)
