"""What was exchanged with models, as it stands on record: tokens, time, money.

In      facts of `model.answered`; calls on record
Out     ModelUse
Effects store reads
Spec    006-M6

A cost is worked out once, when the reply comes, and stands on record; whoever adds up reads it
there. A replay asks no model, so it costs nothing and changes no cost.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.protocols import CallRow, Store
from assay.runtime.costs.cost import Cost, Counts, Spending

USAGE = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")
"""What is counted of an exchange; thinking is part of the output, cached input of the input."""


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
    uses = await gather(*(use_of_call(store, row.id) for row in rows))  # read together
    return {row.id: use.spending.whole_cost() for row, use in zip(rows, uses, strict=True)}
