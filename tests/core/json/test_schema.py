"""Schemas: every fault, by keyword and place, without a word of the value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.json.canonical import digest_json
from assay.core.json.schema import Schema
from assay.errors import InputError

CASES = [
    ({"required": ["a", "b"]}, {"a": 1}, [("required", "")]),
    ({"required": ["a", "b"]}, {}, [("required", ""), ("required", "")]),
    ({"additionalProperties": False}, {"secret": 1, "other": 2}, [("additionalProperties", "")]),
    ({"properties": {"a": {"type": "string"}}}, {"a": 1}, [("type", "/a")]),
    ({"properties": {"a/b~": {"maxLength": 1}}}, {"a/b~": "xx"}, [("maxLength", "/a~1b~0")]),
    ({"items": {"maximum": 1}}, [0, 2, 3], [("maximum", "/1"), ("maximum", "/2")]),
    ({"properties": {"maxLength": False}}, {"maxLength": 1}, [("properties", "/maxLength")]),
    ({"prefixItems": [False]}, [1], [("prefixItems", "/0")]),
    ({"items": False}, [1], [("items", "/0")]),
    ({"patternProperties": {"^x": False}}, {"xy": 1}, [("patternProperties", "/xy")]),
    ({"propertyNames": {"maxLength": 3}}, {"secret": 1}, [("propertyNames", "")]),
    ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, [("dependentRequired", "")]),
    ({"dependentSchemas": {"a": False}}, {"a": 1}, [("dependentSchemas", "")]),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 1, [("anyOf", "")]),
    ({"oneOf": [True, True]}, 1, [("oneOf", "")]),
    ({"not": {}}, 1, [("not", "")]),
    ({"if": {}, "then": {"const": 2}}, 1, [("const", "")]),
    ({"enum": ["a"]}, "secret", [("enum", "")]),
    ({"pattern": "^a$"}, "secret", [("pattern", "")]),
    ({"uniqueItems": True}, [1, 1.0], [("uniqueItems", "")]),
    ({"multipleOf": 0.01}, 0.295, [("multipleOf", "")]),
    ({"minContains": 2, "contains": {"const": 1}}, [1], [("minContains", "")]),
    ({"unevaluatedProperties": False}, {"secret": 1}, [("unevaluatedProperties", "")]),
    ({"$ref": "#/$defs/a", "$defs": {"a": {"minimum": 5}}}, 1, [("minimum", "")]),
    (False, 1, [("false", "")]),
    (True, 1, []),
]


@pytest.mark.clause("000-H2")
@pytest.mark.parametrize(("document", "value", "faults"), CASES)
def test_every_fault_is_named_by_keyword_and_place(document, value, faults):
    """All faults, not the first; a surplus or missing property is a fault of its object."""
    schema = Schema.compile(document)

    assert faults == [(fault.keyword, fault.pointer) for fault in schema.faults(value)]
    assert (faults == []) == schema.is_valid(value)


def test_messages_state_facts_of_the_schema_and_nothing_of_the_value():
    """What the schema wants may be said; what the value holds may not."""
    for document, value, _ in CASES:
        for fault in Schema.compile(document).faults(value):
            assert "secret" not in fault.message
            assert not fault.message.startswith("breaks")
    (fault,) = Schema.compile({"maxLength": 3}).faults("secret")
    assert "must have at most 3 characters" == fault.message


def test_all_scores_of_two_decimals_are_multiples_of_a_hundredth():
    """No score fails for the way in which doubles are stored."""
    schema = Schema.compile({"multipleOf": 0.01})

    assert [] == [n for n in range(101) if not schema.is_valid(n / 100)]


def test_true_is_no_number_and_a_whole_double_is_an_integer():
    """The standard's view of types."""
    integer = Schema.compile({"type": "integer"})

    assert [False, True, True, False] == [integer.is_valid(v) for v in (True, 1, 1.0, 1.5)]


def test_lengths_count_code_points():
    """Three characters outside the basic plane are three."""
    assert Schema.compile({"maxLength": 3}).is_valid("é😀x")


@pytest.mark.parametrize(
    "document",
    [
        {"type": "strin"},
        {"properties": []},
        {"pattern": "("},
        {"$ref": "#/$defs/absent"},
        {"$ref": "http://example.com/other.json"},
        {"$schema": "http://json-schema.org/draft-03/schema#"},
        {"$schema": "https://json-schema.org/draft/2020-12/schema#/x"},
        {"$schema": "https://example.com/dialect"},
        {"$schema": 7},
        5,
    ],
)
def test_what_is_no_schema_of_this_draft_is_refused(document):
    """A pack hears of it when it is read, not when a reply comes; nothing is fetched."""
    with pytest.raises(InputError):
        Schema.compile(document)


def test_references_are_resolved_from_what_was_given():
    """A registry stands for the network."""
    other = {"$id": "http://example.com/other.json", "type": "string"}
    schema = Schema.compile(
        {"$ref": "http://example.com/other.json"},
        registry={"http://example.com/other.json": other},
    )

    assert [True, False] == [schema.is_valid("a"), schema.is_valid(1)]


def test_formats_are_asserted_only_when_asked():
    """By the standard `format` is a remark."""
    document = {"format": "date"}

    assert Schema.compile(document).is_valid("tomorrow")
    assert ["format"] == [
        fault.keyword for fault in Schema.compile(document, formats=True).faults("tomorrow")
    ]


def test_the_digest_is_that_of_the_canonical_document():
    """Key order does not matter; an integer that the canonical form lacks does no harm."""
    one, two = {"type": "object", "required": ["a"]}, {"required": ["a"], "type": "object"}

    assert digest_json(one) == Schema.compile(one).digest == Schema.compile(two).digest
    assert Schema.compile({"const": 2**60}).digest.startswith("sha256:")


def test_slow_patterns_do_not_stop_the_gate():
    """A pattern that would take exponential time is answered all the same."""
    schema = Schema.compile({"pattern": "^(a+)+$"})

    assert not schema.is_valid("a" * 5000 + "b")


@given(
    st.dictionaries(st.sampled_from(["a", "b", "c"]), st.none() | st.integers() | st.text()),
    st.dictionaries(
        st.sampled_from(["a", "b"]), st.sampled_from(["string", "integer", "null"]), max_size=2
    ),
)
def test_valid_means_no_fault(value, types):
    """The quick answer and the list agree, and each place that is named exists."""
    schema = Schema.compile({"properties": {name: {"type": kind} for name, kind in types.items()}})
    faults = schema.faults(value)

    assert schema.is_valid(value) == (not faults)
    assert all(fault.pointer[1:] in value for fault in faults)
