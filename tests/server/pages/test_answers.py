"""Questions asked on a page: an answer whose marks lead to its passages, or an honest no."""

from __future__ import annotations

import re

import httpx
import pytest

from assay.server.pages.cited_text import cut_answer, cut_spans
from tests.server.pages.browser import Looking, sign_in
from tests.server.serving import serving

POOL = """# Swimming pool

## Opening hours

The pool is open from 7 to 21 on weekdays. On Sundays it closes at 18.

## Entry

Entry costs 4 euros for grown-ups. Children below six years pay nothing.
"""
HOSTILE = """# <script>document.title = "taken"</script>

The zeppelin <img src=x onerror=alert(1)> hangar opens at 9 \u202eevil\u202c and closes at 5.
The </div></main> zeppelin hangar \x1b[31m has a Donaudampfschifffahrtsgesellschaftskapitaensmuetze.
"""
QUESTION = "When is the pool open on weekdays?"
NOTHING = "Which tax rate applies to imported bicycles?"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    place = tmp_path_factory.mktemp("answers")
    folder = place / "documents"
    folder.mkdir()
    (folder / "pool.md").write_text(POOL)
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    other = place / "hostile"
    other.mkdir()
    (other / "<b>hangar <img src=x>.md").write_text(HOSTILE)
    with serving(place, ASSAY_SERVE_DOCUMENTS=f"house={folder} hostile={other}") as found:
        yield found


def ask(page, question, documents="house", words=("Question", "Documents", "Ask")):
    """Fill in the form and send it."""
    page.get_by_label(words[0], exact=True).fill(question)
    page.get_by_label(words[1], exact=True).select_option(documents)
    page.get_by_role("button", name=words[2], exact=True).click()


@pytest.mark.clause("009-R6")
def test_an_answer_leads_to_the_span_that_carries_it_and_stands_on_record(browser, service):
    """The mark opens the passage at its sentence; the address of the call tells it all again."""
    with Looking(browser, service) as looking:
        page = looking.open("/answers")
        looking.require_fit()
        ask(page, QUESTION)
        assert "weekdays" not in page.url
        said = page.locator(".said").inner_text()
        page.locator(".said a").first.click()
        target = page.locator("mark:target").inner_text()
        facts = page.locator(".place").first.inner_text()
        main = page.locator("main").inner_text()
        looking.require_fit()
        looking.keep_shots("answers-new")
        assert re.search("/answers/[0-9a-f-]+(#.*)?$", page.url)
        asked = len(service.as_role().get("/v1/calls").json()["calls"])
        page.reload()
        assert asked == len(service.as_role().get("/v1/calls").json()["calls"])
        assert said == page.locator(".said").inner_text()
        page.locator(".said a").first.click()
        assert target == page.locator("mark:target").inner_text()
        assert "1 file was not read" in main
        assert QUESTION in page.locator("main").inner_text()
        looking.require_fit()
        looking.open("/answers")
        assert QUESTION in page.get_by_role("table").inner_text()
        looking.keep_shots("answers")
    assert "The pool is open from 7 to 21 on weekdays." == target
    assert "pool.md" in facts
    assert "house/broken.pdf" in main


@pytest.mark.clause("009-R7")
def test_where_nothing_is_found_the_nearest_passage_is_shown_with_what_it_missed(browser, service):
    """A refusal and a score, and no answer."""
    with Looking(browser, service) as looking:
        page = looking.open("/answers")
        ask(page, NOTHING)
        said = page.locator("main").inner_text()
        looking.require_fit()
        looking.keep_shots("answers-refused")
        page.reload()
        again = page.locator("main").inner_text()
    for text in (said, again):
        assert "No answer in these documents" in text
        assert re.search(r"It scored 0\.\d{3}; 0\.\d{3} is asked for\.", text), text
        assert "pool.md" in text
        assert "\nAnswer\n" not in text


@pytest.mark.clause("009-R6")
def test_a_question_leads_to_the_address_of_its_call(service):
    """A redirect, so that loading the page again sends no question again."""
    with httpx.Client(base_url=service.address, timeout=60) as client:
        client.cookies.set("assay_session", sign_in(service.store, "Ad", "admin"))
        page = client.get("/answers", headers={"accept": "text/html"}).text
        token = re.search('name="form-token" content="([^"]*)"', page)[1]
        form = {"question": QUESTION, "documents": "house", "pack": "grounded"}
        sent = client.post("/answers", data={**form, "form_token": token})
        shown = client.get(sent.headers["location"])
    assert 303 == sent.status_code
    assert re.fullmatch("/answers/[0-9a-f-]+", sent.headers["location"])
    assert "from 7 to 21" in shown.text
    assert "house/broken.pdf" in shown.text


@pytest.mark.clause("009-R6")
def test_who_asks_is_shown_the_answer_and_who_may_not_see_texts_no_stored_one(service):
    """An operator asks and reads; the stored answer is for who may see texts; a viewer asks not."""
    with httpx.Client(base_url=service.address, timeout=60) as client:
        client.cookies.set("assay_session", sign_in(service.store, "Op", "operator"))
        page = client.get("/answers", headers={"accept": "text/html"}).text
        token = re.search('name="form-token" content="([^"]*)"', page)[1]
        form = {"question": QUESTION, "documents": "house", "pack": "grounded"}
        said = client.post("/answers", data={**form, "form_token": token})
        again = client.post("/answers", data={**form, "form_token": token})
        without = client.post("/answers", data=form)
        call = re.search("/calls/([0-9a-f-]+)", said.text)[1]
        stored = client.get(f"/answers/{call}")
        listed = client.get("/answers").text
        none = client.post("/answers", data={**form, "question": " ", "form_token": token})
        other = client.post("/answers", data={**form, "documents": "/etc", "form_token": token})
    with httpx.Client(base_url=service.address) as client:
        client.cookies.set("assay_session", sign_in(service.store, "Vi", "viewer"))
        viewer = client.get("/answers").text
    assert (200, 200, 403, 403) == (
        said.status_code,
        again.status_code,
        without.status_code,
        stored.status_code,
    )
    assert "from 7 to 21" in said.text
    assert f"/calls/{call}" in again.text
    assert (422, 404) == (none.status_code, other.status_code)
    assert QUESTION not in listed
    assert "may not ask" in viewer


@pytest.mark.clause("009-R8")
def test_an_answer_that_a_person_has_to_decide_leads_to_its_review(browser, tmp_path):
    """The reply that the gate refused is not shown as an answer; why it was refused is."""
    from tests.runtime.tiny import script

    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "pool.md").write_text(POOL)
    bad = "The pool is <b>always</b> open. [C99]"
    with (
        serving(
            tmp_path, script(tmp_path, bad, bad), ASSAY_SERVE_DOCUMENTS=f"house={folder}"
        ) as service,
        Looking(browser, service) as looking,
    ):
        page = looking.open("/answers")
        ask(page, QUESTION)
        said = page.locator("main").inner_text()
        link = page.get_by_role("link", name="Open the review").get_attribute("href")
        looking.require_fit()
        looking.keep_shots("answers-review")
        reviews = service.as_role().get("/v1/reviews").json()["reviews"]
        looking.open("/answers")
        ask(page, "And what does entry cost for grown-ups?")  # the script has ended
        failed = page.get_by_role("alert").inner_text()
        kept = page.get_by_label("Question", exact=True).input_value()
        looking.faults = [each for each in looking.faults if "503" not in each]
    assert "always" not in said
    assert f"/reviews/{reviews[0]['id']}" == link
    assert "nothing was lost" in failed
    assert "And what does entry cost for grown-ups?" == kept


@pytest.mark.clause("009-R6")
def test_where_texts_are_not_kept_the_page_says_so(browser, tmp_path):
    """The answer is there, its passages are not, and what would keep them is named."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "pool.md").write_text(POOL)
    settings = {"ASSAY_SERVE_DOCUMENTS": f"house={folder}", "ASSAY_MASTER_KEY": ""}
    with serving(tmp_path, **settings) as service, Looking(browser, service) as looking:
        page = looking.open("/answers")
        ask(page, QUESTION)
        assert 1 == page.locator(".passages li").count()
        page.get_by_role("link", name="this answer from the record").click()
        said = page.locator("main").inner_text()
        looking.require_fit()
        looking.keep_shots("answers-not-kept")
    assert "not kept" in said
    assert "ASSAY_MASTER_KEY" in said
    assert "from 7 to 21" in said


@pytest.mark.clause("009-P3")
def test_hostile_documents_and_questions_show_as_text_and_do_nothing(browser, service):
    """Markup in a file's name, in passages, in a question; marks of direction are written out."""
    with Looking(browser, service) as looking:
        page = looking.open("/answers")
        question = 'When does the zeppelin hangar open? <script>document.title="q"</script>\u202e'
        ask(page, question, "hostile")
        assert "taken" not in page.title()
        said = page.locator("main").inner_text()
        assert 0 == page.locator("main script, main img, main b").count()
        looking.require_fit()
        looking.keep_shots("answers-hostile")
        looking.open("/answers")
        assert 0 == page.locator("main script, main img, main b").count()
    assert '<script>document.title="q"</script>⟨U+202E⟩' in said
    assert "hostile/<b>hangar <img src=x>.md" in said
    assert "onerror=alert(1)" in said


@pytest.mark.clause("009-P2")
def test_without_script_and_in_german_questions_are_answered(browser, service):
    """The same page, in the reader's language."""
    with Looking(browser, service, language="de", java_script_enabled=False) as looking:
        page = looking.open("/answers")
        ask(page, QUESTION, words=("Frage", "Dokumente", "Fragen"))
        assert "Antwort mit ihren Stellen" == page.get_by_role("heading", level=1).inner_text()
        page.locator(".said a").first.click()
        assert "7 to 21" in page.locator("mark:target").inner_text()


@pytest.mark.clause("009-R6")
def test_a_call_that_is_no_answer_has_no_page_here(service):
    """Nothing under an id that is not there."""
    with httpx.Client(base_url=service.address) as client:
        client.cookies.set("assay_session", sign_in(service.store, "Ad", "admin"))
        assert 404 == client.get("/answers/ffffffff").status_code


def test_pieces_of_a_text_are_the_text():
    """Spans that overlap or share their beginning; markers in the middle of an answer."""
    pieces = cut_spans("abcdefgh", {(1, 4), (1, 6), (3, 7)}, "p1")
    assert "abcdefgh" == "".join(each.text for each in pieces)
    assert ["p1-1", "p1-3"] == [each.id for each in pieces if each.id]
    assert "bcdefg" == "".join(each.text for each in pieces if each.marked)
    markers = [
        {"start": 2, "stop": 6, "span": {"start": 4, "stop": 9}},
        {"start": 9, "stop": 13, "span": None},
    ]
    cut = cut_answer("A [C0] b [C0].", [{"markers": markers}])
    assert "A [C0] b [C0]." == "".join(each.text for each in cut)
    assert ["p1-4", "p1"] == [each.to for each in cut if each.number]
