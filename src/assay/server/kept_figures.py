"""Figures of the record for whoever looks at a page: counted at most once a minute for each view.

In      a store, which calls
Out     KeptFigures: the figures and the moment that they are of
Effects reads of all events, as a task that outlives the request
Spec    009-V5

A count reads every event, so what was counted is shown again for a minute, and after that once
more while a new count is under way. Events are not added to an earlier count: on PostgreSQL one
with a lower number may become visible after one with a higher.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from assay.errors import AssayError
from assay.figures.record_figures import RecordFigures
from assay.protocols import Clock, Store
from assay.runtime.figures.count import count_figures
from assay.runtime.figures.filter import FiguresFilter
from assay.server.shown_models import shown_figures

FRESH: Final = timedelta(seconds=60)
_MOST_KEPT: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFigures:
    """What was counted, and when the count began."""

    figures: RecordFigures
    as_of: datetime


@dataclass(slots=True)
class FiguresCache:
    """What was counted last, for the views that were asked for last."""

    _kept: OrderedDict[FiguresFilter, KeptFigures] = field(default_factory=OrderedDict)
    _under_way: dict[FiguresFilter, asyncio.Task[None]] = field(default_factory=dict)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def find(
        self, store: Store, clock: Clock, which: FiguresFilter, *, wait_s: float
    ) -> KeptFigures | None:
        """The figures, at most a minute old or of the last count; None while the first runs.

        Raises:
            IntegrityError: an event was edited; figures of it would be none.
        """
        known = self._kept.get(which)
        if known is not None and clock.now() - known.as_of < FRESH:
            return known
        task = self._under_way.get(which)
        if task is None:
            if known is None and len(self._under_way) >= _MOST_KEPT:
                return None
            task = asyncio.create_task(self._count(store, clock, which))
            task.add_done_callback(_look_at_error)
            self._under_way[which] = task
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(task), wait_s)
        return self._kept.get(which)

    async def _count(self, store: Store, clock: Clock, which: FiguresFilter) -> None:
        try:
            async with self._turn:  # one count at a time: each reads everything
                as_of = clock.now()
                figures = shown_figures(await count_figures(store, which))
            self._kept[which] = KeptFigures(figures=figures, as_of=as_of)
            self._kept.move_to_end(which)
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        except AssayError:
            self._kept.pop(which, None)
            raise
        finally:
            self._under_way.pop(which, None)


def _look_at_error(task: asyncio.Task[None]) -> None:
    """Whoever asked is told; where nobody waits any more, the next one is."""
    if not task.cancelled():
        task.exception()
