"""safe_normalize_v1 and its kin."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.answers.evidence.sanitize import (
    MAX_REFERENCE_CHARS,
    has_controls,
    normalize_question,
    safe_normalize_v1,
    source_reference,
)


@pytest.mark.clause("004-Z1", "004-P7")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\x00b\x07c\x7f\x85d", "abcd"),
        ("a\u200bb\u2060c\ufeffd\u00ade", "abcde"),
        ("a\u061cb\u200ec\u200fd\u202ae\u202ef\u2066g\u2069", "abcdefg"),
        ("a\u200cb\u200dc", "a\u200cb\u200dc"),
        ("a \t  b\tc", "a b c"),
        ("a\n\n\n\nb\n\nc", "a\n\nb\n\nc"),
        ("  \n a b \n ", "a b"),
        ("a\u00a0b – “c” Ä", "a\u00a0b – “c” Ä"),
        ("\x00\u200b \n", ""),
        ("a\n \n \nb", "a\n \n \nb"),
    ],
)
def test_only_what_is_pinned_is_removed(text, expected):
    """Controls, invisible marks and superfluous white space go; every word stays."""
    assert expected == safe_normalize_v1(text)


PLAIN = st.text(
    alphabet=st.sampled_from("ab\r\n\t \x00\u200b\u200d\u202e\u00a0\u2028é。"), max_size=40
)


@given(PLAIN)
def test_twice_is_once(text):
    """Sanitising is idempotent, trimmed, and leaves nothing that it removes."""
    once = safe_normalize_v1(text)

    assert once == safe_normalize_v1(once) == once.strip()
    assert not set(once) & set("\r\t\x00\u200b\u202e")
    assert "  " not in once
    assert "\n\n\n" not in once


@given(st.text(max_size=60))
def test_words_survive(text):
    """Visible characters stay in their order, each once."""

    def visible(value: str) -> list[str]:
        return [char for char in value if char.isprintable() and not char.isspace()]

    assert visible(text) == visible(safe_normalize_v1(text))


@pytest.mark.clause("004-B2")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  How  much?\r\n", "How much?"),
        ("a\u2028b\x0bc\x85d", "a\nb\nc\nd"),
        ("a\u200bb\u202ec", "a\u200bb\u202ec"),
        ("What is {{user_question}}?", "What is {{user_question}}?"),
    ],
)
def test_a_question_keeps_all_but_its_white_space(text, expected):
    """Nothing that can be read differently is touched."""
    assert expected == normalize_question(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, "unknown"),
        (" ", "unknown"),
        ("Fees 2024", "Fees 2024"),
        ("a]\n[b|c\u202e\x00\t", "a___b_c___"),
        ("x" * 1000, "x" * (MAX_REFERENCE_CHARS - 1) + "…"),
    ],
)
def test_source_references_cannot_break_their_line(text, expected):
    """Brackets, bars, line breaks and controls become `_`; the length is bounded."""
    assert expected == source_reference(text)


def test_controls_are_seen():
    """What an id may not hold."""
    assert [False, True, True, True] == [
        has_controls(text) for text in ("doc/1#2 é", "a\nb", "a\u200bb", "a\u2029b")
    ]
