"""`assay pack` by command."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from assay.cli.main import run


@pytest.fixture(name="here", autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(capsysbinary: pytest.CaptureFixture[bytes]) -> tuple[dict[str, object], str]:
    out, err = capsysbinary.readouterr()
    return json.loads(out), err.decode()


def test_new_verify_lock_verify(here: Path, capsysbinary):
    """The way of a pack from nothing to locked; then one changed byte is found and named."""
    assert run(["pack", "new", "triage", "--json"]) == 0
    document, _ = said(capsysbinary)
    assert document["pack"] == "triage"
    assert sorted(document["files"]) == document["files"]

    assert run(["pack", "verify", "triage", "--json"]) == 0
    document, _ = said(capsysbinary)
    assert (document["status"], document["locked"], document["faults"]) == ("ok", False, [])

    assert run(["pack", "verify", "triage", "--locked"]) == 60
    assert "not locked" in capsysbinary.readouterr().err.decode()

    assert run(["pack", "lock", "triage", "--json"]) == 0
    document, _ = said(capsysbinary)
    assert (document["pack"], document["files"]) == ("triage", 8)
    assert (here / "triage" / "pack.lock").is_file()
    assert run(["pack", "verify", "triage", "--locked"]) == 0
    assert "triage 0.1.0 holds" in capsysbinary.readouterr().out.decode()

    template = here / "triage" / "templates" / "sort.md"
    template.write_bytes(template.read_bytes() + b" ")
    assert run(["pack", "verify", "triage", "--json"]) == 60
    document, error = said(capsysbinary)
    assert document["status"] == "failed"
    assert [("pack.lock", 9)] == [(fault["file"], fault["line"]) for fault in document["faults"]]
    assert document["error"]["code"] == "pack.invalid"
    assert error.startswith("error[pack.invalid]: pack.lock:9: file 'templates/sort.md'")


def test_a_fault_is_told_with_file_and_line(here: Path, capsysbinary):
    """One line for each fault on standard error, exit 60."""
    run(["pack", "new", "triage"])
    labels = here / "triage" / "labels.yaml"
    labels.write_text(labels.read_text() + "  lables: {}\n")
    capsysbinary.readouterr()

    assert run(["pack", "verify", "triage"]) == 60
    out, err = capsysbinary.readouterr()
    assert out == b""
    assert err.decode().startswith("error[pack.invalid]: labels.yaml:7: key 'topic.lables'")


def test_a_pointer_that_no_golden_case_meets_leaves_with_60(here: Path, capsysbinary):
    """File, line, what is probably meant, and what to do; with a case that has a value: 0."""
    run(["pack", "new", "triage"])
    contract = here / "triage" / "contracts" / "sort.yaml"
    right = contract.read_text()
    contract.write_text(right.replace('"/topic": topic', '"/topics": topic'))
    capsysbinary.readouterr()

    assert run(["pack", "verify", "triage", "--json"]) == 60
    document, error = said(capsysbinary)
    assert [("contracts/sort.yaml", 6)] == [(f["file"], f["line"]) for f in document["faults"]]
    assert "did you mean 'topic'? If not, add a golden case to golden/sort.jsonl" in error

    contract.write_text(right)
    assert run(["pack", "verify", "triage", "--json"]) == 0
    document, _ = said(capsysbinary)
    assert document["checked"]["pointers"] == 5
    (here / "triage" / "golden" / "sort.jsonl").unlink()
    assert run(["pack", "verify", "triage"]) == 60
    assert "add golden cases to golden/sort.jsonl" in capsysbinary.readouterr().err.decode()


@pytest.mark.parametrize("words", [["pack", "lock", "triage"], ["pack", "graph", "triage"]])
def test_a_pack_that_does_not_read_is_neither_locked_nor_drawn(here: Path, capsysbinary, words):
    """A lock over a broken pack would say that it was right."""
    run(["pack", "new", "triage"])
    (here / "triage" / "pack.yaml").write_text("name: triage\nflow: [sort, more]\n")

    assert run(words) == 60
    assert b"pack.yaml:2" in capsysbinary.readouterr().err
    assert not (here / "triage" / "pack.lock").exists()


def test_new_never_writes_over_what_is_there(here: Path, capsysbinary):
    """Not even into an empty folder of that name."""
    (here / "triage").mkdir()

    assert run(["pack", "new", "triage"]) == 2
    assert list((here / "triage").iterdir()) == []
    assert run(["pack", "new", "../triage2"]) == 2
    assert not (here.parent / "triage2").exists()


@pytest.mark.parametrize("name", ["nowhere", "", "a\0b"])
def test_an_unknown_pack_is_an_invalid_input(capsysbinary, name):
    """With a hint of what there is."""
    assert run(["pack", "verify", name]) == 10
    assert b"intake" in capsysbinary.readouterr().err or name != "nowhere"


def test_graph_draws_the_flow(here: Path, capsysbinary):
    """Mermaid on standard output, SVG into a file, both in the JSON document."""
    assert run(["pack", "graph", "intake"]) == 0
    text = capsysbinary.readouterr().out.decode()
    assert text.startswith("flowchart TD\n")
    assert 's0["classify"]' in text

    assert run(["pack", "graph", "intake", "--format", "svg", "--output", "flow.svg"]) == 0
    ET.fromstring((here / "flow.svg").read_text(encoding="utf-8"))
    capsysbinary.readouterr()
    assert run(["pack", "graph", "intake", "--json"]) == 0
    document, _ = said(capsysbinary)
    assert document["stages"] == ["classify", "extract", "identify"]
    assert document["mermaid"] == text
    assert {"from": "identify", "value": "", "to": "end"} in document["edges"]


def test_a_contract_folder_may_be_one_schema_for_the_gate(here: Path, capsysbinary):
    """`assay gate FOLDER/NAME` with nothing but `NAME.schema.json`."""
    (here / "mini").mkdir()
    (here / "mini" / "any.schema.json").write_text('{"type": "object", "required": ["a"]}')
    (here / "good.json").write_text('{"a": 1}')
    (here / "bad.json").write_text('{"b": 1}')

    assert run(["gate", "mini/any", "good.json", "--json"]) == 0
    document, _ = said(capsysbinary)
    assert document["verdict"] == "accepted"
    assert run(["gate", "mini/any", "bad.json", "--json"]) == 20
    document, _ = said(capsysbinary)
    assert ["schema.required"] == [finding["code"] for finding in document["findings"]]
    assert run(["gate", "./mini/any", "good.json"]) == 0
    assert run(["gate", str(here / "mini" / "any"), "good.json"]) == 0
    assert run(["gate", "mini/other", "good.json"]) == 10
