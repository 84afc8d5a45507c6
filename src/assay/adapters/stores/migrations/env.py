"""What Alembic runs: the migrations on the connection that the store hands over.

In      a connection inside a transaction, in the attributes of Alembic's configuration
Out     the tables of schema.py
Effects DDL on that connection; the store commits
Spec    interfaces.md, "Command line" (`--store`)
"""

from __future__ import annotations

from alembic import context

from assay.adapters.stores.schema.record import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
with context.begin_transaction():
    context.run_migrations()
