"""The pages of calls: a list with filters, and the life of one.

In      requests of browsers
Out     pages
Effects reads; a replay, which asks no model and records nothing
Spec    009-V3, 009-A2 (texts)

The list is in the order of time, newest first, or of a column by whose index it can be read; with
a filter by time alone, for any other order would read all of what the filter leaves.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

from fastapi import APIRouter, Request
from starlette.responses import Response

from assay.errors import AssayError, InputError
from assay.protocols import CallFilter
from assay.runtime.access.callers import Caller
from assay.server.api.records import aware, shown_call
from assay.server.api.routes import Reader, Served
from assay.server.pages.call_life import tell_life
from assay.server.pages.frame import render_page, words_for
from assay.server.service import Service
from assay.server.shown_models import recorded_model

router = APIRouter(include_in_schema=False)

PAGE: Final = 50
MINUTES: Final = 60
OUTCOMES: Final = ("accepted", "no_evidence", "needs_review")
STATUSES: Final = ("open", "settled")
Order = Literal["contract", "input", "model"]
ORDERS: Final[tuple[Order, ...]] = ("contract", "input", "model")


@router.get("/calls")
async def calls(
    request: Request,
    service: Served,
    _: Reader,
    contract: str = "",
    outcome: str = "",
    status: str = "",
    model: str = "",
    input: str = "",
    run: str = "",
    since: str = "",
    until: str = "",
    sort: str = "",
    before: str = "",
) -> Response:
    """The newest first, or as *sort* says; the address is the view."""
    narrowed = any((contract, outcome, status, model, input, run))
    order, ascending = (None, False) if narrowed else _read_order(sort)
    which = CallFilter(
        contract=contract or None,
        outcome=outcome or None,
        status=status or None,
        model=recorded_model(model or None, service.runtime.context.model.name),
        input=service.recorded_input(input),
        run=int(run) if run.isascii() and run.isdigit() and len(run) < 16 else None,
        since=read_moment(since),
        until=read_moment(until),
        before=before or None,
        order=order,
        ascending=ascending,
    )
    rows = await service.runtime.calls(which, PAGE + 1)
    shown = rows[:PAGE]
    now = service.runtime.context.clock.now()
    begin = now.replace(second=0, microsecond=0) - timedelta(minutes=MINUTES - 1)
    counts = await service.runtime.store.count_calls_by_minute(begin)
    return render_page(
        request,
        "calls.html",
        title=words_for(request)("calls.title"),
        rows=shown,
        costs=await service.runtime.costs(shown),
        own_model=service.runtime.context.model.name,
        next=shown[-1].id if len(rows) > PAGE else None,
        first=not before,
        asked={
            "contract": contract,
            "outcome": outcome,
            "status": status,
            "model": model,
            "input": input,
            "since": since,
            "until": until,
        },
        filtered=narrowed or any((since, until, before)),
        narrowed=narrowed,
        order=order or "time",
        ascending=ascending,
        contracts=sorted(
            f"{pack.name}/{name}" for pack in service.packs.values() for name in pack.contracts
        ),
        minutes=hour_of_minutes(counts, begin),
        outcomes=OUTCOMES,
        statuses=STATUSES,
    )


def _read_order(sort: str) -> tuple[Order | None, bool]:
    """`time`, `-time`, `model`, … with `-` for descending; what is none of it is newest first."""
    name = sort.removeprefix("-")
    ascending = not sort.startswith("-")
    for order in ORDERS:
        if name == order:
            return order, ascending
    return None, name == "time" and ascending


@router.get("/calls/{call_id}")
async def call(request: Request, call_id: str, service: Served, caller: Reader) -> Response:
    """The life of one call."""
    return await _call_page(request, service, caller, call_id)


@router.post("/calls/{call_id}/replay")
async def replay(request: Request, call_id: str, service: Served, caller: Reader) -> Response:
    """Make it again from the record; nothing is written, so the answer is the page itself."""
    whole = await service.runtime.find_id("call", call_id)
    try:
        done: Any = (await service.runtime.replay(whole)).to_dict()
        fault = None
    except AssayError as error:
        done, fault = None, error
    return await _call_page(request, service, caller, whole, replayed=done, replay_fault=fault)


async def _call_page(
    request: Request,
    service: Service,
    caller: Caller,
    call_id: str,
    *,
    replayed: Mapping[str, Any] | None = None,
    replay_fault: AssayError | None = None,
) -> Response:
    texts = caller.may("texts")
    document = shown_call(await service.runtime.call(call_id), prompt=True, raw=texts)
    row = document["call"]
    return render_page(
        request,
        "call.html",
        title=words_for(request)("calls.one", id=row["id"][:10]),
        call=row,
        life=tell_life(document["events"]),
        texts=texts,
        replayed=replayed,
        replay_fault=replay_fault,
    )


def read_moment(text: str) -> datetime | None:
    """What a field of a form gave: a day, or a day and a time; UTC where no zone is said.

    Raises:
        InputError: it is no time.

    Example:
        >>> read_moment("2026-05-01"), read_moment("")
        (datetime.datetime(2026, 5, 1, 0, 0, tzinfo=datetime.timezone.utc), None)
    """
    if not text.strip():
        return None
    try:
        found = aware(datetime.fromisoformat(text.strip()))
        assert found is not None
        return found.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InputError(
            "a time cannot be read", hint="as 2026-05-01 or 2026-05-01T08:00"
        ) from error


def hour_of_minutes(counts: Mapping[str, int], begin: datetime) -> list[int]:
    """A number for each minute from *begin* on, 0 where nothing was."""
    start = begin.astimezone(UTC)
    return [
        counts.get(f"{start + timedelta(minutes=at):%Y-%m-%dT%H:%M}", 0) for at in range(MINUTES)
    ]
