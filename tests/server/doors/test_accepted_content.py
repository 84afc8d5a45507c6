"""What stands in a completion: the accepted output in the form of its contract's schema."""

from __future__ import annotations

import json

import pytest

from assay.runtime.audit.retention import Rule, retain
from assay.wiring import load_pack
from assay.wiring.service import open_keys
from tests.runtime.tiny import FILES, GOOD, TEXT, UNKNOWN_LABEL, script, write_pack
from tests.server.doors.openai_serving import MESSAGES, NAMED, client_of, serving_doors
from tests.server.serving import error_of, run_aside, serving

MAIL = "Subject: Pipe\n\nThe pipe in our cellar broke on Monday, write to ann@example.org."
CLASSIFY = load_pack("intake").contract("classify")


def ask(client, model, text, **more):
    messages = [{"role": "user", "content": text}]
    return client.chat.completions.create(model=model, messages=messages, **more)


@pytest.mark.clause("009-O1")
def test_the_content_fits_the_schema_and_the_audited_result_stands_beside_it(tmp_path):
    """Also when it is found again, streamed, and through the other way."""
    with serving_doors(tmp_path) as service:
        client = client_of(service)
        first = ask(client, "intake/classify", MAIL)
        again = ask(client, "intake/classify", MAIL)
        chunks = list(ask(client, "intake/classify", MAIL, stream=True))
        other = client.responses.create(model="intake/classify", input=MAIL)

    content = json.loads(first.choices[0].message.content)
    assert [] == list(CLASSIFY.schema.faults(content))
    assert all(quote in MAIL for each in content["intents"] for quote in each["evidence_snippets"])
    streamed = "".join(c.delta.content or "" for chunk in chunks for c in chunk.choices)
    assert (False, True) == (first.assay["reused"], again.assay["reused"])
    assert [content] * 3 == [
        json.loads(each) for each in (again.choices[0].message.content, streamed, other.output_text)
    ]
    evidence = first.assay["result"]["intents"][0]["evidence"][0]
    assert {"source", "start", "stop", "digest", "snippet_redacted"} == set(evidence)
    assert first.assay["result"] == again.assay["result"] == other.assay["result"]


@pytest.mark.clause("009-O1")
def test_the_schema_of_the_contract_itself_may_be_sent_with_its_name(tmp_path):
    """It says nothing else."""
    own = json.loads(FILES["contracts/triage.schema.json"])
    with serving_doors(tmp_path, script(tmp_path, GOOD)) as service:
        form = {"type": "json_schema", "json_schema": {"name": "any", "schema": own}}
        said = ask(client_of(service), "tiny/triage", TEXT.decode(), response_format=form)

    assert json.loads(GOOD) == json.loads(said.choices[0].message.content)
    assert [] == said.assay["not_applied"]


@pytest.mark.clause("009-O1")
def test_a_correction_is_the_content_until_it_is_taken_back(tmp_path):
    """A person's output takes the place of the model's."""
    with serving_doors(tmp_path, script(tmp_path, UNKNOWN_LABEL, UNKNOWN_LABEL)) as service:
        client, admin = client_of(service), service.as_role()
        refused = ask(client, "m", MESSAGES[0]["content"], extra_headers=NAMED)
        (review,) = refused.assay["reviews"]
        decision = {"accept": True, "reason": "read", "output": GOOD}
        admin.post(f"/v1/reviews/{review}/decision", json=decision)
        corrected = ask(client, "m", MESSAGES[0]["content"], extra_headers=NAMED)
        admin.post(f"/v1/reviews/{review}/reopen", json={"reason": "look again"})
        after = ask(client, "m", MESSAGES[0]["content"], extra_headers=NAMED)

    assert json.loads(GOOD) == json.loads(corrected.choices[0].message.content)
    assert after.choices[0].message.content is None


@pytest.mark.clause("009-O4")
def test_a_reply_that_is_kept_no_longer_is_a_refusal_with_the_result_beside_it(tmp_path):
    """Retention let go of the replies alone."""

    async def let_go(store):
        rule = Rule(kinds=("model.answered",), keep_days=0, reason="a test")
        async with open_keys(store) as (runtime, _):
            clock = runtime.context.clock
            await retain(runtime.store, [rule], clock=clock, actor="tests", dry_run=False)

    with serving_doors(tmp_path, script(tmp_path, GOOD)) as service:
        client = client_of(service)
        first = ask(client, "tiny/triage", TEXT.decode())
        run_aside(let_go(service.store))
        again = ask(client, "tiny/triage", TEXT.decode())

    message = again.choices[0].message
    assert message.content is None
    assert message.refusal.startswith("It was accepted before; what the model said is kept no")
    assert ("accepted", first.assay["result"]) == (again.assay["outcome"], again.assay["result"])


@pytest.mark.clause("009-O4")
@pytest.mark.parametrize("accept", [True, False])
def test_what_is_held_for_a_person_is_no_content_before_they_accept_it(tmp_path, accept):
    """The call passed the gate, but own words were cut; who rejects hands in no output."""
    declared = FILES["pack.yaml"].replace(b"name: tiny", b"name: held") + b"shortened: review\n"
    write_pack(tmp_path / "held", {**FILES, "pack.yaml": declared})
    long = "There is water in the cellar. " + "It rains and rains here. " * 120
    packs = f"{tmp_path / 'tiny'} {tmp_path / 'held'}"
    with serving(tmp_path, script(tmp_path, GOOD), ASSAY_SERVE_PACKS=packs) as service:
        client, admin = client_of(service), service.as_role()
        held = ask(client, "held/triage", long)
        (review,) = held.assay["reviews"]
        address = f"/v1/reviews/{review}/decision"
        unjudged = {"accept": False, "reason": "no", "output": '{"label":"never judged"}'}
        odd = admin.post(address, json=unjudged)
        admin.post(address, json={"accept": accept, "reason": "read"})
        after = ask(client, "held/triage", long)

    assert ("needs_review", None) == (held.assay["outcome"], held.choices[0].message.content)
    assert "input.shortened" in held.choices[0].message.refusal
    assert (422, "input.invalid") == error_of(odd)
    content = after.choices[0].message.content
    assert (json.loads(GOOD) if accept else None) == (content and json.loads(content))
