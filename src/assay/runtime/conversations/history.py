"""What became of a session, step by step: each event that moved it on, with the state after it.

In      the RuntimeContext, a session's row
Out     Moments, in the order of the record
Effects store reads
Spec    009-V4; 003-C5 "State Merge"
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from assay.flow.state import Memory
from assay.protocols import SessionRow
from assay.record.event import StoredEvent
from assay.runtime.calls.context import RuntimeContext
from assay.runtime.conversations.sessions import PAYLOAD

MOST_MOMENTS: Final = 400
"""So many of the latest are read: every one holds the whole state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One event that moved a session on."""

    seq: int
    kind: str
    """`turn.opened`, `stage.merged`, `turn.ended`, `turn.conflicted` …"""

    at: str
    turn: int | None
    stage: str | None
    outcome: str | None
    reason: str | None
    call: str | None
    """The call of the stage that settled here."""

    memory: Memory | None
    """None where it was erased, or where nothing was moved."""

    def to_dict(self) -> dict[str, Any]:
        """Without what was said."""
        names = ("seq", "kind", "at", "turn", "stage", "outcome", "reason", "call")
        return {name: getattr(self, name) for name in names}


async def read_history(context: RuntimeContext, row: SessionRow) -> Sequence[Moment]:
    """The latest moments of a session, the oldest first.

    Raises:
        IntegrityError: one of them was edited.
    """
    found = [
        event
        async for event in context.store.events(run=row.run)
        if event.facts.get("session") == row.id
        and (PAYLOAD in event.commitments or event.kind == "turn.conflicted")
    ]
    return await gather(*(_read_moment(context, event) for event in found[-MOST_MOMENTS:]))


async def _read_moment(context: RuntimeContext, event: StoredEvent) -> Moment:
    memory = None
    if PAYLOAD in event.commitments:
        content = await context.store.payload(event.seq, PAYLOAD)
        memory = None if content is None else Memory.from_bytes(content)
    facts = event.facts
    stage = facts.get("stage")
    step = memory.trail[-1] if memory is not None and stage and memory.trail else None
    return Moment(
        seq=event.seq,
        kind=event.kind,
        at=event.at,
        turn=facts.get("turn"),
        stage=stage,
        outcome=facts.get("turn_outcome") or facts.get("outcome"),
        reason=facts.get("reason"),
        call=None if step is None or step.stage != stage else step.call,
        memory=memory,
    )
