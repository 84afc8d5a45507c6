"""The plain contract as a job: its correction prompts, and the contract of a recorded call."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.contract.contract_job import contract_of, correction_lines
from assay.contract.kept import KeptAttempt, KeptCall
from assay.core.json.schema import Schema
from assay.errors import NotFoundError
from assay.gate.verdict import Finding
from tests.runtime.tiny import tiny_pack

SCHEMA = Schema.compile({"type": "object", "properties": {"label": {"type": "string"}}})


def kept(reference: str = "tiny/triage", **built: object) -> KeptCall:
    """A call of which nothing is known but its contract and the facts of its prompt."""
    return KeptCall(
        id="c",
        run=1,
        kind="contract",
        reference=reference,
        contract_digest="",
        input="",
        input_digest="",
        opened={},
        material=None,
        attempts=(KeptAttempt(number=1, built=built),),
        settled=None,
        result=None,
    )


@pytest.mark.clause("003-C4")
def test_a_correction_says_what_rejected_and_nothing_of_the_reply():
    """Notes are left out, the same line is said once, a key that the model invented is `…`."""
    findings = [
        Finding(code="label.unknown", path="/label", message="is no label"),
        Finding(code="label.unknown", path="/label", message="is no label"),
        Finding(code="schema.type", path="/Anna Muster/0/label", message="wrong type"),
        Finding(code="rule.seen", severity="note", message="was seen before"),
        Finding(code="output.empty", message="says nothing"),
    ]

    assert [
        "- label.unknown at /label: is no label",
        "- schema.type at /…/0/label: wrong type",
        "- output.empty at /: says nothing",
    ] == list(correction_lines(SCHEMA, findings))


@pytest.mark.clause("003-C4")
@given(st.lists(st.text(max_size=8), max_size=5))
def test_no_step_of_a_path_is_written_that_the_schema_does_not_name(steps):
    """Whatever keys a reply invents, a correction repeats declared names and digits alone."""
    path = "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)
    (line,) = correction_lines(SCHEMA, [Finding(code="x.y", path=path, message="m")])
    written = line.removeprefix("- x.y at /").removesuffix(": m")

    assert all(
        step in {"label", "…"} or (step.isascii() and step.isdigit())
        for step in written.split("/")
        if step
    )


def test_the_contract_of_a_call_is_the_one_that_was_rendered():
    """Without a template where the fallback prompt was sent; as the pack has it otherwise."""
    pack = tiny_pack()
    plain, fallback = contract_of(kept(), pack), contract_of(kept(release="fallback"), pack)

    assert pack.contract("triage") == plain
    assert (True, "fallback") == (fallback.fallback, fallback.release)
    assert plain.digest != fallback.digest


def test_a_call_of_another_pack_has_no_contract_here():
    """The pack that is handed in is the one of the call, or the error says whose it is."""
    with pytest.raises(NotFoundError, match="'other'"):
        contract_of(kept("other/triage"), tiny_pack())
