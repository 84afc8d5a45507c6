"""Golden cases of all three kinds climb the ladder of their own job."""

from __future__ import annotations

import json

import pytest

from assay.pack.golden import golden_cases, run_case
from assay.pack.pack import Pack
from assay.wiring import load_pack
from tests.answers.bundles import QUESTION, bundle, chunk
from tests.runtime.conversations.cafe import cafe

STAGE = {
    "kind": "stage",
    "stage": "preparar",
    "state": {"session_id": "s", "ordenar": {"platos": [{"nombre": "té"}]}},
    "slots": {"input.cached_state": "{}"},
}
ANSWER = {"kind": "answer", "question": QUESTION, "bundle": bundle()}
RIGHT = "The yearly fee is 40 EUR [C0]."
WRONG = "The yearly fee is 41 EUR [C0]."
FAR = bundle(chunk(0, similarity_score=0.1))


def fault_of(pack: Pack, **case: object) -> str | None:
    line = json.dumps({"name": "one", **case}).encode()
    (found,) = golden_cases({"golden/x.jsonl": line})
    fault = run_case(pack, found)
    return None if fault is None else fault.message


@pytest.mark.parametrize(
    ("minutes", "expect"),
    [
        (20, {"outcome": "accepted", "codes": [[]]}),
        (90, {"outcome": "needs_review", "reason": "gate.rejected", "codes": [["rule.minutos"]]}),
    ],
)
def test_a_stage_is_judged_with_the_rules_of_its_graph(minutes, expect):
    """A rule that the graph adds to a contract decides a case of the stage, as it does a turn."""
    replies = [{"json": {"minutos": minutes, "siguiente": "servir"}}]

    assert fault_of(cafe(), **STAGE, replies=replies, expect=expect) is None
    assert fault_of(cafe(), **STAGE, replies=replies, expect={"outcome": "no_evidence"})


def test_a_stage_whose_guard_does_not_hold_sends_nothing():
    """Without a dish in the state the case ends before its first prompt."""
    case = {**STAGE, "state": {"session_id": "s", "ordenar": {"platos": []}}}
    expect = {"outcome": "needs_review", "prompts": [], "attempts": 0}

    assert fault_of(cafe(), **case, replies=[], expect=expect) is None


@pytest.mark.parametrize(
    ("changes", "replies", "expect"),
    [
        ({}, [RIGHT], {"outcome": "accepted", "attempts": 1}),
        ({}, [WRONG, RIGHT], {"outcome": "accepted", "codes": [["grounding.number"], []]}),
        ({}, [WRONG, WRONG], {"outcome": "needs_review", "reason": "gate.rejected"}),
        ({"bundle": FAR}, [], {"outcome": "no_evidence", "prompts": []}),
        ({"bundle": {}}, [], {"outcome": "needs_review", "reason": "assembly.failed"}),
    ],
)
def test_an_answer_is_assembled_and_judged(changes, replies, expect):
    """A case of kind `answer` ends as `assay ask` would: accepted, without evidence, in review."""
    pack = load_pack("grounded")

    assert fault_of(pack, **{**ANSWER, **changes}, replies=replies, expect=expect) is None


@pytest.mark.parametrize(
    ("pack", "case"),
    [
        ("grounded", {**STAGE, "replies": [], "expect": {"outcome": "accepted"}}),
        ("intake", {**ANSWER, "replies": [RIGHT], "expect": {"outcome": "accepted"}}),
        ("grounded", {"kind": "oracle", "replies": [], "expect": {"outcome": "accepted"}}),
    ],
)
def test_a_case_of_a_kind_that_the_pack_does_not_have_is_a_fault(pack, case):
    """A stage in a pack without stages, an answer in one of contracts, a kind that is none."""
    assert fault_of(load_pack(pack), **case)
