"""What a notebook shows of values that runs, verdicts and answers are."""

from __future__ import annotations

import asyncio

import pytest

from assay.gate.verdict import Finding, Verdict
from tests.runtime.answers.test_ask import GOOD as ANSWER
from tests.runtime.answers.test_ask import QUESTION, bundle
from tests.runtime.tiny import GOOD, TEXT, UNKNOWN_LABEL, opened, tiny_pack

pytestmark = pytest.mark.clause("007-F5")


async def outcome_of(place, *replies):
    async with opened(place, *replies) as runtime:
        (outcome,) = [each async for each in runtime.run(tiny_pack(), [TEXT])]
    return outcome


def test_a_rejected_outcome_tells_its_findings(tmp_path):
    """Status, reason and findings in words stand in it."""
    shown = asyncio.run(outcome_of(tmp_path, UNKNOWN_LABEL, UNKNOWN_LABEL))._repr_html_()

    assert "needs review" in shown
    assert "gate.rejected" in shown
    assert "<code>label.unknown</code>" in shown


def test_an_accepted_outcome_shows_its_text_and_result(tmp_path):
    """The source is there beside what was made of it."""
    shown = asyncio.run(outcome_of(tmp_path, GOOD))._repr_html_()

    assert "accepted" in shown
    assert "There is water in the cellar" in shown
    assert "<dt>label</dt><dd>water</dd>" in shown


def test_a_verdict_shows_findings_and_output():
    """It has no texts, so it shows none."""
    note = Finding(code="label.no_value", severity="note", message="Leads <nowhere>.")
    shown = Verdict(findings=(note,), output={"topic": "water"})._repr_html_()

    assert "Leads &lt;nowhere&gt; (note) <code>label.no_value</code>" in shown
    assert "<dd>water</dd>" in shown
    assert "rejected" in Verdict(findings=(), output=None)._repr_html_()


def test_an_answer_shows_its_citations_and_what_they_cite(tmp_path):
    """Each marker is marked in the answer, and the cited passage stands below it."""

    async def answer():
        async with opened(tmp_path, ANSWER) as runtime:
            return await runtime.ask(QUESTION, bundle=bundle())

    answered = asyncio.run(answer())
    shown = answered._repr_html_()

    assert answered.citations
    for citation in answered.citations:
        assert f"{citation['anchor']} {citation['source_reference']}" in shown
    assert "<mark" in shown
