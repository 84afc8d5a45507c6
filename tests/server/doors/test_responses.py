"""The Responses API through a contract, by the SDK of OpenAI."""

from __future__ import annotations

import json
from typing import Literal

import pytest
from pydantic import BaseModel

from tests.runtime.tiny import GOOD, UNKNOWN_LABEL, script
from tests.server.doors.openai_serving import NAMED, TEXT, client_of, openai, serving_doors
from tests.server.serving import error_of


class Triage(BaseModel):
    label: Literal["water", "fire"]
    evidence_snippets: list[str]


def ask(client, **more):
    return client.responses.create(**{"model": "gpt-5-mini", "input": TEXT} | more)


def part_of(response):
    (item,) = response.output
    (part,) = item.content
    return part


@pytest.mark.clause("009-O1")
def test_an_accepted_output_is_the_output_text(tmp_path):
    """And a rejected one a part that refuses; both are on record."""
    replies = script(tmp_path, GOOD, UNKNOWN_LABEL, UNKNOWN_LABEL)
    with serving_doors(tmp_path, replies) as service:
        client = client_of(service)
        good = ask(client, extra_headers=NAMED, temperature=0.2)
        items = [{"role": "user", "content": [{"type": "input_text", "text": f"{TEXT} Twice."}]}]
        bad = ask(client, input=items, metadata={"assay_contract": "tiny/triage"})
        calls = service.as_role().get("/v1/calls").json()["calls"]

    assert json.loads(GOOD) == json.loads(good.output_text)
    assert ("completed", "gpt-5-mini") == (good.status, good.model)
    assert ["temperature"] == good.assay["not_applied"]
    assert good.usage.total_tokens == good.usage.input_tokens + good.usage.output_tokens
    assert "refusal" == part_of(bad).type
    assert part_of(bad).refusal.startswith("Not accepted (gate.rejected): label.unknown")
    assert "WATER" not in bad.model_dump_json()
    assert {good.assay["call"], bad.assay["call"]} == {each["id"] for each in calls}


@pytest.mark.clause("009-O2")
def test_a_class_becomes_a_contract_and_is_parsed(tmp_path):
    """With instructions in the prompt."""
    with serving_doors(tmp_path, script(tmp_path, GOOD)) as service:
        said = client_of(service).responses.parse(
            model="m", instructions="Sort the mail.", input=TEXT, text_format=Triage
        )

    assert Triage.model_validate_json(GOOD) == said.output_parsed
    assert "python/Triage" == said.assay["contract"]


@pytest.mark.clause("009-O5")
def test_a_stream_shows_nothing_before_the_verdict(tmp_path):
    """One piece of what was accepted, or the refusal; the SDK puts the response together."""
    said = (GOOD, UNKNOWN_LABEL, UNKNOWN_LABEL, GOOD)
    replies = [{"text": text, "stream": True} for text in said]
    with serving_doors(tmp_path, script(tmp_path, *replies)) as service:
        client = client_of(service)
        good = list(ask(client, extra_headers=NAMED, stream=True))
        bad = list(ask(client, input=f"{TEXT} Twice.", extra_headers=NAMED, stream=True))
        with client.responses.stream(model="m", input=TEXT, text_format=Triage) as stream:
            kinds = [event.type for event in stream]
            final = stream.get_final_response()

    deltas = [event.delta for event in good if event.type == "response.output_text.delta"]
    assert [json.loads(GOOD)] == [json.loads(each) for each in deltas]
    assert list(range(len(good))) == [event.sequence_number for event in good]
    assert ("response.created", "response.completed") == (good[0].type, good[-1].type)
    assert "accepted" == good[-1].response.assay["outcome"]
    assert [] == [event for event in bad if "output_text" in event.type]
    assert not any("WATER" in event.model_dump_json() for event in bad)
    assert "refusal" == part_of(bad[-1].response).type
    assert "response.completed" == kinds[-1]
    assert "water" == final.output_parsed.label


@pytest.mark.clause("009-O5")
def test_a_pack_that_says_so_is_shown_as_it_arrives(tmp_path):
    """And what is shown and not accepted is followed by a refusal."""
    pieces = [
        {"pieces": [GOOD[:10], GOOD[10:]]},
        {"pieces": [UNKNOWN_LABEL[:20], UNKNOWN_LABEL[20:]]},
        {"pieces": [UNKNOWN_LABEL[:20], UNKNOWN_LABEL[20:]]},
    ]
    named = {"x-assay-contract": "open/triage"}
    with serving_doors(tmp_path, script(tmp_path, *pieces)) as service:
        client = client_of(service)
        good = list(ask(client, extra_headers=named, stream=True))
        bad = list(ask(client, input=f"{TEXT} Twice.", extra_headers=named, stream=True))

    shown = [event.delta for event in good if event.type == "response.output_text.delta"]
    assert [GOOD[:10], GOOD[10:]] == shown
    assert GOOD == good[-1].response.output_text
    parts = bad[-1].response.output[0].content
    assert ["output_text", "refusal"] == [part.type for part in parts]
    assert UNKNOWN_LABEL.startswith(parts[0].text)


@pytest.mark.clause("009-O7")
@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"input": ""}, 422, "request.invalid"),
        ({"input": []}, 422, "request.invalid"),
        ({"input": None}, 422, "request.invalid"),
        ({"input": [7]}, 422, "request.invalid"),
        ({"input": [{"type": "function_call_output"}]}, 400, "request.unsupported"),
        (
            {"input": [{"role": "user", "content": [{"type": "input_image"}]}]},
            400,
            "request.unsupported",
        ),
        ({"instructions": 7}, 422, "request.invalid"),
        ({"text": "json"}, 422, "request.invalid"),
        ({"text": {"format": "json"}}, 422, "request.invalid"),
        ({"text": {"format": {"type": "json_schema"}}}, 422, "request.invalid"),
        ({"previous_response_id": "resp_1"}, 400, "request.unsupported"),
        ({"background": True}, 400, "request.unsupported"),
        ({"tools": [{"type": "web_search"}]}, 400, "request.unsupported"),
    ],
)
def test_what_cannot_be_meant_is_an_error(shared, change, status, code):
    """As OpenAI writes it."""
    said = shared.as_role("operator").post(
        "/openai/v1/responses", json={"model": "m", "input": TEXT} | change, headers=NAMED
    )

    assert (status, code) == error_of(said)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with serving_doors(tmp_path_factory.mktemp("service")) as found:
        yield found


@pytest.mark.clause("009-O7")
def test_a_wrong_key_and_an_unknown_contract_are_errors_of_the_sdk(shared):
    """Whole or streamed."""
    for stream in (False, True):
        with pytest.raises(openai.AuthenticationError):
            ask(client_of(shared, None), extra_headers=NAMED, stream=stream)
        with pytest.raises(openai.NotFoundError):
            ask(client_of(shared), extra_headers={"x-assay-contract": "no/such"}, stream=stream)
