"""The life of one call for its page: attempts with their times, findings in words, the outcome.

In      a call with its events, as `Runtime.call` gives it
Out     CallLife
Pure    yes
Spec    009-V3

What the record says of time is when an event was written: a prompt and its sending in one, a
reply and the verdict on it in one. How long the model took is measured apart, without waits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from assay.figures.panel import short_time
from assay.runtime.figures.count import words_of

_BAR = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFinding:
    """What was wrong, in words; the code after it."""

    code: str
    severity: str
    words: str
    place: str = ""
    message: str = ""


@dataclass(slots=True, kw_only=True)
class AttemptLife:
    """One attempt, from its prompt to its verdict."""

    number: int
    built: Mapping[str, Any]
    built_at: str
    start: int = 0
    """Of its bar, in thousandths of the whole call; so the others."""

    stop: int = 0
    model_start: int = 0
    answered: Mapping[str, Any] | None = None
    answered_at: str | None = None
    took: str | None = None
    """How long the model took, in words."""

    verdict: str | None = None
    findings: list[ShownFinding] = field(default_factory=list)
    prompt: str | None = None
    raw: str | None = None


@dataclass(slots=True, kw_only=True)
class CallLife:
    """All of it, in the order of the record."""

    attempts: list[AttemptLife]
    whole: str
    """From input to outcome, in words."""

    settled: Mapping[str, Any] | None
    settled_at: str | None
    result: Any
    others: list[Mapping[str, Any]]
    """Events that belong to no attempt: reviews, a model that was out of reach …"""


def tell_life(events: Sequence[Mapping[str, Any]]) -> CallLife:
    """What became of a call, attempt by attempt."""
    life = CallLife(attempts=[], whole="", settled=None, settled_at=None, result=None, others=[])
    for event in events:
        kind, facts, payloads = event["kind"], event["facts"], event["payloads"]
        latest = life.attempts[-1] if life.attempts else None
        if kind == "prompt.built":
            life.attempts.append(
                AttemptLife(
                    number=int(facts["attempt"]),
                    built=facts,
                    built_at=event["at"],
                    prompt=payloads.get("prompt_redacted"),
                )
            )
        elif kind == "model.answered" and latest is not None:
            latest.answered, latest.answered_at = facts, event["at"]
            latest.raw = payloads.get("raw")
            took = facts.get("llm_latency_ms")
            latest.took = short_time(took) if type(took) is int else None
        elif kind == "output.judged" and latest is not None:
            latest.verdict = str(facts.get("verdict"))
            latest.findings = _findings(facts, payloads.get("findings"))
        elif kind == "call.settled":
            life.settled, life.settled_at = facts, event["at"]
            life.result = payloads.get("result")
        elif kind != "call.opened":
            life.others.append(event)
    if events:
        _place_bars(life, events[0]["at"], life.settled_at or events[-1]["at"])
    return life


def _findings(facts: Mapping[str, Any], told: Any) -> list[ShownFinding]:
    """With place and message, where they are kept; else by their codes."""
    known = told if isinstance(told, list) else facts.get("findings") or []
    return [
        ShownFinding(
            code=str(each["code"]),
            severity=str(each["severity"]),
            words=words_of(str(each["code"])),
            place=str(each.get("path") or ""),
            message=str(each.get("message") or ""),
        )
        for each in known
    ]


def _place_bars(life: CallLife, first: str, last: str) -> None:
    """The bars on one axis from the first event to the last."""
    begin, end = datetime.fromisoformat(first), datetime.fromisoformat(last)
    whole_ms = (end - begin).total_seconds() * 1000
    life.whole = short_time(max(whole_ms, 0.0))

    def place(at: str | None) -> int:
        if at is None or whole_ms <= 0:
            return _BAR if at is None else 0
        share = (datetime.fromisoformat(at) - begin).total_seconds() * 1000 / whole_ms
        return max(0, min(_BAR, round(share * _BAR)))

    for attempt in life.attempts:
        attempt.start = place(attempt.built_at)
        attempt.stop = max(place(attempt.answered_at), attempt.start)
        took = None if attempt.answered is None else attempt.answered.get("llm_latency_ms")
        share = round(took / whole_ms * _BAR) if type(took) is int and whole_ms > 0 else 0
        attempt.model_start = max(attempt.start, attempt.stop - share)
