"""`assay pack` by command."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.command import assay


def test_new_verify_lock_verify(tmp_path: Path):
    """The way of a pack from nothing to locked; then one changed byte is found and named."""
    made = assay(tmp_path, "pack", "new", "triage", "--json")
    assert (0, "triage") == (made.code, made.document["pack"])
    assert sorted(made.document["files"]) == made.document["files"]

    verified = assay(tmp_path, "pack", "verify", "triage", "--json")
    assert 0 == verified.code
    assert ("ok", False, []) == tuple(verified.document[k] for k in ("status", "locked", "faults"))

    unlocked = assay(tmp_path, "pack", "verify", "triage", "--locked")
    assert 60 == unlocked.code
    assert "not locked" in unlocked.err

    locked = assay(tmp_path, "pack", "lock", "triage", "--json")
    assert 0 == locked.code
    assert ("triage", 11) == (locked.document["pack"], locked.document["files"])
    assert (tmp_path / "triage" / "pack.lock").is_file()
    verified = assay(tmp_path, "pack", "verify", "triage", "--locked")
    assert 0 == verified.code
    assert "triage 0.1.0 holds" in verified.out

    template = tmp_path / "triage" / "templates" / "sort.md"
    template.write_bytes(template.read_bytes() + b" ")
    broken = assay(tmp_path, "pack", "verify", "triage", "--json")
    assert (60, "failed") == (broken.code, broken.document["status"])
    assert [("pack.lock", 12)] == [(f["file"], f["line"]) for f in broken.document["faults"]]
    assert "pack.invalid" == broken.document["error"]["code"]
    assert broken.err.startswith("error[pack.invalid]: pack.lock:12: file 'templates/sort.md'")


def test_a_fault_is_told_with_file_and_line(tmp_path: Path):
    """One line for each fault on standard error, exit 60."""
    assay(tmp_path, "pack", "new", "triage")
    labels = tmp_path / "triage" / "labels.yaml"
    labels.write_text(labels.read_text() + "  lables: {}\n")
    done = assay(tmp_path, "pack", "verify", "triage")

    assert (60, "") == (done.code, done.out)
    assert done.err.startswith("error[pack.invalid]: labels.yaml:10: key 'topic.lables'")


def test_a_pointer_that_no_golden_case_meets_leaves_with_60(tmp_path: Path):
    """File, line, what is probably meant, and what to do; with a case that has a value: 0.

    A case that says which codes it expects meets the note of the gate as well.
    """
    assay(tmp_path, "pack", "new", "triage")
    contract = tmp_path / "triage" / "contracts" / "sort.yaml"
    right = contract.read_text()
    contract.write_text(right.replace('"/topic": topic', '"/topics": topic'))

    wrong = assay(tmp_path, "pack", "verify", "triage", "--json")
    assert 60 == wrong.code
    assert [("golden/sort.yaml", 28), ("contracts/sort.yaml", 8)] == [
        (f["file"], f["line"]) for f in wrong.document["faults"]
    ]
    assert "label.no_value" in wrong.document["faults"][0]["message"]
    assert "did you mean 'topic'? If not, add a golden case to golden/sort.yaml" in wrong.err

    contract.write_text(right)
    met = assay(tmp_path, "pack", "verify", "triage", "--json")
    assert (0, 5) == (met.code, met.document["checked"]["pointers"])
    (tmp_path / "triage" / "golden" / "sort.yaml").unlink()
    bare = assay(tmp_path, "pack", "verify", "triage")
    assert 60 == bare.code
    assert "add golden cases to golden/sort.jsonl" in bare.err


@pytest.mark.parametrize("verb", ["lock", "graph"])
def test_a_pack_that_does_not_read_is_neither_locked_nor_drawn(tmp_path: Path, verb: str):
    """A lock over a broken pack would say that it was right."""
    assay(tmp_path, "pack", "new", "triage")
    (tmp_path / "triage" / "pack.yaml").write_text("name: triage\nflow: [sort, more]\n")
    done = assay(tmp_path, "pack", verb, "triage")

    assert 60 == done.code
    assert "pack.yaml:2" in done.err
    assert not (tmp_path / "triage" / "pack.lock").exists()


def test_new_never_writes_over_what_is_there(tmp_path: Path):
    """Not even into an empty folder of that name."""
    here = tmp_path / "here"
    (here / "triage").mkdir(parents=True)

    assert 2 == assay(here, "pack", "new", "triage").code
    assert [] == list((here / "triage").iterdir())
    assert 2 == assay(here, "pack", "new", "../triage2").code
    assert not (tmp_path / "triage2").exists()


@pytest.mark.parametrize(("name", "hint"), [("nowhere", "intake"), ("", ""), ("a\0b", "")])
def test_an_unknown_pack_is_an_invalid_input(tmp_path: Path, name: str, hint: str):
    """With a hint of what there is."""
    done = assay(tmp_path, "pack", "verify", name)

    assert 10 == done.code
    assert hint in done.err


def test_graph_draws_the_flow(tmp_path: Path):
    """Mermaid on standard output, SVG into a file, both in the JSON document."""
    drawn = assay(tmp_path, "pack", "graph", "intake")
    assert 0 == drawn.code
    assert drawn.out.startswith("flowchart TD\n")
    assert 's0["classify"]' in drawn.out

    svg = ("--format", "svg", "--output", "flow.svg")
    assert 0 == assay(tmp_path, "pack", "graph", "intake", *svg).code
    ET.fromstring((tmp_path / "flow.svg").read_text(encoding="utf-8"))
    document = assay(tmp_path, "pack", "graph", "intake", "--json").document
    assert ["classify", "extract", "identify"] == document["stages"]
    assert drawn.out == document["mermaid"]
    assert {"from": "identify", "value": "", "to": "end"} in document["edges"]


@pytest.mark.clause("007-P6")
@pytest.mark.parametrize(
    ("pack", "start", "end", "stages", "takes"),
    [
        ("intake", "classify", "end", 3, 0),
        ("services", "judgement_v1", "session_end", 6, 0),
        ("grants", "plan", "end", 3, 3),
        ("grounded", "question", "answer", 4, 0),
    ],
)
def test_graph_draws_every_bundled_pack(tmp_path: Path, pack, start, end, stages, takes):
    """In all three forms; the document says the same in data."""
    document = assay(tmp_path, "pack", "graph", pack, "--format", "json").document

    assert (start, end) == (document["start"], document["end"])
    assert (stages, takes) == (len(document["stages"]), len(document["takes"]))
    assert {node["name"] for node in document["nodes"]} >= {*document["stages"], end}
    ET.fromstring(document["svg"])
    assert 0 == assay(tmp_path, "pack", "graph", pack).code


@pytest.mark.clause("007-P6")
def test_graph_of_contracts_without_a_flow(tmp_path: Path):
    """They stand side by side; a pack with nothing to ask is an invalid input."""
    (tmp_path / "mini").mkdir()
    (tmp_path / "mini" / "any.schema.json").write_text('{"type": "object"}')
    document = assay(tmp_path, "pack", "graph", "mini", "--json").document
    assert (["any"], [], None) == tuple(document[key] for key in ("stages", "edges", "start"))
    (tmp_path / "void").mkdir()
    (tmp_path / "void" / "pack.yaml").write_text("name: void\n")
    assert 10 == assay(tmp_path, "pack", "graph", "void").code


def test_a_contract_folder_may_be_one_schema_for_the_gate(tmp_path: Path):
    """`assay gate FOLDER/NAME` with nothing but `NAME.schema.json`."""
    (tmp_path / "mini").mkdir()
    schema = '{"type": "object", "required": ["a"]}'
    (tmp_path / "mini" / "any.schema.json").write_text(schema)
    (tmp_path / "good.json").write_text('{"a": 1}')
    (tmp_path / "bad.json").write_text('{"b": 1}')

    good = assay(tmp_path, "gate", "mini/any", "good.json", "--json")
    assert (0, "accepted") == (good.code, good.document["verdict"])
    bad = assay(tmp_path, "gate", "mini/any", "bad.json", "--json")
    assert 20 == bad.code
    assert ["schema.required"] == [finding["code"] for finding in bad.document["findings"]]
    assert 0 == assay(tmp_path, "gate", "./mini/any", "good.json").code
    assert 0 == assay(tmp_path, "gate", str(tmp_path / "mini" / "any"), "good.json").code
    assert 10 == assay(tmp_path, "gate", "mini/other", "good.json").code


def test_a_new_pack_takes_no_name_that_leads_elsewhere(tmp_path):
    """The name of a bundled pack would lead `pack verify` and `pack lock` to that one."""
    done = assay(tmp_path, "pack", "new", "intake")

    assert 2 == done.code
    assert "comes with assay" in done.err
    assert not (tmp_path / "intake").exists()


def test_codes_that_were_not_expected_are_told_in_words(tmp_path):
    """No list of Python stands in the message of a golden case that fails."""
    assert 0 == assay(tmp_path, "pack", "new", "mine").code
    file = tmp_path / "mine" / "golden" / "sort.yaml"
    file.write_text(file.read_text().replace("evidence.not_found", "evidence.missing"))
    done = assay(tmp_path, "pack", "verify", "mine")

    assert 60 == done.code
    assert "evidence.not_found in attempt 1" in done.err
    assert "[[" not in done.err
