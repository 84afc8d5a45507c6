"""How one call ends, and why.

In      nothing
Out     Outcome: a status and, where it is not plain, a reason code
Pure    yes
Spec    interfaces.md, "Command line" (outcome reasons); 000 retry policy

There are three ways to end and no fourth: a call that is neither accepted nor without
evidence is a call for a person.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from assay.errors import InputError

Status = Literal["accepted", "no_evidence", "needs_review"]

GATE_REJECTED: Final = "gate.rejected"
"""Every attempt of the ladder was rejected by the gate."""

BUDGET_EXCEEDED: Final = "budget.exceeded"
"""What had to be sent does not fit the token budget even when shortened."""

INPUT_UNREADABLE: Final = "input.unreadable"
"""The input could not be read as what the pack's source takes."""

MODEL_REFUSED: Final = "model.refused"
"""The model's name is not among those its contract allows."""

ASSEMBLY_FAILED: Final = "assembly.failed"
"""The retrieved bundle or the question broke a hard rule."""

NO_EVIDENCE: Final = "no_evidence"
"""Nothing retrieved was good enough; no model was asked."""

SESSION_CONFLICT: Final = "session.conflict"
"""Another turn of the same session was stored first."""

GAVE_UP: Final = "gave_up"
"""A poison item: it failed too often for reasons of its own."""

REASONS: Final[frozenset[str]] = frozenset(
    {
        GATE_REJECTED,
        BUDGET_EXCEEDED,
        INPUT_UNREADABLE,
        MODEL_REFUSED,
        ASSEMBLY_FAILED,
        NO_EVIDENCE,
        SESSION_CONFLICT,
        GAVE_UP,
    }
)
"""All reasons there are; a test holds the documentation to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The end of one call."""

    status: Status

    reason: str | None = None
    """One of REASONS; None exactly when the outcome is `accepted`."""

    def __post_init__(self) -> None:
        if (self.status == "accepted") != (self.reason is None):
            raise InputError(f"outcome {self.status!r} does not go with reason {self.reason!r}")
        if self.reason is not None and self.reason not in REASONS:
            raise InputError(f"outcome reason {self.reason!r} does not exist")
        if (self.status == "no_evidence") != (self.reason == NO_EVIDENCE):
            raise InputError(f"outcome {self.status!r} does not go with reason {self.reason!r}")

    def to_dict(self) -> dict[str, Any]:
        """`{"outcome", "reason"}` as `assay run --json` prints them."""
        return {"outcome": self.status, "reason": self.reason}


ACCEPTED: Final = Outcome(status="accepted")
"""The output passed every check."""


def needs_review(reason: str) -> Outcome:
    """The outcome that hands the call to a person."""
    return Outcome(status="needs_review", reason=reason)
