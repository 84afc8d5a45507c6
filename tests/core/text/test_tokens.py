"""Token counts and prefixes that fit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.text.tokens import TOKENIZERS, count, count_more, prefix_within
from assay.errors import InputError

WORDS = [
    "a", "  ", " ", "\n", "\r\n", "   \n", "don't", "interna", "tional", "HelloWorld", "123456",
    "é", "ß", "日本語", "!!", "//", "😀", "\u0301", "\u00a0", "I'LL", "x'", "ly", "<|endoftext|>",
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("hello", 1), ("Ein Rohr ist gebrochen.", 6), ("   ", 1), ("12345", 2)],
)
def test_known_counts(text, tokens):
    """A few counts that the published tokenizer gives too."""
    assert tokens == count(text)


def test_any_length_is_counted():
    """A text of millions of characters, and one that is a single run of letters."""
    assert 800_001 == count("the quick brown fox " * 200_000)
    assert 125_000 == count("a" * 1_000_000)


def test_control_tokens_in_foreign_text_are_plain_text():
    """A mail that spells a control token is counted as what it is: several tokens."""
    assert 7 == count("<|endoftext|>")


def test_a_lone_surrogate_is_counted():
    """What cannot be encoded counts as the replacement character."""
    assert count("a\ufffdb") == count("a\ud800b")


def test_an_unknown_tokenizer_is_refused():
    """Its name is said, with those that are known."""
    with pytest.raises(InputError, match="p50k"):
        count("a", "p50k")


@given(
    st.sampled_from(TOKENIZERS),
    st.lists(st.sampled_from(WORDS) | st.text(max_size=3), max_size=12).map("".join),
    st.lists(st.sampled_from(WORDS), max_size=4).map("".join),
)
def test_what_comes_behind_is_counted_by_the_last_word_alone(tokenizer, text, more):
    """The count of two texts joined is that of the first and what the second adds."""
    whole = count(text + more, tokenizer)

    assert whole == count(text, tokenizer) + count_more(text, more, tokenizer)


def test_a_longer_prefix_may_be_fewer_tokens():
    """The longest prefix is taken, though a shorter one does not fit."""
    assert (2, 1) == (count("interna"), count("international"))
    assert 13 == prefix_within("international law", 1)


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@given(st.lists(st.sampled_from(WORDS), max_size=10).map("".join), st.integers(-1, 12))
def test_the_prefix_is_the_longest_that_fits(tokenizer, text, limit):
    """Against counting every prefix."""
    fitting = [
        length for length in range(len(text) + 1) if count(text[:length], tokenizer) <= limit
    ]

    assert max(fitting, default=0) == prefix_within(text, limit, tokenizer)


def test_a_prefix_of_a_long_text_fits_and_one_word_more_does_not():
    """Also where the whole is far over the limit, or has no word at all."""
    for text in ("the quick brown fox " * 5000, "abcdefg" * 5000, " " * 20_000 + "a"):
        length = prefix_within(text, 100)
        assert count(text[:length]) <= 100 < count(text[: length + 300])
