"""Who may do what, and who stands behind a key or a cookie."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError, NotFoundError
from assay.runtime.access.callers import (
    SESSION_HOURS,
    caller_by_key,
    caller_by_session,
    start_session,
)
from assay.runtime.access.keys import make_key, revoke_key
from assay.runtime.access.roles import PERMISSIONS, ROLES, may
from assay.wiring.service import open_keys


@pytest.mark.clause("009-A2")
@pytest.mark.parametrize(
    ("role", "permissions"),
    [
        ("viewer", "read"),
        ("operator", "read judge ask"),
        ("reviewer", "read judge texts decide"),
        ("approver", "read judge release"),
        ("admin", "read judge ask texts decide release administer"),
    ],
)
def test_each_role_may_what_its_row_says_and_nothing_else(role, permissions):
    """The table is the whole of it."""
    assert set(permissions.split()) == {each for each in PERMISSIONS if may(role, each)}


@pytest.mark.clause("009-A2")
@given(st.text(), st.text())
def test_what_is_not_in_the_table_nobody_may(role, permission):
    """Neither an unknown role nor an unknown permission opens anything."""
    allowed = role in ROLES and permission in ROLES[role]

    assert allowed == may(role, permission)


def on_a_store(tmp_path, work):
    async def run():
        async with open_keys(f"sqlite:///{tmp_path}/a.db") as (runtime, service):
            return await work(runtime, service)

    return asyncio.run(run())


@pytest.mark.clause("009-A1")
def test_a_key_opens_until_it_expires_or_is_revoked(tmp_path):
    """The caller has the key's name and role; afterwards there is none."""

    async def work(runtime, service):
        now = runtime.context.clock.now()
        key, secret = await make_key(
            runtime.context,
            service,
            name="Ann",
            role="reviewer",
            by="Bo",
            per_minute=7,
            expires_at=now + timedelta(hours=1),
        )
        caller = await caller_by_key(service, secret, now)
        late = await caller_by_key(service, secret, now + timedelta(hours=1))
        odd = [await caller_by_key(service, each, now) for each in ("", secret[6:], secret + "x")]
        await revoke_key(runtime.context, service, key.id, by="Bo")
        gone = await caller_by_key(service, secret, now)
        with pytest.raises(NotFoundError):
            await revoke_key(runtime.context, service, key.id, by="Bo")
        return caller, late, odd, gone

    caller, late, odd, gone = on_a_store(tmp_path, work)

    assert ("Ann", "reviewer", 7) == (caller.person, caller.role, caller.per_minute)
    assert (None, [None] * 3, None) == (late, odd, gone)


@pytest.mark.clause("009-A1")
def test_making_and_revoking_a_key_stand_on_record(tmp_path):
    """Each with the key's id, its role and who did it; never with the secret."""

    async def work(runtime, service):
        key, secret = await make_key(runtime.context, service, name="Ann", role="viewer", by="Bo")
        await revoke_key(runtime.context, service, key.id, by="Cy")
        events = [event async for event in runtime.store.events()]
        return key, secret, events

    key, secret, events = on_a_store(tmp_path, work)
    facts = {"key": key.id, "name": "Ann", "role": "viewer"}

    assert [
        ("access_key.made", facts | {"by": "Bo"}),
        ("access_key.revoked", facts | {"by": "Cy"}),
    ] == [(each.kind, dict(each.facts)) for each in events if each.kind.startswith("access_key")]
    assert not any(secret.encode() in event.body for event in events)


@pytest.mark.clause("009-A1")
@pytest.mark.parametrize(
    "changes",
    [
        {"name": " "},
        {"name": "a" * 101},
        {"name": "a\nb"},
        {"role": "root"},
        {"expires_at": timedelta(0)},
    ],
)
def test_a_key_that_cannot_be_meant_is_refused_and_not_made(tmp_path, changes):
    """A name that is none, an unknown role, an end that has passed."""

    async def work(runtime, service):
        given = {"name": "Ann", "role": "viewer", "by": "Bo", **changes}
        if "expires_at" in given:
            given["expires_at"] = runtime.context.clock.now() - given["expires_at"]
        with pytest.raises(InputError):
            await make_key(runtime.context, service, **given)
        return await service.keys()

    assert [] == list(on_a_store(tmp_path, work))


@pytest.mark.clause("009-A3")
def test_a_session_opens_for_twelve_hours(tmp_path):
    """With the person, the role, and a token of its own for its forms."""

    async def work(runtime, service):
        clock = runtime.context.clock
        secrets = [
            await start_session(service, clock, person="Ann", role="reviewer") for _ in range(2)
        ]
        now = clock.now()
        found = [await caller_by_session(service, each, now) for each in secrets]
        ended = now + timedelta(hours=SESSION_HOURS)
        return found, [
            await caller_by_session(service, secrets[0], ended),
            await caller_by_session(service, "", now),
        ]

    (one, two), none = on_a_store(tmp_path, work)

    assert replace(one, id=two.id, form_token=two.form_token, expires_at=two.expires_at) == two
    assert one.form_token != two.form_token
    assert [None, None] == none
