"""`/v1/gate` and its siblings over the loopback."""

from __future__ import annotations

import json

import pytest

import assay
from tests import command
from tests.runtime.tiny import GOOD, TEXT, UNKNOWN_LABEL
from tests.server.serving import error_of, serving

BODY = {"contract": "tiny/triage", "sources": {"text": TEXT.decode()}}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """One service for the tests here; none of them changes it."""
    with serving(tmp_path_factory.mktemp("service")) as found:
        yield found


@pytest.fixture(scope="module")
def client(service):
    return service.as_role("operator")


@pytest.mark.clause("009-H1")
@pytest.mark.parametrize(
    ("output", "verdict"),
    [(GOOD, "accepted"), (UNKNOWN_LABEL, "rejected"), ("no JSON", "rejected")],
)
def test_the_gate_says_what_the_command_says(service, client, output, verdict):
    """The same document, word for word."""
    said = client.post("/v1/gate", json={**BODY, "output": output, "finish_reason": "stop"})
    place = service.place
    (place / "out.txt").write_text(output)
    (place / "text.txt").write_bytes(TEXT)
    words = ("gate", "tiny/triage", "out.txt", "--source", "text=text.txt")
    told = command.assay(place, *words, "--finish-reason", "stop", "--json")

    assert (200, verdict) == (said.status_code, said.json()["verdict"])
    assert told.document == said.json()


@pytest.mark.clause("009-H1")
def test_redact_render_assemble_and_validate_say_what_the_library_says(client):
    """No second implementation stands behind them."""
    text = "Call Ann at +1 202 555 0143 or ann@example.org."
    bundle = {
        "request_id": "r",
        "index_version": "1",
        "embedding_model": "m",
        "retrieval_top_k": 1,
        "results": [
            {
                "chunk_id": "c",
                "knowledge_id": "k",
                "chunk_text": "The pool is open from 7 to 21.",
                "rank": 0,
                "similarity_score": 0.9,
            }
        ],
    }
    question, answer = "When is the pool open?", "The pool is open from 7 to 21. [C0]"
    assembled = client.post("/v1/assemble", json={"bundle": bundle, "question": question})
    assembly = assay.assemble(bundle, question)
    judged = client.post("/v1/validate", json={"assembly": assembled.json(), "answer": answer})
    rendered = client.post("/v1/render", json={"body": "Hi {{name}}", "variables": {"name": "Ann"}})

    assert assay.redact(text).to_dict() == client.post("/v1/redact", json={"text": text}).json()
    assert assembly.to_dict() == assembled.json()
    assert assay.validate(assembly, answer).to_dict() == judged.json()
    assert "PASSED" == judged.json()["validation_status"]
    assert ("Hi Ann", ["name"]) == (rendered.json()["text"], rendered.json()["variables"])


@pytest.mark.clause("009-H2")
@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/v1/gate", {"contract": "nobody/triage", "output": ""}, 404, "not_found"),
        ("/v1/gate", {"contract": "tiny", "output": ""}, 404, "not_found"),
        ("/v1/gate", {"contract": "/etc/passwd", "output": ""}, 404, "not_found"),
        ("/v1/gate", {"contract": "tiny/triage"}, 422, "request.invalid"),
        ("/v1/gate", {**BODY, "output": "", "more": 1}, 422, "request.invalid"),
        ("/v1/render", {"body": "{{a}}", "variables": {"b": ""}}, 422, "prompt.variables"),
        ("/v1/render", {}, 422, "request.invalid"),
        ("/v1/render", {"template": "no/such@1"}, 404, "not_found"),
        ("/v1/redact", {"text": "", "regions": ["XX"]}, 422, "input.invalid"),
        ("/v1/validate", {"assembly": {}, "answer": ""}, 422, "input.invalid"),
        ("/v1/nothing", {}, 404, "not_found"),
    ],
)
def test_what_cannot_be_meant_is_told_in_the_one_shape(client, path, body, status, code):
    """With the status and the code of the error."""
    assert (status, code) == error_of(client.post(path, json=body))


@pytest.mark.clause("009-H2")
@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"null", b'"x"', b"\xff", b'{"a": NaN}', b"{" * 5_000]
)
def test_a_body_that_is_no_object_is_refused(client, content):
    """And none of it is told."""
    said = client.post("/v1/gate", content=content, headers={"content-type": "application/json"})

    assert (422, "request.invalid") == error_of(said)


@pytest.mark.clause("009-H2")
def test_an_error_holds_no_value_of_the_request(client):
    """A wrong body may hold personal data."""
    secret = "Ann Miller, +1 202 555 0143"
    said = [
        client.post("/v1/gate", json={"contract": 7, "output": [secret], secret: 1}),
        client.post("/v1/gate", json=[secret]),
        client.post("/v1/runs", json={"pack": "tiny", "inputs": [{"text": secret, "base64": "x"}]}),
    ]

    assert [422] * 3 == [each.status_code for each in said]
    assert not any("202 555" in each.text for each in said)


@pytest.mark.clause("009-A4")
def test_every_answer_says_what_browsers_may_do_with_it(service):
    """Errors too; none is kept in a cache."""
    nobody = service.as_role(None)
    for path in ("/healthz", "/v1/calls", "/nothing"):
        headers = nobody.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "nosniff" == headers["x-content-type-options"]
        assert "no-store" == headers["cache-control"]
        assert "server" not in headers


@pytest.mark.clause("009-H1")
def test_the_document_of_the_api_names_every_error_and_gives_examples(service):
    """Every route under /v1 documents the shape of errors; every field of a body is described."""
    document = service.as_role(None).get("/openapi.json").json()
    routes = [
        (path, method, route)
        for path, methods in document["paths"].items()
        for method, route in methods.items()
        if path.startswith("/v1/")
    ]

    assert len(routes) > 35
    for path, method, route in routes:
        assert route["summary"], path
        assert {"401", "403", "404", "422", "429", "503"} <= set(route["responses"]), path
        shape = route["responses"]["404"]["content"]["application/json"]["schema"]
        assert shape == {"$ref": "#/components/schemas/ErrorAnswer"}, (path, method)
    gate = document["components"]["schemas"]["GateBody"]["properties"]
    assert ["intake/classify"] == gate["contract"]["examples"]


@pytest.mark.clause("009-H3")
def test_a_long_output_does_not_hold_up_the_others(client, service):
    """It is judged on a thread; a sign of life comes meanwhile."""
    long = json.dumps({"label": "water", "evidence_snippets": ["x" * 150] * 20_000})
    said = client.post("/v1/gate", json={**BODY, "output": long})

    assert "rejected" == said.json()["verdict"]
    assert 200 == service.as_role(None).get("/healthz").status_code
