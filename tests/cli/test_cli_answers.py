"""`assay assemble` and `assay validate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.answers.assemble import REFUSAL, assemble
from tests.answers.bundles import QUESTION, bundle, chunk, policy
from tests.command import assay

ASSEMBLE = ("assemble", "-", "--question", QUESTION)


def assembled(place: Path, value: Any, *words: str) -> tuple[int, dict[str, Any]]:
    """Exit code and document of `assay assemble`."""
    text = value if isinstance(value, str) else json.dumps(value)
    done = assay(place, *ASSEMBLE, "--json", *words, stdin=text.encode())
    assert "" == done.err
    return done.code, done.document


@pytest.mark.clause("004-A2", "004-K4")
@pytest.mark.parametrize(
    ("value", "code", "status"),
    [
        (bundle(), 0, "OK"),
        (bundle(no_evidence=True), 0, "NO_EVIDENCE"),
        (bundle(chunk(0, rank=None)), 10, "FAILED"),
        ([], 10, "FAILED"),
        ('{"results": [{"similarity_score": NaN}]}', 10, "FAILED"),
        ('{"results": [], "results": []}', 10, "FAILED"),
        ("no JSON", 10, "FAILED"),
    ],
)
def test_the_document_is_printed_whatever_the_status(tmp_path, value, code, status):
    """FAILED leaves with 10 and prints the same document, NO_EVIDENCE leaves with 0."""
    found, document = assembled(tmp_path, value)

    assert (code, status) == (found, document["answer_bundle"]["assembly_status"])
    assert status == document["prompt_build"]["build_status"]


def test_the_command_prints_what_the_function_returns(tmp_path):
    """The command is a thin verb."""
    assert assemble(bundle(), QUESTION).to_dict() == assembled(tmp_path, bundle())[1]


def test_a_policy_file_is_yaml_or_json(tmp_path):
    """A whole policy is taken; anything else leaves with 10 and one line."""
    (tmp_path / "p.json").write_text(json.dumps(policy(max_chunks=1)))
    (tmp_path / "p.yaml").write_text(
        "\n".join(f"{name}: {json.dumps(item)}" for name, item in policy(max_chunks=2).items())
    )
    (tmp_path / "short.yaml").write_text("max_chunks: 3")
    for name, kept in (("p.json", 1), ("p.yaml", 2)):
        document = assembled(tmp_path, bundle(), "--policy", name)[1]
        assert kept == len(document["answer_bundle"]["anchor_map"])

    done = assay(tmp_path, *ASSEMBLE, "--policy", "short.yaml", stdin=b"{}")
    assert (10, "", 1) == (done.code, done.out, done.err.count("\n"))
    assert "policy" in done.err


@pytest.mark.clause("004-V1", "004-V2")
@pytest.mark.parametrize(
    ("answer", "code", "status"),
    [
        ("The yearly fee is 40 EUR [C0].", 0, "PASSED"),
        (REFUSAL + "\n", 0, "PASSED"),
        ("The yearly fee is 40 EUR.", 20, "FAILED"),
        ("", 20, "FAILED"),
    ],
)
def test_validate_judges_what_assemble_printed(tmp_path, answer, code, status):
    """A rejected answer leaves with 20."""
    (tmp_path / "assembly.json").write_text(json.dumps(assembled(tmp_path, bundle())[1]))
    done = assay(tmp_path, "validate", "assembly.json", "--json", stdin=answer.encode())
    (tmp_path / "answer.txt").write_text(answer)

    assert (code, status) == (done.code, done.document["validation_status"])
    assert done == assay(tmp_path, "validate", "assembly.json", "answer.txt", "--json")


def test_no_assembly_is_an_error(tmp_path):
    """What is no assembly leaves with 10, a changed one with 50."""
    changed = assemble(bundle(), QUESTION).to_dict()
    changed["prompt_build"]["prompt_text"] += " "
    for text, code in (("{}", 10), ("[]", 10), ("no", 10), (json.dumps(changed), 50)):
        (tmp_path / "a.json").write_text(text)
        assert code == assay(tmp_path, "validate", "a.json", "-", stdin=b"x").code


def test_people_get_text(tmp_path):
    """Without `--json` the output names status, evidence, what was left out, and the prompt."""
    value = bundle(chunk(0), chunk(1, "\x00"))
    done = assay(tmp_path, *ASSEMBLE, stdin=json.dumps(value).encode())

    assert 0 == done.code
    for word in ("OK", "fees-0", "DROP_EMPTY_AFTER_SANITIZE", "=== USER QUESTION ==="):
        assert word in done.out
