"""Content words and their stems."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.text.stems import ALGORITHMS, content_stems, content_words


@pytest.mark.clause("005-A1")
@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "The refunds are paid.", "a refund that was paid"),
        ("de", "Die Rückerstattungen", "eine Rückerstattung"),
        ("fr", "les remboursements de l’assurance", "un remboursement d'assurances"),
        ("es", "Las devoluciones", "una devolución"),
        ("it", "I rimborsi dell'assicurazione", "il rimborso di assicurazioni"),
        ("pt", "Os reembolsos", "um reembolso"),
        ("nl", "De terugbetalingen", "een terugbetaling"),
        ("ru", "страховые выплаты", "страховая выплата"),
        ("hi", "किताबें", "किताब"),
        (None, "Ｒｅｆｕｎｄ", "REF\u00adUND"),
    ],
)
def test_inflected_forms_have_one_stem(language, one, other):
    """Endings, grammar, width, case and characters that nobody sees make no difference."""
    assert content_stems(one, language) == content_stems(other, language) != frozenset()


@pytest.mark.clause("005-A1")
def test_words_that_turn_a_claim_round_are_content():
    """They are no grammar of which a line may have any amount."""
    text = "Never without only not no nie ohne nur nicht jamais sans nunca sin mai senza"

    assert set(text.casefold().split()) == set(content_words(text))
    for language in ("en", "de", "fr", "es", "it", "pt", "nl"):
        assert len(content_stems("never not nicht nie jamais nunca sin mai", language)) == 8


@pytest.mark.clause("005-A1")
@pytest.mark.parametrize("text", ["払い戻し", "退款不予支付", "ไม่มีการคืนเงิน", "មិនសង", "ပြန်မပေးပါ"])
def test_scripts_without_spaces_give_pairs(text):
    """Each pair of neighbours is one."""
    assert {text[at : at + 2] for at in range(len(text) - 1)} <= content_stems(text)


def test_numbers_are_no_words():
    """What holds letters is one."""
    assert ["a4", "b"] == [*content_words("14 a4 2.5 １２ b")]


@given(st.text(max_size=60), st.sampled_from([None, "xx", *ALGORITHMS]))
def test_any_text_has_stems(text, language):
    """No text raises, and no stem holds white space."""
    assert not any(char.isspace() for stem in content_stems(text, language) for char in stem)
