"""A store that tells what was committed through it.

In      a Store
Out     the same, with listeners that hear each event after its transaction
Effects those of the store; a listener that fails is told of in the log and harms nothing
Spec    009-B1

Every effect of the program ends in a commit, so that whoever listens here misses none.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, cast

from assay.protocols import Changes, Store
from assay.record.event import EventDraft, StoredEvent

_log = logging.getLogger("assay.server")

Listener = Callable[[Sequence[tuple[StoredEvent, EventDraft]]], None]
"""Hears the events of one transaction with what they were made of; it must be quick."""


class _WatchedStore:
    def __init__(self, store: Store, listeners: Sequence[Listener]) -> None:
        self._store = store
        self._listeners = listeners

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def commit(self, changes: Changes) -> tuple[StoredEvent, ...]:
        stored = await self._store.commit(changes)
        pairs = tuple(zip(stored, changes.events, strict=True))
        for listener in self._listeners:
            try:
                listener(pairs)
            except Exception as error:
                _log.error("a listener failed: %s", type(error).__name__)
        return stored


def watch_store(store: Store, listeners: Sequence[Listener]) -> Store:
    """*store*, with *listeners* that hear what is committed through it."""
    return cast("Store", _WatchedStore(store, listeners))
