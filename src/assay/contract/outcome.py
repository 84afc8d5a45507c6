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
from enum import StrEnum
from typing import Any, Literal, Self

from assay.errors import InputError

Status = Literal["accepted", "no_evidence", "needs_review"]


class Reason(StrEnum):
    """Why a call was not accepted. Values are pinned: programs match on them."""

    GATE_REJECTED = "gate.rejected"
    """Every attempt of the ladder was rejected by the gate."""

    INPUT_SHORTENED = "input.shortened"
    """What was accepted was judged without own words of the sender, which did not fit; its
    results are kept, and a person looks at them."""

    BUDGET_EXCEEDED = "budget.exceeded"
    """What had to be sent does not fit the token budget even when shortened."""

    INPUT_UNREADABLE = "input.unreadable"
    """The input could not be read as what the pack's source takes."""

    MODEL_REFUSED = "model.refused"
    """The model's name is not among those its contract allows."""

    ASSEMBLY_FAILED = "assembly.failed"
    """The retrieved bundle or the question broke a hard rule."""

    NO_EVIDENCE = "no_evidence"
    """Nothing retrieved was good enough; no model was asked."""

    SESSION_CONFLICT = "session.conflict"
    """Another turn of the same session was stored first."""

    GAVE_UP = "gave_up"
    """A poison item: it failed too often for reasons of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The end of one call."""

    status: Status

    reason: str | None = None
    """A `Reason`; None exactly when the outcome is `accepted`."""

    def __post_init__(self) -> None:
        plain = self.status == "accepted"
        without = self.status == "no_evidence"
        known = self.reason is None or self.reason in Reason.__members__.values()
        if (
            not known
            or plain != (self.reason is None)
            or without != (self.reason == Reason.NO_EVIDENCE)
        ):
            raise InputError(f"outcome {self.status!r} does not go with reason {self.reason!r}")

    @classmethod
    def accepted(cls) -> Self:
        """The output passed every check."""
        return cls(status="accepted")

    @classmethod
    def no_evidence(cls) -> Self:
        """Nothing good enough was found, so no model was asked."""
        return cls(status="no_evidence", reason=Reason.NO_EVIDENCE)

    @classmethod
    def review(cls, reason: Reason | str) -> Self:
        """A person decides."""
        return cls(status="needs_review", reason=str(reason))

    def to_dict(self) -> dict[str, Any]:
        """`{"outcome", "reason"}` as `assay run --json` prints them."""
        return {"outcome": self.status, "reason": self.reason}
