"""Source texts on the review desk: what turns text round, what is selected, many labels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay
from assay.server.pages.marked_text import find_nearest
from assay.server.pages.said_words import tell_known
from assay.server.pages.shown_text import show_source
from assay.server.pages.words import words_of
from tests.runtime.tiny import script
from tests.server.pages.browser import Looking
from tests.server.pages.desk_cases import MAIL, UNKNOWN, WRONG, run, tiny
from tests.server.serving import serving

HELLO = "\u05e9\u05dc\u05d5\u05dd"
TURNED = f"Please \u202epay\u202c me. \u2066The pipe\u2069 broke \u200bhere {HELLO}"
ARABIC = "مرحبا، انكسر أنبوب 123 في المطبخ."


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    place = tmp_path_factory.mktemp("service")
    with serving(place, script(place, *UNKNOWN)) as found:
        yield found


def verdict(page, words):
    page.locator("#verdict", has_text=words).wait_for()


@pytest.mark.clause("009-D9")
def test_no_text_turns_words_of_ours_round(browser, service):
    """Marks of direction are written out in lines and in sources, each ended where it stands."""
    name = "\u202egnp.\u202cmail"
    (review,) = run(service, "tiny", (f"{name}.txt", TURNED.encode()))
    service.as_role("reviewer").post(
        f"/v1/reviews/{review}/hand_on", json={"person": "admin", "reason": "\u202eyes"}
    )
    with Looking(browser, service, "admin") as looking:
        page = looking.open(f"/reviews/{review}")
        verdict(page, "The gate rejects")
        page.get_by_label("evidence snippets 1").fill("\u202ex")
        below = page.locator(".hidden-signs").last.inner_text()
        heading = page.locator("h1").inner_text()
        reason = page.locator("article .notice").first.inner_text()
        text = page.locator(".text[data-source]").first
        whole = text.evaluate("each => each.textContent")
        codes = text.locator(".ctl").evaluate_all("all => all.map(each => each.dataset.code)")
        bare = page.evaluate(
            r"""() => { const found = [];
            const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            while (walk.nextNode()) if (/[\u202a-\u202e\u2066-\u2069]/.test(walk.currentNode.data)
              && !walk.currentNode.parentElement.closest('.ctl, textarea, script'))
              found.push(walk.currentNode.data);
            return found; }"""
        )
        page.evaluate(
            """() => { const text = document.querySelector('.text[data-source]');
            getSelection().selectAllChildren(text); }"""
        )
        taken = page.evaluate("window.assayDesk.selected().text")

    assert "⟨U+202E⟩x" == below
    assert "⟨U+202E⟩gnp.⟨U+202C⟩mail" in heading
    assert "⟨U+202E⟩yes" in reason
    assert ["⟨U+202E⟩", "⟨U+202C⟩", "⟨U+2066⟩", "⟨U+2069⟩", "⟨U+200B⟩"] == codes
    assert [] == bare
    assert TURNED == whole == taken


@pytest.mark.clause("009-D9")
def test_mail_from_right_to_left_reads_as_it_was_written(browser, service):
    """Each paragraph begins at the side of its own letters; nothing in it is taken apart."""
    (review,) = run(service, "tiny", ("arabic.txt", f"{ARABIC}\nA second line.".encode()))
    with Looking(browser, service) as looking:
        page = looking.open(f"/reviews/{review}")
        verdict(page, "The gate rejects")
        first, second, box = page.evaluate(
            """() => { const text = document.querySelector('.text[data-source]');
            const range = document.createRange(); const node = text.firstChild;
            const at = (start, stop) => { range.setStart(node, start); range.setEnd(node, stop);
              return range.getBoundingClientRect().left; };
            const cut = node.data.indexOf('\\n');
            return [at(0, 1), at(cut + 1, cut + 2), text.getBoundingClientRect().left]; }"""
        )
        looking.keep_shots("desk-arabic")

    assert first > second + 200
    assert second < box + 40


@pytest.mark.clause("009-D9")
def test_a_source_keeps_each_of_its_characters():
    """Also where a parser of HTML would drop one; a joiner within a word is spelling."""
    persian = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"

    assert persian == str(show_source(persian))
    assert 'data-code="␀">\ufffd</bdi>' in show_source("a\x00b")
    assert 'data-code="␍">&#13;</bdi>' in show_source("a\r\nb")
    assert "&lt;b&gt;" in show_source("<b>\u202e")


@pytest.mark.clause("009-D5")
def test_words_within_a_mark_are_selected_with_the_mouse(browser, tmp_path):
    """Dragging over a marked quote selects in it; pressing it leads to its label still."""
    reply = json.dumps({"label": "WATER", "evidence_snippets": ["water in the old cellar"]})
    with serving(tmp_path, script(tmp_path, reply, reply)) as service:
        (review,) = tiny(service, "There is water in the old cellar of ours.")
        with Looking(browser, service, "reviewer") as looking:
            page = looking.open(f"/reviews/{review}")
            verdict(page, "The label is not in the list")
            box = page.locator("a.ev").bounding_box()
            height = box["y"] + box["height"] - 6
            page.mouse.move(box["x"] + box["width"] - 2, height)
            page.mouse.down()
            page.mouse.move(box["x"] + box["width"] - 100, height, steps=8)
            page.mouse.up()
            chosen = page.evaluate("getSelection().toString()")
            page.get_by_role("toolbar").wait_for()
            still = page.evaluate("document.activeElement.tagName")
            page.mouse.click(5, 400)
            page.locator("a.ev").click()
            focused = page.evaluate("document.activeElement.value")

    assert chosen
    assert "water in the old cellar".endswith(chosen)
    assert "INPUT" != still
    assert "water in the old cellar" == focused


@pytest.mark.clause("009-D3")
def test_a_quote_that_stands_nowhere_is_listed_once_with_its_labels(browser, tmp_path):
    """Whatever it was given for."""
    lost = "schalte ich sofort einen Anwalt ein"
    wrong = WRONG | {"risk_flags": [WRONG["risk_flags"][0] | {"evidence_snippets": [lost]}]}
    reply = json.dumps(wrong, ensure_ascii=False)
    with serving(tmp_path, script(tmp_path, *[reply] * 20)) as service:
        (review, *_) = run(service, "intake", ("wasserschaden.eml", MAIL.encode()))
        with Looking(browser, service, "reviewer") as looking:
            page = looking.open(f"/reviews/{review}")
            verdict(page, "The gate rejects")
            entries = page.locator("#lost li").all()
            chips = entries[0].locator(".chip").all_inner_texts()

    assert 1 == len(entries)
    assert ["INTENT_LEGAL", "RISK_LEGAL_THREAT"] == chips


@pytest.mark.clause("009-D3")
def test_the_nearest_place_is_the_one_in_the_order_of_the_quote():
    """Of two with as many of its words."""
    text = "2. Zeile: Am 3. Tag rief ich an.\n3. Zeile: Am 4. Tag rief ich an."
    _, start, stop = find_nearest("3. Zeile: nope", [("body", text)])

    assert "3. Zeile" in text[start:stop]


@pytest.mark.clause("009-D6")
def test_sentences_of_the_library_are_said_in_german():
    """Why something was not read; what nobody knows stays as it is."""
    german = words_of("de")

    assert "enthält keinen Text" == tell_known(german, "holds no text")
    assert "ist ein beschädigtes PDF (PdfReadError)" == tell_known(
        german, "is a damaged PDF (PdfReadError)"
    )
    assert "9 Byte, mehr als die erlaubten 5" == tell_known(
        german, "9 bytes, more than the 5 allowed"
    )
    assert "Die Eingabe ließ sich nicht lesen: enthält keinen Text." == tell_known(
        german, "The input could not be read: holds no text."
    )
    assert None is tell_known(german, "lacks the property 'keys'")


@pytest.mark.clause("009-D6")
def test_what_is_said_in_german_is_what_the_library_says():
    """Each sentence of the catalogue stands in the library's own code, letter by letter."""
    code = "\n".join(
        path.read_text("utf-8")
        for path in Path(assay.__file__).parent.rglob("*.py")
        if "server" not in path.parts
    )
    said = [each for key, each in words_of("en").sentences.items() if key.startswith("said.")]
    plain = [each for each in said if "#" not in each and "(a scan?)" not in each]

    assert [] == [each for each in plain if each not in code and each[0].islower()]


@pytest.mark.clause("009-D6")
def test_in_german_the_desk_says_why_an_input_was_not_read(browser, service):
    """The page and the details of findings."""
    (unread,) = run(service, "tiny", ("broken.txt", b"\xff\xfe\xff"))
    (review,) = tiny(service, "German water.")
    with Looking(browser, service, language="de") as looking:
        said = looking.open(f"/reviews/{unread}").locator("article").inner_text()
        page = looking.open(f"/reviews/{review}")
        verdict(page, "Die Prüfschranke lehnt das ab")
        page.get_by_label("evidence snippets 1").fill("wine in the attic")
        verdict(page, "steht in keinem Text, der gezeigt wurde")

    assert "ließ sich nicht lesen: kein UTF-8-Text" in said
    assert "could not" not in said


@pytest.mark.clause("009-P2")
def test_forty_labels_leave_a_page_that_can_be_worked_with(browser, tmp_path):
    """At 1280 pixels the form has half of its column, and each button is within the window."""
    lines = [f"Zeile {number}: am {number}. Tag rief ich wieder an." for number in range(300)]
    intents = [
        {
            "label": f"INTENT_CLAIM_OF_A_VERY_LONG_NAME_{number}",
            "confidence": 0.9,
            "evidence_snippets": [f"Zeile {number}: am {number}. Tag"],
        }
        for number in range(40)
    ]
    reply = json.dumps(WRONG | {"intents": intents}, ensure_ascii=False)
    mail = f"{MAIL.partition(chr(10) * 2)[0]}\n\n" + "\n".join(lines)
    with serving(tmp_path, script(tmp_path, *[reply] * 20)) as service:
        (review, *_) = run(service, "intake", ("forty.eml", mail.encode()))
        with Looking(browser, service, "reviewer") as looking:
            page = looking.open(f"/reviews/{review}")
            verdict(page, "The gate rejects")
            foot = page.locator(".desk-foot").bounding_box()
            side = page.locator(".desk-side").bounding_box()
            hand = page.locator("#hand").bounding_box()
            cut = page.locator("#output-form select").evaluate_all(
                "all => all.filter(each => each.getBoundingClientRect().width < 250).length"
            )
            looking.require_fit()
            looking.keep_shots("desk-forty")

    assert foot["height"] < side["height"] / 2
    assert hand["y"] + hand["height"] <= 900
    assert 0 == cut
