"""Where `openai:` sends its requests: addresses as people have them."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.openai.address import HOME, read_address
from assay.errors import UsageError
from tests import loopback
from tests.adapters.models import openai_shapes as shapes
from tests.adapters.models.openai_shapes import ask, request

AZURE = "https://res.openai.azure.com"
DATED = "2024-10-21"


def read(url: str, *, api: str = "chat", version: str = "", key: str = "k"):
    return read_address(url, api=api, model="dep", key=key, version=version)


@pytest.mark.clause("006-M8")
@pytest.mark.parametrize(
    ("url", "version", "api", "base", "query"),
    [
        (HOME, DATED, "chat", HOME, {}),
        ("http://127.0.0.1:8000/v1/", "", "chat", "http://127.0.0.1:8000/v1", {}),
        ("http://h/v1/chat/completions", "", "chat", "http://h/v1", {}),
        ("http://h/v1/responses", "", "responses", "http://h/v1", {}),
        ("https://h/v1?tenant=a", DATED, "chat", "https://h/v1", {"tenant": "a"}),
        (AZURE, "", "chat", f"{AZURE}/openai/v1", {}),
        (f"{AZURE}/openai/v1/", "", "chat", f"{AZURE}/openai/v1", {}),
        (
            f"{AZURE}/openai/v1?api-version=preview",
            "",
            "responses",
            f"{AZURE}/openai/v1",
            {"api-version": "preview"},
        ),
        (
            AZURE,
            DATED,
            "chat",
            f"{AZURE}/openai/deployments/dep",
            {"api-version": DATED},
        ),
        (
            f"{AZURE}/openai/deployments/mine/chat/completions?api-version=2025-01-01-preview",
            DATED,
            "chat",
            f"{AZURE}/openai/deployments/mine",
            {"api-version": "2025-01-01-preview"},
        ),
        (
            f"{AZURE}/openai/deployments/mine",
            DATED,
            "responses",
            f"{AZURE}/openai",
            {"api-version": DATED},
        ),
        (
            "https://gate.example.org/llm/openai/deployments/mine",
            DATED,
            "chat",
            "https://gate.example.org/llm/openai/deployments/mine",
            {"api-version": DATED},
        ),
    ],
)
def test_an_address_is_taken_as_a_portal_shows_it(url, version, api, base, query):
    """A base, a whole endpoint, a resource, a deployment behind a gateway."""
    address = read(url, version=version, api=api)

    assert (base, query) == (address.base_url, address.query)


@pytest.mark.clause("006-M8")
@pytest.mark.parametrize(
    ("url", "newest", "headers"),
    [
        (HOME, True, {}),
        ("https://eu.api.openai.com/v1", True, {}),
        (f"{AZURE}/openai/v1", True, {"api-key": "k"}),
        ("https://r.services.ai.azure.com/openai/v1", True, {"api-key": "k"}),
        ("http://127.0.0.1/openai/deployments/x", True, {"api-key": "k"}),
        ("https://api.groq.com/openai/v1", False, {}),
        ("https://openai.azure.com.example.org/v1", False, {}),
        ("https://notapi.openai.com.example.org/v1", False, {}),
    ],
)
def test_only_azure_gets_the_key_by_its_own_name(url, newest, headers):
    """A host that merely looks like it gets the bearer alone."""
    address = read(url)

    assert (newest, headers) == (address.newest, address.headers)


@pytest.mark.clause("006-M8")
def test_a_token_of_a_signed_in_service_is_no_key():
    """It goes out as the bearer and by no other name; neither stands in the value's text."""
    token = "eyJhbGciOi.eyJhdWQiOi.c2lnbmF0dXJl"

    assert {} == read(f"{AZURE}/openai/v1", key=token).headers
    assert "secret" not in repr(read(f"{AZURE}/openai/v1", key="secret"))


@pytest.mark.clause("006-M8")
@pytest.mark.parametrize(
    "url", ["", "res.openai.azure.com", "ftp://h/v1", "https://", "http:///v1", "http://[v1"]
)
def test_what_is_no_address_is_refused(url):
    """Before anything is sent."""
    with pytest.raises(UsageError, match="OPENAI_BASE_URL"):
        read(url)


@pytest.mark.clause("006-M8")
def test_a_deployment_without_a_version_names_the_setting():
    """Azure would say 404, as for a model that is not there."""
    with pytest.raises(UsageError, match="OPENAI_API_VERSION"):
        read(f"{AZURE}/openai/deployments/mine")


@given(st.text(), st.text("[]:/@?#%a"))
def test_any_text_is_an_address_or_a_fault_of_usage(path, host):
    """No other error leaves."""
    for url in (path, f"https://{host}", f"https://h/{path}"):
        with suppress(UsageError):
            assert read(url).host


@pytest.mark.clause("006-M8")
@pytest.mark.parametrize(
    ("settings", "path"),
    [
        ({}, "/openai/deployments/mine/chat/completions?api-version=2024-10-21"),
        ({"ASSAY_OPENAI_API": "responses"}, "/openai/responses?api-version=2024-10-21"),
    ],
)
def test_a_deployment_is_asked_with_version_and_key(settings, path):
    """Over the wire: path, query, `api-key` beside the bearer, the limit by its newer name."""
    answer = loopback.answer(200, shapes.response("{}")) if settings else None
    with loopback.serving(answer or loopback.openai_text("{}")) as server:
        ask(
            server.url,
            request(),
            path="/openai/deployments/mine/chat/completions?api-version=2024-10-21",
            **settings,
        )

    seen = server.seen[0]
    assert path == seen.path
    assert ("k-123", "Bearer k-123") == (seen.headers["api-key"], seen.headers["authorization"])
    assert ("max_output_tokens" if settings else "max_completion_tokens") in seen.body
    assert "tiny" == seen.body["model"]
