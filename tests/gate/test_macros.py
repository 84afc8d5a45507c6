"""Macros of CEL: one answer in any order of the items, at a bounded cost."""

# ruff: noqa: E501 - a case a line

from __future__ import annotations

import json
import subprocess
import sys
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.gate.gate import GateContext
from assay.gate.macros import MAX_WORK, size_of, take_apart
from assay.gate.rules import Rule

HERE = GateContext()
COSTS = "costs more than a rule may"


def said(assert_text, output):
    """None for a rule that holds, else what the finding says."""
    found = list(Rule.compile(id="r", assert_text=assert_text)(output, HERE))
    return found[0].message if found else None


# Errors are absorbed by the item that decides; where none does, they remain.
ORDERS = [
    ("output.o.exists(i, i.x > 3)", [{"x": "s"}, {"x": 5}, {}], None),
    ("output.o.exists(i, i.x > 7)", [{"x": "s"}, {"x": 5}, {}], "could not be evaluated"),
    ("!output.o.all(i, i.x < 3)", [{"x": "s"}, {"x": 5}, {}], None),
    ("output.o.all(i, i.x < 9)", [{"x": "s"}, {"x": 5}, {}], "could not be evaluated"),
    ("output.o.exists_one(i, i.x > 3)", [{"x": "s"}, {"x": 5}, {"x": 1}], "could not be evaluated"),
    ("output.o.exists_one(i, i.x > 3)", [{"x": 2}, {"x": 5}, {"x": 1}], None),
    ("output.o.filter(i, i.x > 3) != []", [{"x": "s"}, {"x": 5}], "could not be evaluated"),
    ("output.o.map(i, i.x).exists(x, x == 5)", [{"x": 5}, {}], "could not be evaluated"),
    ("output.o.exists(i, i.y.exists(z, z > 1))", [{}, {"y": ["a", 2]}, {"y": [0]}], None),
    ("output.o.exists(i, i.x)", [{"x": 1}, {"x": True}], None),
    ("output.o.exists(i, i.x)", [{"x": 1}, {"x": False}], "could not be evaluated"),
    ("has(output.p) && output.p.all(i, i)", [1, 2], "does not hold"),
    ("!has(output.p) || output.p.all(i, i)", [1, 2], None),
    ("output.o.all(i, i > 0) || output.o.exists(i, i == 'a')", ["a", 1, 2], None),
]


@pytest.mark.clause("005-G12")
@pytest.mark.parametrize(("assert_text", "items", "expected"), ORDERS)
def test_a_rule_gives_the_same_answer_in_any_order_of_the_items(assert_text, items, expected):
    """An item that errs neither hides one that decides nor is hidden by its place."""
    answers = {said(assert_text, {"o": list(order)}) for order in permutations(items)}

    assert 1 == len(answers)
    (answer,) = answers
    assert (expected is None) == (answer is None)
    assert expected is None or expected in str(answer)


ITEMS = st.lists(
    st.sampled_from([1, 5, "s", True, None, {"x": 4}, {"x": "s"}, {}, [1], []]), max_size=5
)
BODIES = st.sampled_from(
    [
        "i > 3",
        "i.x > 3",
        "i == 5",
        "has(i.x)",
        "i in [1, 's']",
        "i.exists(j, j > 0)",
        "i.x == 4 || i",
    ]
)


@pytest.mark.clause("005-G12")
@settings(max_examples=200, deadline=None)
@given(ITEMS, BODIES, st.sampled_from(["exists", "all", "exists_one"]), st.randoms())
def test_shuffling_the_items_changes_no_answer(items, body, macro, random):
    """For whatever items, with and without errors."""
    rule = Rule.compile(id="r", assert_text=f"output.o.{macro}(i, {body})")
    shuffled = random.sample(items, len(items))

    assert list(rule({"o": items}, HERE)) == list(rule({"o": shuffled}, HERE))


LONG = {
    "a": list(range(16_000)),
    "b": list(range(16_000)),
    "o": [{"label": "A"}] * 16_000,
    "s": "x" * 16_000,
    "k": 0,
}


@pytest.mark.clause("005-G12")
@pytest.mark.parametrize(
    "assert_text",
    [
        "output.a.map(x, output.b.map(y, x * y)).size() > 0",
        "size(output.a.map(x, output.b.filter(y, y == x))) > 0",
        "output.a.all(x, x in output.b)",
        "output.a.all(x, output.b.exists(y, y == x))",
        "output.a.all(x, output.b[0] == 0)",
        "output.a.map(x, output.s).size() > 0",
        "output.a.exists(x, (output.a + output.b).size() == x)",
    ],
)
def test_a_rule_that_would_cost_too_much_is_a_finding(assert_text):
    """The work is bounded by a limit of the system here, by counting in the rule."""
    script = (
        "import json, resource, sys\n"
        "from assay.gate.gate import GateContext\n"
        "from assay.gate.rules import Rule\n"
        "rule = Rule.compile(id='r', assert_text=sys.argv[1])\n"
        "output = json.load(sys.stdin)\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (15, 15))\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))\n"
        "print([f.severity + ' ' + f.message for f in rule(output, GateContext())])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, assert_text],
        input=json.dumps(LONG),
        capture_output=True,
        text=True,
        check=False,
    )

    assert 0 == done.returncode, done.stderr
    assert done.stdout.startswith("['reject") or done.stdout.startswith('["reject')
    assert COSTS in done.stdout


@pytest.mark.clause("005-G12")
@pytest.mark.parametrize(
    "assert_text",
    [
        "output.a.map(x, x + 1).size() == 16000",
        "output.a.filter(x, x >= output.k).size() == 16000",
        "output.o.all(i, i.label == 'A')",
        "!output.o.exists(i, i.label == 'B' || size(i.label) > 1)",
        "output.o.map(i, i.label).all(l, l == 'A')",
        "size(output.s) == 16000",
    ],
)
def test_a_rule_that_looks_at_each_item_once_is_evaluated_however_many_there_are(assert_text):
    """Only what multiplies is refused."""
    assert said(assert_text, LONG) is None


@pytest.mark.parametrize(
    ("source", "bare", "over"),
    [
        ("output.a.filter(x, x > 1).map(y, y).size()", "held_by_macro_0.size()", ["output.a.filter(x, x > 1)"]),
        ("x in output.a.map(i, i)", "x in held_by_macro_0", ["output.a"]),
        ("a - f(b[0].c).exists(z, z.all(q, q))", "a - held_by_macro_0", ["f(b[0].c)"]),
        ("(a + b).all(i, i) && [1, 2].all(i, i)", "held_by_macro_0 && held_by_macro_1", ["(a + b)", "[1, 2]"]),
        ("'a.all(b, c)' == m['k'].s", "'a.all(b, c)' == m['k'].s", []),
        ("all(output.a)", "all(output.a)", []),
    ],
)  # fmt: skip
def test_a_macro_is_taken_out_with_what_it_goes_over(source, bare, over):
    """Chains go into what is gone over; texts are no code."""
    found = take_apart(source)

    assert (bare, over) == (found[0], [macro.over for macro in found[1]])


def test_what_a_value_costs_is_what_it_holds():
    """Values, keys, and long texts by their length."""
    assert [1, 1, 3, 3, 65] == [size_of(v) for v in (None, "short", [1, 2], {"a": 1}, "x" * 1024)]
    assert MAX_WORK > size_of(LONG)
