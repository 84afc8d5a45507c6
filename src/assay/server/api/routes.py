"""What the routes of the API share: how one is declared, what it needs, what its errors are.

In      functions that answer
Out     APIRouter with OpenAPI that names every error
Spec    interfaces.md, "HTTP"; 009-H1, 009-H2
"""

from __future__ import annotations

from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends, Header, Request

from assay.client.answers import ErrorAnswer
from assay.runtime.access.callers import Caller
from assay.server.guard import Needs
from assay.server.idempotency import KEY_HEADER
from assay.server.service import Service

_ERRORS = {
    400: "wrong usage",
    401: "nobody stands behind the request",
    403: "not allowed",
    404: "there is no such thing",
    408: "the request did not arrive in time",
    409: "a conflict, or a record that was edited",
    413: "the request is too long",
    422: "the body or a parameter is not what the API says",
    429: "more requests than the quota, or than there is room for",
    500: "a fault in the program",
    503: "a dependency is unavailable",
    504: "no answer in time",
}
ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorAnswer, "description": meaning} for status, meaning in _ERRORS.items()
}


def service_of(request: Request) -> Service:
    """The service behind the application."""
    return cast("Service", request.app.state.service)


Reader = Annotated[Caller, Depends(Needs("read"))]
Judger = Annotated[Caller, Depends(Needs("judge"))]
Asker = Annotated[Caller, Depends(Needs("ask"))]
TextReader = Annotated[Caller, Depends(Needs("texts"))]
Decider = Annotated[Caller, Depends(Needs("decide"))]
Releaser = Annotated[Caller, Depends(Needs("release"))]
Admin = Annotated[Caller, Depends(Needs("administer"))]
Served = Annotated[Service, Depends(service_of)]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias=KEY_HEADER,
        max_length=200,
        description="The same request under the same key is answered once.",
    ),
]


def api_router(prefix: str, tag: str) -> APIRouter:
    """A router under `/v1` whose routes document the one shape of errors."""
    return APIRouter(prefix=f"/v1{prefix}", tags=[tag], responses=ERROR_RESPONSES)
