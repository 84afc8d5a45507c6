"""What is wrong with a text that is no strict JSON, and where."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from assay.core.json.faults import explain

SCALARS = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=9)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, min_size=1, max_size=3)


def why(text):
    return explain(text, max_depth=64)


@given(OBJECTS, st.data())
def test_an_object_that_was_cut_off_is_unfinished(value, data):
    """Wherever the text ends: no JSON, and no refusal either, with a place within what came."""
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    found = why(cut)

    assert "json.invalid" == found.code
    line, column = place(found.message)
    assert 1 == line
    assert 1 <= column <= len(cut) + 1


@given(OBJECTS, st.integers(0, 3), st.sampled_from(["x", "{}", "}", '"', "0"]))
def test_what_follows_a_value_is_told_at_its_place(value, lines, more):
    """Line and column count from 1; line ends are counted, white space is passed over."""
    text = json.dumps(value) + "\n" * lines
    found = why(f"{text} {more}")

    assert "json.trailing" == found.code
    assert (lines + 1, len(text.rpartition("\n")[2]) + 2) == place(found.message)


@given(OBJECTS, VALUES)
def test_a_key_that_comes_again_is_told_at_its_second_place(value, again):
    """Whatever stands between the two."""
    text = json.dumps(value)
    key = json.dumps(next(iter(value)))
    found = why(f"{text[:-1]}, {key}: {json.dumps(again)}}}")

    assert "json.duplicate_key" == found.code
    assert (1, len(text) + 2) == place(found.message)


@given(st.text(max_size=40))
def test_every_text_has_an_explanation(text):
    """Also one that no hand would write; the place is within the text, the text is not told."""
    found = why(text)

    assert found.code.partition(".")[0] in {"json", "output"}
    if "(line " in found.message:
        line, column = place(found.message)
        lines = text.split("\n")
        assert 1 <= column <= len(lines[line - 1]) + 1


def place(message):
    """Line and column that a message names."""
    words = message.rpartition("(line ")[2].removesuffix(")")
    line, column = words.split(", column ")
    return int(line), int(column)
