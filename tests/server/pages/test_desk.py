"""The review desk in a real browser: what people do with it all day."""

from __future__ import annotations

import json
import re

import pytest

from tests.processes import wait_until
from tests.runtime.tiny import GOOD, script
from tests.server.pages.browser import Looking
from tests.server.pages.desk_cases import (
    MAIL,
    UNKNOWN,
    WRONG_REPLY,
    know_reviewer,
    run,
    status_of,
    tiny,
)
from tests.server.serving import serving


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    place = tmp_path_factory.mktemp("service")
    with serving(place, script(place, *UNKNOWN)) as found:
        yield found


@pytest.fixture(scope="module")
def mails(tmp_path_factory):
    """A service whose model always says WRONG; one mail in review, three calls of it."""
    place = tmp_path_factory.mktemp("mails")
    with serving(place, script(place, *[WRONG_REPLY] * 60)) as found:
        found.reviews = run(found, "intake", ("wasserschaden.eml", MAIL.encode()))
        yield found


def verdict(page, words):
    """Wait until the gate says *words* of a review that stands long enough to be decided."""
    page.locator("#verdict", has_text=words).wait_for()
    page.locator("#desk[data-ready]").wait_for()


@pytest.mark.clause("009-D3")
def test_evidence_is_marked_at_its_place_and_leads_to_its_label_and_back(browser, mails):
    """Also behind an emoji, and where one quote lies in another; what stands nowhere is dashed."""
    with Looking(browser, mails) as looking:
        page = looking.open(f"/reviews/{mails.reviews[0]}")
        verdict(page, "The gate rejects this")
        body = page.locator('.text[data-source="body"]')
        marked = body.locator("a.ev:not(:has(.c9))").all_inner_texts()
        inner = body.locator("a.ev", has_text="unserer Küche")
        stacked = inner.locator("span").count()
        nearest = body.locator("a.ev:has(.c9)").all_inner_texts()
        tags = {each.get_attribute("data-tag") for each in body.locator("[data-tag]").all()}
        body.locator("a.ev", has_text="bis Freitag").click()
        focused = page.evaluate("document.activeElement.value")
        lit = page.locator("a.ev.focus").inner_text()
        lost = page.locator("#lost li").inner_text()

    assert ["in ", "unserer Küche", " ein Rohr gebrochen", "bis Freitag", "einen Anwalt"] == [
        each for each in marked if each != "einen Anwalt"
    ] + ["einen Anwalt"]
    assert 2 == stacked
    assert "einen Anwalt" in " ".join(nearest) + " ".join(marked)
    assert {"INTENT_CLAIM_NEW", "PROD_HOME", "URG_HIGH", "RISK_LEGAL_THREAT"} <= tags
    assert "bis Freitag" == focused == lit
    assert "schalte ich sofort einen Anwalt ein" in lost
    assert "nearest place" in lost


@pytest.mark.clause("009-D5")
def test_a_correction_is_judged_as_it_is_made_and_then_accepted(browser, service):
    """The verdict stands beside the buttons; what the gate rejects is not handed in."""
    (review,) = tiny(service, "There is water in the cellar under the house.")
    with Looking(browser, service, "reviewer") as looking:
        page = looking.open(f"/reviews/{review}")
        verdict(page, "The label is not in the list")
        page.get_by_role("button", name="Accept with changes").click()
        verdict(page, "The label is not in the list")
        assert page.url.endswith(review)
        page.get_by_label("label", exact=True).select_option("water")
        verdict(page, "The gate accepts this")
        page.get_by_label("evidence snippets 1").fill("wine in the cellar")
        verdict(page, "The quote does not stand in the text")
        page.get_by_label("evidence snippets 1").fill("water in the cellar")
        verdict(page, "The gate accepts this")
        marked = page.locator("a.ev").inner_text()
        page.get_by_role("button", name="Accept with changes").click()
        page.get_by_role("button", name="Undo").wait_for()
        before = status_of(service, review)
        page.goto("/reviews")
        wait_until(lambda: status_of(service, review) == "accepted")

    decided = service.as_role().get(f"/v1/reviews/{review}").json()
    assert "water in the cellar" == marked
    assert ("open", "reviewer") == (before, decided["review"]["reviewer"])


@pytest.mark.clause("009-D7")
def test_one_key_decides_and_the_next_item_opens(browser, service):
    """The decision waits for ten seconds, and is sent at once when the user goes on."""
    first, second, third = tiny(service, "One fire.", "Two fires.", "Three fires.")
    with Looking(browser, service, "reviewer", person="Kim") as looking:
        page = looking.open(f"/reviews/{first}")
        verdict(page, "The gate rejects")
        page.keyboard.press("r")
        page.wait_for_url(re.compile(second))
        verdict(page, "The gate rejects")
        waiting = status_of(service, first)
        page.keyboard.press("r")
        page.wait_for_url(re.compile(third))
        wait_until(lambda: status_of(service, first) == "rejected")
        verdict(page, "The gate rejects")
        page.get_by_role("button", name="Undo").click()
        page.wait_for_url(re.compile(second))
        page.get_by_text("nothing was recorded").wait_for()
        after = status_of(service, second)

    assert ("open", "open") == (waiting, after)
    for each in (second, third):
        service.as_role().post(
            f"/v1/reviews/{each}/decision", json={"accept": False, "reason": "x"}
        )


@pytest.mark.clause("009-D7")
def test_what_waits_is_sent_after_ten_seconds(browser, service):
    """Without anybody's doing; and the page says so."""
    first, second = tiny(service, "Slow one.", "Slow two.")
    with Looking(browser, service, "reviewer") as looking:
        page = looking.open(f"/reviews/{first}")
        verdict(page, "The gate rejects")
        page.keyboard.press("r")
        page.wait_for_url(re.compile(second))
        page.get_by_text("Recorded.").wait_for()
        assert "rejected" == status_of(service, first)


@pytest.mark.clause("009-D7")
def test_a_decision_that_fails_is_told_and_what_was_typed_is_kept(browser, service):
    """Enter in a field decides nothing; the item is opened again as it was left."""
    first, second = tiny(service, "Failing water in the cellar.", "Another water.")
    with Looking(browser, service, "reviewer", person="Fay") as looking:
        page = looking.open(f"/reviews/{first}")
        verdict(page, "The gate rejects")
        page.get_by_label("label", exact=True).select_option("water")
        verdict(page, "The gate accepts this")
        page.get_by_label("In own words").press("Enter")
        assert page.url.endswith(first)
        page.route("**/decision", lambda route: route.fulfill(status=503, json={}))
        page.get_by_role("button", name="Accept with changes").click()
        page.wait_for_url(re.compile(second))
        verdict(page, "The gate rejects")
        page.keyboard.press("k")
        page.get_by_role("alert").get_by_role("button", name="Open it").click()
        page.wait_for_url(re.compile(first))
        verdict(page, "The gate accepts this")
        chosen = page.get_by_label("label", exact=True).input_value()
        assert all("503" in fault for fault in looking.faults)
        looking.faults.clear()
        page.unroute("**/decision")

    assert ("water", "open") == (chosen, status_of(service, first))


@pytest.mark.clause("009-D5")
def test_selecting_text_makes_it_a_quote(browser, service):
    """The words as they stand in the source fill the quote."""
    (review,) = tiny(service, "The stove burnt, says Ann.")
    with Looking(browser, service, "reviewer") as looking:
        page = looking.open(f"/reviews/{review}")
        verdict(page, "The gate rejects")
        page.get_by_label("label", exact=True).select_option("fire")
        page.get_by_role("button", name="Remove evidence snippets").click()
        page.evaluate(
            """() => { const text = document.querySelector('.text[data-source]').firstChild;
            getSelection().setBaseAndExtent(text, 4, text, 15); }"""
        )
        page.get_by_role("toolbar").get_by_role("button").click()
        verdict(page, "The gate accepts this")
        assert ["stove burnt"] == json.loads(page.locator("#output").input_value())[
            "evidence_snippets"
        ]


@pytest.mark.clause("009-P4")
def test_two_people_do_not_work_on_one_item(browser, service):
    """The second sees who does, can read it, and has no buttons; giving it back frees it."""
    (review,) = tiny(service, "Two people look at this water.")
    with (
        Looking(browser, service, "reviewer", person="Ann") as ann,
        Looking(browser, service, "reviewer", person="Bo") as bo,
    ):
        page = ann.open(f"/reviews/{review}")
        verdict(page, "The gate rejects")
        other = bo.open(f"/reviews/{review}")
        said = other.locator("#holder").inner_text()
        buttons = other.get_by_role("button", name="Reject").count()
        row = other.locator(f"#row-{review}").inner_text()
        page.reload()
        page.get_by_role("button", name="Give back").click()
        page.wait_for_url(re.compile(r"/reviews$"))
        other = bo.open(f"/reviews/{review}")
        verdict(other, "The gate rejects")

    assert "Ann works on this review" in said
    assert 0 == buttons
    assert "Ann" in row


@pytest.mark.clause("009-D8")
def test_an_item_is_handed_on_and_found_under_mine(browser, service):
    """With who did it and why on the page of whom it was given to."""
    (review,) = tiny(service, "Hand this water on.")
    know_reviewer(service, "Cy")
    with (
        Looking(browser, service, "reviewer", person="Ann") as ann,
        Looking(browser, service, "reviewer", person="Cy") as cy,
    ):
        page = ann.open(f"/reviews/{review}")
        verdict(page, "The gate rejects")
        page.keyboard.press("h")
        page.keyboard.type("Cy")
        page.get_by_label("In own words").fill("knows pipes")
        page.get_by_role("button", name="Hand on").click()
        page.wait_for_url(lambda url: review not in url)
        mine = cy.open("/reviews?mine=1")
        rows = mine.locator(".desk-rows li").count()
        mine.locator(".desk-rows a").click()
        told = mine.locator("article .notice").first.inner_text()

    assert 1 == rows
    assert "Handed on by Ann to Cy" in told
    assert "knows pipes" in told


@pytest.mark.clause("009-P6")
def test_an_admin_takes_a_decision_back(browser, service):
    """What was decided stays told; a reviewer has no such button."""
    (review,) = tiny(service, "Decide this water twice.")
    decision = {"accept": False, "reason": "a mistake"}
    service.as_role("reviewer").post(f"/v1/reviews/{review}/decision", json=decision)
    with (
        Looking(browser, service, "reviewer") as reviewer,
        Looking(browser, service, "admin") as admin,
    ):
        page = reviewer.open(f"/reviews/{review}")
        may = page.get_by_role("button", name="Take the decision back").count()
        page = admin.open(f"/reviews/{review}")
        told = page.locator("article .notice").first.inner_text()
        page.get_by_label("Why").fill("looked again")
        page.get_by_role("button", name="Take the decision back").click()
        verdict(page, "The gate rejects")
        notices = page.locator("article .notice").all_inner_texts()

    assert 0 == may
    assert "rejected by reviewer" in told
    assert ["a mistake" in notices[0], "looked again" in notices[1]] == [True, True]
    assert "open" == status_of(service, review)


@pytest.mark.clause("009-D2")
def test_without_a_script_a_decision_is_a_form(browser, service):
    """The gate is asked by a button; what it rejects comes back as it was typed."""
    (review,) = tiny(service, "No script, but water in the cellar.")
    with Looking(browser, service, "reviewer", java_script_enabled=False) as looking:
        page = looking.open(f"/reviews/{review}")
        page.get_by_role("button", name="Ask the gate").click()
        first = page.locator("#verdict").inner_text()
        page.get_by_role("button", name="Accept with changes").click()
        still = page.locator("#output").input_value()
        page.locator("#output").fill(GOOD)
        page.get_by_role("button", name="Accept with changes").click()
        page.get_by_text("The decision was recorded").wait_for()

    assert "The label is not in the list" in first
    assert '"WATER"' in still
    assert "accepted" == status_of(service, review)


@pytest.mark.clause("009-D7")
def test_the_keyboard_alone_is_enough(browser, service):
    """From the queue through a correction to the decision; `?` tells the keys."""
    (review,) = tiny(service, "By keyboard: water in the cellar.")
    with Looking(browser, service, "reviewer", person="Keys") as looking:
        page = looking.open(f"/reviews/{review}")
        verdict(page, "The gate rejects")
        page.keyboard.press("?")
        page.get_by_role("dialog").wait_for()
        page.keyboard.press("Escape")
        page.keyboard.press("e")
        page.keyboard.type("water")
        verdict(page, "The gate accepts this")
        page.keyboard.press("Escape")
        page.keyboard.press("a")
        page.wait_for_url(lambda url: review not in url)
        page.keyboard.press("g")
        page.keyboard.press("q")
        page.wait_for_url(re.compile(r"/reviews$"))
        wait_until(lambda: status_of(service, review) == "accepted")
        page.keyboard.press("/")
        assert "input" == page.evaluate("document.activeElement.name")


@pytest.mark.clause("009-D1", "009-V3")
def test_a_case_is_found_by_the_name_of_its_input(browser, service):
    """`/`, the name as it was handed in: its review, and on the page of calls its call."""
    tiny(service, "One that is searched.", "Another one.")
    with Looking(browser, service, "reviewer", person="Searches") as looking:
        page = looking.open("/reviews")
        page.keyboard.press("/")
        page.keyboard.type("One that is searched.txt")
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile("input="))
        reviews = page.locator(".desk-rows li").all_inner_texts()
        page.goto("/calls")
        page.get_by_label("Input (whole name)").fill("One that is searched.txt")
        page.get_by_role("button", name="Filter").click()
        page.wait_for_url(re.compile("input="))
        calls = page.locator("tbody tr").count()
        page.goto("/reviews?input=One")
        part = page.locator(".desk-rows li").count()
    client = service.as_role("viewer")
    by_api = [
        client.get(f"/v1/{what}", params={"input": "One that is searched.txt"}).json()[what]
        for what in ("reviews", "calls")
    ]

    assert (1, 1, 0) == (len(reviews), calls, part)
    assert "One that is searched.txt" in reviews[0]
    assert [1, 1] == [len(each) for each in by_api]
