"""What the environment may set is read, and what is wrong is named."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import assay
from assay.errors import UsageError
from assay.wiring.settings import ServiceSettings, Settings

SOURCE = Path(assay.__file__).parent


def read_fields():
    """Each `settings.FIELD` of the program."""
    return {
        node.attr
        for file in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "settings"
    }


@pytest.mark.parametrize("field", sorted(ServiceSettings.model_fields))
def test_each_setting_is_read(field):
    """A variable that is documented and checked, and then ignored, is worse than none."""
    assert field in read_fields()


def test_a_wrong_setting_is_named_without_its_value():
    """With what it may say."""
    with pytest.raises(UsageError, match="ASSAY_RETRY_ATTEMPTS") as caught:
        Settings.from_environment({"ASSAY_RETRY_ATTEMPTS": "often"})

    assert "Tries of one exchange" in caught.value.hint
    assert "often" not in str(caught.value) + caught.value.hint
