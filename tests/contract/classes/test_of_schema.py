"""A schema that somebody sends along is a contract, or is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.contract.classes.of_schema import describe_schema
from assay.contract.contract import Contract, judge
from assay.core.json.canonical import digest_json
from assay.errors import ContractClassError, UsageError

SCHEMA = {
    "type": "object",
    "required": ["quote"],
    "additionalProperties": False,
    "properties": {"quote": {"type": "string", "x-assay-quote": ["body"]}},
}


def contract_of(document, name="S"):
    return Contract.from_record(describe_schema(document, name=name, prompt="{{body}} {{schema}}"))


@pytest.mark.clause("009-O2")
@pytest.mark.parametrize(
    ("output", "codes"),
    [
        ('{"quote": "a pipe"}', []),
        ('{"quote": "a roof"}', ["evidence.not_found"]),
        ('{"quote": 7}', ["schema.type"]),
        ("{}", ["schema.required"]),
        ("a pipe", ["json.invalid"]),
    ],
)
def test_outputs_are_held_to_the_schema_and_its_quotes(output, codes):
    """As those of a class are."""
    verdict = judge(contract_of(SCHEMA), output, sources={"body": "There is a pipe."})

    assert codes == [each.code for each in verdict.findings][: len(codes) or None]
    assert verdict.accepted is not bool(codes)


@pytest.mark.clause("009-O2")
def test_the_record_alone_says_all_of_it():
    """The same document is the same contract; nothing of it stands elsewhere."""
    contract = contract_of(SCHEMA)

    assert contract.declared is not None
    assert contract.declared.is_whole
    assert digest_json(contract.declared.document) == contract.digest
    assert contract.digest == Contract.from_record(contract.declared.document).digest
    assert contract.digest != contract_of(SCHEMA, "T").digest


@pytest.mark.clause("009-O2")
@pytest.mark.parametrize(
    "document",
    [
        {"type": "string"},
        {},
        {"type": "object", "properties": {"a": {"x-assay-labels": "kinds"}}},
        {"type": "object", "properties": {"a": {"x-assay-format": "uuid"}}},
        {"type": "object", "properties": {"a": {"type": "number", "x-assay-quote": []}}},
        {"type": "object", "properties": {"a": {"type": "string", "x-assay-quote": 7}}},
    ],
)
def test_a_schema_that_cannot_be_held_to_is_refused(document):
    """No object, or a marker that would ask nothing."""
    with pytest.raises(ContractClassError):
        contract_of(document)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=6),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["type", "properties", "$ref", "anyOf", "x-assay-quote", "a"]),
                inner,
            )
        ),
        max_leaves=10,
    ),
    st.text(max_size=5),
)
def test_any_document_becomes_a_contract_or_is_refused(document, name):
    """Never a fault of the program; what is made judges."""
    whole = {"type": "object", "properties": {"x": document}}
    try:
        contract = contract_of(whole, name)
    except UsageError:
        return
    assert judge(contract, "[]", sources={"body": ""}).accepted is False
