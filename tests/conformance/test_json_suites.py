"""The public suites: JSON parsing, JSON Schema, and what models really emit."""

from __future__ import annotations

import json

import pytest

from assay.core.json.canonical import canonical
from assay.core.json.schema import Schema
from assay.core.json.strict import Refused, parse
from assay.gate.gate import GateContext, judge

OBJECT = Schema.compile({"type": "object"})

# Two integers of exactly 2^63 stand in the list as accepted when they are wrapped in an
# object. Integers beyond 2^53 - 1 are rejected, as every other of the suite is.
BEYOND_2_53 = {
    "JSONTestSuite/test_transform/number_9223372036854775808.json",
    "JSONTestSuite/test_transform/number_-9223372036854775808.json",
}


def rows(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def weigh(raw):
    """The verdict, the first code, and the output."""
    verdict = judge(raw, GateContext(), [], schema=OBJECT)
    first = verdict.findings[0].code if verdict.findings else None
    return ("accepted" if verdict.accepted else "rejected"), first, verdict.output


@pytest.mark.clause("000-H1")
def test_json_test_suite(cases):
    """Verdict and code of every file, and the verdict of its bytes within an object."""
    folder = cases / "json"
    listed = rows(folder / "JSONTestSuite" / "expected.jsonl")
    wrong = []
    for row in listed:
        raw = (folder / row["file"]).read_bytes()
        verdict, code, _ = weigh(raw)
        wrapped, _, _ = weigh(b'{"v":' + raw + b"}")
        expected = (row["gate"], row["code"], row["wrapped_gate"])
        if row["file"] in BEYOND_2_53:
            expected = ("rejected", "json.number", "rejected")
        if expected != (verdict, code, wrapped):
            wrong.append((row["file"], verdict, code, wrapped))

    assert 207 == len(listed)
    assert [] == wrong


@pytest.mark.clause("000-H1")
def test_json_test_suite_by_its_own_names(cases):
    """Every `n_` file is refused; every `y_` file is read, but for repeated keys."""
    folder = cases / "json" / "JSONTestSuite" / "test_parsing"
    refused = {
        file.name for file in folder.iterdir() if isinstance(parse(file.read_bytes()), Refused)
    }
    must = {file.name for file in folder.glob("n_*")}
    may_not = {file.name for file in folder.glob("y_*")}

    assert must <= refused
    assert {"y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"} == (
        refused & may_not
    )


@pytest.mark.clause("000-H1", "000-F1")
def test_what_models_really_emit(cases):
    """Verdict and code of every text; what is accepted is what the text says, unrepaired."""
    listed = rows(cases / "json" / "llm_broken_json.jsonl")
    wrong = []
    for row in listed:
        verdict, code, output = weigh(row["text"].encode())
        if (row["verdict"], row["code"]) != (verdict, code):
            wrong.append((row["id"], verdict, code))
        elif verdict == "accepted" and json.loads(row["text"]) != output:
            wrong.append((row["id"], "changed"))

    assert 441 == len(listed)
    assert [] == wrong


@pytest.fixture(scope="module")
def remotes(cases):
    """What the suite expects under http://localhost:1234/."""
    folder = cases / "json" / "JSON-Schema-Test-Suite" / "remotes"
    return {
        f"http://localhost:1234/{file.relative_to(folder).as_posix()}": json.loads(
            file.read_bytes()
        )
        for file in sorted(folder.rglob("*.json"))
    }


def schema_suite(folder, remotes, *, formats=False):
    """(number of tests, those that disagree) of all files directly in *folder*."""
    number, wrong = 0, []
    for file in sorted(folder.glob("*.json")):
        for group in json.loads(file.read_bytes()):
            schema = Schema.compile(group["schema"], registry=remotes, formats=formats)
            for test in group["tests"]:
                number += 1
                faults = schema.faults(test["data"])
                if test["valid"] != (not faults):
                    wrong.append((file.name, group["description"], test["description"]))
                if any(fault.message.startswith("breaks") for fault in faults):
                    wrong.append((file.name, group["description"], "no message"))
    return number, wrong


@pytest.mark.clause("000-H2")
def test_json_schema_suite_required(cases, remotes):
    """Every required test of draft 2020-12 agrees, references to remotes included."""
    folder = cases / "json" / "JSON-Schema-Test-Suite" / "tests" / "draft2020-12"

    assert (1299, []) == schema_suite(folder, remotes)


def test_json_schema_suite_optional(cases, remotes):
    """The optional tests agree too, and those of formats where these are asserted."""
    folder = cases / "json" / "JSON-Schema-Test-Suite" / "tests" / "draft2020-12" / "optional"

    assert (162, []) == schema_suite(folder, remotes)
    assert (764, []) == schema_suite(folder / "format", remotes, formats=True)


def test_canonical_json_vectors(cases):
    """RFC 8785, byte for byte."""
    folder = cases / "hashing" / "jcs"
    inputs = sorted((folder / "input").glob("*.json"))

    assert 3 == len(inputs)
    for file in inputs:
        value = json.loads(file.read_bytes())
        assert (folder / "output" / file.name).read_bytes() == canonical(value)


def bug(cases, name):
    """The input of one publicly reported bug."""
    listed = rows(cases / "bugs.jsonl")
    return next(row["input"] for row in listed if row["id"] == name)


def test_bug_repair_loses_digits(cases):
    """A number with underscores is no JSON; it is not shortened to its first digits."""
    verdict = weigh(bug(cases, "repair-loses-digits")["model_output"])

    assert ("rejected", "json.invalid", None) == verdict


def test_bug_fences_inside_values(cases):
    """A fence around the reply is refused; back-ticks within a value are text; two objects are
    one too many."""
    texts = bug(cases, "fences-inside-values")

    assert ("rejected", "json.fenced", None) == weigh(texts["a_fenced"])
    assert ("accepted", None, {"md": "use `pip install`"}) == weigh(texts["b_plain"])
    assert ("rejected", "json.trailing", None) == weigh(texts["c_two_objects"])
