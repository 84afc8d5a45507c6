"""What one process counts for Prometheus.

In      requests, committed events
Out     Metrics
Effects counts in memory
Spec    009-B2

Labels are names of ours (routes, contracts, models, codes): never a value that a caller chose.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from assay.contract.model_names import shown_model
from assay.record.event import EventDraft, StoredEvent
from assay.runtime.costs.cost import Cost, Counts

_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)
_MOST_OPEN: Final = 10_000


class Metrics:
    """What one process counts."""

    def __init__(self) -> None:
        self.registry = made = CollectorRegistry()
        self.requests = Counter(
            "assay_requests", "Requests answered.", ("method", "route", "status"), registry=made
        )
        self.seconds = Histogram(
            "assay_request_seconds",
            "How long they took.",
            ("route",),
            buckets=_SECONDS,
            registry=made,
        )
        self.working = Gauge("assay_requests_working", "Worked on now.", registry=made)
        self.waiting = Gauge("assay_requests_waiting", "Waiting for a place.", registry=made)
        self.settled = Counter(
            "assay_calls", "Calls settled.", ("contract", "outcome", "reason"), registry=made
        )
        self.exchanges = Counter(
            "assay_exchanges", "Exchanges with a model.", ("model", "status"), registry=made
        )
        self.exchange_seconds = Histogram(
            "assay_exchange_seconds",
            "How long a model took.",
            ("model",),
            buckets=_SECONDS,
            registry=made,
        )
        self.tokens = Counter("assay_tokens", "Model tokens.", ("model", "way"), registry=made)
        self.cost = Counter("assay_cost", "Spent on models.", ("model", "currency"), registry=made)
        self.findings = Counter(
            "assay_findings", "Judged outputs with a finding.", ("code",), registry=made
        )
        self.decisions = Counter(
            "assay_review_decisions", "Reviews decided.", ("decision",), registry=made
        )
        self.drift = Counter("assay_template_drift", "Edited versions met.", registry=made)
        self.fallbacks = Counter("assay_template_fallbacks", "Fallback prompts.", registry=made)
        self.open_reviews = Gauge("assay_reviews_open", "Reviews that wait.", registry=made)
        self.overdue = Gauge("assay_reviews_overdue", "Reviews past their due date.", registry=made)
        self._contracts: OrderedDict[str, str] = OrderedDict()

    def hear(self, events: Sequence[tuple[StoredEvent, EventDraft]]) -> None:
        """Count the events of one transaction."""
        for event, _ in events:
            self._count(event.kind, event.call, event.facts)

    def _count(self, kind: str, call: str | None, facts: Any) -> None:
        match kind:
            case "call.opened" if call is not None:
                self._contracts[call] = str(facts["contract"])
                if len(self._contracts) > _MOST_OPEN:
                    self._contracts.popitem(last=False)
            case "call.settled" if call is not None:
                contract = self._contracts.pop(call, "unknown")
                reason = str(facts.get("reason") or "")
                self.settled.labels(contract, str(facts["outcome"]), reason).inc()
            case "model.answered":
                self._count_exchange(facts)
            case "output.judged":
                for code in {str(found["code"]) for found in facts["findings"]}:
                    self.findings.labels(code).inc()
            case "review.decided":
                self.decisions.labels(str(facts["decision"])).inc()
            case "template.drift":
                self.drift.inc()
            case "template.fallback":
                self.fallbacks.inc()
            case _:
                pass

    def _count_exchange(self, facts: Any) -> None:
        model = shown_model(str(facts["model_name"]))
        self.exchanges.labels(model, str(facts.get("generation_status"))).inc()
        took = facts.get("llm_latency_ms")
        if type(took) is int and took >= 0:
            self.exchange_seconds.labels(model).observe(took / 1_000)
        counts = Counts.of_answer(facts)
        for way, count in (("input", counts.input), ("output", counts.output)):
            if count:
                self.tokens.labels(model, way).inc(count)
        cost = Cost.from_dict(facts.get("cost"))
        if cost is not None:
            self.cost.labels(model, cost.currency).inc(float(cost.amount))
