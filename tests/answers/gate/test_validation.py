"""Validation of answers as a whole (R5)."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.answers.assemble import REFUSAL, assemble, validate
from assay.answers.gate import validation
from assay.errors import InputError, IntegrityError
from tests.answers.bundles import QUESTION, bundle, chunk, policy

ASSEMBLY = assemble(bundle(), QUESTION)
DOCUMENT = ASSEMBLY.to_dict()
GOOD = "The yearly fee is 40 EUR [C0]. The office sends one reminder. [C1]"


def codes(answer: str | bytes) -> list[str]:
    return [finding.code for finding in validate(ASSEMBLY, answer).findings]


@pytest.mark.clause("004-V2")
def test_the_document_has_the_specifications_names():
    """R5's fields, and the findings."""
    document = validate(ASSEMBLY, GOOD).to_dict()

    assert {
        "generation_status": "OK",
        "validation_status": "PASSED",
        "failure_reason": None,
        "validated_answer_text": GOOD,
        "findings": [],
    }.items() <= document.items()
    assert [
        {
            "anchor": "C0",
            "chunk_id": "fees-0",
            "source_reference": "Fee schedule",
            "start": 25,
            "stop": 29,
            "span": {"start": 0, "stop": 25},
        },
        {
            "anchor": "C1",
            "chunk_id": "fees-1",
            "source_reference": "Fee schedule",
            "start": 62,
            "stop": 66,
            "span": {"start": 47, "stop": 77},
        },
    ] == document["validated_citations"]
    assert {
        "sentences": 2,
        "cited_share": 1.0,
        "numbers_checked": 1,
        "numbers_grounded": 1,
        "anchors_used": ["C0", "C1"],
        "anchors_unused": ["C2"],
    }.items() <= document["grounding_metrics"].items()


@pytest.mark.clause("004-V1")
def test_the_printed_assembly_will_do():
    """The document, through JSON and back, judges as the assembly does; bytes as text."""
    printed = json.loads(json.dumps(DOCUMENT))
    for answer in (GOOD, "It is 45 EUR.", REFUSAL, "", "It is so [C9] [c0]."):
        expected = validate(ASSEMBLY, answer).to_dict()
        assert expected == validate(printed, answer).to_dict()
        assert expected == validate(printed, answer.encode()).to_dict()


@pytest.mark.clause("004-V5", "004-P11")
@pytest.mark.parametrize("answer", [REFUSAL, f"\n  {REFUSAL}\n"])
def test_the_exact_refusal_passes_alone(answer):
    """White space around it is no matter."""
    result = validate(ASSEMBLY, answer)

    assert ("NO_EVIDENCE", "PASSED", REFUSAL) == (
        result.generation_status,
        result.validation_status,
        result.validated_answer_text,
    )
    assert () == result.validated_citations


@pytest.mark.clause("004-V5")
@pytest.mark.parametrize(
    "answer",
    [REFUSAL + " Bye.", REFUSAL.lower(), f'"{REFUSAL}"', REFUSAL[:-1], f"{REFUSAL}\n{REFUSAL}"],
)
def test_any_other_refusal_fails(answer):
    """Exact match, casing and punctuation included."""
    result = validate(ASSEMBLY, answer)

    assert not result.accepted
    assert "refusal.not_exact" in {finding.code for finding in result.findings}


def test_an_answer_with_the_refusal_in_it_keeps_its_other_faults():
    """What stands beside the refusal is judged as ever."""
    assert ["refusal.not_exact", "grounding.number"] == codes(REFUSAL + " It is 45 EUR [C0].")
    assert ["sentence.uncited", "refusal.not_exact"] == codes("It is so. " + REFUSAL)


@pytest.mark.clause("004-V7")
@pytest.mark.parametrize("answer", ["The fee is 40 EUR [C0].", "", "I do not know."])
def test_without_evidence_only_the_refusal_may_be_said(answer):
    """With NO_EVIDENCE every other answer fails."""
    nothing = assemble(bundle(no_evidence=True), QUESTION)

    assert not validate(nothing, answer).accepted
    assert validate(nothing, REFUSAL).accepted
    assert not validate(nothing.to_dict(), answer).accepted


def test_with_a_failed_assembly_nothing_passes():
    """Not even the refusal: there was nothing to refuse from."""
    result = validate(assemble({}, QUESTION), REFUSAL)

    assert ("FAILED", "FAILED", "assembly.failed") == (
        result.generation_status,
        result.validation_status,
        result.failure_reason,
    )


@pytest.mark.clause("004-V6")
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("", "answer.empty"),
        (" \n\t", "answer.empty"),
        ("# Fees", "answer.empty"),
        ("[C0]", "answer.empty"),
        (" … [C0] [C1].", "answer.empty"),
        ("\ud800", "answer.unicode"),
        (b"\xff\xfe", "answer.unicode"),
        ("The fee is 40 EUR.", "sentence.uncited"),
        ("The fee is 40 EUR [C3].", "citation.unknown_anchor"),
        ("The fee is 40 EUR [C00].", "citation.malformed"),
        ("The fee is in fees-0 [C0].", "answer.metadata"),
        ("The Evidence says 40 EUR [C0].", "answer.meta_commentary"),
        ("Let me think: 40 EUR [C0].", "answer.reasoning_trace"),
        ("The fee is 45 EUR [C0].", "grounding.number"),
        ("The fee is due on 6 March 2024 [C0].", "grounding.date"),
    ],
)
def test_a_rejected_answer_is_no_answer(answer, code):
    """Each fault by itself keeps the text back and is the reason."""
    result = validate(ASSEMBLY, answer)

    assert code in {finding.code for finding in result.findings}
    assert not result.accepted
    assert result.failure_reason in {finding.code for finding in result.findings}
    assert result.validated_answer_text is None
    assert () == result.validated_citations


@pytest.mark.clause("004-V6")
@pytest.mark.parametrize("place", range(4))
def test_a_check_that_fails_is_a_fault_of_the_answer(monkeypatch, place):
    """No exception leads to a pass."""

    def broken(judged):
        raise RuntimeError("out of order")

    checks = list(validation._CHECKS)
    checks[place] = broken
    monkeypatch.setattr(validation, "_CHECKS", tuple(checks))
    result = validate(ASSEMBLY, GOOD)

    assert not result.accepted
    assert "check.error" in {finding.code for finding in result.findings}


@pytest.mark.clause("004-P4")
def test_new_names_are_notes_unless_the_policy_says_otherwise():
    """The policy of the assembly holds; one given to validate goes before it."""
    answer = "The yearly fee is 40 EUR, says Helga Muster [C0]."
    strict = assemble(bundle(), QUESTION, policy(unsupported_entities="reject"))

    assert ["grounding.entity"] == codes(answer)
    assert validate(ASSEMBLY, answer).accepted
    assert not validate(strict, answer).accepted
    assert not validate(DOCUMENT, answer, policy(unsupported_entities="reject")).accepted
    assert validate(strict, answer, policy()).accepted


def test_the_prompt_may_hold_no_more_evidence_than_the_document():
    """The parts of a printed assembly vouch for each other."""
    for place, value, error in (
        (("prompt_build", "prompt_text"), "changed", IntegrityError),
        (("prompt_build", "prompt_sha256"), None, IntegrityError),
        (("answer_bundle", "evidence_block_text"), "changed", IntegrityError),
        (("answer_bundle", "anchor_map"), {"C0": "other"}, InputError),
        (("answer_bundle", "selected_evidence"), [], InputError),
        (("answer_bundle", "assembly_status"), "GOOD", InputError),
        (("answer_bundle",), None, InputError),
        (("prompt_build",), [], InputError),
    ):
        document = copy.deepcopy(DOCUMENT)
        inner = document
        for step in place[:-1]:
            inner = inner[step]
        inner[place[-1]] = value
        with pytest.raises(error):
            validate(document, GOOD)

    changed = copy.deepcopy(DOCUMENT)
    changed["answer_bundle"]["selected_evidence"][0]["sanitized_text"] = "The fee is 45 EUR."
    with pytest.raises(IntegrityError):
        validate(changed, "The fee is 45 EUR [C0].")


@pytest.mark.parametrize("value", [None, [], {}, {"answer_bundle": {}}, "text"])
def test_anything_else_is_no_assembly(value):
    """What `assay assemble --json` did not print is refused."""
    with pytest.raises(InputError):
        validate(value, GOOD)


@given(st.text(alphabet=st.sampled_from("The fee is 40 EUR. [C0]\n-#:é[]"), max_size=80))
def test_what_passes_is_cited(answer):
    """No answer passes without a marker of an offered anchor."""
    result = validate(ASSEMBLY, answer)

    if result.accepted:
        assert result.validated_citations
        assert answer == result.validated_answer_text
        assert 1.0 == result.grounding_metrics["cited_share"]
    else:
        assert result.failure_reason


def test_a_chunk_cut_at_its_cap_is_judged_as_it_was_shown():
    """What was cut off is no evidence."""
    text = " ".join(["The first part is long."] * 20) + " The fee is 99 EUR."
    narrow = policy(max_chunk_token_ratio=0.02)
    assembly = assemble(bundle(chunk(0, text)), QUESTION, narrow)

    assert assembly.answer_bundle.selected_evidence[0].truncated
    assert not validate(assembly, "The fee is 99 EUR [C0].").accepted
