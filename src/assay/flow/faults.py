"""What can be wrong with a stage graph.

In      StageGraph, the contracts of its pack
Out     faults by stage and key
Pure    yes
Spec    003-T2, 003-T4, 003-C5, 003-O4; interfaces.md, "Packs" (stages.yaml)

A graph that holds cannot lose its way: every stage can be reached, every value that a
contract allows for its next step leads somewhere, and from everywhere the end is reached.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import permutations
from typing import Any, Final

from assay.contract.contract import Contract
from assay.core.json.pointer import unescape
from assay.core.json.schema_parts import parts_of
from assay.flow.graph import GIVEN, WHOLE, Stage, StageGraph, skeleton_of
from assay.gate.rule_fields import ANY, Shape, unknown_fields
from assay.gate.tables import MemberRule, Places

OWN: Final = frozenset({"session_id", "nextStep"})
"""What the runtime itself keeps in the state: no stage may have it as its slice."""


_INPUT: Final = Shape.of_fields(dict.fromkeys(("turn", "response_ids", "attempt"), ANY))
"""What a rule of a stage is told beside output and state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphFault:
    """One thing that is wrong, and where it was declared."""

    stage: str
    """Empty when the fault is of the whole graph."""

    key: str
    """`next`, `merge`, `inputs`, `contract`, `start` …"""

    message: str
    hint: str = ""


def find_graph_faults(
    graph: StageGraph, contracts: Mapping[str, Contract]
) -> tuple[GraphFault, ...]:
    """Everything that is wrong with *graph*; empty when it holds.

    Args:
        contracts: Of the same pack, by name.

    Spec: 003-T2, 003-T4, 003-C5
    """
    if graph.start not in graph.stages:
        fault = GraphFault(stage="", key="start", message=f"stage {graph.start!r} does not exist")
        return (fault,)
    if graph.end in graph.stages:
        message = f"{graph.end!r} is the end and cannot be a stage"
        return (GraphFault(stage="", key="end", message=message),)
    return (
        *_edge_faults(graph),
        *_state_faults(graph, contracts),
        *_stage_faults(graph, contracts),
        *_reach_faults(graph),
        *_slot_faults(graph, contracts),
    )


def _edge_faults(graph: StageGraph) -> Iterator[GraphFault]:
    for stage in graph.stages.values():
        if not stage.next:
            yield GraphFault(stage=stage.name, key="next", message="leads nowhere")
        for target in stage.next.values():
            if target != graph.end and target not in graph.stages:
                message = f"stage {target!r} does not exist"
                yield GraphFault(stage=stage.name, key="next", message=message)


def _state_faults(graph: StageGraph, contracts: Mapping[str, Contract]) -> Iterator[GraphFault]:
    """Names that collide in the state, and places of it that nobody fills."""
    for stage in graph.stages.values():
        if stage.name in OWN:
            message = f"{stage.name!r} stands in the state by itself and cannot be a stage"
            yield GraphFault(stage=stage.name, key="", message=message)
        for place, other in permutations(stage.merge, 2):
            if other.startswith(f"{place}."):
                message = f"{other!r} lies within {place!r}: one would overwrite the other"
                yield GraphFault(stage=stage.name, key="merge", message=message)
        contract = contracts.get(stage.contract)
        for check in () if contract is None else contract.extra:
            if isinstance(check, MemberRule):
                for path in _unfilled_places(graph, check.limits):
                    message = f"a rule of its contract reads {path!r}, which no stage merges"
                    yield GraphFault(stage=stage.name, key="contract", message=message)
                for path in _unknown_places(graph, contracts, check.limits):
                    message = f"a rule of its contract reads {path!r}, which nothing ever gives"
                    yield GraphFault(stage=stage.name, key="contract", message=message)
    for slot in graph.slots.values():
        for path in _unfilled_places(graph, slot.limits):
            message = f"{slot.name!r} reads {path!r}, which no stage merges"
            yield GraphFault(stage="", key="slots", message=message)
        for path in _unknown_places(graph, contracts, slot.limits):
            message = f"{slot.name!r} reads {path!r}, which nothing ever gives"
            yield GraphFault(stage="", key="slots", message=message)


def _unknown_places(
    graph: StageGraph, contracts: Mapping[str, Contract], limits: Mapping[str, Places]
) -> Iterator[str]:
    """Places within what a stage merges that its contract does not have."""
    shapes = {"state": _state_shape(graph, contracts)}
    for path in (path for places in limits.values() for path in places.paths):
        if _is_filled(graph, path) and any(unknown_fields(path, shapes)):
            yield path


def _unfilled_places(graph: StageGraph, limits: Mapping[str, Places]) -> Iterator[str]:
    """The first place of each column that has none which is ever filled."""
    for places in limits.values():
        if not any(_is_filled(graph, path) for path in places.paths):
            yield places.paths[0]


def _is_filled(graph: StageGraph, path: str) -> bool:
    _, name, *rest = path.split(".")
    stage = graph.stages.get(name)
    below = ".".join(rest)
    return name in OWN or any(
        place == WHOLE or f"{below}.".startswith(f"{place}.")
        for place in (() if stage is None else stage.merge)
    )


def _slot_faults(graph: StageGraph, contracts: Mapping[str, Contract]) -> Iterator[GraphFault]:
    for name, slot in graph.slots.items():
        if name in GIVEN:
            message = f"{name!r} is filled by the conversation itself"
            yield GraphFault(stage="", key="slots", message=message)
        elif not any(slot.name in stage.inputs for stage in graph.stages.values()):
            message = f"no stage takes {name!r}"
            yield GraphFault(stage="", key="slots", message=message)
    skeleton = graph.turn_rules.skeleton
    if skeleton is not None:
        stage = graph.stages.get(skeleton)
        contract = None if stage is None else contracts.get(stage.contract)
        if contract is None or skeleton_of(contract) is None:
            message = f"stage {skeleton!r} has no contract with placeholders"
            yield GraphFault(stage="", key="reply", message=message)
    for stage in graph.stages.values():
        contract = contracts.get(stage.contract)
        if graph.preamble is not None and contract is not None and contract.preamble is None:
            message = f"its prompt lacks the preamble {graph.preamble!r}"
            yield GraphFault(stage=stage.name, key="contract", message=message)


def _reach_faults(graph: StageGraph) -> Iterator[GraphFault]:
    forward: dict[str, set[str]] = {}
    backward: dict[str, set[str]] = {}
    for origin, _, target in graph.edges():
        forward.setdefault(origin, set()).add(target)
        backward.setdefault(target, set()).add(origin)
    reached = _reachable(graph.start, forward)
    leaving = _reachable(graph.end, backward)
    for name in graph.stages:
        if name not in reached:
            message = f"cannot be reached from {graph.start!r}"
            yield GraphFault(stage=name, key="", message=message)
        if name not in leaving:
            message = f"no way leads from here to {graph.end!r}"
            yield GraphFault(stage=name, key="next", message=message)


def _reachable(start: str, edges: Mapping[str, set[str]]) -> set[str]:
    seen = {start}
    waiting = [start]
    while waiting:
        for target in edges.get(waiting.pop(), ()):
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return seen


def _stage_faults(graph: StageGraph, contracts: Mapping[str, Contract]) -> Iterator[GraphFault]:
    for stage in graph.stages.values():
        contract = contracts.get(stage.contract)
        if contract is None:
            message = f"contract {stage.contract!r} does not exist"
            yield GraphFault(stage=stage.name, key="contract", message=message)
            continue
        yield from _value_faults(stage, contract)
        yield from _field_faults(graph, stage, contract, contracts)
        yield from _merge_faults(stage, contract)
        yield from _input_faults(graph, stage, contract)


def _value_faults(stage: Stage, contract: Contract) -> Iterator[GraphFault]:
    allowed = _enumeration(_document(contract), stage.next_field)
    if allowed is None:
        message = f"{stage.next_field!r} is no enumeration of texts in the contract's schema"
        yield GraphFault(stage=stage.name, key="next", message=message)
        return
    for value in allowed:
        if value not in stage.next:
            message = f"the contract allows {value!r} as next step, and no edge leads there"
            yield GraphFault(stage=stage.name, key="next", message=message)
    for value in stage.next:
        if value not in allowed:
            message = f"no output can ever say {value!r}"
            yield GraphFault(stage=stage.name, key="next", message=message)
    if not is_required(_document(contract), stage.next_field):
        message = f"{stage.next_field!r} is optional in the contract's schema: it must be required"
        yield GraphFault(stage=stage.name, key="next", message=message)


def _field_faults(
    graph: StageGraph, stage: Stage, contract: Contract, contracts: Mapping[str, Contract]
) -> Iterator[GraphFault]:
    """Fields that a guard or a rule reads and that nothing ever gives."""
    given = {"state": _state_shape(graph, contracts), "input": _INPUT}
    before = given | {"output": Shape.of_fields({})}  # a guard is asked before there is one
    output = {"output": Shape.of_schema(_document(contract))}
    guards = () if stage.guard is None else (stage.guard,)
    for key, rules, shapes in (
        ("guard", guards, before),
        ("rules", stage.rules, given | output),
        ("contract", contract.rules, given),
    ):
        for rule in rules:
            for unknown in unknown_fields(rule.assert_text, shapes):
                message = f"rule {rule.id!r} reads {unknown!r}, which nothing ever gives"
                yield GraphFault(stage=stage.name, key=key, message=message)


def _state_shape(graph: StageGraph, contracts: Mapping[str, Contract]) -> Shape:
    """What the state can hold: what is merged, and what the runtime keeps itself."""
    slices: dict[str, Shape] = dict.fromkeys(OWN, ANY)
    for stage in graph.stages.values():
        contract = contracts.get(stage.contract)
        if stage.merge and contract is not None:
            slices[stage.name] = _slice_shape(stage.merge, _document(contract))
    return Shape.of_fields(slices)


def _slice_shape(merge: Mapping[str, str], document: Mapping[str, Any]) -> Shape:
    below: dict[str, dict[str, str]] = {}
    fields: dict[str, Shape] = {}
    for place, pointer in merge.items():
        shape = Shape(document=document, nodes=(schema_at(document, pointer),))
        if place == WHOLE:
            return shape
        first, _, rest = place.partition(".")
        if rest:
            below.setdefault(first, {})[rest] = pointer
        else:
            fields[first] = shape
    nested = {name: _slice_shape(inner, document) for name, inner in below.items()}
    return Shape.of_fields(fields | nested)


def _merge_faults(stage: Stage, contract: Contract) -> Iterator[GraphFault]:
    if WHOLE in stage.merge and len(stage.merge) > 1:
        message = f"{WHOLE!r} is the whole slice: nothing can be merged beside it"
        yield GraphFault(stage=stage.name, key="merge", message=message)
    for pointer in stage.merge.values():
        if schema_at(_document(contract), pointer) is None:
            message = f"{pointer!r} is no field of the contract"
            yield GraphFault(stage=stage.name, key="merge", message=message)


def _input_faults(graph: StageGraph, stage: Stage, contract: Contract) -> Iterator[GraphFault]:
    if contract.template is None:
        message = f"contract {stage.contract!r} has no template"
        yield GraphFault(stage=stage.name, key="contract", message=message)
        return
    asked = {
        name.removeprefix("input.")
        for name in contract.template.variables
        if name.startswith("input.")
    }
    for name in sorted(asked - set(stage.inputs)):
        message = f"the template asks for {name!r}, which the stage does not give"
        near = get_close_matches(name, sorted({*stage.inputs, *GIVEN, *graph.slots}), n=1)
        hint = f"did you mean {near[0]!r}?" if near else ""
        yield GraphFault(stage=stage.name, key="inputs", message=message, hint=hint)
    for name in sorted(set(stage.inputs) - asked):
        message = f"the template has no place for {name!r}"
        yield GraphFault(stage=stage.name, key="inputs", message=message)
    for name in sorted(set(stage.inputs) - {*GIVEN, *graph.slots}):
        message = f"nothing fills {name!r}: it is neither given nor under slots"
        yield GraphFault(stage=stage.name, key="inputs", message=message)
    for name in sorted(set(stage.optional) - set(stage.inputs)):
        message = f"{name!r} is optional but no input"
        yield GraphFault(stage=stage.name, key="optional", message=message)


def _document(contract: Contract) -> Mapping[str, Any]:
    document = contract.schema.document
    return document if isinstance(document, Mapping) else {}


def schema_at(document: Mapping[str, Any], pointer: str) -> Mapping[str, Any] | None:
    """The part of a schema that describes the place *pointer*; None when it declares none."""
    found: Any = document
    for step in pointer.split("/")[1:]:
        found = next(
            (
                part["properties"][unescape(step)]
                for part in _keyword_parts(document, found, "properties", Mapping)
                if unescape(step) in part["properties"]
            ),
            None,
        )
    return found if isinstance(found, Mapping) else None


def is_required(document: Mapping[str, Any], pointer: str) -> bool:
    """Whether every output that the schema allows has something at *pointer*."""
    above = ""
    for step in pointer.split("/")[1:]:
        asking = _keyword_parts(document, schema_at(document, above), "required", list)
        if not any(unescape(step) in part["required"] for part in asking):
            return False
        above = f"{above}/{step}"
    return True


def _keyword_parts(
    document: Any, schema: Any, keyword: str, kind: type[Any]
) -> Iterator[Mapping[str, Any]]:
    """The parts of *schema* whose *keyword* is of this kind."""
    for part in parts_of(document, schema):
        if isinstance(part, Mapping) and isinstance(part.get(keyword), kind):
            yield part


def _enumeration(document: Mapping[str, Any], pointer: str) -> list[str] | None:
    for part in parts_of(document, schema_at(document, pointer)):
        if isinstance(part, Mapping):
            values = [part["const"]] if "const" in part else part.get("enum")
            if isinstance(values, list) and all(isinstance(value, str) for value in values):
                return values
    return None
