"""What is told of a rule without the evaluator is what the evaluator says."""

from __future__ import annotations

import cel
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.gate.gate import GateContext
from assay.gate.rules import ROOTS, Rule, _tokens
from assay.gate.sure import sure

LISTED = "output.intents.exists(i, i.label == output.main)"


def told(expression, output, state=None):
    """The answer without the evaluator; NotImplemented where the form is not told at all."""
    answer = sure(list(_tokens(expression)), ROOTS)
    if answer is None:
        return NotImplemented
    return answer({"output": output, "state": state, "input": {}})


texts = st.sampled_from(["A", "B", "ä"])
labels = texts | st.sampled_from(["", 1, 1.0, True, None, ["A"], {"label": "A"}])
items = st.lists(st.builds(lambda label, n: {"label": label, "n": n}, texts, st.integers(0, 3)))
documents = st.fixed_dictionaries(
    {"intents": items, "main": texts, "list": st.lists(texts), "n": st.integers(0, 3)},
    optional={"done": st.booleans()},
)
broken = st.builds(
    lambda document, **given: document | given,
    documents,
    intents=st.lists(st.fixed_dictionaries({}, optional={"label": labels, "n": labels}) | labels),
    main=labels,
    list=st.lists(labels),
    n=labels,
)
SIGNS = ["==", "!=", "<", "<=", ">", ">="]


@st.composite
def expressions(draw, depth=3, items=()):
    """An expression that may speak of *items*, the variables of the macros around it."""
    inner = expressions(depth=depth - 1, items=items)
    form = draw(st.integers(0, 3 if depth else 1))
    if form == 0:
        words = ["output.main", "state.main", "'A'", '"ä"', "''", *(f"{i}.label" for i in items)]
        one, other = draw(st.sampled_from(words)), draw(st.sampled_from([*words, *items]))
        listed = draw(st.sampled_from(["output.list", "state.list"]))
        return draw(
            st.sampled_from([f"{one} == {other}", f"{one} != {other}", f"{one} in {listed}"])
        )
    if form == 1:
        numbers = ["output.n", "state.n", "1", "0", "size(output.list)", *(f"{i}.n" for i in items)]
        one, other = draw(st.sampled_from(numbers)), draw(st.sampled_from(numbers))
        return draw(
            st.sampled_from([f"{one} {sign} {other}" for sign in SIGNS] + ["output.done", "true"])
        )
    if form == 2:
        one, other = draw(inner), draw(inner)
        return draw(
            st.sampled_from(
                [f"{one} && {other}", f"({one} || {other})", f"!({one})", f"{one} == {other}"]
            )
        )
    name = draw(st.sampled_from([name for name in "ijk" if name not in items]))
    macro = draw(st.sampled_from(["exists", "all", "exists", "all", "exists_one"]))
    inside = draw(expressions(depth=depth - 1, items=(*items, name)))
    return f"{draw(st.sampled_from(['output', 'state']))}.intents.{macro}({name}, {inside})"


@given(expressions(), documents | broken, documents | broken | st.none())
@example(LISTED, {"intents": [{"label": "A"}, {"label": "B"}], "main": "B"}, None)
@example(LISTED, {"intents": [{"label": "A"}, {}], "main": "A"}, None)
def test_what_is_told_is_what_the_evaluator_says(expression, output, state):
    """Neither True nor False is told where the evaluator says anything else, or errs."""
    answer = told(expression, output, state)
    if answer is NotImplemented or answer is None:
        return
    functions = {"size": len}
    assert cel.compile(expression).execute({"output": output, "state": state} | functions) is answer


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        (LISTED, True),
        ("output.intents.all(i, i.label != output.main)", False),
        ("output.main in output.list && size(output.list) == 2", True),
        ("output.done || !output.done", True),
        ("output.count >= 10 || (output.main == 'B' && !(output.count < 3))", True),
        ("output.intents.exists(i, output.list.all(j, j != i.label))", False),
    ],
)
def test_these_forms_are_told(expression, answer):
    """Comparisons, membership, sizes, logic and the two macros need no evaluator."""
    output = {
        "intents": [{"label": "A"}, {"label": "B"}],
        "main": "B",
        "list": ["A", "B"],
        "done": False,
        "count": 3,
    }

    assert told(expression, output) is answer


@pytest.mark.parametrize(
    "expression",
    [
        "output.a == 'x' ? true : false",
        "output.list[0] == 'A'",
        "output.a.startsWith('A')",
        "has(output.a)",
        "output.n == 1.0",
        "output.n == 1u",
        "output.n == -1",
        "output.a == 'it\\'s'",
        "output.a == r'x'",
        "output.a + 'x' == output.b",
        "(output.a == output.b) == true",
        "output.list.exists(output, output == 'A')",
        "output.list.exists_one(i, i == 'A')",
        "output.list.filter(i, i == 'A') == output.list",
        "output.list.exists(i, i == 'A') == true",
    ],
)
def test_other_forms_are_left_to_the_evaluator(expression):
    """What is not listed is not told, whatever the output is."""
    assert told(expression, {"a": "x", "b": "x", "n": 1, "list": ["A"]}) is NotImplemented


@pytest.mark.parametrize(
    "output",
    [
        {"intents": [{"label": "A"}]},
        {"intents": [{"label": "A"}], "main": None},
        {"intents": [{"label": "A"}, {"label": 1}], "main": "A"},
        {"intents": [{"label": "A"}, "A"], "main": "A"},
        {"intents": {"A": "A"}, "main": "A"},
        {"intents": None, "main": "A"},
        {"main": "A"},
        {},
    ],
)
def test_what_is_missing_or_of_another_type_is_not_certain(output):
    """Then the evaluator answers, and so does the rule."""
    assert told(LISTED, output) is None


def test_a_rule_that_is_told_to_fail_is_still_asked_of_the_evaluator():
    """Only a certain yes saves the evaluation: the finding of a no is made in one place."""
    rule = Rule.compile(id="listed", assert_text=LISTED)
    output = {"intents": [{"label": "A"}], "main": "B"}

    assert told(LISTED, output) is False
    assert [finding.code for finding in rule(output, GateContext())] == ["rule.listed"]
