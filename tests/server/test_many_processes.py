"""Several processes of the service on one PostgreSQL: killed, and the database restarted."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from contextlib import ExitStack

import httpx2
import pytest

from tests import postgres
from tests.loopback import openai_text
from tests.loopback import serving as serving_model
from tests.runtime.tiny import GOOD
from tests.server.serving import run_aside, serving

CLIENTS = 64 if os.environ.get("ASSAY_CHAOS") else 8
EACH = 40 if os.environ.get("ASSAY_CHAOS") else 5
PAUSE_S = 0.3


async def ask_until_answered(client, addresses, number):
    """One input, again and again under one key, wherever somebody listens."""
    text = f"There is water in the cellar. Number {number}."
    body = {"pack": "tiny", "inputs": [{"name": f"{number}.txt", "text": text}]}
    headers = {"idempotency-key": f"input {number}"}
    for turn in range(1_000):
        address = addresses[(number + turn) % len(addresses)]
        try:
            answer = await client.post(f"{address}/v1/runs", json=body, headers=headers)
        except httpx2.TransportError:
            await asyncio.sleep(PAUSE_S)
            continue
        if answer.status_code == 200:
            return answer.json()["outcomes"][0]
        assert answer.status_code in {409, 429, 503, 504}, answer.text
        await asyncio.sleep(PAUSE_S)
    raise AssertionError("nobody answered")


@pytest.mark.chaos
@pytest.mark.clause("009-H5", "009-H7")
def test_what_was_acknowledged_is_on_record_exactly_once(tmp_path):
    """A process is killed and the database restarted in the middle; clients ask again."""
    try:
        running = postgres.running(own=True)
        server = running.__enter__()
    except postgres.NoServer as reason:
        reason.end_test()
    with ExitStack() as stack:
        stack.push(running)
        url = stack.enter_context(server.database())
        provider = stack.enter_context(serving_model(openai_text(GOOD)))
        environ = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{provider.url}/v1"}

        def start(place, keys=None):
            place.mkdir()
            return stack.enter_context(
                serving(place, "openai:tiny", store=url, keys=keys, **environ)
            )

        one = start(tmp_path / "one")
        two = start(tmp_path / "two", one.keys)
        addresses = [one.address, two.address]

        async def press():
            headers = {"authorization": f"Bearer {one.keys['operator']}"}
            done = {}
            async with httpx2.AsyncClient(headers=headers, timeout=180) as client:

                async def work(first):
                    for number in range(first, first + EACH):
                        done[number] = await ask_until_answered(client, addresses, number)

                asking = [asyncio.create_task(work(each * EACH)) for each in range(CLIENTS)]
                while len(done) < CLIENTS * EACH // 4:
                    await asyncio.sleep(0.05)
                two.process.kill()
                while len(done) < CLIENTS * EACH // 2:
                    await asyncio.sleep(0.05)
                await asyncio.to_thread(server.restart)
                await asyncio.gather(*asking)
            return done

        done = run_aside(press())
        client = one.as_role("admin")
        calls = client.get("/v1/calls?limit=1000").json()["calls"]
        while len(calls) == 1_000:  # more than a page
            more = client.get(f"/v1/calls?limit=1000&before={calls[-1]['id']}").json()["calls"]
            calls += more
            if len(more) < 1_000:
                break
        verified = client.post("/v1/audit/verify").json()

    by_id = {call["id"]: call for call in calls}
    acknowledged = [call for outcome in done.values() for call in outcome["calls"]]
    assert CLIENTS * EACH == len(done)
    assert {"accepted"} == {outcome["outcome"] for outcome in done.values()}
    assert [1] * len(acknowledged) == list(Counter(acknowledged).values())
    assert {"settled"} == {by_id[call]["status"] for call in acknowledged}
    assert len(by_id) == len(acknowledged), "an input was asked twice"
    assert ("unanchored", None) == (verified["status"], verified["first_bad"])
