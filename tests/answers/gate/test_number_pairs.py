"""Numbers, units, bounds and dates of an answer against evidence in other locales and scripts."""

from __future__ import annotations

import pytest

from assay.answers.gate.citations import markers, read_sentences
from assay.answers.gate.grounding import Chunks, Tally, check_grounding
from tests.answers.gate.number_pairs import OTHER, SAME


def pairs(table: str) -> list[tuple[str, str]]:
    """The lines of *table* as evidence and answer."""
    lines = [line for line in table.splitlines() if " => " in line]
    return [(chunk, answer) for chunk, answer in (line.split(" => ") for line in lines)]


def faults(chunk: str, answer: str) -> set[str]:
    """Codes that reject *answer* over *chunk*, of those about numbers, dates and addresses."""
    read = read_sentences(answer, markers(answer))
    findings = check_grounding(answer, read, Chunks({"C0": chunk}, {}), Tally())
    return {finding.code for finding in findings if finding.severity == "reject"}


@pytest.mark.clause("005-A3")
@pytest.mark.parametrize(("chunk", "answer"), pairs(SAME))
def test_the_same_number_in_another_writing_is_held(chunk, answer):
    """Scale, grouping, unit, currency, bound, range and date are read in any locale."""
    assert set() == faults(chunk, answer)


@pytest.mark.clause("005-A3")
@pytest.mark.parametrize(("chunk", "answer"), pairs(OTHER))
def test_another_number_is_rejected(chunk, answer):
    """A changed digit, scale, unit, currency, bound, end of a range or date is another claim."""
    assert faults(chunk, answer)
