"""A stage graph that cannot lose its way."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import PackError
from assay.flow.faults import find_graph_faults, schema_at
from assay.flow.graph import Stage, StageGraph
from assay.flow.picture import draw_mermaid, draw_svg, flow_graph
from assay.pack.pack import Pack
from assay.pack.read import read_pack
from tests.runtime.conversations import cafe

GUESS = """\
---
name: g
role: guide
version: 1
variables: [input.user_prompt, input.cached_state]
---
{{input.user_prompt}} {{input.cached_state}}
"""

STAGES = """\
start: listen
end: session_end
stages:
  listen:
    inputs: [user_prompt, cached_state]
    optional: [cached_state]
    merge: {heard: /heard, mood.now: /mood/now}
    next: [answer, session_end]
  answer:
    contract: reply
    guard: state.listen.heard == true
    inputs: [user_prompt, cached_state]
    rules:
      - {id: short, assert: size(output.text) < 200}
    merge: {".": ""}
    sets_next: true
    next:
      field: /where
      to: {again: listen, done: session_end}
"""

LISTEN = {
    "type": "object",
    "required": ["nextStep"],
    "properties": {
        "heard": {"type": "boolean"},
        "mood": {"$ref": "#/$defs/mood"},
        "nextStep": {"enum": ["answer", "session_end"]},
    },
    "$defs": {"mood": {"properties": {"now": {"type": "string"}}}},
}
REPLY = {
    "type": "object",
    "required": ["where"],
    "properties": {"text": {"type": "string"}, "where": {"enum": ["again", "done"]}},
}


def staged(stages: str = STAGES, **schemas: Any) -> Pack:
    files = {
        "pack.yaml": "name: talk\nversion: 1\nflow: stages.yaml\n",
        "stages.yaml": stages,
        "contracts/listen.yaml": "template: guide\n",
        "contracts/reply.yaml": "template: guide\n",
        "contracts/listen.schema.json": json.dumps(schemas.get("listen", LISTEN)),
        "contracts/reply.schema.json": json.dumps(schemas.get("reply", REPLY)),
        "templates/guide.md": GUESS,
    }
    return read_pack({name: text.encode() for name, text in files.items()})


def test_stages_are_read_as_they_are_declared():
    """Contract, inputs, guard, rules, merge and edges, loops allowed."""
    graph = staged().stages
    assert graph is not None
    listen, answer = graph.stages.values()

    assert (graph.start, graph.end) == ("listen", "session_end")
    assert listen.contract == "listen"
    assert listen.optional == ("cached_state",)
    assert listen.merge == {"heard": "/heard", "mood.now": "/mood/now"}
    assert listen.next_field == "/nextStep"
    assert answer.contract == "reply"
    assert answer.guard is not None
    assert [rule.id for rule in answer.rules] == ["short"]
    assert answer.sets_next
    assert graph.edges() == (
        ("listen", "answer", "answer"),
        ("listen", "session_end", "session_end"),
        ("answer", "again", "listen"),
        ("answer", "done", "session_end"),
    )
    assert graph.stage("session_end") is None


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("start: listen", "start: liston", 1, "'liston' does not exist"),
        ("end: session_end", "end: listen", 2, "cannot be a stage"),
        ("next: [answer, session_end]", "next: [session_end]", 8, "allows 'answer'"),
        ("next: [answer, session_end]", "next: [answer, session_end, bye]", 8, "'bye' does not"),
        ("again: listen, done: session_end", "again: listen", 17, "allows 'done'"),
        ("again: listen", "again: answer", 0, ""),
        ("done: session_end", "done: answer", 0, ""),
        ("done: session_end}", "done: session_end, never: listen}", 17, "ever say 'never'"),
        ("field: /where", "field: /text", 17, "no enumeration"),
        ("heard: /heard", "heard: /herd", 7, "'/herd' is no field"),
        ("now: /mood/now", "now: /mood/then", 7, "'/mood/then' is no field"),
        ('{".": ""}', '{".": "", x: /text}', 15, "nothing can be merged beside"),
        ("[user_prompt, cached_state]\n    optional", "[user_prompt]\n    optional", 5, "asks for"),
        (
            "inputs: [user_prompt, cached_state]\n    rules",
            "inputs: [user_prompt, cached_state, more]\n    rules",
            12,
            "no place for 'more'",
        ),
        ("optional: [cached_state]", "optional: [summary]", 6, "optional but no input"),
        ("contract: reply", "contract: replay", 10, "'replay' does not exist"),
        ("size(output.text) < 200", "size(output.text < 200", 14, "rule 'short'"),
        ("guard: state.listen.heard == true", "guard: state.listen ==", 11, "answer.guard"),
        (
            "guard: state.listen.heard",
            "guard: output.text != '' && state.listen.heard",
            11,
            "output",
        ),
        ("sets_next: true", "sets_nxt: true", 16, "not known"),
    ],
)
def test_a_graph_that_does_not_hold_is_refused_with_its_line(old, new, line, words):
    """Found when the pack is read, not when a conversation gets there."""
    text = STAGES.replace(old, new, 1)
    assert text != STAGES
    if not words:  # still a graph that holds: a loop on itself, or the end through the other
        assert staged(text).stages is not None
        return
    with pytest.raises(PackError) as caught:
        staged(text)

    assert ("stages.yaml", line) == (caught.value.file, caught.value.line)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("file", "old", "new", "fault"),
    [
        ("stages", "merge: {platos: /platos}", "merge: {a: /platos, a.b: /siguiente}", "within"),
        ("stages", "merge: {platos: /platos}", "merge: {a.b: /platos, a: /siguiente}", "within"),
        ("stages", "state.escuchar.local", "state.nadie.local", "no stage merges"),
        ("stages", "state.escuchar.local", "state.escuchar.sitio", "no stage merges"),
        ("contracts/ordenar", "state.escuchar.local", "state.servir.local.x", "nothing ever"),
        ("contracts/ordenar", "state.escuchar.local", "state.preparar.local", "no stage merges"),
    ],
)
def test_what_would_be_lost_in_the_state_is_refused(file, old, new, fault):
    """Merges that overwrite each other, and tables that wait for what nobody stores."""
    files = dict(cafe.FILES)
    files[f"{file}.yaml"] = files[f"{file}.yaml"].replace(old.encode(), new.encode())
    with pytest.raises(PackError, match=rf"^stages\.yaml:\d+: .*{fault}"):
        read_pack(files, name_hint="cafe")


@pytest.mark.parametrize("name", ["session_id", "nextStep"])
def test_no_stage_takes_the_place_of_the_session_itself(name):
    """Its slice would overwrite what the runtime keeps in the state."""
    files = {
        path.replace("servir", name): content.replace(b"servir", name.encode())
        for path, content in cafe.FILES.items()
    }
    with pytest.raises(PackError, match=f"'{name}' stands in the state by itself"):
        read_pack(files, name_hint="cafe")


def test_a_stage_that_nothing_leads_to_is_refused():
    """It would never be asked."""
    text = STAGES + "  island:\n    contract: reply\n    inputs: [user_prompt, cached_state]\n"
    text += "    next: {field: /where, to: {again: island, done: session_end}}\n"
    with pytest.raises(PackError, match="'island': cannot be reached"):
        staged(text)


def test_a_loop_without_a_way_out_is_refused():
    """No dead end but the end: from every stage the session can still finish."""
    listen = {**LISTEN, "properties": {**LISTEN["properties"], "nextStep": {"const": "answer"}}}
    reply = {**REPLY, "properties": {**REPLY["properties"], "where": {"enum": ["again"]}}}
    text = STAGES.replace("next: [answer, session_end]", "next: [answer]").replace(
        ", done: session_end", ""
    )
    with pytest.raises(PackError, match="no way leads from here to 'session_end'"):
        staged(text, listen=listen, reply=reply)


names = st.sampled_from(["a", "b", "c", "d", "e"])


@given(
    st.dictionaries(names, st.lists(st.sampled_from(["a", "b", "c", "d", "e", "end"]), max_size=3))
)
def test_a_graph_without_faults_always_finds_the_end(edges):
    """Walking in every possible way: nothing unreachable, nothing that cannot finish."""
    stages = {
        name: Stage(
            name=name, contract=name, next_field="", next={str(n): t for n, t in enumerate(targets)}
        )
        for name, targets in edges.items()
    }
    graph = StageGraph(start="a", end="end", stages=stages)
    faults = [f for f in find_graph_faults(graph, {}) if f.key != "contract"]

    def reach(start: str) -> set[str]:
        seen, waiting = {start}, [start]
        while waiting:
            for target in edges.get(waiting.pop(), []):
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return seen

    sound = (
        "a" in edges
        and set(edges) <= reach("a")
        and reach("a") <= {*edges, "end"}
        and all("end" in reach(name) for name in edges)
    )
    assert sound is not bool(faults)


@pytest.mark.parametrize(
    ("pointer", "found"),
    [
        ("", True),
        ("/mood", True),
        ("/mood/now", True),
        ("/mood/then", False),
        ("/heard/x", False),
        ("/$defs", False),
    ],
)
def test_a_field_is_one_that_the_schema_declares(pointer, found):
    """References within the document are followed."""
    assert found is (schema_at(LISTEN, pointer) is not None)


def test_a_reference_in_a_circle_declares_nothing():
    """And ends."""
    assert schema_at({"properties": {"a": {"$ref": "#/properties/a"}}}, "/a/b") is None


def test_mermaid_shows_every_edge_once():
    """A value that is its target's name needs no label."""
    graph = staged().stages
    assert graph is not None

    assert draw_mermaid(graph) == (
        "flowchart TD\n"
        '    s0["listen"]\n'
        '    s1["answer"]\n'
        '    s2(["session_end"])\n'
        "    s0 --> s1\n"
        "    s0 --> s2\n"
        '    s1 -->|"again"| s0\n'
        '    s1 -->|"done"| s2\n'
    )


def test_svg_is_a_picture_that_stands_alone():
    """Well-formed, every stage and every label in it, the same bytes each time."""
    graph = staged().stages
    assert graph is not None
    picture = draw_svg(graph)
    root = ET.fromstring(picture)
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]

    assert ["again", "done", "listen", "answer", "session_end"] == texts
    assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) == 5
    assert picture == draw_svg(graph)


def test_names_cannot_break_out_of_a_picture():
    """A pack may be somebody else's."""
    graph = flow_graph(['<script>"x"</script>', "b"], end='"] --> c')

    assert "<script>" not in draw_svg(graph)
    ET.fromstring(draw_svg(graph))
    assert '"&quot;] --> c"' in draw_mermaid(graph)


def test_an_ordered_flow_is_drawn_as_a_chain():
    """Contracts in their order, then the end."""
    assert [("a", "", "b"), ("b", "", "end")] == list(flow_graph(["a", "b"]).edges())
