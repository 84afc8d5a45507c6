"""What clients of OpenAI are told that ask for what cannot be given."""

from __future__ import annotations

import json

import pytest

from tests.runtime.tiny import GOOD, script
from tests.server.doors.openai_serving import (
    MESSAGES,
    NAMED,
    TEXT,
    client_of,
    openai,
    serving_doors,
)
from tests.server.serving import error_of

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
DEEP = {"type": "object"}
for _ in range(300):
    DEEP = {"type": "object", "properties": {"a": DEEP}}


def schema(document, name="S"):
    return {"type": "json_schema", "json_schema": {"name": name, "schema": document}}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with serving_doors(tmp_path_factory.mktemp("service")) as found:
        yield found


def post(service, body, path="chat/completions", role="operator", **headers):
    headers = {"content-type": "application/json", **headers}
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    said = service.as_role(role).post(f"/openai/v1/{path}", content=content, headers=headers)
    return said


@pytest.mark.clause("009-O7")
@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"messages": []}, 422, "request.invalid"),
        ({"messages": None}, 422, "request.invalid"),
        ({"messages": ["hi"]}, 422, "request.invalid"),
        ({"messages": [{"role": "user"}]}, 422, "request.invalid"),
        ({"messages": [{"role": "user", "content": "  "}]}, 422, "request.invalid"),
        ({"messages": [{"role": "user", "content": []}]}, 422, "request.invalid"),
        ({"messages": [{"role": "user", "content": [IMAGE]}]}, 400, "request.unsupported"),
        ({"messages": [{"role": "tool", "content": "x"}]}, 400, "request.unsupported"),
        ({"messages": [{"role": [], "content": "x"}]}, 422, "request.invalid"),
        ({"n": 2}, 400, "request.unsupported"),
        ({"tools": [{"type": "function"}]}, 400, "request.unsupported"),
        ({"functions": [{}]}, 400, "request.unsupported"),
        ({"audio": {"voice": "a"}}, 400, "request.unsupported"),
        ({"modalities": ["text", "audio"]}, 400, "request.unsupported"),
        ({"stream": "yes"}, 422, "request.invalid"),
        ({"stream_options": 1}, 422, "request.invalid"),
        ({"model": 7}, 422, "request.invalid"),
        ({"model": "a\nb"}, 422, "request.invalid"),
        ({"metadata": "x"}, 422, "request.invalid"),
        ({"metadata": {"assay_contract": 1}}, 422, "request.invalid"),
        ({"metadata": {"assay_contract": "intake/classify"}}, 400, "request.unsupported"),
        ({"model": "intake/classify"}, 400, "request.unsupported"),
        ({"response_format": schema({"type": "object"})}, 400, "request.unsupported"),
        ({"response_format": "json"}, 422, "request.invalid"),
        ({"response_format": {"type": "json_schema"}}, 422, "request.invalid"),
    ],
)
def test_a_request_that_cannot_be_meant_is_an_error_as_openai_writes_it(
    service, change, status, code
):
    """With our code and hint beside its type."""
    said = post(service, {"model": "m", "messages": MESSAGES} | change, **NAMED)

    assert (status, code) == error_of(said)


@pytest.mark.clause("009-O2")
@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        (schema({"type": 7}), 422, "contract.class"),
        (schema({"type": "string"}), 422, "contract.class"),
        (schema({"type": "array", "items": {}}), 422, "contract.class"),
        (schema({}), 422, "contract.class"),
        (schema([]), 422, "request.invalid"),
        (schema(DEEP), 422, "request.invalid"),
        (schema({"type": "object"}, "no name"), 422, "request.invalid"),
        (schema({"type": "object"}, None), 422, "request.invalid"),
        (schema({"type": "object", "minProperties": 2**60}), 422, "contract.class"),
        (schema({"type": "object", "$ref": "https://example.org/x"}), 422, "contract.class"),
        (
            schema({"type": "object", "properties": {"a": {"x-assay-labels": "kind"}}}),
            422,
            "contract.class",
        ),
        (schema({"type": "object", "pattern": "("}), 422, "contract.class"),
        ({"type": "json_object"}, 422, "request.invalid"),
        ({"type": "text"}, 422, "request.invalid"),
    ],
)
def test_a_schema_that_is_none_becomes_no_contract(service, asked, status, code):
    """Nor does a format that nothing can be held to."""
    said = post(service, {"model": "m", "messages": MESSAGES, "response_format": asked})

    assert (status, code) == error_of(said)


@pytest.mark.clause("009-O7")
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff", b'{"a":' * 5_000])
def test_a_body_that_is_no_object_is_refused(service, content):
    """Whatever the way."""
    for path in ("chat/completions", "responses"):
        assert (422, "request.invalid") == error_of(post(service, content, path))


@pytest.mark.clause("009-O7")
def test_half_a_character_is_refused(service):
    """It could not be quoted, nor recorded."""
    half = b'{"messages": [{"role": "user", "content": "a \\ud800 b"}]}'

    assert (422, "request.invalid") == error_of(post(service, half, **NAMED))


@pytest.mark.clause("009-O7")
@pytest.mark.parametrize(
    ("role", "contract", "error", "code"),
    [
        (None, "tiny/triage", openai.AuthenticationError, "not_signed_in"),
        ("viewer", "tiny/triage", openai.PermissionDeniedError, "may_not"),
        ("operator", "tiny/nothing", openai.NotFoundError, "not_found"),
        ("operator", "/etc/passwd", openai.NotFoundError, "not_found"),
        ("operator", "grants/document", openai.UnprocessableEntityError, "input.invalid"),
        ("operator", "services/inquiry", openai.UnprocessableEntityError, "input.invalid"),
    ],
)
def test_the_sdk_raises_the_error_of_the_fault(service, role, contract, error, code):
    """A wrong key, no permission, no such contract, one that is no single call."""
    contracts = {"services/inquiry": service_stage(service)}
    named = {"x-assay-contract": contracts.get(contract, contract)}
    for stream in (False, True):
        with pytest.raises(error) as raised:
            client_of(service, role).chat.completions.create(
                model="m", messages=MESSAGES, extra_headers=named, stream=stream
            )
        assert code == raised.value.code
        assert {"message", "hint", "type", "param", "code"} == set(raised.value.body)


def service_stage(service):
    """A contract that is asked in stages."""
    from assay.wiring import load_pack

    return f"services/{min(load_pack('services').contracts)}"


@pytest.mark.clause("009-O7")
def test_a_model_that_is_out_of_reach_is_an_error_also_of_a_stream(tmp_path):
    """Told with its status as long as nothing was sent."""
    with serving_doors(tmp_path, script(tmp_path, {"error": "auth"})) as service:
        for stream in (False, True):
            with pytest.raises(openai.InternalServerError) as raised:
                client_of(service).chat.completions.create(
                    model="m", messages=MESSAGES, extra_headers=NAMED, stream=stream
                )
            assert (503, "model.unavailable") == (raised.value.status_code, raised.value.code)


@pytest.mark.clause("009-O7")
def test_a_model_that_can_never_answer_is_no_fault_that_passes(service):
    """By a client's own schema, whole and as a stream: nobody is told to come again."""
    free = schema({"type": "object", "properties": {"a": {"type": "string"}}})
    for stream in (False, True):
        body = {"model": "m", "messages": MESSAGES, "response_format": free, "stream": stream}
        said = post(service, body)
        assert (400, "model.unfit") == error_of(said)
        assert "retry-after" not in said.headers


@pytest.mark.clause("009-O1")
def test_a_long_text_is_shortened_to_the_budget_and_that_is_told(tmp_path):
    """A megabyte, with the words that are quoted at its beginning."""
    long = f"{TEXT} " + "and so on " * 100_000
    with serving_doors(tmp_path, script(tmp_path, GOOD, GOOD)) as service:
        said = [
            client_of(service).chat.completions.create(
                model="m", messages=[{"role": "user", "content": long}], **more
            )
            for more in (
                {"extra_headers": NAMED},
                {"response_format": schema({"type": "object"})},
            )
        ]

    assert ["accepted"] * 2 == [each.assay["outcome"] for each in said]
    assert all(each.assay["shortened"]["omitted_chars"] > 900_000 for each in said)


@pytest.mark.clause("009-O4")
def test_an_input_that_cannot_be_read_is_a_refusal_with_its_review(service):
    """A pack of JSON is sent prose."""
    said = post(service, {"messages": MESSAGES, "model": "grants/plan"}).json()

    assert "input.unreadable" == said["assay"]["reason"]
    assert (None, 1) == (said["assay"]["call"], len(said["assay"]["reviews"]))
    assert said["choices"][0]["message"]["refusal"].startswith("Not accepted (input.unreadable)")


@pytest.mark.clause("009-O3")
def test_a_model_name_that_may_be_personal_is_recorded_as_its_digest(tmp_path):
    """It is answered as it was asked."""
    with serving_doors(tmp_path, script(tmp_path, GOOD)) as service:
        said = post(service, {"model": "ann@example.org", "messages": MESSAGES}, **NAMED).json()
        client = service.as_role()
        run = client.get(f"/v1/calls/{said['assay']['call']}").json()["call"]["run"]
        log = client.get(f"/v1/audit/log?run={run}")

    assert "ann@example.org" == said["model"]
    assert "ann@example" not in log.text
    assert log.json()["events"][0]["facts"]["asked"]["model"].startswith("sha256:")
