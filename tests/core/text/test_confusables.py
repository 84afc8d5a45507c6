"""What the eye takes for letters of ASCII."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.text.confusables import LETTERS, SIGNS, look_alike, skeleton


@pytest.mark.clause("005-A6")
@pytest.mark.parametrize(
    "text",
    [
        *["СОРЕ", "ϹΟΡΕ", "ⲤⲞⲢE", "ᏟOᏢᎬ", "ꓚꓳꓑꓰ", "ＣＯＰＥ", "𝒞𝒪𝒫ℰ", "🅲🅾🅿🅴"],
        "C\u200bÖ\u0336P\ufe0fE",
    ],
)
def test_one_shape_has_one_skeleton(text):
    """Script, width, mathematical and boxed letters, marks and the invisible do not matter."""
    assert "COPE" == skeleton(text)


@pytest.mark.clause("005-A6")
@pytest.mark.parametrize(
    "text", ["Жук", "ща", "漢字", "ひらがな", "한국어", "سلام", "שלום", "हिन्दी"]
)
def test_letters_of_no_such_shape_stay(text):
    """What looks like nothing in ASCII is not made into it."""
    assert not any(char.isascii() and char.isalpha() for char in skeleton(text)[:1])


def test_what_it_looks_like_is_one_ascii_character():
    """The tables lead from outside ASCII into it."""
    for table in (LETTERS, SIGNS):
        assert all(
            code > 0x7F and len(sign) == 1 and sign.isascii() for code, sign in table.items()
        )


@given(st.text(max_size=40))
def test_a_skeleton_has_no_look_alikes(text):
    """Doing it twice changes nothing, and ASCII stays as it is."""
    once = skeleton(text)

    assert once == skeleton(once)
    assert not any(ord(char) in LETTERS or ord(char) in SIGNS for char in once)
    assert text == skeleton(text) or not text.isascii()


@given(st.characters())
def test_one_character_looks_like_one(char):
    """A place in the text stays a place."""
    assert 1 == len(look_alike(char))
