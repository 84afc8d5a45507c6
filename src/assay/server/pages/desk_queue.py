"""The queue as the review desk shows it: which reviews, in which order, how many.

In      the query of an address, the service
Out     Which (a view as a query string), Queue (its rows and counts), the next open review
Effects store reads
Spec    009-D1, 009-D2
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from assay.contract.outcome import Reason
from assay.protocols import ReviewFilter, ReviewRow
from assay.runtime.access.callers import Caller
from assay.server.api.reviews import queue_documents
from assay.server.service import Service

PAGE: Final = 25
_MOST_OWN: Final = 200
_MOST_LOOKS: Final = 20
"""So many pages are looked through for a review that nobody works on."""

STATUSES: Final = ("open", "accepted", "rejected", "withdrawn", "all")
REASONS: Final = tuple(str(reason) for reason in Reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Which:
    """A view of the queue: what stands in the query of its address."""

    status: str = "open"
    reason: str = ""
    pack: str = ""
    input: str = ""
    """Its name as it was handed in."""

    mine: bool = False
    overdue: bool = False
    after: str = ""

    @classmethod
    def of_query(cls, query: Mapping[str, str]) -> Which:
        """The view that *query* names; what it does not know is left out."""
        status = query.get("status", "open")
        return cls(
            status=status if status in STATUSES else "open",
            reason=query.get("reason", "")[:100],
            pack=query.get("pack", "")[:200],
            input=query.get("input", "")[:1_000],
            mine=query.get("mine") == "1",
            overdue=query.get("overdue") == "1",
            after=query.get("after", "")[:64],
        )

    def to_query(self, **changes: Any) -> str:
        """`?…`, or nothing where it is the plain queue."""
        view = replace(self, **changes)
        pairs = {
            "status": "" if view.status == "open" else view.status,
            "reason": view.reason,
            "pack": view.pack,
            "input": view.input,
            "mine": "1" if view.mine else "",
            "overdue": "1" if view.overdue else "",
            "after": view.after,
        }
        said = urlencode({name: value for name, value in pairs.items() if value})
        return f"?{said}" if said else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """One page of a view, and how much there is."""

    which: Which
    rows: Sequence[Mapping[str, Any]]
    """As the API lists them, each with `contract`, `name` and `overdue`."""

    next: str | None
    """`after` of the page that follows."""

    count: int
    """Of the whole view."""

    open: int
    overdue: int
    mine: int


async def read_queue(service: Service, which: Which, caller: Caller) -> Queue:
    """The page that *which* names, the oldest first: what is overdue stands at its top."""
    store = service.runtime.store
    now = service.runtime.context.clock.now()
    late = now - timedelta(hours=service.settings.review_due_hours)
    everything = ReviewFilter()
    own = await service.kept.assignments_of(caller.person, now, _MOST_OWN)
    waiting, overdue = await asyncio.gather(
        store.count_reviews(everything),
        store.count_reviews(replace(everything, opened_before=late)),
    )
    if which.mine:
        wanted = _filter(service, which, late)
        rows = await _own_rows(service, wanted, [each.review for each in own])
        count, more = len(rows), None
    else:
        wanted = _filter(service, which, late)
        found = list(await store.reviews(wanted, PAGE + 1))
        rows, more = found[:PAGE], found[PAGE - 1].id if len(found) > PAGE else None
        count = await store.count_reviews(replace(wanted, after=None))
    return Queue(
        which=which,
        rows=await _documents(service, rows, late, named=caller.may("texts")),
        next=more,
        count=count,
        open=waiting,
        overdue=overdue,
        mine=len(own),
    )


async def find_next(service: Service, which: Which, person: str, after: str | None) -> str | None:
    """The open review of *which* that comes after one, and that nobody else works on.

    Where none comes after, the first is it.
    """
    store = service.runtime.store
    now = service.runtime.context.clock.now()
    late = now - timedelta(hours=service.settings.review_due_hours)
    if which.mine:
        own = [each.review for each in await service.kept.assignments_of(person, now, _MOST_OWN)]
        rows = await _own_rows(service, _filter(service, replace(which, status="open"), late), own)
        return next((row.id for row in rows if row.id != after), None)
    wanted = replace(_filter(service, replace(which, status="open"), late), after=after)
    for begin in (after, None):
        wanted = replace(wanted, after=begin)
        for _ in range(_MOST_LOOKS):
            waiting = await store.reviews(wanted, PAGE)
            held = await service.kept.assignments([row.id for row in waiting], now)
            for row in waiting:
                holder = held.get(row.id)
                if row.id != after and (holder is None or holder.person == person):
                    return row.id
            if len(waiting) < PAGE:
                break
            wanted = replace(wanted, after=waiting[-1].id)
        if begin is None:
            break
    return None


def _filter(service: Service, which: Which, late: datetime) -> ReviewFilter:
    return ReviewFilter(
        status=None if which.status == "all" else which.status,
        reason=which.reason or None,
        pack=which.pack or None,
        input=service.recorded_input(which.input),
        opened_before=late if which.overdue else None,
        after=which.after or None,
    )


async def _own_rows(service: Service, wanted: ReviewFilter, ids: Sequence[str]) -> list[ReviewRow]:
    rows = [await service.runtime.store.review(each) for each in ids]
    contracts = await asyncio.gather(*(find_contract(service, row) for row in rows))
    packs = [contract.rpartition("/")[0] for contract in contracts]
    return sorted(
        (
            row
            for row, pack in zip(rows, packs, strict=True)
            if wanted.status in (row.status, None)
            and wanted.reason in (row.reason, None)
            and wanted.pack in (pack, None)
            and wanted.input in (row.input, None)
            and (wanted.opened_before is None or row.opened_at < wanted.opened_before)
        ),
        key=lambda row: (row.opened_at, row.id),
    )


async def find_contract(service: Service, row: ReviewRow) -> str:
    """`PACK/NAME` of a review's call; nothing for an input that could not be read."""
    return "" if row.call is None else (await service.runtime.store.call(row.call)).contract


async def find_name(service: Service, row: ReviewRow) -> str:
    """The input's own name, for who may see texts; where that is not kept, as the row has it."""
    if row.call is not None:
        async for event in service.runtime.store.events(call=row.call, kind="call.opened"):
            if "input" in event.commitments:
                name = await service.runtime.store.payload(event.seq, "input")
                return row.input if name is None else name.decode("utf-8", "replace")
    return row.input


async def _documents(
    service: Service, rows: Sequence[ReviewRow], late: Any, *, named: bool
) -> list[dict[str, Any]]:
    documents = await queue_documents(service, rows)
    contracts = await asyncio.gather(*(find_contract(service, row) for row in rows))
    names = [row.input for row in rows]
    if named:
        names = await asyncio.gather(*(find_name(service, row) for row in rows))
    return [
        {
            **document,
            "contract": contract,
            "name": name,
            "overdue": row.status == "open" and row.opened_at < late,
        }
        for document, contract, name, row in zip(documents, contracts, names, rows, strict=True)
    ]
