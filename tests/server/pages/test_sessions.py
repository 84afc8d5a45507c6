"""The pages of conversations: the list, and the way of one through its stages."""

from __future__ import annotations

import re

import httpx
import pytest

from assay.server.pages.session_path import draw_path, follow_path, list_changes
from tests.packs.talk import SESSION, high, low, script, services, small_talk
from tests.server.pages.browser import Looking, sign_in
from tests.server.serving import serving

HOSTILE = "<img src=x onerror=alert(1)><script>alert(1)</script>\u202eltr "


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A session of two turns with hostile words, over the short and the long way."""
    place = tmp_path_factory.mktemp("sessions")
    later = [  # no reply bears the id of an earlier one
        {**reply, "response_id": f"later-{at}"} if "response_id" in reply else reply
        for at, reply in enumerate(high())
    ]
    with serving(place, script(place, *low(), *later)) as found:
        client = found.as_role()
        body = {"pack": "services", "session_id": SESSION}
        for message in (f"{HOSTILE}How do I get Medicaid?", "And for a veteran?" + " x" * 300):
            done = client.post("/v1/sessions", json={**body, "message": message})
            assert "accepted" == done.json()["outcome"], done.text
        yield found


@pytest.mark.clause("009-V4")
def test_the_way_of_a_turn_is_marked_in_the_graph_and_told_step_by_step(browser, service):
    """The latest turn at first, another by a link; each step with what it changed and its call."""
    with Looking(browser, service, "reviewer") as looking:
        page = looking.open("/sessions")
        looking.require_fit()
        looking.keep_shots("sessions")
        page.get_by_role("link", name=SESSION[:8]).click()
        page.wait_for_url(re.compile(SESSION))
        latest = page.locator(".graph rect[fill='#eaf2fb']").count()
        looking.require_fit()
        looking.keep_shots("session")
        said = page.locator("main").inner_text()
        page.get_by_role("link", name="Show the way of turn 1").click()
        page.wait_for_url(re.compile("turn=1"))
        first = page.locator(".graph rect[fill='#eaf2fb']").count()
        page.get_by_role("link", name=re.compile("^Call ")).first.click()
        page.wait_for_url(re.compile("/calls/"))

    assert (5, 4) == (latest, first)
    assert HOSTILE.strip()[:20] in said
    assert "/judgement_v1/inquiry put in true" in re.sub(r"\s+", " ", said)


@pytest.mark.clause("009-V4")
def test_on_a_narrow_screen_the_way_is_a_list(browser, service):
    """The drawing gives way; in German."""
    with Looking(browser, service, language="de") as looking:
        page = looking.open(f"/sessions/{SESSION}")
        page.set_viewport_size({"width": 390, "height": 900})
        assert not page.locator(".graph").is_visible()
        assert page.get_by_text("Auf einem breiteren Bildschirm").is_visible()
        assert page.get_by_role("heading", name="Zug 2").is_visible()
        looking.require_fit()


@pytest.mark.clause("009-A2")
def test_what_was_said_is_for_who_may_see_texts(service):
    """Others see that there are sessions; markup is text; an unknown session is not there."""
    with httpx.Client(base_url=service.address, headers={"accept": "text/html"}) as client:
        client.cookies.set("assay_session", sign_in(service.store, "Ann", "viewer"))
        listed = client.get("/sessions")
        closed = client.get(f"/sessions/{SESSION}")
        client.cookies.set("assay_session", sign_in(service.store, "Rob", "reviewer"))
        opened = client.get(f"/sessions/{SESSION}")
        unknown = client.get("/sessions/ffffffff-2222-4333-8444-555555555555")

    assert [200, 403, 200, 404] == [each.status_code for each in (listed, closed, opened, unknown)]
    assert "onerror=alert(1)>" not in opened.text
    assert "&lt;script&gt;" in opened.text


def test_no_session_says_how_the_first_begins(browser, tmp_path):
    """An empty page names the command."""
    model = script(tmp_path, small_talk())
    with serving(tmp_path, model) as empty, Looking(browser, empty) as looking:
        page = looking.open("/sessions")
        assert "assay chat" in page.locator(".empty").inner_text()


def test_states_differ_place_by_place():
    """Put in, taken away, changed; a place is a pointer, a long value is cut."""
    before = {"a": {"b/c": 1, "d": [1, 2]}, "e": "x"}
    after = {"a": {"b/c": 2, "d": [1]}, "f": "y" * 5_000}

    changes = {c.place: (c.how, c.before, c.after[:3]) for c in list_changes(before, after)}

    assert {
        "/a/b~1c": ("changed", "1", "2"),
        "/a/d/1": ("removed", "2", ""),
        "/e": ("removed", "x", ""),
        "/f": ("added", "", "yyy"),
    } == changes
    assert [] == follow_path([])


def test_a_graph_without_a_turn_marks_nothing():
    """All its stages are white."""
    graph = services().stages
    assert graph is not None
    assert 'fill="#eaf2fb"' not in draw_path(graph, None)
