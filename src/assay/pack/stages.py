"""`stages.yaml` becomes a stage graph that holds.

In      the document, the pack's contracts
Out     StageGraph
Pure    yes
Spec    003; interfaces.md, "Packs"
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import Field

from assay.contract.contract import Contract
from assay.flow.faults import GraphFault, find_graph_faults
from assay.flow.graph import Slot, Stage, StageGraph, TurnRules
from assay.gate.rules import Rule
from assay.gate.tables import Table
from assay.pack.contracts import read_rule
from assay.pack.document import Document, validate_form
from assay.pack.forms import Column, Form, Name, Place, Pointer, RuleForm, Text, Tokens
from assay.pack.tables import check_columns, find_table, state_places

NEXT: Final = "/nextStep"
"""Where outputs name the next stage when the file lists stages and no field."""


class NextForm(Form):
    """Where a stage may lead: values of a field of its output -> stages."""

    field: Pointer = "/nextStep"
    to: dict[str, Name]


class StageForm(Form):
    """One stage."""

    contract: Name | None = None
    """The stage's own name when absent."""

    inputs: list[str] = []
    optional: list[str] = []
    """Inputs that may be absent."""

    guard: str | None = None
    """CEL over `state` and `input`: what must hold before the stage is entered."""

    rules: list[RuleForm] = []
    merge: dict[str, Pointer] = {}
    sets_next: bool = False
    next: list[Name] | NextForm


class SlotForm(Form):
    """An input slot that is filled from a table."""

    table: Name
    among: dict[Column, Place | list[Place]] = {}
    """Column -> place of the state, or the first of several that is there."""

    columns: Annotated[list[Column], Field(min_length=1)]
    """What a row shows."""

    rank: Annotated[list[Column], Field(min_length=1)]
    """Columns that are compared with the question when not all rows fit."""

    max_tokens: Tokens = 1000


class SummaryForm(Form):
    """What later turns are told of earlier ones."""

    items: Annotated[int, Field(ge=0, le=20)] = 20
    max_chars: Annotated[int, Field(ge=20, le=2000)] = 120
    """Of each message and of each reply."""

    max_tokens: Tokens = 2000
    """Of all items: the oldest give way, and are named on record."""


class ReplyForm(Form):
    """What the user gets at the end of a turn."""

    field: Pointer = "/assistantReply"
    """Where outputs hold a reply; the latest that is a text counts."""

    skeleton: Name | None = None
    """The stage whose skeleton is filled when there is none."""

    safe: Text = "I cannot answer this safely. A person will look at it."
    """The fixed reply of a turn that ends in review."""

    conflict: Text = "Another message of this conversation is being answered. Please send it again."


class StagesForm(Form):
    """`stages.yaml`."""

    start: Name
    end: Name = "session_end"
    preamble: Name | None = None
    stages: dict[Name, StageForm]
    slots: dict[Name, SlotForm] = {}
    summary: SummaryForm = SummaryForm()
    reply: ReplyForm = ReplyForm()
    correction: Text = "Your last answer was refused. Answer again, mending this:"
    """Stands above the list of findings in a correction prompt."""

    max_message_tokens: Tokens = 1500
    """A longer message is cut to as many, with a finding."""

    max_steps: Annotated[int, Field(ge=1, le=100)] = 20
    """How many stages one turn may go through."""


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
    for fault in find_graph_faults(graph, contracts):
        raise document.fault(_message(fault), *_path(fault), hint=fault.hint)
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
        table = find_table(document, tables, slot.table, "slots", name, "table")
        check_columns(document, table, [*slot.among, *slot.columns, *slot.rank], "slots", name)
        slots[name] = Slot(
            name=name,
            table=table,
            limits={column: state_places(paths) for column, paths in slot.among.items()},
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
