"""The tools over streamable HTTP, by the client of the official SDK."""

from __future__ import annotations

import asyncio
import json

import pytest

import assay
from tests.parts import require_part
from tests.runtime.tiny import GOOD, TEXT, UNKNOWN_LABEL, script
from tests.server.serving import error_of, serving

(mcp,) = require_part("mcp", "mcp")

import httpx2  # noqa: E402
from mcp.client.client import Client  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402
from mcp.shared.exceptions import MCPError  # noqa: E402

GATE = {"contract": "tiny/triage", "sources": {"text": TEXT.decode()}}
BUNDLE = {
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
QUESTION = "When is the pool open?"
TOOLS = ["gate", "redact", "assemble", "validate", "ask", "run", "receipt"]


def with_client(service, work, role="admin", **options):
    """What *work* does with a client of the SDK."""

    async def run():
        headers = {"authorization": f"Bearer {service.keys[role]}"}
        async with httpx2.AsyncClient(headers=headers, timeout=120) as http:
            transport = streamable_http_client(f"{service.address}/mcp", http_client=http)
            async with Client(transport, **options) as client:
                return await work(client)

    return asyncio.run(run())


@pytest.mark.clause("009-M1")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_each_tool_says_what_its_route_says(tmp_path, mode):
    """The same JSON, as structured content that fits the schema of the tool."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "pool.md").write_text("# Pool\n\nThe pool is open from 7 to 21.\n")
    answer = "The pool is open from 7 to 21. [C0]"
    replies = script(tmp_path, GOOD, answer)

    async def work(client):
        listed = await client.list_tools()

        async def call(name, **arguments):
            done = await client.call_tool(name, arguments)
            assert not done.is_error, done
            assert done.structured_content == json.loads(done.content[0].text)
            return done.structured_content

        found = {
            "gate": await call("gate", **GATE, output=UNKNOWN_LABEL),
            "redact": await call("redact", text="Call +1 202 555 0143."),
            "assemble": await call("assemble", bundle=BUNDLE, question=QUESTION),
            "run": await call("run", pack="tiny", inputs=[{"name": "a", "text": TEXT.decode()}]),
            "ask": await call("ask", question=QUESTION, documents="pool"),
        }
        found["validate"] = await call("validate", assembly=found["assemble"], answer=answer)
        (call_id,) = found["run"]["outcomes"][0]["calls"]
        found["receipt"] = await call("receipt", call=call_id)
        return listed.tools, found

    with serving(tmp_path, replies, ASSAY_SERVE_DOCUMENTS=f"pool={docs}") as service:
        tools, found = with_client(service, work, mode=mode)
        client = service.as_role()
        (call,) = found["run"]["outcomes"][0]["calls"]
        over_http = {
            "gate": client.post("/v1/gate", json={**GATE, "output": UNKNOWN_LABEL}).json(),
            "redact": assay.redact("Call +1 202 555 0143.").to_dict(),
            "assemble": assay.assemble(BUNDLE, QUESTION).to_dict(),
            "run": client.post(
                "/v1/runs", json={"pack": "tiny", "inputs": [{"name": "a", "text": TEXT.decode()}]}
            ).json(),
        }
        receipt = client.get(f"/v1/audit/receipts/{call}").json()

    assert TOOLS == [tool.name for tool in tools]
    assert all(tool.output_schema and tool.input_schema["properties"] for tool in tools)
    assert over_http == {name: found[name] for name in over_http}
    assert ["label.unknown"] == [each["code"] for each in found["gate"]["findings"]]
    assert "PASSED" == found["validate"]["validation_status"]
    assert ("accepted", ["pool/pool.md"]) == (
        found["ask"]["outcome"],
        [each["file"] for each in found["ask"]["citations"]],
    )
    assert receipt.keys() == found["receipt"].keys()


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("service")) as found:
        yield found


@pytest.mark.clause("009-M2")
@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("gate", {}, "request.invalid"),
        ("gate", {**GATE, "output": 7}, "request.invalid"),
        ("gate", {**GATE, "output": "", "more": 1}, "request.invalid"),
        ("gate", {"contract": "no/such", "output": ""}, "not_found"),
        ("gate", {"contract": "/etc/passwd", "output": ""}, "not_found"),
        ("redact", {"text": "", "regions": ["XX"]}, "input.invalid"),
        ("assemble", {"bundle": {}}, "request.invalid"),
        ("validate", {"assembly": {}, "answer": ""}, "input.invalid"),
        ("ask", {"question": "?", "documents": "/etc"}, "not_found"),
        ("ask", {"question": "?"}, "request.invalid"),
        ("run", {"pack": "tiny", "inputs": []}, "request.invalid"),
        ("run", {"pack": "none", "inputs": [{"text": "x"}]}, "not_found"),
        ("receipt", {"call": "abcd"}, "not_found"),
        ("receipt", {}, "request.invalid"),
    ],
)
def test_wrong_arguments_are_an_error_of_the_tool(service, name, arguments, code):
    """In the one shape, without a value of the request."""
    done = with_client(service, lambda client: client.call_tool(name, arguments))

    assert done.is_error
    assert {"error"} == set(done.structured_content)
    assert {"code", "message", "hint"} == set(done.structured_content["error"])
    assert code == done.structured_content["error"]["code"]
    assert done.structured_content == json.loads(done.content[0].text)


@pytest.mark.clause("009-M2")
def test_a_tool_that_there_is_not_is_an_error_of_the_protocol(service):
    """It names those that there are."""

    async def work(client):
        with pytest.raises(MCPError) as raised:
            await client.call_tool("shell", {"command": "id"})
        return raised.value

    error = with_client(service, work).data["error"]

    assert "not_found" == error["code"]
    assert "gate" in error["hint"]


@pytest.mark.clause("009-M3")
@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        ("viewer", set()),
        ("operator", {"gate", "redact", "run"}),
        ("reviewer", {"gate", "redact", "receipt"}),
        ("approver", {"gate", "redact"}),
    ],
)
def test_each_tool_asks_for_its_permission(service, role, allowed):
    """What a role may not do over HTTP it may not do here."""
    arguments = {
        "gate": {**GATE, "output": ""},
        "redact": {"text": ""},
        "run": {"pack": "nobody", "inputs": [{"text": "x"}]},
        "receipt": {"call": "abcd"},
    }

    async def work(client):
        return {name: await client.call_tool(name, given) for name, given in arguments.items()}

    done = with_client(service, work, role)

    refused = {
        name
        for name, said in done.items()
        if said.is_error and said.structured_content["error"]["code"] == "may_not"
    }
    assert set(arguments) - allowed == refused


@pytest.mark.clause("009-M3")
def test_nobody_gets_in_and_quotas_count(tmp_path):
    """The errors are those of every route."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"accept": "application/json, text/event-stream"}
    with serving(tmp_path, ASSAY_SERVE_PER_MINUTE="3") as service:
        nobody = service.as_role(None).post("/mcp", json=message, headers=accept)
        operator = service.as_role("operator")
        said = [operator.post("/mcp", json=message, headers=accept) for _ in range(5)]
        got = operator.get("/mcp")

    assert (401, "not_signed_in") == error_of(nobody)
    assert [200, 200, 200] == [each.status_code for each in said[:3]]
    assert (429, "too_many") == error_of(said[-1])
    assert (405, "method.not_allowed") == error_of(got)


@pytest.mark.clause("009-M5")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "localhost:8320"}, 200),
        ({"host": "[::1]:8320"}, 200),
        ({"host": "evil.example"}, 403),
        ({"host": "localhost.evil.example"}, 403),
        ({"host": ""}, 403),
        ({"host": "["}, 403),
        ({"origin": "http://127.0.0.1:9"}, 200),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"host": "evil.example", "origin": "http://evil.example"}, 403),
    ],
)
def test_a_page_that_points_a_name_at_this_machine_is_refused(service, headers, status):
    """Host and Origin are those of the service, or this machine's."""
    said = service.as_role().post(
        "/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        headers={"accept": "application/json, text/event-stream", **headers},
    )

    assert status == said.status_code
    if status != 200:
        assert (403, "may_not") == error_of(said)


@pytest.mark.clause("009-M2")
def test_a_long_input_is_judged(service):
    """Three megabytes of it, on a thread of its own."""
    given = {**GATE, "output": "x " * 1_500_000}
    done = with_client(service, lambda client: client.call_tool("gate", given))

    assert "rejected" == done.structured_content["verdict"]


@pytest.mark.clause("009-M2")
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"7", b"\xff", b'{"jsonrpc": "2.0"}'])
def test_what_is_no_message_is_answered_with_an_error(service, content):
    """And no traceback."""
    said = service.as_role().post(
        "/mcp",
        content=content,
        headers={"accept": "application/json, text/event-stream"}
        | {"content-type": "application/json"},
    )

    assert said.status_code in (400, 422)
    assert "Traceback" not in said.text
    assert "error" in said.json()


@pytest.mark.clause("009-M2")
@pytest.mark.parametrize("kind", [None, "", "text/plain", "application/jsonp"])
def test_a_message_that_is_not_said_to_be_json_is_refused_in_the_one_shape(service, kind):
    """Before the protocol's own library sees it."""
    headers = {} if kind is None else {"content-type": kind}
    said = service.as_role().post("/mcp", content=b"{}", headers=headers)

    assert (422, "request.invalid") == error_of(said)
