"""A process that writes until it is killed, and says of each event when it was acknowledged.

    python crashing_writer.py URL NAME

Prints `RUN N DIGEST` once an event is committed. A line that is not printed proves nothing.
"""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime
from itertools import count

from assay.adapters.keys import MasterKeys
from assay.adapters.stores import open_store
from assay.errors import StoreUnavailableError
from assay.protocols import Changes, PutCall
from assay.record.event import EventDraft
from assay.testing.stores import a_call

KEYS = MasterKeys([b"k" * 32])


class WallClock:
    """The time of day."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return datetime.now(UTC).timestamp()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def write(url: str, name: str) -> None:
    async with await open_store(url, clock=WallClock(), keyring=KEYS, wait_s=30) as store:
        run = await store.start_run("crash", {"name": name})

        async def task(number: int) -> None:
            for i in count():
                row = a_call(f"{name}-{run}-{number}-{i}", run)
                drafts = tuple(
                    EventDraft(
                        kind="written",
                        facts={"i": i, "part": part},
                        payloads={"p": b"content" * 50},
                        subject=f"s-{number}",
                        call=row.id,
                    )
                    for part in range(3)
                )
                changes = Changes(run=run, events=drafts, writes=(PutCall(row=row),))
                try:
                    events = await store.commit(changes)
                except StoreUnavailableError:
                    print("unavailable", flush=True)
                    await asyncio.sleep(0.2)
                    continue
                for event in events:
                    sys.stdout.write(f"{event.run} {event.n} {event.digest}\n")
                sys.stdout.flush()

        await asyncio.gather(*(task(number) for number in range(5)))


if __name__ == "__main__":
    asyncio.run(write(sys.argv[1], sys.argv[2]))
