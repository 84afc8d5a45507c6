"""What finding passages for a question gives, whoever finds them.

In      nothing
Out     Retriever, Retrieved: a bundle, where its chunks stand, what could not be read
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

    def to_dict(self) -> dict[str, Any]:
        return {"file": self.file, "page": self.page, "start": self.start, "stop": self.stop}


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A file or folder that gave no text."""

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
        self, question: str, docs: Sequence[str], *, top_k: int, progress: Progress | None = None
    ) -> Retrieved:
        """The best passages of files and folders, best first.

        Raises:
            InputError: a path does not exist.
        """
        ...
