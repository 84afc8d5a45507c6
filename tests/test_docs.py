"""Nothing that a user can set, call or meet is undocumented."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from assay import errors, protocols
from assay.cli.main import VERBS
from assay.gate.codes import CODES
from assay.wiring import Settings

REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "reference"


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
