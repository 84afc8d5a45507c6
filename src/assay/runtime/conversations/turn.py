"""One turn of a staged conversation, from a message to a reply.

In      Pack with stages, a session, a message
Out     Turn: reply, stages, findings, cached state; everything recorded on the way
Effects store commits (one durable one for each stage's outcome), model exchanges
Spec    003; interfaces.md, "Sessions", `assay chat --json`

Obligations:
 1. A stage's outcome, its merge, what comes next and the events of it are one transaction.
 2. What is stored is not asked again: a turn that was cut off goes on at the stage that is due.
 3. A write names the version it stands on; who comes second is told so and changes nothing.
 4. A stage that is refused to the end changes no state; the user gets a fixed reply.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from assay.contract.model_names import shown_model
from assay.contract.outcome import Outcome, Reason
from assay.core.json.canonical import digest
from assay.core.text.folding import REMOVED
from assay.core.text.tokens import prefix_within
from assay.errors import (
    CannotConverseError,
    ConflictError,
    InputError,
    IntegrityError,
    PromptTemplateError,
)
from assay.flow.graph import Stage, StageGraph
from assay.flow.job import Place, stage_job
from assay.flow.state import Step
from assay.pack.pack import Pack
from assay.protocols import Changes, Model, Write, can_converse
from assay.record.event import EventDraft
from assay.runtime.calls.budget import RunBudget
from assay.runtime.calls.call import settle
from assay.runtime.calls.context import RuntimeContext, Settled
from assay.runtime.calls.spending import require_price
from assay.runtime.conversations.sessions import LoadedSession, create, load, session_id_of
from assay.runtime.conversations.transition import Transition, item_of, step_of
from assay.runtime.templates.registry import resolve_contract, tell_refused

MAX_MESSAGE_CHARS: Final = 4 << 20
MAX_DIRECTIVE_CHARS: Final = 8_000
_LOOKED_AT_CHARS: Final = 200_000
"""A longer message is cut to this before its tokens are counted."""

_UNSEEN: Final = dict.fromkeys(map(ord, REMOVED))
"""A message of white space and invisible signs says nothing."""

Watch = Callable[[str, Step | None], None]
"""Told the name of each stage when it begins, and again with what became of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What became of one message; `to_dict` is what `assay chat --json` prints."""

    session_id: str
    turn: int
    outcome: Outcome
    reply: str
    stages: tuple[Step, ...]
    findings: tuple[dict[str, Any], ...]
    cached_state: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return {
            "session_id": self.session_id,
            "turn": self.turn,
            "outcome": self.outcome.status,
            "reason": self.outcome.reason,
            "reply": self.reply,
            "stages": [step.to_dict() for step in self.stages],
            "findings": [dict(finding) for finding in self.findings],
            "cached_state": self.cached_state,
        }


async def converse(
    context: RuntimeContext,
    pack: Pack,
    message: str,
    *,
    session: str | None = None,
    directive: str = "",
    budget: RunBudget | None = None,
    patience_s: float = 150.0,
    watch: Watch | None = None,
) -> Turn:
    """Take one message through the stages of *pack*.

    A turn that was cut off is taken up by the same message. Another message ends it first, once
    it has stood still for *patience_s*; before that it is a conflict, as the turn may be running.

    Args:
        session: A UUID; continues that session, or starts it. None starts a new one.
        directive: An instruction from outside, for stages that take one.

    Raises:
        InputError: the message is empty or too long; the id is no UUID or of another pack's
            session; the pack has no stages.
        CannotConverseError: the model can hold no conversation.
        UsageError: the budget has a limit of money, and what the model costs is not known.
        IntegrityError: the session's stored state was edited.
        ModelUnavailableError: the model could not be reached; the turn stays to be taken up.
    """
    graph = _graph(pack)
    require_conversing(context.model)
    check_texts(message, directive)
    budget = budget or RunBudget()
    require_price(context, budget)
    session_id = session_id_of(context.new_id() if session is None else session)
    loaded = await load(context, session_id)
    if loaded is not None and loaded.row.pack != pack.name:
        raise InputError(
            f"session {session_id} belongs to another pack", hint=f"it is of {loaded.row.pack!r}"
        )
    run = _TurnRun(context, pack, graph, budget, watch or _ignore_progress)
    if loaded is not None and loaded.row.status == "turning":
        if loaded.memory.message_sha256 == digest(message):
            return await run.go_on(loaded)
        quiet = context.clock.now() - loaded.row.updated_at
        if quiet < timedelta(seconds=patience_s):
            return await run.conflict(loaded)
        ended = await run.go_on(loaded)
        if ended.outcome.reason == Reason.SESSION_CONFLICT:
            return ended
        loaded = await load(context, session_id)
    if loaded is None:
        facts = {"pack": pack.name, "pack_version": pack.version, "pack_digest": pack.digest}
        loaded = await create(context, session_id, pack.name, facts)
    return await run.begin(loaded, message, directive)


def require_conversing(model: Model) -> None:
    """Refuse a model that has nothing of its own to say, before anything is asked of it.

    Raises:
        CannotConverseError: it is one.

    Spec: 008-E2.
    """
    if not can_converse(model):
        raise CannotConverseError(
            f"{shown_model(model.name)} cannot hold a conversation",
            hint="take a language model: openai:NAME, anthropic:NAME, embedded:FILE.gguf; "
            "`assay models` lists what can be asked here",
        )


def _graph(pack: Pack) -> StageGraph:
    if pack.stages is None:
        raise InputError(f"pack {pack.name!r} has no stages: it holds no conversation")
    return pack.stages


def check_texts(message: str, directive: str = "") -> None:
    """Raises InputError for a message, or a directive, that no turn can be made of."""
    for what, text, most in (
        ("message", message, MAX_MESSAGE_CHARS),
        ("directive", directive, MAX_DIRECTIVE_CHARS),
    ):
        if len(text) > most:
            raise InputError(f"the {what} has more than {most} characters")
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise InputError(f"the {what} holds half a surrogate pair") from error
    if not message.translate(_UNSEEN).strip():
        raise InputError("the message is empty", hint="say something")


def _ignore_progress(stage: str, step: Step | None) -> None:
    """A watcher that ignores what it is told."""


class _TurnRun:
    """A turn on its way through the graph."""

    def __init__(
        self,
        context: RuntimeContext,
        pack: Pack,
        graph: StageGraph,
        budget: RunBudget,
        watch: Watch,
    ) -> None:
        self._context = context
        self._pack = pack
        self._graph = graph
        self._budget = budget
        self._watch = watch
        self._transition = Transition(context=context, pack=pack, graph=graph)

    async def begin(self, loaded: LoadedSession, message: str, directive: str) -> Turn:
        turn_rules = self._graph.turn_rules
        looked_at = message[:_LOOKED_AT_CHARS]
        used = looked_at[: prefix_within(looked_at, turn_rules.max_message_tokens)]
        findings: tuple[dict[str, Any], ...] = ()
        if len(used) < len(message):
            findings = (_cut_message(len(message), len(used)),)
        memory = loaded.memory.open_turn(
            message=used, whole=message, directive=directive, findings=findings
        )
        facts = {
            "message_chars": len(message),
            "used_chars": len(used),
            "directed": bool(directive),
        }
        opened, event, write = loaded.advance(
            self._context,
            "turn.opened",
            memory,
            facts,
            status="turning",
            turn=loaded.row.turn + 1,
            step=0,
            stage=self._graph.start,
        )
        try:
            await self._context.store.commit(
                Changes(run=loaded.row.run, events=(event,), writes=(write,))
            )
        except ConflictError:
            return await self.conflict(loaded)
        return await self.go_on(opened, fresh=True)

    async def go_on(self, loaded: LoadedSession, *, fresh: bool = False) -> Turn:
        """From the stage that is due to the end of the turn.

        Args:
            fresh: The stage became due just now, by our own write: it cannot have been begun.
        """
        while loaded.row.status == "turning":
            stage = self._graph.stage(loaded.row.stage or "")
            if stage is None:
                raise IntegrityError(
                    f"session {loaded.row.id} stands before a stage that its pack does not have",
                    hint="go on with the version of the pack that it was begun with",
                )
            try:
                loaded = await self._stage(loaded, stage, fresh=fresh)
            except ConflictError:
                return await self.conflict(loaded)
            fresh = True
        return _turn(loaded)

    async def conflict(self, loaded: LoadedSession) -> Turn:
        """Somebody else's turn is under way; this one changes nothing but the record."""
        outcome = Outcome.review(Reason.SESSION_CONFLICT)
        message = "another turn of this session is under way or was stored first"
        finding = {"code": str(Reason.SESSION_CONFLICT), "severity": "reject", "message": message}
        event = EventDraft(
            kind="turn.conflicted", facts={"session": loaded.row.id, **outcome.to_dict()}
        )
        await self._context.store.commit(Changes(run=loaded.row.run, events=(event,)))
        return Turn(
            session_id=loaded.row.id,
            turn=loaded.row.turn,
            outcome=outcome,
            reply=self._graph.turn_rules.conflict_reply,
            stages=(),
            findings=(finding,),
            cached_state=dict(loaded.memory.cached_state),
        )

    async def _stage(self, loaded: LoadedSession, stage: Stage, *, fresh: bool) -> LoadedSession:
        context, row = self._context, loaded.row
        contract = await resolve_contract(
            context.registry,
            self._pack,
            self._pack.contract(stage.contract),
            run=row.run,
            assignment=f"session {row.id}",
        )
        place = Place(session=row.id, turn=row.turn, step=row.step)
        job = stage_job(self._graph, stage, contract, loaded.memory, place, context.redactor)
        item = item_of(loaded, stage, job.material)
        moved: list[LoadedSession] = []

        def writes(settled: Settled) -> tuple[tuple[EventDraft, ...], tuple[Write, ...]]:
            after, event, write = self._transition.after(loaded, stage, settled)
            moved.append(after)
            return (event,), (write,)

        self._watch(stage.name, None)
        try:
            settled = await settle(
                context,
                job,
                item,
                run=row.run,
                budget=self._budget,
                again=fresh,
                writes=writes,
                durable_prompts=False,
            )
        except PromptTemplateError as error:
            await tell_refused(context.store, contract, error, run=row.run)
            raise
        if settled.reused:  # also when somebody was faster: what we would have written is void
            moved.clear()
        if not moved:  # settled before, and the session was not moved on with it
            events, more = writes(settled)
            await context.store.commit(Changes(run=row.run, events=events, writes=more))
        after = moved[-1]
        self._watch(stage.name, step_of(stage, settled))
        return after


def _cut_message(whole: int, used: int) -> dict[str, Any]:
    return {
        "code": "input.cut",
        "severity": "note",
        "path": "",
        "message": f"the message has {whole} characters; the first {used} were used",
    }


def _turn(loaded: LoadedSession) -> Turn:
    memory = loaded.memory
    outcome = Outcome(status=memory.outcome or "needs_review", reason=memory.reason)  # type: ignore[arg-type]
    return Turn(
        session_id=loaded.row.id,
        turn=loaded.row.turn,
        outcome=outcome,
        reply=memory.reply or "",
        stages=memory.trail,
        findings=tuple(dict(finding) for finding in memory.findings),
        cached_state=dict(memory.cached_state),
    )
