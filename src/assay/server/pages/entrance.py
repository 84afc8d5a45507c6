"""How somebody gets in and out: the sign-in page, the one-time link, style sheets, the language.

In      requests of browsers
Out     pages, cookies
Effects sessions of the pages
Spec    009-A3, 009-A6, 009-P1
"""

from __future__ import annotations

import getpass
from typing import Annotated, Final
from urllib.parse import quote, urlsplit

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from assay.core.json.canonical import digest
from assay.errors import NotFoundError
from assay.runtime.access.callers import start_session
from assay.server.api.routes import Reader, service_of
from assay.server.guard import COOKIE, Guard, public
from assay.server.pages.frame import LANGUAGE_COOKIE, asset, render_page, words_for
from assay.server.pages.words import LANGUAGES

router = APIRouter(include_in_schema=False)

_KINDS: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_FOR_GOOD: Final = "public, max-age=31536000, immutable"
_SESSION_S: Final = 12 * 3_600
_YEAR_S: Final = 365 * 86_400


@router.get("/")
async def home(_: Reader) -> Response:
    """The queue is where the day begins."""
    return RedirectResponse("/reviews", status_code=303)


@router.get("/static/{version}/{name}")
@public
async def static(version: str, name: str) -> Response:
    """A style sheet, a script or a picture of ours."""
    del version
    try:
        content = asset(name)
    except FileNotFoundError as error:
        raise NotFoundError("there is no such file") from error
    kind = _KINDS[name.rpartition(".")[2]]
    return Response(content, media_type=kind, headers={"cache-control": _FOR_GOOD})


@router.get("/favicon.ico")
@public
async def icon() -> Response:
    """What browsers ask for by themselves."""
    return Response(asset("mark.svg"), media_type=_KINDS["svg"])


@router.get("/sign-in")
@public
async def sign_in(request: Request, next: str = "/") -> Response:
    """Which ways in there are."""
    return _sign_in_page(request, own_path(next))


@router.get("/sign-in/link")
@public
async def follow_link(request: Request, token: str = "") -> Response:
    """The page behind the one-time link: a button, so that nobody opens it by looking at it."""
    return _sign_in_page(request, "/", token=token)


@router.post("/sign-in/link")
@public
async def open_link(request: Request, token: Annotated[str, Form()] = "") -> Response:
    """Sign in by the one-time link."""
    link = request.app.state.one_time_link
    if link is None or not link.open(token):
        return _sign_in_page(request, "/", spent=True, status=403)
    return await welcome(request, person=getpass.getuser(), role="admin", to="/")


@router.post("/sign-out")
async def sign_out(request: Request, _: Reader) -> Response:
    """The session opens nothing any more."""
    secret = request.cookies.get(COOKIE, "")
    await service_of(request).kept.end_session(digest(secret.encode("utf-8", "surrogatepass")))
    guard: Guard = request.app.state.guard
    guard.callers.forget()
    response = RedirectResponse("/sign-in", status_code=303)
    response.delete_cookie(COOKIE, path="/")
    return response


@router.get("/language/{language}")
@public
async def choose(request: Request, language: str, next: str = "/") -> Response:
    """Show pages in this language from now on."""
    response = RedirectResponse(own_path(next), status_code=303)
    if language in LANGUAGES:
        response.set_cookie(
            LANGUAGE_COOKIE, language, max_age=_YEAR_S, samesite="lax", secure=is_https(request)
        )
    return response


async def welcome(request: Request, *, person: str, role: str, to: str) -> Response:
    """Start a session of the pages and go on to *to*."""
    service = service_of(request)
    secret = await start_session(
        service.kept,
        service.runtime.context.clock,
        person=person,
        role=role,  # type: ignore[arg-type]
    )
    response = RedirectResponse(own_path(to), status_code=303)
    response.set_cookie(
        COOKIE,
        secret,
        max_age=_SESSION_S,
        path="/",
        httponly=True,
        samesite="lax",
        secure=is_https(request),
    )
    return response


def is_https(request: Request) -> bool:
    """Whether browsers reach the pages by https, perhaps through a proxy."""
    origin = service_of(request).settings.origin or str(request.base_url)
    return origin.startswith("https:")


def own_path(given: str) -> str:
    """A path of this service; nobody is sent elsewhere.

    Example:
        >>> own_path("/calls?limit=5"), own_path("https://example.org/"), own_path("//example.org")
        ('/calls?limit=5', '/', '/')
    """
    parts = urlsplit(given)
    own = given.startswith("/") and not given.startswith(("//", "/\\"))
    return given if own and not parts.netloc and "\\" not in given and given.isprintable() else "/"


def sign_in_address(request: Request) -> str:
    """Where somebody signs in who asked for this page."""
    asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return f"/sign-in?next={quote(asked, safe='/')}"


def _sign_in_page(
    request: Request, to: str, *, token: str = "", spent: bool = False, status: int = 200
) -> Response:
    t = words_for(request)
    return render_page(
        request,
        "sign_in.html",
        title=t("sign_in.title"),
        status=status,
        next=to,
        token=token,
        spent=spent,
        provider=service_of(request).settings.oidc_issuer,
        link=request.app.state.one_time_link is not None,
    )
