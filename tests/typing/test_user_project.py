"""A user's strict type checker understands assay: what is right passes, what is wrong does not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.parts import absent, require_part
from tests.processes import PATIENCE_S, ROOT

PROJECT = Path(__file__).resolve().parent / "project"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy outside of the checkout, so that no settings of ours reach it."""
    place = tmp_path_factory.mktemp("project") / "triage"
    shutil.copytree(PROJECT, place, ignore=shutil.ignore_patterns("__pycache__"))
    return place


def wrong_lines():
    """The lines of mistakes.py that have to be refused."""
    lines = (PROJECT / "mistakes.py").read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# wrong")}


def errors_of_mypy(project):
    """File and line of each error."""
    require_part("mypy", "mypy")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--config-file=", "."],
        cwd=project,
        env=os.environ | {"MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    found = [line.split(":", 3) for line in done.stdout.splitlines() if ": error:" in line]
    return {(name, int(line), said) for name, line, *_, said in found}


def errors_of_pyright(project):
    """File and line of each error; `basedpyright` is pyright with its own copy of node."""
    require_part("pyright", "basedpyright")
    settings = {
        "typeCheckingMode": "strict",
        "extraPaths": [str(ROOT / "src")],
        "include": ["."],
    }
    (project / "pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "basedpyright",
            "--outputjson",
            "--pythonpath",
            sys.executable,
            "--project",
            project,
        ],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    if done.returncode not in (0, 1):
        absent("pyright", f"it could not run: {done.stderr[-300:] or done.stdout[-300:]}")
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == 2
    return {
        (
            Path(each["file"]).name,
            each["range"]["start"]["line"] + 1,
            f"{each['severity']}: {each['message']}",
        )
        for each in report["generalDiagnostics"]
        if each["severity"] in ("error", "warning")
    }


@pytest.fixture(scope="module", params=[errors_of_mypy, errors_of_pyright], ids=["mypy", "pyright"])
def errors(request, project):
    """What a checker says of the whole project in its strict mode."""
    return request.param(project)


@pytest.mark.clause("007-D5")
def test_a_project_of_a_user_passes_in_strict_mode(errors):
    """`Completed[Triage].value` is `Triage | None`, and nothing of the façade is `Any`."""
    assert [] == sorted(each for each in errors if each[0].endswith("triage.py"))


@pytest.mark.clause("007-D5")
def test_mistakes_of_a_user_are_found_before_they_run(errors):
    """A value that may be None, a misspelt argument, a source that is no text."""
    found = {line for name, line, _ in errors if name.endswith("mistakes.py")}

    assert wrong_lines() == found
