"""Answers as people and models write them, right and wrong, in twelve languages.

Each row of `natural_answers.jsonl` is a document with answers to one question; `right` says what
the answer is, `judged` whether the gate lets it pass. Where the two differ, the words do not tell
it; `tools/quality_claims.py` counts what that costs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.answers.assemble import assemble, validate
from tests.answers.bundles import bundle, chunk, policy

ROWS: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__)
    .with_name("natural_answers.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
SEVERAL = [row for row in ROWS if sum(other["language"] == row["language"] for other in ROWS) > 1]


def offered(row):
    """What the row's question offers."""
    chunks = [chunk(place, text) for place, text in enumerate(row["chunks"])]
    return assemble(bundle(*chunks), row["question"], policy(overlap_ratio_threshold=1.0))


@pytest.mark.clause("005-A1", "005-A2", "005-A3", "005-A4", "005-A5", "005-A6")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["document"])
def test_natural_answers_are_judged_as_written_down(row):
    """Paraphrases pass; one fact, unit, bound, denial or line that is not held does not."""
    assembly = offered(row)
    found = {each["answer"]: validate(assembly, each["answer"]).accepted for each in row["answers"]}

    assert found == {each["answer"]: each["judged"] for each in row["answers"]}


@pytest.mark.clause("005-A2")
@pytest.mark.parametrize("row", SEVERAL, ids=lambda row: row["document"])
def test_right_answers_of_another_document_are_rejected(row):
    """In the same language, cited to what does not carry them."""
    assembly = offered(row)
    foreign = [
        each["answer"].replace("[C2]", "[C0]").replace("[C1]", "[C0]")
        for other in ROWS
        if other["language"] == row["language"] and other is not row
        for each in other["answers"]
        if each["right"] and each["point"] in {"005-A2", "005-A4"}
    ]

    assert foreign
    assert not [answer for answer in foreign if validate(assembly, answer).accepted]
