"""Calls of a class at the command line: judged, replayed and decided with `MODULE:CLASS`."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.command import MODULE

KEY = "ab" * 32

PROGRAM = """
from typing import Annotated

from pydantic import BaseModel, field_validator

import assay


class Counted(BaseModel):
    count: int
    topic: Annotated[str, assay.Label("topics")]

    @field_validator("count")
    @classmethod
    def right(cls, count):
        if count != 3:
            raise ValueError("count again")
        return count


if __name__ == "__main__":
    with assay.open("sqlite:///x.db", "scripted:s.jsonl") as runtime:
        from own_app import Counted as Own

        done = runtime.complete(
            Own, "Count {{body}}", sources={"body": "xxx"}, labels={"topics": ["A"]}
        )
        print(done.call)
"""


@pytest.fixture
def place(tmp_path):
    (tmp_path / "own_app.py").write_text(PROGRAM)
    reply = {"text": '{"count": 2, "topic": "A"}'}
    (tmp_path / "s.jsonl").write_text((json.dumps(reply) + "\n") * 2)
    (tmp_path / "good.json").write_text('{"count": 3, "topic": "A"}')
    (tmp_path / "labels.json").write_text('{"topics": ["A"]}')
    return tmp_path


def run(place, *words):
    environ = {**os.environ, "ASSAY_MASTER_KEY": KEY}
    return subprocess.run(
        [sys.executable, *words],
        cwd=place,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )


def assay(place, *words):
    return run(place, *MODULE, *words)


@pytest.mark.clause("007-C5")
def test_a_recorded_call_is_replayed_and_decided_with_its_class(place):
    """Without the class the verdict is unavailable and nothing is accepted; with it, both are as
    in the program that made the call."""
    call = run(place, "own_app.py").stdout.strip()
    store = ("--store", "sqlite:///x.db")

    def replayed(*more):
        done = assay(place, "replay", call, *store, "--json", *more)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    assert replayed()["verdict"] == "unavailable"
    given = replayed("--class", "own_app:Counted")
    assert (given["prompt"], given["verdict"], given["contract"]) == ("identical", "same", "same")
    (review,) = json.loads(assay(place, "review", "list", *store, "--json").stdout)["reviews"]
    words = ("review", "decide", review["id"], "--accept", "--output", "good.json", "--reason", "r")
    without = assay(place, *words, *store)
    assert without.returncode == 10
    assert "--class MODULE:CLASS" in without.stderr
    taken = assay(place, *words, *store, "--class", "own_app:Counted")
    assert taken.returncode == 0, taken.stderr


@pytest.mark.clause("007-C5")
def test_an_output_is_judged_by_a_class(place):
    """`assay gate MODULE:CLASS` with the label sets in a file; 0 and 20 as ever."""
    words = ("gate", "own_app:Counted", "--labels", "labels.json")
    assert assay(place, *words, "good.json").returncode == 0
    (place / "bad.json").write_text('{"count": 2, "topic": "B"}')
    done = assay(place, *words, "bad.json", "--json")
    assert done.returncode == 20
    codes = [each["code"] for each in json.loads(done.stdout)["findings"]]
    assert codes == ["label.unknown", "rule.failed"]
    assert assay(place, "gate", "own_app:Counted", "good.json").returncode == 2
    assert assay(place, "gate", "own_app:Nobody", "good.json").returncode == 2


@pytest.mark.clause("007-C5")
def test_a_pack_and_a_class_are_not_both_the_calls(place):
    """Both at once, and a class that is none, are wrong usage."""
    words = ("replay", "abcd1234", "--store", "sqlite:///x.db")
    run(place, "own_app.py")
    both = assay(place, *words, "--pack", "intake", "--class", "own_app:Counted")
    assert both.returncode == 2
    assert assay(place, *words, "--class", "nowhere:Counted").returncode == 2
