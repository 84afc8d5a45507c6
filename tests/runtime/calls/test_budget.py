"""The token budget of a run holds, whatever order calls come and go in."""

from __future__ import annotations

from contextlib import ExitStack

from hypothesis import given
from hypothesis import strategies as st

from assay.contract.budget import Usage
from assay.runtime.calls.budget import RunBudget

TOKENS = st.integers(min_value=0, max_value=500)


@given(limit=TOKENS, calls=st.lists(st.tuples(TOKENS, TOKENS), max_size=12))
def test_calls_under_way_together_never_exceed_the_limit(limit, calls):
    """Reservations held at the same time stay within the total; others are turned away."""
    budget = RunBudget(max_total_tokens=limit)
    with ExitStack() as held:
        granted = [held.enter_context(budget.reserve(*call)) for call in calls]
        taken = sum(sum(call) for call, grant in zip(calls, granted, strict=True) if grant)

        assert taken <= limit
        assert taken == budget.usage.total_tokens


@given(wanted=TOKENS, used=TOKENS)
def test_what_was_used_replaces_what_was_reserved(wanted, used):
    """After a call the budget knows the real figures, not the estimate."""
    budget = RunBudget()
    with budget.reserve(wanted, wanted) as reserved:
        reserved.settle(Usage(input_tokens=used, output_tokens=0))

    assert Usage(input_tokens=used, output_tokens=0) == budget.usage == budget.used


def test_a_call_that_fails_keeps_its_estimate_on_the_account():
    """When the exchange ends in an exception the tokens may have been spent: they count."""
    budget = RunBudget()
    try:
        with budget.reserve(10, 5):
            assert 0 == budget.used.total_tokens
            raise KeyError
    except KeyError:
        pass

    assert 15 == budget.usage.total_tokens
    assert 0 == budget.used.total_tokens
