"""Labels, byte for byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.json.pointer import PointerPattern
from assay.core.json.schema import Schema
from assay.gate.gate import GateContext, judge
from assay.gate.labels import LabelRule, LabelSet

LABELS = {"WATER": "pipes", "FIRE": "flames", "STORM": "wind"}
HERE = GateContext()


def rule(pattern, **facts):
    return LabelRule(
        pattern=PointerPattern.compile(pattern), set=LabelSet(name="kind", labels=LABELS, **facts)
    )


def found(output, pattern="/label", **facts):
    """(code, path) of every finding."""
    return [(finding.code, finding.path) for finding in rule(pattern, **facts)(output, HERE)]


@pytest.mark.clause("000-H3", "000-C4")
@pytest.mark.parametrize(
    ("label", "codes"),
    [
        ("WATER", []),
        ("water", ["label.unknown"]),
        ("WATER ", ["label.unknown"]),
        ("\uff37ATER", ["label.unknown"]),
        ("WATE", ["label.unknown"]),
        ("", ["label.unknown"]),
        (None, ["label.unknown"]),
        (1, ["label.unknown"]),
        (["WATER"], ["label.unknown"]),
        ({"WATER": 1}, ["label.unknown"]),
    ],
)
def test_labels_match_byte_for_byte(label, codes):
    """A label that differs only in case is as wrong as an invented one."""
    assert codes == [code for code, _ in found({"label": label})]


def test_every_place_is_looked_at():
    """Each wrong label has its own finding and place."""
    output = {"list": [{"label": "WATER"}, {"label": "x"}, {}, {"label": "y"}]}

    assert [("label.unknown", "/list/1/label"), ("label.unknown", "/list/3/label")] == found(
        output, "/list/*/label"
    )


SCHEMA = Schema.compile(
    {
        "type": "object",
        "properties": {
            "list": {"type": "array", "items": {"$ref": "https://else.where/item"}},
            "one": {"type": ["object", "null"], "properties": {"kind": {"type": "string"}}},
            "by_name": {"type": "object"},
        },
    },
    registry={"https://else.where/item": {"type": "object", "properties": {"label": {}}}},
)


@pytest.mark.parametrize(
    ("pattern", "output", "codes"),
    [
        ("/list/*/label", {"list": [{"label": "WATER"}]}, []),
        ("/list/*/label", {"list": []}, []),
        ("/list/*/label", {}, []),
        ("/list/*/label", {"list": [{}]}, []),
        ("/list/5/label", {"list": [{"label": "WATER"}]}, []),
        ("/one/kind", {"one": None}, []),
        ("/one/kind", {"one": {}}, []),
        ("/by_name/*/kind", {"by_name": {}}, []),
        ("/**/label", {"one": {"kind": "WATER"}}, []),
        ("/list/**/kind", {"list": [{"label": "WATER"}]}, []),
        ("/list/*/lable", {"list": [{"label": "WATER"}]}, ["label.no_value"]),
        ("/list/*/lable", {"list": []}, []),
        ("/lits/*/label", {"list": []}, ["label.no_value"]),
        ("/lits/*/label", {"list": [{"label": "WATER"}]}, ["label.no_value"]),
        ("/list/label", {"list": [{"label": "WATER"}]}, ["label.no_value"]),
        ("/one/kind/label", {"one": {"kind": "WATER"}}, ["label.no_value"]),
        ("/by_name/*/kind", {"by_name": {"a": "WATER", "b": "FIRE"}}, ["label.no_value"]),
        ("/by_name/*/kind", {"by_name": {"a": "WATER", "b": {}}}, []),
    ],
)
def test_a_pointer_that_cannot_be_right_is_a_note(pattern, output, codes):
    """A mistyped one would let every label pass; an absence that explains itself is no sign."""
    verdict = judge(json.dumps(output), HERE, [rule(pattern)], schema=SCHEMA)

    assert codes == [finding.code for finding in verdict.findings]
    assert verdict.accepted


def test_an_output_that_does_not_fit_says_nothing_of_the_pointer():
    """Where the schema is broken, what is missing is the schema's to name."""
    verdict = judge('{"list": {"label": "x"}}', HERE, [rule("/list/*/label")], schema=SCHEMA)

    assert ["schema.type"] == [finding.code for finding in verdict.findings]


@pytest.mark.parametrize(
    ("facts", "codes"),
    [
        ({"multi": True}, [("label.duplicate", "/list/2/label")]),
        ({"multi": True, "repeats": True}, []),
        ({"multi": False}, []),
    ],
)
def test_a_label_stands_once_where_repeating_means_nothing(facts, codes):
    """Only in sets of which several may apply, and not where kinds repeat, as entities do."""
    output = {"list": [{"label": "WATER"}, {"label": "FIRE"}, {"label": "WATER"}]}

    assert codes == found(output, "/list/*/label", **facts)


def test_a_duplicate_is_one_within_the_same_array():
    """Two lists may each name the label; so may a place outside of lists."""
    output = {"a": ["WATER", "FIRE"], "b": ["WATER"], "c": "WATER"}

    assert [] == found(output, "/**", multi=True)[len(found(output, "/**")) :]
    assert [] == [code for code, _ in found(output, "/*/*", multi=True)]
    assert [("label.duplicate", "/a/2"), ("label.duplicate", "/a/3")] == found(
        {"a": ["WATER", "FIRE", "WATER", "WATER"]}, "/*/*", multi=True
    )
    assert [("label.duplicate", "/a/0/1")] == found(
        {"a": [["FIRE", "FIRE"], ["FIRE"]]}, "/a/*/*", multi=True
    )


def test_messages_name_labels_of_the_pack_and_nothing_else():
    """A near miss is pointed out; the word that was sent is not repeated."""

    def message(label):
        return next(iter(rule("/label")({"label": label}, HERE))).message

    assert "is no label of 'kind'; did you mean 'WATER'?" == message("water")
    assert "is no label of 'kind'; did you mean 'WATER'?" == message("WATERS")
    assert "is no label of 'kind'" == message("Jane Roe, 555-867-0000")


@given(st.lists(st.sampled_from([*LABELS, "x"]), max_size=6))
def test_findings_are_those_of_counting(labels):
    """Unknown ones and every occurrence of a label after its first."""
    expected = [("label.unknown", f"/list/{at}") for at, label in enumerate(labels) if label == "x"]
    expected += [
        ("label.duplicate", f"/list/{at}")
        for at, label in enumerate(labels)
        if label in labels[:at]
    ]

    assert expected == found({"list": labels}, "/list/*", multi=True)
