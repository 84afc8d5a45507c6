"""What installed packages publish under a name: entry points, ours like anybody's.

In      a group, a name
Out     the one entry point of that name; checks written in Python, loaded when asked for
Effects reads the metadata of installed packages; imports and runs the code of other packages
Spec    interfaces.md, "The gate" (Python checks as entry points), "Models"; 007-P1

A package publishes a check with `[project.entry-points."assay.checks"]`; the object named
there is a `Check`: it takes the output and a GateContext and yields findings. A contract
asks for it by name under `checks:`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from assay.errors import AssayError, PackError, UsageError
from assay.gate.gate import Check

CHECKS = "assay.checks"
"""Entry point group of checks."""

T = TypeVar("T")


class ForeignCodeError(Exception):
    """Code of another package failed. The kind of its fault alone: its text is a stranger's."""


def run_foreign(work: Callable[[], T]) -> T:
    """Run code of another package, which may be anything.

    It cannot end this process either: `sys.exit` and a panic of compiled code are faults of that
    package. An interrupt stays one, for a person may have given it.

    Raises:
        AssayError: as the package raised it.
        ForeignCodeError: for whatever else it raised.
    """
    try:
        return work()
    except (AssayError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ForeignCodeError(type(error).__name__) from error


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
            check: Check = run_foreign(point.load)
        except ForeignCodeError as error:
            raise PackError(f"check {name!r} cannot be loaded: {error}") from error
        if not callable(check):
            raise PackError(f"check {name!r} is nothing that can be called")
        return check

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
