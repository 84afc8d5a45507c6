"""Claims about numbers as they were reported, through assembly and validation."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from assay.answers.assemble import assemble, validate
from tests.answers.bundles import bundle, chunk

OF_NUMBERS = {"grounding.number", "grounding.unit", "grounding.date"}


def read_rows(cases: Path, name: str) -> list[dict[str, Any]]:
    """The rows of one file of reports."""
    lines = (cases / "reports" / name).read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def codes(evidence: list[str], answer: str) -> set[str]:
    """Codes of the findings that reject *answer*."""
    results = [chunk(place, text) for place, text in enumerate(evidence)]
    assembly = assemble(bundle(*results), "What does it say?")
    findings = validate(assembly, answer).findings
    return {finding.code for finding in findings if finding.severity == "reject"}


def cite(answer: str) -> str:
    """*answer* with a marker before its last mark."""
    return re.sub(r"([.。]?)\Z", r" [C0]\1", answer, count=1)


@pytest.mark.clause("005-A3")
@pytest.mark.clause("005-A7")
def test_reported_claims_come_out_as_they_are(cases):
    """A supported claim has no finding about a number; an unsupported one has, of each kind."""
    wrong = []
    claims = [row for row in read_rows(cases, "claims.jsonl") if row["kind"] != "relation"]
    for row in claims:
        found = codes([row["chunk"]], cite(row["answer"])) & OF_NUMBERS
        if bool(found) == row["supported"]:
            wrong.append((row["kind"], row["chunk"], row["answer"], sorted(found)))

    assert len(claims) > 80
    assert [] == wrong


@pytest.mark.clause("005-A3")
def test_reported_answers_come_out_as_they_should(cases):
    """A scale word, a group of digits and a grouping sign are read as what they are."""
    rows = [row for row in read_rows(cases, "reports.jsonl") if row["id"].startswith("num-")]
    for row in rows:
        found = codes(row["input"]["chunks"], row["input"]["answer"]) & OF_NUMBERS
        assert row["right"].startswith("PASSED") == (not found), (row["id"], found)
        assert not found or found <= {"grounding.number"}, row["id"]

    assert len(rows) == 6
