"""The pages of conversations: a list, and the way of one through its stages.

In      requests of browsers
Out     pages
Effects reads
Spec    009-V4, 009-A2 (texts)
"""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from assay.errors import NotFoundError
from assay.runtime.conversations.history import MOST_MOMENTS, read_history
from assay.runtime.conversations.sessions import load
from assay.server.api.routes import Reader, Served, TextReader
from assay.server.pages.frame import render_page, words_for
from assay.server.pages.session_path import draw_path, follow_path

router = APIRouter(include_in_schema=False)

PAGE: Final = 50


@router.get("/sessions")
async def sessions(request: Request, service: Served, caller: Reader, before: str = "") -> Response:
    """The latest first."""
    rows = await service.runtime.sessions(PAGE + 1, before=before or None)
    shown = rows[:PAGE]
    return render_page(
        request,
        "sessions.html",
        title=words_for(request)("sessions.title"),
        rows=shown,
        next=shown[-1].id if len(rows) > PAGE else None,
        first=not before,
        may_texts=caller.may("texts"),
    )


@router.get("/sessions/{session_id}")
async def session(
    request: Request, session_id: str, service: Served, _: TextReader, turn: int | None = None
) -> Response:
    """One conversation; the graph shows the way of one of its turns, the latest at first."""
    context = service.runtime.context
    loaded = await load(context, await service.runtime.find_id("session", session_id))
    if loaded is None:
        raise NotFoundError("there is no such session", hint="assay sessions list")
    moments = await read_history(context, loaded.row)
    turns = follow_path(moments)
    marked = next((each for each in turns if each.number == turn), turns[-1] if turns else None)
    pack = service.packs.get(loaded.row.pack)
    graph = None if pack is None else pack.stages
    return render_page(
        request,
        "session.html",
        title=words_for(request)("sessions.one", id=loaded.row.id[:8]),
        row=loaded.row,
        turns=turns[::-1],
        marked=marked,
        # The drawing escapes all names itself; it holds nothing but text and shapes.
        picture=None if graph is None else Markup(draw_path(graph, marked)),  # noqa: S704
        cut=len(moments) >= MOST_MOMENTS,
    )
