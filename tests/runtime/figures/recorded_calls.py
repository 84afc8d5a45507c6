"""Calls as events of a record, without a model: any moment, any code, any price."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from assay.protocols import Changes, Store
from assay.record.event import EventDraft
from assay.testing import FrozenClock


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """One attempt: what was hidden in its prompt, what came back, how it was judged."""

    model: str = "openai:tiny"
    latency_ms: int | None = 120
    tokens: tuple[int | None, int | None] = (100, 20)
    cost: Mapping[str, Any] | None = None
    codes: tuple[str, ...] = ()
    redactions: Mapping[str, int] = field(default_factory=dict)
    raw: bytes | None = None
    """The reply; None has none on record."""

    hidden: bool = False
    """Its prompt was sent with surrogates."""


@dataclass(frozen=True, kw_only=True)
class Move:
    """What a person made of a case; before the next one it is reopened."""

    accept: bool = True
    person: str = "ann"
    output: bytes | None = None


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call from its opening to its end."""

    id: str
    at: datetime = datetime(2026, 1, 17, 8, tzinfo=UTC)
    contract: str = "tiny/triage"
    outcome: str | None = "accepted"
    """None leaves it open."""

    exchanges: tuple[Exchange, ...] = (Exchange(),)
    decision: str | None = None
    """What a person made of it."""

    moves: tuple[Move, ...] = ()
    held: bool = False
    """Its input was shortened: a person looks at results that stand."""

    reopened: bool = False
    """The last move was taken back."""

    def events(self) -> Iterator[EventDraft]:
        def event(
            kind: str, payloads: Mapping[str, bytes | None] | None = None, **facts: Any
        ) -> EventDraft:
            kept = {name: each for name, each in (payloads or {}).items() if each is not None}
            return EventDraft(kind=kind, facts=facts, call=self.id, subject=self.id, payloads=kept)

        yield event("call.opened", contract=self.contract)
        for number, each in enumerate(self.exchanges, start=1):
            hidden = {"hidden": {"EMAIL": 1}} if each.hidden else {}
            redaction = {"counts": dict(each.redactions)}
            yield event("prompt.built", attempt=number, redaction=redaction, **hidden)
            answered = {
                "model_name": each.model,
                "generation_status": "OK",
                "prompt_tokens_actual": each.tokens[0],
                "completion_tokens_actual": each.tokens[1],
                "finish_reason": "stop",
                "details": {},
            }
            if each.latency_ms is not None:
                answered["llm_latency_ms"] = each.latency_ms
            if each.cost is not None:
                answered["cost"] = dict(each.cost)
            yield event("model.answered", {"raw": each.raw}, **answered)
            found = [{"code": code, "severity": "reject"} for code in each.codes]
            verdict = "rejected" if found else "accepted"
            yield event("output.judged", attempt=number, verdict=verdict, findings=found)
        if self.outcome is None:
            return
        reason = "gate.rejected" if self.outcome == "needs_review" else None
        attempts = len(self.exchanges)
        yield event("call.settled", outcome=self.outcome, reason=reason, attempts=attempts)
        if self.outcome == "needs_review":
            yield event("review.opened", review=f"r-{self.id}", reason=reason)
        elif self.held:
            yield event("review.opened", review=f"r-{self.id}", reason="input.shortened")
        for number, move in enumerate(self.moves):
            if number:
                yield event("review.reopened", review=f"r-{self.id}")
            yield event(
                "review.decided",
                {"output": move.output},
                review=f"r-{self.id}",
                decision="accepted" if move.accept else "rejected",
                reviewer=move.person,
            )
        if self.moves and self.reopened:
            yield event("review.reopened", review=f"r-{self.id}")
        if self.decision is not None:
            yield event("review.decided", review=f"r-{self.id}", decision=self.decision)


def cost(amount: str, currency: str = "USD", *, estimated: bool = False) -> dict[str, Any]:
    """As it stands in events."""
    return {
        "amount": amount,
        "currency": currency,
        "as_of": "2026-01-01",
        "estimated": estimated,
    }


async def put_calls(store: Store, clock: FrozenClock, *calls: Call) -> None:
    """Append *calls*, each at its moment, in the order given."""
    run = await store.start_run("pack", {"pack": "tiny"})
    for call in calls:
        clock.advance((call.at - clock.now()).total_seconds())
        await store.commit(Changes(run=run, events=tuple(call.events())))


async def put_month(store: Store, clock: FrozenClock) -> None:
    """A month with something in each picture: long names, many decisions, drift, fallbacks."""
    chance = Random(7)
    await put_calls(store, clock, *(_call_of_month(number, chance) for number in range(600)))
    run = await store.start_run("registry", {})
    for number in range(30):
        clock.advance(3600 * (20 if number % 2 else -chance.randint(1, 80)))
        drift = {"id": f"triage/schadenmeldung_eingangsbearbeitung@{number % 3}"}
        fallback = {"role": "triage", "name": "base" if number % 3 else "eingangsbearbeitung"}
        events = (
            EventDraft(kind="template.drift", facts=drift),
            EventDraft(kind="template.fallback", facts=fallback),
        )
        await store.commit(Changes(run=run, events=events[: 1 + number % 2]))


def _call_of_month(number: int, chance: Random) -> Call:
    sure = round(chance.random() ** 0.4, 2)
    raw = _output(("A", sure), ("B", round(chance.random(), 2)))
    stands = raw if chance.random() < sure * 0.85 else _output(("C", sure))
    in_review = number % 3 == 1
    moves = (
        (Move(accept=False),),
        (Move(output=raw), Move(person="bob", output=stands)),
        *[(Move(output=stands),)] * 6,
        (),
        (),
    )[chance.randrange(10)]
    exchange = Exchange(
        model=f"openai:gpt-{number % 2}",
        latency_ms=int(80 + chance.expovariate(1 / 900)),
        codes=("label.unknown", "evidence.not_found", "own.code")[: number % 4] * in_review,
        cost=cost(f"{chance.random() / 100:.5f}", ("USD", "EUR")[number % 2]),
        redactions={"EMAIL": number % 5, "IBAN": 1, "SCHADENNUMMER_DES_VERSICHERERS": 2},
        raw=raw,
    )
    return Call(
        id=f"m{number}",
        at=datetime(2026, 1, 17, 8, tzinfo=UTC) + timedelta(hours=number),
        outcome="needs_review" if in_review else ("accepted", "no_evidence", None)[number % 3],
        moves=moves if in_review else (),
        exchanges=(exchange,) * (1 + (number % 5 == 0)),
    )


def _output(*labels: tuple[str, float]) -> bytes:
    return json.dumps({"topics": [{"label": a, "confidence": sure} for a, sure in labels]}).encode()
