"""Keys, sessions of the pages, assignments, kept answers, in the database of the record.

In      a SqlStore, perhaps a key ring
Out     SqlServiceStore, which is a `protocols.ServiceStore`
Effects reads and short transactions
Spec    009-A1, 009-A3, 009-H5, 009-P4

A kept answer holds what a caller was told, so it is encrypted like a payload where there is a
key ring: under a key of its own, which goes with the row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from secrets import token_bytes
from typing import Any, Final, TypeVar

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import Connection, delete, insert, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from assay.adapters.stores.rows import blob, refuse_unstorable, stamp
from assay.adapters.stores.schema.service import (
    access_keys,
    followers,
    idempotent_requests,
    review_assignments,
    web_sessions,
)
from assay.adapters.stores.sql import SqlStore
from assay.errors import IntegrityError, UsageError
from assay.protocols import KeyRing
from assay.protocols.service import AccessKey, Assignment, KeptAnswer, WebSession

T = TypeVar("T")
_NONCE_BYTES: Final = 12
_ID_BYTES: Final = 2


class SqlServiceStore:
    """The service's side of a SQL store."""

    def __init__(self, store: SqlStore, keyring: KeyRing | None = None) -> None:
        self._store = store
        self._keyring = keyring

    # --- keys -------------------------------------------------------------------------------

    async def add_key(self, key: AccessKey) -> None:
        values = {
            "id": key.id,
            "secret_digest": key.secret_digest,
            "name": key.name,
            "role": key.role,
            "per_minute": key.per_minute,
            "created_at": stamp(key.created_at),
            "created_by": key.created_by,
            "expires_at": _stamp_or_none(key.expires_at),
            "revoked_at": _stamp_or_none(key.revoked_at),
        }
        for name in ("name", "created_by"):
            refuse_unstorable(name, str(values[name]))
        await self._store.write(lambda connection: connection.execute(insert(access_keys), values))

    async def keys(self) -> Sequence[AccessKey]:
        statement = select(access_keys).order_by(access_keys.c.position)
        return await self._store.read(
            lambda connection: [_key(row._mapping) for row in connection.execute(statement)]
        )

    async def key_by_secret(self, secret_digest: str) -> AccessKey | None:
        statement = select(access_keys).where(access_keys.c.secret_digest == secret_digest)
        return await self._store.read(_one(statement, _key))

    async def revoke_key(self, key_id: str, at: datetime) -> bool:
        statement = (
            update(access_keys)
            .where(access_keys.c.id == key_id, access_keys.c.revoked_at.is_(None))
            .values(revoked_at=stamp(at))
        )
        changed = await self._change(lambda connection: connection.execute(statement).rowcount)
        return bool(changed)

    # --- sessions of the pages --------------------------------------------------------------

    async def add_session(self, session: WebSession) -> None:
        refuse_unstorable("person", session.person)
        values = {
            "secret_digest": session.secret_digest,
            "person": session.person,
            "role": session.role,
            "form_token": session.form_token,
            "created_at": stamp(session.created_at),
            "expires_at": stamp(session.expires_at),
        }
        ended = delete(web_sessions).where(web_sessions.c.expires_at < stamp(session.created_at))

        def add(connection: Connection) -> None:
            connection.execute(ended)
            connection.execute(insert(web_sessions), values)

        await self._store.write(add)

    async def session_by_secret(self, secret_digest: str) -> WebSession | None:
        statement = select(web_sessions).where(web_sessions.c.secret_digest == secret_digest)
        return await self._store.read(_one(statement, _session))

    async def end_session(self, secret_digest: str) -> None:
        statement = delete(web_sessions).where(web_sessions.c.secret_digest == secret_digest)
        await self._store.write(lambda connection: connection.execute(statement))

    # --- assignments ------------------------------------------------------------------------

    async def take_review(self, assignment: Assignment, now: datetime) -> Assignment:
        """Take it where nobody else holds the review at *now*; returns what stands."""
        values = {
            "review": assignment.review,
            "person": assignment.person,
            "until": stamp(assignment.until),
        }
        free = or_(
            review_assignments.c.person == assignment.person,
            review_assignments.c.until <= stamp(now),
        )
        found = select(review_assignments).where(review_assignments.c.review == assignment.review)

        def take(connection: Connection) -> Assignment:
            connection.execute(_put_assignment(connection, values, free))
            return _assignment(connection.execute(found).one()._mapping)

        return await self._change(take)

    async def assign_review(self, assignment: Assignment) -> None:
        refuse_unstorable("person", assignment.person)
        values = {
            "review": assignment.review,
            "person": assignment.person,
            "until": stamp(assignment.until),
        }
        await self._store.write(
            lambda connection: connection.execute(_put_assignment(connection, values, None))
        )

    async def release_review(self, review: str, person: str | None = None) -> None:
        statement = delete(review_assignments).where(review_assignments.c.review == review)
        if person is not None:
            statement = statement.where(review_assignments.c.person == person)
        await self._store.write(lambda connection: connection.execute(statement))

    async def assignments(self, reviews: Sequence[str], now: datetime) -> Mapping[str, Assignment]:
        statement = select(review_assignments).where(
            review_assignments.c.review.in_(list(reviews)), review_assignments.c.until > stamp(now)
        )
        found = await self._store.read(
            lambda connection: [_assignment(row._mapping) for row in connection.execute(statement)]
        )
        return {assignment.review: assignment for assignment in found}

    async def assignments_of(self, person: str, now: datetime, limit: int) -> Sequence[Assignment]:
        statement = (
            select(review_assignments)
            .where(review_assignments.c.person == person, review_assignments.c.until > stamp(now))
            .order_by(review_assignments.c.until, review_assignments.c.review)
            .limit(limit)
        )
        return await self._store.read(
            lambda connection: [_assignment(row._mapping) for row in connection.execute(statement)]
        )

    # --- kept answers -----------------------------------------------------------------------

    async def begin_answer(
        self, request_id: str, fresh: KeptAnswer, stale_before: datetime
    ) -> KeptAnswer | None:
        values = {
            "id": request_id,
            "request_digest": fresh.request_digest,
            "owner": fresh.owner,
            "seen_at": stamp(fresh.seen_at),
        }
        table = idempotent_requests
        take_over = (
            update(table)
            .where(
                table.c.id == request_id,
                table.c.request_digest == fresh.request_digest,
                table.c.status.is_(None),
                table.c.seen_at < stamp(stale_before),
            )
            .values(owner=fresh.owner, seen_at=stamp(fresh.seen_at))
            .returning(table.c.id)
        )
        found = select(table).where(table.c.id == request_id)

        def begin(connection: Connection) -> KeptAnswer | None:
            dialect = _dialect(connection)
            put = (
                dialect.insert(table).values(values).on_conflict_do_nothing().returning(table.c.id)
            )
            if connection.execute(put).first() or connection.execute(take_over).first():
                return None
            return self._answer(connection.execute(found).one()._mapping)

        return await self._change(begin)

    async def touch_answer(self, request_id: str, owner: str, at: datetime) -> None:
        statement = _own_answer(request_id, owner).values(seen_at=stamp(at))
        await self._store.write(lambda connection: connection.execute(statement))

    async def keep_answer(
        self, request_id: str, owner: str, status: int, answer: bytes, at: datetime
    ) -> None:
        statement = _own_answer(request_id, owner).values(
            status=status, answer=self._seal(request_id, answer), seen_at=stamp(at)
        )
        await self._store.write(lambda connection: connection.execute(statement))

    async def forget_answer(self, request_id: str, owner: str) -> None:
        table = idempotent_requests
        statement = delete(table).where(
            table.c.id == request_id, table.c.owner == owner, table.c.status.is_(None)
        )
        await self._store.write(lambda connection: connection.execute(statement))

    async def prune_answers(self, before: datetime) -> int:
        statement = delete(idempotent_requests).where(idempotent_requests.c.seen_at < stamp(before))
        return int(await self._change(lambda connection: connection.execute(statement).rowcount))

    # --- followers --------------------------------------------------------------------------

    async def follow(
        self, name: str, owner: str, at: datetime, stale_before: datetime, start: str
    ) -> str | None:
        values = {"name": name, "owner": owner, "seen_at": stamp(at), "position": start}
        mine = or_(followers.c.owner == owner, followers.c.seen_at < stamp(stale_before))

        def look(connection: Connection) -> str | None:
            put = _dialect(connection).insert(followers).values(values)
            take = put.on_conflict_do_update(
                index_elements=[followers.c.name],
                set_={each: put.excluded[each] for each in ("owner", "seen_at")},
                where=mine,
            ).returning(followers.c.position)
            found = connection.execute(take).first()
            return None if found is None else str(found[0])

        return await self._change(look)

    async def stop_following(self, owner: str) -> None:
        statement = update(followers).where(followers.c.owner == owner).values(seen_at="")
        await self._store.write(lambda connection: connection.execute(statement))

    async def advance(self, name: str, owner: str, position: str, at: datetime) -> bool:
        statement = (
            update(followers)
            .where(followers.c.name == name, followers.c.owner == owner)
            .values(position=position, seen_at=stamp(at))
        )
        return bool(await self._change(lambda connection: connection.execute(statement).rowcount))

    # --- within -----------------------------------------------------------------------------

    async def _change(self, work: Callable[[Connection], T]) -> T:
        done: list[T] = []
        await self._store.write(lambda connection: done.append(work(connection)))
        return done[-1]

    def _answer(self, values: Mapping[Any, Any]) -> KeptAnswer:
        kept = values["answer"]
        return KeptAnswer(
            request_digest=values["request_digest"],
            owner=values["owner"],
            seen_at=datetime.fromisoformat(values["seen_at"]),
            status=values["status"],
            answer=None if kept is None else self._open(values["id"], blob(kept)),
        )

    def _seal(self, request_id: str, answer: bytes) -> bytes:
        """`0 || answer` in the clear, or its key, wrapped, and the encrypted answer."""
        if self._keyring is None:
            return bytes(_ID_BYTES) + answer
        key, nonce = AESGCM.generate_key(bit_length=256), token_bytes(_NONCE_BYTES)
        name, wrapped = self._keyring.key_id.encode(), self._keyring.wrap(key)
        head = b"".join(len(part).to_bytes(_ID_BYTES, "big") + part for part in (name, wrapped))
        return head + nonce + AESGCM(key).encrypt(nonce, answer, request_id.encode())

    def _open(self, request_id: str, stored: bytes) -> bytes:
        name, rest = _cut_part(stored)
        if not name:
            return rest
        if self._keyring is None:
            raise UsageError(
                "kept answers are encrypted, and no master key is configured",
                hint="set ASSAY_MASTER_KEY to the key the store was written with",
            )
        wrapped, rest = _cut_part(rest)
        key = self._keyring.unwrap(name.decode(), wrapped)
        nonce, sealed = rest[:_NONCE_BYTES], rest[_NONCE_BYTES:]
        try:
            return AESGCM(key).decrypt(nonce, sealed, request_id.encode())
        except (InvalidTag, ValueError) as error:
            raise IntegrityError("a kept answer was changed") from error


def _cut_part(stored: bytes) -> tuple[bytes, bytes]:
    size = int.from_bytes(stored[:_ID_BYTES], "big")
    return stored[_ID_BYTES : _ID_BYTES + size], stored[_ID_BYTES + size :]


def _one(
    statement: Any, make: Callable[[Mapping[Any, Any]], T]
) -> Callable[[Connection], T | None]:
    def find(connection: Connection) -> T | None:
        row = connection.execute(statement).one_or_none()
        return None if row is None else make(row._mapping)

    return find


def _dialect(connection: Connection) -> Any:
    return sqlite if connection.dialect.name == "sqlite" else postgresql


def _put_assignment(connection: Connection, values: Mapping[str, Any], where: Any) -> Any:
    put = _dialect(connection).insert(review_assignments).values(values)
    return put.on_conflict_do_update(
        index_elements=[review_assignments.c.review],
        set_={name: put.excluded[name] for name in ("person", "until")},
        where=where,
    )


def _own_answer(request_id: str, owner: str) -> Any:
    table = idempotent_requests
    return update(table).where(
        table.c.id == request_id, table.c.owner == owner, table.c.status.is_(None)
    )


def _key(values: Mapping[Any, Any]) -> AccessKey:
    moments = {
        name: None if values[name] is None else datetime.fromisoformat(values[name])
        for name in ("created_at", "expires_at", "revoked_at")
    }
    kept = {name: value for name, value in values.items() if name != "position"}
    return AccessKey(**{**kept, **moments})


def _session(values: Mapping[Any, Any]) -> WebSession:
    moments = {name: datetime.fromisoformat(values[name]) for name in ("created_at", "expires_at")}
    return WebSession(**{**values, **moments})


def _assignment(values: Mapping[Any, Any]) -> Assignment:
    return Assignment(**{**values, "until": datetime.fromisoformat(values["until"])})


def _stamp_or_none(moment: datetime | None) -> str | None:
    return None if moment is None else stamp(moment)
