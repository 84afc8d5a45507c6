"""What was really evaluated for one reply, and whether a grammar holds.

In      a way to have operations carried out by the worker
Out     answers; a digest over all operations in order
Pure    given the answers
Spec    interfaces.md, "Models" (`embedded`)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from assay.core.json.canonical import canonical
from assay.protocols import ModelFault

Ask = Callable[[Mapping[str, Any]], dict[str, Any]]
"""Have one operation carried out by the worker."""


@dataclass(slots=True)
class Trace:
    """What was really evaluated for one reply."""

    ask: Ask
    known: dict[str, dict[str, Any]]
    """Answers that every call needs, from calls before; equal operations give equal answers."""

    operations: int = 0
    tokens: int = 0
    """Evaluated by the model."""

    _digest: Any = field(default_factory=sha256)

    @property
    def digest(self) -> str:
        """Over all operations in order: replays of a request have the same."""
        return f"sha256:{self._digest.hexdigest()}"

    def run(self, operation: Mapping[str, Any], *, keep: bool = False) -> dict[str, Any]:
        """Carry out *operation*; with *keep*, remember its answer for later calls."""
        key = canonical(operation)
        self._digest.update(key)
        name = key.decode("utf-8")
        answer = self.known[name] if keep and name in self.known else self.ask(operation)
        if keep:
            if len(self.known) >= 256:
                self.known.clear()
            self.known[name] = answer
        self.operations += 1
        self.tokens += int(answer["evaluated"])
        return answer

    def require_grammar(self, grammar: str) -> None:
        """Have the worker try *grammar*: one that does not compile would hold nothing.

        Raises:
            ModelFault: `bad_request` when it does not hold.
        """
        if not self.run({"op": "check", "grammar": grammar}, keep=True)["constrains"]:
            raise ModelFault(
                "bad_request",
                transient=False,
                hint="no grammar can be made for this contract's schema",
            )
