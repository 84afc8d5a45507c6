"""Errors repeat nothing of the request; what is refused before anybody works on it says why."""

from __future__ import annotations

import json
from contextlib import ExitStack
from urllib.parse import quote

import pytest

from tests import postgres
from tests.server.serving import error_of, serving

MARK = "Zz9Secret"
JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("service")) as found:
        yield found


def filled(schema, document, depth=0):
    """A value of *schema* whose every text, also of keys, is the marker."""
    if "$ref" in schema:
        return filled(document["components"]["schemas"][schema["$ref"].split("/")[-1]], document)
    for each in schema.get("anyOf", ()):
        return filled(each, document, depth)
    if "enum" in schema:
        return MARK
    match schema.get("type"):
        case "string" | None:
            return MARK
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
        case "array":
            return [filled(schema.get("items", {}), document, depth + 1)]
    if depth > 3 or not schema.get("properties"):
        return {MARK: MARK}
    return {
        name: filled(inner, document, depth + 1) for name, inner in schema["properties"].items()
    }


def bodies_of(operation, document):
    """The body with a marker everywhere; and with a good text in all places but one."""
    content = operation.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema")
    if schema is None:
        return [None]
    whole = filled(schema, document)
    found = [whole, {MARK: MARK}, MARK, [MARK]]
    if isinstance(whole, dict):
        found += [{name: whole[name]} for name in whole]
        required = resolve(schema, document).get("required", [])
        found += [{name: whole[name] for name in required if name in whole}]
        named = {"pack": "intake", "contract": "intake/classify", "bundle": {MARK: MARK}}
        found += [{k: named.get(k, v) for k, v in whole.items() if k in required}]
    return found


def resolve(schema, document):
    name = schema.get("$ref", "").split("/")[-1]
    return document["components"]["schemas"][name] if name else schema


@pytest.mark.clause("009-H2")
def test_no_error_repeats_a_value_of_the_request(service):
    """Of every operation: in its path, query, headers and each place of its body."""
    client = service.as_role()
    document = client.get("/openapi.json").json()
    told = 0
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            names = [each for each in operation.get("parameters", []) if each["in"] == "query"]
            address = path
            for name in [p["name"] for p in operation.get("parameters", []) if p["in"] == "path"]:
                address = address.replace(f"{{{name}}}", MARK)
            address = address.replace("{model:path}", MARK)
            ways = [{}] + [{each["name"]: MARK} for each in names]
            for body in bodies_of(operation, document):
                for query in ways:
                    said = client.request(
                        method.upper(),
                        address,
                        params=query,
                        headers={**JSON, "x-assay-contract": f"{MARK}/{MARK}"},
                        content=None if body is None else json.dumps(body),
                    )
                    if said.status_code >= 400:
                        told += 1
                        assert MARK not in said.text, (method, path, said.text)
                        assert said.status_code < 500, (method, path, said.text)
                    assert MARK not in str(said.headers)
    assert told > 100


@pytest.mark.clause("009-H2")
@pytest.mark.parametrize(
    "address",
    [
        "/v1/calls/{}",
        "/v1/calls/{}%00",
        "/v1/reviews/{}%00",
        "/v1/sessions/{}",
        "/v1/audit/receipts/{}",
        "/v1/templates/{}/{}/{}",
        "/v1/templates/{}/{}/9",
        "/v1/templates/{}/{}/diff?before=1&after=2",
        "/v1/templates/planner/outline/diff?before=1&after=2&pack={}",
        "/openai/v1/models/{}",
        "/nowhere/{}",
    ],
)
@pytest.mark.parametrize("name", ["zzsecret", "Ann Lee", "it's \\me\\", "名前です", "a"])
def test_no_name_that_was_sent_is_told_again(service, address, name):
    """Whatever its letters are, and also where it is part of what is not found."""
    name = f"{name}qx" if name == "a" else name
    said = service.as_role().get(address.replace("{}", quote(name, safe="")))

    status, _ = error_of(said)
    assert 400 <= status < 500
    message = json.dumps(said.json(), ensure_ascii=False)
    assert name not in message
    assert json.dumps(name, ensure_ascii=False)[1:-1] not in message


@pytest.mark.clause("009-H2")
def test_words_of_the_service_itself_stay(service):
    """Parts of its addresses are no values; of a long body nothing that is quoted is told."""
    client = service.as_role()
    review = client.get("/v1/reviews/take")
    long = {"contract": "nobody/knows", "output": "x " * 150_000, "sources": {}}
    gate = client.post("/v1/gate", json=long)

    assert "assay review list" in review.json()["error"]["hint"]
    assert "nobody" not in gate.text
    assert "ASSAY_SERVE_PACKS" in gate.json()["error"]["hint"]


@pytest.mark.clause("009-M2")
@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"params": MARK}, -32602),
        ({"id": {}}, -32600),
        ({"id": None}, -32600),
        ({"id": True}, -32600),
        ({"jsonrpc": MARK}, -32600),
        ({"method": {MARK: 1}}, -32600),
        ({"method": MARK}, -32601),
        ({"params": {"name": {MARK: 1}}}, -32602),
        ({"params": {"name": MARK}}, -32602),
        ({"params": {"name": "gate", "arguments": MARK}}, -32602),
    ],
)
def test_a_message_that_is_none_is_the_protocols_error_without_its_words(service, change, code):
    """JSON-RPC says which; nothing of the message stands in it."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}} | change
    accept = {"accept": "application/json, text/event-stream"}
    said = service.as_role().post("/mcp", json=message, headers=accept)

    assert MARK not in said.text
    assert "pydantic" not in said.text
    (line,) = [each for each in said.text.splitlines() if "jsonrpc" in each]
    assert code == json.loads(line.removeprefix("data: "))["error"]["code"]


@pytest.mark.clause("009-M2")
def test_a_tool_does_not_repeat_the_name_it_was_given(service):
    """Of a pack that is not served."""
    arguments = {"contract": f"{MARK}/x", "output": "{}"}
    call = {"name": "gate", "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    accept = {"accept": "application/json, text/event-stream"}
    said = service.as_role().post("/mcp", json=message, headers=accept)

    assert "not_found" in said.text
    assert MARK not in said.text


@pytest.mark.clause("009-A3")
@pytest.mark.parametrize("path", ["/v1/calls/", "/reviews/", "/healthz/", "/openai/v1/models/"])
def test_nobody_is_led_to_the_host_that_a_request_names(service, path):
    """A slash too many is an address where nothing is."""
    said = service.as_role(None).get(path, headers={"host": "evil.example"})

    assert said.status_code in (401, 404)
    assert "evil" not in str(said.headers) + said.text


@pytest.mark.clause("009-H2")
@pytest.mark.parametrize(
    "body",
    [
        b'{"contract": "intake/classify", "contract": "tiny/triage", "output": "{}"}',
        b'{"contract": "intake/classify", "output": "{}", "state": {"a": NaN}}',
        b'{"contract": "intake/classify", "output": "{}", "state": {"a": -Infinity}}',
        b'{"contract": "intake/classify", "output": "{}", "state": {"a": 1e999}}',
        b'{"contract": "intake/classify", "output": "{}", "state": {"a": {"b": 1, "b": 2}}}',
    ],
)
def test_a_body_says_one_thing(service, body):
    """No key twice, and no number that JSON has not; as the gate has it with models."""
    for path in ("/v1/gate", "/openai/v1/chat/completions"):
        said = service.as_role().post(path, content=body, headers=JSON)

        assert (422, "request.invalid") == error_of(said)
        assert "strict JSON" in said.json()["error"]["hint"]


@pytest.mark.clause("009-H2")
def test_a_body_without_end_of_levels_is_told_so(service):
    """By whoever reads it first, also where a tool or a client of OpenAI sends it."""
    body = b'{"a": ' * 50_000 + b"1" + b"}" * 50_000
    for path in ("/v1/gate", "/openai/v1/chat/completions", "/mcp"):
        said = service.as_role().post(path, content=body, headers=JSON)

        assert (422, "request.invalid") == error_of(said)
        assert "too many levels" in said.json()["error"]["message"]


@pytest.mark.clause("009-H2")
@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded"])
def test_json_of_another_kind_is_told_how_to_be_sent(service, kind):
    """In place of a type of the framework."""
    body = b'{"contract": "intake/classify", "output": "{}"}'
    headers = {} if kind is None else {"content-type": kind}
    said = service.as_role().post("/v1/gate", content=body, headers=headers)

    assert (422, "request.invalid") == error_of(said)
    assert "send content-type: application/json" == said.json()["error"]["hint"]


@pytest.mark.clause("009-H1")
@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/reviews", "/v1/calls", "/sign-in"])
def test_head_is_answered_as_get_without_a_body(service, path):
    """Load balancers ask so."""
    client = service.as_role()
    said = client.request("HEAD", path)

    assert client.get(path).status_code == said.status_code
    assert said.status_code < 400 or path == "/sign-in"
    assert b"" == said.content


def with_sign(value, sign):
    """*value* again and again, each time with *sign* in another of its texts."""
    match value:
        case str():
            yield f"{sign}{value}"
        case dict():
            for name, inner in value.items():
                yield from (value | {name: each} for each in with_sign(inner, sign))
            if value:
                yield value | {sign: 1}
        case list():
            for number, inner in enumerate(value):
                for each in with_sign(inner, sign):
                    yield [*value[:number], each, *value[number + 1 :]]


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def either(request, tmp_path_factory):
    """A service on each database."""
    place = tmp_path_factory.mktemp("either")
    with ExitStack() as stack:
        url = None
        if request.param == "postgresql":
            try:
                server = stack.enter_context(postgres.running())
            except postgres.NoServer as reason:
                reason.end_test()
            url = stack.enter_context(server.database())
        yield stack.enter_context(serving(place, store=url))


@pytest.mark.clause("009-H2")
@pytest.mark.parametrize("sign", ["\ud83d", "\0"])
def test_a_sign_that_cannot_be_kept_is_no_fault_of_ours(either, sign):
    """Half a character and NUL, in each text of each body and query that the document shows."""
    client = either.as_role()
    document = client.get("/openapi.json").json()
    accept = JSON | {"accept": "application/json, text/event-stream"}
    asked = 0
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            content = operation.get("requestBody", {}).get("content", {})
            example = content.get("application/json", {}).get("example")
            ways = [({}, body) for body in with_sign(example, sign)]
            if sign.isascii():
                ways += [
                    ({each["name"]: sign}, example)
                    for each in operation.get("parameters", [])
                    if each["in"] == "query"
                ]
            for query, body in ways:
                sent = None if body is None else json.dumps(body)
                said = client.request(
                    method.upper(), path, params=query, content=sent, headers=accept
                )
                asked += 1
                assert said.status_code < 500, (method, path, query, body, said.text)
    assert asked > 60
