"""Rules in CEL: never a pass by accident."""

from __future__ import annotations

import cel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.gate.gate import GateContext
from assay.gate.rules import Rule

OUTPUT = {
    "intents": [{"label": "A", "confidence": 0.9}, {"label": "B", "confidence": 1}],
    "primary_intent": "A",
    "text": "é😀 und so",
    "n": 3,
}
HERE = GateContext(state={"seen": ["A"]}, input={"texts": {"body": "Rohr"}})


def found(assert_text, output=OUTPUT, context=HERE, **facts):
    rule = Rule.compile(id="r", assert_text=assert_text, **facts)
    return [(finding.code, finding.severity) for finding in rule(output, context)]


@pytest.mark.parametrize(
    "assert_text",
    [
        "true",
        "output.intents.exists(i, i.label == output.primary_intent)",
        "output.intents.all(i, i.confidence > 0.5)",
        "output.intents.filter(i, i.confidence > 0.95)[0].label == 'B'",
        "output.intents.map(i, i.label) == ['A', 'B']",
        "output.intents.map(i, i)[1].label == 'B'",
        "output.intents[1].confidence == 1",
        "output.intents.exists(i, i == output.intents[0])",
        "output.intents.exists(i, has(i.label) && !has(i.nothing))",
        "output.intents.all(i, output.intents.exists(j, j.label == i.label && j.confidence > 0.0))",
        'output["primary_intent"] == "A"',
        "output.primary_intent in state.seen",
        "input.texts.body.contains('Rohr')",
        "size(output) == 4",
        "!has(output.nothing)",
        "output.n % 2 == 1",
        "output.n == 3.0",
        "'output.nothing' != \"output['\"",
        "r'\\' != 'output.' // output.nothing",
        "output.intents.all(output, output.label != '')",
        "size(output.intents) == 2 && output.intents.size() == 2",
        "size('größe') == 5",
        "output.text.size() == 9",
        "size({'a': 1}) == 1 && size(b'ab') == 2 && 'size(' != ''",
    ],
)
def test_a_true_rule_finds_nothing(assert_text):
    """The language is CEL, whatever part of the output an expression looks at."""
    assert [] == found(assert_text)


@pytest.mark.parametrize(
    "assert_text",
    [
        "false",
        "output.primary_intent == 'B'",
        "output.nothing == 1",
        "output.intents[9].label == 'A'",
        "output.intents.exists(i, i.nothing == 1)",
        "1 / 0 == 1",
        "output.n + 0.5 == 3.5",
        "output",
        "output.n",
        "'true'",
        "null",
        "now() == 1",
        "i.all(i, i)",
        "size(output.n) == 1",
        "state.nothing.deeper",
        "input.nothing",
    ],
)
def test_a_rule_that_is_false_errs_or_is_no_boolean_rejects(assert_text):
    """Only `true` is a pass."""
    assert [("rule.r", "reject")] == found(assert_text)


def test_state_may_be_absent():
    """Outside of a session a rule that needs the state does not hold."""
    assert [] == found("state == null", context=GateContext())
    assert [("rule.r", "reject")] == found("state.seen == []", context=GateContext())


def test_a_rule_may_carry_a_code_a_severity_and_a_message_of_its_own():
    """A remark stays one only as long as the rule can be evaluated."""
    facts = {"code": "label.primary_not_listed", "severity": "note", "message": "not listed"}
    rule = Rule.compile(id="r", assert_text="output.a", **facts)

    def answer(output):
        return [(f.code, f.severity, f.message) for f in rule(output, HERE)]

    assert [] == answer({"a": True})
    assert [("label.primary_not_listed", "note", "not listed")] == answer({"a": False})
    assert [
        ("label.primary_not_listed", "reject", "the rule 'r' is neither true nor false")
    ] == answer({"a": 1})
    assert [
        ("label.primary_not_listed", "reject", "the rule 'r' could not be evaluated")
    ] == answer({})


@pytest.mark.parametrize(
    "assert_text",
    ["", "1 +", "output.", "outptu.n == 1", "output.n == m", "import os"],
)
def test_what_is_no_expression_over_the_three_variables_is_refused(assert_text):
    """A misspelt variable is a mistake of the pack, said when it is read."""
    with pytest.raises(InputError):
        Rule.compile(id="r", assert_text=assert_text)


def test_messages_quote_nothing():
    """An error of the evaluator may hold values; a finding does not."""
    rule = Rule.compile(id="r", assert_text="output.a + 1 == 2 && {'x': 1}[output.a] == 1")
    (finding,) = rule({"a": "Jane Roe"}, HERE)

    assert "Jane" not in finding.message


def test_holding_is_a_yes_or_no():
    """For conditions that choose, such as the next stage."""
    rule = Rule.compile(id="r", assert_text="output.n > 2 && state.ready")

    assert rule.holds({"n": 3}, {"ready": True})
    assert not rule.holds({"n": 1}, {"ready": True})
    assert not rule.holds({"n": 3}, {})
    assert not rule.holds({"n": 3})


expressions = st.sampled_from(
    [
        "output.a == output.b",
        "output.list.exists(i, i.a == output.a)",
        "output.list.all(i, has(i.a))",
        "output.list.exists_one(i, i.a == 1)",
        "output.list.map(i, i.a) == [1, 2]",
        "output.list.filter(i, i.a == 1) == [{'a': 1, 'b': 2}]",
        "output.list.exists(i, i.b.exists(j, j == i.a))",
        "output.list == output.b",
        "output.list.exists(i, i == 1) || output.list.exists(i, i.a == 1)",
        "has(output.a) && !has(output.c)",
        "output.a.b == 1",
        "has(output.a.b)",
        "output == {'a': 1}",
        "'a' in output",
    ]
)
small = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(["a", ""]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=6,
)
outputs = st.dictionaries(st.sampled_from(["a", "b", "c", "list"]), small, max_size=4)


@given(expressions, outputs)
def test_handing_over_a_part_changes_no_answer(assert_text, output):
    """Against the evaluator with the whole output."""
    try:
        expected = cel.compile(assert_text).execute({"output": output})
    except Exception:  # any error of the evaluator
        expected = None
    rule = Rule.compile(id="r", assert_text=assert_text)

    assert (expected is True) == (list(rule(output, GateContext())) == [])
