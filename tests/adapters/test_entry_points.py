"""Checks that installed packages publish, and what becomes of a name that two of them take."""

from __future__ import annotations

import pytest

from assay.adapters.entry_points import PublishedChecks
from assay.errors import PackError, UsageError
from assay.pack.read import read_pack
from tests.installed import install

CODE = """
text = "not callable"

def accept(output, context):
    return ()
"""


def read_with_check(name):
    """A pack whose one contract names the check."""
    files = {"c.yaml": f"checks: [{name}]\n".encode(), "c.schema.json": b"{}"}
    return read_pack(files, checks=PublishedChecks()).contract("c")


def test_a_published_check_is_loaded_when_a_contract_names_it(tmp_path, monkeypatch):
    """Others are left alone, and one that cannot be loaded is the pack's fault."""
    points = {"mine.ok": "accept", "mine.broken": "absent", "mine.text": "text"}
    install(tmp_path, monkeypatch, "mine_for_assay", CODE, {"assay.checks": points})

    assert 1 == len(read_with_check("mine.ok").checks)
    assert ["mine.broken", "mine.ok", "mine.text"] == list(PublishedChecks())
    for name in ("mine.broken", "mine.text"):
        with pytest.raises(PackError, match=name):
            read_with_check(name)
    with pytest.raises(PackError, match="not published") as caught:
        read_with_check("mine.okay")
    assert "mine.ok" in caught.value.hint


def test_a_check_that_two_packages_publish_is_refused(tmp_path, monkeypatch):
    """Which of them would judge would depend on the order of installation."""
    for package in ("mine_for_assay", "theirs_for_assay"):
        points = {"assay.checks": {"ours.ok": "accept"}}
        install(tmp_path / package, monkeypatch, package, CODE, points)

    with pytest.raises(UsageError, match="mine_for_assay and by theirs_for_assay"):
        read_with_check("ours.ok")
