"""What a pack does, as a diagram: stages, contracts in their order, or the way of an answer.

In      Pack
Out     Diagram
Pure    yes
Spec    007-P6; interfaces.md, `assay pack graph`
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from assay.answers.assemble import TEMPLATE_FILE
from assay.contract.contract import Contract
from assay.errors import InputError
from assay.flow.picture import Arrow, Diagram, Node, stage_diagram
from assay.pack.pack import Pack

END: Final = "end"

_ANSWERS: Final = Diagram(
    nodes=(
        Node(name="question", kind="given", note="and documents, or chunks found elsewhere"),
        Node(name="retrieval"),
        Node(name="assembly", note="evidence under the policy, then the frozen prompt"),
        Node(name="model", note="2 attempts with the same bytes"),
        Node(name="validation", note="citations, facts, support"),
        Node(name="answer", kind="end"),
        Node(name="no evidence", kind="end"),
        Node(name="review", kind="person"),
    ),
    arrows=(
        Arrow(origin="question", target="retrieval"),
        Arrow(origin="retrieval", target="assembly"),
        Arrow(origin="assembly", target="model", labels=("evidence",)),
        Arrow(origin="assembly", target="no evidence", labels=("too little",)),
        Arrow(origin="assembly", target="review", labels=("failed",)),
        Arrow(origin="model", target="validation"),
        Arrow(origin="validation", target="model", labels=("rejected once",)),
        Arrow(origin="validation", target="answer", labels=("accepted",)),
        Arrow(origin="validation", target="no evidence", labels=("refusal",)),
        Arrow(origin="validation", target="review", labels=("rejected",)),
    ),
)


def pack_diagram(pack: Pack) -> Diagram:
    """The flow of *pack*.

    Raises:
        InputError: it holds nothing that could be asked.
    """
    heading = f"{pack.name} {pack.version}"
    if pack.source != "none":
        heading += f": {pack.source}"
    if pack.stages is not None:
        drawn = stage_diagram(pack.stages, heading)
        used = {stage.contract for stage in pack.stages.stages.values()}
        drawn = replace(drawn, nodes=tuple(_stage_node(pack, node) for node in drawn.nodes))
        return _with_others(pack, drawn, used)
    if pack.flow and "pack.yaml" in pack.files:
        return _with_others(pack, _ordered(pack, heading), set(pack.flow))
    if pack.source == "documents" and TEMPLATE_FILE in pack.files:
        policy = ", ".join(pack.policies)
        nodes = tuple(
            replace(node, note=f"policy {policy}") if node.name == "assembly" and policy else node
            for node in _ANSWERS.nodes
        )
        return _with_others(pack, replace(_ANSWERS, nodes=nodes, heading=heading), set())
    if pack.contracts:
        nodes = tuple(_contract_node(one, name) for name, one in pack.contracts.items())
        return Diagram(nodes=nodes, arrows=(), heading=heading)
    raise InputError(
        f"pack {pack.name!r} has nothing to draw",
        hint="it has no contracts and no stages, and is no pack of answers",
    )


def _with_others(pack: Pack, drawn: Diagram, used: set[str]) -> Diagram:
    """And the contracts that stand in no flow, each alone: who asks names them."""
    taken = {node.name for node in drawn.nodes}
    others = []
    for key in sorted(pack.contracts.keys() - used):
        name = key
        while name in taken:
            name += "."
        taken.add(name)
        node = _contract_node(pack.contracts[key], name)
        note = f"outside of the flow\n{node.note}"
        others.append(replace(node, kind="aside", note=note))
    return replace(drawn, nodes=(*drawn.nodes, *others))


def _ordered(pack: Pack, heading: str) -> Diagram:
    """The contracts in their order; one that takes an earlier result is joined with it."""
    end = END
    while end in pack.flow:
        end += "."
    results = {pack.contracts[name].result_name: name for name in pack.flow}
    order = list(zip(pack.flow, [*pack.flow[1:], end], strict=True))
    taken: dict[tuple[str, str], list[str]] = {}
    for name in pack.flow:
        for text, place in pack.contracts[name].earlier.items():
            origin = results.get(place.partition("/")[0])
            if origin is not None:
                taken.setdefault((origin, name), []).append(text)
    arrows = [Arrow(origin=a, target=b, labels=tuple(taken.pop((a, b), ()))) for a, b in order]
    arrows += [
        Arrow(origin=a, target=b, labels=tuple(texts), takes=True)
        for (a, b), texts in taken.items()
    ]
    nodes = [_contract_node(pack.contracts[name], name) for name in pack.flow]
    return Diagram(
        nodes=(*nodes, Node(name=end, kind="end")), arrows=tuple(arrows), heading=heading
    )


def _contract_node(contract: Contract, name: str) -> Node:
    if contract.template is None:
        return Node(name=name, note="judges only: it has no template")
    return Node(name=name, note=_ladder(contract))


def _stage_node(pack: Pack, node: Node) -> Node:
    stage = None if pack.stages is None else pack.stages.stage(node.name)
    contract = None if stage is None else pack.contracts.get(stage.contract)
    if stage is None or contract is None:
        return node
    told = [] if stage.contract == node.name else [f"contract {stage.contract}"]
    if stage.guard is not None:
        told.append(f"if {stage.guard.assert_text}")
    return replace(node, note="\n".join([*told, _ladder(contract)]))


def _ladder(contract: Contract) -> str:
    count = len(contract.attempts)
    return f"{count} attempt{'s' if count > 1 else ''}, then a person"
