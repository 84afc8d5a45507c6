"""Several pieces of work at once, their ends handed out in the order in which they came.

In      entries, read one after another; what is done with one
Out     Place: an entry and how its work ended, in the order of the entries
Effects those of the work
Spec    006-M5; interfaces.md, "Command line" (`assay run --parallel`)

Bounded on both sides: so many are under way, and so many more are read or done and wait for one
before them. Entries with the same name take turns, so that the second finds what the first
left. Once a piece of work failed nothing new is begun.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

Entry = TypeVar("Entry")
Done = TypeVar("Done")

HELD_BACK = 4
"""Entries begun and not yet handed out, for each one that may be under way."""

LOOK_S = 0.5
"""So often is looked whether somebody asked for the end, while nothing else happens."""


@dataclass(frozen=True, slots=True, eq=False)
class Place(Generic[Entry, Done]):
    """One entry and the work on it."""

    entry: Entry
    work: asyncio.Future[Done]


class Window(Generic[Entry, Done]):
    """Begins the work on entries as places become free. For one consumer."""

    def __init__(
        self,
        entries: AsyncIterator[Entry],
        begin: Callable[[Entry], Awaitable[Done]],
        *,
        name: Callable[[Entry], str],
        parallel: int,
        may_begin: Callable[[int], bool],
        halted: Callable[[], bool],
        resting: Callable[[], int],
        may_fail: type[Exception],
    ) -> None:
        """Prepare; nothing is read or begun yet.

        Args:
            begin: The work on one entry.
            name: Entries of equal names are not worked on at once.
            parallel: How many are under way at most; 1 begins each when the one before is
                handed out and the consumer comes back for more.
            may_begin: Told how many are under way: may one more be? Asked again when one ended.
            halted: True once nothing more shall be begun.
            resting: How many works only wait; once all do, a halted window leaves them.
            may_fail: Failures that keep no other from being begun.
        """
        self._entries = entries
        self._begin = begin
        self._name = name
        self._parallel = parallel
        self._most = 1 if parallel == 1 else parallel * HELD_BACK
        self._may_begin = may_begin
        self._halted = halted
        self._resting = resting
        self._may_fail = may_fail
        self._places: deque[Place[Entry, Done]] = deque()
        self._by_name: dict[str, asyncio.Future[Done]] = {}
        self._left: list[asyncio.Future[Done]] = []
        self._under_way = 0
        self._in_line = 0
        """Works that wait for one of an equal name."""

        self._reading: asyncio.Task[Entry] | None = None
        self._next: list[Entry] = []
        self._open = True
        """More may be read and begun."""

        self._changed = asyncio.Event()

    async def hand_out(self) -> Place[Entry, Done] | None:
        """The next entry in order once its work has ended; None when there is none."""
        while True:
            self._changed.clear()
            self._go_on()
            if self._places and self._places[0].work.done():
                return self._places.popleft()
            if not self._places and self._reading is None:
                return None
            if self._halted() and self._all_rest():
                self._leave()
                continue
            # That somebody asks for the end changes nothing here. Not `wait_for`: in Python 3.11
            # it swallows a cancellation that comes together with the change.
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._changed.wait()

    def begin_no_more(self) -> None:
        """What is under way comes to its end and is handed out; nothing else is begun."""
        self._open = False
        self._next.clear()

    async def settle(self) -> None:
        """Begin no more, and wait for the end of what is under way."""
        self.begin_no_more()
        await self._end_reading()
        works = [place.work for place in self._places]
        if works:
            await asyncio.wait(works)

    async def close(self) -> None:
        """Cancel what is still under way, and wait until it is gone."""
        self.begin_no_more()
        await self._end_reading()
        works = [*self._left, *(place.work for place in self._places)]
        for work in works:
            work.cancel()
        await asyncio.gather(*works, return_exceptions=True)
        self._places.clear()

    def _all_rest(self) -> bool:
        under_way = sum(not place.work.done() for place in self._places)
        return 0 < under_way <= self._resting() + self._in_line

    def _leave(self) -> None:
        """Give up what is not done; what is, is handed out."""
        self.begin_no_more()
        self._left += [place.work for place in self._places if not place.work.done()]
        self._places = deque(place for place in self._places if place.work.done())
        for work in self._left:
            work.cancel()

    def _go_on(self) -> None:
        """Take in what was read, begin what may begin, read on."""
        if self._halted():
            self.begin_no_more()
        self._take_in()
        if self._next and self._under_way < self._parallel and self._may_begin(self._under_way):
            self._launch(self._next.pop())
        if self._open and not self._next and self._reading is None and self._has_room():
            self._reading = asyncio.ensure_future(self._read())
            self._reading.add_done_callback(self._wake)

    async def _read(self) -> Entry:
        return await anext(self._entries)

    def _has_room(self) -> bool:
        return len(self._places) < self._most

    def _take_in(self) -> None:
        reading = self._reading
        if reading is None or not reading.done():
            return
        self._reading = None
        if reading.cancelled():
            return
        error = reading.exception()
        if error is None:
            if self._open:
                self._next.append(reading.result())
        else:
            self._open = False
            if not isinstance(error, StopAsyncIteration):
                # It comes in its turn: what was read before it is handed out first.
                failed: asyncio.Future[Done] = asyncio.get_running_loop().create_future()
                failed.set_exception(error)
                self._places.append(Place(None, failed))  # type: ignore[arg-type]

    def _launch(self, entry: Entry) -> None:
        name = self._name(entry)
        work = asyncio.ensure_future(self._in_turn(entry, self._by_name.get(name)))
        self._by_name[name] = work
        self._places.append(Place(entry, work))
        self._under_way += 1

        def note_end(_: asyncio.Future[Done]) -> None:
            self._under_way -= 1
            if self._by_name.get(name) is work:
                del self._by_name[name]
            error = None if work.cancelled() else work.exception()
            if work.cancelled() or not (error is None or isinstance(error, self._may_fail)):
                self.begin_no_more()
            self._wake(work)

        work.add_done_callback(note_end)

    async def _in_turn(self, entry: Entry, before: asyncio.Future[Done] | None) -> Done:
        if before is not None:
            self._in_line += 1
            try:
                await asyncio.wait([before])
            finally:
                self._in_line -= 1
        return await self._begin(entry)

    def _wake(self, _: object) -> None:
        self._changed.set()

    async def _end_reading(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
            self._reading = None
