"""Who may ask what: every route as every role, and as nobody."""

from __future__ import annotations

import re

import pytest

from assay.runtime.access.roles import may
from tests.server.serving import ROLES, error_of, serving

PERMISSIONS = {
    "GET /v1/calls": "read",
    "GET /v1/calls/{call_id}": "read",
    "GET /v1/reviews": "read",
    "GET /v1/reviews/{review_id}": "texts",
    "POST /v1/reviews/{review_id}/check": "decide",
    "POST /v1/reviews/{review_id}/decision": "decide",
    "POST /v1/reviews/{review_id}/take": "decide",
    "POST /v1/reviews/{review_id}/release": "decide",
    "POST /v1/reviews/{review_id}/hand_on": "decide",
    "POST /v1/reviews/{review_id}/reopen": "administer",
    "GET /v1/sessions": "read",
    "GET /v1/sessions/{session_id}": "texts",
    "POST /v1/sessions": "ask",
    "POST /v1/sessions/{session_id}/turns": "ask",
    "POST /v1/runs": "ask",
    "POST /v1/answers": "ask",
    "POST /v1/gate": "judge",
    "POST /v1/render": "judge",
    "POST /v1/redact": "judge",
    "POST /v1/assemble": "judge",
    "POST /v1/validate": "judge",
    "POST /v1/replays": "read",
    "GET /v1/figures": "read",
    "GET /v1/audit/log": "read",
    "GET /v1/audit/head": "read",
    "POST /v1/audit/verify": "read",
    "GET /v1/audit/checkpoints": "read",
    "POST /v1/audit/checkpoints": "administer",
    "GET /v1/audit/receipts/{call_id}": "texts",
    "POST /v1/audit/erasures": "administer",
    "GET /v1/templates": "read",
    "POST /v1/templates": "release",
    "GET /v1/templates/drift": "read",
    "GET /v1/templates/stats": "read",
    "GET /v1/templates/{role}/{name}/diff": "read",
    "GET /v1/templates/{role}/{name}/{which}": "read",
    "POST /v1/templates/{role}/{name}/{which}/promote": "release",
    "POST /v1/templates/{role}/{name}/{which}/canary": "release",
    "POST /v1/templates/{role}/{name}/{which}/retire": "release",
    "POST /v1/templates/{role}/{name}/{which}/label": "release",
    "POST /v1/templates/{role}/{name}/rollback": "release",
    "GET /v1/keys": "administer",
    "POST /v1/keys": "administer",
    "DELETE /v1/keys/{key_id}": "administer",
    "GET /metrics": "read",
    "GET /openai/v1/models": "ask",
    "GET /openai/v1/models/{model}": "ask",
    "POST /openai/v1/chat/completions": "ask",
    "POST /openai/v1/responses": "ask",
}
"""Written down by hand: what the code says is held against it."""

PUBLIC = {"GET /healthz", "GET /readyz"}
BY_TOOL = {"POST /mcp"}
"""Asks who calls; each of its tools asks for a permission of its own."""


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("service")) as found:
        yield found


def routes(service):
    document = service.as_role(None).get("/openapi.json").json()
    return {
        f"{method.upper()} {path}"
        for path, methods in document["paths"].items()
        for method in methods
    }


@pytest.mark.clause("009-A2")
def test_every_route_has_its_row(service):
    """A route that is added without a decision about who may call it fails here."""
    assert routes(service) == set(PERMISSIONS) | PUBLIC | BY_TOOL
    assert (401, "not_signed_in") == error_of(service.as_role(None).post("/mcp", json={}))


@pytest.mark.clause("009-A2")
def test_every_route_answers_every_role_as_its_row_says(service):
    """401 to nobody, 403 to who may not, and neither to who may."""
    for route, permission in PERMISSIONS.items():
        method, template = route.split()
        path = re.sub(r"\{\w+\}", "abcd", template)
        body = {} if method == "POST" else None
        for role in (None, *ROLES):
            with_role = service.as_role(role)
            said = with_role.request(method, path, json=body)
            if role is None:
                assert (401, "not_signed_in") == error_of(said), route
            elif not may(role, permission):
                assert (403, "may_not") == error_of(said), (route, role)
            else:
                assert said.status_code not in {401, 403}, (route, role, said.text)
            with_role.close()


@pytest.mark.clause("009-A1")
@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer assay_x", "Basic YTpi", "bearer \x80", "Bearer " + "x" * 9_000]
)
def test_what_is_no_key_is_nobody(service, header):
    """And is told how to get one."""
    nobody = service.as_role(None)
    said = nobody.get("/v1/calls", headers={"authorization": header.encode("latin-1")})

    assert (401, "not_signed_in") == error_of(said)
    assert said.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.clause("009-A1")
def test_a_key_that_is_revoked_opens_nothing_any_more(service):
    """Within the seconds for which a caller is remembered."""
    admin = service.as_role("admin")
    made = admin.post("/v1/keys", json={"name": "short", "role": "viewer"})
    key = made.json()
    client = service.as_role(None)
    client.headers["authorization"] = f"Bearer {key['secret']}"
    before = client.get("/v1/calls").status_code
    listed = admin.get("/v1/keys")
    gone = admin.delete(f"/v1/keys/{key['id']}")
    from tests.processes import wait_until

    wait_until(lambda: client.get("/v1/calls").status_code == 401)

    assert (201, 200, 200) == (made.status_code, before, gone.status_code)
    assert key["secret"] not in listed.text
    assert (404, "not_found") == error_of(admin.delete(f"/v1/keys/{key['id']}"))


@pytest.mark.clause("009-A2")
def test_texts_are_shown_only_to_who_may_see_them(tmp_path):
    """A viewer sees the call and not what was asked or said in it, on whatever way."""
    from tests.runtime.tiny import GOOD, script

    words = "There is water in the cellar. Call +1 202 555 0143."
    with serving(tmp_path, script(tmp_path, GOOD)) as service:
        body = {"pack": "tiny", "inputs": [{"name": "a.txt", "text": words}]}
        done = service.as_role("operator").post("/v1/runs", json=body).json()
        call = done["outcomes"][0]["calls"][0]
        viewer, reviewer = service.as_role("viewer"), service.as_role("reviewer")
        refused = viewer.get(f"/v1/calls/{call}?raw=true")
        plain = viewer.get(f"/v1/calls/{call}?prompt=true").text
        whole = reviewer.get(f"/v1/calls/{call}?raw=true").text

    assert (403, "may_not") == error_of(refused)
    assert "555 0143" not in plain
    assert "water in the cellar" in whole
