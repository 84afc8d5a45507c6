"""The pages of calls: the list with its filters, the life of one, a replay in the browser."""

from __future__ import annotations

import json
import re

import httpx
import pytest

from assay.server.pages.call_life import tell_life
from tests.runtime.tiny import GOOD, UNKNOWN_LABEL, script
from tests.server.pages.browser import Looking, sign_in
from tests.server.serving import serving

HOSTILE = "<img src=x onerror=alert(1)><script>alert(1)</script>\u202eltr\u001b[31m"
ODD = json.dumps({"label": f"</pre>{HOSTILE}", "evidence_snippets": []})
MANY = 55


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """Accepted at the second attempt, given up on with hostile replies, and many more."""
    place = tmp_path_factory.mktemp("calls")
    model = script(place, UNKNOWN_LABEL, GOOD, ODD, "x" * 1_000_000, *[GOOD] * MANY)
    with serving(place, model) as found:
        texts = ["There is water in the cellar.", f"A fire. {HOSTILE}"]
        texts += [f"There is water in the cellar. Number {at}." for at in range(MANY)]
        inputs = [{"name": f"{HOSTILE} {at}", "text": text} for at, text in enumerate(texts)]
        done = found.as_role().post("/v1/runs", json={"pack": "tiny", "inputs": inputs})
        assert 200 == done.status_code, done.text
        yield found


@pytest.fixture(scope="module")
def ids(service):
    """All calls, the oldest first."""
    listed = service.as_role().get("/v1/calls?limit=1000").json()["calls"]
    return [each["id"] for each in reversed(listed)]


@pytest.mark.clause("009-V3")
def test_the_list_is_filtered_and_paged_by_its_address(browser, service, ids):
    """Fifty to a page; a filter is a query, and a link of a cell is one too."""
    with Looking(browser, service, "viewer") as looking:
        page = looking.open("/calls")
        first = page.locator("tbody tr").count()
        looking.require_fit()
        looking.keep_shots("calls")
        said = page.locator("figcaption").inner_text()
        page.get_by_role("link", name="Next page").click()
        page.wait_for_url(re.compile("before="))
        second = page.locator("tbody tr").count()
        page.get_by_role("link", name="First page").click()
        page.get_by_label("Outcome").select_option("needs_review")
        page.get_by_role("button", name="Filter").click()
        page.wait_for_url(re.compile("outcome=needs_review"))
        reviews = page.locator("tbody tr").count()
        page.get_by_role("link", name="tiny/triage").click()
        page.wait_for_url(re.compile("contract=tiny"))
        both = page.locator("tbody tr").count()
        page.goto("/calls?since=2099-01-01T00:00")
        none = page.locator(".empty").inner_text()
        page.goto("/calls?contract=%3Cscript%3Ealert(1)%3C/script%3E&before=nobody")
        odd = page.locator(".empty").inner_text()

    assert (50, len(ids) - 50) == (first, second)
    assert f"{len(ids)} calls" in said
    assert (1, 1) == (reviews, both)
    assert "No call is like that" in none
    assert "No call is like that" in odd


@pytest.mark.clause("009-V3")
def test_the_list_is_ordered_by_the_head_of_a_column(browser, service, ids):
    """Up, down, page after page; with a filter by a column it stays with the newest."""
    with Looking(browser, service, "viewer") as looking:
        page = looking.open("/calls")

        def column():
            return page.locator("tbody tr td:nth-child(4) span").evaluate_all(
                "cells => cells.map((each) => each.title)"
            )

        page.get_by_role("link", name="Input", exact=True).click()
        page.wait_for_url(re.compile("sort=input"))
        up = column()
        assert "ascending" == page.locator("th[aria-sort]").get_attribute("aria-sort")
        page.get_by_role("link", name="Next page").click()
        page.wait_for_url(re.compile("before="))
        up += column()
        page.goto("/calls?sort=-input")
        down = column()
        page.goto("/calls?sort=time")
        oldest = page.locator("tbody tr td:last-child a").first.get_attribute("href")
        page.goto("/calls?sort=input&status=settled")
        links = page.locator("thead a").count()

    assert sorted(up) == up
    assert len(ids) == len(up)
    assert list(reversed(up))[: len(down)] == down
    assert f"/calls/{ids[0]}" == oldest
    assert 0 == links


@pytest.mark.clause("009-V3")
def test_the_life_of_a_call_shows_its_attempts_and_findings(browser, service, ids):
    """Each attempt a bar with its times, words before codes; the prompt folded, redacted."""
    with Looking(browser, service, "reviewer") as looking:
        page = looking.open(f"/calls/{ids[0]}")
        headings = page.locator(".life h3").all_inner_texts()
        findings = page.locator(".findings").inner_text()
        bars = page.locator("svg.bar").count()
        folded = page.get_by_text("Answer with one JSON object").first.is_visible()
        page.locator("summary", has_text="Prompt, redacted").first.click()
        shown = page.get_by_text("Answer with one JSON object").first.is_visible()
        looking.require_fit()
        looking.keep_shots("call")

    assert ["Input", "Attempt 1", "Attempt 2", "Outcome"] == [
        re.split(r"\s{2,}| did| passed| accepted|\n", each)[0] for each in headings
    ]
    assert "A label is not one of the set, byte for byte" in findings
    assert findings.index("A label") < findings.index("label.unknown")
    assert (2, False, True) == (bars, folded, shown)


@pytest.mark.clause("009-V3")
def test_a_call_is_made_again_in_the_browser(browser, service, ids):
    """Identical where nothing changed; nothing is recorded by it."""
    head = service.as_role().get("/v1/audit/head").json()
    with Looking(browser, service, "viewer") as looking:
        page = looking.open(f"/calls/{ids[0]}")
        page.get_by_role("button", name="Make it again from the record").click()
        page.wait_for_selector("#replay ~ div dl")
        said = page.locator("#replay ~ div dl dd").all_inner_texts()
        looking.require_fit()
        looking.keep_shots("call-replayed")

    assert ["identical", "identical", "same", "same"] == said
    assert head == service.as_role().get("/v1/audit/head").json()


@pytest.mark.clause("009-V3")
def test_a_prompt_that_is_built_otherwise_says_where(browser, tmp_path):
    """The first differing byte, and the section that it stands in."""
    with serving(tmp_path, script(tmp_path, GOOD)) as before:
        body = {"pack": "tiny", "inputs": [{"name": "a", "text": "There is water in the cellar."}]}
        outcome = before.as_role().post("/v1/runs", json=body).json()["outcomes"][0]
    from tests.runtime import tiny

    kept = tiny.FILES["labels.yaml"]
    try:
        tiny.FILES["labels.yaml"] = kept.replace(b"Water damage", b"Water, any")
        with (
            serving(tmp_path, "extractive", store=before.store, keys=before.keys) as after,
            Looking(browser, after) as looking,
        ):
            page = looking.open(f"/calls/{outcome['calls'][0]}")
            page.get_by_role("button", name="Make it again from the record").click()
            page.wait_for_selector("#replay ~ div dl")
            said = page.locator("#replay ~ div dl dd").first.inner_text()
    finally:
        tiny.FILES["labels.yaml"] = kept

    assert said.startswith("differs")
    assert "section labels.kind" in said
    assert "from byte 49 on, in attempt 1" in said


@pytest.mark.clause("009-A2")
def test_replies_as_they_came_are_for_who_may_see_texts(service, ids):
    """And what a model said is text on the page, whatever it looks like, however long."""
    with httpx.Client(base_url=service.address, headers={"accept": "text/html"}) as client:
        client.cookies.set("assay_session", sign_in(service.store, "Ann", "viewer"))
        closed = client.get(f"/calls/{ids[1]}")
        client.cookies.set("assay_session", sign_in(service.store, "Rob", "reviewer"))
        opened = client.get(f"/calls/{ids[1]}")
        listed = client.get("/calls")
        missing = client.get("/calls/0123456789")
        bad = client.get("/calls?since=yesterday")

    assert "Reply as it came" not in closed.text
    assert "Reply as it came (1000000 characters)" in opened.text
    assert "&lt;script&gt;alert(1)" in opened.text
    assert "<script>alert" not in opened.text + listed.text
    assert "onerror=alert(1)>" not in opened.text + listed.text
    assert len(opened.text) < 300_000
    assert [404, 422] == [missing.status_code, bad.status_code]
    assert len(listed.content) < 60_000


@pytest.mark.clause("009-V3")
def test_hostile_replies_do_nothing(browser, service, ids):
    """In a browser: nothing runs, and the page is no wider than its window."""
    with Looking(browser, service, "admin", language="de") as looking:
        page = looking.open(f"/calls/{ids[1]}")
        for each in page.locator("details summary").all():
            each.click()
        looking.require_fit()
        looking.keep_shots("call-hostile-de")


def test_a_call_without_an_answer_has_a_life_too():
    """Opened alone; and sent, with no reply on record."""
    opened = {
        "kind": "call.opened",
        "at": "2026-05-01T08:00:00.000000Z",
        "facts": {},
        "payloads": {},
    }
    built = {
        "kind": "prompt.built",
        "at": "2026-05-01T08:00:01.000000Z",
        "facts": {"attempt": 1},
        "payloads": {},
    }

    assert [] == tell_life([]).attempts
    assert [] == tell_life([opened]).attempts
    (attempt,) = tell_life([opened, built]).attempts
    assert (1, None, 1000) == (attempt.number, attempt.answered, attempt.stop)
