"""Real parts that a test needs: absent on a user's machine they skip loudly, in CI they fail.

`ASSAY_REQUIRE` names the parts that must have been exercised, with commas between them:
postgres, embedded, embeddings, langchain, llamaindex, haystack, documents, parquet,
presidio, timestamps. `make check` sets it.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any, NoReturn

import pytest


def absent(part: str, why: str) -> NoReturn:
    """Skip the test because *part* is not here; fail it where the part is required."""
    required = os.environ.get("ASSAY_REQUIRE", "").split(",")
    if part in required:
        pytest.fail(f"REQUIRED PART ABSENT: {part}: {why}", pytrace=False)
    pytest.skip(f"PART ABSENT: {part}: {why}")


def require_part(part: str, *modules: str) -> list[Any]:
    """The imported *modules* of a part."""
    try:
        return [import_module(module) for module in modules]
    except ImportError as error:
        absent(part, f"{error.name} is not installed")
