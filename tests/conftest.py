"""Shared fixtures: where the public test data lies, and how its absence is said aloud."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.parts import absent

# No test reads the settings file of whoever runs it.
os.environ["ASSAY_CONFIG"] = ""

# A busy machine makes no test fail: examples have no time limit.
settings.register_profile("assay", deadline=None)
settings.load_profile("assay")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def cases() -> Path:
    """The folder of public test data: `ASSAY_CASES`, else `shared/cases` beside the checkout."""
    given = os.environ.get("ASSAY_CASES") or ROOT.parent / "shared" / "cases"
    folder = Path(given).resolve()  # tests run programs in folders of their own
    if not folder.is_dir():
        absent("cases", "set ASSAY_CASES to the folder of the public test data")
    return folder
