"""Which part of a chunk carries a sentence of an answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.answers.assemble import assemble, validate
from assay.answers.gate.carried import CarryingSpans, carrying_spans
from assay.answers.gate.citations import markers, read_sentences
from assay.core.text.sentences import sentences
from tests.answers.bundles import bundle, chunk, policy

RULES = (
    "# House rules\n\nThe house opens at 9. A yearly card costs 40 EUR. Dogs must be kept on a "
    "lead. It is due on 5 March 2024.\n\n- Bicycles stand in the yard.\n- Guests pay 3 EUR a night."
)
GERMAN = "Der Hof ist abends geschlossen. Die Jahresgebühr beträgt 40 EUR. Hunde sind anzuleinen."
JAPANESE = "営業時間は九時からです。年会費は4000円です。犬は入れません。"
ROWS = "Zone: A; Price: 12 EUR; Valid: 2 hours.\nZone: B; Price: 18 EUR; Valid: 3 hours."


def carried(claim, text):
    span = CarryingSpans({"C0": text}).find(claim, "C0")
    return None if span is None else text[span.start : span.stop]


@pytest.mark.clause("008-A4")
@pytest.mark.parametrize(
    ("claim", "text", "expected"),
    [
        ("For one year the card is 40 EUR.", RULES, "A yearly card costs 40 EUR."),
        ("Keep your dog on a lead.", RULES, "Dogs must be kept on a lead."),
        ("A guest owes 3 EUR for each night.", RULES, "- Guests pay 3 EUR a night."),
        ("You may put your bicycle in the yard.", RULES, "- Bicycles stand in the yard."),
        ("Im Jahr sind 40 EUR Gebühr zu zahlen.", GERMAN, "Die Jahresgebühr beträgt 40 EUR."),
        ("年会費は4000円。", JAPANESE, "年会費は4000円です。"),
        ("A ticket of zone B costs 18 EUR.", ROWS, "Zone: B; Price: 18 EUR; Valid: 3 hours."),
        ("The moon is a cheese.", "Berlin liegt an der Spree.", None),
    ],
)
def test_the_sentence_that_carries_a_claim_is_found(claim, text, expected):
    """Stems, numbers and pairs of characters tell it from its neighbours."""
    assert expected == carried(claim, text)


@pytest.mark.clause("008-A4")
def test_two_sentences_carry_what_neither_does_alone():
    """A date in the sentence behind belongs to the claim; a common word there does not."""
    text = "A card for the year costs 40 EUR. It is due on 5 March 2024. The card is blue."

    assert "A card for the year costs 40 EUR. It is due on 5 March 2024." == carried(
        "The card costs 40 EUR a year, due on 5 March 2024.", text
    )
    assert "A card for the year costs 40 EUR." == carried("A card costs 40 EUR a year.", text)


@pytest.mark.clause("008-A4")
def test_each_marker_has_a_span_of_its_own():
    """Two markers of one sentence answer for their parts; behind one part, for the whole of it."""
    texts = {"C0": RULES, "C1": "Pensioners pay half. The card is blue."}
    answer = "The card costs 40 EUR [C0] and is blue [C1]. Dogs are kept on a lead [C0][C1]."
    found = markers(answer)

    spans = carrying_spans(answer, found, read_sentences(answer, found), texts)

    assert [
        "A yearly card costs 40 EUR.",
        "The card is blue.",
        "Dogs must be kept on a lead.",
        None,
    ] == [
        None if span is None else texts[marker.anchor][span.start : span.stop]
        for marker, span in zip(found, spans, strict=True)
    ]


@pytest.mark.clause("008-A4")
def test_every_validated_citation_has_its_span():
    """What `validate` says of a marker holds for the answer of any model, and for its document."""
    assembly = assemble(bundle(chunk(0, RULES)), "What does a card cost?", policy())
    answer = "The yearly card is 40 EUR [C0]. Dogs must be on a lead [C0]."

    for form in (assembly, assembly.to_dict()):
        told = validate(form, answer).validated_citations
        shown = assembly.answer_bundle.selected_evidence[0].sanitized_text
        assert ["A yearly card costs 40 EUR.", "Dogs must be kept on a lead."] == [
            shown[each["span"]["start"] : each["span"]["stop"]] for each in told
        ]


@pytest.mark.clause("008-A4")
@given(st.integers(0, 6), st.sampled_from([RULES, GERMAN, JAPANESE, ROWS]))
def test_a_copied_sentence_is_its_own_span(number, text):
    """Whatever else the chunk holds."""
    spans = sentences(text)
    start, stop = spans[number % len(spans)]

    assert text[start:stop] == carried(" ".join(text[start:stop].split()), text)


@pytest.mark.clause("008-A4")
@given(st.text(max_size=200), st.text(max_size=300))
def test_a_span_lies_within_its_chunk(claim, text):
    """Whatever the texts are; asked twice, it is the same."""
    span = CarryingSpans({"C0": text}).find(claim, "C0")

    assert span is None or 0 <= span.start < span.stop <= len(text)
    assert span == CarryingSpans({"C0": text}).find(claim, "C0")
