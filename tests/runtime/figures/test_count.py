"""Every figure is what the events say: counted again here, from the events, in another way."""

from __future__ import annotations

import asyncio
import json
import math
import sqlite3
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.adapters.stores.open import open_store
from assay.errors import IntegrityError
from assay.figures.page import figures_page
from assay.runtime.figures.count import count_figures, words_of
from assay.runtime.figures.filter import FiguresFilter
from assay.testing import FrozenClock
from tests import postgres
from tests.runtime.figures.recorded_calls import Call, Exchange, Move, cost, put_calls
from tests.runtime.tiny import GOOD, TEXT, UNKNOWN_LABEL, opened, tiny_pack

pytestmark = pytest.mark.clause("007-F2")

START = datetime(2026, 1, 17, 8, tzinfo=UTC)


async def counted(url, *calls, which=None):
    """The figures of a new record of *calls*, and its events."""
    clock = FrozenClock()
    async with await open_store(url, clock=clock) as store:
        await put_calls(store, clock, *calls)
        figures = await count_figures(store, which)
        return figures.to_dict(), [event async for event in store.events()]


def figures_of(place, *calls, which=None):
    document, _ = asyncio.run(counted(f"sqlite:///{place / 'a.db'}", *calls, which=which))
    return document


# --- the same again, in the plainest way -------------------------------------------------------


def by_call(events):
    found = {}
    for event in events:
        if event.call:
            found.setdefault(event.call, []).append(event)
    return found


def facts_of(events, kind):
    return [event.facts for event in events if event.kind == kind]


def outcome_in(events):
    settled = facts_of(events, "call.settled")
    if not settled:
        return "open"
    decided = [facts["decision"] for facts in facts_of(events, "review.decided")]
    return "accepted" if "accepted" in decided else settled[0]["outcome"]


def rank(values, share):
    ordered = sorted(values)
    return ordered[max(1, math.ceil(share * len(ordered))) - 1] if ordered else None


def check(document, events):
    """Compare the sums of *document* with what *events* say."""
    calls = by_call(events)
    outcomes = Counter(outcome_in(own) for own in calls.values())
    assert outcomes == {
        status: sum(counts) for status, counts in document["outcomes"].items() if sum(counts)
    }
    assert len(calls) == document["calls"]
    for at, period in enumerate(document["periods"]):
        following = (document["periods"] + ["~"])[at + 1]
        opened_then = [
            own
            for own in calls.values()
            if period <= own[0].at.replace("T", " ")[: len(period)] < following
            and (own[0].at.replace("T", " ") < following)
        ]
        for status, counts in document["outcomes"].items():
            assert counts[at] == sum(outcome_in(own) == status for own in opened_then)
        took = [
            facts["llm_latency_ms"]
            for own in opened_then
            for facts in facts_of(own, "model.answered")
            if "llm_latency_ms" in facts
        ]
        told = document["latency_ms"]["periods"][at]
        assert told == {
            "exchanges": len(took),
            "p50": rank(took, 0.5),
            "p90": rank(took, 0.9),
            "max": max(took, default=None),
        }
    answered = facts_of(events, "model.answered")
    assert len(answered) == document["exchanges"]
    for currency in {facts["cost"]["currency"] for facts in answered if facts.get("cost")}:
        (told,) = [c for c in document["costs"]["currencies"] if c["currency"] == currency]
        amounts = [
            Decimal(facts["cost"]["amount"])
            for facts in answered
            if facts.get("cost") and facts["cost"]["currency"] == currency
        ]
        assert sum(amounts) == Decimal(told["total"]) == sum(map(Decimal, told["amounts"]))
    assert (
        sum(not facts.get("cost") for facts in answered)
        == (document["costs"]["unpriced_exchanges"])
    )
    assert sum(facts["prompt_tokens_actual"] or 0 for facts in answered) == sum(
        document["tokens"]["input"]
    )
    codes = Counter(
        code
        for facts in facts_of(events, "output.judged")
        for code in {finding["code"] for finding in facts["findings"]}
    )
    assert codes == {each["code"]: each["outputs"] for each in document["findings"]}
    hidden = Counter()
    for facts in facts_of(events, "prompt.built"):
        hidden.update(facts["redaction"]["counts"])
    assert +hidden == {name: sum(counts) for name, counts in document["redactions"].items()}
    assert Counter(facts["model_name"] for facts in answered) == {
        each["model"]: each["exchanges"] for each in document["models"]
    }


exchanges = st.builds(
    Exchange,
    model=st.sampled_from(["openai:a", "openai:b"]),
    latency_ms=st.none() | st.integers(0, 10**6),
    tokens=st.tuples(st.none() | st.integers(1, 999), st.none() | st.integers(1, 99)),
    cost=st.none()
    | st.builds(
        cost,
        st.decimals(0, 9, places=9).map(lambda amount: f"{amount:f}"),
        st.sampled_from(["USD", "EUR"]),
        estimated=st.booleans(),
    ),
    codes=st.lists(st.sampled_from(["json.invalid", "label.unknown", "rule.x"])).map(tuple),
    redactions=st.dictionaries(st.sampled_from(["EMAIL", "PHONE"]), st.integers(0, 5)),
)
calls = st.lists(
    st.builds(
        Call,
        id=st.just(""),
        at=st.integers(-(10**6), 10**8).map(lambda s: START + timedelta(seconds=s)),
        outcome=st.sampled_from(["accepted", "no_evidence", "needs_review", None]),
        exchanges=st.lists(exchanges, max_size=3).map(tuple),
    ),
    max_size=8,
).map(lambda found: [replace(call, id=f"c{number}") for number, call in enumerate(found)])


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(found=calls, decided=st.sets(st.integers(0, 7)))
def test_every_figure_is_what_the_events_say(found, decided):
    """Whatever happened, whenever: sums and periods agree with a plain count."""
    decisions = ("accepted", "rejected")
    found = [
        replace(call, decision=decisions[number % 2])
        if number in decided and call.outcome == "needs_review"
        else call
        for number, call in enumerate(found)
    ]
    with TemporaryDirectory() as place:
        document, events = asyncio.run(counted(f"sqlite:///{place}/a.db", *found))

    check(document, events)


MANY = [
    Call(
        id=f"c{n}",
        at=START + timedelta(hours=7 * n),
        contract=("tiny/triage", "other/one")[n % 2],
        outcome=("accepted", "needs_review", "no_evidence", None)[n % 4],
        decision="accepted" if n % 8 == 1 else None,
        exchanges=(
            Exchange(
                latency_ms=n * 10,
                codes=("json.invalid",) if n % 3 else (),
                cost=cost("0.1", ("USD", "EUR")[n % 2]) if n % 5 else None,
                redactions={"EMAIL": n},
            ),
        )
        * (n % 3),
    )
    for n in range(60)
]


def test_both_databases_give_the_same_figures(tmp_path):
    """Number for number, on SQLite and on PostgreSQL, with the texts of decided cases."""
    said = [b'{"a": {"label": "x", "confidence": %s}}' % sure for sure in (b"0.9", b"0.4")]
    decided = [
        Call(id=f"d{at}", outcome="needs_review", exchanges=(Exchange(raw=raw),),
             moves=(Move(output=said[0]),))
        for at, raw in enumerate(said)
    ]  # fmt: skip
    many = [*MANY, *decided]
    here = figures_of(tmp_path, *many)
    try:
        with postgres.running() as server, server.database() as url:
            there, events = asyncio.run(counted(url, *many))
    except postgres.NoServer as reason:
        reason.end_test()

    check(there, events)
    assert here.pop("record") != there.pop("record")  # what hides a text is drawn by chance
    assert here == there
    assert (1, 2) == (sum(here["agreement"]["elsewhere"]), here["calibration"]["statements"])


def test_figures_agree_with_the_list_of_calls(tmp_path):
    """A real run: outcomes and attempts as `calls` tells them, before and after a decision."""

    async def work():
        replies = [GOOD, UNKNOWN_LABEL, GOOD, UNKNOWN_LABEL, UNKNOWN_LABEL]
        async with opened(tmp_path, *replies) as runtime:
            texts = [TEXT + b" %d" % n for n in range(3)]
            _ = [each async for each in runtime.run(tiny_pack(), texts)]
            rows = await runtime.calls()
            return (await runtime.figures()).to_dict(), rows

    document, rows = asyncio.run(work())

    assert Counter(row.outcome for row in rows) == {
        status: sum(counts) for status, counts in document["outcomes"].items() if sum(counts)
    }
    assert Counter(str(row.attempts) for row in rows) == document["attempts"]
    assert Counter(row.reason for row in rows if row.reason) == document["reasons"]


# --- what is odd about a record ----------------------------------------------------------------


def test_an_empty_record_has_no_periods(tmp_path):
    """No call, no axis, no error."""
    document = figures_of(tmp_path)

    assert (0, [], {}) == (document["calls"], document["periods"], document["outcomes"])


def test_what_an_old_record_does_not_say_is_not_nought(tmp_path):
    """Without latency, tokens and cost: not known, not counted, not priced."""
    old = Exchange(latency_ms=None, tokens=(None, None), cost=None)
    document = figures_of(tmp_path, Call(id="a", exchanges=(old,)))

    assert {"exchanges": 0, "p50": None, "p90": None, "max": None} == (
        document["latency_ms"]["whole"]
    )
    assert 1 == document["tokens"]["uncounted_exchanges"]
    assert {"currencies": [], "unpriced_exchanges": 1} == document["costs"]


def test_currencies_are_never_added(tmp_path):
    """One sum for each, exact to the last digit; an estimate is marked where it is."""
    made = [
        Exchange(cost=cost("0.1")),
        Exchange(cost=cost("0.2")),
        Exchange(cost=cost("0.000000000000000001", "EUR", estimated=True)),
    ]
    document = figures_of(tmp_path, Call(id="a", exchanges=tuple(made)))

    told = {c["currency"]: (c["total"], c["estimated"]) for c in document["costs"]["currencies"]}
    assert {"USD": ("0.3", False), "EUR": ("0.000000000000000001", True)} == told


@pytest.mark.parametrize(
    ("days", "unit", "most"),
    [(0, "hour", 1), (1, "hour", 48), (30, "day", 93), (400, "week", 106), (1100, "month", 120),
     (9000, "year", 120), (365 * 1200, "century", 120)],
)  # fmt: skip
def test_periods_grow_with_the_time_they_hold(tmp_path, days, unit, most):
    """One call or a thousand years: never more periods than an axis holds, without a gap."""
    document = figures_of(
        tmp_path, Call(id="a", at=START), Call(id="b", at=START + timedelta(days=days))
    )

    assert unit == document["unit"]
    assert 1 <= len(document["periods"]) <= most
    counts = document["outcomes"]["accepted"]
    assert (2, True) == (sum(counts), bool(counts[0] and counts[-1]))


def test_a_clock_that_jumps_back_changes_no_sum(tmp_path):
    """Periods are in the order of time, whatever order the record has."""
    times = [START, START - timedelta(days=400), START + timedelta(days=3), START]
    made = [Call(id=f"c{n}", at=at) for n, at in enumerate(times)]
    document = figures_of(tmp_path, *made)

    assert sorted(document["periods"]) == document["periods"]
    assert 4 == sum(document["outcomes"]["accepted"])


def test_filters_choose_calls_by_opening_pack_and_contract(tmp_path):
    """A call that is not asked for leaves nothing: no token, no finding, no period."""
    which = FiguresFilter(
        since=START + timedelta(hours=7), until=START + timedelta(hours=70), pack="other"
    )
    document = figures_of(tmp_path, *MANY, which=which)
    chosen = [c for c in MANY[1:10] if c.contract.startswith("other/")]

    assert len(chosen) == document["calls"]
    assert sum(len(call.exchanges) for call in chosen) == document["exchanges"]
    assert (
        0
        == asyncio.run(
            counted(
                f"sqlite:///{tmp_path / 'b.db'}", *MANY, which=FiguresFilter(contract="tiny/one")
            )
        )[0]["calls"]
    )


def test_thousands_of_codes_are_all_counted_and_few_are_drawn(tmp_path):
    """The numbers have every code; the page names some and sums up the rest."""
    made = [
        Call(id=f"c{n}", exchanges=(Exchange(codes=tuple(f"own.{n}-{m}" for m in range(50))),))
        for n in range(60)
    ]

    async def draw():
        clock = FrozenClock()
        async with await open_store(f"sqlite:///{tmp_path / 'a.db'}", clock=clock) as store:
            await put_calls(store, clock, *made)
            return await count_figures(store)

    figures = asyncio.run(draw())
    page = figures_page(figures)

    assert 3000 == len(figures.findings)
    assert "2,960 codes more" in page
    assert len(page) < 60_000


def test_an_edited_event_makes_no_figures(tmp_path):
    """Figures of a record that was tampered with would be lies."""
    figures_of(tmp_path, Call(id="a"))
    with sqlite3.connect(tmp_path / "a.db") as database:
        found = "SELECT seq, body FROM events WHERE kind = 'model.answered'"
        seq, body = database.execute(found).fetchone()
        changed = bytes(body).replace(b"120", b"121")
        database.execute("UPDATE events SET body = ? WHERE seq = ?", (changed, seq))

    async def read():
        async with await open_store(f"sqlite:///{tmp_path / 'a.db'}", clock=FrozenClock()) as store:
            return await count_figures(store)

    with pytest.raises(IntegrityError):
        asyncio.run(read())


def test_an_erasure_changes_no_figure(tmp_path):
    """What was said is gone; that it was, and what it cost, is not."""

    async def work():
        async with opened(tmp_path, GOOD) as runtime:
            (outcome,) = [each async for each in runtime.run(tiny_pack(), [TEXT])]
            before = (await runtime.figures()).to_dict()
            subject = (await runtime.store.call(outcome.calls[0].call)).subject
            await runtime.erase(subject, reason="asked for", actor="officer")
            return before, (await runtime.figures()).to_dict()

    before, after = asyncio.run(work())

    assert before.pop("record") != after.pop("record")
    assert before == after


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("json.fenced", "The reply is wrapped in a Markdown fence"),
        ("schema.required", "The JSON Schema of the contract refuses the value"),
        ("rule.sum", "A rule of the contract does not hold, could not be evaluated, or gave no yes"
         " or no"),
        ("own.code", "own.code"),
    ],
)  # fmt: skip
def test_codes_have_words(code, words):
    """Those of the gate say what they mean; a pack's own stands for itself."""
    assert words == words_of(code)


def test_figures_are_json(tmp_path):
    """Amounts are strings, names are keys, nothing else is needed to read them."""
    document = figures_of(tmp_path, *MANY)

    assert document == json.loads(json.dumps(document))
