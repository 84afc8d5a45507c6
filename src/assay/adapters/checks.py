"""Checks written in Python that installed packages publish for contracts to name.

In      entry points of the group `assay.checks`
Out     name -> Check, loaded when it is asked for
Effects imports the code of other packages
Spec    interfaces.md, "The gate" (Python checks as entry points)

A package publishes a check with `[project.entry-points."assay.checks"]`; the object named
there is a `Check`: it takes the output and a GateContext and yields findings. A contract
asks for it by name under `checks:`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points

from assay.errors import PackError
from assay.gate.gate import Check

GROUP = "assay.checks"


class PublishedChecks(Mapping[str, Check]):
    """All published checks; nothing is looked up or imported until a contract names one."""

    def __init__(self, points: Mapping[str, EntryPoint] | None = None) -> None:
        self._given = points

    @cached_property
    def _points(self) -> Mapping[str, EntryPoint]:
        if self._given is not None:
            return self._given
        return {point.name: point for point in entry_points(group=GROUP)}

    def __getitem__(self, name: str) -> Check:
        point = self._points[name]
        try:
            check: Check = point.load()
        except Exception as error:
            kind = type(error).__name__
            raise PackError(f"check {name!r} cannot be loaded: {kind}") from error
        if not callable(check):
            raise PackError(f"check {name!r} is nothing that can be called")
        return check

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._points))

    def __len__(self) -> int:
        return len(self._points)
