"""Keys, sessions, assignments and kept answers, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from assay.adapters.keys import MasterKeys
from assay.adapters.stores.service import SqlServiceStore
from assay.errors import IntegrityError, UsageError
from assay.protocols.service import AccessKey, Assignment, KeptAnswer, WebSession
from assay.testing import FrozenClock

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(minutes=10)
KEYS = MasterKeys([b"k" * 32])


@asynccontextmanager
async def opened(place, keyring=None):
    """The service's side of a fresh store."""
    async with await place.open(clock=FrozenClock()) as store:
        yield SqlServiceStore(store, keyring)


def a_key(**changes):
    key = AccessKey(
        id="k1",
        secret_digest="sha256:" + "a" * 64,
        name="Ann",
        role="reviewer",
        per_minute=None,
        created_at=NOW,
        created_by="Bo",
        expires_at=LATER,
    )
    return replace(key, **changes)


def an_answer(**changes):
    answer = KeptAnswer(
        request_digest="sha256:" + "1" * 64, owner="one", seen_at=NOW, status=None, answer=None
    )
    return replace(answer, **changes)


@pytest.mark.clause("009-A1")
def test_keys_come_back_as_they_were_put_and_are_revoked_once(place):
    """Found by the digest of their secret, in the order in which they were made."""

    async def run():
        async with opened(place) as service:
            first = a_key()
            second = a_key(id="k2", secret_digest="sha256:" + "b" * 64, expires_at=None)
            for key in (first, second):
                await service.add_key(key)
            revoked = [await service.revoke_key("k1", LATER) for _ in range(2)]
            unknown = await service.revoke_key("k9", LATER)
            return (
                revoked,
                unknown,
                await service.keys(),
                await service.key_by_secret(second.secret_digest),
                await service.key_by_secret("sha256:" + "c" * 64),
            )

    revoked, unknown, keys, found, missing = asyncio.run(run())

    assert ([True, False], False) == (revoked, unknown)
    assert [a_key(revoked_at=LATER), found] == list(keys)
    assert ("k2", None, None) == (found.id, found.expires_at, missing)


@pytest.mark.clause("009-A3")
def test_sessions_are_found_until_they_are_ended_and_old_ones_go(place):
    """A new session takes those away that have ended by then."""

    def session(mark, start):
        return WebSession(
            secret_digest=mark,
            person="Ann",
            role="reviewer",
            form_token="t",
            created_at=start,
            expires_at=start + timedelta(hours=12),
        )

    async def run():
        async with opened(place) as service:
            await service.add_session(session("old", NOW - timedelta(days=1)))
            await service.add_session(session("one", NOW))
            await service.add_session(session("two", NOW))
            await service.end_session("two")
            return [await service.session_by_secret(mark) for mark in ("old", "one", "two")]

    assert [None, session("one", NOW), None] == asyncio.run(run())


@pytest.mark.clause("009-P4")
def test_a_review_is_held_by_one(place):
    """Of many who ask at once one holds it; after its end, or when it is given up, another may."""

    async def run():
        async with opened(place) as service:
            people = [f"p{each}" for each in range(8)]
            stand = await asyncio.gather(
                *(
                    service.take_review(Assignment(review="r", person=p, until=LATER), NOW)
                    for p in people
                )
            )
            (holder,) = {assignment.person for assignment in stand}
            again = await service.take_review(
                Assignment(review="r", person=holder, until=LATER + timedelta(minutes=1)), NOW
            )
            held = await service.assignments(["r", "other"], NOW)
            over = await service.take_review(
                Assignment(review="r", person="late", until=LATER + timedelta(hours=1)),
                again.until,
            )
            await service.release_review("r", "somebody else")
            still = await service.assignments(["r"], NOW)
            await service.assign_review(Assignment(review="r", person="given", until=LATER))
            given = await service.assignments(["r"], NOW)
            await service.assign_review(Assignment(review="q", person="given", until=NOW))
            own = [
                [each.review for each in await service.assignments_of("given", at, 1)]
                for at in (NOW - timedelta(seconds=1), NOW, LATER)
            ]
            await service.release_review("r")
            none = await service.assignments(["r"], NOW)
            return holder, again, held, over, still, given, own, none

    holder, again, held, over, still, given, own, none = asyncio.run(run())

    assert {"r": again} == held
    assert (holder, "late") == (again.person, over.person)
    assert [["q"], ["r"], []] == own
    assert ("late", "given", {}) == (still["r"].person, given["r"].person, none)


@pytest.mark.clause("009-H5")
def test_a_request_is_claimed_by_one_and_its_answer_comes_back(place):
    """Of many who begin it at once one is to answer; later ones get what was kept."""

    async def run():
        async with opened(place) as service:
            began = await asyncio.gather(
                *(service.begin_answer("q", an_answer(owner=f"o{each}"), NOW) for each in range(8))
            )
            owner = next(each.owner for each in began if each is not None)
            await service.keep_answer("q", owner, 200, b"done", LATER)
            await service.forget_answer("q", owner)
            await service.keep_answer("q", "a stranger", 500, b"no", LATER)
            return began, await service.begin_answer("q", an_answer(owner="x"), LATER)

    began, kept = asyncio.run(run())

    assert [None] == [each for each in began if each is None]
    assert (200, b"done", LATER) == (kept.status, kept.answer, kept.seen_at)


@pytest.mark.clause("009-H5")
def test_a_claim_of_a_process_that_died_is_taken_over(place):
    """By the same request only, and only when the claim was not seen for a while."""

    async def run():
        async with opened(place) as service:
            await service.begin_answer("q", an_answer(), NOW)
            fresh = an_answer(owner="two", seen_at=LATER)
            other = replace(fresh, request_digest="sha256:" + "2" * 64)
            early = await service.begin_answer("q", fresh, NOW)
            another = await service.begin_answer("q", other, LATER)
            over = await service.begin_answer("q", fresh, LATER)
            await service.touch_answer("q", "two", LATER + timedelta(minutes=5))
            seen = await service.begin_answer("q", an_answer(owner="three"), LATER)
            await service.forget_answer("q", "two")
            free = await service.begin_answer("q", an_answer(owner="four"), NOW)
            return early, another, over, seen, free, await service.prune_answers(LATER)

    early, another, over, seen, free, pruned = asyncio.run(run())

    assert ("one", "one", None) == (early.owner, another.owner, over)
    assert (LATER + timedelta(minutes=5), None, 1) == (seen.seen_at, free, pruned)


@pytest.mark.clause("009-H5")
def test_a_kept_answer_is_sealed_and_bound_to_its_request(place):
    """Nothing of it stands in the table; it opens under the key alone, and not elsewhere."""

    async def run():
        async with await place.open(clock=FrozenClock()) as store:
            service, bare = SqlServiceStore(store, KEYS), SqlServiceStore(store)
            for name in ("q", "r"):
                await service.begin_answer(name, an_answer(), NOW)
            await service.keep_answer("q", "one", 200, b"Ann Miller", NOW)
            stored = await store.read(
                lambda connection: connection.execute(
                    text("SELECT answer FROM idempotent_requests WHERE id = 'q'")
                ).scalar_one()
            )
            kept = await service.begin_answer("q", an_answer(), NOW)
            with pytest.raises(UsageError, match="master key"):
                await bare.begin_answer("q", an_answer(), NOW)
            await store.write(
                lambda connection: connection.execute(
                    text("UPDATE idempotent_requests SET answer = :a, status = 200 WHERE id = 'r'"),
                    {"a": stored},
                )
            )
            with pytest.raises(IntegrityError, match="changed"):
                await service.begin_answer("r", an_answer(), NOW)
            return bytes(stored), kept

    stored, kept = asyncio.run(run())

    assert b"Ann Miller" == kept.answer
    assert b"Miller" not in stored


@pytest.mark.clause("009-A1")
def test_no_secret_of_a_key_is_written(tmp_path: Path):
    """The file of a store holds neither the secret nor its random part."""
    from assay.runtime.access.keys import PREFIX, make_key
    from assay.wiring.service import open_keys

    async def run():
        async with open_keys(f"sqlite:///{tmp_path}/a.db") as (runtime, service):
            return await make_key(runtime.context, service, name="Ann", role="admin", by="Bo")

    _, secret = asyncio.run(run())
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir())

    assert secret.startswith(PREFIX)
    assert secret.removeprefix(PREFIX).encode() not in written
