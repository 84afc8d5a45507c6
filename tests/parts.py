"""Real parts that a test needs: absent on a user's machine they skip loudly, in CI they fail.

`ASSAY_REQUIRE` names the parts that must have been exercised, with commas between them:
cases, postgres, embedded, embeddings, figures, langchain, llamaindex, haystack, parquet, presidio,
timestamps, zsh, fish, sizes, mypy, pyright, notebook, instructor, vectors, office, server, browser,
mcp, otel, schemathesis, llamaindex_openai. `make check`
names those that it and `make services` install.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any, NoReturn

import pytest


def absent(part: str, why: str) -> NoReturn:
    """Skip a test or a whole file because *part* is not here; fail where the part is required."""
    if part in os.environ.get("ASSAY_REQUIRE", "").split(","):
        pytest.fail(f"REQUIRED PART ABSENT: {part}: {why}", pytrace=False)
    pytest.skip(f"PART ABSENT: {part}: {why}", allow_module_level=True)


def require_part(part: str, *modules: str) -> list[Any]:
    """The imported *modules* of a part."""
    try:
        return [import_module(module) for module in modules]
    except ImportError as error:
        absent(part, f"{error.name} is not installed")
