"""What `assay pack new` writes, as a newcomer meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from assay.adapters.new_pack import new_pack
from assay.pack.read import read_pack
from assay.pack.verify import verify_pack
from tests.command import assay

pytestmark = pytest.mark.clause("007-P2")

NOTES = {
    "ask.txt": ("What does a card cost?", "QUESTION"),
    "open.txt": ("When do you open on Sunday", "QUESTION"),
    "send.txt": ("Could you send me the form for a new card?", "REQUEST"),
    "renew.txt": ("Please renew the two books that I took home.", "REQUEST"),
    "other.txt": ("Here are the photographs of last summer.", "OTHER"),
}


def test_it_sorts_a_few_notes_without_a_language_model(tmp_path: Path):
    """By its own lexicon and its default; every outcome is accepted."""
    assay(tmp_path, "pack", "new", "triage")
    (tmp_path / "notes").mkdir()
    for name, (text, _) in NOTES.items():
        (tmp_path / "notes" / name).write_text(text)
    ran = assay(tmp_path, "run", "triage", "notes", "--model", "extractive", "--json")

    assert 0 == ran.code, ran.err
    assert {name: ("accepted", topic) for name, (_, topic) in NOTES.items()} == {
        Path(one["input"]).name: (one["outcome"], one["result"]["topic"]["topic"])
        for one in ran.documents
    }


def test_its_lexicon_is_used():
    """Every label of the set has words, or is the default."""
    contract = read_pack(new_pack("triage")).contract("sort")
    labels = contract.label_sets["topic"]

    assert "OTHER" == labels.default
    assert labels.labels.keys() == contract.lexicon["topic"].keys() | {labels.default}


@pytest.mark.parametrize("name", sorted(new_pack("triage")))
def test_each_file_explains_itself(name: str):
    """In comments where the format has some, else in its own words for remarks."""
    text = new_pack("triage")[name].decode()

    assert ('"$comment"' if name.endswith(".json") else "# ") in text
    assert "PACK-NAME" not in text


@pytest.mark.parametrize("name", ["pack.yaml", "contracts/sort.yaml"])
def test_each_key_that_a_newcomer_changes_has_a_comment(name: str):
    """On its line, or on a line of the block that it begins."""
    text = new_pack("triage")[name].decode()
    keys = yaml.safe_load(text)
    told = {
        line.partition(":")[0]
        for line in text.splitlines()
        if "#" in line and not line.startswith(("#", " "))
    }

    assert keys.keys() - told <= {"name", "description", "version", "attempts"}


def test_golden_cases_in_yaml_have_the_lines_of_their_places():
    """A fault in a case of forty lines is sought in one of them."""
    files = new_pack("triage")
    golden = files["golden/sort.yaml"]
    spoilt = golden.replace(b"    outcome: accepted  #", b"    outcome: agreed  #", 1)
    line = spoilt.split(b"outcome: agreed")[0].count(b"\n") + 1
    (fault, *_) = verify_pack({**files, "golden/sort.yaml": spoilt}).faults

    assert ("golden/sort.yaml", line) == (fault.file, fault.line)
    assert "case 'a question with its evidence is accepted': expect.outcome: " in str(fault)
    assert 1 == str(fault).count("golden/sort.yaml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name: one\ncontract: sort\n", "must be a list of cases"),
        ("- one\n- two\n", "a case must be a mapping"),
        ("- {name: one\n", "golden/more.yaml:2"),
        ("- name: one\n  contract: sort\n", "'replies' is missing"),
    ],
)
def test_a_golden_file_that_is_no_list_of_cases_is_a_fault(text: str, words: str):
    """Never a file that is passed over in silence."""
    found = verify_pack({**new_pack("triage"), "golden/more.yaml": text.encode()})

    assert any(words in str(fault) for fault in found.faults), found.faults


def test_an_empty_golden_file_holds_no_case():
    """Comments alone are no fault; `.yml` would not be read and says so."""
    files = new_pack("triage")
    assert verify_pack({**files, "golden/more.yaml": b"# later\n"}).holds
    (fault,) = verify_pack({**files, "golden/more.yml": b"# later\n"}).faults
    assert "call it .yaml" in fault.hint


def test_cases_in_json_lines_and_in_yaml_are_the_same():
    """Both forms may stand beside each other."""
    files = new_pack("triage")
    lines = "".join(json.dumps(case) + "\n" for case in yaml.safe_load(files["golden/sort.yaml"]))
    found = verify_pack({**files, "golden/lines.jsonl": lines.encode()})

    assert (6, ()) == (found.golden, found.faults)
