"""Drafts become text where they are settled, and rules with an end where they are open."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.embedded.grammar import Open, write
from assay.contract.decoding.bounded_schema import close_schema, inline_references
from assay.contract.decoding.plan import DecodingPlan, Quote

SETTLED = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)


def plan_for(schema: dict[str, Any], **facts: Any) -> DecodingPlan:
    return DecodingPlan(
        schema=close_schema(inline_references(schema), labels={}, quotes=()), **facts
    )


def grammar_of(schema: dict[str, Any], **facts: Any) -> str:
    plan = plan_for(schema, **facts)
    return write(Open(schema=plan.schema, at=""), plan).grammar


@given(SETTLED)
def test_a_settled_draft_is_its_json(value: Any) -> None:
    """Nothing open: the text is the value as JSON without white space."""
    written = write(value, DecodingPlan())

    assert json.dumps(value, ensure_ascii=False, separators=(",", ":")) == written.text


def test_what_is_settled_stands_as_a_literal_around_what_is_open() -> None:
    """The decoder cannot touch what was decided before."""
    draft = {"label": "A", "note": Open(schema={"type": "boolean"}, at="/note"), "end": 1}

    written = write(draft, DecodingPlan())

    assert written.text is None
    assert written.grammar.splitlines()[1:] == [
        r'start: "{\"label\":\"A\",\"note\":" r0 ",\"end\":1}"',
        'r0: "true" | "false"',
    ]


@pytest.mark.parametrize(
    ("bounds", "rule"),
    [
        ({"minimum": 0, "maximum": 1}, r"/0\.[0-9]{2}|1\.00/"),
        ({"minimum": 0.98, "maximum": 1}, r"/0\.98|0\.99|1\.00/"),
    ],
)
def test_scores_have_two_decimals_within_their_bounds(bounds: dict[str, Any], rule: str) -> None:
    """A score is written as the gate wants it, however many digits a model likes."""
    schema = {"type": "number", **bounds}

    assert rule in grammar_of(schema, scores=("",))


def test_quotes_are_exactly_the_sentences_shown() -> None:
    """A quote is one of the shown sentences, escaped as JSON, each once."""
    texts = ['Sie sagte "nein".', "Ende.", "Ende."]
    sentences = tuple(Quote(source="t", start=0, stop=len(t), text=t) for t in texts)

    grammar = grammar_of({"type": "string"}, quotes=("",), sentences=sentences)

    assert 'r0: "\\"Sie sagte \\\\\\"nein\\\\\\".\\"" | "\\"Ende.\\""' in grammar


def test_keys_that_may_be_missing_are_left_out() -> None:
    """A small model decides nothing that nobody asked for."""
    schema = {
        "type": "object",
        "required": ["must"],
        "properties": {"may": {"type": "boolean"}, "must": {"type": "null"}},
    }

    assert "must" in grammar_of(schema)
    assert "may" not in grammar_of(schema)


def test_an_echoed_value_is_the_only_one() -> None:
    """What the plan fixes is a literal, whatever the schema would allow."""
    schema = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}

    assert r"\"s-1\"" in grammar_of(schema, fixed={"/id": "s-1"})


def test_arrays_end() -> None:
    """An array has at least and at most as many items as its schema says."""
    schema = {"type": "array", "items": {"type": "null"}, "minItems": 2, "maxItems": 4}

    assert '"[" "null" ("," "null"){1,3} "]"' in grammar_of(schema)
