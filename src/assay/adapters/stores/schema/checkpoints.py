"""The table of signed tree heads.

In      nothing
Out     checkpoints, beside the tables of the record
Pure    declarations only
Spec    C2SP tlog-checkpoint; RFC 3161

No event vouches for a row: a checkpoint is about the log, and an event for each would keep the
log from ever being covered whole. What a row says follows from the log and from its signature;
verification holds it against both. That none is lost only copies kept elsewhere can show.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, LargeBinary, Table, Text

from assay.adapters.stores.schema.record import METADATA, SERIAL

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
