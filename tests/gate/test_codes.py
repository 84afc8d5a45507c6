"""Every code is documented."""

from __future__ import annotations

import re
from pathlib import Path

from assay.gate.codes import CODES, EXAMPLES, document, is_documented

ROOT = Path(__file__).resolve().parent.parent.parent
CODE = re.compile(
    r'"((?:output|json|label|evidence|score|session|check|findings|result|refusal|citation|sentence|answer'
    r'|grounding)\.[a-z_]+)"'
)


def test_the_page_is_the_table():
    """`make docs` writes it."""
    page = ROOT / "docs" / "reference" / "finding-codes.md"

    assert document() == page.read_text(encoding="utf-8")


def test_every_code_has_a_meaning_and_an_example():
    """No empty cell."""
    assert list(CODES) == list(EXAMPLES)
    assert all(CODES.values())
    assert all(EXAMPLES.values())


def test_every_code_that_the_gate_the_contract_and_the_core_write_is_documented():
    """Read from the source, so that a new code cannot be forgotten."""
    package = ROOT / "src" / "assay"
    files = [
        file for room in ("gate", "core", "contract") for file in (package / room).rglob("*.py")
    ]
    written = {code for file in files for code in CODE.findall(file.read_text(encoding="utf-8"))}

    assert {"json.invalid", "output.refusal", "label.unknown", "check.error"} <= written
    assert [] == sorted(code for code in written if not is_documented(code))


def test_families_are_documented_as_such():
    """A keyword of a schema, a rule of a pack; nothing else by pattern."""
    assert is_documented("schema.required")
    assert is_documented("rule.sum_is_right")
    assert not is_documented("schema")
    assert not is_documented("json.other")
