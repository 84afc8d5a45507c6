"""What an answer must not say about itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.answers.gate.commentary import check_commentary, check_metadata, refusal_place

IDS = ("doc-12#3", "KB7", "42", "fees", "é|x")
REFUSAL = (
    "NO_EVIDENCE: The provided evidence does not contain sufficient information to answer "
    "this question."
)


@pytest.mark.clause("004-P10")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See doc-12#3 [C0].", ["doc-12#3"]),
        ("See DOC-12#3 and kb7.", ["DOC-12#3", "kb7"]),
        ("It costs 42 EUR, not 420.", ["42"]),
        ("The fees rose; Fees rose.", ["fees"]),
        ("xdoc-12#34 KB70 fees_2 feesx", []),
        ("[C42] is a marker.", []),
        ("chunk_id=x and Knowledge ID", ["chunk_id", "Knowledge ID"]),
        ("é|x", ["é|x"]),
    ],
)
def test_ids_are_seen_as_whole_words(text, expected):
    """An id of letters alone counts as spelt, any other in every case; markers are no ids."""
    assert expected == sorted(
        (text[item.start : item.stop] for item in check_metadata(text, IDS)), key=text.index
    )


META = [
    "Evidence shows it.",
    "According to the provided context, it is 40.",
    "The sources do not say so.",
    "Based on the sources, it is 40.",
    "It is 40, as the given passages state.",
    "The information provided says so.",
    "As an AI, I think so.",
    "My instructions forbid it.",
    "The prompt says 40.",
    "I cannot answer that.",
    "Laut den bereitgestellten Quellen sind es 40.",
    "Im Prompt steht es.",
    "Als KI weiß ich es.",
    "Según el contexto proporcionado, son 40.",
    "Como modelo de lenguaje, lo sé.",
    "Laut Kontext sind es 40.",
    "Gemäß Kontext sind es 40.",
]
TRACES = [
    "<think>It says 40.</think>",
    "<Reasoning>",
    "<|im_start|>",
    "Let's think step by step.",
    "Let me think about it.",
    "Okay, so the user is asking about fees.",
    "First, I need to find the fee.",
    "Reasoning: the text says 40.",
    "**Final answer:** 40",
    "Denken wir Schritt für Schritt nach.",
    "Lass mich kurz überlegen.",
    "Pensemos paso a paso.",
    "Razonamiento: son 40.",
]
FINE = [
    "There is clinical evidence for it.",
    "Der Kontext der Regel ist klar; nach Quellen wird gefragt.",
    "The following documents are required.",
    "In this context the fee is 40.",
    "Energy sources and the source of the river differ.",
    "Submit the documents provided by your employer.",
    "According to the sources of the law, it is so.",
    "Follow these instructions step by step.",
    "The user guide has ten pages.",
    "Los documentos son necesarios.",
    "Die Quellen des Flusses liegen hoch.",
    "A prompt payment is due; the prompt reply came.",
    "Think of the fee.",
]


@pytest.mark.clause("004-P10")
@pytest.mark.parametrize("text", META)
def test_talk_of_the_sources_is_meta_commentary(text):
    """Prompt, context, sources and system, in three languages."""
    assert {"answer.meta_commentary"} == {item.code for item in check_commentary(text)}


@pytest.mark.clause("004-P10")
@pytest.mark.parametrize("text", TRACES)
def test_reasoning_is_seen(text):
    """Tags, phrases and labels of thinking aloud, in three languages."""
    assert "answer.reasoning_trace" in {item.code for item in check_commentary(text)}


@pytest.mark.parametrize("text", FINE)
def test_words_of_the_subject_are_no_commentary(text):
    """The same words mean other things in other phrases."""
    assert [] == list(check_commentary(text))


@pytest.mark.clause("004-V5")
@pytest.mark.parametrize(
    "text",
    [
        REFUSAL + " Sorry.",
        "Sorry. " + REFUSAL,
        REFUSAL.lower(),
        REFUSAL.removesuffix("."),
        REFUSAL.replace("_", " "),
        REFUSAL.replace(" ", "  "),
        REFUSAL.removeprefix("NO_EVIDENCE: "),
        "**" + REFUSAL + "**",
        "NO_EVIDENCE: nothing is known.",
        "no_evidence [C0].",
        "It is 40 [C0]. NO_EVIDENCE",
    ],
)
def test_a_refusal_in_other_words_is_seen(text):
    """The string with anything changed or added."""
    assert refusal_place(text, REFUSAL)


@pytest.mark.parametrize(
    "text", ["There is no evidence of that.", "Set no_evidence_flag.", "It is 40.", ""]
)
def test_other_answers_are_no_refusals(text):
    """The words alone do not refuse."""
    assert refusal_place(text, REFUSAL) is None


@given(st.text(max_size=80))
def test_any_text_is_taken(text):
    """No text raises, and places lie within it."""
    for item in (*check_commentary(text), *check_metadata(text, IDS)):
        assert 0 <= item.start < item.stop <= len(text)
