"""Nothing that a user can set, call or meet is undocumented."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from assay import errors, protocols
from assay.cli.main import VERBS
from assay.gate.codes import CODES
from assay.wiring import Settings

REPOSITORY = Path(__file__).resolve().parent.parent
REFERENCE = REPOSITORY / "docs" / "reference"


def page(name):
    return (REFERENCE / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_each_verb_is_documented(verb):
    """Every verb of the command line has its place in the reference."""
    assert f"## assay {verb}\n" in page("commands.md")


@pytest.mark.parametrize("field", sorted(Settings.model_fields))
def test_each_setting_is_documented(field):
    """Every environment variable that is read stands in the reference with its meaning."""
    setting = Settings.model_fields[field]

    assert f"`{setting.alias}`" in page("settings.md")
    assert setting.description


def variables_in(*folders):
    """Where each variable is named: `ASSAY_…`, and whatever the program asks the environment."""
    own = re.compile(r"\bASSAY_[A-Z][A-Z_]*[A-Z]\b")
    asked = re.compile(r"environ(?:\.get\(|\[)\s*[\"']([A-Z][A-Z0-9_]+)[\"']")
    found = {}
    for folder in folders:
        for file in sorted((REPOSITORY / folder).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            for name in {*own.findall(text), *(asked.findall(text) if folder == "src" else ())}:
                found.setdefault(name, f"{file.relative_to(REPOSITORY)}")
    return found


def test_each_variable_that_is_read_is_documented():
    """Also one that is read where it is used, and one that only the tests read."""
    read = variables_in("src", "tests", "tools")

    assert {"ASSAY_MASTER_KEY_FILE", "OPENAI_BASE_URL", "ASSAY_CHAOS"} <= set(read)
    assert {} == {n: where for n, where in read.items() if f"| `{n}` |" not in page("settings.md")}


def test_no_variable_is_documented_that_nobody_reads():
    """A row of the page goes when its variable goes."""
    rows = re.findall(r"^\| `([A-Z_]+)` \|", page("settings.md"), re.MULTILINE)
    sources = "".join(
        file.read_text(encoding="utf-8")
        for folder in ("src", "tests")
        for file in (REPOSITORY / folder).rglob("*.py")
    )

    assert len(rows) == len(set(rows))
    assert [] == [name for name in rows if name not in sources]


@pytest.mark.parametrize("code", sorted(CODES))
def test_each_finding_code_is_documented(code):
    """Every code that the gate can find is explained."""
    assert f"`{code}`" in page("finding-codes.md")


def test_each_error_code_is_documented():
    """Every error that a caller may see stands in the reference."""
    text = page("errors.md")
    for name, value in vars(errors).items():
        if isinstance(value, type) and issubclass(value, errors.AssayError):
            assert f"`{value.code}`" in text, name


def test_each_protocol_has_a_docstring_for_every_promise():
    """What can be plugged in says what it promises."""
    for name, value in vars(protocols).items():
        if inspect.isclass(value) and getattr(value, "_is_protocol", False) and name != "Protocol":
            assert value.__doc__, name
