"""Label sets in their three ways of writing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import PackError
from assay.pack.document import read_yaml
from assay.pack.labels import find_set, read_label_sets

WAYS = """\
full:
  description: for people
  multi: true
  repeats: true
  primary_priority: [B, A]
  labels: {A: first, B: second}
listed:
  labels: [X, Y]
short:
  NO: not at all
  ON: always
  012: a number that is a label
group:
  inner: {P: one}
  other: {labels: {Q: two}, multi: true}
bare:
  labels: {Z: }
"""


def test_sets_are_written_in_full_listed_short_or_in_groups():
    """Order is kept; labels are text whatever they look like."""
    sets = read_label_sets(read_yaml("labels.yaml", WAYS.encode()))

    assert list(sets) == ["full", "listed", "short", "group.inner", "group.other", "bare"]
    assert dict(sets["full"].labels) == {"A": "first", "B": "second"}
    assert (sets["full"].multi, sets["full"].repeats) == (True, True)
    assert sets["full"].priority == ("B", "A")
    assert dict(sets["listed"].labels) == {"X": "", "Y": ""}
    assert list(sets["short"].labels) == ["NO", "ON", "012"]
    assert sets["group.other"].multi
    assert dict(sets["bare"].labels) == {"Z": ""}


def test_a_set_of_a_group_also_goes_by_its_last_part_if_only_one_does():
    """A full name always wins."""
    text = "a: {one: {X: x}, two: {X: x}}\nb: {two: {Y: y}}\none: {Z: z}\n"
    sets = read_label_sets(read_yaml("labels.yaml", text.encode()))

    assert find_set(sets, "one") is sets["one"]
    assert find_set(sets, "a.one") is sets["a.one"]
    assert find_set(sets, "two") is None
    assert find_set({"a.two": sets["a.two"]}, "two") is sets["a.two"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: [X]\n", 1),
        ("a: X\n", 1),
        ("a: {}\n", 1),
        ("a:\n  labels: {}\n", 2),
        ("a:\n  labels: [X, X]\n", 2),
        ("a:\n  labels:\n    X: 3\n", 3),
        ("a:\n  labels: {X: x}\n  primary_priority: [X, X]\n", 3),
        ("a:\n  labels: {X: x}\n  primary_priority:\n    - X\n    - Z\n", 5),
        ("a:\n  primary_priority:\n    - X\n    - X\n  labels: {X: x}\n", 4),
        ("a:\n  labels: {X: x, Y: y}\n  primary_priority: [Y]\n", 3),
        ("a:\n  labels: {X: x}\n  primary_priority: []\n", 3),
        ("g:\n  a:\n    labels: {X: x, Y: y}\n    primary_priority: [X]\n", 4),
        ("a:\n  X: x\n  multi: true\n", 3),
        ("- a\n", 1),
    ],
)
def test_what_is_no_label_set_is_refused_with_its_line(text, line):
    """A set that nobody can use would check nothing."""
    with pytest.raises(PackError) as caught:
        read_label_sets(read_yaml("labels.yaml", text.encode()))

    assert line == caught.value.line


@given(
    st.dictionaries(
        st.text(alphabet="ABC_", min_size=1, max_size=4),
        st.text(alphabet="abc é", max_size=6),
        min_size=1,
        max_size=6,
    )
)
def test_every_label_comes_back_as_it_was_written(labels):
    """Names, descriptions and order."""
    lines = "".join(f"    {label}: '{text}'\n" for label, text in labels.items())
    found = read_label_sets(read_yaml("labels.yaml", f"s:\n  labels:\n{lines}".encode()))["s"]

    assert list(labels.items()) == list(found.labels.items())
