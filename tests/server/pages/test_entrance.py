"""How somebody gets in and out."""

from __future__ import annotations

import json
import re

import httpx2
import pytest
import yaml

from assay.server.pages.frame import asset, asset_names
from assay.server.pages.words import LANGUAGES, words_of
from tests.processes import read_line, start_python
from tests.server.pages.browser import Looking
from tests.server.serving import serving

HTML = {"accept": "text/html,application/xhtml+xml"}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("service")) as found:
        yield found


@pytest.mark.clause("009-A6")
def test_the_link_in_the_terminal_signs_in_once(tmp_path, browser):
    """Looking at it signs nobody in, the button does, and a second time nothing does."""
    words = ("serve", "--port", "0", "--json")
    with start_python("-m", "assay.cli.main", *words, cwd=tmp_path, environ={}) as process:
        told = json.loads(read_line(process))
        context = browser.new_context(locale="en")
        page = context.new_page()
        page.goto(told["sign_in"])
        before = context.cookies()
        page.get_by_role("button", name="Sign in on this machine").click()
        page.wait_for_url(f"{told['address']}/reviews")
        cookie = context.cookies()[0]
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url(re.compile("/sign-in"))
        page.goto(told["sign_in"])
        page.get_by_role("button", name="Sign in on this machine").click()
        said = page.get_by_role("alert").inner_text()
        context.close()
        process.terminate()
        process.communicate(timeout=60)

    assert ([], True, "Lax") == (before, cookie["httpOnly"], cookie["sameSite"])
    assert "used before" in said


@pytest.mark.clause("009-A5")
def test_a_form_of_another_site_changes_nothing(service):
    """With the cookie alone, with another origin, with another session's token."""
    from tests.server.pages.browser import sign_in

    cookies = {"assay_session": sign_in(service.store, "Ann", "admin")}
    with httpx2.Client(base_url=service.address, cookies=cookies) as client:
        page = client.get("/sign-in", headers=HTML).text
        token = re.search('name="form-token" content="([^"]*)"', page)[1]
        assert "" == token  # a public page knows nobody
        said = [
            client.post("/sign-out"),
            client.post("/sign-out", data={"form_token": "x"}),
            client.post("/v1/keys", json={"name": "x", "role": "admin"}),
        ]
        still = client.get("/v1/keys").status_code

    assert [403] * 3 == [each.status_code for each in said]
    assert 200 == still


@pytest.mark.clause("009-A3")
def test_who_is_not_signed_in_is_led_there_and_back_to_no_other_site(service):
    """The page that was asked for stands in the address; an address elsewhere does not count."""
    with httpx2.Client(base_url=service.address) as client:
        led = client.get("/?limit=5", headers=HTML)
        program = client.get("/v1/calls", headers=HTML)
        out = client.get("/language/de?next=https://example.org/", headers=HTML)

    assert (303, "/sign-in?next=/%3Flimit%3D5") == (led.status_code, led.headers["location"])
    assert (401, "application/json") == (program.status_code, program.headers["content-type"])
    assert "/" == out.headers["location"]


@pytest.mark.clause("009-P1")
def test_the_page_of_an_error_says_what_happened_in_the_readers_language(browser, service):
    """And what to do; what the API would say stands behind it, marked as English."""
    for language, title, what in (
        ("en", "There is nothing here", "Look whether the address is right"),
        ("de", "Hier ist nichts", "Prüfen Sie die Adresse"),
    ):
        context = browser.new_context(locale=language, base_url=service.address)
        page = context.new_page()
        page.goto("/nothing")
        assert title == page.get_by_role("heading", level=1).inner_text()
        assert language == page.locator("html").get_attribute("lang")
        assert what in page.locator("main p").first.inner_text()
        assert "not_found" in page.locator("main p[lang=en]").inner_text()
        context.close()


@pytest.mark.clause("009-P1")
def test_both_catalogues_say_the_same_things():
    """The same keys, with the same places; every sentence says something."""
    english, german = (words_of(language).sentences for language in LANGUAGES)

    assert set(english) == set(german)
    places = re.compile(r"\{(\w+)\}")
    for key, sentence in english.items():
        assert sentence.strip(), key
        assert set(places.findall(sentence)) == set(places.findall(german[key])), key


@pytest.mark.clause("009-P1")
def test_no_page_holds_a_sentence_of_its_own():
    """Whatever a template shows comes from the catalogue or from the record."""
    from importlib import resources

    folder = resources.files("assay.server.pages").joinpath("templates")
    for file in folder.iterdir():
        text = re.sub(r"\{[{%#].*?[}%#]\}", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
        text = re.sub(r"<[^>]*>", " ", text)
        words = [word for word in re.findall(r"[A-Za-z]{3,}", text) if word not in {"assay"}]
        assert [] == words, file.name


@pytest.mark.clause("009-P2")
def test_style_is_one_small_sheet():
    """Under 20 KB, and no page brings more than it."""
    sheets = [name for name in asset_names() if name.endswith(".css")]

    assert ["style.css"] == sheets
    assert len(asset("style.css")) < 20_000


@pytest.mark.clause("009-P1")
def test_the_words_are_plain_yaml():
    """A translator needs no other tool."""
    from importlib import resources

    for language in LANGUAGES:
        folder = resources.files("assay.server.pages").joinpath("words", language)
        for file in folder.iterdir():
            assert isinstance(yaml.safe_load(file.read_text(encoding="utf-8")), dict), file.name


@pytest.mark.clause("009-P2")
def test_the_way_in_is_fit_for_everybody(browser, service):
    """Keyboard, contrast, names of all things; no script, no other host."""
    with Looking(browser, service) as looking:
        looking.open("/sign-in")
        looking.require_fit()
        looking.keep_shots("sign-in")
