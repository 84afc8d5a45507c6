"""A URL becomes a store that knows every kind of row.

In      a store URL, a clock, perhaps a key ring
Out     SqlStore, its tables up to date
Effects opens files or sockets, worker threads; changes tables
Spec    interfaces.md, "Command line" (`--store`)
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.adapters.stores.rows import Handler
from assay.adapters.stores.sql import SqlStore
from assay.adapters.stores.writes import HANDLERS
from assay.protocols import Clock, KeyRing


async def open_store(
    url: str,
    *,
    clock: Clock,
    keyring: KeyRing | None = None,
    handlers: Mapping[type, Handler] | None = None,
    wait_s: float = 10.0,
) -> SqlStore:
    """Open the store at *url*; create it, or bring its tables up to date, as needed.

    Args:
        url: `sqlite:///PATH` (its folder is created) or `postgresql://…`.
        clock: Says when events happen.
        keyring: Encrypts payloads at rest; None leaves them in the clear.
        handlers: How to carry out further kinds of write, beside calls and reviews.
        wait_s: How long to wait for a lock of another process.

    Raises:
        InputError: *url* names no database that a store can live in.
        StoreUnavailableError: it cannot be reached, opened or brought up to date.
    """
    store = SqlStore(
        url, clock=clock, keyring=keyring, handlers={**HANDLERS, **(handlers or {})}, wait_s=wait_s
    )
    try:
        await store.prepare()
    except BaseException:
        await store.aclose()
        raise
    return store
