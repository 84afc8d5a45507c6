"""What one call may use: limits are kept to the token, whatever was used before."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.contract.budget import Attempt, Budget, Usage
from assay.errors import InputError

LIMIT = st.integers(1, 60)
TOKENS = st.integers(0, 60)


@pytest.mark.clause("000-B1")
@given(LIMIT, LIMIT, st.one_of(st.none(), st.integers(-2, 2)), TOKENS, TOKENS, TOKENS)
def test_a_call_is_let_through_exactly_when_its_worst_case_fits(
    most_in: int, most_out: int, spare: int | None, prompt: int, used_in: int, used_out: int
) -> None:
    """The prompt alone against its limit; with all of the output that is allowed and all that was
    used before against the total. To fill a limit exactly is not to break it."""
    total = None if spare is None else max(1, used_in + used_out + prompt + most_out + spare)
    budget = Budget(max_input_tokens=most_in, max_output_tokens=most_out, max_total_tokens=total)
    broken = budget.broken_by(prompt, Usage(input_tokens=used_in, output_tokens=used_out))
    too_much = total is not None and used_in + used_out + prompt + most_out > total

    assert broken == (
        "max_input_tokens" if prompt > most_in else "max_total_tokens" if too_much else None
    )


@pytest.mark.clause("000-R2", "000-B1")
@given(LIMIT, st.booleans(), st.one_of(st.none(), st.integers(1, 90)))
@example(1, True, None)
def test_no_attempt_may_show_more_than_the_contract_allows(
    most: int, shorten: bool, own: int | None
) -> None:
    """An attempt's own limit counts as far as the contract's reaches; without one a shortened
    attempt has half, and no attempt has nothing."""
    budget = Budget(max_input_tokens=most, max_output_tokens=1)
    limit = budget.input_limit(Attempt(shorten=shorten, max_input_tokens=own))

    assert 1 <= limit <= most
    if own is not None:
        assert limit in (own, most)
        assert limit <= own
    else:
        assert limit == (max(1, most // 2) if shorten else most)


@given(st.lists(st.tuples(TOKENS, TOKENS), max_size=6))
def test_usage_adds_up_in_any_order(parts: list[tuple[int, int]]) -> None:
    """Input with input, output with output; the total is both."""
    forwards, backwards = Usage(), Usage()
    for tokens_in, tokens_out in parts:
        part = Usage(input_tokens=tokens_in, output_tokens=tokens_out)
        forwards, backwards = forwards.plus(part), part.plus(backwards)

    assert forwards == backwards
    assert sum(map(sum, parts)) == forwards.total_tokens
    assert sum(tokens_out for _, tokens_out in parts) == forwards.output_tokens


@pytest.mark.parametrize("name", ["max_input_tokens", "max_output_tokens", "max_total_tokens"])
def test_a_limit_is_one_at_least(name: str) -> None:
    """Nought or less allows nothing and is a mistake."""
    limits = {"max_input_tokens": 1, "max_output_tokens": 1, "max_total_tokens": 1}

    assert limits == Budget(**limits).to_dict()
    with pytest.raises(InputError, match=name):
        Budget(**{**limits, name: 0})
