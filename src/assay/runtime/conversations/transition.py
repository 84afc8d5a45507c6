"""What a settled stage makes of its session. Says what to write, writes nothing.

In      a pack, a session as it stands, a stage, what became of it
Out     the session moved on: to the next stage, or to the end of the turn with its reply
Effects none; the clock is read for the row
Spec    003-C5 "State Merge", 003-E1; interfaces.md, "Sessions"

A model's reply and a person's decision go the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from assay.contract.material import Material
from assay.contract.outcome import Outcome, Reason
from assay.core.json.canonical import digest_json
from assay.flow.graph import Stage, StageGraph, skeleton_of
from assay.flow.state import Memory, Step, next_of
from assay.flow.summary import with_turn
from assay.pack.pack import Pack
from assay.record.event import EventDraft
from assay.runtime.calls.context import Item, RuntimeContext, Settled
from assay.runtime.conversations.sessions import LoadedSession


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """Moves the sessions of one pack on, stage by stage."""

    context: RuntimeContext
    pack: Pack
    graph: StageGraph

    def after(
        self, loaded: LoadedSession, stage: Stage, settled: Settled
    ) -> tuple[LoadedSession, EventDraft, Any]:
        """Where the session stands once *stage* is settled; event and write that bring it there."""
        step = step_of(stage, settled)
        found = () if settled.weighed is None else settled.weighed.findings
        findings = (
            *loaded.memory.findings,
            *({"stage": stage.name, **finding.to_dict()} for finding in found),
        )
        facts: dict[str, Any] = {"stage": stage.name, "outcome": settled.outcome.status}
        if settled.outcome.status != "accepted" or settled.result is None:
            memory = replace(
                loaded.memory,
                trail=(*loaded.memory.trail, step),
                findings=_listed_findings(findings, settled),
            )
            return self._end_turn(loaded, memory, settled.outcome, facts)
        memory = loaded.memory.after(stage, settled.result, step, self.graph.turn_rules.reply_field)
        memory = self._with_skeleton(replace(memory, findings=findings), stage, settled.result)
        following = next_of(stage, settled.result)
        steps = loaded.row.step + 1
        if following == self.graph.end:
            reply = memory.reply if memory.reply is not None else memory.skeleton or ""
            return self._end_turn(
                loaded, replace(memory, reply=reply), Outcome.accepted(), facts, step=steps
            )
        if following is None or steps >= self.graph.turn_rules.max_steps:
            code = "turn.too_long" if following is not None else "turn.no_way"
            memory = replace(memory, findings=(*findings, _no_way(stage, code)))
            outcome = Outcome.review(Reason.GAVE_UP)
            return self._end_turn(loaded, memory, outcome, facts, step=steps)
        return loaded.advance(
            self.context, "stage.merged", memory, facts, step=steps, stage=following
        )

    def _end_turn(
        self,
        loaded: LoadedSession,
        memory: Memory,
        outcome: Outcome,
        facts: dict[str, Any],
        *,
        step: int | None = None,
    ) -> tuple[LoadedSession, EventDraft, Any]:
        if outcome.status != "accepted":
            memory = replace(memory, reply=self.graph.turn_rules.safe_reply)
        memory = replace(memory, outcome=outcome.status, reason=outcome.reason)
        memory = replace(memory, summary=with_turn(memory, loaded.row.turn, self.graph.turn_rules))
        return loaded.advance(
            self.context,
            "turn.ended",
            memory,
            {**facts, "turn_outcome": outcome.status, "reason": outcome.reason},
            status="idle",
            step=loaded.row.step if step is None else step,
            stage=None,
        )

    def _with_skeleton(self, memory: Memory, stage: Stage, output: dict[str, Any]) -> Memory:
        """The reply that *output* sketches, filled from its table, where *stage* is to give one."""
        if stage.name != self.graph.turn_rules.skeleton:
            return memory
        rule = skeleton_of(self.pack.contract(stage.contract))
        filled = None if rule is None else rule.fill(output)
        return replace(memory, skeleton=filled or self.graph.turn_rules.safe_reply)


def item_of(loaded: LoadedSession, stage: Stage, material: Material) -> Item:
    """What the stage is about: one step of one turn, never the same as another."""
    place = {"session": loaded.row.id, "turn": loaded.row.turn, "step": loaded.row.step}
    said = {**place, "stage": stage.name, "message": loaded.memory.message_sha256}
    return Item(
        name=f"{loaded.row.id}/{loaded.row.turn}/{stage.name}",
        digest=digest_json(said),
        subject=loaded.row.id,
        material=material,
    )


def step_of(stage: Stage, settled: Settled) -> Step:
    return Step(
        stage=stage.name,
        outcome=settled.outcome.status,
        attempts=settled.attempts,
        call=settled.call,
    )


def _listed_findings(findings: tuple[Any, ...], settled: Settled) -> tuple[Any, ...]:
    """The findings, and the reason where nothing was weighed."""
    if settled.weighed is not None:
        return findings
    reason = settled.outcome.reason or ""
    message = "the stage ended without a reply to weigh"
    return (*findings, {"code": reason, "severity": "reject", "message": message})


def _no_way(stage: Stage, code: str) -> dict[str, Any]:
    message = {
        "turn.too_long": "the turn went through more stages than its pack allows",
        "turn.no_way": "the output names a next step that leads nowhere",
    }[code]
    return {"stage": stage.name, "code": code, "severity": "reject", "message": message}
