"""The review desk with real content: long mails, hostile ones, none, in two languages, on paper."""

from __future__ import annotations

import json
import re

import pytest

from tests.processes import wait_until
from tests.runtime.tiny import GOOD, script
from tests.server.pages.browser import Looking
from tests.server.pages.desk_cases import (
    HOSTILE,
    MAIL,
    UNKNOWN,
    WRONG_REPLY,
    know_reviewer,
    long_mail,
    run,
    status_of,
    tiny,
)
from tests.server.serving import serving

CELLAR = b"There is water in the cellar."


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """A service with the bundled pack and model; one mail of 300 lines in review."""
    with serving(tmp_path_factory.mktemp("long")) as found:
        found.reviews = run(found, "intake", ("aufstellung.eml", long_mail()))
        yield found


@pytest.fixture(scope="module")
def mails(tmp_path_factory):
    """A service whose model always says what the gate rejects; one mail in review."""
    place = tmp_path_factory.mktemp("mails")
    with serving(place, script(place, *[WRONG_REPLY] * 60)) as found:
        found.reviews = run(found, "intake", ("wasserschaden.eml", MAIL.encode()))
        yield found


def verdict(page, words):
    page.locator("#verdict", has_text=words).wait_for()


@pytest.mark.clause("009-D1")
def test_the_queue_is_filtered_and_paged_by_its_address(tmp_path, browser):
    """A link is a view: reason, pack, own, overdue, decided; the oldest come first."""
    with serving(tmp_path, script(tmp_path, *UNKNOWN), ASSAY_REVIEW_DUE_HOURS="0.00001") as service:
        ids = tiny(service, *(f"Fire number {number}." for number in range(30)))
        (broken,) = run(service, "tiny", ("broken.txt", b"\xff\xfe\xff"))
        service.as_role("reviewer").post(f"/v1/reviews/{ids[3]}/take")
        service.as_role("reviewer").post(
            f"/v1/reviews/{ids[0]}/decision", json={"accept": False, "reason": "x"}
        )
        with Looking(browser, service, "reviewer") as looking:

            def rows(query):
                page = looking.open(f"/reviews{query}")
                links = page.locator(".desk-rows a").all()
                return [re.search("[0-9a-f]{32}", each.get_attribute("href"))[0] for each in links]

            first = rows("")
            told = looking.page.locator("#queue-count").inner_text()
            late = looking.page.locator(".desk-rows", has_text="Overdue").count()
            looking.page.get_by_role("link", name="Next page").click()
            looking.page.get_by_role("link", name="First page").wait_for()
            second = looking.page.locator(".desk-rows li").count()
            found = {
                query: rows(query)
                for query in (
                    "?reason=input.unreadable",
                    "?pack=intake",
                    "?mine=1",
                    "?status=rejected",
                    "?overdue=1&reason=gate.rejected",
                    "?status=none&after=zz",
                )
            }
            looking.open("/reviews")
            looking.page.get_by_label("Reason").select_option("input.unreadable")
            looking.page.get_by_role("button", name="Filter").click()
            address = looking.page.url

    assert (ids[1:26], 5) == (first, second)
    assert ("30 in this view, 30 open in all", 1) == (told, late)
    assert [[broken], [], [ids[3]], [ids[0]], ids[1:26], []] == list(found.values())
    assert "reason=input.unreadable" in address


@pytest.mark.clause("009-D4")
def test_what_the_model_did_not_see_is_grey_and_says_why(browser, long):
    """A mail of 300 lines: its end was cut, its quoted mail is folded; it is accepted as it is."""
    review = long.reviews[0]
    with Looking(browser, long, "reviewer") as looking:
        page = looking.open(f"/reviews/{review}")
        verdict(page, "The gate")
        unseen = page.locator(".fold.unseen > summary").all_inner_texts()
        grey = page.locator(".fold.unseen").first.evaluate(
            "each => getComputedStyle(each).color !== getComputedStyle(document.body).color"
        )
        size = len(page.content()) - len(long_mail())
        looking.require_fit()
        looking.keep_shots("desk-long")
        page.get_by_role("button", name="Accept as it stands").click()
        page.get_by_role("button", name="Undo").wait_for()
        page.goto("/reviews")
        wait_until(lambda: status_of(long, review) == "accepted")

    assert any("own words" in each and "not shown" in each for each in unseen)
    assert any("quoted" in each for each in unseen)
    assert grey
    assert size < 60_000


@pytest.mark.clause("009-D9")
def test_hostile_content_is_shown_and_does_nothing(tmp_path, browser):
    """Markup, terminal codes, marks that turn text round: in the text, the reply, a reason."""
    reply = json.dumps({"label": HOSTILE, "evidence_snippets": [HOSTILE, "<b>x</b>"]})
    with serving(tmp_path, script(tmp_path, reply, reply)) as service:
        (review,) = run(service, "tiny", ("<b>name</b>.txt", HOSTILE.encode()))
        know_reviewer(service, "<i>Bo</i>")
        service.as_role().post(
            f"/v1/reviews/{review}/hand_on", json={"person": "<i>Bo</i>", "reason": HOSTILE}
        )
        for script_on in (True, False):
            with Looking(
                browser, service, person="<i>Bo</i>", java_script_enabled=script_on
            ) as looking:
                page = looking.open(f"/reviews/{review}")
                verdict(page, "The gate rejects")
                title = page.title()
                text = page.locator(".text[data-source]").first.inner_text()
                made = page.locator("main script, main img, main i, main b").count()
                typed = page.locator("#output").input_value()

                assert "taken" not in title
                assert "<script>document.title='taken'</script>" in text
                assert "{{ 7 * 7 }}" in text
                assert 0 == made
                assert HOSTILE == json.loads(typed)["label"]


@pytest.mark.clause("009-D9")
def test_a_text_of_a_megabyte_is_shown_and_judged(browser, tmp_path):
    """The page stands, and the quote at its end is found."""
    text = "a line of words that say nothing\n" * 31_000 + "water in the cellar"
    with serving(tmp_path, script(tmp_path, GOOD, GOOD, GOOD)) as service:
        (review,) = run(service, "tiny", ("long.txt", text.encode()))
        with Looking(browser, service) as looking:
            page = looking.open(f"/reviews/{review}")
            page.locator("#output").wait_for(state="attached")
            assert "water in the cellar" in page.locator(".text[data-source]").inner_text()


@pytest.mark.clause("009-D4")
def test_where_texts_are_not_kept_the_original_is_handed_in(tmp_path, browser):
    """The prompt without personal data is what is known; with the file the gate can judge."""
    with serving(tmp_path, script(tmp_path, *UNKNOWN[:2]), ASSAY_MASTER_KEY="") as service:
        (review,) = run(service, "tiny", ("cellar.txt", CELLAR))
        with Looking(browser, service, "reviewer") as looking:
            page = looking.open(f"/reviews/{review}")
            said = page.get_by_text("The source texts are not kept").count()
            page.get_by_label("The original input").set_input_files(
                {
                    "name": "c.txt",
                    "mimeType": "text/plain",
                    "buffer": b"There is water in the cellar.",
                }
            )
            verdict(page, "The label is not in the list")
            page.get_by_label("label", exact=True).select_option("water")
            verdict(page, "The gate accepts this")
            page.keyboard.press("Escape")
            page.keyboard.press("a")
            page.get_by_role("button", name="Undo").wait_for()
            page.goto("/reviews")
            wait_until(lambda: status_of(service, review) == "accepted")

        assert 1 == said


@pytest.mark.clause("009-D4")
def test_an_input_that_cannot_be_read_can_only_be_rejected(tmp_path, browser):
    """It says why; there is nothing to accept."""
    with serving(tmp_path) as service:
        (review,) = run(service, "tiny", ("broken.txt", b"\xff\xfe\xff"))
        with Looking(browser, service, "reviewer") as looking:
            page = looking.open(f"/reviews/{review}")
            why = page.locator("article").inner_text()
            accept = page.get_by_role("button", name="Accept").count()
            looking.require_fit()
            looking.keep_shots("desk-unreadable")
            page.keyboard.press("r")
            page.get_by_text("No review waits here").wait_for()
            page.goto("/sign-in")
            wait_until(lambda: status_of(service, review) == "rejected")

        assert "The input could not be read" in why
        assert 0 == accept


@pytest.mark.clause("009-D6")
def test_in_german_the_desk_speaks_german(browser, mails):
    """Buttons, reasons, findings, also those that come while somebody types."""
    with Looking(browser, mails, language="de") as looking:
        page = looking.open(f"/reviews/{mails.reviews[0]}")
        verdict(page, "Die Prüfschranke lehnt das ab")
        verdict(page, "Das Zitat steht nicht im Text.")
        for name in ("Mit Änderungen annehmen", "Ablehnen", "Weitergeben"):
            assert page.get_by_role("button", name=name).count() == 1 or "Weiter" in name
        said = page.locator("main").inner_text()
        looking.keep_shots("desk-german")

    assert "Die Prüfschranke lehnte jeden Versuch ab" in said
    assert "dem Modell nicht gezeigt" in said


@pytest.mark.clause("009-P2")
def test_the_desk_is_fit_for_everybody(browser, mails):
    """What axe-core asks, in light and dark, narrow and wide; one item on two sheets of paper."""
    with Looking(browser, mails) as looking:
        page = looking.open("/reviews")
        looking.require_fit()
        looking.keep_shots("desk-queue")
        page = looking.open(f"/reviews/{mails.reviews[0]}")
        verdict(page, "The gate rejects")
        looking.require_fit()
        page.emulate_media(color_scheme="dark")
        looking.require_fit()
        looking.keep_shots("desk-item")
        paper = page.pdf(format="A4")
        page.set_viewport_size({"width": 640, "height": 450})  # 1280 px at 200 %
        over = page.evaluate("document.documentElement.scrollWidth - innerWidth")

    assert len(re.findall(rb"/Type\s*/Page\b", paper)) <= 2
    assert over <= 0


@pytest.mark.clause("009-D1")
def test_an_empty_queue_says_what_will_stand_there(tmp_path, browser):
    """With the command that fills it."""
    with serving(tmp_path) as service, Looking(browser, service, "viewer") as looking:
        page = looking.open("/reviews")
        said = page.locator("main").inner_text()
        looking.require_fit()
        looking.keep_shots("desk-empty")

    assert "assay run" in said
