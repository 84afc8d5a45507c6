"""A stage of a conversation as one declared model call.

In      Stage, its contract, the memory of the session
Out     StageJob: prompts, and weighed replies
Pure    yes
Spec    003-I1 to 003-I6, 003-C2, 003-C4; docs/decisions/0001
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

from assay.contract.catalogue import LABELS
from assay.contract.contract import Contract
from assay.contract.contract_job import ContractJob, contract_of, correction_lines
from assay.contract.decoding.plan import DecodingPlan
from assay.contract.job import FindPack, Stop, Weighed
from assay.contract.kept import CallKind, KeptCall
from assay.contract.material import Built, Material
from assay.contract.outcome import Outcome, Reason
from assay.core.json.canonical import digest_json
from assay.core.text.spans import Shown
from assay.errors import NotFoundError
from assay.flow.decoding import narrow_plan
from assay.flow.graph import CACHED_STATE, DIRECTIVE, SUMMARY, USER_PROMPT, Stage, StageGraph
from assay.flow.slots import Filled, fill_labels, fill_slot
from assay.flow.state import Memory, state_text
from assay.flow.summary import summary_slot
from assay.gate import gate
from assay.gate.gate import Check, GateContext
from assay.gate.labels import LabelSet
from assay.gate.verdict import Finding, Verdict
from assay.redaction.redactor import Redactor
from assay.templates.template import TemplateVersion

INPUT: Final = "input."


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where in which session a stage is asked."""

    session: str
    turn: int
    step: int
    """How many stages of the turn were settled before."""

    def input_name(self, stage: str) -> str:
        """What the call of *stage* names as its input: `SESSION/TURN/STAGE`."""
        return f"{self.session}/{self.turn}/{stage}"

    @classmethod
    def parse(cls, input_name: str, step: int) -> tuple[Self, str]:
        """The place and the stage that `input_name` wrote."""
        session, turn, stage = input_name.split("/", 2)
        return cls(session=session, turn=int(turn), step=step), stage


@dataclass(frozen=True, slots=True, kw_only=True)
class StageJob(ContractJob):
    """One stage, ready to be asked: its contract, with what the graph adds to it.

    Made by `stage_job`.
    """

    kind: ClassVar[CallKind] = "stage"

    stage: Stage
    place: Place
    slots: tuple[Filled, ...]
    lead: str
    """Stands above the findings in a correction prompt."""

    @classmethod
    def restore(
        cls,
        kept: KeptCall,
        find_pack: FindPack,
        redactor: Redactor,
        *,
        template: TemplateVersion | None = None,
        candidate: bool = False,  # noqa: ARG003 - a stage is always the pack's
    ) -> Self:
        """See `Job.restore`. The slots are in the material, as they were filled then."""
        pack = find_pack(kept.pack)
        contract = contract_of(kept, pack, template)
        place, name = Place.parse(kept.input, int(kept.snapshot.get("step", 0)))
        stage = pack.stages.stage(name) if isinstance(pack.stages, StageGraph) else None
        if stage is None:
            raise NotFoundError(f"pack {pack.name!r} has no stage {name!r} any more")
        return cls(
            contract=contract,
            material=kept.material or Material(),
            redactor=redactor.with_classes(pack.redaction_classes),
            complete=kept.material is not None,
            stage=stage,
            place=place,
            slots=(),
            lead=pack.stages.turn_rules.correction,
        )

    @property
    def digest(self) -> str:
        """The contract's own, unless the stage adds rules to it."""
        if not self.stage.rules:
            return self.contract.digest
        rules = [[rule.id, rule.code, rule.assert_text] for rule in self.stage.rules]
        return digest_json({"contract": self.contract.digest, "rules": rules})

    def build(self, attempt: int, findings: Sequence[Finding]) -> Built | Stop:
        guard = self.stage.guard
        if guard is not None and not guard.holds({}, self.material.state, self.material.input):
            rejected = Outcome.review(Reason.GATE_REJECTED)
            return Stop(outcome=rejected, facts={"guard": guard.id, "codes": [guard.code]})
        return ContractJob.build(self, attempt, findings)

    def correction(self, findings: Sequence[Finding]) -> str:
        """The findings in words of the contract, under the stage's own lead."""
        listed = "\n".join(correction_lines(self.contract.schema, findings))
        return f"{self.lead}\n{listed}"

    def context(self, built: Built) -> Mapping[str, Any]:
        return {
            **ContractJob.context(self, built),
            "session": self.place.session,
            "turn": self.place.turn,
            "step": self.place.step,
            "stage": self.stage.name,
            "slots": {filled.name: filled.to_dict() for filled in self.slots},
        }

    def plan(self, built: Built) -> DecodingPlan | None:
        plan = ContractJob.plan(self, built)
        return None if plan is None else narrow_plan(plan, self.contract, self.material.state)

    def weigh(self, raw: bytes, built: Built, finish_reason: str | None) -> Weighed:
        raw, beside = self.restore_values(raw, built.hidden, built)
        verdict = self._verdict(raw, built.shown, {"attempt": built.attempt}, beside, finish_reason)
        return self.settle(verdict, built)

    def weigh_decision(self, raw: bytes) -> Weighed:
        """What a person hands in for this stage: the same checks, and the guard among them.

        A person sees all of the texts and corrects nobody's attempt: `input.attempt` is absent.
        """
        shown = tuple(Shown.of_text(name, text) for name, text in self.material.texts.items())
        guard = () if self.stage.guard is None else (self.stage.guard,)
        return self.settle(self._verdict(raw, shown, {}, guard, None))

    def _verdict(
        self,
        raw: bytes,
        shown: tuple[Shown, ...],
        facts: Mapping[str, Any],
        more: tuple[Check, ...],
        finish_reason: str | None,
    ) -> Verdict:
        context = GateContext(
            shown=shown,
            state=self.material.state,
            input={**self.material.input, **facts},
        )
        return gate.judge(
            raw,
            context,
            (*self.contract.checks, *self.stage.rules, *more),
            schema=self.contract.schema,
            finish_reason=finish_reason,
            refusals=self.contract.refusals,
        )


def stage_job(
    graph: StageGraph,
    stage: Stage,
    contract: Contract,
    memory: Memory,
    place: Place,
    redactor: Redactor,
) -> StageJob:
    """What *stage* is asked now: its input slots filled from memory and tables."""
    slots: dict[str, str] = {}
    filled = []
    for name in stage.inputs:
        if name == SUMMARY:
            most = graph.turn_rules.summary_tokens
            one = summary_slot(memory.summary, most, name, contract.tokenizer)
            if one.omitted:
                filled.append(one)
            slots[INPUT + name] = one.text
        elif name == CACHED_STATE:
            slots[INPUT + name] = state_text(memory.cached_state)
        elif name == DIRECTIVE:
            slots[INPUT + name] = memory.directive
        elif name in graph.slots:
            one = fill_slot(
                graph.slots[name], memory.cached_state, memory.message, contract.tokenizer
            )
            filled.append(one)
            slots[INPUT + name] = one.text
    for variable, labels in _long_sets(contract):
        one = fill_labels(
            labels, labels.max_tokens or 0, variable, memory.message, contract.tokenizer
        )
        if one.omitted:  # a set that fits is listed by the contract itself
            filled.append(one)
            slots[variable] = one.text
    texts = {USER_PROMPT: memory.message} if USER_PROMPT in stage.inputs else {}
    return StageJob(
        stage=stage,
        contract=contract,
        material=Material(
            texts=texts,
            slots=slots,
            state=memory.cached_state,
            input={"turn": place.turn, "response_ids": list(memory.responses)},
        ),
        place=place,
        slots=tuple(filled),
        lead=graph.turn_rules.correction,
        redactor=redactor,
    )


def _long_sets(contract: Contract) -> Iterator[tuple[str, LabelSet]]:
    """The label sets that the template lists and that have a budget, each with its variable."""
    for variable in () if contract.template is None else contract.template.variables:
        if variable.startswith(LABELS):
            labels = contract.label_sets.get(variable.removeprefix(LABELS))
            if labels is not None and labels.max_tokens is not None:
                yield variable, labels
