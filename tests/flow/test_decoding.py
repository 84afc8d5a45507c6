"""A constrained model can only write what the gate accepts."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest

from assay.flow.job import Place, stage_job
from assay.flow.state import Memory
from assay.redaction.redactor import Redactor
from tests.packs.talk import SESSION, high, low, services, states


def plan_of(stage: str, replies: list[dict[str, Any]]) -> Any:
    pack = services()
    graph = pack.stages
    assert graph is not None
    memory = Memory(cached_state=states(replies)[stage], message="I am ill")
    job = stage_job(
        graph,
        graph.stages[stage],
        pack.contract(stage),
        memory,
        Place(session=SESSION, turn=1, step=0),
        Redactor(),
    )
    built = job.build(1, ())
    return job, built, job.plan(built)


def one_of(schema: Any) -> Any:
    """The value that comes of taking the last of several ways, everywhere."""
    if "const" in schema:
        return schema["const"]
    if "anyOf" in schema:
        base = {key: value for key, value in schema.items() if key != "anyOf"}
        return one_of({**base, **schema["anyOf"][-1]})
    if "enum" in schema:
        return schema["enum"][-1]
    kind = schema.get("type")
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: one_of(properties[name]) for name in schema.get("required", properties)}
    if kind == "array":
        return [one_of(schema["items"])]
    return 0.5 if kind == "number" else "n1"


@pytest.mark.parametrize(
    "stage", ["judgement_v1", "agency_detect_v1", "category_select_v1", "service_select_v1"]
)
@pytest.mark.clause("003-C1", "003-K3", "003-V2")
def test_what_a_narrowed_plan_allows_passes_the_gate(stage):
    """On the low path every stage has values that fit each other, the last of each taken."""
    job, built, plan = plan_of(stage, low())
    value = one_of(plan.schema)
    value |= {pointer[1:]: fixed for pointer, fixed in plan.fixed.items()}
    text = json.dumps(value).replace('"score": 0.5', '"score": 0.50')
    weighed = job.weigh(text.encode(), built, "stop")

    assert [] == list(weighed.findings)
    assert jsonschema_rs.is_valid(dict(plan.schema), value)


def test_keys_have_their_scores_named():
    """A score under a key that is named now is written with two decimals all the same."""
    _, _, plan = plan_of("category_select_v1", low())

    assert "/categorySelection/candidates/healthcare/score" in plan.scores


def test_rules_that_meet_in_one_object_agree():
    """Name and categories of an agency are those of that agency."""
    _, _, plan = plan_of("semantic_analysis_v1", high())
    text = json.dumps(plan.schema)
    validator = jsonschema_rs.validator_for(json.loads(text))
    good = high()[2] | {"telemetry": {"notes": "chosen"}}
    for item in good["semanticAnalysis"]["agencies"]:
        found = item["categorySelection"]["candidates"]
        for key in list(found)[1:]:
            del found[key]
    bad = json.loads(json.dumps(good).replace("U.S. Department of Veteran Affairs", "Other"))

    assert validator.is_valid(good)
    assert not validator.is_valid(bad)
