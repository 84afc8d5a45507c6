"""What Alembic runs: the migrations on the connection that the store hands over.

In      a connection inside a transaction, in the attributes of Alembic's configuration
Out     the tables of `schema/`
Effects DDL on that connection; the store commits
Spec    docs/decisions/0006: what is recorded verifies ever after
"""

from __future__ import annotations

from alembic import context

from assay.adapters.stores.schema.record import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
with context.begin_transaction():
    context.run_migrations()
