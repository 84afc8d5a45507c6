"""`stages.yaml` becomes a stage graph that holds.

In      the document, the pack's contracts
Out     StageGraph
Pure    yes
Spec    003; interfaces.md, "Packs"
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from assay.contract.contract import Contract
from assay.flow.faults import GraphFault, faults_of
from assay.flow.graph import Slot, Stage, StageGraph, TurnRules
from assay.gate.rules import Rule
from assay.gate.tables import Table
from assay.pack.contracts import read_rule
from assay.pack.files import RuleForm
from assay.pack.reading import Document, validate_form
from assay.pack.stage_forms import StageForm, StagesForm
from assay.pack.tables import known_table, places, refuse_columns

NEXT: Final = "/nextStep"
"""Where outputs name the next stage when the file lists stages and no field."""


def read_stages(
    document: Document,
    contracts: Mapping[str, Contract],
    tables: Mapping[str, Table] | None = None,
) -> StageGraph:
    """Read and check the stage graph.

    Raises:
        PackError: for the first fault of form or graph, with its line.
    """
    form = validate_form(document, StagesForm)
    graph = StageGraph(
        start=form.start,
        end=form.end,
        preamble=form.preamble,
        stages={name: _stage(document, name, stage) for name, stage in form.stages.items()},
        slots=_slots(document, form, tables or {}),
        turn_rules=TurnRules(
            reply_field=form.reply.field,
            skeleton=form.reply.skeleton,
            safe_reply=form.reply.safe,
            conflict_reply=form.reply.conflict,
            correction=form.correction,
            summary_items=form.summary.items,
            summary_chars=form.summary.max_chars,
            summary_tokens=form.summary.max_tokens,
            max_message_tokens=form.max_message_tokens,
            max_steps=form.max_steps,
        ),
    )
    for fault in faults_of(graph, contracts):
        raise document.fault(_message(fault), *_path(fault))
    return graph


def _stage(document: Document, name: str, form: StageForm) -> Stage:
    if isinstance(form.next, list):
        next_field, edges = NEXT, {step: step for step in form.next}
    else:
        next_field, edges = form.next.field, dict(form.next.to)
    return Stage(
        name=name,
        contract=form.contract or name,
        next_field=next_field,
        next=edges,
        inputs=tuple(form.inputs),
        optional=tuple(form.optional),
        guard=_guard(document, name, form),
        rules=tuple(
            read_rule(document, rule, "stages", name, "rules", place)
            for place, rule in enumerate(form.rules)
        ),
        merge=dict(form.merge),
        sets_next=form.sets_next,
    )


def _slots(document: Document, form: StagesForm, tables: Mapping[str, Table]) -> dict[str, Slot]:
    slots = {}
    for name, slot in form.slots.items():
        table = known_table(document, tables, slot.table, "slots", name, "table")
        refuse_columns(document, table, [*slot.among, *slot.columns, *slot.rank], "slots", name)
        slots[name] = Slot(
            name=name,
            table=table,
            limits={column: places(paths) for column, paths in slot.among.items()},
            columns=tuple(slot.columns),
            rank=tuple(slot.rank),
            max_tokens=slot.max_tokens,
        )
    return slots


def _guard(document: Document, name: str, form: StageForm) -> Rule | None:
    if form.guard is None:
        return None
    rule = RuleForm.model_validate({"id": f"{name}.guard", "assert": form.guard})
    return read_rule(document, rule, "stages", name, "guard")


def _message(fault: GraphFault) -> str:
    return f"stage {fault.stage!r}: {fault.message}" if fault.stage else fault.message


def _path(fault: GraphFault) -> tuple[str, ...]:
    if not fault.stage:
        return (fault.key,)
    return ("stages", fault.stage, fault.key) if fault.key else ("stages", fault.stage)
