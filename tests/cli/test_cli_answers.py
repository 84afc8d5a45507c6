"""`assay assemble` and `assay validate`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay.answers.assemble import REFUSAL, assemble
from tests.answers.bundles import QUESTION, bundle, chunk, policy


def assay(*words: str, stdin: str = "", cwd: Path) -> tuple[int, str, str]:
    """Exit code, standard output, standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "assay.cli.main", *words],
        input=stdin.encode(),
        capture_output=True,
        cwd=cwd,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def assembled(value: Any, *words: str, cwd: Path) -> tuple[int, dict[str, Any]]:
    text = value if isinstance(value, str) else json.dumps(value)
    code, out, err = assay(
        "assemble", "-", "--question", QUESTION, "--json", *words, stdin=text, cwd=cwd
    )
    assert err == ""
    return code, json.loads(out)


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
    found, document = assembled(value, cwd=tmp_path)

    assert (code, status) == (found, document["answer_bundle"]["assembly_status"])
    assert status == document["prompt_build"]["build_status"]


def test_the_command_prints_what_the_function_returns(tmp_path):
    """The command is a thin verb."""
    assert assemble(bundle(), QUESTION).to_dict() == assembled(bundle(), cwd=tmp_path)[1]


def test_a_policy_file_is_yaml_or_json(tmp_path):
    """A whole policy is taken; anything else leaves with 10 and one line."""
    (tmp_path / "p.json").write_text(json.dumps(policy(max_chunks=1)))
    (tmp_path / "p.yaml").write_text(
        "\n".join(f"{name}: {json.dumps(item)}" for name, item in policy(max_chunks=2).items())
    )
    (tmp_path / "short.yaml").write_text("max_chunks: 3")
    for name, kept in (("p.json", 1), ("p.yaml", 2)):
        document = assembled(bundle(), "--policy", name, cwd=tmp_path)[1]
        assert kept == len(document["answer_bundle"]["anchor_map"])

    code, out, err = assay(
        "assemble", "-", "--question", "q", "--policy", "short.yaml", stdin="{}", cwd=tmp_path
    )
    assert (10, "", 1) == (code, out, err.count("\n"))
    assert "policy" in err


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
    (tmp_path / "assembly.json").write_text(json.dumps(assembled(bundle(), cwd=tmp_path)[1]))
    found, out, _ = assay("validate", "assembly.json", "--json", stdin=answer, cwd=tmp_path)
    (tmp_path / "answer.txt").write_text(answer)
    again = assay("validate", "assembly.json", "answer.txt", "--json", cwd=tmp_path)

    assert (code, status) == (found, json.loads(out)["validation_status"])
    assert (found, out) == again[:2]


def test_no_assembly_is_an_error(tmp_path):
    """What is no assembly leaves with 10, a changed one with 50."""
    changed = assemble(bundle(), QUESTION).to_dict()
    changed["prompt_build"]["prompt_text"] += " "
    for text, code in (("{}", 10), ("[]", 10), ("no", 10), (json.dumps(changed), 50)):
        (tmp_path / "a.json").write_text(text)
        assert code == assay("validate", "a.json", "-", stdin="x", cwd=tmp_path)[0]


def test_people_get_text(tmp_path):
    """Without `--json` the output names status, evidence, what was left out, and the prompt."""
    value = bundle(chunk(0), chunk(1, "\x00"))
    code, out, _ = assay(
        "assemble", "-", "--question", QUESTION, stdin=json.dumps(value), cwd=tmp_path
    )
    assert code == 0
    for word in ("OK", "fees-0", "DROP_EMPTY_AFTER_SANITIZE", "=== USER QUESTION ==="):
        assert word in out
