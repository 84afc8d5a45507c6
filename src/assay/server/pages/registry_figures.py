"""What the record says of a template's versions: how their calls ended, how others would.

In      a role and a name, a contract that is served
Out     pages, a table for spreadsheets
Effects store reads; a backtest asks no model and records nothing
Spec    002-F3, 002-N2; 009-R3

Both read the record through: they have addresses of their own, and the page of the versions is
quick whatever the size of the record.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from assay.errors import NotFoundError
from assay.figures.intervals import IntervalLine, Share, make_share, place_interval
from assay.protocols import CallFilter
from assay.runtime.replay.backtest import Backtested, Candidate, backtest
from assay.runtime.templates.outcomes import OutcomeCounts, TemplateOutcomes
from assay.server.api.routes import Judger, Reader, Served
from assay.server.pages.frame import render_page, words_for
from assay.server.pages.registry import STATES, Version, find_packs, find_versions
from assay.server.service import Service
from assay.templates.template import TemplateVersion

router = APIRouter(include_in_schema=False)

_MOST_TURNS: Final = 100
_LEFT, _RIGHT = 4.0, 196.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareView:
    """A share in words, and where its line is drawn."""

    share: Share
    said: str
    line: IntervalLine | None


@router.get("/templates/{role}/{name}/figures")
async def show_figures(
    request: Request, role: str, name: str, service: Served, _: Reader
) -> Response:
    """How the calls of each version ended, with intervals."""
    versions = await find_versions(service, role, name)
    counted = await _find_counts(request).count(role, name)
    rows = []
    for each in reversed(versions):
        accepted, review, calls = _count_shares(counted, each.row.version)
        rows.append(
            {
                "registered": each,
                "calls": calls,
                "accepted": _show_share(accepted),
                "review": _show_share(review),
            }
        )
    return render_page(
        request,
        "registry_figures.html",
        title=words_for(request)("registry.figures.title", name=f"{role}/{name}"),
        role=role,
        name=name,
        rows=rows,
        states=STATES,
        fallback=_show_share(make_share(counted.fallbacks, counted.fallbacks + counted.prompts)),
        left=_LEFT,
        right=_RIGHT,
    )


@router.get("/templates/{role}/{name}/figures.csv")
async def show_table(
    request: Request, role: str, name: str, service: Served, _: Reader
) -> Response:
    """The same figures for a spreadsheet."""
    versions = await find_versions(service, role, name)
    counted = await _find_counts(request).count(role, name)
    written = io.StringIO()
    table = csv.writer(written)
    table.writerow(
        [
            "version",
            "state",
            "calls",
            "accepted",
            "accepted_low",
            "accepted_high",
            "review",
            "review_low",
            "review_high",
        ]
    )
    for each in versions:
        accepted, review, calls = _count_shares(counted, each.row.version)
        cells: list[Any] = [each.row.version, each.release.state, calls]
        for share in (accepted, review):
            cells += [share.hits, f"{share.low:.4f}", f"{share.high:.4f}"]
        table.writerow(cells)
    return Response(
        written.getvalue(),
        media_type="text/csv; charset=utf-8",
        headers={"content-disposition": 'attachment; filename="figures.csv"'},
    )


def _find_counts(request: Request) -> OutcomeCounts:
    """Those of this process: they read on where they have read before."""
    state = request.app.state
    if not hasattr(state, "outcome_counts"):
        state.outcome_counts = OutcomeCounts(state.service.runtime.registry.templates)
    counts: OutcomeCounts = state.outcome_counts
    return counts


def _count_shares(counted: TemplateOutcomes, version: int) -> tuple[Share, Share, int]:
    counts: Mapping[str, int] = counted.versions.get(version, {})
    calls = sum(counts.values())
    return (
        make_share(counts.get("accepted", 0), calls),
        make_share(counts.get("needs_review", 0), calls),
        calls,
    )


def _show_share(share: Share) -> ShareView:
    said = "–"
    if share.value is not None:
        low, value, high = (round(100 * each) for each in (share.low, share.value, share.high))
        said = f"{value}\u202f% ({low}–{high}\u202f%)"
    return ShareView(share=share, said=said, line=place_interval(share, left=_LEFT, right=_RIGHT))


# --- backtest -----------------------------------------------------------------------------------


@router.get("/templates/{role}/{name}/backtest")
async def show_backtest(
    request: Request,
    role: str,
    name: str,
    service: Served,
    _: Judger,
    version: Version = None,
    contract: str = "",
    days: Annotated[int | None, Query(ge=1, le=3_650)] = None,
) -> Response:
    """Which calls on record would end otherwise with a version; nothing is asked or recorded."""
    versions = await find_versions(service, role, name)
    number = versions[-1].row.version if version is None else version
    found = next((each for each in versions if each.row.version == number), None)
    if found is None:
        raise NotFoundError("there is no such version of this template")
    tested: Backtested | None = None
    if contract:
        tested = await _backtest(service, found.template(), contract, days)
    turned = () if tested is None else tested.turns
    return render_page(
        request,
        "registry_backtest.html",
        title=words_for(request)("registry.backtest.title", name=f"{role}/{name}"),
        role=role,
        name=name,
        versions=list(reversed(versions)),
        version=number,
        contracts=[
            f"{pack}/{each}"
            for pack, contracts in find_packs(service, role, name).items()
            for each in contracts
        ],
        contract=contract,
        days=days,
        tested=tested,
        stayed=0 if tested is None else tested.calls - sum(tested.skipped.values()) - len(turned),
        wrong=[each for each in turned if each.was == "accepted"][:_MOST_TURNS],
        changed=[each for each in turned if each.was != "accepted"][:_MOST_TURNS],
        changes=sum(each.was != "accepted" for each in turned),
    )


async def _backtest(
    service: Service, template: TemplateVersion, contract: str, days: int | None
) -> Backtested:
    pack_name, _, contract_name = contract.partition("/")
    pack = service.pack(pack_name)
    since = None
    if days is not None:
        since = service.runtime.context.clock.now() - timedelta(days=days)
    async with service.backtests:
        return await backtest(
            service.runtime_of(pack).context,
            Candidate(pack=pack, contract=contract_name, template=template),
            CallFilter(since=since),
        )
