"""The token budget of one run: what may still be sent, and what was used.

In      limits; tokens about to be sent; tokens that were used
Out     a reservation, or none when it would not fit
Spec    000 "Token budgets are enforced by configuration and logged in audit events"

Tokens are reserved before a call and settled after it, so that calls under way at the same
time cannot exceed the limit together.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class _Reservation:
    input_tokens: int
    output_tokens: int

    def used(self, input_tokens: int | None, output_tokens: int | None) -> None:
        """Replace the estimate by what the provider counted, where it did."""
        if input_tokens is not None:
            self.input_tokens = input_tokens
        if output_tokens is not None:
            self.output_tokens = output_tokens


@dataclass(slots=True, kw_only=True)
class RunBudget:
    """Limits are model tokens over all calls of the run; None is no limit."""

    max_input_tokens: int | None = None
    max_output_tokens: int | None = None
    max_total_tokens: int | None = None
    input_tokens: int = 0
    output_tokens: int = 0

    @contextmanager
    def reserve(self, input_tokens: int, output_tokens: int) -> Iterator[_Reservation | None]:
        """Hold the tokens of one call; yields None, and holds nothing, when they do not fit."""
        if not self._fits(input_tokens, output_tokens):
            yield None
            return
        held = _Reservation(input_tokens, output_tokens)
        self.input_tokens += input_tokens
        self.output_tokens += output_tokens
        try:
            yield held
        finally:
            self.input_tokens += held.input_tokens - input_tokens
            self.output_tokens += held.output_tokens - output_tokens

    def _fits(self, input_tokens: int, output_tokens: int) -> bool:
        after_input = self.input_tokens + input_tokens
        after_output = self.output_tokens + output_tokens
        return (
            (self.max_input_tokens is None or after_input <= self.max_input_tokens)
            and (self.max_output_tokens is None or after_output <= self.max_output_tokens)
            and (
                self.max_total_tokens is None
                or after_input + after_output <= self.max_total_tokens
            )
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "max_input_tokens": self.max_input_tokens,
            "max_output_tokens": self.max_output_tokens,
            "max_total_tokens": self.max_total_tokens,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
        }
