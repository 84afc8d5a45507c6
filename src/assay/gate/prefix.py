"""Judge the beginning of an output: can anything that follows still be accepted?

In      the pieces of a reply as they arrive, what they are weighed against
Out     Watch: True from the piece on after which no continuation is accepted
Pure    yes
Spec    interfaces.md, "Models" (`assay_stopped`)

In doubt it reads on: a text that could still become acceptable, or a refusal, is never stopped.
"""

from __future__ import annotations

from typing import Protocol


class Watch(Protocol):
    """Reads one reply from its first piece to its last."""

    def hear(self, piece: str) -> bool:
        """Whether nothing that could follow makes what was heard so far acceptable."""
        ...
