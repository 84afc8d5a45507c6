"""The way of a session through its stages: turns, what each step changed, the graph with it marked.

In      moments of a session, its pack's graph
Out     TurnPath; a picture as SVG
Pure    yes
Spec    009-V4; 003 "State merge"
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from assay.flow.graph import StageGraph
from assay.flow.picture import draw_svg, stage_diagram
from assay.runtime.conversations.history import Moment

_MOST_CHANGES: Final = 200
_MOST_CHARS: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChange:
    """One place of the state that a step put in, took away or changed."""

    place: str
    """JSON Pointer."""

    how: Literal["added", "removed", "changed"]
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathStep:
    """One moment, with the state after it as a difference to the one before."""

    moment: Moment
    changes: tuple[StateChange, ...]
    left_out: int = 0


@dataclass(slots=True, kw_only=True)
class TurnPath:
    """What became of one message."""

    number: int
    message: str = ""
    reply: str | None = None
    steps: list[PathStep] = field(default_factory=list)


def follow_path(moments: Sequence[Moment]) -> list[TurnPath]:
    """The turns of a session, the oldest first."""
    turns: list[TurnPath] = []
    before: Mapping[str, Any] = {}
    for moment in moments:
        if not turns or (moment.turn is not None and moment.turn != turns[-1].number):
            turns.append(TurnPath(number=moment.turn or 0))
        turn = turns[-1]
        changes: tuple[StateChange, ...] = ()
        if moment.memory is not None:
            turn.message = moment.memory.message
            turn.reply = moment.memory.reply if moment.kind == "turn.ended" else turn.reply
            changes = list_changes(before, moment.memory.cached_state)
            before = moment.memory.cached_state
        turn.steps.append(
            PathStep(
                moment=moment,
                changes=changes[:_MOST_CHANGES],
                left_out=max(0, len(changes) - _MOST_CHANGES),
            )
        )
    return turns


def list_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[StateChange, ...]:
    """Where two states differ, place by place.

    Example:
        >>> [(c.place, c.how, c.after) for c in list_changes({"a": 1}, {"a": 2, "b": {"c": []}})]
        [('/a', 'changed', '2'), ('/b/c', 'added', '[]')]
    """
    old, new = _leaves(before), _leaves(after)
    found = []
    for place in sorted(old.keys() | new.keys()):
        if place not in new:
            found.append(StateChange(place=place, how="removed", before=old[place]))
        elif place not in old:
            found.append(StateChange(place=place, how="added", after=new[place]))
        elif old[place] != new[place]:
            found.append(
                StateChange(place=place, how="changed", before=old[place], after=new[place])
            )
    return tuple(found)


def _leaves(value: Any) -> dict[str, str]:
    """Every value that holds no other, by its place; a long one is cut."""
    found: dict[str, str] = {}
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        place, inner = waiting.pop()
        pairs: list[tuple[Any, Any]] = []
        if isinstance(inner, Mapping):
            pairs = list(inner.items())
        elif isinstance(inner, list):
            pairs = list(enumerate(inner))
        for key, each in pairs:
            step = str(key).replace("~", "~0").replace("/", "~1")
            waiting.append((f"{place}/{step}", each))
        if not pairs and place:
            text = inner if isinstance(inner, str) else json.dumps(inner, ensure_ascii=False)
            found[place] = text if len(text) <= _MOST_CHARS else f"{text[:_MOST_CHARS]}…"
    return found


def draw_path(graph: StageGraph, turn: TurnPath | None) -> str:
    """The stages, those that *turn* went through filled and numbered in its order."""
    visits: dict[str, list[str]] = {}
    stages = [] if turn is None else [s.moment.stage for s in turn.steps if s.moment.stage]
    for number, stage in enumerate(stages, 1):
        visits.setdefault(stage, []).append(str(number))
    diagram = stage_diagram(graph)
    nodes = tuple(
        replace(
            node,
            kind=node.kind if node.kind == "end" else "step" if node.name in visits else "aside",
            note=", ".join(visits.get(node.name, ())),
        )
        for node in diagram.nodes
    )
    return draw_svg(replace(diagram, nodes=nodes))
