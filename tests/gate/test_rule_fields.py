"""Fields that a rule reads and that nothing can ever give."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.gate.rule_fields import ANY, Shape, unknown_fields

SCHEMA = {
    "type": "object",
    "properties": {
        "kind": {"type": "string"},
        "items": {"type": "array", "items": {"$ref": "#/$defs/item"}},
        "open": {"type": "object", "additionalProperties": True},
        "by_name": {"type": "object", "additionalProperties": {"$ref": "#/$defs/item"}},
        "either": {"oneOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]},
        "both": {"allOf": [{"properties": {"a": {}}}, {"$ref": "#/$defs/item"}]},
        "anything": True,
    },
    "additionalProperties": False,
    "$defs": {
        "item": {
            "properties": {"name": {"type": "string"}, "inner": {"items": {"$ref": "#/$defs/item"}}}
        }
    },
}
SHAPES = {
    "output": Shape.of_schema(SCHEMA),
    "state": Shape.of_fields({"first": Shape.of_fields({"done": ANY}), "second": ANY}),
}


@pytest.mark.clause("005-C22")
@pytest.mark.parametrize(
    ("expression", "unknown"),
    [
        ("output.kind == 'a'", []),
        ("output.kinds == 'a'", ["output.kinds"]),
        ("has(output.kinds)", ["output.kinds"]),
        ("output['kinds'] == output[\"kind\"]", ["output.kinds"]),
        ("output.items.all(i, i.name != '' && i.nam == '')", ["output.items[].nam"]),
        ("output.items[0].title == ''", ["output.items[].title"]),
        (
            "output.items.exists(i, i.inner.exists(i, i.name == output.kin))",
            ["output.kin"],
        ),
        (
            "output.items.all(a, a.inner.all(b, b.inner.all(c, c.x == a.y)))",
            [
                "output.items[].inner[].inner[].x",
                "output.items[].y",
            ],
        ),
        ("output.items.filter(i, i.name == '').size() == 0", []),
        (
            "output.items.filter(i, i.name != '').all(k, k.nam == '')",
            ["output.items[].nam"],
        ),
        ("output.items.filter(i, true)[0].nam == ''", ["output.items[].nam"]),
        ("output.kind.first == ''", ["output.kind.first"]),
        ("output.items.all(kind, kind.name != '') && output.kind == ''", []),
        ("output.open.whatever == output.anything.deep.er", []),
        ("output.by_name.key.nam == ''", ["output.by_name.key.nam"]),
        ("output.either.c == ''", []),
        ("output.both.a == output.both.name", []),
        ("output.both.c == ''", ["output.both.c"]),
        ("output.kind.matches('output.kinds')", []),
        ("'output.kinds' == output.kind // output.kinds", []),
        ("state.first.done && state.second.at.all", []),
        ("state.first.don", ["state.first.don"]),
        ("state.third.done", ["state.third"]),
        ("input.whatever", []),
        ("output . kind == '' && output\n.\nkinds == ''", ["output.kinds"]),
    ],
)
def test_what_nothing_gives_is_named(expression, unknown):
    """Lists, macros, references and indices are followed; what a schema leaves open is not."""
    assert unknown == [*unknown_fields(expression, SHAPES)]


@given(
    st.lists(
        st.sampled_from(
            [
                "output",
                ".",
                "kind",
                "items",
                "all",
                "exists",
                "(",
                ")",
                "[",
                "]",
                "i",
                ",",
                "0",
                "&&",
            ]
        ),
        max_size=25,
    ).map("".join)
)
def test_any_text_is_looked_at_without_a_crash(expression):
    """Also what is no expression: whether it is one is told elsewhere."""
    for path in unknown_fields(expression, SHAPES):
        assert path.startswith("output")


def test_a_reference_in_a_circle_is_left_open():
    """It declares nothing, so nothing can be said."""
    shape = Shape.of_schema({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}})

    assert [] == [*unknown_fields("output.x.y", {"output": shape})]


@pytest.mark.clause("005-C22")
@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/base", "properties": {"own": {}}},
        {"allOf": [{"$ref": "#/$defs/base"}, {"properties": {"own": {}}}]},
        {"$ref": "#/$defs/base", "allOf": [{"properties": {"own": {}}}]},
    ],
)
def test_what_stands_beside_a_reference_is_declared_too(schema):
    """A field is there if any schema that holds for the value names it."""
    base = {"properties": {"shared": {"properties": {"a": {}}}}}
    shape = Shape.of_schema({**schema, "$defs": {"base": base}})

    told = [*unknown_fields("output.own == output.shared.a && output.none", {"output": shape})]

    assert told == ["output.none"]


@pytest.mark.clause("005-C22")
def test_of_a_field_that_two_schemas_describe_both_are_read():
    """Each adds fields of its own to the same object and to the items of the same list."""
    one = {"properties": {"a": {"properties": {"x": {}}, "items": {"properties": {"i": {}}}}}}
    two = {"properties": {"a": {"properties": {"y": {}}, "items": {"properties": {"j": {}}}}}}
    shape = Shape.of_schema({"allOf": [one, two]})
    rule = "output.a.x == output.a.y && output.a.z && output.a.all(n, n.i == n.j && n.k)"

    assert [*unknown_fields(rule, {"output": shape})] == ["output.a.z", "output.a[].k"]
