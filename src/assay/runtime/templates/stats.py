"""Figures of the registry, from the record: what a person watches, and what Prometheus scrapes.

In      the events of a store, since when
Out     TemplateStats; text in the Prometheus exposition format
Effects store reads
Spec    002-F3, M1, M2, M3, X3

Names, numbers and digests only: no value that was redacted, and no surrogate, is in a figure.
Costs are those on record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from assay.core.amounts import written_amount
from assay.protocols import Store
from assay.record.event import StoredEvent
from assay.runtime.costs.model_use import ModelUse

FALLBACK = "fallback"
"""Stands where a template's version would, for prompts without one."""

_OUTLIERS = 20
_FENCE = 3.0
_MUCH = 1.5
_KINDS = (
    "prompt.built",
    "model.answered",
    "output.judged",
    "template.drift",
    "template.fallback",
    "template.refused",
    "template.variables",
)


@dataclass(slots=True, kw_only=True)
class RoleLengths:
    """How long the prompts of a role are.

    An outlier lies beyond the third quartile by three times the distance of the quartiles, and
    is half as long again as the median at least: prompts that are nearly alike have none.
    """

    lengths: list[int] = field(default_factory=list)
    """Bytes of each prompt."""

    calls: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        ordered = sorted(self.lengths)
        low, middle, high = (quantile(ordered, share) for share in (0.25, 0.5, 0.75))
        fence = max(high + _FENCE * (high - low), _MUCH * middle)
        far = [
            {"call": call, "bytes": length}
            for length, call in sorted(zip(self.lengths, self.calls, strict=True), reverse=True)
            if length > fence
        ]
        return {
            "prompts": len(ordered),
            "mean_bytes": round(sum(ordered) / len(ordered), 1),
            "median_bytes": middle,
            "p95_bytes": quantile(ordered, 0.95),
            "max_bytes": ordered[-1],
            "sum_bytes": sum(ordered),
            "outliers": far[:_OUTLIERS],
            "outliers_total": len(far),
        }


@dataclass(slots=True, kw_only=True)
class TemplateStats:
    """Counts over the events that were looked at."""

    since: datetime | None = None
    drift: int = 0
    drift_24h: int = 0
    fallbacks: Counter[str] = field(default_factory=Counter)
    """By role: decided for each call, and for each `render_role_prompt`."""

    refused: Counter[str] = field(default_factory=Counter)
    """By reason: no good signature, none active."""

    missing: int = 0
    unexpected: int = 0
    wrong_type: int = 0
    variable_failures: Counter[str] = field(default_factory=Counter)
    """Prompts not made for their variables, by template."""

    redactions: Counter[str] = field(default_factory=Counter)
    """By class."""

    lengths: dict[str, RoleLengths] = field(default_factory=dict)
    """By role."""

    verdicts: dict[str, Counter[str]] = field(default_factory=dict)
    """`ROLE/NAME@VERSION` -> accepted, rejected."""

    models: dict[str, ModelUse] = field(default_factory=dict)
    """What was exchanged with each model, and what it cost, by `provider:name`."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "since": None if self.since is None else self.since.isoformat(),
            "drift": {"total": self.drift, "last_24h": self.drift_24h},
            "fallbacks": {"total": sum(self.fallbacks.values()), "by_role": dict(self.fallbacks)},
            "refused": dict(self.refused),
            "variable_failures": {
                "total": sum(self.variable_failures.values()),
                "by_template": dict(self.variable_failures),
                "missing": self.missing,
                "unexpected": self.unexpected,
                "wrong_type": self.wrong_type,
            },
            "redactions": dict(sorted(self.redactions.items())),
            "prompt_length": {
                role: found.to_dict() for role, found in sorted(self.lengths.items())
            },
            "verdicts": {
                name: {"accepted": found["accepted"], "rejected": found["rejected"]}
                for name, found in sorted(self.verdicts.items())
            },
            "models": {name: use.to_dict() for name, use in sorted(self.models.items())},
        }


async def template_stats(
    store: Store, *, day_ago: datetime, since: datetime | None = None
) -> TemplateStats:
    """Count what the record says about templates.

    Args:
        day_ago: From when on drift is counted as that of the last 24 hours.
        since: Only events from this moment on; None counts all.
    """
    stats = TemplateStats(since=since)
    built: dict[tuple[str, int], str] = {}
    for kind in _KINDS:
        async for event in store.events(kind=kind):
            at = datetime.fromisoformat(event.at)
            if since is None or at >= since:
                _count(stats, event, at >= day_ago, built)
    return stats


def _count(
    stats: TemplateStats, event: StoredEvent, recent: bool, built: dict[tuple[str, int], str]
) -> None:
    facts = event.facts
    match event.kind:
        case "prompt.built":
            _count_prompt(stats, event, built)
        case "model.answered":
            stats.models.setdefault(facts["model_name"], ModelUse()).add(facts)
        case "output.judged":
            # Attempts of one call may have had different versions.
            name = built.get((event.call or "", facts["attempt"]))
            if name is not None:
                stats.verdicts.setdefault(name, Counter())[facts["verdict"]] += 1
        case "template.drift":
            stats.drift += 1
            stats.drift_24h += recent
        case "template.fallback":
            stats.fallbacks[facts["role"]] += 1
        case "template.refused":
            stats.refused[facts["why"]] += 1
        case "template.variables":
            stats.variable_failures[f"{facts['role']}/{facts['name']}"] += 1
            stats.missing += len(facts["missing"])
            stats.unexpected += facts["unexpected"]
            stats.wrong_type += len(facts["wrong_type"])
        case _:
            pass


def _count_prompt(
    stats: TemplateStats, event: StoredEvent, built: dict[tuple[str, int], str]
) -> None:
    facts = event.facts
    named: Mapping[str, Any] | None = facts.get("template")
    role = FALLBACK if named is None else str(named["role"])
    name = FALLBACK if named is None else f"{role}/{named['name']}@{named['version']}"
    built[event.call or "", facts["attempt"]] = name
    lengths = stats.lengths.setdefault(role, RoleLengths())
    lengths.lengths.append(facts["prompt_bytes"])
    lengths.calls.append(event.call or "")
    stats.redactions.update(facts["redaction"]["counts"])


def quantile(ordered: Sequence[int], share: float) -> int:
    """The nearest-rank quantile of ascending numbers.

    Example:
        >>> quantile([1, 2, 3, 4], 0.5)
        2
    """
    if not ordered:
        return 0
    rank = -int(-share * len(ordered) // 1)
    return ordered[max(0, min(rank, len(ordered)) - 1)]


def prometheus(stats: TemplateStats) -> str:
    """The figures in the text format that Prometheus scrapes."""
    document = stats.to_dict()
    lines: list[str] = []

    def metric(
        name: str, kind: str, text: str, samples: Iterator[tuple[str, float | Decimal]]
    ) -> None:
        lines.append(f"# HELP assay_{name} {text}")
        lines.append(f"# TYPE assay_{name} {kind}")
        lines.extend(f"assay_{name}{labels} {_digits(value)}" for labels, value in samples)

    failures = document["variable_failures"]
    metric("template_drift_total", "counter", "Drift hits on record.", iter([("", stats.drift)]))
    metric(
        "template_drift_24h",
        "gauge",
        "Drift hits of the last 24 hours.",
        iter([("", stats.drift_24h)]),
    )
    metric(
        "template_fallback_total",
        "counter",
        "Prompts made without a template.",
        _group_by("role", stats.fallbacks),
    )
    metric(
        "template_refused_total",
        "counter",
        "Templates that were not allowed to render.",
        _group_by("why", stats.refused),
    )
    metric(
        "template_variable_failures_total",
        "counter",
        "Prompts not made for their variables.",
        _group_by("template", stats.variable_failures),
    )
    metric(
        "template_variables_wrong_total",
        "counter",
        "Variables missing, not declared, or no strings.",
        _group_by("how", {key: failures[key] for key in ("missing", "unexpected", "wrong_type")}),
    )
    metric("redactions_total", "counter", "Values redacted.", _group_by("class", stats.redactions))
    lengths = document["prompt_length"]
    metric(
        "prompt_bytes_sum",
        "counter",
        "Bytes of all prompts.",
        _group_by("role", {role: found["sum_bytes"] for role, found in lengths.items()}),
    )
    metric(
        "prompts_total",
        "counter",
        "Prompts built.",
        _group_by("role", {role: found["prompts"] for role, found in lengths.items()}),
    )
    metric(
        "prompt_bytes_p95",
        "gauge",
        "Length that 95 in 100 prompts do not exceed.",
        _group_by("role", {role: found["p95_bytes"] for role, found in lengths.items()}),
    )
    metric(
        "prompt_outliers_total",
        "counter",
        "Prompts far longer than their role's others.",
        _group_by("role", {role: found["outliers_total"] for role, found in lengths.items()}),
    )
    metric(
        "template_verdicts_total",
        "counter",
        "Verdicts of the gate by template version.",
        (
            (f'{{template="{_escape_label(name)}",verdict="{verdict}"}}', count)
            for name, found in document["verdicts"].items()
            for verdict, count in found.items()
        ),
    )
    metric("model_tokens_total", "counter", "Tokens as providers counted them.", _tokens(stats))
    metric(
        "model_latency_ms_sum",
        "counter",
        "Milliseconds of all exchanges, waits between tries excluded.",
        _group_by("model", {name: use.latency_ms for name, use in stats.models.items()}),
    )
    metric(
        "model_exchanges_total",
        "counter",
        "Exchanges with models.",
        _group_by("model", {name: use.spending.exchanges for name, use in stats.models.items()}),
    )
    metric(
        "model_exchanges_unpriced_total",
        "counter",
        "Exchanges whose price is not known; no cost holds them.",
        _group_by("model", {name: use.spending.unknown for name, use in stats.models.items()}),
    )
    metric("model_cost_total", "counter", "Cost where the price is known.", _costs(stats))
    return "\n".join(lines) + "\n"


def _tokens(stats: TemplateStats) -> Iterator[tuple[str, float]]:
    for name, use in sorted(stats.models.items()):
        for kind, count in use.tokens.items():
            label = kind.removesuffix("_tokens")
            yield f'{{model="{_escape_label(name)}",kind="{label}"}}', count


def _costs(stats: TemplateStats) -> Iterator[tuple[str, Decimal]]:
    for name, use in sorted(stats.models.items()):
        for currency, cost in sorted(use.spending.costs.items()):
            yield f'{{model="{_escape_label(name)}",currency="{currency}"}}', cost.amount


def _group_by(label: str, counts: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    for name, count in sorted(counts.items()):
        yield f'{{{label}="{_escape_label(name)}"}}', count


def _digits(value: float | Decimal) -> str:
    """Counts and amounts are whole, whatever their size."""
    if isinstance(value, Decimal):
        return written_amount(value)
    return str(value) if isinstance(value, int) else f"{value:g}"


def _escape_label(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
