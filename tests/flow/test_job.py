"""A stage's correction stands under its lead, and there is no lead without a finding."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.contract.budget import Attempt
from assay.contract.material import Built, Material
from assay.flow.graph import Stage
from assay.flow.job import Place, StageJob
from assay.gate.verdict import Finding
from assay.pack.read import read_pack
from assay.redaction.redactor import Redactor
from tests.pack.small import small_pack

FINDING = Finding(code="label.unknown", path="/kind", message="says so")


def prompt(findings: tuple[Finding, ...], attempt: int) -> str:
    contract = read_pack(small_pack()).contract("tell")
    job = StageJob(
        contract=replace(contract, attempts=(Attempt(), Attempt(correct=True))),
        material=Material(texts={"text": "World"}),
        redactor=Redactor(),
        stage=Stage(name="s", contract="tell", next_field="/next", next={}),
        place=Place(session="a", turn=1, step=0),
        slots=(),
        lead="Mend this:",
    )
    built = job.build(attempt, findings)
    assert isinstance(built, Built)
    return built.prompt.text


@pytest.mark.clause("003-C4")
def test_a_correction_needs_an_attempt_that_corrects_and_something_to_correct() -> None:
    """When the findings of the attempt before are gone, as after an erasure, the second attempt
    says nothing of them; a lead above nothing would only confuse."""
    plain = prompt((), 1)

    assert plain == prompt((FINDING,), 1) == prompt((), 2)
    assert prompt((FINDING,), 2) == f"{plain}\n\nMend this:\n- label.unknown at /kind: says so"


def test_the_name_of_a_stages_input_is_read_back() -> None:
    """Session, turn and stage; a stage's name may hold a slash, a session's may not."""
    place = Place(session="s-1", turn=12, step=3)

    assert (place, "plan/deep") == Place.parse(place.input_name("plan/deep"), 3)
