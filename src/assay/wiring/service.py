"""What the service keeps beside the record, opened with the store that keeps it.

In      an open Runtime, settings of the environment
Out     ServiceStore
Effects none of its own
Spec    009-A1
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from assay.adapters.keys import keyring_from
from assay.adapters.stores.service import SqlServiceStore
from assay.adapters.stores.sql import SqlStore
from assay.errors import UsageError
from assay.protocols.service import ServiceStore
from assay.runtime.runtime import Runtime
from assay.wiring.opening import aopen
from assay.wiring.settings import environment


def service_store(runtime: Runtime, environ: Mapping[str, str] | None = None) -> ServiceStore:
    """Keys, sessions and kept answers of the store that *runtime* has open.

    Raises:
        UsageError: the store is one that keeps none of this.
    """
    store = runtime.store
    if not isinstance(store, SqlStore):
        raise UsageError("this store keeps no keys of a service", hint="use SQLite or PostgreSQL")
    return SqlServiceStore(store, keyring_from(environment() if environ is None else environ))


@asynccontextmanager
async def open_keys(
    store: str, *, must_exist: bool = False
) -> AsyncIterator[tuple[Runtime, ServiceStore]]:
    """The store at *store* without a model, and the keys in it."""
    async with aopen(store, "none", must_exist=must_exist) as runtime:
        yield runtime, service_store(runtime)
