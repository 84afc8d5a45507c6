"""What was cut and what was missed, as a person or a program meets it at the command line."""

from __future__ import annotations

import json

import pytest

from tests.command import assay
from tests.runtime.tiny import FILES, GOOD, script, write_pack

STORE = ("--store", "sqlite:///a.db")
LONG = "There is water in the cellar. " + "It rains and rains here. " * 120


@pytest.fixture
def place(tmp_path):
    """A pack that holds what was cut, and a text that does not fit."""
    write_pack(
        tmp_path / "pack", FILES | {"pack.yaml": FILES["pack.yaml"] + b"shortened: review\n"}
    )
    (tmp_path / "a.txt").write_text(LONG, encoding="utf-8")
    script(tmp_path, GOOD, name="s.jsonl")
    return tmp_path


RUN = ("run", "pack", "a.txt", "--model", "scripted:s.jsonl", *STORE)


@pytest.mark.clause("005-M10")
@pytest.mark.parametrize("model", ["extractive", "scripted"])
def test_a_threat_in_the_tail_of_a_long_mail_ends_in_review(tmp_path, cases, model):
    """No attempt shows it; the mail is held, and program and person see how much was cut."""
    mail = cases / "reports" / "mail" / "threat-in-the-tail.eml"
    label = {"confidence": 0.9, "evidence_snippets": ["my roof was damaged by the storm"]}
    classify = {
        "intents": [{"label": "INTENT_CLAIM_NEW", **label}],
        "primary_intent": "INTENT_CLAIM_NEW",
        "product_line": {"label": "PROD_PROPERTY", **label},
        "urgency": {"label": "URG_NORMAL", **label},
        "risk_flags": [],
    }
    replies = [classify, {"entities": []}, {"keys": []}]
    script(tmp_path, *map(json.dumps, replies), name="s.jsonl")
    asked = "extractive" if model == "extractive" else "scripted:s.jsonl"
    words = ("run", "intake", str(mail), "--model", asked, *STORE)
    first, again = assay(tmp_path, *words, "--json", "--strict"), assay(tmp_path, *words, "--json")
    table = assay(tmp_path, *words)

    (line,) = first.documents
    assert 30 == first.code, first.err
    assert ("needs_review", "input.shortened") == (line["outcome"], line["reason"])
    assert line["shortened"]["own_words"]
    assert str(line["shortened"]["omitted_chars"]) in line["detail"]
    assert "INTENT_CLAIM_NEW" == line["result"]["classification"]["primary_intent"]["label"]
    assert first.documents == again.documents
    assert "own words" in table.raw.decode()


@pytest.mark.clause("005-M10")
def test_the_review_of_a_cut_input_is_shown_and_accepted_as_it_is(place):
    """The case says what was cut; to let the results stand nothing has to be handed in."""
    assay(place, *RUN)
    (review,) = assay(place, "review", "list", *STORE, "--json").document["reviews"]
    shown = assay(place, "review", "show", review["id"], *STORE, "--json").document
    drawn = assay(place, "review", "show", review["id"], *STORE).raw.decode()
    taken = assay(
        place, "review", "decide", review["id"], "--accept", "--reason", "weather", *STORE, "--json"
    )

    assert shown["shortened"]["own_words"]
    assert ["own"] == [part["kind"] for part in shown["omitted"]]
    assert shown["detail"].endswith("did not fit the prompt.")
    assert "not shown to the model (own): text" in drawn
    assert "accepted" == taken.document["review"]["status"]
    assert ["accepted"] == [line["outcome"] for line in assay(place, *RUN, "--json").documents]


def test_any_other_review_is_accepted_with_an_output_only(place):
    """Only the results of a shortened input can stand as they are: elsewhere there are none."""
    script(place, "{}", "{}", name="s.jsonl")
    assay(place, *RUN)
    (review,) = assay(place, "review", "list", *STORE, "--json").document["reviews"]
    done = assay(place, "review", "decide", review["id"], "--accept", "--reason", "x", *STORE)

    assert "gate.rejected" == review["reason"]
    assert 2 == done.code
    assert "--output" in done.err


@pytest.mark.clause("005-M11")
def test_the_model_without_a_model_names_the_signs(tmp_path):
    """`extractive` reads the same table, so that its replies pass over none."""
    mail = (
        "From: a@b.example\nSubject: Ablehnung\nContent-Type: text/plain; charset=utf-8\n\n"
        "Guten Tag, seit Ihrer Ablehnung habe ich nichts mehr. Ich will nicht mehr leben.\n"
    )
    (tmp_path / "a.eml").write_text(mail, encoding="utf-8")
    (line,) = assay(
        tmp_path, "run", "intake", "a.eml", "--model", "extractive", *STORE, "--json"
    ).documents
    flags = line["result"]["classification"]["risk_flags"]

    assert "accepted" == line["outcome"]
    assert ["RISK_SELF_HARM_THREAT"] == [flag["label"] for flag in flags]
    assert "Ich will nicht mehr leben." == flags[0]["evidence"][0]["snippet_redacted"]
