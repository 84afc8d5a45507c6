"""The stage graph of a conversation, as data.

In      stages: contract, inputs, guard, rules, merge, where each may lead
Out     StageGraph
Pure    yes
Spec    003 stage topology and stage contracts; interfaces.md, "Packs" (stages.yaml)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from assay.contract.contract import Contract
from assay.gate.placeholders import PlaceholderRule
from assay.gate.rules import Rule
from assay.gate.tables import Places, Table

WHOLE: Final = "."
"""Merge target that stands for the stage's whole slice of the state."""

USER_PROMPT: Final = "user_prompt"
SUMMARY: Final = "chat_context_summary"
CACHED_STATE: Final = "cached_state"
DIRECTIVE: Final = "runtime_directive"
GIVEN: Final = frozenset({USER_PROMPT, SUMMARY, CACHED_STATE, DIRECTIVE})
"""Input slots that every conversation has; all others are filled from tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One node: one contract in its place in a conversation."""

    name: str
    contract: str
    """Name of the contract in the same pack."""

    next_field: str
    """JSON Pointer of the output's field that names what comes next."""

    next: Mapping[str, str]
    """Value of that field -> stage, or the end."""

    inputs: tuple[str, ...] = ()
    """Input slots, without `input.`: `user_prompt`, `cached_state` …"""

    optional: tuple[str, ...] = ()
    """Those of `inputs` that may be absent."""

    guard: Rule | None = None
    """Over `state` and `input`: what must hold before the stage is entered."""

    rules: tuple[Rule, ...] = ()
    """Checks beside those of the contract."""

    merge: Mapping[str, str] = field(default_factory=dict)
    """Dotted place in the stage's slice of the state -> JSON Pointer into the output. `.` is
    the slice itself. What is not named here is never stored."""

    sets_next: bool = False
    """Whether the next step becomes part of the state that later stages can read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """An input slot that is filled from a table, within a token budget."""

    name: str
    """Without `input.`."""

    table: Table
    limits: Mapping[str, Places]
    """Column -> places in the state: only rows with a value that stands there."""

    columns: tuple[str, ...]
    """What a row shows, in this order."""

    rank: tuple[str, ...]
    """Columns that are compared with the question when not all rows fit."""

    max_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRules:
    """How a conversation treats its user, and how far it goes."""

    reply_field: str = "/assistantReply"
    """Where outputs hold a reply."""

    skeleton: str | None = None
    """The stage whose skeleton is filled when no output held a reply."""

    safe_reply: str = ""
    """The fixed reply of a turn that ends in review."""

    conflict_reply: str = ""
    correction: str = ""
    """Stands above the findings in a correction prompt."""

    summary_items: int = 20
    summary_chars: int = 120
    summary_tokens: int = 2000
    """The oldest items give way where all of them take more."""

    max_message_tokens: int = 1500
    max_steps: int = 20
    """How many stages one turn may go through: loops end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageGraph:
    """All stages of a flow."""

    start: str
    end: str
    stages: Mapping[str, Stage]
    preamble: str | None = None
    """Template that stands in front of every stage's prompt."""

    slots: Mapping[str, Slot] = field(default_factory=dict)
    turn_rules: TurnRules = field(default_factory=TurnRules)

    def stage(self, name: str) -> Stage | None:
        """None for the end and for a name that does not exist."""
        return self.stages.get(name)

    def edges(self) -> tuple[tuple[str, str, str], ...]:
        """(from, value, to) in the order of the stages."""
        return tuple(
            (stage.name, value, target)
            for stage in self.stages.values()
            for value, target in stage.next.items()
        )


def skeleton_of(contract: Contract) -> PlaceholderRule | None:
    """The contract's reply skeleton, where it has one."""
    return next((check for check in contract.extra if isinstance(check, PlaceholderRule)), None)
