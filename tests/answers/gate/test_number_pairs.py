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


@pytest.mark.clause("005-A3")
@pytest.mark.parametrize(
    ("chunk", "right", "wrong"),
    [
        ("Payment is due in May.", "It is due in May.", "It is due in June."),
        ("It starts on 3 May 2024.", "It starts in May.", "It starts in March."),
        ("Die Zahlung ist im Mai fällig.", "Fällig ist sie im Mai.", "Fällig ist sie im Juni."),
        ("Le paiement est dû en mai.", "Il est dû en mai.", "Il est dû en juin."),
        ("El pago vence en mayo.", "Vence en mayo.", "Vence en junio."),
        ("Il pagamento scade a maggio.", "Scade a maggio.", "Scade a giugno."),
        ("Opłata jest płatna w maju.", "Płatna jest w maju.", "Płatna jest w czerwcu."),
    ],
)
def test_a_month_alone_is_a_date(chunk, right, wrong):
    """Behind a word of time; a word that is written alike (`may`) is none."""
    assert "grounding.date" not in faults(chunk, right)
    assert "grounding.date" in faults(chunk, wrong)
    assert "grounding.date" not in faults(chunk, "In may cases may it be.")
