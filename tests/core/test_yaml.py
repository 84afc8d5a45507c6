"""YAML as JSON values with places; what a value without quotes means."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.yaml import MAX_DEPTH, YamlDocument, YamlFault, parse_yaml

SIGNS = st.lists(
    st.sampled_from(
        [
            *list("a1~:?-[]{},&*!|\n\t ä\x07"),
            "no",
            "2020-01-01",
            '"x"',
            "*r",
            "&r ",
            "!!int ",
            "!t ",
            "<<",
            "\n- ",
            "# c\n",
            "---\n",
        ]
    ),
    max_size=10,
)
TAG = "holds a tag, which is refused"
NO_JSON = "holds a value that is no JSON"
BIG = "holds a number that JSON cannot carry: quote it to make it text"


def test_every_place_has_line_and_column():
    """Values by where they begin, and the key of each value of a mapping."""
    read = parse_yaml("# c\na:\n  - b: 1\nä: {c: 2}\n")

    assert isinstance(read, YamlDocument)
    assert {"a": [{"b": 1}], "ä": {"c": 2}} == read.value
    assert {
        (): (2, 1),
        ("a",): (3, 3),
        ("a", 0): (3, 5),
        ("a", 0, "b"): (3, 8),
        ("ä",): (4, 4),
        ("ä", "c"): (4, 8),
    } == read.places
    assert {
        ("a",): (2, 1),
        ("a", 0, "b"): (3, 5),
        ("ä",): (4, 1),
        ("ä", "c"): (4, 5),
    } == read.keys


@pytest.mark.parametrize(
    ("written", "as_json", "as_yaml"),
    [
        ("no", "no", False),
        ("012", "012", 10),
        ("0x1f", "0x1f", 31),
        ("1:30", "1:30", 90),
        ("true", True, True),
        ("-1.5", -1.5, -1.5),
        ("~", None, None),
        ("'no'", "no", "no"),
        ("!!str 12", "12", "12"),
        (
            "2020-01-01",
            "2020-01-01",
            f"{NO_JSON} (quote a date to make it text)",
        ),
        ("!!binary aGk=", TAG, f"{NO_JSON} (quote a date to make it text)"),
        ("!mine 1", TAG, NO_JSON),
        (
            "1" * 20,
            "holds a number that JSON cannot carry: quote it to make it text",
            int("1" * 20),
        ),
    ],
)
def test_a_value_without_quotes_means_what_the_caller_asks_for(written, as_json, as_yaml):
    """JSON's words and decimal numbers, or all that YAML 1.1 knows."""
    found = []
    for scalars in ("json", "yaml-1.1"):
        read = parse_yaml(f"a: {written}", scalars=scalars)
        found.append(read.message if isinstance(read, YamlFault) else read.value["a"])

    assert [as_json, as_yaml] == found


@pytest.mark.parametrize("scalars", ["json", "yaml-1.1"])
@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a: &x 1", (1, 4), "holds an anchor, which is refused"),
        ("a: *x", (1, 4), "holds an alias, which is refused"),
        ("a: 1\n*x : 2", (2, 1), "holds an alias, which is refused"),
        ("a: !!set {b}", (1, 4), TAG),
        ("!!int 1: 2", (1, 1), "holds a tag, which is refused"),
        ("a: {<<: {b: 1}}", (1, 5), "holds a key that is no text"),
        ("? [a]\n: 1", (1, 3), "holds a key that is no text"),
        ("a: 1\n'a': 2", (2, 1), "holds key 'a' twice"),
        ("1: a\n'1': b", (2, 1), "holds key '1' twice"),
        ("a: 1\n---\nb: 2", (2, 1), "holds another document"),
        ("ä: 1\nbö: \x07", (2, 5), "is no YAML: a character is not allowed"),
        ("a: [", (2, 1), "is no YAML: did not find expected node content"),
    ],
)
def test_what_is_no_json_value_is_a_fault_with_its_place(text, place, message, scalars):
    """Both rules for values without quotes refuse the same things."""
    read = parse_yaml(text, scalars=scalars)

    assert isinstance(read, YamlFault)
    assert (place, message) == ((read.line, read.column), read.message)


@pytest.mark.parametrize(("levels", "refused"), [(MAX_DEPTH, False), (MAX_DEPTH + 1, True)])
def test_depth_is_bounded(levels, refused):
    """Sixty-four levels are read, a level more is not."""
    read = parse_yaml("[" * levels + "]" * levels)

    assert refused is isinstance(read, YamlFault)


@given(SIGNS.map("".join) | st.text(max_size=30), st.sampled_from(["json", "yaml-1.1"]))
def test_any_text_is_read_or_refused(text, scalars):
    """What comes out is JSON, and a place exists in the text or right behind it."""
    read = parse_yaml(text, scalars=scalars)

    if isinstance(read, YamlFault):
        assert 1 <= read.line <= text.count("\n") + 2
        assert read.column >= 1
    else:
        json.dumps(read.value)
        assert all(line >= 1 and column >= 1 for line, column in read.places.values())
