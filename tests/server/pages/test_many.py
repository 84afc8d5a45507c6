"""Lists of a large record: every query finds its rows by an index, in the order that it shows them.

The store is filled by SQL alone: rows as a list reads them, with events enough to be listed. No
event vouches for them, so nothing here is verified. `ASSAY_TELL_TIMES=1` prints how long the pages
took; nothing is held to it.
"""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import create_engine, event, insert, text

from assay.adapters.stores.database import Database
from assay.adapters.stores.events import read
from assay.adapters.stores.schema import record
from assay.adapters.stores.sessions import SqlSessions
from assay.core.json.canonical import canonical, digest
from assay.protocols import CallFilter, ReviewFilter
from tests.runtime.tiny import GOOD, script
from tests.server.pages.browser import sign_in
from tests.server.serving import run_aside, serving

CALLS, REVIEWS, SESSIONS = 100_000, 10_000, 2_000
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
DIGEST = "sha256:" + "0" * 64
SINCE, UNTIL = BEGIN + timedelta(hours=20), BEGIN + timedelta(hours=40)


def stamp(at: int) -> str:
    return f"{BEGIN + timedelta(seconds=2 * at):%Y-%m-%dT%H:%M:%S}.000000Z"


def call_row(at: int) -> dict[str, Any]:
    outcome = ("accepted", "needs_review", "no_evidence", "accepted")[at % 4]
    return {
        "id": f"{at:032x}", "run": 1 + at // 500, "key": f"key {at}", "kind": "contract",
        "contract": ("tiny/triage", "intake/claim")[at % 2], "contract_digest": DIGEST,
        "model": ("openai:a", "openai:b", "local:c")[at % 3], "input": f"input {at}",
        "input_digest": DIGEST, "subject": DIGEST, "status": "settled", "attempts": 1,
        "created_at": stamp(at), "settled_at": stamp(at), "outcome": outcome, "reason": None,
        "decision_digest": DIGEST, "vouched_by": 1,
    }  # fmt: skip


def review_row(at: int) -> dict[str, Any]:
    return {
        "id": f"{at:032x}", "run": 1, "call": f"{at:032x}", "input": f"input {at}",
        "reason": ("gate.rejected", "llm.gave_up")[at % 2],
        "status": ("open", "open", "accepted", "rejected")[at % 4], "opened_at": stamp(at),
        "decided_at": None, "reviewer": None, "vouched_by": 1,
    }  # fmt: skip


def session_row(at: int) -> dict[str, Any]:
    return {
        "id": f"{at:08x}-2222-4333-8444-555555555555", "run": 1, "pack": "services",
        "status": "idle", "version": 2, "turn": 1, "step": 1, "stage": None,
        "state_digest": DIGEST, "created_at": stamp(at), "updated_at": stamp(at), "vouched_by": 1,
    }  # fmt: skip


def event_row(at: int) -> dict[str, Any]:
    """What a list reads of a call: one exchange, with its cost."""
    facts = {
        "attempt": 1, "model_name": "openai:a", "generation_status": "OK", "llm_latency_ms": 900,
        "prompt_tokens_actual": 800, "completion_tokens_actual": 90,
        "cost": {"amount": "0.0012", "as_of": "2026-01-01", "currency": "USD", "estimated": False},
    }  # fmt: skip
    said = {
        "at": stamp(at), "call": f"{at:032x}", "facts": facts, "kind": "model.answered",
        "n": at + 1, "payloads": {}, "prev": DIGEST, "run": 900_000, "subject": None, "v": 1,
    }  # fmt: skip
    body = canonical(said)
    names = ("run", "n", "kind", "at", "call", "subject", "prev")
    return {name: said[name] for name in names} | {"digest": digest(body), "body": body}


def fill(store: str) -> None:
    """All rows, in one transaction."""
    engine = create_engine(store)
    with engine.begin() as connection:
        for table, row, count in (
            (record.calls, call_row, CALLS),
            (record.reviews, review_row, REVIEWS),
            (record.sessions, session_row, SESSIONS),
            (record.events, event_row, CALLS),
        ):
            for start in range(0, count, 10_000):
                rows = [row(at) for at in range(start, min(start + 10_000, count))]
                connection.execute(insert(table), rows)
    engine.dispose()


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    place = tmp_path_factory.mktemp("many")
    with serving(place, script(place, GOOD)) as found:
        fill(found.store)
        yield found


def plans(store: str, ask: Any) -> list[str]:
    """How SQLite answers each statement of *ask*."""
    database = Database(store, wait_s=5)
    told: list[str] = []
    try:
        with database.read() as connection:
            asked: list[tuple[str, Any]] = []

            def note(conn, cursor, statement, parameters, context, many) -> None:
                del conn, cursor, context, many
                asked.append((statement, parameters))

            event.listen(connection.engine, "before_cursor_execute", note)
            ask(connection)
            event.remove(connection.engine, "before_cursor_execute", note)
            for statement, parameters in asked:
                rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
                told += [row[-1] for row in rows]
    finally:
        database.close()
    assert told
    return told


def odd_steps(plan: list[str], *, whole: bool = False) -> list[str]:
    """Steps that read more than they show, or sort.

    Args:
        whole: The list has no filter, so it goes through the table or an index in order and stops.
    """
    return [
        step for step in plan if "TEMP B-TREE" in step or (step.startswith("SCAN") and not whole)
    ]


MIDDLE = f"{CALLS // 2:032x}"
CALL_FILTERS = [
    CallFilter(),
    CallFilter(contract="tiny/triage"),
    CallFilter(contract="nobody/asks"),
    CallFilter(outcome="needs_review"),
    CallFilter(status="open"),
    CallFilter(model="local:c"),
    CallFilter(run=7),
    CallFilter(input="input 77"),
    *(
        CallFilter(order=order, ascending=ascending)
        for order in (None, "contract", "input", "model")
        for ascending in (True, False)
    ),
    CallFilter(order="model", since=SINCE),
    CallFilter(since=SINCE),
    CallFilter(until=UNTIL),
    CallFilter(since=SINCE, until=UNTIL),
    CallFilter(outcome="needs_review", since=SINCE, until=UNTIL),
    CallFilter(contract="tiny/triage", outcome="accepted", status="settled", model="openai:a"),
]


@pytest.mark.clause("009-V6")
@pytest.mark.parametrize("which", CALL_FILTERS, ids=str)
@pytest.mark.parametrize("before", [None, MIDDLE])
def test_calls_are_listed_by_an_index(service, which, before):
    """Each filter, alone and with others, on the first page and on a later one."""
    from dataclasses import replace

    asked = replace(which, before=before)
    plan = plans(service.store, lambda connection: read.calls(connection, asked, 51))

    ordered = replace(CallFilter(), order=which.order, ascending=which.ascending)
    assert [] == odd_steps(plan, whole=before is None and replace(which, since=None) == ordered)


@pytest.mark.clause("009-V6")
@pytest.mark.parametrize("after", [None, f"{REVIEWS // 2:032x}"])
@pytest.mark.parametrize(
    "which",
    [
        ReviewFilter(),
        ReviewFilter(status=None),
        ReviewFilter(status="rejected"),
        ReviewFilter(reason="gate.rejected"),
        ReviewFilter(status=None, reason="gate.rejected"),
        ReviewFilter(pack="intake"),
        ReviewFilter(reason="llm.gave_up", pack="tiny"),
        ReviewFilter(opened_before=UNTIL),
        ReviewFilter(input="input 77"),
        ReviewFilter(status=None, input="input 77"),
    ],
    ids=str,
)
def test_reviews_are_listed_by_an_index(service, which, after):
    """The queue by status, reason, pack, input and age, on the first page and on a later one."""
    from dataclasses import replace

    asked = replace(which, after=after)
    plan = plans(service.store, lambda connection: read.reviews(connection, asked, 101))

    assert [] == odd_steps(plan, whole=asked == ReviewFilter(status=None))


@pytest.mark.clause("009-V6")
@pytest.mark.parametrize("before", [None, f"{SESSIONS // 2:08x}-2222-4333-8444-555555555555"])
def test_sessions_are_listed_by_an_index(service, before):
    """The latest first, without a sort."""

    class Reading:
        """A store that has a connection at hand."""

        async def read(self, work: Any) -> Any:
            return plans(service.store, work)

    plan = run_aside(SqlSessions(Reading()).sessions(51, before=before))  # type: ignore[arg-type]

    assert [] == odd_steps(plan, whole=before is None)


@pytest.mark.clause("009-V6")
def test_an_hour_is_counted_from_its_own_rows(service):
    """The minutes of the last hour are read from an index; only they are grouped."""
    since = BEGIN + timedelta(seconds=2 * CALLS - 3_600)
    plan = plans(service.store, lambda connection: read.count_calls_by_minute(connection, since))

    assert ["SEARCH"] == [step.split()[0] for step in plan if "TEMP B-TREE" not in step]


@pytest.mark.clause("009-V6")
def test_what_a_call_cost_is_read_from_its_own_events(service):
    """Never from all exchanges on record."""
    plan = plans(
        service.store,
        lambda connection: read.events_page(
            connection, after=None, limit=200, call=MIDDLE, kind="model.answered"
        ),
    )

    assert [] == odd_steps(plan)
    assert "ix_events_call" in plan[0]


@pytest.mark.clause("009-V6")
def test_pages_page_through_a_large_record(service):
    """The second page follows the first without a gap; a page of a filter holds fifty of it."""
    with httpx.Client(base_url=service.address, headers={"accept": "text/html"}) as client:
        client.cookies.set("assay_session", sign_in(service.store, "Ann", "admin"))
        times = {}
        for path in (
            "/calls",
            f"/calls?before={MIDDLE}",
            "/calls?outcome=needs_review",
            "/calls?contract=nobody/asks",
            "/calls?since=2026-01-01T20:00&until=2026-01-02T16:00",
            f"/calls/{MIDDLE}",
            "/sessions",
            "/record",
            "/v1/reviews?limit=100",
            "/v1/reviews?pack=intake&limit=100",
            "/v1/reviews?pack=nobody&status=all&limit=100",
        ):
            client.get(path)
            took = []
            for _ in range(5):
                start = time.perf_counter()
                answer = client.get(path)
                took.append(time.perf_counter() - start)
                assert 200 == answer.status_code, answer.text
            times[path] = sorted(took)[2], len(answer.content)
        second = client.get(f"/calls?before={MIDDLE}").text
    if os.environ.get("ASSAY_TELL_TIMES"):
        for path, (middle, size) in times.items():
            print(f"{1000 * middle:7.1f} ms {size:8,} bytes  {path}")

    shown = [f"{at:032x}" for at in range(CALLS // 2 - 50, CALLS // 2)]
    assert all(f"/calls/{each}" in second for each in shown)
    assert f"/calls/{MIDDLE}" not in second
    with create_engine(service.store).connect() as connection:
        assert CALLS == connection.execute(text("SELECT count(*) FROM calls")).scalar_one()
