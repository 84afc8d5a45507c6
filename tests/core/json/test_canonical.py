"""One byte form for every JSON value."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from assay.core.json.canonical import canonical, digest, digest_json
from assay.errors import InputError

plain = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | plain,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(plain, inner, max_size=4),
    max_leaves=15,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [True, None]}, '{"a":[true,null],"b":1}'),
        ({"\u20ac": 1, "\U0001f600": 2, "a": 3}, '{"a":3,"\u20ac":1,"\U0001f600":2}'),
        (0.90, "0.9"),
        (1e21, "1e+21"),
        (-0.0, "0"),
        (1.0, "1"),
        ('\u001f\n"\\', '"\\u001f\\n\\"\\\\"'),
    ],
)
def test_the_form_is_that_of_rfc_8785(value, text):
    """Sorted keys, shortest numbers, no white space."""
    assert text.encode() == canonical(value)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 2**53, b"a", {1: 2}, "\ud800", {"\ud800": 1}, {"a"}]
)
def test_what_has_no_such_form_is_refused(value):
    """Fail rather than guess."""
    with pytest.raises(InputError):
        canonical(value)


def test_digests_are_written_in_one_way():
    """Text counts as its UTF-8."""
    expected = "sha256:" + sha256("ü".encode()).hexdigest()

    assert expected == digest("ü") == digest("ü".encode())
    assert digest(b'{"a":1}') == digest_json({"a": 1})


@given(values)
def test_canonical_bytes_are_json_of_the_same_value(value):
    """Reading them gives the value back; writing that again gives the bytes. Numbers are
    doubles there: a large one is written without a fraction."""
    written = canonical(value)
    read = json.loads(written, parse_int=float)

    assert value == read
    assert written == canonical(read)


@given(values | st.floats(1e-9, 1e25) | st.floats(allow_nan=False, allow_infinity=False))
def test_the_bytes_are_those_of_another_implementation(value):
    """Numbers near the bounds of each notation, any text, any nesting."""
    assert rfc8785.dumps(value) == canonical(value)


def test_what_is_nested_without_end_is_refused():
    """No recursion error gets out."""
    value: list = []
    for _ in range(100_000):
        value = [value]

    with pytest.raises(InputError):
        canonical(value)
