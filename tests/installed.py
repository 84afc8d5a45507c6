"""Packages that are installed for the length of one test: real metadata, real entry points."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest


def install(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    package: str,
    code: str,
    groups: Mapping[str, Mapping[str, str]],
) -> None:
    """Make a distribution *package* with the module *package* in *folder*, and find it from now on.

    *groups*: by group of entry points, name -> object of the module.
    """
    folder.mkdir(exist_ok=True)
    (folder / f"{package}.py").write_text(code)
    facts = folder / f"{package}-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = []
    for group, points in groups.items():
        lines += [f"[{group}]", *(f"{name} = {package}:{each}" for name, each in points.items())]
    (facts / "entry_points.txt").write_text("\n".join(lines) + "\n")
    monkeypatch.syspath_prepend(folder)
