"""Answers and stages of conversations on the desk; how texts are cut and forms are made."""

from __future__ import annotations

import pytest

from assay.pack.pack import Pack
from assay.pack.read import read_pack
from assay.server.pages.finding_words import tell_finding
from assay.server.pages.marked_text import Fold, Mark, cut_text, find_nearest
from assay.server.pages.output_form import form_of
from assay.server.pages.words import LANGUAGES, words_of
from assay.wiring import load_pack
from tests.packs import talk
from tests.processes import wait_until
from tests.runtime.tiny import FILES, tiny_pack
from tests.server.pages.browser import Looking
from tests.server.pages.desk_cases import status_of
from tests.server.serving import serving

WRONG_ANSWER = "The pool is open from 8 to 21 [C0]."
RIGHT_ANSWER = "The pool is open from 7 to 21 on weekdays [C0]."


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A turn that failed at its first stage, then an answer that failed."""
    place = tmp_path_factory.mktemp("kinds")
    (place / "docs").mkdir()
    pool = "# Pool\n\nThe pool is open from 7 to 21 on weekdays.\n"
    (place / "docs" / "pool.md").write_text(pool)
    wrong = talk.inquiry() | {"nextStep": "nowhere"}
    replies = talk.script(place, *[wrong] * 3, WRONG_ANSWER, WRONG_ANSWER)
    with serving(place, replies, ASSAY_SERVE_DOCUMENTS=f"pool={place / 'docs'}") as found:
        client = found.as_role()
        message = "How do I get Medicaid?"
        client.post(
            "/v1/sessions",
            json={"pack": "services", "message": message, "session_id": talk.SESSION},
        )
        client.post("/v1/answers", json={"question": "When is the pool open?", "documents": "pool"})
        found.reviews = [each["id"] for each in client.get("/v1/reviews").json()["reviews"]]
        yield found


def verdict(page, words):
    page.locator("#verdict", has_text=words).wait_for()


@pytest.mark.clause("009-D5")
def test_an_answer_is_corrected_as_text_beside_its_passages(browser, service):
    """The passages that it may cite stand beside it; what they do not say is refused at once."""
    with Looking(browser, service, "reviewer") as looking:
        page = looking.open(f"/reviews/{service.reviews[1]}")
        verdict(page, "A number does not stand in the passage cited")
        passage = page.locator('.text[data-source="C0"]').inner_text()
        looking.require_fit()
        looking.keep_shots("desk-answer")
        page.locator("#output").fill(RIGHT_ANSWER)
        verdict(page, "The gate accepts this")
        page.get_by_role("button", name="Accept with changes").click()
        page.get_by_role("button", name="Undo").wait_for()
        page.goto("/sign-in")
        wait_until(lambda: status_of(service, service.reviews[1]) == "accepted")

    assert "The pool is open from 7 to 21" in passage


@pytest.mark.clause("009-D5")
def test_a_stage_is_corrected_and_its_conversation_moves_on(browser, service):
    """Its output is a form like any other."""
    with Looking(browser, service, "reviewer") as looking:
        page = looking.open(f"/reviews/{service.reviews[0]}")
        verdict(page, "The value is not one of those allowed")
        message = page.locator('.text[data-source="user_prompt"]').inner_text()
        page.get_by_label("nextStep", exact=True).select_option("agency_detect_v1")
        verdict(page, "The gate accepts this")
        page.get_by_role("button", name="Accept with changes").click()
        page.get_by_role("button", name="Undo").wait_for()
        page.goto("/sign-in")
        wait_until(lambda: status_of(service, service.reviews[0]) == "accepted")

    assert "Medicaid" in message


@pytest.mark.clause("009-D3")
def test_a_cut_text_is_the_text_again():
    """Whatever lies over what: marks over marks, over the edges of folds, beyond the end."""
    text = "abcdefghij\n" * 5
    marks = [
        Mark(start=start, stop=stop, number=number, colour=0, tag="x")
        for number, (start, stop) in enumerate([(0, 5), (3, 12), (3, 4), (20, 40), (50, 99)])
    ]
    folds = [
        Fold(start=8, stop=30, kind="quoted", unseen=False),
        Fold(start=22, stop=60, kind="own", unseen=True),
    ]
    blocks = cut_text(text, marks, folds)

    assert text == "".join(piece.text for block in blocks for piece in block.pieces)
    assert [None, "quoted", "own"] == [block.fold and block.fold.kind for block in blocks]
    assert [0, 1, 2, 3] == sorted(
        number for block in blocks for piece in block.pieces for number in piece.begins
    )
    under = [piece.text for block in blocks for piece in block.pieces for mark in piece.marks
             if mark.number == 1]  # fmt: skip
    assert text[3:12] == "".join(under)


@pytest.mark.clause("009-D3")
def test_the_nearest_place_shares_half_of_the_words_or_there_is_none():
    """The closest of several; nothing for a quote without words."""
    texts = [("subject", "Water"), ("body", "The pipe broke. There was much water in our cellar.")]

    assert ("body", 26, 50) == find_nearest("much water in a cellar", texts)
    assert None is find_nearest("nothing of the kind", texts)
    assert None is find_nearest("…", texts)


@pytest.mark.clause("009-D5")
def test_a_form_names_labels_and_quotes_where_the_contract_does():
    """The label set with its descriptions; a quote in its list."""
    form = form_of(tiny_pack().contract("triage"))
    fields = {each["key"]: each["node"] for each in form["fields"]}

    assert "label" == fields["label"]["kind"]
    assert [["water", "Water damage."], ["fire", "Fire damage."]] == fields["label"]["labels"]
    assert "quote" == fields["evidence_snippets"]["item"]["kind"]


@pytest.mark.clause("009-D5")
@pytest.mark.parametrize("name", ["intake", "grants", "services"])
def test_every_contract_of_the_bundled_packs_has_a_form(name):
    """Its root is an object with a field for each key that must be there."""
    pack: Pack = load_pack(name)
    for contract in pack.contracts.values():
        form = form_of(contract)
        required = set(contract.schema.document.get("required", ()))
        assert "object" == form["kind"]
        assert required <= {each["key"] for each in form["fields"]}


@pytest.mark.clause("009-D5")
def test_what_has_no_field_is_edited_as_json():
    """Several ways to read a value, keys that nobody names, a schema within itself."""
    schema = b"""{"type": "object", "$defs": {"tree": {"type": "object", "properties":
      {"child": {"$ref": "#/$defs/tree"}}}}, "properties": {"label": {"type": "string"},
      "evidence_snippets": {"type": "array", "items": {"type": "string"}},
      "either": {"anyOf": [{"type": "string"}, {"type": "number"}]},
      "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
      "open": {"type": "object"}, "tree": {"$ref": "#/$defs/tree"}}}"""
    files = FILES | {"contracts/triage.schema.json": schema}
    form = form_of(read_pack(files, name_hint="tiny").contract("triage"))
    kinds = {each["key"]: each["node"]["kind"] for each in form["fields"]}

    assert {"either": "json", "open": "json", "tree": "object", "maybe": "integer"}.items() <= (
        kinds.items()
    )


@pytest.mark.clause("009-D6")
def test_each_common_code_has_its_words_in_both_languages():
    """A code of a pack's own rule has those of its family; an unknown one its message."""
    for language in LANGUAGES:
        words = words_of(language)
        for code in ("evidence.not_found", "label.unknown", "schema.required", "json.invalid"):
            assert words.find(f"finding.{code}") == tell_finding(words, code)
        assert words.find("finding.rule.other") == tell_finding(words, "rule.mine", "m")
        assert words.find("finding.schema.other") == tell_finding(words, "schema.dependentRequired")
        assert "the message" == tell_finding(words, "own.code", "the message")
