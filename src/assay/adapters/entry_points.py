"""What installed packages publish under a name: entry points, ours like anybody's.

In      a group, a name
Out     the one entry point of that name; checks written in Python, loaded when asked for
Effects reads the metadata of installed packages; imports the code of other packages
Spec    interfaces.md, "The gate" (Python checks as entry points), "Models"

A package publishes a check with `[project.entry-points."assay.checks"]`; the object named
there is a `Check`: it takes the output and a GateContext and yields findings. A contract
asks for it by name under `checks:`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points

from assay.errors import PackError, UsageError
from assay.gate.gate import Check

CHECKS = "assay.checks"
"""Entry point group of checks."""


def published_names(group: str) -> tuple[str, ...]:
    """All names of *group*, in order."""
    return tuple(sorted({point.name for point in entry_points(group=group)}))


def find_entry_point(group: str, name: str) -> EntryPoint | None:
    """What *name* stands for; None when no installed package publishes it.

    Raises:
        UsageError: several packages do, so nobody can say which of them would be run.
    """
    found = tuple(entry_points(group=group, name=name))
    if len(found) > 1:
        packages = sorted(point.dist.name if point.dist else "?" for point in found)
        raise UsageError(
            f"{name!r} of {group} is published by {' and by '.join(packages)}",
            hint="uninstall all but one of these packages",
        )
    return found[0] if found else None


class PublishedChecks(Mapping[str, Check]):
    """All published checks; nothing is looked up or imported until a contract names one."""

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return published_names(CHECKS)

    def __getitem__(self, name: str) -> Check:
        point = find_entry_point(CHECKS, name)
        if point is None:
            raise KeyError(name)
        try:
            check: Check = point.load()
        except Exception as error:
            kind = type(error).__name__
            raise PackError(f"check {name!r} cannot be loaded: {kind}") from error
        if not callable(check):
            raise PackError(f"check {name!r} is nothing that can be called")
        return check

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
