"""The reading side of the template registry.

In      values of the pure core
Out     TemplateStore
Pure    declarations only
Spec    002 "Data Model"
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from assay.record.event import StoredEvent
from assay.templates.version import Registered, Unreadable


class TemplateStore(Protocol):
    """The reading side of the template registry; what changes it goes through `Store.commit`.

    Every method reads the store afresh. A version comes with the digests that its event of
    addition gives it, so that an edit behind the registry's back is seen.
    """

    async def template(self, role: str, name: str, version: int) -> Registered:
        """Raises NotFoundError."""
        ...

    async def templates(
        self, role: str | None = None, name: str | None = None
    ) -> Sequence[Registered]:
        """All versions, in order of role, name, version."""
        ...

    async def released_versions(
        self, role: str, name: str, own: int | None = None
    ) -> Sequence[Registered]:
        """The active version and the canary, where there are; and version *own*, whatever it is."""
        ...

    async def newest(self, role: str, name: str) -> int:
        """The highest number of a version; 0 when there is none."""
        ...

    async def label(self, role: str, name: str, label: str) -> int | None:
        """The version that a label stands at."""
        ...

    async def scan(self) -> Sequence[Registered | Unreadable]:
        """All versions, in the order they were added; one that cannot be read hides no other."""
        ...

    async def recorded_events(
        self, kind: str, after: int
    ) -> Sequence[tuple[int, StoredEvent | None]]:
        """The next events of *kind* with a seq above *after*, in order; none: that was all.

        None stands for an event that was edited, or that the record says otherwise.
        """
        ...

    async def unvouched_versions(self, role: str, name: str) -> Sequence[str]:
        """Ids of the versions whose release is not what the record last said of it."""
        ...
