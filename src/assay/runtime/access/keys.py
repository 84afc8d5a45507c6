"""Make, list and revoke the keys of the service.

In      a RuntimeContext, a ServiceStore
Out     keys; the secret of a new one, once
Effects rows, and an event for each key that is made or revoked
Spec    009-A1

A secret is 32 random bytes, so a plain digest of it is kept: nothing could be guessed from it.
"""

from __future__ import annotations

from datetime import datetime
from secrets import token_urlsafe
from typing import Any, Final

from assay.core.json.canonical import digest
from assay.errors import InputError, NotFoundError
from assay.protocols import Changes
from assay.protocols.service import AccessKey, Role, ServiceStore
from assay.record.event import EventDraft
from assay.runtime.access.roles import ROLES
from assay.runtime.calls.context import RuntimeContext

PREFIX: Final = "assay_"
"""So that scanners for leaked secrets know one when they see it."""

_ID_CHARS: Final = 12
_SECRET_BYTES: Final = 32
_MOST_NAME_CHARS: Final = 100


async def make_key(
    context: RuntimeContext,
    service: ServiceStore,
    *,
    name: str,
    role: Role,
    by: str,
    per_minute: int | None = None,
    expires_at: datetime | None = None,
) -> tuple[AccessKey, str]:
    """A new key and its secret, which is kept nowhere.

    Raises:
        InputError: the name is empty or too long, the role is none, the end has passed.
    """
    now = context.clock.now()
    if not name.strip() or len(name) > _MOST_NAME_CHARS or not name.isprintable():
        raise InputError("a key has a name", hint=f"up to {_MOST_NAME_CHARS} printable characters")
    if role not in ROLES:
        raise InputError(f"{role!r} is no role", hint=", ".join(ROLES))
    if expires_at is not None and expires_at <= now:
        raise InputError("the key would have expired already", hint="give a time to come")
    secret = PREFIX + token_urlsafe(_SECRET_BYTES)
    key = AccessKey(
        id=context.new_id()[:_ID_CHARS],
        secret_digest=digest(secret.encode()),
        name=name,
        role=role,
        per_minute=per_minute,
        created_at=now,
        created_by=by,
        expires_at=expires_at,
    )
    await _record(context, "access_key.made", key, by)
    await service.add_key(key)
    return key, secret


async def revoke_key(
    context: RuntimeContext, service: ServiceStore, key_id: str, *, by: str
) -> AccessKey:
    """From now on the key opens nothing; other processes see it within seconds.

    Raises:
        NotFoundError: there is no such key, or it was revoked before.
    """
    found = next((key for key in await service.keys() if key.id == key_id), None)
    if found is None or found.revoked_at is not None:
        raise NotFoundError(f"there is no key {key_id!r} in use", hint="see assay keys list")
    await service.revoke_key(key_id, context.clock.now())
    await _record(context, "access_key.revoked", found, by)
    return found


def key_document(key: AccessKey) -> dict[str, Any]:
    """What lists show of a key; nothing that opens anything."""
    return {
        "id": key.id,
        "name": key.name,
        "role": key.role,
        "per_minute": key.per_minute,
        "created_at": key.created_at.isoformat(),
        "created_by": key.created_by,
        "expires_at": None if key.expires_at is None else key.expires_at.isoformat(),
        "revoked_at": None if key.revoked_at is None else key.revoked_at.isoformat(),
    }


async def _record(context: RuntimeContext, kind: str, key: AccessKey, by: str) -> None:
    run = await context.store.start_run("access", {})
    facts = {"key": key.id, "name": key.name, "role": key.role, "by": by}
    await context.store.commit(Changes(run=run, events=(EventDraft(kind=kind, facts=facts),)))
