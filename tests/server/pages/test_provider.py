"""Signing in through a provider: who gets in, as what, and what does not hold."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from tests import command
from tests.parts import require_part
from tests.server.serving import serving

require_part("server", "joserfc", "authlib")

from tests.server.pages.oidc_provider import CLIENT, SECRET, providing  # noqa: E402

HTML = {"accept": "text/html"}


@pytest.fixture(scope="module")
def provider():
    with providing() as found:
        yield found


@pytest.fixture(scope="module")
def service(tmp_path_factory, provider):
    with serving(
        tmp_path_factory.mktemp("service"),
        ASSAY_OIDC_ISSUER=provider.address,
        ASSAY_OIDC_CLIENT_ID=CLIENT,
        ASSAY_OIDC_CLIENT_SECRET=SECRET,
        ASSAY_OIDC_ROLES="leads=approver claims=reviewer",
    ) as found:
        yield found


@pytest.fixture(autouse=True)
def honest(provider):
    """Each test begins with a provider that says the truth of Ann."""
    provider.person = {"sub": "7", "preferred_username": "ann", "groups": ["claims", "other"]}
    provider.changes, provider.forged, provider.down = {}, False, False


def browser_of(service):
    """A client that keeps cookies and wants pages."""
    client = service.as_role(None)
    client.headers.update(HTML)
    return client


def come_in(service, to="/record"):
    """Follow the way in; the client, and the last answer before a page of the service."""
    client = browser_of(service)
    led = client.get("/sign-in/provider", params={"next": to})
    if led.status_code != 302:
        return client, led
    back = httpx2.get(led.headers["location"])
    return client, client.get(back.headers["location"])


@pytest.mark.clause("009-A7")
def test_who_belongs_to_a_group_gets_in_with_its_role(service, provider):
    """And comes to the page that was asked for; the person is called as the provider calls them."""
    client, back = come_in(service)
    may = client.get("/v1/reviews").status_code
    may_not = client.get("/v1/keys").status_code
    token = client.cookies["assay_session"]
    asked = provider.asked[-1]

    assert (303, "/record") == (back.status_code, back.headers["location"])
    assert (200, 403) == (may, may_not)
    assert len(token) > 40
    assert ("S256", "code") == (asked["code_challenge_method"], asked["response_type"])
    assert all(asked[name] for name in ("state", "nonce", "code_challenge"))


@pytest.mark.clause("009-A7")
def test_of_several_groups_the_one_that_stands_first_counts(service, provider):
    """As the setting orders them, not as the provider does."""
    provider.person["groups"] = ["claims", "leads"]
    client, _ = come_in(service)
    page = re.sub(r"<[^>]*>", "", client.get("/nothing").text)

    assert "ann, approver" in page


@pytest.mark.clause("009-A7")
@pytest.mark.parametrize("groups", [["other"], [], None, "claims-extern", 7, {"claims": True}])
def test_who_has_no_role_gets_in_nowhere(service, provider, groups):
    """Being known to the organisation opens nothing."""
    provider.person["groups"] = groups
    client, back = come_in(service)

    assert 403 == back.status_code
    assert "assay_session" not in client.cookies


@pytest.mark.clause("009-A7")
@pytest.mark.parametrize(
    "false",
    [
        {"iss": "https://example.org"},
        {"aud": "another"},
        {"exp": 1},
        {"nonce": "another"},
        {"nonce": None},
    ],
    ids="-".join,
)
def test_a_token_that_does_not_hold_opens_nothing(service, provider, false):
    """Of another issuer, for somebody else, expired, for another request."""
    provider.changes = false
    client, back = come_in(service)

    assert 403 == back.status_code
    assert "assay_session" not in client.cookies


@pytest.mark.clause("009-A7")
def test_a_forged_token_opens_nothing(service, provider):
    """Signed with a key that the provider does not publish."""
    provider.forged = True
    client, back = come_in(service)

    assert (403, None) == (back.status_code, client.cookies.get("assay_session"))


@pytest.mark.clause("009-A7")
def test_a_way_back_that_was_not_begun_here_opens_nothing(service):
    """Another browser's code, a code twice, none at all: who comes so is not signed in."""
    client = browser_of(service)
    led = client.get("/sign-in/provider")
    back = urlsplit(httpx2.get(led.headers["location"]).headers["location"])
    stranger = browser_of(service)
    path = f"{back.path}?{back.query}"
    said = [
        stranger.get(path),
        stranger.get("/sign-in/provider/back"),
        client.get(path.replace(parse_qs(back.query)["state"][0], "x")),
    ]

    assert [403] * 3 == [each.status_code for each in said]
    assert "assay_session" not in stranger.cookies
    assert "assay_session" not in client.cookies


@pytest.mark.clause("009-A7")
def test_a_provider_that_is_down_is_told_and_tried_again(service, provider, tmp_path):
    """503 while it is, and in again afterwards; nothing was remembered wrongly."""
    provider.down = True
    with serving(
        tmp_path,
        ASSAY_OIDC_ISSUER=provider.address,
        ASSAY_OIDC_CLIENT_ID=CLIENT,
        ASSAY_OIDC_CLIENT_SECRET=SECRET,
        ASSAY_OIDC_ROLES="claims=reviewer",
    ) as fresh:
        _, said = come_in(fresh)
        provider.down = False
        client, back = come_in(fresh)
        signed_in = "assay_session" in client.cookies

    assert (503, 303, True) == (said.status_code, back.status_code, signed_in)


@pytest.mark.clause("009-A7")
@pytest.mark.parametrize(
    "environ",
    [
        {"ASSAY_OIDC_ISSUER": "https://login.example"},
        {
            "ASSAY_OIDC_ISSUER": "https://login.example",
            "ASSAY_OIDC_CLIENT_ID": "x",
            "ASSAY_OIDC_CLIENT_SECRET": "y",
            "ASSAY_OIDC_ROLES": "claims=root",
        },
    ],
)
def test_half_a_provider_is_told_before_anything_listens(tmp_path, environ):
    """Which setting is missing or wrong; with 2, and without its value."""
    done = command.assay(tmp_path, "serve", "--port", "0", **environ)

    assert 2 == done.code
    assert "ASSAY_OIDC_" in done.err
    assert "root" not in done.err
