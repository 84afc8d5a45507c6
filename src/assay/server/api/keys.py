"""`/v1/keys`: who may call the service, and as what.

In      names and roles
Out     the JSON of `assay keys`
Effects keys, and an event for each
Spec    009-A1
"""

from __future__ import annotations

from datetime import timedelta

from starlette.responses import JSONResponse, Response

from assay.client.answers import KeyAnswer, KeysAnswer
from assay.client.bodies import KeyBody
from assay.runtime.access.keys import key_document, make_key, revoke_key
from assay.server.api.routes import Admin, Served, api_router

router = api_router("/keys", "keys")


@router.get("", response_model=KeysAnswer, summary="List keys")
async def keys(service: Served, _: Admin) -> Response:
    """The oldest first; never their secrets."""
    return JSONResponse({"keys": [key_document(key) for key in await service.kept.keys()]})


@router.post("", response_model=KeyAnswer, status_code=201, summary="Make a key")
async def make(body: KeyBody, service: Served, caller: Admin) -> Response:
    """Its secret stands in this answer and nowhere else."""
    context = service.runtime.context
    end = None if body.days is None else context.clock.now() + timedelta(days=body.days)
    key, secret = await make_key(
        context,
        service.kept,
        name=body.name,
        role=body.role,
        by=caller.person,
        per_minute=body.per_minute,
        expires_at=end,
    )
    return JSONResponse({**key_document(key), "secret": secret}, status_code=201)


@router.delete("/{key_id}", response_model=KeyAnswer, summary="Revoke a key")
async def revoke(key_id: str, service: Served, caller: Admin) -> Response:
    """It opens nothing any more."""
    key = await revoke_key(service.runtime.context, service.kept, key_id, by=caller.person)
    return JSONResponse(key_document(key))
