"""No route is reached that nobody guards."""

from __future__ import annotations

from typing import Annotated

import pytest

from tests.parts import require_part

require_part("server", "fastapi", "uvicorn", "python_multipart")

from fastapi import APIRouter, Depends, FastAPI  # noqa: E402
from starlette.responses import Response  # noqa: E402

from assay.server.guard import Needs, public, unguarded_routes  # noqa: E402


async def answer(_=None):
    return Response()


def guarded(_: Annotated[object, Depends(Needs("read"))]):
    """Asks for a permission."""


@pytest.mark.clause("009-A4")
@pytest.mark.parametrize(
    ("add", "found"),
    [
        (lambda app: app.get("/x")(guarded), []),
        (lambda app: app.get("/x")(public(lambda: 1)), []),
        (lambda app: app.get("/x")(lambda: 1), ["['GET'] /x"]),
        (lambda app: app.websocket("/x")(answer), ["[] /x"]),
        (lambda app: app.add_route("/x", answer, methods=["POST"]), ["['POST'] /x"]),
        (lambda app: app.mount("/x", Response()), ["[] /x"]),
        (lambda app: app.mount("/x", public(Response())), []),
    ],
)
def test_a_route_of_any_kind_that_nobody_guards_is_found(add, found):
    """In the application itself, in a router that it includes, and in one within that."""
    for depth in range(3):
        app = FastAPI(docs_url=None, redoc_url=None)
        routers = [APIRouter() for _ in range(depth)]
        add(routers[-1] if routers else app)
        for outer, inner in reversed(list(zip([app, *routers], routers, strict=False))):
            outer.include_router(inner)

        assert found == unguarded_routes(app)
