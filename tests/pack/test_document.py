"""YAML and JSON with lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import PackError
from assay.pack.document import read_json, read_yaml, validate_form
from assay.pack.forms import PackForm

names = st.text(alphabet="abcdefgh/~ é", min_size=1, max_size=5)
texts = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers(min_value=-(2**53) + 1, max_value=2**53 - 1) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=12,
)


@given(values)
def test_json_comes_back_with_a_line_for_every_place(value):
    """Whatever the value, each place of it has a line, and the lines never run backwards."""
    text = json.dumps(value, indent=1)
    document = read_json("f.json", text.encode())

    def places(item, path=()):
        yield path
        children = (
            item.items()
            if isinstance(item, dict)
            else enumerate(item)
            if isinstance(item, list)
            else ()
        )
        for step, child in children:
            yield from places(child, (*path, step))

    assert value == document.value
    found = [document.lines[path] for path in places(value)]
    assert sorted(found) == found
    assert text.count("\n") + 1 >= max(found)


@given(values)
def test_yaml_reads_json_as_json(value):
    """JSON text is YAML and means the same (but for escaped pairs of surrogates)."""
    text = json.dumps({"root": value}, ensure_ascii=True)

    assert value == read_yaml("f.yaml", text.encode()).value["root"]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("012", "012"),
        ("2026-01-17", "2026-01-17"),
        ("1:30", "1:30"),
        ("0x1f", "0x1f"),
        ("true", True),
        ("'true'", "true"),
        ("12", 12),
        ("-0.5", -0.5),
        ("~", None),
        ("", None),
        ("!!str 12", "12"),
    ],
)
def test_only_what_looks_like_json_is_more_than_text(written, value):
    """A label called NO, a date or a version stays what it looks like."""
    assert value == read_yaml("f.yaml", f"a: {written}\n".encode()).value["a"]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: [1, 2\n", 3, "no YAML"),
        ("a: 1\nb: 2\na: 3\n", 3, "holds key 'a' twice"),
        ("a: &x {k: 1}\nb: *x\n", 1, "an anchor"),
        ("a: &x [*x]\n", 1, "an anchor"),
        ("a: 1\nb: &x 2\n", 2, "an anchor"),
        ("a: 1\nb: *x\n", 2, "an alias"),
        ("a: 1\n!mine b: 2\n", 2, "tag"),
        ("a: 1\n&x b: 2\n", 2, "an anchor"),
        ("a: ä\nb: \x07\n", 2, "not allowed"),
        ("a:\n  <<: {b: 1}\n", 2, "key that is no text"),
        ("a: 1\nb: !!python/object:os.system ls\n", 2, "tag"),
        ("a: 1\nb: !mine 2\n", 2, "tag"),
        ("a: 99999999999999999999\n", 1, "number"),
        ("a: .inf\nb: 1e999\n", 0, ""),
        ("a: 1\n---\nb: 2\n", 2, "another document"),
        ("a: 1\nb: \x00\n", 2, "not allowed"),
        ("? [a]\n: 1\n", 1, "key that is no text"),
        ("a: " + "[" * 80 + "]" * 80 + "\n", 1, "64 levels"),
    ],
)
def test_yaml_that_hides_something_is_refused_with_its_line(text, line, words):
    """Aliases, tags, merge keys, repeated keys and big numbers never get as far as a value."""
    if not words:
        assert {"a": ".inf", "b": "1e999"} == read_yaml("f.yaml", text.encode()).value
        return
    with pytest.raises(PackError) as caught:
        read_yaml("f.yaml", text.encode())

    assert ("f.yaml", line) == (caught.value.file, caught.value.line)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b'{"a": 1,\n "b": }', 2),
        (b'{"a": 1,\n "b": 2,\n "a": 3}', 3),
        (b'{"a": {"x": 1},\n "b": {"x": 1, "x": 2}}', 2),
        (b'{"a": 1}\n{}', 2),
        (b'{"a":\n\n NaN}', 1),
        (b'{"a": "\xff"}', 1),
        (b"", 1),
    ],
)
def test_a_json_fault_has_a_line(data, line):
    """Also for what a lenient parser would let pass: repeated keys, a second document."""
    with pytest.raises(PackError) as caught:
        read_json("f.json", data)

    assert line == caught.value.line


def test_an_unknown_key_is_named_with_its_line_and_a_near_miss():
    """A slip of the pen is no silent default."""
    document = read_yaml("pack.yaml", b"name: a\nversion: 1\nsorce: mail\n")
    with pytest.raises(PackError) as caught:
        validate_form(document, PackForm)

    assert ("pack.yaml", 3) == (caught.value.file, caught.value.line)
    assert "'sorce' is not known" in str(caught.value)
    assert caught.value.hint == "did you mean 'source'?"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("name: a\nsource: post\n", 2),
        ("name: a\nflow: [ok, 3]\n", 2),
        ("name: a\nredaction:\n  classes:\n    - name: lower\n      pattern: x\n", 4),
        ("name: a\nbudget:\n  max_input_tokens: many\n", 3),
        ("- name\n", 1),
    ],
)
def test_a_wrong_value_has_the_line_of_its_own_place(text, line):
    """Deep places too."""
    with pytest.raises(PackError) as caught:
        validate_form(read_yaml("pack.yaml", text.encode()), PackForm)

    assert line == caught.value.line
