"""Money of a call: its limit before it is made, its amount after.

In      the RuntimeContext, a RunBudget, an Execution
Out     a bound, a Cost; UsageError where a limit cannot be held
Pure    yes
Spec    006-M6
"""

from __future__ import annotations

from decimal import Decimal

from assay.contract.model_names import shown_model
from assay.core.amounts import written_amount
from assay.errors import UsageError
from assay.runtime.calls.budget import RunBudget
from assay.runtime.calls.context import RuntimeContext
from assay.runtime.calls.execution import Execution
from assay.runtime.costs.cost import Cost, Counts, exchange_cost


def require_price(context: RuntimeContext, budget: RunBudget) -> None:
    """A limit of money is held only for a model whose price is known.

    Raises:
        UsageError: it is not known; nothing was sent.
    """
    if budget.max_cost is None or context.price is not None:
        return
    host = context.model.identity.get("host")
    at = f" at {host}" if host else ""
    name = shown_model(context.model.name)
    raise UsageError(
        f"what {name!r}{at} costs is not known, so max_cost cannot be held",
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
