"""Decisions of the review desk that go wrong: pressed twice, held, taken back late, offline."""

from __future__ import annotations

import re

import pytest

from tests.processes import wait_until
from tests.runtime.tiny import script
from tests.server.pages.browser import Looking
from tests.server.pages.desk_cases import UNKNOWN, holder_of, status_of, tiny
from tests.server.serving import serving


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    place = tmp_path_factory.mktemp("service")
    with serving(place, script(place, *UNKNOWN)) as found:
        yield found


def stand(page, review):
    """Wait until the page of *review* stands long enough to be decided on."""
    page.wait_for_url(re.compile(review))
    page.locator(f'#desk[data-ready][data-review="{review}"]').wait_for()


def close(service, *reviews):
    """Decide what a test left open, so that the next one has its own queue."""
    for each in reviews:
        service.as_role().post(
            f"/v1/reviews/{each}/decision", json={"accept": False, "reason": "x"}
        )


@pytest.mark.clause("009-D7")
@pytest.mark.parametrize("how", ["pressed twice", "held", "clicked twice"])
def test_a_decision_falls_on_one_review_however_often_it_is_asked_for(browser, service, how):
    """The next review is shown before anything decides it; undoing takes all of it back."""
    first, second = tiny(service, f"One of {how}.", f"Two of {how}.")
    sent = []
    with Looking(browser, service, "reviewer", person="Kim") as looking:
        page = looking.open(f"/reviews/{first}")
        page.on("request", lambda each: sent.append(each.url))
        stand(page, first)
        if how == "pressed twice":
            page.keyboard.press("r")
            page.wait_for_timeout(60)
            page.keyboard.press("r")
        elif how == "held":
            for _ in range(12):
                page.keyboard.down("r")
                page.wait_for_timeout(33)
            page.keyboard.up("r")
        else:
            page.get_by_role("button", name="Reject").dblclick()
        stand(page, second)
        page.get_by_role("button", name="Undo").click()
        page.get_by_text("nothing was recorded").wait_for()
        stand(page, first)
        page.goto("/sign-in")
        found = (status_of(service, first), status_of(service, second))
    close(service, first, second)

    assert [] == [each for each in sent if each.endswith("/decision")]
    assert ("open", "open") == found


@pytest.mark.clause("009-D7")
def test_what_was_sent_is_not_said_to_be_taken_back(browser, service):
    """A button to undo that comes too late says that it is recorded, and who can reopen it."""
    first, second = tiny(service, "Sent one.", "Sent two.")
    with Looking(browser, service, "reviewer", person="Kim") as looking:
        page = looking.open(f"/reviews/{first}")
        stand(page, first)
        page.keyboard.press("r")
        stand(page, second)
        undo = page.get_by_role("button", name="Undo").element_handle()
        page.evaluate("window.assayDesk.flush()")
        undo.evaluate("button => button.click()")
        page.get_by_text("is recorded already").wait_for()
        said = page.get_by_text("nothing was recorded").count()
        wait_until(lambda: status_of(service, first) == "rejected")
    close(service, second)

    assert 0 == said


@pytest.mark.clause("009-D7")
def test_without_a_connection_a_decision_stays_on_the_page_and_is_sent_again(browser, service):
    """It is told, no fault is left uncaught, nothing is recorded twice."""
    first, second = tiny(service, "Offline one.", "Offline two.")
    with Looking(browser, service, "reviewer", person="Kim") as looking:
        page = looking.open(f"/reviews/{first}")
        stand(page, first)
        looking.context.set_offline(True)
        page.keyboard.press("r")
        page.get_by_text("The page cannot be opened").wait_for()
        page.get_by_role("button", name="Undo").wait_for()
        page.keyboard.press("j")
        page.get_by_text("Not recorded yet").wait_for()
        faults = [each for each in looking.faults if "ERR_INTERNET_DISCONNECTED" not in each]
        before = status_of(service, first)
        looking.faults.clear()
        looking.context.set_offline(False)
        page.get_by_text("Recorded.").wait_for()
        after = status_of(service, first)
        alerts = page.locator(".toast", has_text="Not recorded yet").count()
    close(service, second)

    assert [] == faults
    assert ("open", "rejected", 0) == (before, after, alerts)


@pytest.mark.clause("009-D7")
def test_a_page_that_is_none_of_ours_takes_nothing_away(browser, service):
    """A proxy answers in place of the service: what stood there stays, and goes on later."""
    first, second = tiny(service, "Proxy one.", "Proxy two.")
    with Looking(browser, service, "reviewer", person="Lou") as looking:
        page = looking.open(f"/reviews/{first}")
        stand(page, first)
        page.route("**/reviews/next*", lambda route: route.fulfill(status=502, body="Bad Gateway"))
        page.keyboard.press("r")
        page.get_by_text("The page cannot be opened").wait_for()
        page.get_by_role("button", name="Undo").wait_for()
        stands = page.locator("#main").count()
        page.unroute("**/reviews/next*")
        page.get_by_role("button", name="Try again").click()
        page.wait_for_url(lambda url: first not in url)
        page.get_by_text("Recorded.").wait_for()
        looking.faults[:] = [each for each in looking.faults if "502" not in each]
    close(service, second)

    assert 1 == stands
    assert "rejected" == status_of(service, first)


@pytest.mark.clause("009-P4")
@pytest.mark.parametrize("way", ["row", "back", "closed", "queue"])
def test_who_leaves_a_review_as_it_was_leaves_it_to_the_others(browser, service, way):
    """By the mouse, by the browser's own buttons, by closing the window."""
    first, second = tiny(service, f"Left by {way}.", f"Second of {way}.")
    with Looking(browser, service, "reviewer", person="Walker") as looking:
        page = looking.open("/reviews")
        page.locator(f"#row-{first} a").click()
        stand(page, first)
        wait_until(lambda: holder_of(service, first) == "Walker")
        if way == "row":
            page.locator(f"#row-{second} a").click()
            stand(page, second)
        elif way == "back":
            page.go_back()
        elif way == "queue":
            page.goto("/reviews")
        else:
            page.close()
        wait_until(lambda: holder_of(service, first) is None)
    close(service, first, second)


@pytest.mark.clause("009-P4")
def test_what_was_begun_is_held_and_what_was_handed_on_stays_so(browser, service):
    """A change keeps the review; looking at what somebody was given shortens no week."""
    begun, given = tiny(service, "Begun water.", "Given water.")
    service.as_role().post(
        f"/v1/reviews/{given}/hand_on", json={"person": "reviewer", "reason": "x"}
    )
    week = service.as_role().get(f"/v1/reviews/{given}").json()["assigned_to"]
    with Looking(browser, service, "reviewer") as looking:
        page = looking.open(f"/reviews/{begun}")
        stand(page, begun)
        page.get_by_label("label", exact=True).select_option("water")
        page.goto("/reviews")
        page.goto(f"/reviews/{given}")
        stand(page, given)
        page.goto("/reviews")
        page.wait_for_timeout(300)
        held = holder_of(service, begun)
    after = service.as_role().get(f"/v1/reviews/{given}").json()["assigned_to"]
    service.as_role("reviewer").post(f"/v1/reviews/{given}/release")
    service.as_role("reviewer").post(f"/v1/reviews/{begun}/release")
    close(service, begun, given)

    assert "reviewer" == held
    assert week == after


@pytest.mark.clause("009-P4")
def test_a_review_goes_to_somebody_who_is_known_and_can_be_taken_back(browser, service):
    """A name that nobody has is refused; who handed it on, and an admin, get it back at once."""
    (review,) = tiny(service, "Handed to the wrong one.")
    with (
        Looking(browser, service, "reviewer", person="Ann") as ann,
        Looking(browser, service, "reviewer", person="Bo") as bo,
        Looking(browser, service, "admin", person="Boss") as boss,
    ):
        page = ann.open(f"/reviews/{review}")
        stand(page, review)
        known = page.locator("#people option").evaluate_all("all => all.map(each => each.value)")
        page.keyboard.press("h")
        page.keyboard.type("Nobody Atall")
        page.keyboard.press("Enter")
        page.get_by_text("nobody of this name").wait_for()
        refused = holder_of(service, review)
        assert all("400" in fault or "422" in fault for fault in ann.faults)
        ann.faults.clear()
        page.get_by_label("To whom").fill("admin")
        page.get_by_role("button", name="Hand on").click()
        page.wait_for_url(lambda url: review not in url)
        given = holder_of(service, review)
        other = bo.open(f"/reviews/{review}").get_by_role("button", name="Take it back").count()
        offered = boss.open(f"/reviews/{review}").get_by_role("button", name="Take it back").count()
        page = ann.open(f"/reviews/{review}")
        page.get_by_role("button", name="Take it back").click()
        stand(page, review)
        told = page.locator("article .notice").all_inner_texts()
        mine = holder_of(service, review)
    close(service, review)

    assert ["admin", "reviewer"] == known
    assert ("Ann", "admin", "Ann") == (refused, given, mine)
    assert (0, 1) == (other, offered)
    assert "Taken back by Ann" in told[-1]


@pytest.mark.clause("009-P4")
def test_the_api_hands_on_to_known_people_alone(service):
    """The error says why, and holds nothing of the request."""
    (review,) = tiny(service, "By the interface.")
    client = service.as_role("reviewer")
    body = {"person": "Nobody Atall", "reason": "x"}
    refused = client.post(f"/v1/reviews/{review}/hand_on", json=body)
    given = client.post(f"/v1/reviews/{review}/hand_on", json=body | {"person": "admin"})
    holder = holder_of(service, review)
    close(service, review)

    assert 400 <= refused.status_code < 500
    assert "Nobody" not in refused.text
    assert (200, "admin") == (given.status_code, holder)
