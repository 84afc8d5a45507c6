"""A process that promotes one version, and waits with the write until it is told to go on.

Run as `python promoting_writer.py URL VERSION`. It says `read` once it knows what is active, and
`won` or `lost` when it is over.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from assay.adapters.stores import open_store
from assay.adapters.stores.templates.read import SqlTemplates
from assay.errors import ConflictError
from assay.runtime.templates.registry import Registry
from assay.runtime.templates.releases import Move, Releases
from assay.templates.version import Reference
from assay.wiring.opening import SystemClock


class Patient:
    """The store, but a commit waits for a line on standard input."""

    def __init__(self, store: Any) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def commit(self, changes: Any) -> Any:
        print("read", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        return await self._store.commit(changes)


async def main(url: str, version: str) -> None:
    clock = SystemClock()
    async with await open_store(url, clock=clock) as store:
        registry = Registry(store=Patient(store), templates=SqlTemplates(store), clock=clock)
        try:
            await Releases(registry=registry).promote(
                Reference.parse(f"planner/planner.base@{version}"), Move(by=f"process {version}")
            )
        except ConflictError:
            print("lost", flush=True)
        else:
            print("won", flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
