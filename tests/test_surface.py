"""What a caller can import from `assay` is decided on purpose."""

from __future__ import annotations

import assay

MOST_NAMES = 32


def test_every_exported_name_is_there():
    """Each name of `__all__` resolves, and nothing else is offered."""
    assert sorted(assay.__all__) == sorted(assay._HOMES)
    for name in assay.__all__:
        assert getattr(assay, name) is not None


def test_there_are_few_names():
    """The top level stays small enough to be read at a glance."""
    assert len(assay.__all__) <= MOST_NAMES


def test_the_pinned_python_names_are_there():
    """The names that interfaces.md pins for Python exist."""
    pinned = {
        "load_pack",
        "judge",
        "redact",
        "redact_with_mapping",
        "assemble",
        "validate",
        "PromptTemplateError",
        "open",
        "aopen",
    }

    assert set() == pinned - set(assay.__all__)
