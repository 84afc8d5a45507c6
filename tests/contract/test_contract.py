"""Contracts: who may answer, what is weighed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.contract.budget import Attempt, Budget, Usage
from assay.contract.contract import Contract, judge
from assay.contract.outcome import Outcome, Reason
from assay.core.json.pointer import PointerPattern
from assay.core.json.schema import Schema
from assay.core.text.spans import Shown
from assay.errors import InputError
from assay.gate import gate
from assay.gate.gate import GateContext
from assay.gate.scores import ScoreRule
from assay.gate.verdict import Finding
from assay.pack.read import read_pack
from tests.pack.small import small_pack

BODY = "It works well and looks fine."


@pytest.fixture(name="contract", scope="module")
def _contract() -> Contract:
    return read_pack(small_pack()).contract("tell")


def said(**changes: object) -> str:
    return json.dumps({"kind": "GOOD", "confidence": 0.9, "quotes": ["looks fine"], **changes})


@pytest.mark.parametrize(
    ("patterns", "model", "allowed"),
    [
        (["*"], "openai:gpt-5", True),
        (["openai:*"], "openai:gpt-5", True),
        (["openai:*"], "anthropic:gpt-5", False),
        (["gpt-5*"], "openai:gpt-5-mini", True),
        (["gpt-5"], "openai:gpt-5-mini", False),
        (["GPT-5"], "openai:gpt-5", False),
        (["embedded"], "embedded", True),
        (["embedded"], "extractive", False),
        (["scripted:*"], "scripted:/a/b c.jsonl", True),
        (["a", "b"], "x:b", True),
    ],
)
def test_a_contract_is_frozen_for_the_models_it_names(contract, patterns, model, allowed):
    """A pattern is matched against `provider:name` and against the name alone."""
    assert allowed is replace(contract, models=tuple(patterns)).allows(model)


@pytest.mark.clause("000-H1", "000-H2", "000-H3", "000-F1", "000-C3", "000-C4")
@pytest.mark.parametrize(
    ("output", "codes"),
    [
        (said(), []),
        (said(kind="good"), ["label.unknown"]),
        (said(quotes=[]), ["evidence.missing"]),
        (said(quotes=["looks bad"]), ["evidence.not_found"]),
        (said(confidence=0.05), ["rule.sure"]),
        (said(confidence=2), ["schema.maximum"]),
        (said() + said(), ["json.trailing"]),
        ("I cannot help with that.", ["output.refusal"]),
        ("", ["output.empty"]),
    ],
)
def test_every_part_of_a_contract_is_asked(contract, output, codes):
    """Schema, labels, evidence and rules each have their say."""
    verdict = judge(contract, output, sources={"text": BODY})

    assert codes == sorted(finding.code for finding in verdict.findings)
    assert (codes == []) is verdict.accepted


def test_only_what_was_shown_is_evidence(contract):
    """The same words outside the shown slices do not count."""
    shown = [Shown(name="text", original=BODY, segments=((0, 13),))]

    assert judge(contract, said(quotes=["works well"]), shown=shown).accepted
    assert not judge(contract, said(quotes=["looks fine"]), shown=shown).accepted


def test_bytes_and_text_weigh_the_same(contract):
    """What came over the wire is judged as it came."""
    text = said()
    sources = {"text": BODY}

    assert (
        judge(contract, text, sources=sources).to_dict()
        == judge(contract, text.encode(), sources=sources).to_dict()
    )


def test_shown_and_sources_together_are_a_mistake(contract):
    """One of them would silently lose."""
    with pytest.raises(InputError):
        judge(contract, said(), shown=[], sources={})


def test_a_check_that_breaks_rejects(contract):
    """No path leads from an exception to acceptance."""

    def broken(output, context):
        raise ZeroDivisionError("in a check")

    spoilt = replace(contract, extra=(broken,))
    verdict = judge(spoilt, said(), sources={"text": BODY})

    assert ["check.error"] == [finding.code for finding in verdict.findings]
    assert not verdict.accepted


def test_a_check_in_python_stands_beside_the_others(contract):
    """Published checks see the output and what it is weighed against."""

    def no_body(output, context):
        if not context.input.get("seen"):
            yield Finding(code="mine.unseen", message="nobody has seen it")

    extended = replace(contract, extra=(no_body,))

    assert not judge(extended, said(), sources={"text": BODY}).accepted
    assert judge(extended, said(), sources={"text": BODY}, input={"seen": True}).accepted


def test_findings_come_in_the_order_of_the_checks(contract):
    """Labels, evidence, scores, rules, checks in Python: a record of them compares by order."""

    def unseen(output, context):
        yield Finding(code="mine.unseen", message="nobody has seen it")

    full = replace(contract, scores=(PointerPattern.compile("/confidence"),), extra=(unseen,))
    verdict = judge(full, said(kind="x", quotes=[], confidence=0.1), sources={"text": BODY})

    assert [
        "label.unknown",
        "evidence.missing",
        "score.precision",
        "rule.sure",
        "mine.unseen",
    ] == [finding.code for finding in verdict.findings]


SCORES = ScoreRule(pattern=PointerPattern.compile("/**/score"))


def scores_found(raw):
    verdict = gate.judge(raw, GateContext(), [SCORES], schema=Schema.compile({}))
    return [(finding.code, finding.path) for finding in verdict.findings]


@pytest.mark.clause("003-C3", "003-O2")
@pytest.mark.parametrize("number", ["0.87", "0.90", "1.00", "0.00", "10.25"])
def test_two_decimals_are_accepted(number):
    """Trailing zeros are part of a score."""
    assert [] == scores_found(f'{{"score": {number}}}')


@pytest.mark.clause("003-C3", "003-O2")
@pytest.mark.parametrize(
    "number",
    ["0.9", "0.870", "9e-1", "1", "0", "-0.50", "8.70e-1", "0.87e0", "0.87E+0", "-0.00", '"0.87"',
     "true", "null", "[]", "{}", "[0.87]"],
)  # fmt: skip
def test_any_other_spelling_is_not(number):
    """Equal values, another sign, an exponent, more or fewer digits, no number at all."""
    assert [("score.precision", "/score")] == scores_found(f'{{"score": {number}}}')


def test_every_score_is_looked_at():
    """Each has its place, and numbers elsewhere are left alone."""
    raw = '{"a": [{"score": 0.50}, {"score": 0.5}], "score": 1.0, "n": 3, "m": 0.123}'

    assert [("score.precision", "/a/1/score"), ("score.precision", "/score")] == scores_found(raw)


@given(st.integers(0, 10_000))
def test_every_hundredth_is_a_score_in_one_spelling_only(number):
    """Written with two decimals it passes; as the shortest number it passes only if that
    happens to be the same."""
    written = f"{number / 100:.2f}"

    assert [] == scores_found(f'{{"score": {written}}}')
    assert (written == str(number / 100)) == (scores_found(f'{{"score": {number / 100}}}') == [])


@pytest.mark.parametrize("number", [0, 3, -1])
def test_the_ladder_has_no_other_rungs(contract, number):
    """There is no third attempt."""
    assert contract.attempt(2) == Attempt(temperature=0.0, shorten=True)
    with pytest.raises(InputError):
        contract.attempt(number)


@pytest.mark.clause("000-B1")
@pytest.mark.parametrize(
    ("attempt", "limit"),
    [
        (Attempt(), 3000),
        (Attempt(shorten=True), 1500),
        (Attempt(shorten=True, max_input_tokens=900), 900),
        (Attempt(max_input_tokens=9000), 3000),
    ],
)
def test_a_shortened_attempt_has_half_the_budget_unless_it_says_otherwise(attempt, limit):
    """And no attempt has more than the contract."""
    assert limit == Budget(max_input_tokens=3000, max_output_tokens=1).input_limit(attempt)


@pytest.mark.parametrize(
    ("tokens", "used", "broken"),
    [
        (100, Usage(), None),
        (101, Usage(), "max_input_tokens"),
        (100, Usage(input_tokens=90), "max_total_tokens"),
        (50, Usage(input_tokens=60, output_tokens=40), None),
        (51, Usage(input_tokens=60, output_tokens=40), "max_total_tokens"),
    ],
)
def test_a_call_that_could_break_a_limit_is_named_before_it_is_made(tokens, used, broken):
    """The whole of the allowed output counts as used beforehand."""
    budget = Budget(max_input_tokens=100, max_output_tokens=50, max_total_tokens=200)

    assert broken == budget.broken_by(tokens, used)


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("accepted", "gate.rejected"),
        ("needs_review", None),
        ("needs_review", "no_evidence"),
        ("no_evidence", "gate.rejected"),
        ("needs_review", "because"),
    ],
)
def test_an_outcome_cannot_contradict_its_reason(status, reason):
    """Impossible ends are refused."""
    with pytest.raises(InputError):
        Outcome(status=status, reason=reason)


def test_outcomes_print_as_pinned():
    """Programs match on these words."""
    assert {"outcome": "accepted", "reason": None} == Outcome.accepted().to_dict()
    assert {"outcome": "no_evidence", "reason": "no_evidence"} == Outcome.no_evidence().to_dict()
    reasons = {
        "input.shortened",
        "gate.rejected",
        "budget.exceeded",
        "input.unreadable",
        "model.refused",
        "assembly.failed",
        "no_evidence",
        "session.conflict",
        "gave_up",
    }
    assert reasons == {reason.value for reason in Reason}
    for reason in reasons - {"no_evidence"}:
        assert Outcome.review(reason).to_dict() == {"outcome": "needs_review", "reason": reason}
