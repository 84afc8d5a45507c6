"""Strict JSON: exactly one JSON text, or the reason why not.

In      bytes (or text) as a model sent them
Out     Parsed (the value and the bytes it came from), or Refused (finding code and message)
Pure    yes
Spec    000 H1; interfaces.md, "Strictness"
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A text that is one JSON value under every rule."""

    value: Any
    """Plain Python values; numbers are int or float, integers within ±(2^53 - 1)."""

    raw: bytes
    """The text in UTF-8, as it came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A text that is not, and which rule it breaks first."""

    code: str
    message: str


def parse(raw: bytes | str, *, max_bytes: int = 1 << 20, max_depth: int = 64) -> Parsed | Refused:
    raise NotImplementedError


def parse_object(
    raw: bytes | str, *, max_bytes: int = 1 << 20, max_depth: int = 64
) -> Parsed | Refused:
    raise NotImplementedError


def lexemes(raw: bytes) -> Any:
    raise NotImplementedError
