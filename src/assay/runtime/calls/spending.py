"""Money of calls: its limit before one is made, its amount after, its sums from the record.

In      the RuntimeContext, an execution; calls on record
Out     a bound, a Cost, Spending; UsageError where a limit cannot be held
Effects store reads
Spec    006-M6

A cost is worked out once, when the reply comes, and stands on record; whoever adds up reads it
there. A replay asks no model, so it costs nothing and changes no cost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from assay.errors import UsageError
from assay.protocols import CallRow, Store
from assay.runtime.calls.budget import RunBudget
from assay.runtime.calls.context import RuntimeContext
from assay.runtime.calls.execution import Execution
from assay.runtime.costs.cost import Cost, Counts, Spending, exchange_cost, written_amount

USAGE = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")
"""What is counted of an exchange; thinking is part of the output, cached input of the input."""


def require_price(context: RuntimeContext, budget: RunBudget) -> None:
    """A limit of money is held only for a model whose price is known.

    Raises:
        UsageError: it is not known; nothing was sent.
    """
    if budget.max_cost is None or context.price is not None:
        return
    host = context.model.identity.get("host")
    at = f" at {host}" if host else ""
    raise UsageError(
        f"what {context.model.name!r}{at} costs is not known, so max_cost cannot be held",
        hint="name a file with its prices in ASSAY_PRICES: model, input, output, currency, as_of",
    )


def bound_of(context: RuntimeContext, counted: int, allowed: int) -> Decimal | None:
    """What a call costs at most: all that is allowed is written, at the dearest price."""
    price = context.price
    return None if price is None else price.highest_cost(counted, allowed)


def money_facts(
    context: RuntimeContext, budget: RunBudget, most: Decimal | None
) -> dict[str, str | None]:
    """What a limit of money says of a call that does not fit.

    Args:
        most: What the call costs at most; None is not known.
    """
    price = context.price
    if budget.max_cost is None or price is None:
        return {}
    return {
        "currency": price.currency,
        "call_cost": None if most is None else written_amount(most),
    }


def cost_of(
    context: RuntimeContext, execution: Execution, *, counted: int, allowed: int
) -> Cost | None:
    """What an exchange cost; None where it is not known."""
    model = context.model
    price = context.prices.find(model.name, model.identity, execution.provider_model)
    counts = Counts.of_answer(execution.telemetry())
    return exchange_cost(price, counts, counted=counted, allowed=allowed)


@dataclass(slots=True, kw_only=True)
class ModelUse:
    """What was exchanged with one model, or in one call."""

    spending: Spending = field(default_factory=Spending)
    latency_ms: int = 0
    """Of all exchanges; waits between tries are not in it."""

    tokens: dict[str, int] = field(default_factory=lambda: dict.fromkeys(USAGE, 0))
    """As providers counted them; what they did not count is not in it."""

    def add(self, answered: Mapping[str, Any]) -> None:
        """One more exchange.

        Args:
            answered: Facts of `model.answered`; records of earlier versions have no cost.
        """
        counts = Counts.of_answer(answered)
        thought = (answered.get("details") or {}).get("reasoning_tokens")
        self.spending.add(Cost.from_dict(answered.get("cost")))
        self.latency_ms += int(answered.get("llm_latency_ms") or 0)
        self.tokens["input_tokens"] += counts.input or 0
        self.tokens["cached_tokens"] += counts.cached
        self.tokens["output_tokens"] += counts.output or 0
        self.tokens["reasoning_tokens"] += thought if type(thought) is int else 0

    def to_dict(self) -> dict[str, Any]:
        return {
            "latency_ms": self.latency_ms,
            **self.tokens,
            "cost": self.spending.to_dict(),
        }


async def use_of_call(store: Store, call_id: str) -> ModelUse:
    """What was exchanged for one call, over all of its attempts."""
    use = ModelUse()
    async for event in store.events(call=call_id, kind="model.answered"):
        use.add(event.facts)
    return use


async def costs_of_calls(store: Store, rows: Sequence[CallRow]) -> dict[str, dict[str, Any] | None]:
    """The cost of each call by its id; None where a part of it is not known."""
    return {row.id: (await use_of_call(store, row.id)).spending.whole_cost() for row in rows}
