"""The document of the API: an example of every body, answer and error, each of which fits."""

from __future__ import annotations

import jsonschema
import pytest

from tests.server.serving import serving

OPEN = {"verdicts", "models"}
"""Their keys are names of a store."""


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("service")) as service:
        yield service.as_role().get("/openapi.json").json()


def contents(document):
    """Where, and content of every kind, of all bodies and answers."""
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            said = [("body", operation.get("requestBody", {}))]
            said += operation["responses"].items()
            for part, each in said:
                for kind, content in each.get("content", {}).items():
                    yield (method, path, part, kind), content


@pytest.mark.clause("009-H1")
def test_every_body_answer_and_error_has_an_example_that_fits_its_schema(document):
    """JSON alone: of a stream of events there is no one document."""
    seen = 0
    for where, content in contents(document):
        if where[3] != "application/json":
            continue
        assert "example" in content or content.get("examples"), where
        schema = {**content.get("schema", {}), "components": document["components"]}
        for value in [content["example"]] if "example" in content else content["examples"].values():
            seen += 1
            jsonschema.Draft202012Validator(schema).validate(value)
    assert seen > 400


@pytest.mark.clause("009-H1")
def test_an_example_says_what_the_service_says(tmp_path):
    """No key stands in an example that the real answer has not."""
    addresses = {
        "/healthz": "/healthz",
        "/readyz": "/readyz",
        "/v1/calls": "/v1/calls",
        "/v1/audit/log": "/v1/audit/log?run=1",
        "/v1/audit/head": "/v1/audit/head",
        "/v1/figures": "/v1/figures",
        "/v1/templates": "/v1/templates",
        "/v1/templates/drift": "/v1/templates/drift",
        "/v1/templates/stats": "/v1/templates/stats",
        "/v1/keys": "/v1/keys",
        "/openai/v1/models": "/openai/v1/models",
        "/openai/v1/models/{model}": "/openai/v1/models/intake/classify",
    }
    with serving(tmp_path) as service:
        client = service.as_role()
        run = {"pack": "intake", "inputs": [{"text": "Subject: Pipe\n\nA pipe has burst."}]}
        assert 200 == client.post("/v1/runs", json=run).status_code
        call = client.get("/v1/calls").json()["calls"][0]["id"]
        addresses["/v1/audit/receipts/{call_id}"] = f"/v1/audit/receipts/{call}"
        addresses["/v1/calls/{call_id}"] = f"/v1/calls/{call}"
        paths = client.get("/openapi.json").json()["paths"]
        for path, address in addresses.items():
            content = paths[path]["get"]["responses"]["200"]["content"]["application/json"]
            real = client.get(address).json()
            assert set(content["example"]) <= set(real), path
            for name, example in content["example"].items():
                first = example[0] if isinstance(example, list) and example else example
                other = real[name][0] if isinstance(example, list) and real[name] else real[name]
                if isinstance(first, dict) and isinstance(other, dict) and name not in OPEN:
                    assert set(first) <= set(other), (path, name)
        for name in ("GateBody", "RedactBody", "RenderBody", "RunBody", "KeyBody"):
            path = f"/v1/{ {'RunBody': 'runs', 'KeyBody': 'keys'}.get(name, name[:-4].lower()) }"
            body = paths[path]["post"]["requestBody"]["content"]["application/json"]["example"]
            assert client.post(path, json=body).status_code in (200, 201), path


@pytest.mark.clause("009-H1")
def test_each_error_has_its_own_status_and_the_shape_of_its_door(document):
    """Code, message, hint; beside them OpenAI's type and parameter."""
    for (method, path, part, _), content in contents(document):
        if part == "body" or int(part) < 400 or path in ("/mcp", "/readyz"):
            continue
        error = content["example"]["error"]
        more = {"type", "param"} if path.startswith("/openai/") else set()
        assert {"code", "message", "hint"} | more == set(error), (method, path, part)


@pytest.mark.clause("009-H1")
def test_each_address_that_programs_call_is_described(document):
    """Also figures for machines and tools for agents, with what they are sent."""
    paths = document["paths"]

    assert {"/metrics", "/mcp", "/openai/v1/models/{model}", "/healthz"} <= set(paths)
    assert "requestBody" in paths["/mcp"]["post"]
    assert {"200", "202", "400", "406"} <= set(paths["/mcp"]["post"]["responses"])
    assert "text/plain" in paths["/metrics"]["get"]["responses"]["200"]["content"]
