"""Sign in through an OpenID Connect provider.

In      ASSAY_OIDC_*; what the provider says of who comes back
Out     a session of the pages with the role that their group has
Effects requests to the provider; a signed cookie for the ten minutes in between
Spec    009-A7; OpenID Connect Core 1.0, "Authorization Code Flow", with PKCE

Authlib checks signature, issuer, audience, nonce, times and state. Who belongs to no group that
has a role is known and still gets in nowhere.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, cast

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.starlette_client import OAuth
from fastapi import APIRouter, FastAPI, Request
from httpx2 import HTTPError
from joserfc.errors import JoseError
from starlette.middleware.sessions import SessionMiddleware
from starlette.responses import Response

from assay.errors import ExecutionError, NotFoundError, UsageError
from assay.protocols.service import Role
from assay.runtime.access.roles import ROLES
from assay.server.api.routes import service_of
from assay.server.errors import MayNotError
from assay.server.guard import public
from assay.server.pages.entrance import own_path, welcome
from assay.wiring.settings import ServiceSettings

router = APIRouter(include_in_schema=False)

BACK: Final = "/sign-in/provider/back"
_COOKIE: Final = "assay_sign_in"
_BETWEEN_S: Final = 600
_MOST_PERSON_CHARS: Final = 200


def install_provider(app: FastAPI, settings: ServiceSettings) -> None:
    """Make the provider that the settings name known to *app*; none where they name none.

    Raises:
        UsageError: the settings name it in part, or a role that is none.
    """
    app.state.provider = None
    app.state.provider_roles = {}
    if not settings.oidc_issuer:
        return
    if not settings.oidc_client_id or not settings.oidc_client_secret or not settings.oidc_roles:
        raise UsageError(
            "ASSAY_OIDC_ISSUER is set, and not all that belongs to it",
            hint="set ASSAY_OIDC_CLIENT_ID, ASSAY_OIDC_CLIENT_SECRET and ASSAY_OIDC_ROLES",
        )
    app.state.provider_roles = read_roles(settings.oidc_roles)
    found = OAuth()
    found.register(
        "provider",
        client_id=settings.oidc_client_id,
        client_secret=settings.oidc_client_secret,
        server_metadata_url=f"{settings.oidc_issuer.rstrip('/')}/.well-known/openid-configuration",
        client_kwargs={"scope": "openid profile email", "code_challenge_method": "S256"},
    )
    app.state.provider = found.create_client("provider")
    # Whichever process somebody comes back to must know the state: all derive one key.
    key = hmac.new(settings.oidc_client_secret.encode(), b"assay sign-in", sha256).hexdigest()
    app.add_middleware(
        SessionMiddleware,
        secret_key=key,
        session_cookie=_COOKIE,
        max_age=_BETWEEN_S,
        path="/sign-in",
        same_site="lax",
        https_only=settings.origin.startswith("https:"),
    )


def read_roles(words: str) -> dict[str, Role]:
    """Which group has which role, in the order of the setting.

    Raises:
        UsageError: a word is not `GROUP=ROLE`.

    Example:
        >>> read_roles("claims=reviewer leads=approver")
        {'claims': 'reviewer', 'leads': 'approver'}
    """
    found: dict[str, Role] = {}
    for word in words.split():
        group, equals, role = word.rpartition("=")
        if not equals or not group or role not in ROLES:
            raise UsageError(
                "ASSAY_OIDC_ROLES holds a word that is not GROUP=ROLE",
                hint=f"as claims-team=reviewer; roles: {', '.join(ROLES)}",
            )
        found.setdefault(group, cast("Role", role))
    return found


@router.get("/sign-in/provider")
@public
async def leave(request: Request, next: str = "/") -> Response:
    """To the provider; what was asked for is remembered."""
    provider = _provider(request)
    request.session["next"] = own_path(next)
    origin = service_of(request).settings.origin or str(request.base_url).rstrip("/")
    try:
        response: Response = await provider.authorize_redirect(request, f"{origin}{BACK}")
    except (AuthlibBaseError, HTTPError, ValueError, KeyError) as error:
        raise _unreachable(error) from error
    return response


@router.get(BACK)
@public
async def come_back(request: Request) -> Response:
    """From the provider, with a code that it answers for."""
    provider = _provider(request)
    to = str(request.session.get("next") or "/")
    try:
        token = await provider.authorize_access_token(request)
    except (AuthlibBaseError, JoseError, ValueError, KeyError, TypeError) as error:
        raise MayNotError(
            f"the provider's answer does not hold ({type(error).__name__})", hint="sign in again"
        ) from error
    except HTTPError as error:
        raise _unreachable(error) from error
    finally:
        request.session.clear()
    claims = token.get("userinfo") or {}
    person = person_of(claims)
    settings = service_of(request).settings
    role = role_of(claims.get(settings.oidc_claim), request.app.state.provider_roles)
    if person is None or role is None:
        raise MayNotError(
            "you are known to your organisation, and have no role here",
            hint="ask whoever runs assay: ASSAY_OIDC_ROLES",
        )
    return await welcome(request, person=person, role=role, to=to)


def person_of(claims: Mapping[str, Any]) -> str | None:
    """How somebody is called on record: the name that their organisation knows them by.

    Example:
        >>> person_of({"sub": "7", "preferred_username": "ann"}), person_of({"sub": "7"})
        ('ann', '7')
    """
    for name in ("preferred_username", "email", "sub"):
        found = claims.get(name)
        if isinstance(found, str) and found.strip() and found.isprintable():
            return found[:_MOST_PERSON_CHARS]
    return None


def role_of(groups: Any, roles: Mapping[str, Role]) -> Role | None:
    """The role of somebody in *groups*: of several the one that the setting names first.

    Example:
        >>> role_of(["a", "leads"], {"leads": "approver"}), role_of("leads", {}), role_of(None, {})
        ('approver', None, None)
    """
    own = {groups} if isinstance(groups, str) else groups
    if not isinstance(own, list | set | tuple):
        return None
    return next((role for group, role in roles.items() if group in own), None)


def _provider(request: Request) -> Any:
    found = request.app.state.provider
    if found is None:
        raise NotFoundError("no provider is configured", hint="set ASSAY_OIDC_ISSUER")
    return found


def _unreachable(error: Exception) -> ExecutionError:
    return ExecutionError(
        f"the provider cannot be asked ({type(error).__name__})", hint="try again in a minute"
    )
