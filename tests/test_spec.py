"""The clauses of the specifications and the tests that name them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CLAUSE = re.compile(r"^- \*\*(\d{3}-[A-Z]+\d+)\*\*", re.MULTILINE)
MARK = re.compile(r"mark\.clause\(([^)]*)\)")
FINISHED = ("000", "002", "003", "004", "005")
"""Specifications of which every clause must be named."""


def clauses() -> dict[str, list[str]]:
    found = {}
    for page in sorted((ROOT / "docs" / "spec").glob("[0-9]*.md")):
        found[page.name[:3]] = CLAUSE.findall(page.read_text(encoding="utf-8"))
    return found


def named() -> set[str]:
    names: set[str] = set()
    for file in (ROOT / "tests").rglob("test_*.py"):
        for mark in MARK.findall(file.read_text(encoding="utf-8")):
            names.update(re.findall(r"\"([^\"]+)\"", mark))
    return names


def test_every_clause_has_one_number():
    """No clause number stands twice, and each page has clauses."""
    for page, numbers in clauses().items():
        assert numbers, page
        assert sorted(set(numbers)) == sorted(numbers), page


def test_no_test_names_a_clause_that_does_not_exist():
    """A clause name in a test is one of docs/spec."""
    known = {number for numbers in clauses().values() for number in numbers}

    assert set() == named() - known


@pytest.mark.parametrize("specification", FINISHED)
def test_every_clause_is_named_by_a_test(specification):
    """For a finished specification no clause is left without a test."""
    missing = [number for number in clauses()[specification] if number not in named()]

    assert missing == []
