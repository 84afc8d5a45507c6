"""JSON Schema (draft 2020-12): every fault, named by keyword and place.

In      a schema document, then JSON values
Out     Schema; tuples of Fault
Pure    yes: references are resolved from a given registry, never fetched
Spec    000 H2; interfaces.md, `schema.KEYWORD`
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One place where a value breaks its schema."""

    keyword: str
    pointer: str
    message: str


class Schema:
    """A compiled schema."""

    document: Mapping[str, Any]
    digest: str

    @classmethod
    def compile(
        cls,
        document: Mapping[str, Any],
        *,
        registry: Mapping[str, Mapping[str, Any]] | None = None,
        formats: bool = False,
    ) -> Self:
        raise NotImplementedError

    def faults(self, value: Any) -> tuple[Fault, ...]:
        raise NotImplementedError
