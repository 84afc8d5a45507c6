"""Scores as they were written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.json.pointer import PointerPattern
from assay.core.json.schema import Schema
from assay.gate.gate import GateContext, judge
from assay.gate.shape import ScoreRule

SCORES = ScoreRule(pattern=PointerPattern.compile("/**/score"))
ANYTHING = Schema.compile({})


def found(raw):
    verdict = judge(raw, GateContext(), [SCORES], schema=ANYTHING)
    return [(finding.code, finding.path) for finding in verdict.findings]


@pytest.mark.clause("003-C3", "003-O2")
@pytest.mark.parametrize("number", ["0.87", "0.90", "1.00", "0.00", "10.25"])
def test_two_decimals_are_accepted(number):
    """Trailing zeros are part of a score."""
    assert [] == found(f'{{"score": {number}}}')


@pytest.mark.clause("003-C3", "003-O2")
@pytest.mark.parametrize(
    "number",
    ["0.9", "0.870", "9e-1", "1", "0", "-0.50", "8.70e-1", "0.87e0", "0.87E+0", "-0.00", '"0.87"',
     "true", "null", "[]", "{}", "[0.87]"],
)  # fmt: skip
def test_any_other_spelling_is_not(number):
    """Equal values, another sign, an exponent, more or fewer digits, no number at all."""
    assert [("score.precision", "/score")] == found(f'{{"score": {number}}}')


def test_every_score_is_looked_at():
    """Each has its place, and numbers elsewhere are left alone."""
    raw = '{"a": [{"score": 0.50}, {"score": 0.5}], "score": 1.0, "n": 3, "m": 0.123}'

    assert [("score.precision", "/a/1/score"), ("score.precision", "/score")] == found(raw)


@given(st.integers(0, 10_000))
def test_every_hundredth_is_a_score_in_one_spelling_only(number):
    """Written with two decimals it passes; as the shortest number it passes only if that
    happens to be the same."""
    written = f"{number / 100:.2f}"

    assert [] == found(f'{{"score": {written}}}')
    assert (written == str(number / 100)) == (found(f'{{"score": {number / 100}}}') == [])
