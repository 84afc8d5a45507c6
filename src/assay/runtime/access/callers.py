"""Who stands behind a key or a cookie.

In      the secret that a request carries, a ServiceStore
Out     Caller, or None; new sessions of the pages
Effects reads; rows of sessions
Spec    009-A1, 009-A3
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from secrets import token_urlsafe
from typing import Final

from assay.core.json.canonical import digest
from assay.protocols import Clock
from assay.protocols.service import Role, ServiceStore, WebSession
from assay.runtime.access.keys import PREFIX
from assay.runtime.access.roles import Permission, may

SESSION_HOURS: Final = 12
_SECRET_BYTES: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks, and what they may."""

    id: str
    """Of the key, or of the session: what quotas and idempotency keys are counted by."""

    person: str
    """What stands on record beside an act."""

    role: Role
    per_minute: int | None = None
    form_token: str | None = None
    """Set for who comes by a cookie: every change they ask for must carry it."""

    expires_at: datetime | None = None

    def may(self, permission: Permission) -> bool:
        return may(self.role, permission)


async def caller_by_key(service: ServiceStore, secret: str, now: datetime) -> Caller | None:
    """Who holds the key; None for one that is unknown, expired or revoked."""
    if not secret.startswith(PREFIX):
        return None
    key = await service.key_by_secret(digest(secret.encode("utf-8", "surrogatepass")))
    if key is None or key.revoked_at is not None:
        return None
    if key.expires_at is not None and key.expires_at <= now:
        return None
    return Caller(
        id=f"key:{key.id}",
        person=key.name,
        role=key.role,
        per_minute=key.per_minute,
        expires_at=key.expires_at,
    )


async def caller_by_session(service: ServiceStore, secret: str, now: datetime) -> Caller | None:
    """Who is signed in under this cookie."""
    found = await service.session_by_secret(digest(secret.encode("utf-8", "surrogatepass")))
    if found is None or found.expires_at <= now:
        return None
    return Caller(
        id=f"session:{found.secret_digest[-16:]}",
        person=found.person,
        role=found.role,
        form_token=found.form_token,
        expires_at=found.expires_at,
    )


async def start_session(service: ServiceStore, clock: Clock, *, person: str, role: Role) -> str:
    """Sign *person* in; returns the secret of the cookie."""
    secret, now = token_urlsafe(_SECRET_BYTES), clock.now()
    await service.add_session(
        WebSession(
            secret_digest=digest(secret.encode()),
            person=person,
            role=role,
            form_token=token_urlsafe(_SECRET_BYTES),
            created_at=now,
            expires_at=now + timedelta(hours=SESSION_HOURS),
        )
    )
    return secret
