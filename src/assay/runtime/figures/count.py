"""Count what a record says, in one pass over its events.

In      a store; which calls: since, until, of a pack, of a contract
Out     RecordFigures
Effects store reads, page by page; of each call that is settled only numbers are kept
Spec    007-F2

A call belongs to the period in which it was opened, and all that was exchanged for it with it.
Its outcome is the one that stands at the end of the record: a person may have accepted it since.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from assay.figures.record_figures import (
    CurrencyCost,
    FindingCount,
    Latency,
    ModelCount,
    RecordFigures,
)
from assay.gate.codes import CODES
from assay.protocols import Store
from assay.record.event import StoredEvent
from assay.runtime.costs.cost import Cost, Counts, exact_sum
from assay.runtime.figures.filter import FiguresFilter
from assay.runtime.figures.periods import Periods, periods_of
from assay.runtime.figures.reviews import Decided, Reply, ReviewCounting, note_reply
from assay.runtime.figures.sums import order_by_frequency, spread_counts, summarise_latency
from assay.runtime.figures.templates import Tally, TemplateCounting, make_tally

STATUSES: Final = ("accepted", "no_evidence", "needs_review", "open")
"""Every way in which a call can stand, in the order in which they are drawn."""

_TELL_EVERY: Final = 500


async def count_figures(
    store: Store,
    which: FiguresFilter | None = None,
    *,
    progress: Callable[[int], None] | None = None,
) -> RecordFigures:
    """The figures of a record.

    Args:
        which: Which calls are counted; None counts all.
        progress: Told now and then how many events were read.

    Raises:
        IntegrityError: an event was edited; figures of it would be none.
    """
    counting = _Counting(which=which or FiguresFilter())
    async for event in store.events():
        counting.add(event)
        if progress is not None and counting.events % _TELL_EVERY == 0:
            progress(counting.events)
    return counting.figures(await counting.reviews.read(store, counting.which.takes))


@dataclass(slots=True)
class _OpenCall:
    """A call of which more may come."""

    hour: str
    settled: bool = False
    reply: Reply = field(default_factory=Reply)


@dataclass(slots=True)
class _ModelUse:
    exchanges: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    latency: array[int] = field(default_factory=lambda: array("Q"))


@dataclass(slots=True, kw_only=True)
class _Counting:
    """Counts by hour, as events come."""

    which: FiguresFilter
    events: int = 0
    last: tuple[int, str] | None = None
    open: dict[str, _OpenCall] = field(default_factory=dict)
    """Calls that are not settled, or wait for a person."""

    packs: dict[int, str] = field(default_factory=dict)
    """Run under way -> its pack."""

    calls: int = 0
    outcomes: Tally = field(default_factory=make_tally)
    """Status -> hour -> calls; and so the others."""

    reasons_of: dict[str, str] = field(default_factory=dict)
    """Call that waits for a person -> why."""

    corrected: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Hour and reason of calls that a person corrected, should that be taken back."""

    reasons: Counter[str] = field(default_factory=Counter)
    decided: int = 0
    unreadable: int = 0
    attempts: Counter[int] = field(default_factory=Counter)
    judged: int = 0
    findings: Counter[tuple[str, str]] = field(default_factory=Counter)
    latency: defaultdict[str, array[int]] = field(
        default_factory=lambda: defaultdict(lambda: array("Q"))
    )
    exchanges: int = 0
    tokens: Tally = field(default_factory=make_tally)
    uncounted: int = 0
    costs: defaultdict[str, dict[str, Decimal]] = field(default_factory=lambda: defaultdict(dict))
    estimated: set[str] = field(default_factory=set)
    unpriced: int = 0
    models: defaultdict[str, _ModelUse] = field(default_factory=lambda: defaultdict(_ModelUse))
    prompts: int = 0
    redactions: Tally = field(default_factory=make_tally)
    templates: TemplateCounting = field(default_factory=TemplateCounting)
    reviews: ReviewCounting = field(default_factory=ReviewCounting)

    def add(self, event: StoredEvent) -> None:
        """One more event, in the order of the record."""
        self.events += 1
        self.last = event.seq, event.digest
        call = self.open.get(event.call or "")
        match event.kind:
            case "call.opened":
                self._add_call(event)
            case "run.started":
                self.packs[event.run] = str(event.facts.get("pack", ""))
            case "run.ended":
                self.packs.pop(event.run, None)
            case "input.unreadable":
                self._add_unreadable(event)
            case "template.drift":
                if self._takes_event(event):
                    self.templates.add_drift(event)
            case "template.fallback":
                if self._takes_event(event):
                    self.templates.add_fallback(event)
            case "review.opened" | "review.decided" | "review.reopened" | "review.withdrawn":
                self._add_review(call, event)
            case _ if call is not None and not call.settled:
                self._add_step(call, event)
            case _:
                pass

    def _add_step(self, call: _OpenCall, event: StoredEvent) -> None:
        """What happens to a call until it is settled."""
        note_reply(call.reply, event)
        match event.kind:
            case "prompt.built":
                self._add_prompt(call.hour, event.facts)
            case "model.answered":
                self._add_exchange(call.hour, event.facts)
            case "output.judged":
                self._add_verdict(event.facts)
            case "call.settled":
                self._settle(call, event)
            case _:
                pass

    def _add_review(self, call: _OpenCall | None, event: StoredEvent) -> None:
        match event.kind:
            case "review.opened":
                if call is None:
                    self.reviews.open_held(event)
                else:
                    self.reviews.open(event, call.hour, call.reply)
            case "review.decided":
                self.reviews.decide(event)
                if call is not None:
                    self._decide(call, event)
            case "review.reopened":
                self.reviews.reopen(event)
                self._reopen(event)
            case _:
                self.reviews.withdraw(event)

    def _add_call(self, event: StoredEvent) -> None:
        if event.call and self.which.takes(str(event.facts["contract"]), event.at):
            hour = event.at[:13]
            self.open[event.call] = _OpenCall(hour)
            self.calls += 1
            self.outcomes["open"][hour] += 1

    def _add_unreadable(self, event: StoredEvent) -> None:
        """It has no contract, so one that is asked for leaves it out."""
        self.unreadable += self._takes_event(event)

    def _takes_event(self, event: StoredEvent) -> bool:
        """Whether an event of no call is counted: by its contract, else by the pack of its run."""
        contract = event.facts.get("contract")
        if isinstance(contract, str):
            return self.which.takes(contract, event.at)
        of_pack = self.which.pack in (None, self.packs.get(event.run))
        return self.which.contract is None and of_pack and self.which.takes_time(event.at)

    def _settle(self, call: _OpenCall, event: StoredEvent) -> None:
        assert event.call is not None
        status, reason = str(event.facts["outcome"]), event.facts.get("reason")
        self._move(call.hour, "open", status)
        self.attempts[int(event.facts["attempts"])] += 1
        if reason is not None:
            self.reasons[str(reason)] += 1
        if status == "needs_review":
            call.settled = True
            self.reasons_of[event.call] = "" if reason is None else str(reason)
        else:
            del self.open[event.call]

    def _decide(self, call: _OpenCall, event: StoredEvent) -> None:
        assert event.call is not None
        if call.settled and event.facts["decision"] == "accepted":
            self._move(call.hour, "needs_review", "accepted")
            self.decided += 1
            reason = self.reasons_of.pop(event.call)
            self.reasons[reason] -= 1
            self.corrected[event.call] = call.hour, reason
            del self.open[event.call]

    def _reopen(self, event: StoredEvent) -> None:
        """A decision that was taken back leaves its call in review, as it was before."""
        hour, reason = self.corrected.pop(event.call or "", (None, ""))
        if event.call is None or hour is None:
            return
        self._move(hour, "accepted", "needs_review")
        self.decided -= 1
        self.reasons[reason] += 1
        self.reasons_of[event.call] = reason
        self.open[event.call] = _OpenCall(hour, settled=True)

    def _move(self, hour: str, before: str, after: str) -> None:
        self.outcomes[before][hour] -= 1
        self.outcomes[after][hour] += 1

    def _add_prompt(self, hour: str, facts: Mapping[str, Any]) -> None:
        self.prompts += 1
        for name, count in (facts.get("redaction") or {}).get("counts", {}).items():
            self.redactions[str(name)][hour] += count

    def _add_exchange(self, hour: str, facts: Mapping[str, Any]) -> None:
        self.exchanges += 1
        counts = Counts.of_answer(facts)
        self.uncounted += counts.input is None or counts.output is None
        self.tokens["input"][hour] += counts.input or 0
        self.tokens["output"][hour] += counts.output or 0
        use = self.models[str(facts["model_name"])]
        use.exchanges += 1
        use.failed += facts.get("generation_status") != "OK"
        use.input_tokens += counts.input or 0
        use.output_tokens += counts.output or 0
        took = facts.get("llm_latency_ms")
        if type(took) is int and took >= 0:
            self.latency[hour].append(took)
            use.latency.append(took)
        cost = Cost.from_dict(facts.get("cost"))
        if cost is None:
            self.unpriced += 1
            return
        amounts = self.costs[cost.currency]
        amounts[hour] = exact_sum(amounts.get(hour, Decimal(0)), cost.amount)
        if cost.estimated:
            self.estimated.add(cost.currency)

    def _add_verdict(self, facts: Mapping[str, Any]) -> None:
        self.judged += 1
        self.findings.update({(str(f["code"]), str(f["severity"])) for f in facts["findings"]})

    # --- the end --------------------------------------------------------------------------------

    def figures(self, decided: Decided) -> RecordFigures:
        """Everything that was counted, by periods that fit on one axis."""
        head = RecordFigures(filters=self.which.to_dict(), events=self.events, last=self.last)
        hours = sorted(
            {hour for counts in self.outcomes.values() for hour in counts} | self.templates.hours()
        )
        if not hours:
            return RecordFigures(
                filters=head.filters, events=head.events, last=head.last, unreadable=self.unreadable
            )
        axis = periods_of(hours[0], hours[-1])
        return RecordFigures(
            filters=head.filters,
            events=head.events,
            last=head.last,
            unit=axis.unit,
            periods=axis.starts,
            calls=self.calls,
            outcomes={status: spread_counts(self.outcomes[status], axis) for status in STATUSES},
            decided=self.decided,
            unreadable=self.unreadable,
            reasons=order_by_frequency(+self.reasons),
            attempts=dict(sorted(self.attempts.items())),
            judged=self.judged,
            findings=tuple(
                FindingCount(code=code, severity=severity, words=words_of(code), outputs=count)
                for (code, severity), count in order_by_frequency(self.findings).items()
            ),
            latency=self._latency(axis),
            latency_whole=summarise_latency(
                took for each in self.latency.values() for took in each
            ),
            exchanges=self.exchanges,
            input_tokens=spread_counts(self.tokens["input"], axis),
            output_tokens=spread_counts(self.tokens["output"], axis),
            uncounted=self.uncounted,
            costs=tuple(self._cost(currency, axis) for currency in sorted(self.costs)),
            unpriced=self.unpriced,
            models=self._models(),
            prompts=self.prompts,
            redactions=_spread_names(self.redactions, axis),
            drift=_spread_names(self.templates.drift, axis),
            fallbacks=_spread_names(self.templates.fallbacks, axis),
            agreement=decided.agreement(axis),
            calibration=decided.calibration(),
        )

    def _latency(self, axis: Periods) -> tuple[Latency, ...]:
        merged = [array("Q") for _ in axis.starts]
        for hour, took in self.latency.items():
            merged[axis.place(hour)].extend(took)
        return tuple(map(summarise_latency, merged))

    def _cost(self, currency: str, axis: Periods) -> CurrencyCost:
        amounts = [Decimal(0)] * len(axis.starts)
        for hour, amount in self.costs[currency].items():
            place = axis.place(hour)
            amounts[place] = exact_sum(amounts[place], amount)
        return CurrencyCost(
            currency=currency,
            amounts=tuple(amounts),
            total=exact_sum(*amounts),
            estimated=currency in self.estimated,
        )

    def _models(self) -> tuple[ModelCount, ...]:
        ordered = sorted(self.models.items(), key=lambda pair: (-pair[1].exchanges, pair[0]))
        return tuple(
            ModelCount(
                name=name,
                exchanges=use.exchanges,
                failed=use.failed,
                input_tokens=use.input_tokens,
                output_tokens=use.output_tokens,
                latency=summarise_latency(use.latency),
            )
            for name, use in ordered
        )


def _spread_names(tally: Tally, axis: Periods) -> dict[str, tuple[int, ...]]:
    """The most frequent first."""
    totals = Counter({name: counts.total() for name, counts in tally.items()})
    return {name: spread_counts(tally[name], axis) for name in order_by_frequency(+totals)}


def words_of(code: str) -> str:
    """What a finding code means, in one sentence; the code itself where a pack made it up."""
    family = {"schema": "schema.KEYWORD", "rule": "rule.ID"}.get(code.partition(".")[0], code)
    meaning = CODES.get(code) or CODES.get(family)
    if meaning is None:
        return code
    return meaning.partition(". ")[0].partition("; ")[0].rstrip(".")
