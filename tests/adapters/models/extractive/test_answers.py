"""What `extractive` quotes, and when it refuses; by words alone, so that it runs everywhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.extractive.answer import answer
from assay.adapters.models.extractive.answers.question import read_question
from assay.adapters.models.extractive.answers.quotable import quotables
from assay.answers.assemble import REFUSAL, assemble, validate
from tests.answers.bundles import bundle, chunk, policy

FEES = """# Parking

| Zone | Price | Valid |
|------|-------|-------|
| A | 12 EUR | 2 hours |
| B | 18 EUR | 3 hours |

Who pays nothing?
Residents with a badge pay nothing. They show the badge at the gate.

For a badge you need:

- a passport
- proof of your address in the town, not older than three months
"""
JAPANESE = "## 図書館\n\n営業時間は九時からです。年会費は4000円です。犬は入れません。"
CHINESE = "退款将在七天内处理。现金不报销。申请须在五月提交。"


def ask(question, *texts, most=1):
    """What the baseline answers from these passages, without vectors."""
    evidence = [(f"C{place}", text) for place, text in enumerate(texts)]
    return answer(question, evidence, REFUSAL, None, most)


@pytest.mark.clause("008-A1")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| Zone | Fee |\n|---|---|\n| A | 5 EUR |\n| B | |", ["Zone: A; Fee: 5 EUR.", "Zone: B."]),
        ("zone;fee\nA;5 EUR\nB;7 EUR", ["zone: A; fee: 5 EUR.", "zone: B; fee: 7 EUR."]),
        ("name,city,age\nBob,Rome,12\nAnn,Oslo,13", ["name: Bob; city: Rome; age: 12.", ...]),
        ("Zone: A; Price: 12 EUR.\nZone: B; Price: 18 EUR.", ["Zone: A; Price: 12 EUR.", ...]),
        ("You need:\n- a passport\n- a photo", ["You need: a passport", "You need: a photo", ...]),
        ("Term\n: The period of the contract.", ["Term: The period of the contract."]),
        ("Opening hours\nMonday to Friday 9 to 17", ["Monday to Friday 9 to 17"]),
        ("# Fees\n\nWho pays?\n\nResidents pay.", ["Residents pay."]),
        ("営業時間は九時からです。年会費は4000円です。", ["営業時間は九時からです。", ...]),
    ],
)
def test_what_can_be_quoted_of_a_passage(text, expected):
    """Rows with their columns, items with their introduction; no heading and no question."""
    found = [piece.text for piece in quotables(text)]

    assert len(expected) == len(found)
    assert all(want in (..., got) for want, got in zip(expected, found, strict=True))


@pytest.mark.clause("008-A1")
def test_a_list_can_be_quoted_as_a_whole_under_its_introduction():
    """Each line has its own marker in the answer."""
    whole = [piece.lines for piece in quotables(FEES) if len(piece.lines) > 1]

    assert [
        (
            "For a badge you need:",
            "- a passport",
            "- proof of your address in the town, not older than three months",
        )
    ] == whole


@pytest.mark.clause("008-A1", "008-A2")
@pytest.mark.parametrize(
    ("question", "texts", "expected"),
    [
        ("What is the price in zone B?", [FEES], "Zone: B; Price: 18 EUR; Valid: 3 hours. [C0]"),
        ("Who pays nothing?", [FEES], "Residents with a badge pay nothing. [C0]"),
        ("年会費はいくらですか。", [JAPANESE], "年会費は4000円です。 [C0]"),
        ("退款什么时候处理?", [CHINESE], "退款将在七天内处理。 [C0]"),
        (
            "How much is the yearly fee?",
            ["The yearly fee is a good thing.", "The yearly fee is 40 EUR."],
            "The yearly fee is 40 EUR. [C1]",
        ),
        (
            "Wann öffnet die Bibliothek?",
            ["Die Bibliothek öffnet um 9 Uhr. Die Bibliothek öffnet ihre Türen allen."],
            "Die Bibliothek öffnet um 9 Uhr. [C0]",
        ),
    ],
)
def test_the_piece_that_answers_is_quoted(question, texts, expected):
    """And not its neighbour, which has the words too."""
    assert expected == ask(question, *texts)


@pytest.mark.clause("008-A2")
def test_a_sentence_that_points_back_is_quoted_with_the_one_before():
    """`It costs …` alone says nothing."""
    text = "# Cards\n\nThe reading card is for adults. It costs 25 EUR a year."

    assert "The reading card is for adults. [C0]\nIt costs 25 EUR a year. [C0]" == ask(
        "How much does the reading card cost a year?", text
    )


@pytest.mark.clause("008-A3")
@pytest.mark.parametrize(
    "question",
    [
        "What is the price in zone K17?",
        "Who is the mayor of Lisbon?",
        "How much is the fine for smoking in the library?",
        "Wie heißt der Bürgermeister von Hamburg?",
        "?",
        "",
    ],
)
def test_what_the_evidence_does_not_say_is_refused(question):
    """Near questions too: a name, a code or the subject is not there."""
    assert REFUSAL == ask(question, FEES, "The yearly fee is 40 EUR. It is due in March.")


@pytest.mark.clause("008-A1")
@given(
    st.sampled_from([FEES, JAPANESE, CHINESE, "zone;fee\nA;5 EUR\nB;7 EUR", "x. [C1] y. [c2"])
    | st.text(max_size=200),
    st.sampled_from(["What is the price in zone B?", "年会費はいくらですか。", "Who pays nothing?"])
    | st.text(max_size=40),
)
def test_whatever_is_answered_passes_the_validator(text, question):
    """Of any passage and any question; equal inputs give equal answers."""
    assembly = assemble(bundle(chunk(0, text)), question, policy(max_chunk_token_ratio=1.0))
    if assembly.status != "OK":
        return
    evidence = [
        (each.citation_anchor, each.sanitized_text)
        for each in assembly.answer_bundle.selected_evidence
    ]
    reply = answer(assembly.question, evidence, REFUSAL, None)

    assert validate(assembly, reply).accepted
    assert reply == answer(assembly.question, evidence, REFUSAL, None)


@pytest.mark.clause("008-A2")
@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When is it due?", "time"),
        ("Wie hoch ist die Gebühr?", "number"),
        ("Combien coûte la carte ?", "number"),
        ("¿Dónde está la oficina?", "place"),
        ("Chi paga?", "person"),
        ("Hoe lang duurt het?", "number"),
        ("いつですか。", "time"),
        ("What is the phone number?", "contact"),
    ],
)
def test_a_question_says_which_kind_of_answer_it_wants(question, kind):
    """By its question word, in several languages."""
    assert kind in read_question(question).kinds
