"""Which price a model has: what is listed, at the server that bills so, and nothing by guess."""

from __future__ import annotations

from decimal import Decimal

import pytest

from assay.errors import InputError
from assay.runtime.costs.price_list import PriceList, read_prices
from assay.wiring.prices import prices_of

pytestmark = pytest.mark.clause("006-M6")

HOME = {"host": "api.openai.com"}
ENTRY = "{model: 'openai:m', input: 1, output: 2, currency: EUR, as_of: 2026-11-01"


def listed(*entries: str) -> PriceList:
    """A user's list of entries, each without its closing brace."""
    return PriceList(own=read_prices("prices:\n" + "".join(f"- {e}}}\n" for e in entries), "p"))


def inputs(prices: PriceList, model: str, host: str = "") -> Decimal | None:
    """The price of input, where it is known."""
    price = prices.find(model, {"host": host} if host else {})
    return None if price is None else price.rates.input


def test_the_library_lists_well_known_models_each_with_its_day_and_source():
    """At the provider's own address alone."""
    public = prices_of(None).public

    assert {"openai", "anthropic"} <= {entry.model.partition(":")[0] for entry in public}
    assert all(entry.host and entry.price.as_of and entry.price.source for entry in public)
    assert all("*" not in entry.model for entry in public)
    assert len({(entry.model, entry.host) for entry in public}) == len(public)
    assert all(entry.price.rates.cached_input != 0 for entry in public)


@pytest.mark.parametrize("host", ["localhost:8000", "x.openai.azure.com", "openrouter.ai", ""])
def test_the_same_name_at_another_server_is_not_known(host):
    """Who hosts it sets the price."""
    prices = prices_of(None)

    assert prices.find("openai:gpt-4.1", HOME) is not None
    assert prices.find("openai:gpt-4.1", {"host": host}) is None


def test_a_snapshot_is_billed_as_the_model_it_is_of_unless_it_is_listed_itself():
    """And a near name is no snapshot."""
    prices = prices_of(None)
    base, dated = prices.find("openai:gpt-4o", HOME), prices.find("openai:gpt-4o-2024-11-20", HOME)
    first = prices.find("openai:gpt-4o-2024-05-13", HOME)

    assert base == dated
    assert base is not None
    assert first is not None
    assert first.rates.input > base.rates.input
    assert prices.find("openai:gpt-4o-audio", HOME) is None
    assert prices.find("openai:gpt-4o", HOME, "gpt-4o-2024-05-13") == first


def test_another_model_than_asked_is_not_billed_as_the_one_that_was():
    """What answered is what is billed."""
    assert prices_of(None).find("openai:gpt-4.1", HOME, "cheap-fallback-7b") is None


def test_models_in_this_process_cost_nothing_and_played_ones_are_unknown():
    """Nobody bills the first; what a script stands for nobody knows."""
    prices = PriceList()

    assert Decimal(0) == inputs(prices, "extractive") == inputs(prices, "embedded:x.gguf")
    assert inputs(prices, "scripted:r.jsonl") is None
    assert inputs(prices, "recorded:r.jsonl") is None


def test_the_users_file_comes_first_and_is_taken_at_its_word():
    """Exact before a snapshot, a snapshot before a pattern; a host narrows."""
    prices = listed(
        ENTRY.replace("openai:m", "openai:*").replace("input: 1", "input: 9"),
        ENTRY,
        ENTRY.replace("input: 1", "input: 7, host: 'box:8000'"),
        ENTRY.replace("openai:m", "scripted:*").replace("input: 1", "input: 3"),
    )

    assert Decimal(1) == inputs(prices, "openai:m", "elsewhere")
    assert Decimal(1) == inputs(prices, "openai:m-2026-01-31")
    assert Decimal(9) == inputs(prices, "openai:other")
    assert Decimal(3) == inputs(prices, "scripted:/tmp/r.jsonl")
    assert inputs(prices, "anthropic:m") is None


def test_prices_are_the_digits_that_are_written():
    """With quotes or without."""
    prices = listed(ENTRY.replace("input: 1", "input: 0.00001, cached_input: '0.10'"))
    price = prices.find("openai:m", {})

    assert price is not None
    assert (Decimal("0.00001"), Decimal("0.10")) == (price.rates.input, price.rates.cached_input)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("prices: ]", 1),
        ("costs: []", 1),
        ("prices: {}", 1),
        ("prices:\n- 5", 2),
        ("prices:\n- {model: m}", 2),
        (f"prices:\n- {ENTRY}}}\n- {ENTRY.replace('output: 2', 'output: -2')}}}", 3),
        (f"prices:\n- {ENTRY.replace('output: 2', 'output: .inf')}}}", 2),
        (f"prices:\n- {ENTRY.replace('output: 2', 'output: true')}}}", 2),
        (f"prices:\n- {ENTRY.replace('EUR', 'euro')}}}", 2),
        (f"prices:\n- {ENTRY.replace('2026-11-01', 'today')}}}", 2),
        (f"prices:\n- {ENTRY.replace('2026-11-01', '2026-02-31')}}}", 2),
        (f"prices:\n- {ENTRY}, above: {{input: 3}}}}", 2),
        (f"prices:\n- {ENTRY}, above: {{input_tokens: 5, input: 3}}}}", 2),
        ("prices:\n- model: m\n  input: 1\n  outptu: 2\n", 4),
    ],
)
def test_a_fault_names_its_file_and_line(text, line):
    """Nothing of a list that is wrong is used."""
    with pytest.raises(InputError) as refused:
        read_prices(text, "own.yaml")

    assert str(refused.value).startswith(f"own.yaml:{line}: ")
