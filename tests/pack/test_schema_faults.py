"""Packs: a schema that judges nothing is a fault of the pack; formats are judged."""

from __future__ import annotations

import json

import pytest

from assay.contract.contract import judge
from assay.errors import PackError
from assay.pack.read import read_pack
from assay.pack.verify import verify_pack
from tests.command import assay

RING = {"$ref": "#/$defs/n", "$defs": {"n": {"$ref": "#/$defs/n"}}}
DATED = {"type": "object", "properties": {"day": {"format": "date"}}}
D7 = "http://json-schema.org/draft-07/schema#"


def files(schema, contract=None):
    """A folder with one contract."""
    written = {"c.schema.json": json.dumps(schema).encode()}
    if contract is not None:
        written["c.yaml"] = contract.encode()
    return written


@pytest.mark.clause("005-G12")
@pytest.mark.parametrize("contract", [None, "version: 1\n"])
@pytest.mark.parametrize(
    "schema",
    [RING, {"anyOf": [{"$ref": "#"}]}, {"$defs": {"a": {}}}, {"$schema": "http://example.com/x"}],
)
def test_a_schema_that_says_nothing_is_a_fault_of_the_pack(schema, contract):
    """It is told when the pack is read, and by whoever verifies it."""
    with pytest.raises(PackError) as told:
        read_pack(files(schema, contract))

    assert "c.schema.json" == told.value.file
    assert not verify_pack(files(schema, contract)).holds


@pytest.mark.clause("005-G12")
@pytest.mark.parametrize(
    ("contract", "judged"),
    [(None, True), ("version: 1\n", True), ("formats: true\n", True), ("formats: false\n", False)],
)
@pytest.mark.parametrize("draft", [{}, {"$schema": D7}])
def test_formats_are_judged_unless_a_contract_says_otherwise(draft, contract, judged):
    """A date that is none is a finding, in every draft."""
    verdict = judge(read_pack(files({**draft, **DATED}, contract)).contract("c"), '{"day": "soon"}')

    assert (["schema.format"] if judged else []) == [found.code for found in verdict.findings]


@pytest.mark.clause("005-G12")
@pytest.mark.parametrize("name", ["dat", "e-mail", "datetime", ""])
def test_a_format_that_nobody_knows_is_a_fault_of_the_pack(name):
    """It would be passed over; `formats: false` says that this is meant."""
    schema = {"type": "object", "properties": {"day": {"type": "string", "format": name}}}

    with pytest.raises(PackError, match="is not known"):
        read_pack(files(schema, "version: 1\n"))
    assert read_pack(files(schema, "formats: false\n")).contract("c")


@pytest.mark.parametrize("name", ["int32", "double", "binary", "password"])
def test_formats_of_other_standards_are_remarks(name):
    """They say how a value is stored or shown."""
    assert read_pack(files({"properties": {"a": {"format": name}}})).contract("c")


@pytest.mark.clause("005-G12")
def test_calls_recorded_while_formats_were_remarks_find_the_contract_of_then():
    """Its digest is the old one, and it judges as it did; where nothing differs there is none."""
    now = read_pack(files(DATED, "version: 1\n")).contract("c")
    then = read_pack(files(DATED, "formats: false\n")).contract("c")

    assert now.before_formats is not None
    assert (now.before_formats.digest, True) == (then.digest, now.digest != then.digest)
    assert judge(now.before_formats, '{"day": "soon"}').accepted
    assert read_pack(files({"type": "object"})).contract("c").before_formats is None


@pytest.mark.clause("005-G12")
def test_the_gate_takes_a_faulty_schema_for_an_input_that_is_wrong(tmp_path):
    """Nobody asked to verify the pack: it leaves with 10, and `pack verify` with 60."""
    for name, raw in files(RING).items():
        (tmp_path / name).write_bytes(raw)

    assert 10 == assay(tmp_path, "gate", f"{tmp_path}/c", "-", stdin=b"{}").code
    assert 60 == assay(tmp_path, "pack", "verify", str(tmp_path)).code
