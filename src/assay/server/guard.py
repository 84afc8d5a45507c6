"""Who may ask what: every route names a permission, and nobody passes without it.

In      a request with a key or a cookie
Out     Caller, or 401, 403, 429
Effects reads of the service store, kept for a few seconds
Spec    009-A1, 009-A2, 009-A4, 009-A5

A request with a cookie that changes something carries the form token of its session and comes
from the service's own pages; one with a key needs neither: no browser sends a key by itself.
"""

from __future__ import annotations

import hmac
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from fastapi import APIRouter, FastAPI
from starlette.requests import HTTPConnection, Request
from starlette.routing import BaseRoute, Route

from assay.errors import StoreUnavailableError
from assay.protocols import Clock
from assay.protocols.service import ServiceStore
from assay.runtime.access.callers import Caller, caller_by_key, caller_by_session
from assay.runtime.access.roles import Permission
from assay.server.errors import MayNotError, NotSignedInError
from assay.server.limits import Quotas

COOKIE: Final = "assay_session"
FORM_FIELD: Final = "form_token"
FORM_HEADER: Final = "x-assay-form-token"
_KEPT_S: Final = 5.0
_MOST_KEPT: Final = 4_096
_CHANGING: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class Callers:
    """Who stands behind keys and cookies; what was found is kept for a few seconds."""

    def __init__(self, service: ServiceStore, clock: Clock) -> None:
        self._service = service
        self._clock = clock
        self._kept: OrderedDict[tuple[str, str], tuple[float, Caller | None]] = OrderedDict()

    async def find(
        self, connection: HTTPConnection, *, without_store: bool = False
    ) -> Caller | None:
        """The caller of a request; None for nobody.

        Args:
            without_store: While the store is away, somebody who was found before is still known.
        """
        header = connection.headers.get("authorization", "")
        scheme, _, secret = header.partition(" ")
        if scheme.lower() == "bearer" and secret:
            try:
                return await self._kept_or_found("key", secret.strip())
            except StoreUnavailableError:
                _, known = self._kept.get(("key", secret.strip()), (0.0, None))
                if not without_store or known is None or _has_ended(known, self._clock):
                    raise
                return known
        cookie = connection.cookies.get(COOKIE)
        return None if not cookie else await self._kept_or_found("cookie", cookie)

    def forget(self) -> None:
        """After a sign-out: the next request looks again."""
        self._kept.clear()

    async def _kept_or_found(self, how: str, secret: str) -> Caller | None:
        now_s, now = self._clock.monotonic(), self._clock.now()
        known = self._kept.get((how, secret))
        if known is not None and known[0] > now_s:
            caller = known[1]
            if caller is None or caller.expires_at is None or caller.expires_at > now:
                return caller
        find = caller_by_key if how == "key" else caller_by_session
        caller = await find(self._service, secret, now)
        self._kept[how, secret] = (now_s + _KEPT_S, caller)
        self._kept.move_to_end((how, secret))
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return caller


def _has_ended(caller: Caller, clock: Clock) -> bool:
    return caller.expires_at is not None and caller.expires_at <= clock.now()


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """What decides about requests; one for an application."""

    callers: Callers
    quotas: Quotas
    clock: Clock
    origins: frozenset[str]
    """Where the pages are served from; empty: where the request says that it went to."""

    async def admit(
        self, request: Request, permission: Permission | None, *, without_store: bool = False
    ) -> Caller:
        """The caller, where they may do this; None for what asks once more by itself.

        Raises:
            NotSignedInError, MayNotError, TooManyError
        """
        caller = await self.callers.find(request, without_store=without_store)
        if caller is None:
            raise NotSignedInError(
                "nobody stands behind this request",
                hint="send an access key as `Authorization: Bearer …` (assay keys add), or sign in",
            )
        self.quotas.count(caller.id, self.clock.monotonic(), caller.per_minute)
        if caller.form_token is not None and request.method in _CHANGING:
            await self._require_own_page(request, caller.form_token)
        if permission is not None:
            require_permission(caller, permission)
        return caller

    async def _require_own_page(self, request: Request, token: str) -> None:
        """A browser sends cookies by itself: what it asks for must come from our own page."""
        origin = request.headers.get("origin") or ""
        own = self.origins or {f"{request.url.scheme}://{request.headers.get('host', '')}"}
        if origin and not _is_same_origin(origin, own):
            raise MayNotError("the request comes from another site", hint="use the service's pages")
        given = request.headers.get(FORM_HEADER)
        if given is None and request.headers.get("content-type", "").startswith(
            ("application/x-www-form-urlencoded", "multipart/form-data")
        ):
            given = str((await request.form()).get(FORM_FIELD) or "")
        if not given or not hmac.compare_digest(given.encode(), token.encode()):
            raise MayNotError("the form is not one of this session", hint="load the page again")


def require_permission(caller: Caller, permission: Permission) -> None:
    """Raises MayNotError where *caller* has not got it."""
    if not caller.may(permission):
        raise MayNotError(
            f"the role {caller.role} has not the permission {permission}",
            hint="ask an admin for another key",
        )


def _is_same_origin(origin: str, own: Iterable[str]) -> bool:
    def key(address: str) -> tuple[str, str]:
        parts = urlsplit(address)
        return parts.scheme, parts.netloc.lower()

    return key(origin) in {key(each) for each in own}


class Needs:
    """Dependency of a route: the caller with this permission, or the error.

    With None it is any caller: for a route that asks for permissions by what it is sent.
    """

    def __init__(self, permission: Permission | None, *, without_store: bool = False) -> None:
        self.permission: Final = permission
        self._without_store = without_store

    async def __call__(self, request: Request) -> Caller:
        guard: Guard = request.app.state.guard
        caller = await guard.admit(request, self.permission, without_store=self._without_store)
        request.state.caller = caller
        return caller


def public(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a route that everybody may call: signs of life, signing in, style sheets."""
    function.is_public = True  # type: ignore[attr-defined]
    return function


def unguarded_routes(app: FastAPI) -> list[str]:
    """Routes that neither need a permission nor are public; there must be none.

    What has no dependencies, as a mount or a plain route of Starlette, has to be public: nothing
    asks before it. The document of the API is. What cannot be looked into counts as unguarded.
    """
    return [
        f"{sorted(getattr(route, 'methods', None) or ())} "
        f"{getattr(route, 'path', type(route).__name__)}"
        for route in _every_route(app.routes)
        if not _is_guarded(route) and not _is_open(app, route)
    ]


def _every_route(routes: Iterable[BaseRoute]) -> Iterator[BaseRoute]:
    """*routes* and those of the routers among them, which newer FastAPI keeps whole."""
    for route in routes:
        inner = getattr(route, "original_router", None)
        if isinstance(inner, APIRouter):
            yield from _every_route(inner.routes)
        else:
            yield route


def _is_guarded(route: BaseRoute) -> bool:
    dependant = getattr(route, "dependant", None)
    if dependant is None:
        return False
    return any(isinstance(each.call, Needs) for each in _all_dependencies(dependant))


def _is_open(app: FastAPI, route: BaseRoute) -> bool:
    if isinstance(route, Route) and route.path == app.openapi_url:
        return True
    found = getattr(route, "endpoint", None) or getattr(route, "app", None)
    return getattr(found, "is_public", False) is True


def _all_dependencies(dependant: Any) -> list[Any]:
    found = list(dependant.dependencies)
    for each in dependant.dependencies:
        found += _all_dependencies(each)
    return found
