"""Schemas: each is read by the draft that it declares, formats by the rules of the latest."""

# ruff: noqa: E501 - a case a line

from __future__ import annotations

import pytest

from assay.core.json.schema import Schema
from assay.core.json.schema_drafts import FORMATS

D4 = "http://json-schema.org/draft-04/schema#"
D6 = "http://json-schema.org/draft-06/schema"
D7 = "https://json-schema.org/draft-07/schema#"
D19 = "https://json-schema.org/draft/2019-09/schema"
D20 = "https://json-schema.org/draft/2020-12/schema#"

CASES = [
    (D4, {"minimum": 3, "exclusiveMinimum": True}, 4, 3, "exclusiveMinimum"),
    (D4, {"maximum": 3, "exclusiveMaximum": True}, 2, 3, "exclusiveMaximum"),
    (D4, {"items": [{"type": "string"}], "additionalItems": False}, ["a"], ["a", 1], "additionalItems"),
    (D4, {"id": "http://x/", "properties": {"a": {"$ref": "#/definitions/s"}}, "definitions": {"s": {"type": "string"}}}, {"a": "b"}, {"a": 1}, "type"),
    (D4, {"type": "integer", "if": False, "const": 2}, 1, "a", "type"),
    (D6, {"exclusiveMinimum": 3}, 4, 3, "exclusiveMinimum"),
    (D6, {"contains": {"const": 1}}, [1], [2], "contains"),
    (D6, {"propertyNames": {"maxLength": 1}, "if": {}, "then": False}, {"a": 1}, {"ab": 1}, "propertyNames"),
    (D7, {"if": {"type": "string"}, "then": {"minLength": 2}}, "ab", "a", "minLength"),
    (D7, {"items": [{"type": "string"}], "additionalItems": {"type": "null"}}, ["a", None], ["a", 1], "type"),
    (D7, {"dependencies": {"a": ["b"]}}, {"b": 1}, {"a": 1}, "dependencies"),
    (D7, {"dependencies": {"a": {"required": ["b"]}}}, {"a": 1, "b": 1}, {"a": 1}, "required"),
    (D7, {"allOf": [{"$ref": "#/definitions/s", "maxLength": 1}], "definitions": {"s": {"type": "string"}}}, "long", 1, "type"),
    (D7, {"type": "array", "prefixItems": [False]}, [1], 1, "type"),
    (D7, {"type": "object", "dependentRequired": {"a": ["b"]}}, {"a": 1}, 1, "type"),
    (D19, {"items": [{"type": "string"}], "additionalItems": False}, ["a"], ["a", 1], "additionalItems"),
    (D19, {"dependentRequired": {"a": ["b"]}}, {"b": 1}, {"a": 1}, "dependentRequired"),
    (D19, {"allOf": [{"$ref": "#/$defs/s", "maxLength": 1}], "$defs": {"s": {"type": "string"}}}, "x", "long", "maxLength"),
    (D19, {"$recursiveAnchor": True, "type": "object", "properties": {"a": {"$recursiveRef": "#"}}}, {"a": {}}, {"a": 1}, "type"),
    (D19, {"properties": {"a": True}, "unevaluatedProperties": False}, {"a": 1}, {"b": 1}, "unevaluatedProperties"),
    (D20, {"prefixItems": [{"type": "string"}], "items": {"type": "null"}}, ["a", None], ["a", 1], "type"),
    (
        D20,
        {"properties": {"a": {"$id": "http://x/a", "$schema": D7, "allOf": [{"$ref": "#/definitions/s", "minLength": 9}], "definitions": {"s": {"type": "string"}}}}},
        {"a": "short"},
        {"a": 3},
        "type",
    ),
]  # fmt: skip


@pytest.mark.clause("005-G12")
@pytest.mark.parametrize(("draft", "schema", "right", "wrong", "keyword"), CASES)
def test_a_schema_is_read_by_the_draft_that_it_declares(draft, schema, right, wrong, keyword):
    """What a draft does not know is a remark there; what it knows counts, and is named."""
    compiled = Schema.compile({"$schema": draft, **schema})

    assert () == compiled.faults(right)
    assert {keyword} == {fault.keyword for fault in compiled.faults(wrong)}


WRITTEN = [
    ("date", "2024-02-29", "2023-02-29"),
    ("date-time", "2024-01-01T00:00:00Z", "2024-01-01 00:00:00"),
    ("time", "10:00:00Z", "25:00:00Z"),
    ("duration", "P1D", "P"),
    ("email", "a@b.example", "a@"),
    ("uri", "https://a.example/b", "a b"),
    ("uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8aa08"),
    ("ipv4", "192.0.2.1", "192.0.2.256"),
    ("ipv6", "::1", ":::1"),
    ("hostname", "a.example", "-a"),
    ("regex", "a+", "a("),
    ("json-pointer", "/a", "a"),
]


@pytest.mark.clause("005-G12")
@pytest.mark.parametrize("draft", [D4, D6, D7, D19, D20])
@pytest.mark.parametrize(("name", "right", "wrong"), WRITTEN)
def test_a_format_that_is_judged_is_judged_in_every_draft(draft, name, right, wrong):
    """An author who asks for a `uuid` under draft 7 means one."""
    schema = Schema.compile({"$schema": draft, "format": name}, formats=True)

    assert name in FORMATS
    assert ((), ["format"]) == (schema.faults(right), [f.keyword for f in schema.faults(wrong)])


@pytest.mark.clause("005-G12")
@pytest.mark.parametrize(
    ("draft", "asserted"), [(D4, True), (D7, True), (D19, False), (D20, False)]
)
def test_a_bare_schema_follows_its_dialect_about_formats(draft, asserted):
    """Up to draft 7 a format is asserted, from 2019-09 on it is a remark."""
    schema = Schema.compile({"$schema": draft, "format": "date"})

    assert asserted == (schema.faults("tomorrow") != ())
