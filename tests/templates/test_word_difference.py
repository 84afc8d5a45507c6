"""Two texts side by side, word by word."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.templates.word_difference import align_rows, compare_words, pick_side

TEXTS = st.lists(st.sampled_from(["a", "red ", "\n", "pipe", "\r\n", " ", "ß", "\u2028", "."])).map(
    "".join
) | st.text(max_size=60)


def sides(before, after):
    pieces = compare_words(before, after)
    return [
        "".join(piece.text for piece in pick_side(pieces, side)) for side in ("before", "after")
    ]


@given(TEXTS, TEXTS)
def test_the_sides_put_together_are_the_texts(before, after):
    """Nothing of either text is lost, whatever it holds."""
    assert [before, after] == sides(before, after)


@given(TEXTS, TEXTS)
def test_pieces_are_never_empty_and_never_of_the_kind_before(before, after):
    """Two neighbours of one kind would be one piece."""
    pieces = compare_words(before, after)

    assert all(piece.text for piece in pieces)
    assert all(one.change != other.change for one, other in itertools.pairwise(pieces))


@given(TEXTS, TEXTS)
def test_rows_put_together_are_the_texts_too(before, after):
    """A row that is marked the same is the same on both sides."""
    rows = align_rows(compare_words(before, after))

    assert before == "".join(piece.text for row in rows for piece in row.before)
    assert after == "".join(piece.text for row in rows for piece in row.after)
    for row in rows:
        whole = ["".join(piece.text for piece in side) for side in (row.before, row.after)]
        assert not row.same or whole[0] == whole[1]


@given(TEXTS)
def test_a_text_does_not_differ_from_itself(text):
    """One piece, or none where the text is empty."""
    assert [("same", text)][: bool(text)] == [
        (piece.change, piece.text) for piece in compare_words(text, text)
    ]


def test_only_the_words_that_changed_are_marked():
    """Not their line, and not the space around them."""
    pieces = compare_words(
        "Say it.\nAnswer in one line.\nEnd.\n", "Say it.\nAnswer in two.\nEnd.\n"
    )

    assert [
        ("same", "Say it.\nAnswer in "),
        ("removed", "one line"),
        ("added", "two"),
        ("same", ".\nEnd.\n"),
    ] == [(piece.change, piece.text) for piece in pieces]


@pytest.mark.parametrize("unit", ["word ", "x\n", "a" * 50 + " "])
def test_long_texts_are_told_whole_where_they_are_too_much_to_compare(unit):
    """A text of a megabyte costs no minute, and both sides are still whole."""
    before, after = unit * 40_000, f"new {unit}" * 30_000

    assert [before, after] == sides(before, after)
