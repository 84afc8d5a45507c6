"""JSON Pointers with wildcards: which places of a value a contract speaks of.

In      a pattern such as `/intents/*/label` or `/**/evidence_snippets/*`; a JSON value
Out     (JSON Pointer, value) for every place that the pattern names, in document order
Pure    yes
Spec    interfaces.md, "Packs"; RFC 6901
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class PointerPattern:
    """A JSON Pointer in which `*` is any one step and `**` any number of steps, none included."""

    text: str

    @classmethod
    def compile(cls, text: str) -> Self:
        raise NotImplementedError

    def find(self, value: Any) -> Iterator[tuple[str, Any]]:
        raise NotImplementedError
