"""A person decides a stage that was refused; what is accepted moves its session on.

In      an open review of a stage's call, the pack, a corrected output
Out     the decision, the merge, what comes next and the events of it, in one transaction
Effects store reads and one commit
Spec    003-C5 "State Merge", 003-O4; 000 "fail-closed review"

An accepted output goes the way that a model's would have gone: it passes the gate of its stage,
is merged, and the turn stands before its next stage, to be taken up by the same message; or the
turn has ended, with its reply. A session that has gone on to another turn meanwhile stays as it
is: the decision is recorded and nothing else. A rejected case never comes here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from assay.contract.outcome import Outcome
from assay.errors import ConflictError, InputError, IntegrityError, NotAllowedError
from assay.flow.graph import Stage, StageGraph
from assay.flow.job import Place, StageJob, stage_job
from assay.flow.state import Memory
from assay.pack.pack import Pack
from assay.protocols import CallRow, ReviewRow, SessionRow
from assay.runtime.calls.context import RuntimeContext, Settled
from assay.runtime.calls.review import Decided, Decision, record_decision
from assay.runtime.conversations.sessions import PAYLOAD, LoadedSession, load
from assay.runtime.conversations.transition import Transition, item_of

TRIES: Final = 3
"""How often a decision is made again when a turn of the same session came in between."""


async def is_stage(context: RuntimeContext, row: CallRow) -> bool:
    """Whether this call is a stage of a conversation: it was made in a session's own run."""
    if context.sessions is None:
        return False
    found = await load(context, row.subject)
    return found is not None and found.row.run == row.run


async def decide_stage(
    context: RuntimeContext, pack: Pack, review: ReviewRow, row: CallRow, decision: Decision
) -> Decided:
    """Take *decision*, an acceptance, on the stage of call *row*.

    Args:
        pack: The pack that the session talks through.

    Raises:
        ConflictError: somebody decided before.
        InputError: what the stage was asked is no longer in the record.
        IntegrityError: the session was edited.
        NotAllowedError: the pack is not the one that the call was made with.
    """
    for _ in range(TRIES):
        if review.status != "open":
            break
        loaded = await load(context, row.subject)
        if loaded is None or decision.output is None:
            raise InputError("only the output of a stage can be accepted", hint="give --output")
        try:
            return await _decided(context, pack, review, row, decision, loaded)
        except ConflictError:  # another decision, or a turn that was stored first
            review = await context.store.review(review.id)
    raise ConflictError(f"review {review.id} was decided already", hint="see assay review show")


async def _decided(
    context: RuntimeContext,
    pack: Pack,
    review: ReviewRow,
    row: CallRow,
    decision: Decision,
    loaded: LoadedSession,
) -> Decided:
    asked = await _asked(context, pack, row, loaded.row)
    weighed = asked.job.weigh_decision(decision.output or b"")
    if weighed.result is None:
        return Decided(review=review, verdict=weighed.verdict, result=None)
    value = weighed.result.value
    if not _waits(loaded, row, asked.before):
        return await record_decision(context, review, row, decision, weighed.verdict, value)
    settled = Settled(
        call=row.id,
        contract=row.contract,
        outcome=Outcome.accepted(),
        result=value,
        attempts=row.attempts,
        weighed=weighed,
    )
    # The row as it stands now, with the turn as it stood before this stage was refused.
    reopened = LoadedSession(
        row=replace(asked.before.row, version=loaded.row.version), memory=asked.before.memory
    )
    transition = Transition(context=context, pack=pack, graph=asked.graph)
    after, event, write = transition.after(reopened, asked.stage, settled)
    decided = await record_decision(
        context, review, row, decision, weighed.verdict, value, events=(event,), writes=(write,)
    )
    return replace(decided, session=after.row)


@dataclass(frozen=True, slots=True, kw_only=True)
class _AskedStage:
    """A stage as it was asked."""

    graph: StageGraph
    stage: Stage
    before: LoadedSession
    """The session as it stood then."""

    job: StageJob


def _waits(loaded: LoadedSession, row: CallRow, before: LoadedSession) -> bool:
    """Whether the turn of this call is the session's last, and ended with it."""
    trail = loaded.memory.trail
    return (
        loaded.row.status == "idle"
        and loaded.row.turn == before.row.turn
        and loaded.memory.outcome == "needs_review"
        and bool(trail)
        and trail[-1].call == row.id
    )


async def _asked(
    context: RuntimeContext, pack: Pack, row: CallRow, session: SessionRow
) -> _AskedStage:
    """What the stage of *row* was asked, from the session's own events."""
    graph = pack.stages
    if graph is None or pack.name != session.pack:
        raise NotAllowedError(
            f"session {session.id} talks through another pack", hint=f"it is of {session.pack!r}"
        )
    async for event in context.store.events(run=row.run):
        stage = graph.stage(str(event.facts.get("next")))
        if stage is None or PAYLOAD not in event.commitments:
            continue
        turn, step = int(event.facts["turn"]), int(event.facts["step"])
        if row.input != f"{session.id}/{turn}/{stage.name}":
            continue
        content = await context.store.payload(event.seq, PAYLOAD)
        if content is None:
            raise InputError("what this stage was asked has been erased", hint="reject the case")
        before = LoadedSession(
            row=replace(session, status="turning", turn=turn, step=step, stage=stage.name),
            memory=Memory.from_bytes(content),
        )
        contract = pack.contract(stage.contract)
        if context.registry is not None:
            contract = await context.registry.as_called(contract, row)
        place = Place(session=session.id, turn=turn, step=step)
        job = stage_job(graph, stage, contract, before.memory, place, context.redactor)
        if item_of(before, stage, job.material).digest != row.input_digest:
            continue  # the same stage at another step of a loop
        if job.digest != row.contract_digest:
            raise NotAllowedError(
                f"contract {contract.reference!r} is not the one this call was made under",
                hint="use the pack version on record",
            )
        return _AskedStage(graph=graph, stage=stage, before=before, job=job)
    raise IntegrityError(
        f"the record does not say what call {row.id} was asked", hint="run `assay audit verify`"
    )
