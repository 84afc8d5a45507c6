"""Several processes of the service on one PostgreSQL: killed, and the database restarted.

`make soak` does it for ten minutes with 64 clients.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from contextlib import ExitStack
from statistics import median

import pytest

from tests import postgres
from tests.loopback import serving as serving_model
from tests.server.serving import run_aside, serving
from tests.server.traffic import Traffic, memory_of, play_model

MINUTES = float(os.environ.get("ASSAY_SOAK_MINUTES", "0"))
MANY = bool(os.environ.get("ASSAY_CHAOS"))
CLIENTS = 64 if MINUTES or MANY else 8
TURNS = 40 if MANY else 10
"""Of each client, where no time is named."""

GROWTH = 1.2
"""A process that is long under way holds at most so many times what it held at a quarter."""


@pytest.mark.chaos
@pytest.mark.clause("009-H5", "009-H7")
def test_what_was_acknowledged_is_on_record_exactly_once(tmp_path):
    """A process is killed and replaced, and the database restarts three times under traffic."""
    try:
        running = postgres.running(own=True)
        server = running.__enter__()
    except postgres.NoServer as reason:
        reason.end_test()
    with ExitStack() as stack:
        stack.push(running)
        url = stack.enter_context(server.database())
        provider = stack.enter_context(serving_model(play_model))
        environ = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{provider.url}/v1"}
        environ |= {"ASSAY_SERVE_PER_MINUTE": "1000000"}

        def start(name, keys=None):
            place = tmp_path / name
            place.mkdir()
            return stack.enter_context(
                serving(place, "openai:tiny", store=url, keys=keys, **environ)
            )

        one = start("one")
        two = start("two", one.keys)
        traffic = Traffic([one.address, two.address], one.keys["admin"])
        held = run_aside(
            _press_and_break(traffic, one, two, server, lambda: start("three", one.keys))
        )
        client = one.as_role("admin")
        calls = _read_pages(client, "calls", "before")
        reviews = _read_pages(client, "reviews", "after", status="all")
        verified = client.post("/v1/audit/verify").json()

    by_id = {call["id"]: call for call in calls}
    acknowledged = [call for each in traffic.outcomes.values() for call in each["calls"]]
    assert {1} == set(Counter(acknowledged).values())
    assert set(acknowledged) <= set(by_id)
    assert {"settled"} == {by_id[call]["status"] for call in acknowledged}
    assert len(by_id) == len(acknowledged), "an input was asked twice"
    assert {"accepted", "rejected"} == set(traffic.decided.values())
    statuses = {review["id"]: review["status"] for review in reviews}
    assert traffic.decided == statuses
    assert ("unanchored", None) == (verified["status"], verified["first_bad"])
    if MINUTES:
        _tell(traffic, held)
        quarter = median(held[len(held) // 4 : len(held) // 3])
        assert median(held[-len(held) // 10 :]) < GROWTH * quarter, held


async def _press_and_break(traffic, one, two, server, start_three):
    """Ask; at a third the second process is killed and replaced, later PostgreSQL restarts."""
    began = time.monotonic()
    held = []

    def share_done():
        if MINUTES:
            return (time.monotonic() - began) / (60 * MINUTES)
        return len(traffic.outcomes) / (CLIENTS * TURNS * 3 / 5)

    def goes_on(turn):
        return share_done() < 1 if MINUTES else turn < TURNS

    async def wait_for_share(share):
        while share_done() < share:
            await asyncio.sleep(0.05)

    async def break_things():
        await wait_for_share(0.33)
        two.process.kill()
        three = await asyncio.to_thread(start_three)
        traffic.addresses[1] = three.address
        for share in (0.5, 0.6, 0.7):
            await wait_for_share(share)
            await asyncio.to_thread(server.restart)

    async def watch():
        while True:
            held.append(memory_of(one.process.pid))
            await asyncio.sleep(1)

    watching = asyncio.create_task(watch())
    async with asyncio.TaskGroup() as group:
        group.create_task(traffic.press(CLIENTS, goes_on))
        group.create_task(break_things())
    watching.cancel()
    return held


def _read_pages(client, what, by, **query):
    """All rows of a list, page after page."""
    rows = []
    while True:
        answer = client.get(f"/v1/{what}", params={"limit": 1_000, **query})
        page = answer.json()[what]
        rows += page
        if len(page) < 1_000:
            return rows
        query[by] = page[-1]["id"]


def _tell(traffic, held):
    """What the soak measured, on standard output."""
    every = max(1, len(held) // 20)
    print(f"\nanswered: {dict(traffic.seen)}")
    print(f"told to come again, by status (0: no connection): {dict(traffic.refused)}")
    print(f"MB held by the process that lived on: {[round(each) for each in held[::every]]}")
