"""An answer that was lost on its way, or never made: the same request finds what became of it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from tests.loopback import answer, openai_text
from tests.loopback import serving as serving_model
from tests.runtime.tiny import GOOD, UNKNOWN_LABEL, script
from tests.server.pages.desk_cases import run
from tests.server.serving import error_of, serving

WATER = {"name": "a.txt", "text": "There is water in the cellar."}
RUN = {"pack": "tiny", "inputs": [WATER]}


def lose_answers(service):
    """What a process leaves that dies after its work is on record and before its answer is."""
    with closing(sqlite3.connect(service.store.removeprefix("sqlite:///"), timeout=30)) as store:
        lost = store.execute("DELETE FROM idempotent_requests").rowcount
        store.commit()
    assert lost > 0


@pytest.mark.clause("009-H5", "009-H7")
def test_a_call_that_a_living_process_gave_up_is_made_by_another_one(tmp_path):
    """Its model was out of reach; who asks another process for the same need not wait for it."""
    environ = {"OPENAI_API_KEY": "none"}
    refused = answer(401, {"error": {"message": "no", "code": "invalid_api_key"}})
    with serving_model(refused, openai_text(GOOD)) as provider:
        environ["OPENAI_BASE_URL"] = f"{provider.url}/v1"
        with (
            serving(tmp_path, "openai:tiny", **environ) as one,
            serving(tmp_path, "openai:tiny", store=one.store, keys=one.keys, **environ) as two,
        ):
            headers = {"idempotency-key": "k"}
            first = one.as_role().post("/v1/runs", json=RUN, headers=headers)
            second = two.as_role().post("/v1/runs", json=RUN, headers=headers)
            (call,) = second.json()["outcomes"][0]["calls"]
            events = two.as_role().get(f"/v1/calls/{call}").json()["events"]
            verified = two.as_role().post("/v1/audit/verify").json()

    assert (503, "model.unavailable") == error_of(first)
    assert "accepted" == second.json()["outcomes"][0]["outcome"]
    assert ["call.opened", "call.left", "call.resumed", "call.settled"] == [
        each["kind"] for each in events if each["kind"].startswith("call.")
    ]
    assert ("unanchored", None) == (verified["status"], verified["first_bad"])


@pytest.mark.clause("009-H5")
@pytest.mark.parametrize("accept", [True, False])
def test_a_decision_whose_answer_was_lost_is_answered_by_the_same_request(tmp_path, accept):
    """The same answer again, and one decision; another request is told that it was decided."""
    with serving(tmp_path, script(tmp_path, *[UNKNOWN_LABEL] * 4)) as service:
        (review,) = run(service, "tiny", ("a.txt", b"There is water in the cellar."))
        client = service.as_role("reviewer")
        address = f"/v1/reviews/{review}/decision"
        body = {"accept": accept, "reason": "seen"} | ({"output": GOOD} if accept else {})

        def decide(key, said=body):
            return client.post(address, json=said, headers={"idempotency-key": key})

        first = decide("k")
        lose_answers(service)
        again = decide("k")
        lose_answers(service)
        other_body = decide(
            "k", {"accept": not accept, "reason": "no"} | ({} if accept else {"output": GOOD})
        )
        other_key = decide("l")
        row = client.get(f"/v1/reviews/{review}").json()
        events = client.get(f"/v1/calls/{row['review']['call']}").json()["events"]

    assert 200 == first.status_code
    assert first.json() == again.json()
    assert (409, "conflict") == error_of(other_body)
    assert (409, "conflict") == error_of(other_key)
    assert first.json()["review"] == row["review"]
    assert 1 == [each["kind"] for each in events].count("review.decided")
