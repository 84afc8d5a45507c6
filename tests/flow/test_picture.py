"""Pictures that can be read: nothing lies on anything, whatever the names are."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.adapters.folders import bundled_packs
from assay.flow.graph import Stage, StageGraph
from assay.flow.picture import Arrow, Diagram, Node, draw_mermaid, draw_svg
from assay.pack.diagram import pack_diagram
from assay.pack.read import read_pack
from assay.wiring import load_pack
from tests.pack.small import FILES, small_pack

pytestmark = pytest.mark.clause("007-P6")

SVG = "{http://www.w3.org/2000/svg}"
Box = tuple[float, float, float, float]


def boxes(picture: str) -> tuple[list[Box], list[Box]]:
    """Left, top, right, bottom of every rectangle but the ground, and of every text."""
    rects, texts = [], []
    for node in ET.fromstring(picture).iter():
        if node.tag == f"{SVG}rect" and node.get("x"):
            x, y, width, height = (
                float(node.get(key, "")) for key in ("x", "y", "width", "height")
            )
            rects.append((x, y, x + width, y + height))
        if node.tag == f"{SVG}text" and node.get("font-weight") is None:
            size = float(node.get("font-size", "13"))
            half = 0.29 * size * len(node.text or "")
            x, y = float(node.get("x", "")), float(node.get("y", ""))
            texts.append((x - half, y - 0.8 * size, x + half, y + 0.2 * size))
    return rects, texts


def apart(one: Box, other: Box) -> bool:
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def inside(text: Box, rect: Box) -> bool:
    return rect[0] <= text[0] and rect[1] <= text[1] and text[2] <= rect[2] and text[3] <= rect[3]


def assert_readable(picture: str) -> None:
    rects, texts = boxes(picture)
    assert [] == [pair for pair in combinations(rects, 2) if not apart(*pair)]
    assert [] == [text for text in texts if not any(inside(text, rect) for rect in rects)]
    assert [] == [pair for pair in combinations(texts, 2) if not apart(*pair)]


def wild_graph(count: int, seed: int) -> StageGraph:
    """Many stages with long names, loops, stages that lead to themselves, and long values."""
    chance = random.Random(seed)
    signs = ["<b>", '"&"', "ümläut", "x" * 30, "_", "長い名前", "\x01"]
    names = [f"stage-{at}{chance.choice(signs) * chance.randrange(3)}" for at in range(count)]
    targets = [*names, "end"]
    stages = {}
    for at, name in enumerate(names):
        ahead = {chance.choice(targets[at + 1 :]) for _ in range(chance.randrange(1, 4))}
        back = {name} if chance.random() < 0.1 else set()
        back |= {names[chance.randrange(at + 1)]} if chance.random() < 0.3 else set()
        edges = {f"{chance.choice(signs)} {number}": one for number, one in enumerate(ahead | back)}
        stages[name] = Stage(name=name, contract=name, next_field="/next", next=edges)
    return StageGraph(start=names[0], end="end", stages=stages)


@pytest.mark.parametrize("name", bundled_packs())
def test_the_bundled_packs_can_be_read(name: str):
    """Each has a flow, of its own kind."""
    diagram = pack_diagram(load_pack(name))

    assert_readable(draw_svg(diagram))
    assert draw_mermaid(diagram).startswith("flowchart TD\n")


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 40), st.integers(0, 10**6))
def test_no_text_lies_on_another_or_leaves_its_box(count: int, seed: int):
    """Up to forty stages; the same bytes each time."""
    graph = wild_graph(count, seed)
    picture = draw_svg(graph)

    assert_readable(picture)
    assert picture == draw_svg(graph)
    assert len(graph.stages) + 1 == draw_mermaid(graph).count("[")


def test_a_fan_of_forty_stands_in_several_rows():
    """Forty boxes side by side could not be read on any screen."""
    spokes = {f"spoke_{at}": "hub" for at in range(40)}
    hub = Stage(name="hub", contract="hub", next_field="/n", next={name: name for name in spokes})
    stages = {"hub": hub} | {
        name: Stage(name=name, contract=name, next_field="/n", next={"done": "end"})
        for name in spokes
    }
    picture = draw_svg(StageGraph(start="hub", end="end", stages=stages))
    found = re.search(r'viewBox="0 0 (\d+) ', picture)

    assert_readable(picture)
    assert found is not None
    assert int(found[1]) < 3000


def test_arrows_end_at_the_boxes_they_lead_to():
    """Each begins at the edge of its origin and ends at the edge of its target."""
    graph = wild_graph(12, 5)
    root = ET.fromstring(draw_svg(graph))
    edges = {float(node.get("y", "")) for node in root.iter(f"{SVG}rect") if node.get("rx")}
    edges |= {
        float(node.get("y", "")) + float(node.get("height", ""))
        for node in root.iter(f"{SVG}rect")
        if node.get("rx")
    }
    paths = [node.get("d", "") for node in root.iter(f"{SVG}path") if node.get("fill") == "none"]
    straight = [path for path in paths if "C" not in path or path.count("C") + path.count("L") > 1]

    assert len(paths) == len({(origin, target) for origin, _, target in graph.edges()})
    for path in straight:
        numbers = [float(one) for one in re.findall(r"-?\d+", path)]
        assert {numbers[1], numbers[-1]} <= edges, path


def test_a_pack_of_one_contract_and_one_without_a_flow():
    """The first is a chain of one; the contracts of the second stand side by side."""
    one = pack_diagram(read_pack(small_pack()))
    files = small_pack(**{"pack.yaml": "name: small\nsource: text\n"})
    more = {
        name.replace("tell", f"tell{at}"): files[name]
        for at in range(8)
        for name in ("contracts/tell.yaml", "contracts/tell.schema.json")
    }
    renamed = {
        name: data.replace(b"template: tell", b"template: tell\nschema: tell.schema.json")
        if name.endswith(".yaml") and name.startswith("contracts/")
        else data
        for name, data in (more | files).items()
    }
    beside = pack_diagram(read_pack(renamed))

    assert (["tell", "end"], [("tell", "end")]) == (
        [node.name for node in one.nodes],
        [(arrow.origin, arrow.target) for arrow in one.arrows],
    )
    assert (9, ()) == (len(beside.nodes), beside.arrows)
    assert_readable(draw_svg(beside))


def test_a_contract_that_only_judges_says_so():
    """A folder of one schema has no template to ask with."""
    pack = read_pack({"any.schema.json": b'{"type": "object"}'}, name_hint="mini")
    (node,) = pack_diagram(pack).nodes

    assert ("any", "judges only: it has no template") == (node.name, node.note)


def test_what_is_taken_from_earlier_results_is_drawn():
    """Beside the order of the flow, under the name that it is taken by."""
    drawn = pack_diagram(load_pack("grants"))
    found = {(arrow.origin, arrow.target): arrow for arrow in drawn.arrows}

    assert ("plan",) == found["plan", "draft"].labels
    assert (("title",), True) == (
        found["plan", "document"].labels,
        found["plan", "document"].takes,
    )
    assert '-.->|"title"|' in draw_mermaid(drawn)


def test_a_pack_of_answers_is_drawn_from_question_to_answer():
    """With the three ways in which it can end."""
    drawn = pack_diagram(load_pack("grounded"))
    ends = {node.name for node in drawn.nodes} - {arrow.origin for arrow in drawn.arrows}

    assert {"answer", "no evidence", "review"} == ends
    assert "question" == drawn.nodes[0].name


def test_a_stage_says_how_often_it_is_asked_and_under_which_guard():
    """In the picture; a contract of another name is named."""
    nodes = {node.name: node.note for node in pack_diagram(load_pack("services")).nodes}

    assert "3 attempts, then a person" in nodes["judgement_v1"]
    assert "if state.judgement_v1.inquiry == true" in nodes["agency_detect_v1"]
    assert "" == nodes["session_end"]


def other_contract(name: str) -> dict[str, str]:
    """A second contract, with the schema of the first."""
    contract = FILES["contracts/tell.yaml"] + "schema: tell.schema.json\n"
    return {f"contracts/{name}.yaml": contract}


@pytest.mark.parametrize("name", ["spare", "end"])
def test_a_contract_outside_of_the_flow_is_drawn_beside_it(name: str):
    """Nothing of a pack is missing from its picture; no arrow leads to it."""
    drawn = pack_diagram(read_pack(small_pack(**other_contract(name))))
    (aside,) = (node for node in drawn.nodes if node.kind == "aside")
    picture = draw_svg(drawn)

    assert aside.name.startswith(name)
    assert len(drawn.nodes) == len({node.name for node in drawn.nodes})
    assert aside.note.startswith("outside of the flow")
    assert aside.name not in {end for arrow in drawn.arrows for end in (arrow.origin, arrow.target)}
    assert f'["{aside.name}"]' in draw_mermaid(drawn)
    assert_readable(picture)
    left, right = sorted(boxes(picture)[0], key=lambda box: box[0])[-2:]
    assert right[0] - left[2] < 150


def test_a_contract_that_no_stage_asks_is_drawn_beside_the_stages():
    """In a pack of stages, too."""
    services = load_pack("services")
    spare = services.contracts["judgement_v1"]
    more = replace(services, contracts={**services.contracts, "spare": spare})

    assert ["spare"] == [node.name for node in pack_diagram(more).nodes if node.kind == "aside"]
    assert [] == [node.name for node in pack_diagram(services).nodes if node.kind == "aside"]


def test_parts_that_nothing_joins_stand_side_by_side():
    """Close to each other, each arranged for itself; what finds no room stands below."""
    flows = [[f"{part}{at}" for at in range(4)] for part in "abcdefghijklmno"]
    drawn = Diagram(
        nodes=tuple(Node(name=name) for flow in flows for name in flow),
        arrows=tuple(
            Arrow(origin=one, target=other, labels=("to",))
            for flow in flows
            for one, other in pairwise(flow)
        ),
    )
    picture = draw_svg(drawn)

    assert_readable(picture)
    width, height = (int(ET.fromstring(picture).get(key, "")) for key in ("width", "height"))
    assert width < 1500
    assert height < 1500


def test_marks_of_direction_turn_nothing_around():
    """They become a sign, in both forms of the picture."""
    drawn = Diagram(nodes=(Node(name="a\u202eb\u2066\nc"),), arrows=())

    for text in (draw_svg(drawn), draw_mermaid(drawn)):
        assert "a·b· c" in text


def test_an_end_may_be_called_like_a_contract():
    """A contract `end` keeps its name."""
    renamed = {
        name.replace("tell", "end"): text.replace("tell", "end") for name, text in FILES.items()
    }
    drawn = pack_diagram(read_pack({name: text.encode() for name, text in renamed.items()}))

    assert ["end", "end."] == [node.name for node in drawn.nodes]
