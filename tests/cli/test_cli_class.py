"""`--class`: a call whose contract is a class with validators, replayed and decided by a person."""

from __future__ import annotations

import json
import sys

import pytest

import assay as library
from tests.command import assay

CODE = """
from typing import Annotated
from pydantic import BaseModel, field_validator
import assay

class Counted(BaseModel):
    pipes: int

    @field_validator("pipes")
    @classmethod
    def some(cls, value):
        if value < 1:
            raise ValueError("no pipe")
        return value
"""
KEY = "ab" * 32
SETTINGS = {"ASSAY_MASTER_KEY": KEY, "ASSAY_STORE": "sqlite:///calls.db"}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a program's class, and two recorded calls of it: accepted, and in review."""
    (tmp_path / "own_counted.py").write_text(CODE)
    lines = [json.dumps({"text": f'{{"pipes": {n}}}'}) for n in (2, 0, 0)]
    (tmp_path / "replies.jsonl").write_text("\n".join(lines) + "\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    from own_counted import Counted

    with library.open(
        "sqlite:///calls.db", "scripted:replies.jsonl", environ={"ASSAY_MASTER_KEY": KEY}
    ) as runtime:
        for body in ("two pipes", "no pipes"):
            runtime.complete(Counted, "Count: {{body}}", sources={"body": body})
    yield tmp_path
    sys.modules.pop("own_counted", None)


def newest(place, verb, rows):
    """The id of the one row of a list."""
    return assay(place, verb, "list", "--json", **SETTINGS).document[rows][0]["id"]


@pytest.mark.clause("007-C5")
def test_a_replay_asks_the_class_that_is_given(place):
    """Without it the verdict is unavailable; with it the same."""
    (call,) = [
        each["id"]
        for each in assay(place, "calls", "list", "--json", **SETTINGS).document["calls"]
        if each["outcome"] == "accepted"
    ]
    without = assay(place, "replay", call, "--json", **SETTINGS).document
    given = assay(
        place, "replay", call, "--class", "own_counted:Counted", "--json", **SETTINGS
    ).document

    assert (without["verdict"], given["verdict"]) == ("unavailable", "same")


@pytest.mark.clause("007-C5")
def test_a_decision_is_held_against_the_class_that_is_given(place):
    """The hint of the refusal names the option; with it the correction is taken."""
    (place / "right.json").write_text('{"pipes": 1}')
    review = newest(place, "review", "reviews")
    words = (
        "decide",
        review,
        "--accept",
        "--output",
        "right.json",
        "--reason",
        "counted",
        "--json",
    )
    refused = assay(place, "review", *words, **SETTINGS)
    taken = assay(place, "review", *words, "--class", "own_counted:Counted", **SETTINGS)

    assert (refused.code, taken.code) == (10, 0)
    assert "--class MODULE:CLASS" in refused.err
    assert taken.document["review"]["status"] == "accepted"


@pytest.mark.clause("007-C5")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--class", "own_counted:Counted", "--pack", "intake"), "not both"),
        (("--class", "own_counted"), "MODULE:CLASS"),
        (("--class", "nowhere:Counted"), "no module 'nowhere'"),
    ],
)
def test_a_class_that_cannot_be_meant_is_wrong_usage(place, words, said):
    """Both kinds at once, a name without its class, a module that is not there."""
    ran = assay(place, "replay", newest(place, "calls", "calls"), *words, **SETTINGS)

    assert ran.code == 2
    assert said in ran.err
