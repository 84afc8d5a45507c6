"""A class by its name."""

from __future__ import annotations

import sys

import pytest

from assay.errors import ContractClassError, UsageError
from assay.wiring.classes import load_class


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "own_models.py").write_text(
        "from pydantic import BaseModel\n"
        "class Triage(BaseModel):\n    topic: str\n"
        "class Holder:\n    class Inner(BaseModel):\n        count: int\n"
        "number = 5\n"
    )
    (tmp_path / "own_broken.py").write_text("raise RuntimeError('Ann Example')\n")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in ("own_models", "own_broken"):
        sys.modules.pop(name, None)


@pytest.mark.clause("007-C5")
def test_a_class_is_found_in_the_present_folder(folder):
    """`MODULE:CLASS`, also one within another; the path of Python is as it was."""
    before = list(sys.path)
    assert load_class("own_models:Triage").__name__ == "Triage"
    assert load_class("own_models:Holder.Inner").__name__ == "Inner"
    assert sys.path == before


@pytest.mark.clause("007-C5")
@pytest.mark.parametrize(
    ("name", "kind", "says"),
    [
        ("own_models", UsageError, "names no class"),
        (":Triage", UsageError, "names no class"),
        ("own_models:", UsageError, "names no class"),
        ("not_there:Triage", UsageError, "no module"),
        ("own_models:Other", UsageError, "has no"),
        ("own_models:number", ContractClassError, "no class"),
        ("own_models:Holder", ContractClassError, "no class"),
        ("own_broken:Triage", UsageError, "RuntimeError"),
    ],
)
def test_what_is_no_class_is_refused(folder, name, kind, says):
    """Each with what is wrong, and without the words of a stranger's error."""
    with pytest.raises(kind, match=says) as refused:
        load_class(name)
    assert "Ann" not in str(refused.value)
