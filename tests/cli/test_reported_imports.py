"""Templates of other tools that were reported to be imported wrongly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import command

ROWS = {"langfuse-composed-text": 10, "dotprompt-crlf": 0}


@pytest.mark.clause("005-R19")
@pytest.mark.parametrize(("row", "code"), ROWS.items())
def test_an_import_is_whole_or_refused(tmp_path, cases: Path, row, code):
    """A reference to another prompt is refused with 10; line ends of Windows are no fault."""
    lines = (cases / "reports" / "reports.jsonl").read_text("utf-8").splitlines()
    given = {each["id"]: each["input"] for each in map(json.loads, lines)}[row]
    (tmp_path / "prompt").write_bytes(given["file"].encode())
    words = ("templates", "import", "--from", given["form"], "--role", "writer", "prompt")
    done = command.assay(tmp_path, *words, "--store", "sqlite:///n.db", "--json")

    assert code == done.code, done.err
    if code == 0:
        shown = command.assay(
            tmp_path, "templates", "show", "writer/greet@1", "--store", "sqlite:///n.db", "--json"
        )
        assert ["name"] == shown.document["template"]["variables"]
