"""What an exchange costs: exact, never below nought, and unknown rather than guessed."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.runtime.costs.cost import (
    Cost,
    Counts,
    Price,
    Rates,
    Spending,
    exact_sum,
    exchange_cost,
    written_amount,
)

pytestmark = pytest.mark.clause("006-M6")

TOKENS = st.integers(min_value=1, max_value=10**7)
AMOUNTS = st.decimals(min_value=0, max_value=1000, places=6, allow_nan=False, allow_infinity=False)
RATES = st.builds(
    Rates, input=AMOUNTS, output=AMOUNTS, cached_input=AMOUNTS, cache_write=AMOUNTS | st.none()
)
COUNTS = st.builds(
    Counts, input=TOKENS, output=TOKENS, cached=st.integers(0, 10**7), written=st.integers(0, 10**7)
)


def price(rates: Rates, **more: object) -> Price:
    """A price of today."""
    return Price(rates=rates, currency="USD", as_of="2026-11-05", **more)  # type: ignore[arg-type]


def amount(rates: Rates, counts: Counts, counted: int = 1, allowed: int = 1) -> Decimal:
    """What it costs, where that is known."""
    cost = exchange_cost(price(rates), counts, counted=counted, allowed=allowed)
    assert cost is not None
    return cost.amount


@given(RATES, COUNTS)
def test_a_cost_is_the_sum_of_its_parts_to_the_last_digit(rates, counts):
    """As whoever adds it up on paper: whole millionths, nothing rounded."""
    cached = min(counts.cached, counts.input)
    wrote = min(counts.written, counts.input - cached) if rates.cache_write is not None else 0
    parts = (
        (counts.input - cached - wrote) * rates.input,
        cached * rates.cached_input,
        wrote * (rates.cache_write or 0),
        counts.output * rates.output,
    )

    assert sum(parts) == amount(rates, counts) * 1_000_000


@given(RATES, COUNTS, TOKENS)
def test_more_tokens_never_cost_less_and_nothing_costs_less_than_nought(rates, counts, more):
    """A longer reply, or a longer prompt of which no more is cached, is never cheaper."""
    longer = Counts(
        input=counts.input,
        output=counts.output + more,
        cached=counts.cached,
        written=counts.written,
    )

    assert 0 <= amount(rates, counts) <= amount(rates, longer)


@given(RATES, COUNTS)
def test_a_call_never_costs_more_than_its_bound_for_these_tokens(rates, counts):
    """What is reserved holds, however the provider splits the input."""
    most = price(rates).highest_cost(counts.input, counts.output)

    assert most is not None
    assert amount(rates, counts) <= most


@given(RATES, TOKENS, TOKENS)
def test_a_provider_that_does_not_count_leaves_a_marked_estimate_of_the_most(rates, counted, most):
    """No usage is no reason for nought."""
    assume(rates.input + rates.output > 0)
    cost = exchange_cost(
        price(rates), Counts(input=None, output=None), counted=counted, allowed=most
    )

    assert cost is not None
    assert cost.amount * 1_000_000 == counted * rates.input + most * rates.output
    assert cost.estimated


def test_where_a_price_is_not_known_the_cost_is_not_known():
    """No price, no price of cached input although some was cached, a prompt over the list."""
    rates = Rates(input=Decimal(2), output=Decimal(8))
    cached = Counts(input=100, output=10, cached=50)
    plain = Counts(input=100, output=10)

    assert exchange_cost(None, plain, counted=1, allowed=1) is None
    assert exchange_cost(price(rates), cached, counted=1, allowed=1) is None
    assert exchange_cost(price(rates, above=99), plain, counted=1, allowed=1) is None
    assert exchange_cost(price(rates, above=100), plain, counted=1, allowed=1) is not None
    assert price(rates, above=100).highest_cost(51, 1) is None


def test_a_long_prompt_is_billed_whole_at_the_prices_of_long_prompts():
    """Output included, as providers do."""
    long_rates = Rates(input=Decimal(4), output=Decimal(15))
    dear = price(Rates(input=Decimal(2), output=Decimal(10)), above=1000, long_rates=long_rates)
    cost = exchange_cost(dear, Counts(input=1001, output=10), counted=1, allowed=1)

    assert cost is not None
    assert Decimal(1001 * 4 + 10 * 15) == cost.amount * 1_000_000
    assert dear.highest_cost(600, 10) == Decimal(600 * 4 + 10 * 15) / 1_000_000


def test_input_that_may_have_been_kept_counts_as_kept_and_is_marked():
    """Keeping costs more than reading; a provider that does not say is taken at the most."""
    rates = Rates(
        input=Decimal(2), output=Decimal(0), cached_input=Decimal(0), cache_write=Decimal(3)
    )
    counts = Counts(input=100, output=1, cached=40, written=None)
    cost = exchange_cost(price(rates), counts, counted=1, allowed=1)

    assert cost is not None
    assert (Decimal(60 * 3), True) == (cost.amount * 1_000_000, cost.estimated)


@given(st.lists(AMOUNTS, max_size=8))
def test_spending_holds_every_amount_exactly(amounts):
    """In any order; through the record and back."""
    costs = [Cost(amount=each, currency="USD", as_of="2026-01-01") for each in amounts]
    again = [Cost.from_dict(cost.to_dict()) for cost in costs]
    spending = Spending.of(reversed(again))

    assert exact_sum(*amounts) == exact_sum(*(cost.amount for cost in spending.costs.values()))
    assert 0 == spending.unknown


def test_what_is_not_known_is_counted_and_not_added():
    """A sum with an unknown part is no sum."""
    known = Cost(amount=Decimal("0.5"), currency="USD", as_of="2026-01-01")
    spending = Spending.of([known, None, known])

    assert spending.whole is None
    assert "1 USD, 1 call of unknown price" == str(spending)
    assert {"exchanges": 3, "unknown": 1} == {
        key: spending.to_dict()[key] for key in ("exchanges", "unknown")
    }


@given(st.decimals(min_value=0, max_value=10**6, places=12))
def test_an_amount_is_written_in_digits_that_give_it_again(given_amount):
    """No exponent, no rounding."""
    text = written_amount(given_amount)

    assert Decimal(text) == given_amount
    assert set(text) <= set("0123456789.")


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"prompt_tokens_actual": 0, "completion_tokens_actual": 0}, (None, None, 0, None)),
        (
            {
                "prompt_tokens_actual": 9,
                "completion_tokens_actual": 2,
                "details": {"cached_tokens": 4},
            },
            (9, 2, 4, None),
        ),
        (
            {
                "model_name": "anthropic:m",
                "prompt_tokens_actual": 9,
                "completion_tokens_actual": 2,
                "details": {"cache_read_input_tokens": 4, "cache_creation_input_tokens": 3},
            },
            (9, 2, 4, 3),
        ),
        (
            {"model_name": "anthropic:m", "prompt_tokens_actual": 9, "completion_tokens_actual": 2},
            (9, 2, 0, 0),
        ),
    ],
)
def test_counts_are_read_as_adapters_write_them(facts, expected):
    """Nought for a prompt that was sent is no count."""
    counts = Counts.of_answer({"model_name": "openai:m", **facts})

    assert expected == (counts.input, counts.output, counts.cached, counts.written)
