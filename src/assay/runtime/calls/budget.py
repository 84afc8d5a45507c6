"""The budget of one run in tokens and money: what may still be sent, and what was used.

In      limits; tokens about to be sent and what they cost at most; what was used
Out     a reservation, or none when it would not fit
Spec    000 "Token budgets are enforced by configuration and logged in audit events"; 006-M6

Tokens and money are reserved before a call and settled after it, so that calls under way at the
same time cannot exceed the limit together. Inputs under way at the same time reserve as if they
came one after another: an input is begun beside others only where the most that all of them may
use still fits, so that none of them can be refused; otherwise it waits until it is alone, and is
granted or refused by what those before it used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from assay.contract.budget import Usage
from assay.contract.contract import Contract
from assay.core.amounts import written_amount
from assay.runtime.costs.cost import Cost, Spending, exact_sum


@dataclass(slots=True)
class _Reservation:
    usage: Usage
    cost: Decimal
    spending: Spending
    settled: bool = False

    def settle(self, usage: Usage, cost: Cost | None = None) -> None:
        """Replace the estimate by what was used.

        Args:
            cost: None where it is not known: the most that it can have been stays on account.
        """
        self.usage, self.settled = usage, True
        self.spending.add(cost)
        if cost is not None:
            self.cost = cost.amount


@dataclass(slots=True, kw_only=True)
class RunBudget:
    """Limits are model tokens, and money, over all calls of the run; None is no limit."""

    max_input_tokens: int | None = None
    max_output_tokens: int | None = None
    max_total_tokens: int | None = None
    max_cost: Decimal | None = None
    """In the currency that the model's price is given in."""

    usage: Usage = field(default_factory=Usage)
    """Used or reserved so far."""

    used: Usage = field(default_factory=Usage)
    """Of the calls that were answered."""

    cost: Decimal = Decimal(0)
    """Spent or reserved so far, as far as prices are known."""

    spending: Spending = field(default_factory=Spending)
    """What the calls cost that were answered."""

    @contextmanager
    def reserve(
        self, input_tokens: int, output_tokens: int, cost: Decimal | None = None
    ) -> Iterator[_Reservation | None]:
        """Hold what one call takes; yields None, and holds nothing, when it does not fit.

        Args:
            cost: What the call costs at most; None is not known, and fits no limit of money.
        """
        wanted = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
        money = Decimal(0) if cost is None else cost
        if not self._fits(self.usage.plus(wanted)) or not self._is_affordable(cost):
            yield None
            return
        held = _Reservation(wanted, money, self.spending)
        self.usage = self.usage.plus(wanted)
        self.cost = exact_sum(self.cost, money)
        try:
            yield held
        finally:
            self.usage = Usage(
                input_tokens=self.usage.input_tokens + held.usage.input_tokens - input_tokens,
                output_tokens=self.usage.output_tokens + held.usage.output_tokens - output_tokens,
            )
            self.cost = exact_sum(self.cost, held.cost, -money)
            if held.settled:
                self.used = self.used.plus(held.usage)

    @property
    def limited(self) -> bool:
        """Is anything limited at all?"""
        tokens = (self.max_input_tokens, self.max_output_tokens, self.max_total_tokens)
        return self.max_cost is not None or any(limit is not None for limit in tokens)

    def has_room(self, most: Usage, cost: Decimal | None) -> bool:
        """Would all of it fit beside what is used and reserved?"""
        return self._fits(self.usage.plus(most)) and self._is_affordable(cost)

    def _fits(self, after: Usage) -> bool:
        return all(
            limit is None or used <= limit
            for limit, used in (
                (self.max_input_tokens, after.input_tokens),
                (self.max_output_tokens, after.output_tokens),
                (self.max_total_tokens, after.total_tokens),
            )
        )

    def _is_affordable(self, cost: Decimal | None) -> bool:
        if self.max_cost is None:
            return True
        return cost is not None and exact_sum(self.cost, cost) <= self.max_cost

    def to_dict(self) -> dict[str, Any]:
        """Limits, and what is used or reserved; money only where it has a limit."""
        money = {} if self.max_cost is None else self._money(self.max_cost)
        return {
            "max_input_tokens": self.max_input_tokens,
            "max_output_tokens": self.max_output_tokens,
            "max_total_tokens": self.max_total_tokens,
            **self.usage.to_dict(),
            **money,
        }

    def _money(self, limit: Decimal) -> dict[str, str]:
        return {"max_cost": written_amount(limit), "cost": written_amount(self.cost)}


def most_of_flow(contracts: Iterable[Contract]) -> Usage:
    """What one input may use at most: every attempt of every contract, to its limits."""
    most = Usage()
    for contract in contracts:
        limits = contract.budget
        for attempt in contract.attempts:
            each = Usage(
                input_tokens=limits.input_limit(attempt), output_tokens=limits.max_output_tokens
            )
            most = most.plus(each)
    return most
