"""The pages of figures: twelve small charts, and each with its table.

In      requests of browsers
Out     pages, tables as CSV
Effects reads; a count of the record at most once a minute for each view
Spec    009-V5; 007-F1 (the pictures are those of `assay figures`)
"""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from assay.errors import NotFoundError, StoreUnavailableError
from assay.figures.chart_parts import HEIGHT, WIDTH
from assay.figures.page import csv_text
from assay.figures.panel import Panel
from assay.figures.panels import panels_of
from assay.figures.words import PANELS
from assay.runtime.figures.filter import FiguresFilter
from assay.server.api.routes import Reader, Served
from assay.server.kept_figures import KeptFigures
from assay.server.pages.calls import read_moment
from assay.server.pages.finding_words import tell_finding
from assay.server.pages.frame import render_page, words_for
from assay.server.pages.words import Words
from assay.server.service import Service

router = APIRouter(include_in_schema=False)

_WAIT_S: Final = 2.0


@router.get("/figures")
async def figures(
    request: Request,
    service: Served,
    _: Reader,
    pack: str = "",
    since: str = "",
    until: str = "",
) -> Response:
    """All twelve, of one size."""
    kept = await _find_kept(service, pack, since, until)
    return render_page(
        request,
        "figures.html",
        title=words_for(request)("figures.title"),
        kept=kept,
        panels=()
        if kept is None or not kept.figures.drawable
        else _draw_panels(kept, words_for(request)),
        **_shown_filters(service, pack, since, until),
    )


@router.get("/figures/{name}")
async def figure(
    request: Request,
    name: str,
    service: Served,
    _: Reader,
    pack: str = "",
    since: str = "",
    until: str = "",
) -> Response:
    """One of them, with the table behind it."""
    words = words_for(request)
    _require_name(name)
    kept = await _find_kept(service, pack, since, until)
    found = None
    if kept is not None and kept.figures.drawable:
        found = _named_panel(kept, words, name)
    return render_page(
        request,
        "figure.html",
        title=words(f"chart.name.{name}"),
        name=name,
        kept=kept,
        panel=found,
        **_shown_filters(service, pack, since, until),
    )


@router.get("/figures/{name}/table.csv")
async def table(
    request: Request,
    name: str,
    service: Served,
    _: Reader,
    pack: str = "",
    since: str = "",
    until: str = "",
) -> Response:
    """The table behind one of them, in the language of the page."""
    _require_name(name)
    kept = await _find_kept(service, pack, since, until)
    if kept is None:
        raise StoreUnavailableError("the record is still being counted", hint="try again soon")
    return Response(
        csv_text(_named_panel(kept, words_for(request), name).table),
        media_type="text/csv; charset=utf-8",
        headers={"content-disposition": f'attachment; filename="{name}.csv"'},
    )


async def _find_kept(service: Service, pack: str, since: str, until: str) -> KeptFigures | None:
    context = service.runtime.context
    which = FiguresFilter(pack=pack or None, since=read_moment(since), until=read_moment(until))
    return await service.figures.find(context.store, context.clock, which, wait_s=_WAIT_S)


def _require_name(name: str) -> None:
    """Raises NotFoundError."""
    if name not in PANELS:
        raise NotFoundError("there is no such figure", hint="see /figures")


def _draw_panels(kept: KeptFigures, words: Words) -> tuple[Panel, ...]:
    """All of them in a language."""
    return panels_of(
        kept.figures,
        words,
        tell_finding=lambda each: tell_finding(words, each.code, each.words).rstrip("."),
    )


def _named_panel(kept: KeptFigures, words: Words, name: str) -> Panel:
    return _draw_panels(kept, words)[PANELS.index(name)]


def _shown_filters(service: Service, pack: str, since: str, until: str) -> dict[str, Any]:
    asked = {"pack": pack, "since": since, "until": until}
    given = {name: value for name, value in asked.items() if value}
    return {
        "asked": asked,
        "query": f"?{urlencode(given)}" if given else "",
        "packs": sorted(service.packs),
        "box": f"0 0 {WIDTH} {HEIGHT}",
        "draw": Markup,  # of numbers and of names that the charts escaped
    }
