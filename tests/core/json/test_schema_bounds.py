"""Schemas: judging and explaining are bounded in work; a schema that asks for nothing is none."""

# ruff: noqa: E501 - a case a line

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.json.schema import MAX_FAULTS, Schema
from assay.errors import InputError

WAYS = [
    {
        "type": "object",
        "properties": {
            "op": {"const": op},
            "args": {"type": "array", "items": {"$ref": "#/$defs/e"}},
        },
        "required": ["op", "args"],
        "additionalProperties": False,
    }
    for op in ("and", "or", "not")
]
LEAF = {
    "type": "object",
    "properties": {"op": {"const": "eq"}, "value": {"type": "string"}},
    "required": ["op", "value"],
    "additionalProperties": False,
}
DRAFT_7 = "http://json-schema.org/draft-07/schema#"


def filters(union):
    """A language of nested conditions, as models are asked for."""
    return {
        "$defs": {"e": {union: [*WAYS, LEAF]}},
        "properties": {"filter": {"$ref": "#/$defs/e"}},
        "required": ["filter"],
    }


def nested(depth, value):
    """A condition within *depth* others."""
    made = {"op": "eq", "value": value}
    for _ in range(depth):
        made = {"op": "and", "args": [made]}
    return {"filter": made}


# A limit of the system, not a clock of ours: whoever explains all ways of all ways is stopped.
LIMITED = """
import json, resource, sys
from assay.core.json.schema import Schema
schema, value = json.load(sys.stdin)
compiled = Schema.compile(schema)
resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
print(json.dumps([[fault.keyword, fault.pointer] for fault in compiled.faults(value)]))
"""

LONG = list(range(100_000))
COSTLY = [
    (filters("oneOf"), nested(7, 7), ["oneOf", "/filter"]),
    (filters("oneOf"), nested(28, 7), ["oneOf", "/filter"]),
    (filters("anyOf"), nested(28, 7), ["anyOf", "/filter"]),
    ({"items": {"anyOf": [{"type": "string"}, {"required": ["a"], "type": "object"}]}}, LONG, ["anyOf", "/0"]),
    ({"items": {"anyOf": [{"anyOf": [{"type": "null"}] * 9}] * 9}}, LONG, ["anyOf", "/0"]),
    ({"items": {"if": True, "then": {"oneOf": [{"minimum": 0}, {"type": "integer"}]}}}, LONG, ["oneOf", "/0"]),
    ({"contains": {"anyOf": [{"type": "string"}, {"type": "null"}]}}, LONG, ["contains", ""]),
    ({"unevaluatedItems": {"anyOf": [{"type": "string"}]}}, LONG, ["unevaluatedItems", ""]),
    (
        {"dependentSchemas": {"k1": {"anyOf": [{"required": ["a"]}, {"maxProperties": 1}]}}},
        {f"k{n}": n for n in LONG},
        ["anyOf", ""],
    ),
    ({"patternProperties": {"^k": {"oneOf": [True, True]}}}, {f"k{n}": n for n in LONG}, ["oneOf", "/k0"]),
    ({"$dynamicAnchor": "e", "anyOf": [{"items": {"$dynamicRef": "#e"}, "minItems": n} for n in (1, 2, 3)], "type": "array"}, [[[[[[[[[[[[[[[[7]]]]]]]]]]]]]]]], ["schema", ""]),
]  # fmt: skip


@pytest.mark.clause("005-G12")
@pytest.mark.parametrize(("schema", "value", "first"), COSTLY)
def test_an_explanation_costs_what_the_verdict_costs(schema, value, first):
    """Unions within unions, in depth and in length: seconds and gigabytes are not spent."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED],
        input=json.dumps([schema, value]),
        capture_output=True,
        text=True,
        check=False,
    )

    assert (0, first) == (done.returncode, json.loads(done.stdout or "[0]")[0]), done.stderr
    assert len(json.loads(done.stdout)) <= MAX_FAULTS


RINGS = [
    {"$ref": "#"},
    {"$ref": "#/$defs/n", "$defs": {"n": {"$ref": "#/$defs/n"}}},
    {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
    {"$ref": "#/$defs/a%20b", "$defs": {"a b": {"$ref": "#/%24defs/a%20b"}}},
    {"$ref": "#n", "$defs": {"n": {"$anchor": "n", "$ref": "#n"}}},
    {"$dynamicAnchor": "n", "$dynamicRef": "#n"},
    {"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveRef": "#"},
    {"$id": "http://x/r", "$ref": "o", "$defs": {"o": {"$id": "o", "$ref": "r"}}},
    {"allOf": [{"$ref": "#"}]},
    {"type": "object", "anyOf": [{"$ref": "#"}, {"required": ["a"]}]},
    {"oneOf": [{"$ref": "#"}]},
    {"not": {"$ref": "#"}},
    {"if": {"$ref": "#"}, "then": {"type": "object"}},
    {"dependentSchemas": {"a": {"$ref": "#"}}},
    {"properties": {"a": {"$ref": "#/properties/a"}}},
    {"$schema": DRAFT_7, "$ref": "#/definitions/n", "definitions": {"n": {"$ref": "#/definitions/n"}}},
    {"$schema": DRAFT_7, "dependencies": {"a": {"$ref": "#"}}},
    {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "allOf": [{"$ref": "#/definitions/n"}],
        "definitions": {"n": {"id": "#m", "allOf": [{"$ref": "#m"}]}},
    },
]  # fmt: skip


@pytest.mark.clause("005-G12")
@pytest.mark.parametrize("schema", RINGS)
def test_a_ring_of_references_that_never_goes_into_the_value_is_no_schema(schema):
    """It looks as if it asked for something, and would take every value."""
    with pytest.raises(InputError, match="leads back to itself"):
        Schema.compile(schema)


@pytest.mark.clause("005-G12")
@pytest.mark.parametrize(
    ("schema", "wrong"),
    [
        ({"type": "object", "properties": {"kids": {"items": {"$ref": "#"}}}}, {"kids": [[]]}),
        ({"type": "array", "items": {"$ref": "#"}}, [[1]]),
        ({"type": "object", "additionalProperties": {"$ref": "#"}}, {"a": {"b": 1}}),
        ({"$dynamicAnchor": "n", "type": "array", "items": {"$dynamicRef": "#n"}}, [[1]]),
        (filters("oneOf"), nested(3, 7)),
        (
            {
                "$schema": DRAFT_7,
                "properties": {"a": {"$ref": "#/definitions/s", "allOf": [{"$ref": "#/properties/a"}]}},
                "definitions": {"s": {"type": "string"}},
            },
            {"a": 1},
        ),
    ],
)  # fmt: skip
def test_a_ring_that_goes_into_the_value_is_a_tree(schema, wrong):
    """Trees are what such references are for; what stands beside `$ref` in draft 7 is a remark."""
    assert Schema.compile(schema).faults(wrong)


@pytest.mark.clause("005-G12")
@pytest.mark.parametrize(
    "schema",
    [{"$defs": {"a": {"type": "object"}}}, {"definitions": {"a": {}}}, {"requierd": ["a"]}],
)
def test_definitions_that_nothing_uses_and_words_that_are_no_keywords_ask_for_nothing(schema):
    """The reference was forgotten, or the keyword is misspelt."""
    with pytest.raises(InputError, match="no keyword that constrains"):
        Schema.compile(schema)


@pytest.mark.parametrize("schema", [{}, True, {"title": "Any"}])
def test_a_schema_may_say_openly_that_it_takes_everything(schema):
    """Nobody takes `{}` for a constraint."""
    assert () == Schema.compile(schema).faults({"a": 1})


@pytest.mark.clause("005-G12")
@pytest.mark.parametrize("keyword", ["allOf", "anyOf"])
def test_references_that_double_at_each_step_are_refused(keyword):
    """Thirty definitions would put one value to a thousand million schemas."""
    twice = {
        f"d{n}": {keyword: [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]}
        for n in range(30)
    }
    with pytest.raises(InputError, match="multiply"):
        Schema.compile({"$ref": "#/$defs/d0", "$defs": {**twice, "d30": {"type": "string"}}})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "ab"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "c/d"]), inner, max_size=3)
    ),
    max_leaves=8,
)
PLAIN = st.sampled_from(
    [
        {"type": "string"},
        {"type": "object"},
        {"minimum": 1},
        {"maxLength": 1},
        {"required": ["a"]},
        {"uniqueItems": True},
        {"enum": [1, "a", [1]]},
        {"maxProperties": 1},
        {"additionalProperties": False},
        {"$ref": "#/$defs/tree"},
        True,
    ]
)
SCHEMAS = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.builds(lambda a, b: {"allOf": [a, b]}, inner, inner),
        st.builds(lambda a, b: {"anyOf": [a, b], "properties": {"a": a}}, inner, inner),
        st.builds(lambda a, b: {"oneOf": [a, b], "items": b}, inner, inner),
        st.builds(lambda a: {"not": a}, inner),
        st.builds(lambda a, b: {"if": a, "then": b, "else": False}, inner, inner),
        st.builds(lambda a, b: {"prefixItems": [a], "items": b}, inner, inner),
        st.builds(lambda a: {"properties": {"a": a}, "additionalProperties": False}, inner),
        st.builds(lambda a: {"patternProperties": {"^c": a}, "additionalProperties": a}, inner),
        st.builds(lambda a: {"dependentSchemas": {"a": a}}, inner),
        st.builds(lambda a: {"contains": a, "maxContains": 1}, inner),
        st.builds(lambda a: {"properties": {"b": a}, "unevaluatedProperties": False}, inner),
    ),
    max_leaves=6,
)
TREE = {"type": "object", "properties": {"a": {"$ref": "#/$defs/tree"}}, "maxProperties": 2}


@settings(max_examples=300, deadline=None)
@given(SCHEMAS, VALUES)
def test_what_does_not_fit_has_a_fault_with_a_name_and_what_fits_has_none(schema, value):
    """The explanation agrees with the verdict, and no keyword is left without a word."""
    compiled = Schema.compile({"allOf": [schema], "$defs": {"tree": TREE}})
    faults = compiled.faults(value)

    assert compiled.is_valid(value) == (not faults)
    assert not [fault for fault in faults if fault.keyword == "schema"]


@pytest.mark.clause("005-G12")
def test_a_fault_is_named_once_however_many_parts_of_a_schema_ask_the_same():
    """Both ways lead into the same value: without that, a depth of 50 has 2 to the 50 of them."""
    inward = {"properties": {"k": {"$ref": "#/$defs/n"}}}
    document = {"$defs": {"n": {"type": "object", "allOf": [inward, inward]}}, "$ref": "#/$defs/n"}
    value: object = 5
    for _ in range(50):
        value = {"k": value}

    assert [("type", "/k" * 50)] == [
        (fault.keyword, fault.pointer) for fault in Schema.compile(document).faults(value)
    ]
