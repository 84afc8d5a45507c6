"""Near-duplicates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.answers.evidence.near_duplicates import Compared, grams, ratio, words


def test_words_are_folded():
    """Case and signs do not make words differ."""
    assert ["the", "fee_2", "strasse", "is", "due"] == words("The FEE_2, Straße: is—due!")


def test_short_texts_compare_by_words():
    """A text of fewer than five words has its words for grams; one without words itself."""
    assert {("b",), ("a",)} == grams("A b")
    assert 1.0 == ratio("a b", "B, a")
    assert {("!?",)} == grams("!?")


@pytest.mark.clause("004-S4")
def test_the_smaller_set_counts():
    """A text within a longer one is its repeat."""
    short = "one two three four five six"

    assert 1.0 == ratio(short, f"before {short} after and more")
    assert 0.5 == ratio("a b c d e f", "a b c d e g")


WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e5"]), max_size=14).map(" ".join)


@given(st.lists(WORDS, max_size=14), st.sampled_from([0.3, 0.5, 0.8, 1.0]))
def test_the_index_finds_what_comparing_all_pairs_finds(texts, threshold):
    """Looking up shared grams decides as comparing every pair does."""
    kept: list[str] = []
    expected = []
    for text in texts:
        new = not any(ratio(text, other) >= threshold for other in kept)
        expected.append(new)
        if new:
            kept.append(text)
    found = Compared(threshold)

    assert expected == [found.keep(text) for text in texts]


def test_boilerplate_leads_nowhere():
    """Many texts that share an opening are no repeats, and a repeat among them is found."""
    opening = "All offices of the county are open on working days from eight to noon"
    texts = [f"{opening} {' '.join(f'w{n}x{i}' for i in range(40))}" for n in range(80)]
    kept = Compared(0.8)

    assert [True] * 80 == [kept.keep(text) for text in texts]
    assert not kept.keep(texts[71] + " end")
