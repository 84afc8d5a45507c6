"""The application: every route guarded, every error of one shape, every answer with its headers.

In      Service
Out     FastAPI
Effects none of its own
Spec    interfaces.md, "HTTP"; 009-A4, 009-H1
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import version
from typing import Any, Final

from fastapi import FastAPI, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.client.answers import HealthAnswer, ReadyAnswer
from assay.contract.model_names import shown_model
from assay.errors import AssayError
from assay.runtime.access.one_time_link import OneTimeLink
from assay.runtime.access.roles import PERMISSIONS, ROLES
from assay.server.api import judging, keys, metrics, records, reviews, templates, work
from assay.server.doors.agents import mcp_routes
from assay.server.doors.openai import openai_routes
from assay.server.doors.openai.openai_errors import OpenAIErrors
from assay.server.errors import error_headers, error_response, install_error_shapes
from assay.server.examples import add_examples
from assay.server.guard import Callers, Guard, public, unguarded_routes
from assay.server.limits import BoundedRequests, Quotas
from assay.server.observe.requests import ObservedRequests
from assay.server.observe.traces import TracedRequests, Traces
from assay.server.pages import (
    answers,
    desk,
    entrance,
    provider,
    record,
    registry,
    registry_figures,
    registry_moves,
    sessions,
)
from assay.server.pages import calls as call_pages
from assay.server.pages import figures as figure_pages
from assay.server.pages.faults import fault_page, wants_page
from assay.server.service import Service

_DESCRIPTION: Final = """Exact prompts, a strict gate for model output, and a record that a stranger
can check, for a team. Every route names the permission that it needs; keys come from `assay keys`.
Errors are `{"error": {"code", "message", "hint"}}`. A rejected output is an answer, not an error.
"""

SECURITY_HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class DocumentedApp(FastAPI):
    """Its document has examples."""

    def openapi(self) -> dict[str, Any]:
        return add_examples(super().openapi())


PAGE_ROUTERS: Final = (
    entrance.router,
    provider.router,
    desk.router,
    registry_moves.router,
    registry.router,
    registry_figures.router,
    answers.router,
    record.router,
    call_pages.router,
    sessions.router,
    figure_pages.router,
)
"""The pages, each subject a router."""


def create_app(
    service: Service, *, link: OneTimeLink | None = None, traces: Traces | None = None
) -> FastAPI:
    """The application over *service*.

    Args:
        link: Signs in who sits at this machine; None where it is none of one person.
        traces: What requests are traced by.

    Raises:
        AssertionError: a route was added that nobody guards.
    """
    app = DocumentedApp(
        title="assay",
        version=version("assay"),
        description=_DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        swagger_ui_oauth2_redirect_url=None,
        redirect_slashes=False,  # it would lead to whatever Host a request names
    )
    settings, clock = service.settings, service.runtime.context.clock
    app.state.service = service
    app.state.one_time_link = link
    app.state.guard = Guard(
        callers=Callers(service.kept, clock),
        quotas=Quotas(settings.per_minute),
        clock=clock,
        origins=frozenset({settings.origin} if settings.origin else ()),
    )
    install_error_shapes(app, show_fault)
    for module in (judging, work, records, reviews, templates, keys):
        app.include_router(module.router)
    app.include_router(records.calls_router)
    app.include_router(openai_routes.router)
    if mcp_routes.has_protocol():
        app.include_router(mcp_routes.router)
    app.include_router(metrics.router)
    for router in PAGE_ROUTERS:
        app.include_router(router)
    _add_signs_of_life(app, service)
    missing = unguarded_routes(app)
    assert not missing, f"nobody guards {missing}"
    provider.install_provider(app, settings)
    app.add_middleware(AdmittedRequests, service=service)
    app.add_middleware(
        BoundedRequests,
        max_bytes=settings.max_body_bytes,
        body_wait_s=settings.body_wait_s,
        answer_wait_s=settings.answer_wait_s,
        known=own_names(service, (getattr(route, "path", "") for route in app.routes)),
    )
    app.add_middleware(HeadRequests)
    app.add_middleware(OpenAIErrors)
    app.add_middleware(ObservedRequests, metrics=service.metrics)
    if traces is not None:
        app.add_middleware(TracedRequests, traces=traces)
    app.add_middleware(SafeHeaders, https=settings.origin.startswith("https:"))
    return app


def own_names(service: Service, paths: Iterable[str]) -> frozenset[str]:
    """Names that this service gives, those of its *paths* too; an error may repeat them."""
    found: set[str] = {*ROLES, *PERMISSIONS, *service.documents.folders}
    found |= {part for path in paths for part in path.split("/") if "{" not in part}
    for pack in service.packs.values():
        found |= {pack.name, *pack.contracts, *(f"{pack.name}/{name}" for name in pack.contracts)}
    return frozenset(found)


async def show_fault(request: Request, status: int, error: AssayError) -> Response | None:
    """An error as a page, for who looks with a browser; in their frame, where they are known."""
    if not wants_page(request):
        return None
    if not hasattr(request.state, "caller"):
        with suppress(AssayError):
            request.state.caller = await request.app.state.guard.callers.find(request)
    return fault_page(request, status, error)


def _add_signs_of_life(app: FastAPI, service: Service) -> None:
    @app.get("/healthz", response_model=HealthAnswer, tags=["life"], summary="A sign of life")
    @public
    async def healthz() -> Response:
        """The process answers; nothing else is asked."""
        return JSONResponse({"status": "ok"})

    @app.get(
        "/readyz",
        response_model=ReadyAnswer,
        tags=["life"],
        summary="Whether requests are taken",
        responses={503: {"model": ReadyAnswer, "description": "not now"}},
    )
    @public
    async def readyz() -> Response:
        """The store answers, and the process is not ending."""
        context = service.runtime.context
        store = "ok"
        try:
            await context.store.ids_beginning("call", "0000", 1)
        except AssayError as error:
            store = error.code
        status = "stopping" if service.stopping else "ready" if store == "ok" else "unavailable"
        document = {"status": status, "store": store, "model": shown_model(context.model.name)}
        return JSONResponse(document, status_code=200 if status == "ready" else 503)


class AdmittedRequests:
    """ASGI middleware: a place for each request, or the word when to come again.

    Signs of life and figures for machines always get through: they say that it is full.
    """

    _ALWAYS = frozenset({"/healthz", "/readyz", "/metrics"})

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in self._ALWAYS:
            await self._app(scope, receive, send)
            return
        try:
            async with self._service.admission.place():
                await self._app(scope, receive, send)
        except AssayError as error:
            response = error_response(error)
            response.headers.update(error_headers(error))
            await response(scope, receive, send)


class HeadRequests:
    """ASGI middleware: HEAD is answered as GET; the server leaves the body out."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, send)


class SafeHeaders:
    """ASGI middleware: what browsers may do with an answer, on every one; no answer is cached."""

    def __init__(self, app: ASGIApp, *, https: bool) -> None:
        self._app = app
        safe = dict(SECURITY_HEADERS)
        if https:
            safe["strict-transport-security"] = "max-age=31536000; includeSubDomains"
        self._headers = [(name.encode(), value.encode()) for name, value in safe.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", ()), *self._headers]
                if not any(name == b"cache-control" for name, _ in headers):
                    headers.append((b"cache-control", b"no-store"))
                message = {**message, "headers": headers}
            await send(message)

        await self._app(scope, receive, send_safely)
