"""The figures of a record as one value: what is drawn, printed and compared.

In      counts by period
Out     RecordFigures; `to_dict` is what `assay figures --json` prints
Pure    yes
Spec    007-F2

What is not known is None or is counted apart, never nought.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

from assay.core.amounts import written_amount
from assay.figures.review_figures import Agreement, Calibration, Counts

Unit = Literal["hour", "day", "week", "month", "year", "decade", "century"]
"""How long a period is; those of a page are all alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingCount:
    """How often something was found."""

    code: str
    severity: str
    """`reject` or `note`."""

    words: str
    """What the code means, in one sentence; the code itself where a pack made it up."""

    outputs: int
    """Judged outputs in which it was found, once or more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """How long exchanges took, in milliseconds: nearest-rank quantiles, and the longest."""

    exchanges: int = 0
    """How many said how long they took."""

    p50: int | None = None
    p90: int | None = None
    max: int | None = None

    def to_dict(self) -> dict[str, Any]:
        return {"exchanges": self.exchanges, "p50": self.p50, "p90": self.p90, "max": self.max}


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrencyCost:
    """What was spent in one currency; amounts of two are never added."""

    currency: str
    amounts: tuple[Decimal, ...]
    """One for each period."""

    total: Decimal
    estimated: bool
    """Some of it is at most so much: the provider did not count all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCount:
    """What was exchanged with one model."""

    name: str
    exchanges: int
    failed: int
    """Of them, those that brought no reply."""

    input_tokens: int
    output_tokens: int
    latency: Latency


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFigures:
    """Everything that is drawn of a record. A call belongs to the period in which it was opened."""

    filters: Mapping[str, str] = field(default_factory=dict)
    """What was asked for: `since`, `until`, `pack`, `contract`."""

    events: int = 0
    """Events of the whole record, whatever was asked for."""

    last: tuple[int, str] | None = None
    """Number and digest of the last of them; None in an empty record."""

    unit: Unit = "day"
    periods: tuple[str, ...] = ()
    """The start of each period in UTC, without gaps."""

    calls: int = 0
    outcomes: Mapping[str, Counts] = field(default_factory=dict)
    """Status, as it stands at the end of the record -> calls. `open` is not settled."""

    decided: int = 0
    """Calls that are accepted because a person said so."""

    unreadable: int = 0
    """Inputs that gave no text and so made no call."""

    reasons: Mapping[str, int] = field(default_factory=dict)
    """Why calls are not accepted, the most frequent first."""

    attempts: Mapping[int, int] = field(default_factory=dict)
    """Attempts of a settled call -> calls."""

    judged: int = 0
    findings: tuple[FindingCount, ...] = ()
    """The most frequent first."""

    latency: tuple[Latency, ...] = ()
    """One for each period."""

    latency_whole: Latency = field(default_factory=Latency)
    exchanges: int = 0
    input_tokens: Counts = ()
    output_tokens: Counts = ()
    uncounted: int = 0
    """Exchanges of which the provider did not count the input or the output."""

    costs: tuple[CurrencyCost, ...] = ()
    unpriced: int = 0
    """Exchanges whose cost is not known."""

    models: tuple[ModelCount, ...] = ()
    """The most asked first."""

    prompts: int = 0
    redactions: Mapping[str, Counts] = field(default_factory=dict)
    """Class of personal data -> how often it was hidden in prompts; the most frequent first."""

    drift: Mapping[str, Counts] = field(default_factory=dict)
    """Version of a template that was met edited, `""` where nobody can say which -> hits."""

    fallbacks: Mapping[str, Counts] = field(default_factory=dict)
    """Role and name of a template -> prompts made without it, as no version was active."""

    agreement: Agreement = field(default_factory=Agreement)
    calibration: Calibration = field(default_factory=Calibration)

    @property
    def drawable(self) -> bool:
        """Whether there is anything to draw."""
        return bool(self.calls or self.drift or self.fallbacks)

    def to_dict(self) -> dict[str, Any]:
        """The document of `assay figures --json`; amounts are strings, exact."""
        return {
            "filters": dict(self.filters),
            "record": {
                "events": self.events,
                "last": None
                if self.last is None
                else {"seq": self.last[0], "digest": self.last[1]},
            },
            "unit": self.unit,
            "periods": list(self.periods),
            "calls": self.calls,
            "outcomes": {name: list(counts) for name, counts in self.outcomes.items()},
            "decided_by_person": self.decided,
            "unreadable_inputs": self.unreadable,
            "reasons": dict(self.reasons),
            "attempts": {str(number): calls for number, calls in self.attempts.items()},
            "judged": self.judged,
            "findings": [
                {"code": f.code, "severity": f.severity, "words": f.words, "outputs": f.outputs}
                for f in self.findings
            ],
            "latency_ms": {
                "whole": self.latency_whole.to_dict(),
                "periods": [each.to_dict() for each in self.latency],
            },
            "exchanges": self.exchanges,
            "tokens": {
                "input": list(self.input_tokens),
                "output": list(self.output_tokens),
                "uncounted_exchanges": self.uncounted,
            },
            "costs": {
                "currencies": [
                    {
                        "currency": cost.currency,
                        "total": written_amount(cost.total),
                        "estimated": cost.estimated,
                        "amounts": [written_amount(amount) for amount in cost.amounts],
                    }
                    for cost in self.costs
                ],
                "unpriced_exchanges": self.unpriced,
            },
            "models": [
                {
                    "model": each.name,
                    "exchanges": each.exchanges,
                    "failed": each.failed,
                    "input_tokens": each.input_tokens,
                    "output_tokens": each.output_tokens,
                    "latency_ms": each.latency.to_dict(),
                }
                for each in self.models
            ],
            "prompts": self.prompts,
            "redactions": {name: list(counts) for name, counts in self.redactions.items()},
            "drift": {name: list(counts) for name, counts in self.drift.items()},
            "fallbacks": {name: list(counts) for name, counts in self.fallbacks.items()},
            "agreement": self.agreement.to_dict(),
            "calibration": self.calibration.to_dict(),
        }
