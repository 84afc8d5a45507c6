"""What the service keeps beside the record: keys, sessions of its pages, assignments, kept answers.

In      values of the runtime
Out     AccessKey, WebSession, Assignment, KeptAnswer, ServiceStore
Pure    declarations only
Spec    009-A1, 009-A3, 009-H5, 009-P4
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

Role = Literal["viewer", "operator", "reviewer", "approver", "admin"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessKey:
    """A key of the service as it is kept: a digest of its secret, and what it may do."""

    id: str
    secret_digest: str
    name: str
    """Who or what holds it, for people; stands on record as the person of a decision."""

    role: Role
    per_minute: int | None
    """Requests a minute; None is the service's own quota."""

    created_at: datetime
    created_by: str
    expires_at: datetime | None
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSession:
    """Somebody who is signed in to the pages."""

    secret_digest: str
    """Over the cookie."""

    person: str
    role: Role
    form_token: str
    """What every form of this session carries, against forged requests."""

    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """Who works on a review, until when."""

    review: str
    person: str
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAnswer:
    """A request that carried an idempotency key."""

    request_digest: str
    owner: str
    seen_at: datetime
    status: int | None
    """None while it is being answered."""

    answer: bytes | None


class ServiceStore(Protocol):
    """Every method reads and writes the store afresh; many processes share it."""

    async def add_key(self, key: AccessKey) -> None: ...

    async def keys(self) -> Sequence[AccessKey]:
        """All, the oldest first."""
        ...

    async def key_by_secret(self, secret_digest: str) -> AccessKey | None: ...

    async def revoke_key(self, key_id: str, at: datetime) -> bool:
        """False when there is none of this id, or it was revoked before."""
        ...

    async def add_session(self, session: WebSession) -> None:
        """Sessions that have ended go at the same time."""
        ...

    async def session_by_secret(self, secret_digest: str) -> WebSession | None: ...

    async def end_session(self, secret_digest: str) -> None: ...

    async def take_review(self, assignment: Assignment, now: datetime) -> Assignment:
        """Take it where nobody else holds the review at *now*; returns what stands."""
        ...

    async def assign_review(self, assignment: Assignment) -> None:
        """Put the review into somebody's hands, whoever held it."""
        ...

    async def release_review(self, review: str, person: str | None = None) -> None:
        """Of *person* alone, where one is named."""
        ...

    async def assignments(self, reviews: Sequence[str], now: datetime) -> Mapping[str, Assignment]:
        """What stands at *now*, by review."""
        ...

    async def assignments_of(self, person: str, now: datetime, limit: int) -> Sequence[Assignment]:
        """What *person* works on at *now*; what ends first comes first."""
        ...

    async def begin_answer(
        self, request_id: str, fresh: KeptAnswer, stale_before: datetime
    ) -> KeptAnswer | None:
        """Claim a request; None: it is *fresh*'s to answer. Else what stands.

        A claim that was not seen since *stale_before* and has no answer is taken over when the
        request is the same.
        """
        ...

    async def touch_answer(self, request_id: str, owner: str, at: datetime) -> None:
        """Say that *owner* still works on it."""
        ...

    async def keep_answer(
        self, request_id: str, owner: str, status: int, answer: bytes, at: datetime
    ) -> None: ...

    async def forget_answer(self, request_id: str, owner: str) -> None:
        """Nothing was acknowledged; the next one with this key begins anew."""
        ...

    async def prune_answers(self, before: datetime) -> int:
        """Destroy what was last seen before; how many."""
        ...

    # Of the processes that share a store one at a time follows the record under a name.

    async def follow(
        self, name: str, owner: str, at: datetime, stale_before: datetime, start: str
    ) -> str | None:
        """The position to go on from, where *owner* follows; None while another one does.

        Who was not seen since *stale_before* follows no more. The first one begins at *start*.
        """
        ...

    async def stop_following(self, owner: str) -> None:
        """Whoever comes next need not wait."""
        ...

    async def advance(self, name: str, owner: str, position: str, at: datetime) -> bool:
        """Keep how far *owner* has followed; False when another one follows by now."""
        ...
