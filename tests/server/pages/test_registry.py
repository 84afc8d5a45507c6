"""The registry: versions side by side, figures, and releases that two persons sign."""

from __future__ import annotations

import re

import httpx
import pytest

from tests.runtime.tiny import FILES, GOOD, UNKNOWN_LABEL, script
from tests.server.pages.browser import Looking, sign_in
from tests.server.serving import serving

FIRST = FILES["templates/triage.md"].decode()
SECOND = FIRST.replace("version: 1", "version: 2").replace(
    "Answer with one JSON object.", "Answer with exactly one JSON object, and no word beside it."
)
GOLDEN = (
    b'{"name": "a <b>cellar</b>", "contract": "triage", "sources": {"text": "water in the cellar"},'
    b' "replies": [], "expect": {"outcome": "needs_review"}}\n'
)
HERE = "/templates/triage/triage"
WATER = "There is water in the cellar"
HOSTILE = """---
name: hostile
role: formatter
version: {version}
variables: [input.text]
blueprint_schema: {{"type": "object", "title": "<img src=x onerror=alert(1)>"}}
blueprint_instructions: "<script>alert('i')</script> {version}"
---
<script>document.title = "taken {version}"</script>
\u202eRTL \u2066mark\u2069 "quoted" 'single' &amp; </textarea></table></main>
Donaudampfschifffahrtsgesellschaftskapitaensmuetzenabzeichenbefestigungsnadelversicherung{long}
{{{{input.text}}}}
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    place = tmp_path_factory.mktemp("registry")
    (place / "tiny" / "golden").mkdir(parents=True)
    (place / "tiny" / "golden" / "cases.jsonl").write_bytes(GOLDEN)
    replies = [GOOD, GOOD, GOOD, UNKNOWN_LABEL, UNKNOWN_LABEL]
    with serving(place, script(place, *replies), ASSAY_TEMPLATE_APPROVAL="1") as found:
        yield found


def add(service, text, role="approver"):
    """Another person than the one who looks adds a version."""
    done = service.as_role(role).post("/v1/templates", json={"text": text, "reason": "tests"})
    assert done.status_code == 201, done.text


@pytest.fixture(scope="module")
def released(service):
    """Version 1 is active, some calls are on record, version 2 waits."""
    add(service, FIRST)
    client = service.as_role()
    client.post("/v1/templates/triage/triage/1/promote", json={"reason": "first"})
    add(service, SECOND)
    for number in range(4):
        text = f"{WATER} {number}."
        done = client.post(
            "/v1/runs", json={"pack": "tiny", "inputs": [{"name": "a.txt", "text": text}]}
        )
        assert done.status_code == 200
    return service


@pytest.mark.clause("009-R4")
def test_a_release_takes_two_persons_and_a_reason_and_is_taken_back(browser, released):
    """Who added a version is told before and after; another promotes it; a roll back undoes it."""
    first, second = (each.replace("name: triage", "name: signed") for each in (FIRST, SECOND))
    add(released, first)
    client = released.as_role()
    client.post("/v1/templates/triage/signed/1/promote", json={"reason": "first"})
    with Looking(browser, released, "approver", person="Ann") as ann:
        page = ann.open("/templates/triage/signed")
        page.get_by_role("link", name="Add a version").click()
        page.get_by_label("Text, with front matter").fill(second)
        page.get_by_label("Reason").fill("One object is not enough said.")
        page.get_by_role("button", name="Add the version").click()
        assert "not released yet" in page.get_by_role("status").inner_text()
        page.get_by_role("link", name="Promote 2").click()
        assert "another person has to release it" in page.locator("main").inner_text()
        page.get_by_label("Reason").fill("I am sure.")
        page.get_by_role("button", name="Promote version 2").click()
        said = page.get_by_role("alert").inner_text()
        kept = page.get_by_label("Reason").input_value()
        ann.require_fit()
        ann.keep_shots("registry-refused")
        ann.faults = [each for each in ann.faults if "403" not in each]
    assert "two persons must agree" in said
    assert "Nothing was changed" in said
    assert "I am sure." == kept

    with Looking(browser, released, "approver", person="Bo") as bo:
        page = bo.open("/templates/triage/signed/2/promote")
        page.get_by_role("button", name="Promote version 2").click()
        assert page.url.endswith("/2/promote")  # the browser asks for a reason
        page.get_by_label("Reason").fill("Read by two.")
        bo.require_fit()
        bo.keep_shots("registry-promote")
        page.get_by_role("button", name="Promote version 2").click()
        assert "active now" in page.get_by_role("status").inner_text()
        versions = client.get("/v1/templates?role=triage&name=signed").json()
        assert ["former", "active"] == [each["state"] for each in versions["templates"]]
        page.get_by_role("link", name="Roll back to version 1").click()
        page.get_by_label("Reason").fill("It was worse.")
        page.get_by_role("button", name="Roll back to version 1").click()
        assert "active again" in page.get_by_role("status").inner_text()
    log = client.get("/v1/templates?role=triage&name=signed").json()["templates"]
    assert ["active", "former"] == [each["state"] for each in log]


@pytest.mark.clause("009-R2")
def test_two_versions_stand_side_by_side_word_by_word(browser, released):
    """What went is struck out on the left, what came is marked on the right, and no more."""
    with Looking(browser, released, "viewer") as looking:
        page = looking.open(f"{HERE}?before=1&after=2")
        table = page.get_by_role("table", name="Text")
        gone, new = (table.locator(tag).all_inner_texts() for tag in ("del", "ins"))
        assert [] == gone
        assert ["exactly ", ", and no word beside it"] == new
        assert 0 == page.get_by_role("link", name=re.compile("Promote")).count()
        looking.require_fit()
        looking.keep_shots("registry-difference")
        looking.open("/templates")
        assert "triage/triage" in page.locator("main").inner_text()
        looking.require_fit()
        looking.keep_shots("registry")


@pytest.mark.clause("009-R2")
def test_prompts_of_golden_cases_are_rendered_with_both(browser, released):
    """The one that changes is shown as a difference of its lines."""
    with Looking(browser, released, "viewer") as looking:
        page = looking.open(f"{HERE}?before=1&after=2")
        page.get_by_label("Golden cases of a pack").select_option("tiny")
        page.get_by_role("button", name="Compare").click()
        said = page.locator("main").inner_text()
        lines = page.locator("details pre ins").all_inner_texts()
        name = page.locator("summary").inner_text()
        looking.require_fit()
        looking.keep_shots("registry-golden")
    assert "1 prompt of 1 changes." in said
    assert ["+Answer with exactly one JSON object, and no word beside it."] == lines
    assert "a <b>cellar</b>" == name


@pytest.mark.clause("009-R3")
def test_figures_of_versions_have_intervals(browser, released):
    """Three of four calls: the share, and where it may truly lie."""
    with Looking(browser, released, "viewer") as looking:
        page = looking.open(f"{HERE}/figures")
        row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="1"))
        said = row.inner_text()
        assert "75\u202f% (30–95\u202f%)" in said
        assert "25\u202f% (5–70\u202f%)" in said
        assert 2 == row.get_by_role("img").count()
        looking.require_fit()
        looking.keep_shots("registry-figures")
    table = released.as_role("viewer").get(f"{HERE}/figures.csv").text
    assert "1,active,4,3,0.3006,0.9544,1,0.0456,0.6994" in table


@pytest.mark.clause("009-R3")
def test_a_backtest_runs_on_a_button_and_links_its_calls(browser, released):
    """Which calls stay, which would turn; with a version that needs what no call has, all do."""
    broken = FIRST.replace("version: 1", "version: 3").replace("input.text]", "input.text, other]")
    add(released, broken + "{{other}}\n")
    with Looking(browser, released, "approver") as looking:
        page = looking.open(f"{HERE}/backtest?version=2")
        page.get_by_role("button", name="Run the backtest").click()
        right = page.get_by_role("status").inner_text()
        page.get_by_label("Version").select_option("3")
        page.get_by_role("button", name="Run the backtest").click()
        wrong = page.get_by_role("status").inner_text()
        links = page.locator("td a").all()
        address = links[0].get_attribute("href")
        looking.require_fit()
        looking.keep_shots("registry-backtest")
    assert re.search(r"Right\s+4 calls\s+Wrong\s+0 calls", right), right
    assert re.search(r"Wrong\s+3 calls", wrong), wrong
    assert 3 == len(links)
    calls = {each["id"] for each in released.as_role().get("/v1/calls").json()["calls"]}
    assert address.removeprefix("/calls/") in calls


@pytest.mark.clause("009-R5")
def test_a_text_that_is_refused_is_shown_with_the_place_of_its_fault(browser, released):
    """Line and column, marked in the text, which nobody has to write again."""
    bad = FIRST.replace("version: 1", "version: 9").replace("{{labels.kind}}", "  {{labels.kin}}")
    with Looking(browser, released, "approver") as looking:
        page = looking.open("/templates/add")
        page.get_by_label("Text, with front matter").fill(bad)
        page.get_by_role("button", name="Add the version").click()
        said = page.get_by_role("alert").inner_text()
        marked = page.locator("#fault").inner_text()
        kept = page.get_by_label("Text, with front matter").input_value()
        looking.require_fit()
        looking.keep_shots("registry-add")
        looking.faults = [each for each in looking.faults if "422" not in each]
    assert "line 9, column 3" in said
    assert marked.startswith("{{labels.kin}}")
    assert bad == kept


@pytest.mark.clause("009-R5")
def test_a_file_is_taken_byte_for_byte(browser, released):
    """A pasted text has the line ends of the page, a file its own."""
    text = FIRST.replace("name: triage", "name: filed")
    with Looking(browser, released, "approver") as looking:
        page = looking.open("/templates/add")
        page.get_by_label("Or a file").set_input_files(
            {"name": "t.md", "mimeType": "text/markdown", "buffer": text.encode()}
        )
        page.get_by_role("button", name="Add the version").click()
        assert "not released yet" in page.get_by_role("status").inner_text()
    found = released.as_role().get("/v1/templates/triage/filed/1").json()["template"]
    assert text.endswith(found["template"])


@pytest.mark.clause("009-P3")
def test_hostile_templates_show_as_text_and_do_nothing(browser, released):
    """Markup, script, marks of direction, a very long line: in text, blueprint, reasons, names."""
    for version in (1, 2):
        add(released, HOSTILE.format(version=version, long="x" * (100 * version)))
    big = HOSTILE.replace("hostile", "big").format(version=1, long="<b>y</b>\n" * 100_000)
    add(released, big)
    with Looking(browser, released, "approver", person="<b>Eve</b>") as looking:
        page = looking.open("/templates/formatter/hostile?before=1&after=2")
        assert "formatter/hostile · assay" == page.title()
        assert "<script>document.title" in page.locator(".sides").first.inner_text()
        assert "\u27e8U+202E\u27e9RTL" in page.locator(".sides").first.inner_text()
        assert 0 == page.locator("main script, main img, main b").count()
        looking.require_fit()
        looking.keep_shots("registry-hostile")
        page.goto("/templates/formatter/hostile/2/retire")
        page.get_by_label("Reason").fill("</textarea><script>alert(1)</script>\x1b[31m\u202e")
        page.get_by_role("button", name="Retire version 2").click()
        assert "retired" in page.get_by_role("status").inner_text()
        looking.open("/templates/formatter/big")
        assert 0 == page.locator("main b").count()


@pytest.mark.clause("009-P2")
def test_without_script_and_in_german_all_of_it_works(browser, released):
    """A canary is set by a plain form; the sentences are those of the reader's language."""
    with Looking(
        browser, released, "approver", person="Cy", language="de", java_script_enabled=False
    ) as looking:
        page = looking.open(f"{HERE}?before=1&after=2")
        assert "Von Version 1 zu Version 2" in page.locator("main").inner_text()
        page.get_by_role("link", name="Erproben 2").click()
        page.get_by_label("Prozent").fill("15")
        page.get_by_label("Begründung").fill("Erst ein Teil.")
        page.get_by_role("button", name="Anteil von Version 2 setzen").click()
        assert "Anteil der Erprobung wurde gesetzt" in page.get_by_role("status").inner_text()
        assert "in Erprobung, 15 %" in page.locator("main").inner_text()
        page.goto(f"{HERE}/2/canary")
        page.get_by_label("Prozent").fill("0")
        page.get_by_label("Begründung").fill("Genug.")
        page.get_by_role("button", name="Anteil von Version 2 setzen").click()
    with Looking(browser, released, "viewer", language="de") as looking:
        looking.open(f"{HERE}?before=1&after=2")
        looking.keep_shots("registry-german")


@pytest.mark.clause("009-A4")
def test_who_may_not_release_moves_nothing(released):
    """A viewer is refused the sheets and the forms; a form of another page is refused as well."""
    cookies = {"assay_session": sign_in(released.store, "Vi", "viewer")}
    with httpx.Client(base_url=released.address, cookies=cookies) as client:
        said = [client.get(f"{HERE}/2/promote"), client.get("/templates/add")]
    cookies = {"assay_session": sign_in(released.store, "Dee", "approver")}
    with httpx.Client(base_url=released.address, cookies=cookies) as client:
        said.append(client.post(f"{HERE}/2/promote", data={"reason": "x"}))
        none = client.get("/templates/no/such", headers={"accept": "text/html"}).status_code
    assert [403] * 3 == [each.status_code for each in said]
    assert 404 == none
