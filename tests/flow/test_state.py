"""State, summaries and slots of a conversation."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.text.tokens import count
from assay.errors import IntegrityError
from assay.flow.graph import Slot, Stage, TurnRules
from assay.flow.slots import cost, fill_slot, rank_rows
from assay.flow.state import KEPT_RESPONSES, Memory, Step, merge_slice, next_of, state_text
from assay.flow.summary import shorten_line, with_turn
from assay.gate.tables import Places, Table

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(max_size=8)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from(["a", "b", "c", "nextStep"]), JSON, max_size=4)


def stage(**more: Any) -> Stage:
    return Stage(name="s", contract="s", next_field="/nextStep", next={"x": "y"}, **more)


@given(JSON)
def test_state_text_is_json_that_means_the_same(value):
    """Whatever the value is; key order is kept."""
    assert json.loads(state_text(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.9, "0.90"), (1.0, "1.00"), (0.875, "0.875"), (1, "1"), (1e-7, "1e-07"), (0.5, "0.50")],
)
@pytest.mark.clause("003-C3")
def test_scores_keep_two_decimals_in_the_state(value, text):
    """A fraction is written with two decimals at least."""
    assert text == state_text(value)


@given(OBJECTS, OBJECTS)
@pytest.mark.clause("003-C5", "003-O4")
def test_only_the_declared_slice_is_merged(state, output):
    """The state before, and under the stage's name what the merge names: nothing else."""
    after = merge_slice(state, stage(merge={"x.y": "/a"}), output)

    assert state == {key: value for key, value in after.items() if key != "s" or key in state}
    assert after["s"] == ({"x": {"y": output["a"]}} if "a" in output else {"x": {}})


def test_a_merge_takes_a_copy():
    """What is merged does not change with the output it came from."""
    output = {"a": {"b": [1]}}
    after = merge_slice({}, stage(merge={".": "/a"}, sets_next=False), output)
    output["a"]["b"].append(2)

    assert after == {"s": {"b": [1]}}


def test_the_next_step_enters_the_state_only_where_declared():
    """`sets_next` decides; a value without an edge leads nowhere."""
    assert "nextStep" not in merge_slice({}, stage(), {"nextStep": "x"})
    assert merge_slice({}, stage(sets_next=True), {"nextStep": "x"}) == {"nextStep": "x"}
    assert next_of(stage(), {"nextStep": "x"}) == "y"
    assert next_of(stage(), {"nextStep": "z"}) is None
    assert next_of(stage(), {}) is None


@given(OBJECTS, st.text(max_size=20))
def test_a_memory_survives_being_written(state, message):
    """Bytes and back."""
    memory = Memory(
        cached_state={"session_id": "i", **state},
        message=message,
        trail=(Step(stage="s", outcome="accepted", attempts=1, call="c"),),
        summary=({"turn": 1},),
    )
    assert Memory.from_bytes(memory.to_bytes()) == memory


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff", b'{"cached_state": 1}'])
def test_what_is_no_memory_is_refused(content):
    """Never half a session."""
    with pytest.raises(IntegrityError):
        Memory.from_bytes(content)


@given(st.lists(st.text(max_size=300), max_size=30))
@pytest.mark.clause("003-I2")
def test_a_summary_never_outgrows_its_limits(messages):
    """At most twenty items, each short, the latest kept."""
    memory = Memory.of_new("i")
    for number, message in enumerate(messages, start=1):
        opened = memory.open_turn(message, whole=message, directive="", findings=())
        memory = Memory(
            cached_state=opened.cached_state, summary=with_turn(opened, number, TurnRules())
        )

    assert len(memory.summary) == min(20, len(messages))
    assert all(len(item["user"]) <= 120 for item in memory.summary)
    assert [item["turn"] for item in memory.summary] == list(
        range(max(1, len(messages) - 19), len(messages) + 1)
    )


def test_what_is_shortened_says_so():
    """An ellipsis stands for the rest; line ends become spaces."""
    assert shorten_line("a\n b", 20) == "a b"
    assert shorten_line("abcdef", 4) == "abc…"
    assert shorten_line("a" + " " * 400 + "b", 20) == "a…"


# --- slots ----------------------------------------------------------------------------------

ROWS = tuple(
    {"key": f"k{number}", "of": "x" if number % 2 else "y", "name": name}
    for number, name in enumerate(
        ["retirement benefits", "burial flag", "health care", "pension for retired sailors"]
    )
)
TABLE = Table(name="t", key=("key",), rows=ROWS, columns=("key", "of", "name"), digest="")


def slot(most: int, **limits: Places) -> Slot:
    return Slot(
        name="index",
        table=TABLE,
        limits=limits,
        columns=("key", "name"),
        rank=("name",),
        max_tokens=most,
    )


@pytest.mark.clause("003-I5", "003-I6")
def test_rows_that_fit_stand_in_their_order():
    """Only those of the state's values; none where the state has no such place."""
    only = Places(paths=("state.gone", "state.chosen"))
    found = fill_slot(slot(500, of=only), {"chosen": ["y"]}, "burial", "o200k_base")

    assert [json.loads(line)["key"] for line in found.text.split("\n")] == ["k0", "k2"]
    assert (found.rows, found.omitted) == (2, ())
    assert fill_slot(slot(500, of=only), {}, "burial", "o200k_base").text == ""


def test_rows_that_do_not_fit_are_ranked_and_the_rest_is_named():
    """What has most in common with the question comes first."""
    found = fill_slot(slot(40), {}, "Who was retired from the health service?", "o200k_base")

    assert [json.loads(line)["key"] for line in found.text.split("\n")] == ["k2", "k3"]
    assert found.omitted == ("k0", "k1")
    assert found.to_dict() == {"rows": 4, "shown": 2, "omitted": ["k0", "k1"]}


@given(st.text(max_size=60), st.integers(1, 200))
def test_a_slot_keeps_its_budget_and_loses_nothing_unnamed(question, most):
    """Shown and left out are all rows; the same question gives the same text."""
    found = fill_slot(slot(most), {}, question, "o200k_base")
    shown = [json.loads(line)["key"] for line in found.text.split("\n") if line]

    assert sorted([*shown, *found.omitted]) == ["k0", "k1", "k2", "k3"]
    assert count(found.text) <= most
    assert found == fill_slot(slot(most), {}, question, "o200k_base")


@given(st.text(max_size=40))
def test_ranking_is_a_permutation(question):
    """Every row once."""
    assert sorted(rank_rows(ROWS, ["name"], question)) == [0, 1, 2, 3]


@pytest.mark.parametrize(("spare", "fits"), [(0, True), (-1, False)])
def test_a_slot_takes_a_row_that_fits_to_the_token(spare, fits):
    """The budget may be used up; with one token less the second row gives way and is named."""
    question = "Who was retired from the health service?"
    two = fill_slot(slot(40), {}, question, "o200k_base").text.split("\n")
    exact = sum(cost(line, "o200k_base") for line in two)
    found = fill_slot(slot(exact + spare), {}, question, "o200k_base")

    assert two[0] == found.text.split("\n")[0]
    assert fits is (two[1] in found.text.split("\n"))
    assert fits is (json.loads(two[1])["key"] not in found.omitted)


@pytest.mark.clause("003-O4")
def test_the_latest_replies_are_remembered_and_no_more():
    """Two hundred ids are kept, the oldest give way; what is no text is no id."""
    memory = Memory.of_new("s-1")
    step = Step(stage="s", outcome="accepted", attempts=1, call="c")
    for number in range(KEPT_RESPONSES + 3):
        memory = memory.after(stage(), {"response_id": f"r{number}"}, step, "/reply")
    memory = memory.after(stage(), {"response_id": 7}, step, "/reply")

    assert 200 == KEPT_RESPONSES
    assert tuple(f"r{number}" for number in range(3, KEPT_RESPONSES + 3)) == memory.responses


@pytest.mark.clause("005-C22")
@pytest.mark.parametrize("blank", ["", " ", "\t", "--", "\u200b"])
def test_a_blank_reply_id_is_none(blank):
    """It is not remembered: a later reply may be blank, and is refused for that alone."""
    step = Step(stage="a", outcome="accepted", attempts=1, call="c")
    after = Memory.of_new("s").after(stage(), {"response_id": blank}, step, "/reply")

    assert () == after.responses
    assert ("r-1",) == after.after(stage(), {"response_id": "r-1"}, step, "/reply").responses


@pytest.mark.clause("005-C22")
def test_an_output_without_a_next_step_or_slice_leaves_a_state_that_can_be_written():
    """What is not there is not taken over."""
    at = stage(sets_next=True, merge={".": "/absent"})
    state = merge_slice({"session_id": "s"}, at, {"text": "x"})

    assert {"session_id": "s", at.name: {}} == state
    assert Memory(cached_state=state) == Memory.from_bytes(Memory(cached_state=state).to_bytes())
