"""The token budget of one run: what may still be sent, and what was used.

In      limits; tokens about to be sent; tokens that were used
Out     a reservation, or none when it would not fit
Spec    000 "Token budgets are enforced by configuration and logged in audit events"

Tokens are reserved before a call and settled after it, so that calls under way at the same
time cannot exceed the limit together. Inputs under way at the same time reserve as if they came
one after another: an input is begun beside others only where the most that all of them may use
still fits, so that none of them can be refused; otherwise it waits until it is alone, and is
granted or refused by what those before it used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from assay.contract.budget import Usage
from assay.contract.contract import Contract


@dataclass(slots=True)
class _Reservation:
    usage: Usage

    def settle(self, usage: Usage) -> None:
        """Replace the estimate by what was used."""
        self.usage = usage


@dataclass(slots=True, kw_only=True)
class RunBudget:
    """Limits are model tokens over all calls of the run; None is no limit."""

    max_input_tokens: int | None = None
    max_output_tokens: int | None = None
    max_total_tokens: int | None = None
    usage: Usage = field(default_factory=Usage)
    """Used or reserved so far."""

    @contextmanager
    def reserve(self, input_tokens: int, output_tokens: int) -> Iterator[_Reservation | None]:
        """Hold the tokens of one call; yields None, and holds nothing, when they do not fit."""
        wanted = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
        if not self._fits(self.usage.plus(wanted)):
            yield None
            return
        held = _Reservation(wanted)
        self.usage = self.usage.plus(wanted)
        try:
            yield held
        finally:
            self.usage = Usage(
                input_tokens=self.usage.input_tokens + held.usage.input_tokens - input_tokens,
                output_tokens=self.usage.output_tokens + held.usage.output_tokens - output_tokens,
            )

    @property
    def limited(self) -> bool:
        """Is anything limited at all?"""
        limits = (self.max_input_tokens, self.max_output_tokens, self.max_total_tokens)
        return any(limit is not None for limit in limits)

    def has_room(self, most: Usage) -> bool:
        """Would all of it fit beside what is used and reserved?"""
        return self._fits(self.usage.plus(most))

    def _fits(self, after: Usage) -> bool:
        return all(
            limit is None or used <= limit
            for limit, used in (
                (self.max_input_tokens, after.input_tokens),
                (self.max_output_tokens, after.output_tokens),
                (self.max_total_tokens, after.total_tokens),
            )
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "max_input_tokens": self.max_input_tokens,
            "max_output_tokens": self.max_output_tokens,
            "max_total_tokens": self.max_total_tokens,
            **self.usage.to_dict(),
        }


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
