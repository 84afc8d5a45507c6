"""Runs, answers, turns: what has a model asked, over the loopback."""

from __future__ import annotations

import asyncio
import json
import signal

import httpx2
import pytest

from tests.loopback import openai_text
from tests.loopback import serving as serving_model
from tests.packs.talk import SESSION
from tests.processes import wait_until
from tests.runtime.tiny import GOOD, UNKNOWN_LABEL, script
from tests.server.serving import error_of, serving

WATER = {"name": "a.txt", "text": "There is water in the cellar."}
RUN = {"pack": "tiny", "inputs": [WATER]}


@pytest.mark.clause("009-H1")
def test_a_run_settles_its_inputs_in_their_order_and_they_stand_on_record(tmp_path):
    """Accepted, in review, unreadable: as `assay run` prints them."""
    with serving(tmp_path, script(tmp_path, GOOD, UNKNOWN_LABEL, UNKNOWN_LABEL)) as service:
        client = service.as_role()
        body = {
            "pack": "tiny",
            "inputs": [WATER, {"name": "b", "text": "A fire."}, {"name": "c", "base64": "/w=="}],
        }
        done = client.post("/v1/runs", json=body)
        calls = client.get("/v1/calls").json()["calls"]
        reviews = client.get("/v1/reviews").json()["reviews"]

    outcomes = done.json()["outcomes"]
    assert ["accepted", "needs_review", "needs_review"] == [each["outcome"] for each in outcomes]
    assert [None, "gate.rejected", "input.unreadable"] == [each["reason"] for each in outcomes]
    assert {call for each in outcomes for call in each["calls"]} == {call["id"] for call in calls}
    assert 2 == len(reviews)
    assert all(each["due_at"] > each["opened_at"] for each in reviews)


@pytest.mark.clause("009-H1")
@pytest.mark.parametrize("pack", ["services", "grounded"])
def test_a_pack_that_judges_no_input_runs_none(tmp_path, pack):
    """What nobody judged is not accepted; the answer says what the pack is for."""
    with serving(tmp_path, script(tmp_path, GOOD)) as service:
        client = service.as_role()
        said = client.post("/v1/runs", json={"pack": pack, "inputs": [WATER]})
        calls = client.get("/v1/calls").json()["calls"]

    assert (400, "usage") == error_of(said)
    assert "assay " in said.json()["error"]["hint"]
    assert [] == calls


@pytest.mark.clause("009-H5")
def test_the_same_request_under_a_key_is_answered_once(tmp_path):
    """The model is asked once; another request under the key is refused."""
    with serving(tmp_path, script(tmp_path, GOOD)) as service:
        client = service.as_role("operator")
        headers = {"idempotency-key": "order 7"}
        said = [client.post("/v1/runs", json=RUN, headers=headers) for _ in range(3)]
        other = client.post("/v1/runs", json={**RUN, "again": True}, headers=headers)
        stranger = service.as_role("admin").post("/v1/runs", json=RUN, headers=headers)
        bad = client.post("/v1/runs", json=RUN, headers={"idempotency-key": "x" * 201})
        calls = client.get("/v1/calls").json()["calls"]

    assert 1 == len({each.content for each in said})
    assert [None, "true", "true"] == [each.headers.get("idempotency-replayed") for each in said]
    assert (409, "idempotency.conflict") == error_of(other)
    assert (200, None) == (stranger.status_code, stranger.headers.get("idempotency-replayed"))
    assert (422, "request.invalid") == error_of(bad)
    assert 1 == len(calls)


@pytest.mark.clause("009-H5")
def test_many_at_once_under_one_key_are_one_call(tmp_path):
    """On two processes over one store; each gets the same answer."""
    with (
        serving_model(openai_text(GOOD)) as provider,
        serving(
            tmp_path,
            "openai:tiny",
            OPENAI_API_KEY="none",
            OPENAI_BASE_URL=f"{provider.url}/v1",
        ) as one,
        serving(
            tmp_path,
            "openai:tiny",
            store=one.store,
            keys=one.keys,
            OPENAI_API_KEY="none",
            OPENAI_BASE_URL=f"{provider.url}/v1",
        ) as two,
    ):

        async def ask():
            headers = {
                "authorization": f"Bearer {one.keys['operator']}",
                "idempotency-key": "k",
            }
            async with httpx2.AsyncClient(headers=headers, timeout=120) as client:
                return await asyncio.gather(
                    *(
                        client.post(f"{each.address}/v1/runs", json=RUN)
                        for _ in range(8)
                        for each in (one, two)
                    )
                )

        said = asyncio.run(ask())

    assert [200] * 16 == [each.status_code for each in said]
    assert 1 == len({each.content for each in said})
    assert 1 == len(provider.seen)


@pytest.mark.clause("009-H5")
def test_nothing_is_kept_where_a_dependency_was_missing(tmp_path):
    """The same request under the same key is tried again, and then answered."""
    with serving(tmp_path, script(tmp_path, {"error": "auth"})) as service:
        headers = {"idempotency-key": "k"}
        said = service.as_role().post("/v1/runs", json=RUN, headers=headers)
    with serving(tmp_path, script(tmp_path, GOOD), store=service.store, keys=service.keys) as after:
        again = after.as_role().post("/v1/runs", json=RUN, headers=headers)

    assert (503, "model.unavailable") == error_of(said)
    assert said.headers["retry-after"].isdigit()
    assert (200, "accepted") == (again.status_code, again.json()["outcomes"][0]["outcome"])


def events_of(text):
    """The events of a stream: name and data."""
    found = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


@pytest.mark.clause("009-H8")
def test_who_asks_for_events_is_told_each_outcome_and_the_whole_at_the_end(tmp_path):
    """In the order of the inputs; an error is an event, too."""
    accept = {"accept": "text/event-stream"}
    two = {"pack": "tiny", "inputs": [WATER, {"name": "b", "text": "water in the cellar"}]}
    with serving(tmp_path, script(tmp_path, GOOD, GOOD)) as service:
        client = service.as_role()
        said = client.post("/v1/runs", json=two, headers=accept)
        out = client.post("/v1/runs", json={**two, "again": True}, headers=accept)

    events = events_of(said.text)
    assert said.headers["content-type"].startswith("text/event-stream")
    assert ["outcome", "outcome", "done"] == [name for name, _ in events]
    assert [each for name, each in events if name == "outcome"] == events[-1][1]["outcomes"]
    assert ("error", "model.unavailable") == (
        events_of(out.text)[-1][0],
        events_of(out.text)[-1][1]["error"]["code"],
    )


@pytest.mark.clause("009-H9")
def test_answers_name_documents_as_the_service_does(tmp_path):
    """No caller learns where a file lies on the machine, and none reaches a folder by its place."""
    folder = tmp_path / "somewhere secret"
    folder.mkdir()
    (folder / "pool.md").write_text("# Pool\n\nThe pool is open from 7 to 21 on weekdays.\n")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    link = tmp_path / "docs"
    link.symlink_to(folder)
    with serving(tmp_path, ASSAY_SERVE_DOCUMENTS=f"pool={link}") as service:
        client = service.as_role("operator")
        ask = {"question": "When is the pool open?", "documents": "pool"}
        said = client.post("/v1/answers", json=ask)
        only = client.post("/v1/answers", json={**ask, "where": ["file=pool/pool.md"]})
        place = client.post("/v1/answers", json={**ask, "documents": str(folder)})
        none = client.post("/v1/answers", json={**ask, "documents": "other"})

    document = said.json()
    assert ("accepted", 200) == (document["outcome"], only.status_code)
    assert ["pool/pool.md"] == [each["file"] for each in document["citations"]]
    assert ["pool/broken.pdf"] == [each["file"] for each in document["left_out"]]
    assert "secret" not in said.text
    assert str(tmp_path) not in said.text
    assert [(404, "not_found")] * 2 == [error_of(place), error_of(none)]


@pytest.mark.clause("009-H1")
def test_a_conversation_is_begun_taken_on_and_listed(tmp_path):
    """Each turn as `assay chat` prints it; another pack's session is refused."""
    from tests.packs import talk

    with serving(tmp_path, talk.script(tmp_path, *talk.low())) as service:
        client = service.as_role()
        begun = client.post(
            "/v1/sessions",
            json={"pack": "services", "message": "How do I get Medicaid?", "session_id": SESSION},
        )
        listed = client.get("/v1/sessions").json()["sessions"]
        shown = client.get(f"/v1/sessions/{SESSION}")
        wrong = client.post("/v1/sessions", json={"pack": "tiny", "message": "hi"})
        none = client.post("/v1/sessions/abcd/turns", json={"message": "hi"})

    assert (200, SESSION, 1) == (
        begun.status_code,
        begun.json()["session_id"],
        begun.json()["turn"],
    )
    assert [SESSION] == [each["id"] for each in listed]
    assert begun.json()["cached_state"] == shown.json()["cached_state"]
    assert (422, "input.invalid") == error_of(wrong)
    assert (404, "not_found") == error_of(none)


@pytest.mark.clause("009-H7")
def test_a_service_that_is_ended_answers_what_it_began(tmp_path):
    """SIGTERM in the middle of a call: the answer comes, the record has it, the process leaves."""

    def slowly(handler):
        import time

        time.sleep(1.5)
        openai_text(GOOD)(handler)

    with (
        serving_model(slowly) as provider,
        serving(
            tmp_path,
            "openai:tiny",
            OPENAI_API_KEY="none",
            OPENAI_BASE_URL=f"{provider.url}/v1",
        ) as service,
    ):

        async def ask_and_end():
            headers = {"authorization": f"Bearer {service.keys['admin']}"}
            async with httpx2.AsyncClient(
                base_url=service.address, headers=headers, timeout=120
            ) as client:
                asked = asyncio.create_task(client.post("/v1/runs", json=RUN))
                await asyncio.to_thread(wait_until, lambda: provider.seen)
                service.process.send_signal(signal.SIGTERM)
                return await asked

        said = asyncio.run(ask_and_end())
        service.process.wait(60)
        left = service.process.returncode

    assert ("accepted", 0) == (said.json()["outcomes"][0]["outcome"], left)
