"""Words and their stems, as captions, support and negation read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.answers.gate.captions import CaptionWords
from assay.answers.gate.content_words import STEMMERS, plain_words, stem

TURNING = [
    *("never", "not", "without", "only", "nicht", "nie", "ohne", "nur", "jamais", "sans", "nunca"),
    *("sin", "mai", "senza"),
]
UNSPACED = [
    *("払い戻し", "退款不予支付", "ไม่มีการคืนเงิน", "មិនសង", "ပြန်မပေးပါ", "환불은"),
]


@pytest.mark.clause("005-A1", "005-A2")
@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "refunds", "refund"),
        ("de", "Rückerstattungen", "Rückerstattung"),
        ("fr", "remboursements", "remboursement"),
        ("es", "devoluciones", "devolución"),
        ("it", "rimborsi", "rimborso"),
        ("pt", "reembolsos", "reembolso"),
        ("nl", "terugbetalingen", "terugbetaling"),
        ("ru", "страховые", "страховая"),
        ("hi", "किताबें", "किताब"),
        (None, "Ｒｅｆｕｎｄ", "REF\u00adUND"),
    ],
)
def test_inflected_forms_have_one_stem(language, one, other):
    """Endings, width, case and characters that nobody sees make no difference."""
    [[first], [second]] = ([*plain_words(word)] for word in (one, other))

    assert stem(first, language) == stem(second, language)


@pytest.mark.clause("005-A1")
@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "it", "pt", "nl"])
@pytest.mark.parametrize(
    "word",
    [
        "never",
        "not",
        "without",
        "only",
        "nicht",
        "nie",
        "ohne",
        "nur",
        "jamais",
        "sans",
        "nunca",
        "sin",
        "mai",
        "senza",
    ],
)
def test_words_that_turn_a_claim_round_are_no_grammar(language, word):
    """No caption has them, unless what it cites has them too."""
    words = CaptionWords(question="Fees", languages=(language,))

    assert words.claims_nothing("Fees", [])
    assert not words.claims_nothing(f"{word} fees", [])


@pytest.mark.clause("005-A1")
@pytest.mark.parametrize("text", UNSPACED)
def test_scripts_without_spaces_give_pairs(text):
    """Each pair of neighbours is one."""
    assert [text[at : at + 2] for at in range(len(text) - 1)] == [*plain_words(text)]


@pytest.mark.parametrize(
    ("text", "words"),
    [("14 a4 2.5 １２ b", ["a4", "b"]), ("Don't re-use", ["don", "t", "re", "use"])],
)
def test_numbers_are_no_words_and_joints_part_them(text, words):
    """What holds letters is one."""
    assert words == [*plain_words(text)]


@given(st.text(max_size=60), st.sampled_from([None, "xx", *STEMMERS]))
def test_any_text_has_stems(text, language):
    """No text raises, and no stem holds white space."""
    stems = [stem(word, language) for word in plain_words(text)]

    assert not any(char.isspace() for found in stems for char in found)
