"""Figures that providers report."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.http_faults import token_count


@pytest.mark.clause("006-M2")
@given(st.integers(0, 2**53 - 1))
def test_a_count_is_a_whole_number_however_json_writes_it(count):
    """`512` and `512.0` are the same number to whoever reads JSON."""
    assert count == token_count(count) == token_count(json.loads(f"{count}.0"))


@pytest.mark.clause("006-M2")
@pytest.mark.parametrize("value", [True, "7", -1, -1.0, 0.5, 1e300, float("nan"), None, [7]])
def test_anything_else_is_no_count(value):
    """Neither truth values nor texts, nothing negative or broken."""
    assert token_count(value) is None
