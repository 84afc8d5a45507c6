"""What finding passages for a question gives, whoever finds them.

In      nothing
Out     Retriever, Condition, Retrieved: a bundle, where its chunks stand, what could not be read
Pure    declarations only
Spec    004 R2.0; interfaces.md, "Answers" (`assay ask`)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from assay.answers.evidence.bundle import RetrievalBundle


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a chunk was cut from."""

    file: str
    """As the caller would name it."""

    page: int | None
    """From 1; None for formats without pages."""

    start: int
    """First code point in the text of the file."""

    stop: int
    """First code point no longer in the chunk."""

    line: int | None = None
    """Of the file, from 1; None where its text is not the file's own."""

    title: str | None = None
    """Of the file, as it says."""

    heading: str = ""
    """The headings above it, as `Fees > Parking`."""

    metadata: Mapping[str, str] = field(default_factory=dict)
    """What else the file says of itself: `author`, `created` …"""

    def to_dict(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "page": self.page,
            "start": self.start,
            "stop": self.stop,
            "line": self.line,
            "title": self.title,
            "heading": self.heading,
            "metadata": dict(self.metadata),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What must hold of a passage for it to be found."""

    key: str
    """`page`, `title`, `heading`, `file` or a key of the metadata."""

    value: str
    holds: bool = True
    """False: must not be equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """What was not read: a file or folder that gave no text, or a part of one."""

    file: str
    reason: str
    """Without a word of its content."""

    def to_dict(self) -> dict[str, str]:
        return {"file": self.file, "reason": self.reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """All that retrieval says about one question."""

    bundle: RetrievalBundle
    places: Mapping[str, Place] = field(default_factory=dict)
    """By chunk id."""

    left_out: tuple[LeftOut, ...] = ()


Progress = Callable[[int, int, str], None]
"""Told (files done, files to do, name of the file) while an index is brought up to date."""


class Retriever(Protocol):
    """Finds passages of documents for a question."""

    async def retrieve(
        self,
        question: str,
        docs: Sequence[str],
        *,
        top_k: int,
        where: Sequence[Condition] = (),
        progress: Progress | None = None,
    ) -> Retrieved:
        """The best passages of files and folders, best first.

        Args:
            where: What must hold of every passage.

        Raises:
            InputError: a path does not exist, or no passage has what a condition names.
        """
        ...
