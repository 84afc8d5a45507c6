"""Where conversations stand between their stages.

In      values of the pure core
Out     Sessions and their rows
Pure    declarations only
Spec    003 "State merge"
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """Where a conversation stands; what was said in it is a payload of its newest event."""

    id: str
    """A UUID, in lower case."""

    run: int
    """All events of a session belong to one run."""

    pack: str
    status: Literal["idle", "turning"]
    """`turning` while a turn is not ended: running, or cut off and to be taken up again."""

    version: int
    """From 1; every write counts it up and names the one before."""

    turn: int
    """Number of the last turn, from 1."""

    step: int
    """How many stages of this turn are stored."""

    stage: str | None
    """What comes next in an unfinished turn."""

    state_digest: str
    """Over the content."""

    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSession:
    """A session as it was read, checked."""

    row: SessionRow
    content: bytes
    """What `assay.flow.state` wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PutSession:
    """Insert the session (version 1), or move it on from the version before; else conflict.

    The last event of the transaction must carry the content as its payload `session`.
    """

    row: SessionRow


class Sessions(Protocol):
    """The reading side of conversations; what changes them goes through `Store.commit`."""

    async def session(self, session_id: str) -> StoredSession | None:
        """None when there is none. Raises IntegrityError when it was edited."""
        ...

    async def sessions(self, limit: int = 100) -> Sequence[SessionRow]:
        """The latest first."""
        ...
