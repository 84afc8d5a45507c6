"""Many recorded calls against a candidate: which outcomes would turn.

In      recorded calls of a contract, a candidate contract or template version
Out     Backtested: counts, turns with examples; nothing is asked unless a rerun is wanted
Effects store reads, a thread for what is judged; a rerun settles new calls like any other
Spec    002-N2, 002-N3; interfaces.md, "Command line" (`assay backtest`)

A candidate contract judges the replies on record. A candidate template renders the prompts of
the calls again and, because the replies on record answer the old prompt, turns a call only where
it can no longer be rendered or where its blueprint refuses the reply; a rerun asks the model.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.contract.job import Job, Stop
from assay.contract.kept import KeptCall
from assay.contract.material import Material
from assay.contract.outcome import Outcome, Reason
from assay.errors import NotFoundError, PromptTemplateError
from assay.pack.pack import Pack
from assay.protocols import CallFilter, CallRow, Store
from assay.runtime.calls.budget import RunBudget
from assay.runtime.calls.call import settle
from assay.runtime.calls.context import Item, RuntimeContext
from assay.runtime.kinds import kind_of
from assay.runtime.replay.kept import kept_call
from assay.templates.template import TemplateVersion

EXAMPLES = 20
"""Turned calls that are told one by one."""

MOST_CALLS = 1_000_000
RUN_KIND = "backtest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One call that would end otherwise."""

    call: str
    was: str
    now: str
    reason: str | None
    codes: tuple[str, ...]
    """Finding codes of the last reply, as it is judged by the candidate."""

    asks_again: bool = False
    """The candidate's ladder has another attempt, of which no reply is on record."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "call": self.call,
            "from": self.was,
            "to": self.now,
            "reason": self.reason,
            "codes": list(self.codes),
            "asks_again": self.asks_again,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Backtested:
    """What a candidate would change."""

    contract: str
    candidate: str
    """Digest of the candidate contract, or of the candidate template with all its fields."""

    calls: int
    """Settled calls that the filter names."""

    skipped: Mapping[str, int]
    """How many could not be tested, by reason."""

    turns: tuple[Turn, ...]
    prompts: Mapping[str, int]
    """Prompts that would be `identical` or would `differ`."""

    reran: bool

    @property
    def would_turn(self) -> int:
        """Accepted calls that would be accepted no longer."""
        return sum(turn.was == "accepted" for turn in self.turns)

    def to_dict(self) -> dict[str, Any]:
        """The document of `assay backtest --json`."""
        changes = Counter(f"{turn.was} -> {turn.now}" for turn in self.turns)
        return {
            "contract": self.contract,
            "candidate": self.candidate,
            "calls": self.calls,
            "tested": self.calls - sum(self.skipped.values()),
            "skipped": dict(self.skipped),
            "changes": dict(sorted(changes.items())),
            "would_turn": self.would_turn,
            "prompts": dict(self.prompts),
            "reran": self.reran,
            "examples": [turn.to_dict() for turn in self.turns[:EXAMPLES]],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What recorded calls are put to."""

    pack: Pack
    """Brings the contract; its name is the one that the calls were made under."""

    contract: str
    """Name of the contract in the pack; `answer` for a pack of answers."""

    template: TemplateVersion | None = None
    """Renders instead of the recorded version."""

    @property
    def reference(self) -> str:
        """`PACK/NAME`, under which the calls are on record."""
        return f"{self.pack.name}/{self.contract}"

    @property
    def digest(self) -> str:
        """Over all that the candidate decides."""
        if self.template is not None:
            return self.template.fields_sha256
        if self.pack.contracts:
            return self.pack.contract(self.contract).digest
        return self.pack.answer_policy().digest

    def find_pack(self, name: str) -> Pack:  # noqa: ARG002 - a job says when it is another's
        """The candidate's pack, whatever pack is asked for."""
        return self.pack


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReplayedEnd:
    outcome: str
    reason: str | None
    codes: tuple[str, ...]
    asks_again: bool = False


async def backtest(
    context: RuntimeContext,
    candidate: Candidate,
    which: CallFilter | None = None,
    *,
    rerun: bool = False,
    budget: RunBudget | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Backtested:
    """Put every settled call of the candidate's contract to the candidate.

    Args:
        which: Narrows the calls by time, outcome, model or run.
        rerun: Ask the model with the candidate's prompts instead of judging stored replies.
        budget: Of the rerun.
        progress: Told before each call how many were put to it, of how many.

    Raises:
        NotFoundError: the pack has no such contract.
        ModelUnavailableError: the model of a rerun cannot be reached.
    """
    if candidate.pack.contracts:
        candidate.pack.contract(candidate.contract)
    else:
        candidate.pack.require_answers()
    run = 0
    if rerun:
        facts = {"contract": candidate.reference, "candidate": candidate.digest}
        run = await context.store.start_run(RUN_KIND, facts)
    spent = budget or RunBudget()
    skipped: Counter[str] = Counter()
    prompts: Counter[str] = Counter()
    turns: list[Turn] = []
    calls = 0
    rows = await _rows(context.store, candidate.reference, which)
    for row in rows:
        if progress is not None:
            progress(calls, len(rows))
        calls += 1
        kept, ended = await _test_call(
            context, candidate, row, prompts, run=run, rerun=rerun, budget=spent
        )
        # What the gate said then: a person's correction since is not the model's doing.
        was = str((kept.settled or {}).get("outcome", row.outcome))
        if isinstance(ended, str):
            skipped[ended] += 1
        elif ended.outcome != was:
            turns.append(
                Turn(
                    call=row.id,
                    was=was,
                    now=ended.outcome,
                    reason=ended.reason,
                    codes=ended.codes,
                    asks_again=ended.asks_again,
                )
            )
    return Backtested(
        contract=candidate.reference,
        candidate=candidate.digest,
        calls=calls,
        skipped=dict(sorted(skipped.items())),
        turns=tuple(turns),
        prompts=dict(sorted(prompts.items())),
        reran=rerun,
    )


async def _test_call(
    context: RuntimeContext,
    candidate: Candidate,
    row: CallRow,
    prompts: Counter[str],
    *,
    run: int,
    rerun: bool,
    budget: RunBudget,
) -> tuple[KeptCall, _ReplayedEnd | str]:
    """One call as kept, and how it would end under the candidate or why that cannot be told."""
    find_template = None if context.registry is None else context.registry.stored_version
    kept = await kept_call(context.store, row.id, find_template)
    if not rerun:
        # It takes milliseconds a call: whoever else runs on this loop need not wait for it.
        return kept, await asyncio.to_thread(_judge_again, context, kept, candidate, prompts)
    job = _restore(context, kept, candidate)
    if job is None:
        return kept, "not in the candidate"
    if kept.material is None:
        return kept, "values not kept"
    try:
        ended = await _rerun(context, row, kept.material, job, run=run, budget=budget)
        _compare_prompts(kept, job, prompts)
    except PromptTemplateError as error:
        return kept, _not_rendered(error)
    return kept, ended


def _judge_again(
    context: RuntimeContext, kept: KeptCall, candidate: Candidate, prompts: Counter[str]
) -> _ReplayedEnd | str:
    """How the replies on record would end; or why that cannot be told."""
    job = _restore(context, kept, candidate)
    if job is None:
        return "not in the candidate"
    try:
        ended = _end(kept, candidate, job)
        _compare_prompts(kept, job, prompts)
    except PromptTemplateError as error:
        return _not_rendered(error)
    return ended


def _restore(context: RuntimeContext, kept: KeptCall, candidate: Candidate) -> Job | None:
    """The call as the candidate would make it; None for a stage that it has no more."""
    try:
        return kind_of(kept).job.restore(
            kept,
            candidate.find_pack,
            context.redactor,
            template=candidate.template,
            candidate=True,
        )
    except NotFoundError:
        return None


def _not_rendered(error: PromptTemplateError) -> _ReplayedEnd:
    return _ReplayedEnd(outcome="needs_review", reason=error.code, codes=())


async def backtest_would_turn(
    context: RuntimeContext, pack: Pack, candidate: TemplateVersion
) -> int:
    """How many accepted calls on record would be accepted no longer with *candidate*.

    Asked by `assay templates promote --require-backtest`, for every contract of *pack* whose
    template has the candidate's name and role.
    """
    turned = 0
    for contract in pack.contracts.values():
        own = contract.template
        if own is None or (own.role, own.name) != (candidate.role, candidate.name):
            continue
        tested = await backtest(
            context,
            Candidate(pack=pack, contract=contract.name, template=candidate),
            CallFilter(outcome="accepted"),
        )
        turned += tested.would_turn
    return turned


async def _rows(store: Store, reference: str, which: CallFilter | None) -> Sequence[CallRow]:
    wanted = replace(which or CallFilter(), contract=reference, status="settled")
    return await store.calls(wanted, MOST_CALLS)


def _end(kept: KeptCall, candidate: Candidate, job: Job) -> _ReplayedEnd | str:
    """How the call would end; or why that cannot be told."""
    if not kept.attempts:
        return "never sent"
    if not job.complete and candidate.template is not None:
        return "values not kept"
    last: tuple[str, ...] = ()
    for attempt in kept.attempts[: job.attempts]:
        if attempt.raw is None:
            return "values not kept" if attempt.answered is not None else "not answered"
        built = job.build(attempt.number, attempt.findings or ()) if job.complete else None
        if isinstance(built, Stop):
            return _ReplayedEnd(
                outcome=built.outcome.status, reason=_text_of(built.outcome.reason), codes=last
            )
        judged = job.rejudge(attempt, built, kept.shown_at(attempt))
        if judged.verdict == "unavailable" and not judged.findings:
            return "values not kept"
        last = tuple(sorted({finding.code for finding in judged.findings}))
        if not any(finding.severity != "note" for finding in judged.findings):
            accepted = judged.outcome or Outcome.accepted()
            return _ReplayedEnd(outcome=accepted.status, reason=None, codes=last)
    return _ReplayedEnd(
        outcome="needs_review",
        reason=_text_of(Reason.GATE_REJECTED),
        codes=last,
        asks_again=len(kept.attempts) < job.attempts,
    )


async def _rerun(
    context: RuntimeContext,
    row: CallRow,
    material: Material,
    job: Job,
    *,
    run: int,
    budget: RunBudget,
) -> _ReplayedEnd:
    item = Item(name=row.input, digest=row.input_digest, subject=row.subject, material=material)
    settled = await settle(context, job, item, run=run, budget=budget)
    findings = () if settled.weighed is None else settled.weighed.findings
    return _ReplayedEnd(
        outcome=settled.outcome.status,
        reason=_text_of(settled.outcome.reason),
        codes=tuple(sorted({finding.code for finding in findings})),
    )


def _compare_prompts(kept: KeptCall, job: Job, prompts: Counter[str]) -> None:
    if not job.complete or not kept.attempts:
        return
    built = job.build(1, ())
    same = not isinstance(built, Stop) and (
        built.prompt.sha256 == kept.attempts[0].built["prompt_sha256"]
    )
    prompts["identical" if same else "differ"] += 1


def _text_of(reason: str | None) -> str | None:
    return None if reason is None else str(reason)
