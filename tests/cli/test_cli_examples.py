"""`assay pack verify|lock` with examples, and `assay review export --as examples`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from assay.adapters.models.extractive.learned import read_learned
from tests.command import assay

ROOT = Path(__file__).parents[2]
INTAKE = ROOT / "src" / "assay" / "packs" / "intake"


@pytest.fixture
def triage(tmp_path) -> Path:
    assay(tmp_path, "pack", "new", "triage")
    return tmp_path / "triage"


@pytest.mark.clause("008-L7", "008-L8")
def test_lock_keeps_what_is_learnt_and_verify_tells_how_well(tmp_path, triage):
    """Before the lock a warning, after it none; by set and label in JSON."""
    before = assay(tmp_path, "pack", "verify", "triage", "--json")
    assert "every start learns them again" in before.err
    assert 0 == assay(tmp_path, "pack", "lock", "triage").code
    after = assay(tmp_path, "pack", "verify", "triage", "--json")
    (row,) = after.document["examples"]

    assert "every start" not in after.err
    assert (0, "sort", "topic", 12) == (
        after.code,
        row["contract"],
        row["set"],
        row["examples"],
    )
    assert row["agreement"] == round(
        sum(each["found"] for each in row["labels"].values()) / row["examples"], 3
    )
    assert "examples of topic: " in assay(tmp_path, "pack", "verify", "triage").out


@pytest.mark.clause("008-L7", "008-L8")
def test_other_examples_are_learnt_at_the_next_lock(tmp_path, triage):
    """What was kept is of the old ones: a warning, and the digest differs."""
    assay(tmp_path, "pack", "lock", "triage")
    kept = (triage / "examples.learned").read_bytes()
    file = triage / "examples.yaml"
    file.write_text(file.read_text("utf-8").replace("last summer", "this winter"), "utf-8")
    assert 60 == assay(tmp_path, "pack", "verify", "triage").code
    assay(tmp_path, "pack", "lock", "triage")

    assert kept != (triage / "examples.learned").read_bytes()
    assert 0 == assay(tmp_path, "pack", "verify", "triage", "--locked").code


@pytest.mark.clause("008-L8")
def test_what_intake_keeps_is_of_its_examples():
    """Read, not learnt again: the key of the file is that of its sentences."""
    from assay.wiring import load_pack
    from assay.wiring.learning import learn_pack

    (taught,) = learn_pack(load_pack("intake"))

    assert ("classify", True) == (taught.contract, taught.kept)
    assert read_learned((INTAKE / "examples.learned").read_bytes(), taught.key) is not None


@pytest.mark.clause("008-L9")
def test_decided_reviews_become_examples(tmp_path):
    """Accepted outputs give their quotes by label, redacted; what gave none is named."""
    key = {"ASSAY_MASTER_KEY": "6b" * 32}
    (tmp_path / "one.txt").write_text(
        "Please send me the form for a new card, my number is +43 660 1234567.", "utf-8"
    )
    assay(tmp_path, "pack", "new", "triage")
    (tmp_path / "bad.jsonl").write_text('{"text": "no"}\n{"text": "no"}\n', "utf-8")
    model = ("--model", "scripted:bad.jsonl")
    assay(tmp_path, "run", "triage", "one.txt", *model, **key)
    (waiting,) = assay(tmp_path, "review", "list", "--json", **key).document["reviews"]
    sentence = "Please send me the form for a new card, my number is +43 660 1234567."
    reply = {"topic": "REQUEST", "confidence": 0.9, "evidence_snippets": [sentence]}
    (tmp_path / "right.json").write_text(json.dumps(reply), "utf-8")
    how = ("--accept", "--output", "right.json", "--reason", "read it", "--pack", "triage")
    decided = assay(tmp_path, "review", "decide", waiting["id"], *how, **key)
    assert 0 == decided.code, decided.err

    done = assay(tmp_path, "review", "export", "--as", "examples", "--pack", "triage", **key)
    found = yaml.safe_load(done.out)

    assert ["topic"] == list(found)
    (sentence,) = found["topic"]["REQUEST"]
    assert sentence.startswith("Please send me the form")
    assert "1234567" not in sentence
    assert "[PHONE_" in sentence


@pytest.mark.clause("008-L9")
def test_nothing_decided_gives_an_empty_document(tmp_path):
    """And says for which pack."""
    shutil.copytree(ROOT / "examples" / "mails", tmp_path / "mails")
    assay(tmp_path, "run", "intake", "mails", "--model", "extractive")
    done = assay(tmp_path, "review", "export", "--as", "examples", "--json")

    assert ("intake", 0, {}) == (
        done.document["pack"],
        done.document["reviews"],
        done.document["examples"],
    )
