"""The folded view and the way back."""

from __future__ import annotations

from unicodedata import combining, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.text import folding
from assay.core.text.folding import fold, fold_text, marks_in_order

PIECES = [
    *"ab <",
    *"\u0301\u0323e\u00e9\u00fc\u00df",
    *"\u00ad\u200b\u200d\ufeff",
    *"\t\n\u00a0\u2003",
    *"\u2013\u2019\u201c\u00ab",
    *"\u1100\u1161\u11a8\uac00\u09c7\u09be\u09d7",
    *"\u212b\u0344\u0f73\u0958\u0338\u2000",
    "\U0001d15e",
    "\U0001f600",
]
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(max_size=30)


def _by_hand(text):
    """The folded view, step by step as it is described."""
    bare = "".join(char for char in text if char not in folding.REMOVED)
    composed = normalize("NFC", bare)
    plain = "".join(folding.EVIDENCE.replaced.get(ord(char), char) for char in composed)
    while "  " in plain:
        plain = plain.replace("  ", " ")
    return plain


@pytest.mark.parametrize(
    ("text", "view"),
    [
        ("", ""),
        ("plain", "plain"),
        ("a \t\r\n b", "a b"),
        ("a\u00a0\u2009b", "a b"),
        ("\u201ea\u201c \u2018b\u2019 \u00abc\u00bb", '"a" \'b\' "c"'),
        ("1\u20132\u20143\u20124\u22125", "1-2-3-4-5"),
        ("Ver\u00adsi\u200bche\u2060rung\ufeff", "Versicherung"),
        ("Ku\u0308che", "Küche"),
        ("u\u200b\u0308", "ü"),
        ("a \u200b b", "a b"),
        ("STRASSE stra\u00dfe", "STRASSE straße"),
        ("\ufb01", "\ufb01"),
    ],
)
def test_what_is_folded(text, view):
    """Composition, white space, quotes, dashes and invisible characters; case is kept, and so
    is what only looks alike."""
    assert view == fold(text).text
    assert view == fold_text(text)


@given(texts)
def test_the_view_is_the_one_described(text):
    """Against the description, carried out step by step."""
    assert _by_hand(text) == fold(text).text == fold_text(text)


@given(texts)
def test_folding_twice_changes_nothing(text):
    """A folded text is its own view."""
    assert fold_text(text) == fold_text(fold_text(text))


@given(
    st.sampled_from(["", "e", " ", "\u1100"]),
    st.text(
        "\u0301\u0316\u0327\u0323\u0344\u0f73\u0f71\u1161\u304b\u3099", min_size=60, max_size=200
    ),
    st.sampled_from(["", "x", "\u304b"]),
)
def test_a_long_run_of_marks_is_composed_as_the_standard_says(before, marks, after):
    """Sorted here first, in any order that they come, decomposing into others or not."""
    text = before + marks + after

    assert normalize("NFC", text) == fold(text).text == fold_text(text)


def test_a_hundred_thousand_marks_on_one_letter_are_one_part():
    """Alternating marks, which `unicodedata.normalize` alone would sort for many seconds."""
    text = "e" + "\u0301\u0316" * 50_000 + "x"
    view = fold(text)

    assert fold_text(text) == view.text
    assert (0, len(text) - 1) == view.span(0, 1)
    assert (len(text) - 1, len(text)) == view.span(len(view.text) - 1, len(view.text))


@given(texts, st.data())
def test_every_range_of_the_view_leads_back(text, data):
    """A range lies within the text, folds to what it stands for, and starts and stops at what
    is there: nothing removed hangs at its edges."""
    view = fold(text)
    if not view.text:
        return
    start = data.draw(st.integers(0, len(view.text) - 1))
    stop = data.draw(st.integers(start + 1, len(view.text)))
    begin, end = view.span(start, stop)

    assert 0 <= begin < end <= len(text)
    assert view.text[start:stop] in fold_text(text[begin:end])
    assert text[begin] not in folding.REMOVED
    assert text[end - 1] not in folding.REMOVED


@given(texts)
def test_the_way_back_keeps_the_order(text):
    """Later code points of the view never lie before earlier ones; the whole view is the
    whole text, but for what is removed at its edges."""
    view = fold(text)
    spans = [view.span(at, at + 1) for at in range(len(view.text))]

    assert spans == sorted(spans)
    if spans:
        inner = text.strip(folding.REMOVED)
        assert inner == text[spans[0][0] : spans[-1][1]]


def test_the_tables_are_complete():
    """All white space there is; and no character below U+0300 changes or composes under NFC,
    which the composing part relies on."""
    spaces = {chr(code) for code in range(0x110000) if chr(code).isspace()}

    assert spaces - {" "} == set(folding.WHITE_SPACE)
    for code in range(0x300):
        assert chr(code) == normalize("NFC", chr(code))
        assert 0 == combining(chr(code))


@given(
    st.text(st.sampled_from("ae\u0300\u0327\u0315\u05ae\u3099\ufb01\uac00\u11a8 "), max_size=200)
)
def test_marks_in_order_change_no_normal_form(text):
    """Whatever is normalised afterwards gives what it gave before."""
    assert {normalize(form, text) for form in ("NFC", "NFKC")} == {
        normalize(form, marks_in_order(text)) for form in ("NFC", "NFKC")
    }


def test_marks_out_of_order_are_put_in_order():
    """Enough of them that `normalize` would sort them one by one."""
    text = "a" + "\u0315\u0327" * 40

    assert "a" + "\u0327" * 40 + "\u0315" * 40 == marks_in_order(text)
