"""Colours by meaning, with a value for light and one for dark.

In      nothing
Out     LIGHT and DARK: name -> colour; the custom properties that declare them
Pure    yes
Spec    007-F3

On `paper` and on `soft` each colour has a contrast of 4.5:1 or more in both; a test measures it.
No colour says anything alone: a word and a shape always stand beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

LIGHT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "paper": "#ffffff",
        "soft": "#f4f5f7",
        "ink": "#1b1f24",
        "muted": "#57606a",
        "line": "#d0d7de",
        "accent": "#0b57c2",
        "accepted": "#1a6b2d",
        "review": "#8a5000",
        "rejected": "#b3261e",
    }
)
DARK: Final[Mapping[str, str]] = MappingProxyType(
    {
        "paper": "#14181d",
        "soft": "#1e242b",
        "ink": "#e6e9ed",
        "muted": "#a3adb8",
        "line": "#3d4650",
        "accent": "#7ab4ff",
        "accepted": "#6fcf86",
        "review": "#f0b35a",
        "rejected": "#ff9a92",
    }
)
SURFACES: Final = ("paper", "soft")
"""What others stand on."""

OUTCOME_COLOURS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "accepted": "accepted",
        "no_evidence": "muted",
        "needs_review": "review",
        "rejected": "rejected",
        "open": "accent",
    }
)
"""Status -> colour."""


def custom_properties(colours: Mapping[str, str]) -> str:
    """The declarations of *colours*, for a block of CSS."""
    return "".join(f"--{name}:{value};" for name, value in colours.items())
