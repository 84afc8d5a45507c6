"""A process that lives on says which open calls it has given up, so that another can go on.

In      keys of calls that failed here and stay open
Out     one `call.left` event for each, once the record can be written
Effects tasks of the running event loop; store reads and commits; waits
Spec    009-H7

A program that ends with its failure needs none of this: that its process is gone is seen.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from assay.errors import AssayError, StoreUnavailableError
from assay.protocols import CallRow, Changes, Clock, PutCall, Store
from assay.record.event import EventDraft
from assay.runtime.calls.key_lock import KeyLocks

LEFT: Final = "call.left"
_FIRST_PAUSE_S: Final = 0.25
_LONGEST_PAUSE_S: Final = 5.0


class Departures:
    """Of one process that serves many callers."""

    def __init__(self, store: Store, clock: Clock, locks: KeyLocks, owner: str) -> None:
        self._store = store
        self._clock = clock
        self._locks = locks
        self._owner = owner
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @asynccontextmanager
    async def watch(self, key: str) -> AsyncIterator[None]:
        """The call of *key* is made in the block; whatever ends it early leaves the call."""
        try:
            yield
        except BaseException:
            if key not in self._tasks:
                task = asyncio.create_task(self._tell(key))
                self._tasks[key] = task
                task.add_done_callback(lambda _: self._tasks.pop(key, None))
            raise

    async def close(self) -> None:
        """Tell no more: that this process is gone is seen by the others."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _tell(self, key: str) -> None:
        pause = _FIRST_PAUSE_S
        while True:
            try:
                async with self._locks.hold(key):  # a task that makes it again goes first, or after
                    row = await self._store.find_call(key)
                    if row is not None and row.status == "open" and await self._is_own(row):
                        await self._store.commit(_make_changes(row, self._owner))
            except StoreUnavailableError:
                await self._clock.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE_S)
            except AssayError:  # settled meanwhile, or a record that verification has to tell of
                return
            else:
                return

    async def _is_own(self, row: CallRow) -> bool:
        owner = ""
        async for event in self._store.events(call=row.id):
            owner = owner_after(owner, event.kind, event.facts.get("owner"))
        return owner == self._owner


def owner_after(owner: str, kind: str, named: object) -> str:
    """Who makes a call after an event of *kind* that names *named*; empty when nobody does.

    Example:
        >>> owner_after("", "call.opened", "host:7:1")
        'host:7:1'
        >>> owner_after("host:7:1", "model.answered", None)
        'host:7:1'
        >>> owner_after("host:7:1", "call.left", "host:7:1")
        ''
        >>> owner_after("host:9:1", "call.left", "host:7:1")
        'host:9:1'
    """
    if kind == LEFT:
        return "" if named == owner else owner
    return owner if named is None else str(named)


def _make_changes(row: CallRow, owner: str) -> Changes:
    event = EventDraft(kind=LEFT, facts={"owner": owner}, call=row.id, subject=row.subject)
    return Changes(run=row.run, events=(event,), writes=(PutCall(row=row),))
