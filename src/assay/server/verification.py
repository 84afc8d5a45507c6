"""Verify the record for whoever looks at a page: once at a time, and the last result is kept.

In      the service; perhaps a head that somebody remembered
Out     Verification: who asked, when, what was found
Effects reads of the whole record, as a task that outlives the request
Spec    009-V2

What was found is kept in the process alone: a verdict in the store would vouch for itself.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from assay.errors import AssayError
from assay.protocols import Clock, Proofs, Store
from assay.runtime.audit.checkpoints import Anchor, AuditKeys, verify_record


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """One look at the whole record."""

    person: str
    begun_at: datetime
    ended_at: datetime | None = None
    """None while it is under way."""

    found: dict[str, Any] | None = None
    """The document of `assay audit verify --json`."""

    error: AssayError | None = None
    """Why there is no verdict."""


@dataclass(slots=True)
class Verifications:
    """What was asked last, and what was found last."""

    last: Verification | None = None
    under_way: Verification | None = None
    _task: asyncio.Task[None] | None = field(default=None, repr=False)

    async def begin(
        self,
        store: Store,
        proofs: Proofs,
        keys: AuditKeys,
        *,
        clock: Clock,
        person: str,
        anchor: Anchor | None,
        wait_s: float,
    ) -> None:
        """Look at all of it, unless somebody does; returns when it is done, or after a while."""
        if self._task is None:
            self.under_way = Verification(person=person, begun_at=clock.now())
            work = self._look(store, proofs, keys, clock, self.under_way, anchor)
            self._task = asyncio.create_task(work)
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._task), wait_s)

    async def _look(
        self,
        store: Store,
        proofs: Proofs,
        keys: AuditKeys,
        clock: Clock,
        begun: Verification,
        anchor: Anchor | None,
    ) -> None:
        found, fault = None, None
        try:
            found = (await verify_record(store, proofs, keys, anchor=anchor)).to_dict()
        except AssayError as error:
            fault = error
        finally:
            self.under_way, self._task = None, None
        self.last = Verification(
            person=begun.person,
            begun_at=begun.begun_at,
            ended_at=clock.now(),
            found=found,
            error=fault,
        )
