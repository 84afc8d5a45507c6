"""`stages.yaml` as typed forms.

In      parsed YAML
Out     pydantic models
Pure    yes
Spec    003; interfaces.md, "Packs"
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from assay.pack.files import RuleForm
from assay.pack.forms import Form, Name, Pointer, Text, Tokens
from assay.pack.table_forms import Column, Place


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
