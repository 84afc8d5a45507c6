"""What a person's acceptance of a stage makes of its session.

In      a stage's call as kept, the pack, an output that passed the stage's gate
Out     the material of the stage from its session's events; the events and rows that move it on
Effects store reads
Spec    003 "State merge"; 003-C4; interfaces.md, "Sessions"

An accepted output goes the way that a model's would have gone: it is merged, and the turn stands
before its next stage, to be taken up by the same message; or the turn has ended, with its reply.
A session that has gone on to another turn meanwhile stays as it is: the decision is recorded and
nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from assay.contract.contract_job import contract_of
from assay.contract.job import Weighed
from assay.contract.kept import KeptCall
from assay.contract.material import Material
from assay.contract.outcome import Outcome
from assay.errors import InputError, IntegrityError, NotAllowedError
from assay.flow.graph import Stage, StageGraph
from assay.flow.job import Place, stage_job
from assay.flow.state import Memory
from assay.pack.pack import Pack
from assay.protocols import SessionRow
from assay.runtime.calls.context import Consequences, RuntimeContext, Settled
from assay.runtime.conversations.sessions import PAYLOAD, LoadedSession, load
from assay.runtime.conversations.transition import Transition, item_of


@dataclass(frozen=True, slots=True, kw_only=True)
class _AskedStage:
    """A stage as it was asked."""

    graph: StageGraph
    stage: Stage
    before: LoadedSession
    """The session as it stood then."""

    material: Material


async def stage_material(
    context: RuntimeContext, kept: KeptCall, find_pack: Callable[[str], Pack]
) -> Material | None:
    """What the stage was about, from the events of its session; None when it had none.

    Raises:
        InputError: what the stage was asked has been erased.
        IntegrityError: the session was edited, or its events do not say what was asked.
        NotAllowedError: the session talks through another pack.
    """
    loaded = await _session_of(context, kept)
    if loaded is None:
        return None
    return (await _asked_stage(context, kept, find_pack, loaded)).material


async def move_session(
    context: RuntimeContext, kept: KeptCall, find_pack: Callable[[str], Pack], weighed: Weighed
) -> Consequences:
    """The events and rows that move the session on; none where it has gone on by itself."""
    loaded = await _session_of(context, kept)
    if loaded is None or weighed.result is None:
        return Consequences()
    asked = await _asked_stage(context, kept, find_pack, loaded)
    if not _is_waiting(loaded, kept.id, asked.before):
        return Consequences()
    settled = Settled(
        call=kept.id,
        contract=kept.reference,
        outcome=Outcome.accepted(),
        result=weighed.result.value,
        attempts=len(kept.attempts),
        weighed=weighed,
    )
    # The row as it stands now, with the turn as it stood before this stage was refused.
    reopened = LoadedSession(
        row=replace(asked.before.row, version=loaded.row.version), memory=asked.before.memory
    )
    transition = Transition(context=context, pack=find_pack(kept.pack), graph=asked.graph)
    after, event, write = transition.after(reopened, asked.stage, settled)
    return Consequences(events=(event,), writes=(write,), session=after.row)


async def find_session(context: RuntimeContext, kept: KeptCall) -> SessionRow | None:
    """Where the session that the call was made in stands now; None outside of one."""
    loaded = await _session_of(context, kept)
    return None if loaded is None else loaded.row


async def _session_of(context: RuntimeContext, kept: KeptCall) -> LoadedSession | None:
    """The session that the call was made in; None for one made anew outside of it."""
    if context.sessions is None:
        return None
    loaded = await load(context, Place.parse(kept.input, 0)[0].session)
    return loaded if loaded is not None and loaded.row.run == kept.run else None


def _is_waiting(loaded: LoadedSession, call: str, before: LoadedSession) -> bool:
    """Whether the turn of this call is the session's last, and ended with it."""
    trail = loaded.memory.trail
    return (
        loaded.row.status == "idle"
        and loaded.row.turn == before.row.turn
        and loaded.memory.outcome == "needs_review"
        and bool(trail)
        and trail[-1].call == call
    )


async def _asked_stage(
    context: RuntimeContext,
    kept: KeptCall,
    find_pack: Callable[[str], Pack],
    loaded: LoadedSession,
) -> _AskedStage:
    """What the stage was asked, from the session's own events."""
    session = loaded.row
    pack = find_pack(kept.pack)
    graph = pack.stages
    if graph is None or pack.name != session.pack:
        raise NotAllowedError(
            f"session {session.id} talks through another pack", hint=f"it is of {session.pack!r}"
        )
    async for event in context.store.events(run=kept.run):
        stage = graph.stage(str(event.facts.get("next")))
        if stage is None or PAYLOAD not in event.commitments:
            continue
        place = Place(
            session=session.id, turn=int(event.facts["turn"]), step=int(event.facts["step"])
        )
        if kept.input != place.input_name(stage.name):
            continue
        content = await context.store.payload(event.seq, PAYLOAD)
        if content is None:
            raise InputError("what this stage was asked has been erased", hint="reject the case")
        before = LoadedSession(
            row=replace(
                session, status="turning", turn=place.turn, step=place.step, stage=stage.name
            ),
            memory=Memory.from_bytes(content),
        )
        contract = contract_of(kept, pack)
        job = stage_job(graph, stage, contract, before.memory, place, context.redactor)
        if item_of(before, stage, job.material).digest != kept.input_digest:
            continue  # the same stage at another step of a loop
        return _AskedStage(graph=graph, stage=stage, before=before, material=job.material)
    raise IntegrityError(
        f"the record does not say what call {kept.id} was asked", hint="run `assay audit verify`"
    )
