"""Every finding code of the gate and what it means."""

from __future__ import annotations

from collections.abc import Mapping

CODES: Mapping[str, str] = {}
