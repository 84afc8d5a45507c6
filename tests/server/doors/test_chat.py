"""Chat completions through a contract, by the SDK of OpenAI."""

from __future__ import annotations

import http.client
import json
import threading
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel

import assay
from tests.loopback import openai_text
from tests.loopback import serving as serving_model
from tests.processes import wait_until
from tests.runtime.tiny import GOOD, UNKNOWN_LABEL, script
from tests.server.doors.openai_serving import (
    MESSAGES,
    NAMED,
    TEXT,
    client_of,
    openai,
    serving_doors,
)


class Triage(BaseModel):
    label: Literal["water", "fire"]
    evidence_snippets: list[Annotated[str, assay.Quote("body")]]


SCHEMA = {
    "type": "json_schema",
    "json_schema": {"name": "Triage", "schema": Triage.model_json_schema(), "strict": True},
}
FALSE_QUOTE = json.dumps({"label": "fire", "evidence_snippets": ["the roof is on fire"]})


def ask(client, **more):
    return client.chat.completions.create(**{"model": "gpt-5-mini", "messages": MESSAGES} | more)


@pytest.mark.clause("009-O1")
@pytest.mark.parametrize(
    "named",
    [
        {"extra_headers": NAMED},
        {"metadata": {"assay_contract": "tiny/triage"}},
        {"model": "tiny/triage"},
    ],
)
def test_an_accepted_output_is_the_content_of_the_message(tmp_path, named):
    """By a contract of header, metadata or model name; and the call stands on record."""
    with serving_doors(tmp_path, script(tmp_path, GOOD)) as service:
        said = ask(client_of(service), **named)
        call = service.as_role().get(f"/v1/calls/{said.assay['call']}").json()
        log = service.as_role().get(f"/v1/audit/log?run={call['call']['run']}").json()["events"]

    (choice,) = said.choices
    assert json.loads(GOOD) == json.loads(choice.message.content)
    assert ("stop", None) == (choice.finish_reason, choice.message.refusal)
    assert named.get("model", "gpt-5-mini") == said.model
    assert said.usage.total_tokens == said.usage.prompt_tokens + said.usage.completion_tokens
    assert "accepted" == said.assay["outcome"]
    assert ("tiny/triage", "accepted") == (call["call"]["contract"], call["call"]["outcome"])
    assert {"door": "chat/completions", "model": said.model} == log[0]["facts"]["asked"]


@pytest.mark.clause("009-O4")
def test_a_rejected_output_is_a_refusal_and_waits_for_a_person(tmp_path):
    """One sentence with codes and messages; no content, whatever the model said."""
    with serving_doors(tmp_path, script(tmp_path, UNKNOWN_LABEL, UNKNOWN_LABEL)) as service:
        said = ask(client_of(service), extra_headers=NAMED)
        again = ask(client_of(service), extra_headers=NAMED)
        reviews = service.as_role().get("/v1/reviews").json()["reviews"]

    message = said.choices[0].message
    assert (None, "stop") == (message.content, said.choices[0].finish_reason)
    assert message.refusal.startswith("Not accepted (gate.rejected): label.unknown: ")
    assert "WATER" not in said.model_dump_json()
    assert ["label.unknown"] == [each["code"] for each in said.assay["findings"]]
    assert [each["id"] for each in reviews] == said.assay["reviews"]
    assert (message.refusal, True) == (again.choices[0].message.refusal, again.assay["reused"])
    assert said.assay["reviews"] == again.assay["reviews"]


@pytest.mark.clause("009-O2")
def test_a_schema_of_the_client_becomes_a_contract(tmp_path):
    """Parsed into its class; markers of quotes hold; replayed from the record alone."""
    replies = script(tmp_path, GOOD, FALSE_QUOTE, FALSE_QUOTE)
    with serving_doors(tmp_path, replies) as service:
        client = client_of(service)
        system = {"role": "system", "content": "Sort {{mail}}.\n=== user ===\nObey."}
        parsed = client.chat.completions.parse(
            model="m", messages=[system, *MESSAGES], response_format=Triage
        )
        refused = ask(client, response_format=SCHEMA)
        call = service.as_role().get(f"/v1/calls/{parsed.assay['call']}?prompt=true").json()
        replays = service.as_role().post(
            "/v1/replays", json={"calls": [parsed.assay["call"], refused.assay["call"]]}
        )

    assert Triage.model_validate_json(GOOD) == parsed.choices[0].message.parsed
    assert ("python/Triage", "accepted") == (parsed.assay["contract"], parsed.assay["outcome"])
    prompt = next(
        each["payloads"]["prompt_redacted"]
        for each in call["events"]
        if each["kind"] == "prompt.built"
    )
    assert "Sort {{mail}}.\n=== user ===\nObey." in prompt
    assert TEXT in prompt
    assert refused.choices[0].message.refusal is not None
    assert {"evidence.not_found"} == {each["code"] for each in refused.assay["findings"]}
    assert [("identical", "same")] * 2 == [
        (each["prompt"], each["verdict"]) for each in replays.json()["replays"]
    ]


@pytest.mark.clause("009-O2")
def test_earlier_replies_stand_in_the_prompt_and_nothing_is_quoted_from_them(tmp_path):
    """Of a conversation the user's last text is the source."""
    quoted = json.dumps({"label": "water", "evidence_snippets": ["It burns."]})
    said = [
        {"role": "user", "content": "What is it?"},
        {"role": "assistant", "content": "It burns."},
        {"role": "user", "content": [{"type": "text", "text": TEXT}]},
    ]
    with serving_doors(tmp_path, script(tmp_path, quoted, quoted, GOOD)) as service:
        client = client_of(service)
        refused = ask(client, messages=said, response_format=SCHEMA)
        accepted = ask(client, messages=[*said, MESSAGES[0]], response_format=SCHEMA)
        with pytest.raises(openai.UnprocessableEntityError):
            ask(client, messages=said, extra_headers=NAMED)
        with pytest.raises(openai.UnprocessableEntityError):
            ask(client, messages=said[:2], response_format=SCHEMA)

    assert refused.choices[0].message.content is None
    assert json.loads(GOOD) == json.loads(accepted.choices[0].message.content)


@pytest.mark.clause("009-O6")
def test_what_is_not_applied_is_told(tmp_path):
    """Sampling changes nothing; with a pack's contract neither does the client's own prompt."""
    system = {"role": "developer", "content": "Be brief."}
    with serving_doors(tmp_path, script(tmp_path, GOOD)) as service:
        said = ask(
            client_of(service),
            messages=[system, *MESSAGES],
            extra_headers=NAMED,
            temperature=0.7,
            logprobs=True,
            max_completion_tokens=5,
            n=1,
            response_format={"type": "json_object"},
        )

    assert ["instructions", "logprobs", "max_completion_tokens", "temperature"] == said.assay[
        "not_applied"
    ]


@pytest.mark.clause("009-O5")
def test_a_stream_shows_nothing_before_the_verdict(tmp_path):
    """One piece with what was accepted; what was rejected never leaves, in none."""
    pieces = [{"text": text, "stream": True} for text in (GOOD, UNKNOWN_LABEL, UNKNOWN_LABEL, GOOD)]
    with serving_doors(tmp_path, script(tmp_path, *pieces)) as service:
        client = client_of(service)
        options = {"stream": True, "stream_options": {"include_usage": True}}
        good = list(ask(client, extra_headers=NAMED, **options))
        other = [{"role": "user", "content": f"{TEXT} Twice."}]
        bad = list(ask(client, messages=other, extra_headers=NAMED, stream=True))
        with client.chat.completions.stream(
            model="m", messages=MESSAGES, response_format=Triage
        ) as stream:
            final = stream.get_final_completion()

    contents = [c.delta.content for chunk in good for c in chunk.choices if c.delta.content]
    assert [json.loads(GOOD)] == [json.loads(each) for each in contents]
    assert "stop" == good[-2].choices[0].finish_reason
    assert "accepted" == good[-2].assay["outcome"]
    assert good[-1].usage.total_tokens >= 0
    refusals = [c.delta.refusal for chunk in bad for c in chunk.choices if c.delta.refusal]
    assert [True] == [each.startswith("Not accepted") for each in refusals]
    assert not any("WATER" in chunk.model_dump_json() for chunk in bad)
    assert "needs_review" == bad[-1].assay["outcome"]
    assert "water" == final.choices[0].message.parsed.label


@pytest.mark.clause("009-O5")
def test_a_pack_that_says_so_is_shown_as_it_arrives(tmp_path):
    """And what is shown and not accepted is taken back."""
    pieces = [
        {"pieces": [GOOD[:10], GOOD[10:20], GOOD[20:]]},
        {"pieces": [UNKNOWN_LABEL[:20], UNKNOWN_LABEL[20:]]},
        {"pieces": [GOOD[:30], GOOD[30:]]},
    ]
    named = {"x-assay-contract": "open/triage"}
    with serving_doors(tmp_path, script(tmp_path, *pieces)) as service:
        client = client_of(service)
        good = list(ask(client, extra_headers=named, stream=True))
        other = [{"role": "user", "content": f"{TEXT} Twice."}]
        second = list(ask(client, messages=other, extra_headers=named, stream=True))
        after = list(ask(client, messages=other, extra_headers=named, stream=True))

    def shown(chunks, field):
        return [
            getattr(c.delta, field) for e in chunks for c in e.choices if getattr(c.delta, field)
        ]

    assert [GOOD[:10], GOOD[10:20], GOOD[20:]] == shown(good, "content")
    assert [] == shown(good, "refusal")
    assert UNKNOWN_LABEL.startswith("".join(shown(second, "content")))
    assert [True] == ["not accepted" in each for each in shown(second, "refusal")]
    assert ("accepted", 2) == (second[-1].assay["outcome"], second[-1].assay["attempts"])
    assert [json.loads(GOOD)] == [json.loads(each) for each in shown(after, "content")]


@pytest.mark.clause("009-O1")
def test_the_served_contracts_are_listed_as_models(tmp_path):
    """Those that can be asked by themselves."""
    with serving_doors(tmp_path) as service:
        client = client_of(service)
        listed = [each.id for each in client.models.list()]
        one = client.models.retrieve("tiny/triage")
        with pytest.raises(openai.NotFoundError):
            client.models.retrieve("tiny/other")

    assert ("tiny/triage", "model") == (one.id, one.object)
    assert {"tiny/triage", "open/triage", "intake/classify", "grants/plan"} <= set(listed)
    assert not [each for each in listed if each.startswith("services/")]
    assert "grants/document" not in listed


@pytest.mark.clause("009-O7")
def test_the_same_request_under_a_key_is_answered_once(tmp_path):
    """Its header is a part of the request."""
    with serving_doors(tmp_path, script(tmp_path, GOOD)) as service:
        client = client_of(service)
        keyed = {"idempotency-key": "k"}
        said = [ask(client, extra_headers={**NAMED, **keyed}) for _ in range(2)]
        with pytest.raises(openai.ConflictError):
            ask(client, extra_headers={"x-assay-contract": "open/triage", **keyed})

    assert 1 == len({each.id for each in said})


@pytest.mark.clause("009-O5")
def test_a_listener_that_leaves_changes_nothing(tmp_path):
    """The call is brought to its end; who asks again gets what was accepted."""

    def slowly(handler):
        arrived.set()
        leaving.wait(60)
        openai_text(GOOD)(handler)

    arrived, leaving = threading.Event(), threading.Event()
    with (
        serving_model(slowly) as provider,
        serving_doors(
            tmp_path, "openai:tiny", OPENAI_API_KEY="none", OPENAI_BASE_URL=f"{provider.url}/v1"
        ) as service,
    ):
        address = service.address.removeprefix("http://")
        body = json.dumps({"messages": MESSAGES, "stream": True, "model": "tiny/triage"})
        connection = http.client.HTTPConnection(address)
        headers = {"authorization": f"Bearer {service.keys['operator']}"}
        headers["content-type"] = "application/json"
        connection.request("POST", "/openai/v1/chat/completions", body, headers)
        assert arrived.wait(60)
        connection.close()
        leaving.set()
        client = service.as_role()
        wait_until(
            lambda: [c["status"] for c in client.get("/v1/calls").json()["calls"]] == ["settled"]
        )
        again = ask(client_of(service), extra_headers=NAMED)

    assert again.assay["reused"]
    assert json.loads(GOOD) == json.loads(again.choices[0].message.content)
    assert 1 == len(provider.seen)


@pytest.mark.clause("009-O4")
def test_what_was_erased_is_not_given_again(tmp_path):
    """A refusal that says so."""
    with serving_doors(tmp_path, script(tmp_path, GOOD)) as service:
        client, admin = client_of(service), service.as_role()
        first = ask(client, extra_headers=NAMED)
        call = admin.get(f"/v1/calls/{first.assay['call']}").json()["call"]
        admin.post("/v1/audit/erasures", json={"subject": call["subject"], "reason": "asked"})
        again = ask(client, extra_headers=NAMED)

    message = again.choices[0].message
    assert (None, "What was accepted before has been erased since.") == (
        message.content,
        message.refusal,
    )
