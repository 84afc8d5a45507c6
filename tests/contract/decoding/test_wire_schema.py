"""The schema that goes out to providers: never narrower than the gate."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import assay
from assay.contract.contract import Contract, judge
from assay.contract.decoding.wire_schema import WireSchema, wire_schema
from assay.core.json.pointer import PointerPattern
from assay.core.json.schema import Schema
from assay.errors import InputError
from assay.gate.labels import LabelRule, LabelSet

pytestmark = pytest.mark.clause("006-M1")

NAMES = ("a", "b", "*", "0", "a/b")
TEXTS = ("x", "y", "INV-12", "")
DRAFTS = (
    None,
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
)


def make_contract(schema, *, labels=(), formats=None):
    return Contract(
        name="triage",
        pack="intake",
        pack_version="1",
        version="1",
        schema=Schema.compile(schema, formats=formats),
        labels=tuple(
            LabelRule(
                pattern=PointerPattern.compile(pattern),
                set=LabelSet(name=f"set{number}", labels=dict.fromkeys(names, "what it means")),
            )
            for number, (pattern, names) in enumerate(labels)
        ),
    )


def wire(schema, *, labels=(), formats=None) -> WireSchema:
    return wire_schema(make_contract(schema, labels=labels, formats=formats))


SCALARS = st.sampled_from([*TEXTS, 0, 1, 1.0, 2.5, -1, True, False, None])
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    ),
    max_leaves=6,
)
OUTPUTS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4)


def _objects(inner):
    schemas = inner | st.booleans()
    named = st.dictionaries(st.sampled_from(NAMES), schemas, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array", "string", ["object", "null"]]),
            "properties": named,
            "required": st.lists(st.sampled_from(NAMES), unique=True, min_size=1, max_size=2),
            "additionalProperties": schemas,
            "patternProperties": st.dictionaries(
                st.sampled_from(["^a", "b$"]), schemas, max_size=1
            ),
            "items": schemas,
            "maxProperties": st.integers(0, 3),
            "maxItems": st.integers(0, 3),
            "minItems": st.integers(0, 2),
            "uniqueItems": st.booleans(),
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
            "contains": inner,
            "propertyNames": inner,
            "unevaluatedProperties": st.booleans(),
            "anyOf": st.lists(schemas, min_size=1, max_size=2),
            "oneOf": st.lists(schemas, min_size=1, max_size=2),
            "allOf": st.lists(schemas, min_size=1, max_size=2),
            "$ref": st.sampled_from(["#/definitions/d", "#/definitions/e", "#/properties/a"]),
        },
    )


LEAVES = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["string", "number", "integer", ["string", "null"], "boolean"]),
        "enum": st.lists(SCALARS, min_size=1, max_size=3, unique_by=lambda v: (type(v), v)),
        "const": SCALARS,
        "minimum": st.sampled_from([0, 1, 0.5]),
        "maximum": st.sampled_from([1, 2.5, 10**20]),
        "maxLength": st.sampled_from([0, 1, 5]),
        "minLength": st.sampled_from([0, 1]),
        "pattern": st.sampled_from(["^INV-[0-9]{2}$", "x", "^x|y$", r"^\w*$"]),
        "multipleOf": st.sampled_from([1, 0.5]),
        "format": st.sampled_from(["date", "email"]),
        "description": st.just("words"),
    },
)
SCHEMAS = st.recursive(LEAVES, _objects, max_leaves=8)
LABELS = st.lists(
    st.tuples(
        st.sampled_from(["/a", "/*", "/**", "/a/*", "/**/b", "/*/0", "/0"]),
        st.lists(st.sampled_from(TEXTS), min_size=1, max_size=2, unique=True),
    ),
    max_size=2,
)


@st.composite
def documents(draw):
    document = dict(draw(_objects(SCHEMAS)))
    document["definitions"] = {"d": draw(SCHEMAS), "e": draw(_objects(SCHEMAS))}
    draft = draw(st.sampled_from(DRAFTS))
    if draft is not None:
        document["$schema"] = draft
    return document


@settings(max_examples=200, deadline=None)
@given(document=documents(), labels=LABELS, outputs=st.lists(OUTPUTS, min_size=1, max_size=6))
def test_whatever_the_gate_accepts_fits_the_schema_that_goes_out(document, labels, outputs):
    """Whole, and in each provider's subset; whatever the draft, the references, the labels."""
    try:
        contract = make_contract(document, labels=labels)
    except InputError:
        assume(False)
    told = wire_schema(contract)
    forms = [form for form in (told.document, told.strict, told.anthropic) if form is not None]
    compiled = [Schema.compile(form, formats=True) for form in forms]
    for output in outputs:
        if judge(contract, json.dumps(output)).accepted:
            assert [form for form, s in zip(forms, compiled, strict=True) if s.faults(output)] == []


CLOSED = st.recursive(
    st.sampled_from(
        [
            {"type": "string", "maxLength": 3},
            {"type": "number", "minimum": 0, "maximum": 1},
            {"enum": ["x", "y"]},
            {"const": "x"},
            {"type": ["string", "null"]},
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
        ]
    ),
    lambda inner: (
        st.builds(lambda each: {"type": "array", "items": each, "maxItems": 2}, inner)
        | st.builds(
            lambda named: {
                "type": "object",
                "properties": named,
                "required": list(named),
                "additionalProperties": False,
            },
            st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
        )
    ),
    max_leaves=6,
)


def _fitting(schema):
    """Values of a schema of CLOSED."""
    if "anyOf" in schema:
        return st.none() | st.sampled_from(TEXTS)
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    if schema["type"] == "array":
        return st.lists(_fitting(schema["items"]), max_size=2)
    if schema["type"] == "object":
        return st.fixed_dictionaries({n: _fitting(c) for n, c in schema["properties"].items()})
    if schema["type"] == "number":
        return st.sampled_from([0, 1, 0.25])
    return st.sampled_from(TEXTS) | (
        st.none() if isinstance(schema["type"], list) else st.nothing()
    )


@settings(max_examples=200, deadline=None)
@given(
    named=st.dictionaries(st.sampled_from(NAMES), CLOSED, min_size=1), labels=LABELS, data=st.data()
)
def test_closed_contracts_fit_every_subset_and_so_does_what_the_gate_accepts(named, labels, data):
    """Objects that name all they hold go out in strict mode, for outputs made to be accepted."""
    document = {
        "type": "object",
        "properties": named,
        "required": list(named),
        "additionalProperties": False,
    }
    contract = make_contract(document, labels=labels)
    told = wire_schema(contract)
    output = data.draw(_fitting(document))

    assert told.strict is not None
    assert told.anthropic is not None
    if judge(contract, json.dumps(output)).accepted:
        for form in (told.document, told.strict, told.anthropic):
            assert Schema.compile(form).faults(output) == ()


def closed(properties, **more):
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        **more,
    }


def test_labels_go_out_as_enumerations_in_their_order():
    """Only labels that the gate would take; a schema that lists some of them narrows the list."""
    told = wire(
        closed({"a": {"type": "string"}, "b": {"enum": ["y", "other"]}}),
        labels=[("/a", ["y", "x"]), ("/b", ["x", "y"])],
    )

    assert told.document["properties"]["a"] == {"type": "string", "enum": ["y", "x"]}
    assert told.document["properties"]["b"] == {"type": "string", "enum": ["y"]}


def test_a_label_that_may_be_absent_in_the_schema_is_a_string_all_the_same():
    """The gate takes null for no label, so null is not offered where a label stands."""
    told = wire(
        closed({"a": {"anyOf": [{"enum": ["x", "y"]}, {"type": "null"}]}}),
        labels=[("/a", ["x", "y", "z"])],
    )

    assert told.document["properties"]["a"] == {"type": "string", "enum": ["x", "y"]}


@pytest.mark.parametrize(
    "pattern", ["/a/0", "/b", "/a/*/label/c"], ids=["one-index", "elsewhere", "deeper"]
)
def test_places_that_a_pattern_names_only_sometimes_stay_open(pattern):
    """A label of the first item says nothing of the second."""
    told = wire(
        closed({"a": {"type": "array", "items": {"type": "string"}}}), labels=[(pattern, ["x"])]
    )

    assert told.document["properties"]["a"]["items"] == {"type": "string"}


def test_bounds_go_out_as_bounds():
    """Numbers, lengths, counts and values as the contract writes them."""
    properties = {
        "n": {"type": "number", "minimum": 0, "exclusiveMaximum": 1, "multipleOf": 0.5},
        "s": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^INV-[0-9]{6}$"},
        "l": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
        "c": {"type": "string", "const": "x"},
        "d": {"type": "string", "format": "date"},
    }
    told = wire(closed(properties), formats=True)

    assert told.document["properties"] == properties
    assert told.dropped == ()


def test_references_are_written_out():
    """Servers that follow none are told the same."""
    told = wire(
        {
            **closed({"a": {"$ref": "#/$defs/word"}, "b": {"$ref": "#w"}}),
            "$defs": {"word": {"$anchor": "w", "type": "string", "maxLength": 4}},
        }
    )

    word = {"type": "string", "maxLength": 4}
    assert told.document["properties"] == {"a": word, "b": word}
    assert told.strict is not None


@pytest.mark.parametrize(
    "part",
    [
        {"$ref": "#"},
        {"type": "array", "prefixItems": [{"type": "string"}], "items": False},
        {"type": "object"},
        {"type": "object", "patternProperties": {"^a": {"type": "string"}}},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"not": {"type": "string"}},
        {"if": {"type": "string"}, "then": {"maxLength": 3}},
        True,
        {"enum": [["x"]]},
        {"type": "array"},
    ],
    ids=lambda part: next(iter(part)) if isinstance(part, dict) else "true",
)
def test_what_a_subset_cannot_say_gives_it_up(part):
    """Recursion, tuples, open objects and whatever is of no known type."""
    told = wire(closed({"a": part}))

    assert told.strict is None
    assert told.anthropic is None


def test_a_property_that_may_be_absent_is_beyond_strict_mode_only():
    """Strict mode would demand it; null instead is not what the gate asks for."""
    schema = closed({"a": {"type": "string"}, "b": {"type": "string"}})
    schema["required"] = ["a"]
    told = wire(schema)

    assert told.strict is None
    assert told.anthropic is not None
    assert told.anthropic["required"] == ["a"]


def test_subsets_name_what_they_left_out():
    """So the record says what the gate alone holds the reply to."""
    told = wire(
        closed(
            {
                "s": {"type": "string", "maxLength": 3},
                "n": {"type": "integer", "minimum": 1},
                "l": {"type": "array", "items": {"const": "x"}, "minItems": 2, "uniqueItems": True},
            }
        )
    )

    assert told.strict_dropped == ("maxLength", "uniqueItems")
    assert told.anthropic_dropped == ("maxLength", "minItems", "minimum", "uniqueItems")
    assert told.strict["properties"]["l"] == {
        "type": "array",
        "items": {"type": "string", "enum": ["x"]},
        "minItems": 2,
    }


@pytest.mark.parametrize(
    "schema",
    [
        closed({f"p{number}": {"type": "string"} for number in range(5001)}),
        closed({"a": {"enum": [f"v{number}" for number in range(1001)]}}),
        closed({"a": {"enum": [f"{number:0100}" for number in range(251)]}}),
        closed({"a" * 120_001: {"type": "string"}}),
    ],
    ids=["properties", "values", "long-values", "names"],
)
def test_what_is_too_large_for_strict_mode_goes_out_without_it(schema):
    """The provider would refuse it for every input."""
    told = wire(schema)

    assert told.strict is None
    assert told.document["required"] == schema["required"]


def test_ten_levels_are_strict_and_eleven_are_not():
    """As OpenAI counts nesting."""

    def nested(levels):
        schema = {"type": "string"}
        for _ in range(levels - 1):
            schema = closed({"a": schema})
        return schema

    assert wire(nested(10)).strict is not None
    assert wire(nested(11)).strict is None


def test_references_that_double_at_each_step_end():
    """What goes out has a bound, and what lies beyond is open."""
    defs = {
        f"d{n}": closed({"a": {"$ref": f"#/$defs/d{n + 1}"}, "b": {"$ref": f"#/$defs/d{n + 1}"}})
        for n in range(20)
    }
    told = wire({"$ref": "#/$defs/d0", "$defs": {**defs, "d20": {"type": "string"}}})

    assert "$ref" in told.dropped
    assert told.strict is None
    assert len(json.dumps(told.document)) < 1_000_000


def test_remarks_of_older_drafts_stay_remarks():
    """`const` in draft 4 asks for nothing, nor does what stands beside `$ref` in draft 7."""
    four = {"$schema": DRAFTS[1], **closed({"a": {"type": "string", "const": "x"}})}
    seven = {
        "$schema": DRAFTS[3],
        **closed({"a": {"$ref": "#/definitions/w", "maxLength": 1}}),
        "definitions": {"w": {"type": "string"}},
    }

    assert wire(four).document["properties"]["a"] == {"type": "string"}
    assert wire(seven).document["properties"]["a"] == {"type": "string"}


def test_a_format_goes_out_only_where_the_gate_asks_for_it():
    """Elsewhere it is a remark, which a server would take for a rule."""
    schema = closed({"a": {"type": "string", "format": "date"}})

    assert wire(schema, formats=True).document["properties"]["a"]["format"] == "date"
    assert "format" not in wire(schema, formats=False).document["properties"]["a"]


def test_it_is_worked_out_once_for_each_contract():
    """Calls in flight share it; equal contracts get equal schemas."""
    schema = closed({"a": {"type": "string"}})
    contract = make_contract(schema)

    assert wire_schema(contract) is wire_schema(contract)
    assert wire_schema(make_contract(schema)).sha256 == wire_schema(contract).sha256


def test_the_mails_go_out_in_strict_mode():
    """The bundled contracts fit what both providers hold a model to."""
    for name in ("classify", "extract", "identify"):
        told = wire_schema(assay.load_pack("intake").contract(name))
        assert told.dropped == ()
        assert told.strict is not None
        assert told.anthropic is not None
        assert told.name == f"intake_{name}"
