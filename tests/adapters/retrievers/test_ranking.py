"""Words, reciprocal ranks and the probability that a passage answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.retrievers.ranking import fuse, put_likely_first, similarity
from assay.adapters.retrievers.terms import passage_terms, question_terms

orders = st.lists(st.integers(0, 30), unique=True, max_size=12)


@pytest.mark.clause("008-R1")
@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Which fees are due?", "The fee is due."),
        ("Wie hoch sind die Gebühren?", "Die Gebühr beträgt 5 Euro."),
        ("What does max_retry_count mean?", "maxRetryCount: how often it is tried"),
        ("the retry count", "def set(self, max_retry_count): ..."),
        ("HTTPServer", "an http server"),
        ("払い戻しの期限", "払い戻しは14日以内です。"),
        ("article 14", "§ 14 Pets"),
    ],
)
def test_a_question_meets_a_passage_by_stems_parts_and_pairs(question, text):
    """Inflected, joined or split, in scripts with and without spaces, and by its numbers."""
    assert set(question_terms(question)) & set(passage_terms(text))


@pytest.mark.clause("008-R1")
def test_small_words_do_not_make_a_passage_found():
    """What any text holds tells none from another."""
    assert not set(question_terms("What is it for?")) & set(passage_terms("It is for all."))


@pytest.mark.clause("008-R2")
@given(orders, orders)
def test_what_both_ways_prefer_comes_first(one, other):
    """All of both orders, each once; what stands before another in both stands before it."""
    fused = fuse(one, other)

    assert sorted({*one, *other}) == sorted(fused)
    for first in one:
        for second in one[one.index(first) + 1 :]:
            if first in other and second in other and other.index(first) < other.index(second):
                assert fused.index(first) < fused.index(second)


@pytest.mark.clause("008-R3")
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_a_first_place_that_would_be_stopped_gives_way_to_the_likeliest(likely):
    """A likely first place stays; the others keep their order."""
    order = put_likely_first(range(len(likely)), likely)

    assert sorted(order) == [*range(len(likely))]
    assert likely[order[0]] >= 0.5 or likely[order[0]] == max(likely)
    assert order[1:] == sorted(order[1:])
    if likely[0] >= 0.5:
        assert 0 == order[0]


@pytest.mark.clause("008-R3")
def test_words_of_a_passage_in_another_language_are_not_missed():
    """It is weighed by its meaning; a chance word takes nothing away, and none is needed."""
    there = similarity(0.0, 0.35, other_language=True, passages=20)

    assert there > similarity(0.0, 0.35, passages=20)
    assert similarity(0.1, 0.35, other_language=True, passages=20) == there


@pytest.mark.clause("008-R3")
@given(st.floats(0, 1), st.floats(-1, 1), st.integers(1, 10**6), st.integers(1, 10**6))
def test_the_best_of_many_must_be_nearer_than_the_best_of_few(covered, cosine, one, other):
    """By chance alone the nearest of many is near."""
    few, many = sorted((one, other))

    assert similarity(covered, cosine, passages=few) >= similarity(covered, cosine, passages=many)
