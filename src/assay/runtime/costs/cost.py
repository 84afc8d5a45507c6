"""What one exchange costs: counts of tokens times prices, exactly.

In      counts as a provider reports them, a price
Out     Cost, or None where a count or a price that is needed is not known; a bound before a call
Pure    yes
Spec    006-M6

Amounts are decimal numbers and never binary ones: a sum of costs is the cost of the sum. What is
not known is never nought. A provider that does not count leaves an upper estimate, marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Context, Decimal
from typing import Any, Final, Self

from assay.contract.budget import all_output, stream_estimate
from assay.core.amounts import written_amount

_EXACT: Final = Context(prec=60)
_MILLION: Final = Decimal("1E-6")
_NOUGHT: Final = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Prices of a million tokens; tokens that a model thinks with are output."""

    input: Decimal
    output: Decimal
    cached_input: Decimal | None = None
    """Input that the provider had read before; None is not known."""

    cache_write: Decimal | None = None
    """Input that the provider keeps to read it again; None where that is not billed apart."""

    @property
    def dearest_input(self) -> Decimal:
        """What a token of input costs at most."""
        return max(self.input, self.cached_input or _NOUGHT, self.cache_write or _NOUGHT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a model costs, and since when that is known."""

    rates: Rates
    currency: str
    as_of: str
    """Day on which the source said so, as `2026-11-05`."""

    source: str = ""
    """Who says so, in words."""

    above: int | None = None
    """Prompts of more tokens than this are billed by `long_rates`, whole; None for no limit."""

    long_rates: Rates | None = None
    """None where what such prompts cost is not known."""

    def rates_of(self, input_tokens: int) -> Rates | None:
        """The prices for a prompt of so many tokens."""
        if self.above is None or input_tokens <= self.above:
            return self.rates
        return self.long_rates

    def highest_cost(self, input_tokens: int, output_tokens: int) -> Decimal | None:
        """What a call of so many tokens costs at most; None where that is not known.

        Our count of a prompt may be off: from half of the limit on, the prices above it count.
        """
        amount = _bill(self.rates, input_tokens, output_tokens)
        if self.above is None or input_tokens * 2 <= self.above:
            return amount
        if self.long_rates is None:
            return None
        return max(amount, _bill(self.long_rates, input_tokens, output_tokens))


def _bill(rates: Rates, input_tokens: int, output_tokens: int) -> Decimal:
    return _sum((input_tokens, rates.dearest_input), (output_tokens, rates.output))


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Tokens of one exchange, as its provider reports them."""

    input: int | None
    """All of the prompt, cached or not; None where it was not counted."""

    output: int | None
    """All that was written, thinking included; None where it was not counted."""

    cached: int = 0
    written: int | None = 0
    """Of the input, kept to be read again; None where the provider does not say."""

    partial: bool = False
    """The exchange was stopped from outside: the output is an estimate."""

    @classmethod
    def of_answer(cls, answered: Mapping[str, Any]) -> Self:
        """From the facts of `model.answered`; a count of 0 for what was sent is none."""
        details = answered.get("details") or {}
        written = _first(details, "cache_write_tokens", "cache_creation_input_tokens")
        if written is None and str(answered["model_name"]).startswith("anthropic:"):
            written = 0  # its adapter names every count that is not nought
        return cls(
            input=answered.get("prompt_tokens_actual") or None,
            output=max(
                all_output(answered.get("completion_tokens_actual"), details) or 0,
                stream_estimate(details),
            )
            or None,
            cached=_first(details, "cached_tokens", "cache_read_input_tokens") or 0,
            written=written,
            partial=answered.get("finish_reason") == "assay_stopped",
        )


def _first(details: Mapping[str, Any], *names: str) -> int | None:
    found = (details.get(name) for name in names)
    return next((each for each in found if type(each) is int and each >= 0), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What was spent."""

    amount: Decimal
    currency: str
    as_of: str
    """Day of the price; of several, the earliest."""

    estimated: bool = False
    """Not counted by the provider: at most so much."""

    def to_dict(self) -> dict[str, Any]:
        """As it stands in events; the amount is a string, exact."""
        return {
            "amount": written_amount(self.amount),
            "currency": self.currency,
            "as_of": self.as_of,
            "estimated": self.estimated,
        }

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any] | None) -> Self | None:
        """From the record; None for what was not known."""
        if facts is None:
            return None
        return cls(
            amount=Decimal(facts["amount"]),
            currency=facts["currency"],
            as_of=facts["as_of"],
            estimated=facts["estimated"],
        )

    def plus(self, other: Cost) -> Cost:
        """Both together; of one currency."""
        return Cost(
            amount=_EXACT.add(self.amount, other.amount),
            currency=self.currency,
            as_of=min(self.as_of, other.as_of),
            estimated=self.estimated or other.estimated,
        )


def exchange_cost(
    price: Price | None, counts: Counts, *, counted: int, allowed: int
) -> Cost | None:
    """What an exchange cost.

    Args:
        price: None where it is not known.
        counted: Our own count of the prompt, where the provider gives none.
        allowed: What the model might have written at most, likewise.

    Returns:
        None where a price that is needed is not known.
    """
    if price is None:
        return None
    read, wrote = counts.input or counted, counts.output or allowed
    rates = price.rates_of(read)
    if rates is None or (counts.cached and rates.cached_input is None):
        return None
    cached = min(counts.cached, read)
    kept, unsure = counts.written, False
    if kept is None or rates.cache_write is None:
        unsure = rates.cache_write is not None
        kept = read - cached if unsure else 0
    kept = min(kept, read - cached)
    amount = _sum(
        (read - cached - kept, rates.input),
        (cached, rates.cached_input or _NOUGHT),
        (kept, rates.cache_write or _NOUGHT),
        (wrote, rates.output),
    )
    missing = counts.input is None or counts.output is None or counts.partial or unsure
    return Cost(
        amount=amount,
        currency=price.currency,
        as_of=price.as_of,
        estimated=missing and amount != 0,
    )


def _sum(*parts: tuple[int, Decimal]) -> Decimal:
    total = _NOUGHT
    for tokens, rate in parts:
        total = _EXACT.add(total, _EXACT.multiply(_EXACT.multiply(tokens, rate), _MILLION))
    return total


def exact_sum(*amounts: Decimal) -> Decimal:
    """Amounts together, without rounding."""
    total = _NOUGHT
    for amount in amounts:
        total = _EXACT.add(total, amount)
    return total


@dataclass(slots=True)
class Spending:
    """A sum of costs, and how many calls it does not hold because their price is not known."""

    costs: dict[str, Cost] = field(default_factory=dict)
    """By currency."""

    exchanges: int = 0
    unknown: int = 0

    @classmethod
    def of(cls, costs: Iterable[Cost | None]) -> Self:
        spending = cls()
        for cost in costs:
            spending.add(cost)
        return spending

    def add(self, cost: Cost | None) -> None:
        """One more exchange; None is one of unknown price."""
        self.exchanges += 1
        if cost is None:
            self.unknown += 1
            return
        before = self.costs.get(cost.currency)
        self.costs[cost.currency] = cost if before is None else before.plus(cost)

    @property
    def whole(self) -> Cost | None:
        """The one sum of it all; None when a part is not known, or there are two currencies."""
        if self.unknown or len(self.costs) != 1:
            return None
        return next(iter(self.costs.values()))

    def whole_cost(self) -> dict[str, Any] | None:
        """`whole` as it is printed; where nothing was sent, nought of no currency."""
        if not self.exchanges:
            return {"amount": "0", "currency": None, "as_of": None, "estimated": False}
        return None if self.whole is None else self.whole.to_dict()

    def to_dict(self) -> dict[str, Any]:
        return {
            "totals": [self.costs[currency].to_dict() for currency in sorted(self.costs)],
            "exchanges": self.exchanges,
            "unknown": self.unknown,
        }

    def __str__(self) -> str:
        """For people: `0.0123 USD (estimated), 2 calls of unknown price`."""
        said = [
            f"{written_amount(cost.amount)} {cost.currency}"
            + (" (estimated)" if cost.estimated else "")
            for _, cost in sorted(self.costs.items())
        ]
        if self.unknown:
            said.append(f"{self.unknown} call{'' if self.unknown == 1 else 's'} of unknown price")
        return ", ".join(said) or "nothing"
