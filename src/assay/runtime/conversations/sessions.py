"""A session in the store: read it, move it on, never past somebody else.

In      the RuntimeContext, a session's id, its memory
Out     LoadedSession: row and memory as they stand; the events and rows that move them on
Effects store reads; what is written goes through `Store.commit`
Spec    003-C5 "State Merge"; interfaces.md, "Sessions"; docs/decisions/0006

Each write carries the whole memory as the payload `session` of the last event of its
transaction, and counts the row's version up by one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from assay.core.json.canonical import digest
from assay.errors import InputError, IntegrityError, NotFoundError, UsageError
from assay.flow.state import Memory
from assay.protocols import PutSession, SessionRow, Sessions
from assay.record.event import EventDraft
from assay.runtime.calls.context import RuntimeContext

PAYLOAD: Final = "session"
_BEGINNING: Final = re.compile(r"[0-9a-f]{4,8}(-[0-9a-f-]{0,26})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedSession:
    """A session as this process knows it."""

    row: SessionRow
    memory: Memory

    def advance(
        self,
        context: RuntimeContext,
        kind: str,
        memory: Memory,
        facts: Mapping[str, Any],
        **row: Any,
    ) -> tuple[LoadedSession, EventDraft, PutSession]:
        """The session with *memory* and changed fields of its *row*; event and write to do it."""
        content = memory.to_bytes()
        moved = replace(
            self.row,
            version=self.row.version + 1,
            state_digest=digest(content),
            updated_at=context.clock.now(),
            **row,
        )
        event = EventDraft(
            kind=kind,
            facts={
                "session": moved.id,
                "turn": moved.turn,
                "step": moved.step,
                "version": moved.version,
                "next": moved.stage,
                "state_digest": moved.state_digest,
                **facts,
            },
            payloads={PAYLOAD: content},
            subject=moved.id,
        )
        return LoadedSession(row=moved, memory=memory), event, PutSession(row=moved)


def session_id_of(given: str) -> str:
    """The id in its one spelling.

    Raises:
        NotFoundError: it is the beginning of a UUID, and stands for no session.
        InputError: it is no UUID.
    """
    try:
        return str(UUID(given))
    except ValueError as error:
        if _BEGINNING.fullmatch(given):
            raise NotFoundError(
                f"no session begins with {given!r}",
                hint="assay sessions list; a new session is started by a whole UUID",
            ) from error
        raise InputError("the session's id is no UUID", hint="see assay sessions list") from error


async def load(context: RuntimeContext, session_id: str) -> LoadedSession | None:
    """The session, checked; None when there is none.

    Raises:
        IntegrityError: it was edited; the message names it.
        NotFoundError: it was erased.
    """
    found = await sessions_of(context).session(session_id)
    if found is None:
        return None
    try:
        memory = Memory.from_bytes(found.content)
        if memory.cached_state["session_id"] != session_id:
            raise KeyError
    except (IntegrityError, KeyError) as error:
        raise IntegrityError(
            f"the state of session {session_id} cannot be read", hint="run `assay audit verify`"
        ) from error
    return LoadedSession(row=found.row, memory=memory)


async def create(
    context: RuntimeContext, session_id: str, pack: str, facts: Mapping[str, Any]
) -> LoadedSession:
    """A session that is not yet written; its run is."""
    run = await context.store.start_run("session", {**facts, "session": session_id})
    now = context.clock.now()
    row = SessionRow(
        id=session_id,
        run=run,
        pack=pack,
        status="idle",
        version=0,
        turn=0,
        step=0,
        stage=None,
        state_digest="",
        created_at=now,
        updated_at=now,
    )
    return LoadedSession(row=row, memory=Memory.of_new(session_id))


def sessions_of(context: RuntimeContext) -> Sessions:
    """Raises UsageError when this store keeps no sessions."""
    if context.sessions is None:
        raise UsageError("this store keeps no sessions")
    return context.sessions


def session_document(row: SessionRow) -> dict[str, Any]:
    """A session's row as commands and the service print it."""
    return {
        "id": row.id,
        "pack": row.pack,
        "status": row.status,
        "turn": row.turn,
        "step": row.step,
        "next_stage": row.stage,
        "version": row.version,
        "run": row.run,
        "state_digest": row.state_digest,
        "created_at": row.created_at.isoformat(),
        "updated_at": row.updated_at.isoformat(),
    }


async def show(context: RuntimeContext, session_id: str) -> dict[str, Any]:
    """A session with its cached state and what its current or last turn came to.

    Raises:
        NotFoundError: there is none.
        IntegrityError: it was edited.
    """
    loaded = await load(context, session_id_of(session_id))
    if loaded is None:
        raise NotFoundError(f"there is no session {session_id}", hint="assay sessions list")
    memory = loaded.memory
    return {
        "session": session_document(loaded.row),
        "cached_state": dict(memory.cached_state),
        "summary": [dict(item) for item in memory.summary],
        "turn": {
            "message": memory.message,
            "outcome": memory.outcome,
            "reason": memory.reason,
            "reply": memory.reply,
            "stages": [step.to_dict() for step in memory.trail],
            "findings": [dict(finding) for finding in memory.findings],
        },
    }
